"""Open the files of COPY INTO as Python byte streams, unpacked by their ending."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from icemelt.errors import FileRefused, LoadFailed
from icemelt.session.copy.load_files import SourceFile
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.path_policy import folder_of
from icemelt.spark_java import hadoop_configuration
from icemelt.storage.locations import local_path

__all__ = ["Stream", "create", "is_packed", "open_source"]

_COMPRESSED_ENDINGS = (".gz", ".bz2", ".zst", ".deflate")
_SQLITE_FILE_ENDINGS = ("", "-wal", "-shm", "-journal")
_PATH_ONLY_FLAG = getattr(os, "O_PATH", None)
_DESCRIPTOR_FOLDER = Path("/proc/self/fd")


class Stream(Protocol):
    """Bytes that are read in order."""

    def read(self, size: int, /) -> bytes:
        """Return the next `size` bytes, empty at the end."""
        ...

    def close(self) -> None:
        """Close the file."""
        ...


@dataclass(frozen=True, slots=True)
class _JavaStream:
    """A Java InputStream as a Python byte stream."""

    stream: Any

    def read(self, size: int, /) -> bytes:
        return bytes(self.stream.readNBytes(size))

    def close(self) -> None:
        self.stream.close()


def is_packed(file: SourceFile) -> bool:
    """Tell whether a file is compressed, by its ending.

    >>> is_packed(SourceFile("/in/a.csv.gz", 0, 0))
    True
    """
    return file.path.endswith(_COMPRESSED_ENDINGS)


def open_source(core: Core, file: SourceFile) -> Stream:
    """Open a checked file; refuse another file that has taken the path since.

    Python opens uncompressed local files directly, which takes a tenth of the time.

    Raises:
        LoadFailed: another file or a link has taken the path.
        FileRefused: the file belongs to the catalog's SQLite database.
    """
    local = local_path(file.path)
    if (
        local is not None
        and not is_packed(file)
        and _PATH_ONLY_FLAG is not None
        and _DESCRIPTOR_FOLDER.exists()
    ):
        # a guest's path had no links when it was checked
        path = local if file.mark else os.path.realpath(local)
        return _open_here(core, file, path, _PATH_ONLY_FLAG)
    named = core.iceberg.functions.java_class
    conf = hadoop_configuration(core.spark)
    java_path = named("org.apache.hadoop.fs.Path")(file.path)
    stream = java_path.getFileSystem(conf).open(java_path)
    codec = named("org.apache.hadoop.io.compress.CompressionCodecFactory")(conf).getCodec(java_path)
    return _JavaStream(stream if codec is None else codec.createInputStream(stream))


def create(core: Core, location: str) -> Any:
    """Create a file, and return a Java OutputStream to write it."""
    conf = hadoop_configuration(core.spark)
    path = core.iceberg.functions.java_class("org.apache.hadoop.fs.Path")(location)
    return path.getFileSystem(conf).create(path)


def _open_here(core: Core, file: SourceFile, path: str, look: int) -> Stream:
    """Open a local file in two steps: look at the file without opening it, check, then open.

    Opening and closing a file of the catalog's SQLite database would drop the locks that this
    process holds on the database.
    """
    try:
        with folder_of(path) as (folder, name):
            looked = os.open(name, look | os.O_NOFOLLOW, dir_fd=folder)
    except OSError as error:
        raise _file_changed(file) from error
    try:
        status = os.fstat(looked)
        identity = (status.st_dev, status.st_ino)
        if identity in _files_of_catalog(core):
            raise FileRefused(
                f"File {file.name!r} is one of the catalog's own.", hint="Leave it out by PATTERN."
            )
        if not stat.S_ISREG(status.st_mode) or (file.mark and file.mark[:2] != identity):
            raise _file_changed(file)
        return (_DESCRIPTOR_FOLDER / str(looked)).open("rb")
    finally:
        os.close(looked)


def _files_of_catalog(core: Core) -> set[tuple[int, int]]:
    """Return device and inode of the files of the catalog's SQLite database.

    None for PostgreSQL.
    """
    url = core.database.engine.url
    if url.get_backend_name() != "sqlite" or not url.database:
        return set()
    identities = set()
    for ending in _SQLITE_FILE_ENDINGS:
        path = Path(url.database + ending)
        if path.exists():
            status = path.stat()
            identities.add((status.st_dev, status.st_ino))
    return identities


def _file_changed(file: SourceFile) -> LoadFailed:
    return LoadFailed(
        f"File {file.name!r} changed before it was read; nothing was loaded.",
        hint="Run the statement again once the file is whole.",
    )
