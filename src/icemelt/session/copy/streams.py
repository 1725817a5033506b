"""The files of COPY INTO as streams of Python; what is packed, by its name, is unpacked."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from icemelt.errors import FileRefused, LoadFailed
from icemelt.session.copy.load_files import SourceFile
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.reach import folder_of
from icemelt.spark_java import hadoop_configuration
from icemelt.tables.iceberg import local_path

__all__ = ["Stream", "create", "is_packed", "open_source"]

_PACKED = (".gz", ".bz2", ".zst", ".deflate")
_SQLITE_FILES = ("", "-wal", "-shm", "-journal")
_LOOK = getattr(os, "O_PATH", None)
_DESCRIPTORS = Path("/proc/self/fd")


class Stream(Protocol):
    """Bytes that are read one after the other."""

    def read(self, size: int, /) -> bytes:
        """Return the next bytes, none at the end."""
        ...

    def close(self) -> None:
        """Close the file."""
        ...


@dataclass(frozen=True, slots=True)
class _JavaStream:
    """A stream of Java as one of Python."""

    stream: Any

    def read(self, size: int, /) -> bytes:
        return bytes(self.stream.readNBytes(size))

    def close(self) -> None:
        self.stream.close()


def is_packed(file: SourceFile) -> bool:
    """Tell whether a file is unpacked as it is read.

    >>> is_packed(SourceFile("/in/a.csv.gz", 0, 0))
    True
    """
    return file.path.endswith(_PACKED)


def open_source(core: Core, file: SourceFile) -> Stream:
    """Open a file, the one that was found at its path and none that has come there since.

    Python itself opens plain files of this machine, which takes a tenth of the time.

    Raises:
        LoadFailed: another file or a link came in its place.
        FileRefused: it is one of the catalog's.
    """
    local = local_path(file.path)
    if local is not None and not is_packed(file) and _LOOK is not None and _DESCRIPTORS.exists():
        # a guest's path had no links when it was checked
        path = local if file.mark else os.path.realpath(local)
        return _open_here(core, file, path, _LOOK)
    named = core.iceberg.functions.named
    conf = hadoop_configuration(core.spark)
    java_path = named("org.apache.hadoop.fs.Path")(file.path)
    stream = java_path.getFileSystem(conf).open(java_path)
    codec = named("org.apache.hadoop.io.compress.CompressionCodecFactory")(conf).getCodec(java_path)
    return _JavaStream(stream if codec is None else codec.createInputStream(stream))


def create(core: Core, location: str) -> Any:
    """Return a stream of Java that writes a new file."""
    conf = hadoop_configuration(core.spark)
    path = core.iceberg.functions.named("org.apache.hadoop.fs.Path")(location)
    return path.getFileSystem(conf).create(path)


def _open_here(core: Core, file: SourceFile, path: str, look: int) -> Stream:
    """Open a file of this machine that was looked at first, without opening it.

    To open and close one of SQLite's files would drop the locks that this process has on it.
    """
    try:
        with folder_of(path) as (folder, name):
            looked = os.open(name, look | os.O_NOFOLLOW, dir_fd=folder)
    except OSError as error:
        raise _changed(file) from error
    try:
        status = os.fstat(looked)
        identity = (status.st_dev, status.st_ino)
        if identity in _files_of_catalog(core):
            raise FileRefused(
                f"File {file.name!r} is one of the catalog's own.", hint="Leave it out by PATTERN."
            )
        if not stat.S_ISREG(status.st_mode) or (file.mark and file.mark[:2] != identity):
            raise _changed(file)
        return (_DESCRIPTORS / str(looked)).open("rb")
    finally:
        os.close(looked)


def _files_of_catalog(core: Core) -> set[tuple[int, int]]:
    """Return the device and number of each file of a catalog that is a SQLite database."""
    url = core.database.engine.url
    if url.get_backend_name() != "sqlite" or not url.database:
        return set()
    found = set()
    for ending in _SQLITE_FILES:
        path = Path(url.database + ending)
        if path.exists():
            status = path.stat()
            found.add((status.st_dev, status.st_ino))
    return found


def _changed(file: SourceFile) -> LoadFailed:
    return LoadFailed(
        f"File {file.name!r} changed before it was read; nothing was loaded.",
        hint="Run the statement again once the file is whole.",
    )
