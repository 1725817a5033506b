"""Open the files of a place as Python byte streams, unpacked by their ending."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from icemelt.errors import DataError, FileRefused, LoadFailed, QueryError
from icemelt.session.files.source_files import SourceFile
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.spark_errors import translated
from icemelt.session.runtime.stores import hadoop_files
from icemelt.storage.links import can_look_at, look_at
from icemelt.storage.locations import plain_form
from icemelt.storage.store import ByteStream

__all__ = ["find_storage_fault", "is_packed", "open_source"]

_READ_AT_ONCE = 4 << 20

_COMPRESSED_ENDINGS = (".gz", ".bz2", ".zst", ".deflate")
_SQLITE_FILE_ENDINGS = ("", "-wal", "-shm", "-journal")


def is_packed(file: SourceFile) -> bool:
    """Tell whether a file is compressed, by its ending.

    >>> is_packed(SourceFile("/in/a.csv.gz", 0, 0))
    True
    """
    return file.path.endswith(_COMPRESSED_ENDINGS)


def open_source(core: Core, file: SourceFile, *, unpacks: bool = True) -> ByteStream:
    """Open a checked file; refuse another file that has taken the path since.

    Python opens uncompressed local files directly, which takes a tenth of the time. Python looks at
    a file before: opening and closing a file of the catalog's SQLite database would drop the locks
    that this process holds on the database.

    Raises:
        LoadFailed: another file or a link has taken the path.
        FileRefused: the file belongs to the catalog's SQLite database.
    """
    path = plain_form(file.path)
    if unpacks and (is_packed(file) or not can_look_at(path)):
        return hadoop_files(core.iceberg).open_unpacked(file.path)
    if not can_look_at(path):
        return hadoop_files(core.iceberg).open(file.path)
    # a guest's path had no links when it was checked
    path = path if file.mark else os.path.realpath(path)
    with contextlib.ExitStack() as held:
        try:
            looked = held.enter_context(look_at(path))
        except OSError as error:
            raise _file_changed(file) from error
        if looked.identity in _files_of_catalog(core):
            raise FileRefused(
                f"File {file.name!r} is one of the catalog's own.", hint="Leave it out by PATTERN."
            )
        if not looked.is_regular or (file.mark and file.mark[:2] != looked.identity):
            raise _file_changed(file)
        return looked.open()


def find_storage_fault(core: Core, file: SourceFile) -> DataError | None:
    """Return why the storage does not give all bytes of a file, None where it does.

    Where it gives them, and no reader can make records of them, the fault is the file's. The file
    is read from first to last.

    Args:
        core: the session's parts.
        file: the file, of which a reader has failed.
    """
    try:
        with (
            translated(core.spark),
            contextlib.closing(open_source(core, file, unpacks=False)) as stream,
        ):
            while stream.read(_READ_AT_ONCE):
                core.jobs.raise_if_cancelled()
    except LoadFailed as error:
        # another file has taken the path
        return error
    except (DataError, QueryError) as error:
        return FileRefused(error.message, hint=error.hint)
    except OSError as error:
        return FileRefused(
            f"File {file.name!r} cannot be read: {error.strerror}.",
            hint="Run this again when the storage answers.",
        )
    return None


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
