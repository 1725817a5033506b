"""The files of a stage: LIST and REMOVE, and what GET copies."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass

from icemelt.catalog.defined_records import StageRecord
from icemelt.errors import IcemeltError
from icemelt.session.files.file_places import find_place, open_files
from icemelt.session.files.source_files import filter_by_pattern, list_place, path_below
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.result import LocalRows
from icemelt.session.runtime.stores import spark_files
from icemelt.sql.statements import GetFiles, ListFiles, RemoveFiles
from icemelt.storage.links import remove_unlinked
from icemelt.storage.locations import local_path
from icemelt.storage.store import FileStore, StoredFile
from icemelt.times import as_datetime

__all__ = ["PART_ENDING", "StageFile", "find_stage_files", "list_files", "remove_files_of_stage"]

_LIST_COLUMNS = ("name", "size", "md5", "last_modified")
_REMOVE_COLUMNS = ("name", "result")
# what is written of a file of this machine, before it is whole
PART_ENDING = ".icemelt-part"
# no files of users: Hadoop writes a checksum beside each file of this machine
_NOT_LISTED = re.compile(rf"\..*(?:\.crc|{re.escape(PART_ENDING)})")


@dataclass(frozen=True, slots=True)
class StageFile:
    """A file of a stage.

    Attributes:
        name: the file's location; of a stage in the warehouse the stage's name and the path.
        file: the file as listed.
        path: the path to open.
        relative: the path below the last folder of the statement's place.
        is_checked: whether the path was checked for a guest, and has no links.
    """

    name: str
    file: StoredFile
    path: str
    relative: str
    is_checked: bool


def list_files(core: Core, statement: ListFiles) -> LocalRows:
    """Run LIST: Snowflake's columns. No file is opened, so `md5` is NULL.

    Raises:
        ObjectNotFound: there is no such stage.
        LoadFailed: the stage's folder does not exist, or cannot be read.
        FileRefused: the session may not read there.
    """
    rows = (
        (each.name, each.file.size, None, as_datetime(each.file.modified_at))
        for each in find_stage_files(core, statement)
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
    for each in find_stage_files(core, statement):
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


def find_stage_files(
    core: Core, statement: ListFiles | RemoveFiles | GetFiles
) -> Iterator[StageFile]:
    """Yield the files of a stage that a statement names, in the order of their paths.

    Args:
        core: the session's parts.
        statement: the statement, with a place and a pattern.

    Raises:
        ObjectNotFound: there is no such stage.
        LoadFailed: the stage's folder does not exist, or cannot be read.
        FileRefused: the session may not read there.
    """
    stage = core.object_of(StageRecord, statement.place.stage)
    where = find_place(core, statement.place)
    place, files = open_files(core.iceberg, where, core.jobs.raise_if_cancelled)
    listed = list_place(files, place, where)
    files.check_listed(listed)
    chosen = filter_by_pattern(listed, place.path, statement.pattern)
    inner = statement.place.path.rpartition("/")[0]
    for file in sorted(chosen, key=lambda each: each.path):
        if _NOT_LISTED.fullmatch(file.path.rpartition("/")[2]):
            continue
        fixed = files.fix(file.path)
        if fixed is None:
            continue
        path, mark = fixed
        below = path_below(file.path, place.path)
        relative = f"{inner}/{below}" if inner else below
        base = stage.name.name if stage.url is None else stage.url.rstrip("/")
        yield StageFile(f"{base}/{relative}", file, path, below, bool(mark))
