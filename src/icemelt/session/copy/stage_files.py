"""The files of a stage: LIST and REMOVE."""

from __future__ import annotations

import contextlib

from icemelt.errors import IcemeltError
from icemelt.session.files.stage_listing import StageFile, find_stage_files
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.result import LocalRows
from icemelt.session.runtime.stores import spark_files
from icemelt.sql.statements import ListFiles, RemoveFiles
from icemelt.storage.links import remove_unlinked
from icemelt.storage.locations import local_path
from icemelt.storage.store import FileStore
from icemelt.times import as_datetime

__all__ = ["list_files", "remove_files_of_stage"]

_LIST_COLUMNS = ("name", "size", "md5", "last_modified")
_REMOVE_COLUMNS = ("name", "result")


def list_files(core: Core, statement: ListFiles) -> LocalRows:
    """Run LIST: Snowflake's columns. No file is opened, so `md5` is NULL.

    Raises:
        ObjectNotFound: there is no such stage.
        LoadFailed: the stage's folder does not exist, or cannot be read.
        FileRefused: the session may not read there.
    """
    rows = (
        (each.name, each.file.size, None, as_datetime(each.file.modified_at))
        for each in find_stage_files(core, statement.place, statement.pattern)
    )
    return LocalRows(_LIST_COLUMNS, tuple(rows))


def remove_files_of_stage(core: Core, statement: RemoveFiles) -> LocalRows:
    """Run REMOVE: a row for each file, with the reason for a file that stays.

    No ROLLBACK brings the files back.

    Raises:
        ObjectNotFound: there is no such stage.
        LoadFailed: the stage's folder does not exist, or cannot be read.
        FileRefused: the session may not write there.
    """
    store, rows = spark_files(core.iceberg), []
    for each in find_stage_files(core, statement.place, statement.pattern):
        core.jobs.raise_if_cancelled()
        rows.append((each.name, _remove(store, each)))
    return LocalRows(_REMOVE_COLUMNS, tuple(rows))


def _remove(store: FileStore, each: StageFile) -> str:
    """Remove a file, and Hadoop's checksum of the file; return `removed`, or why the file stays."""
    remove = remove_unlinked if each.is_checked else store.remove_file
    try:
        remove(each.path)
    except OSError as error:
        return error.strerror or str(error)
    except IcemeltError as error:
        return error.message
    folder, _, name = each.path.rpartition("/")
    if local_path(each.path) is not None:
        with contextlib.suppress(OSError):
            remove(f"{folder}/.{name}.crc")
    return "removed"
