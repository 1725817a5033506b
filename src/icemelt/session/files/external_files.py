"""The registered files of an external table: where they are, and whether they are as listed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from icemelt.catalog.defined_records import ExternalTableRecord, StageRecord
from icemelt.catalog.listing_records import ListedFile
from icemelt.catalog.queries.definitions import defined_by_id
from icemelt.errors import FileChanged, FileGone, ObjectNotFound
from icemelt.names import ObjectName, QualifiedName
from icemelt.session.files.file_places import find_place_in, open_files
from icemelt.session.files.named_formats import find_file_format
from icemelt.session.files.read_options import ReadOptions, read_options
from icemelt.session.files.source_files import SourceFile, make_sources, require_readable
from icemelt.session.files.stage_listing import LONGEST_ETAG, ListedPlace
from icemelt.session.runtime.core import Core
from icemelt.sql.dialect.written_names import full_name
from icemelt.sql.statements import FileFormat, StagePath
from icemelt.storage.places import PlaceFiles, ResolvedPath
from icemelt.storage.store import NothingThere, StoredFile

__all__ = [
    "RegisteredFile",
    "find_external_options",
    "find_registered",
    "find_stage_of",
    "listed_place",
    "look_at",
    "name_files",
    "validate_as_listed",
]

_SHOWN = 3
# above so many files elsewhere one listing of the folder takes less than a question for each
_ASKED_ONE_BY_ONE = 100


@dataclass(frozen=True, slots=True)
class RegisteredFile:
    """A registered file, and the same file to read."""

    listed: ListedFile
    source: SourceFile


def find_stage_of(core: Core, table: ExternalTableRecord) -> StageRecord:
    """Return the stage that has the files of an external table, whatever its name is today.

    Raises:
        ObjectNotFound: the stage was dropped or replaced.
    """
    with core.database.read() as connection:
        stage = defined_by_id(connection, table.stage_id)
    if not isinstance(stage, StageRecord) or stage.dropped_at is not None:
        name = QualifiedName(*table.stage_name) if stage is None else stage.name
        raise ObjectNotFound(
            f"External table {str(table.name)!r} reads stage {str(name)!r}, which was dropped or "
            "replaced.",
            hint=f"UNDROP STAGE {full_name(name)}; or CREATE OR REPLACE EXTERNAL TABLE "
            f"{full_name(table.name)} … LOCATION = @another_stage.",
        )
    return stage


def listed_place(table: ExternalTableRecord, stage: StageRecord) -> ListedPlace:
    """Return what a refresh of an external table lists."""
    place = ListedPlace(table.object_id, stage, table.path, table.pattern, is_read=True)
    return replace(place, reader=_name_table(table))


def find_external_options(core: Core, table: ExternalTableRecord) -> ReadOptions:
    """Return the options of an external table's file format.

    Raises:
        ObjectNotFound: its file format was dropped.
    """
    if table.format_name is None:
        return read_options(FileFormat[table.file_type], table.options)
    found = find_file_format(core, ObjectName(table.format_name))
    return read_options(FileFormat[found.file_type], found.options)


def look_at(
    core: Core, table: ExternalTableRecord, stage: StageRecord, files: Sequence[ListedFile]
) -> dict[str, StoredFile | None]:
    """Return what is at the paths of registered files now, None for nothing."""
    place, opened = _open_stage(core, table, stage)
    return {file.path: found for file, found in _look_at(core, place, opened, files)}


def find_registered(
    core: Core,
    table: ExternalTableRecord,
    stage: StageRecord,
    files: Sequence[ListedFile],
    seen: Mapping[str, StoredFile | None] | None = None,
) -> list[RegisteredFile]:
    """Return registered files as files to read; each is as its listing has found it.

    Args:
        core: the session's parts.
        table: the external table.
        stage: the stage that has the files.
        files: the files.
        seen: what `look_at` has found at their paths in this statement; None to look now.

    Raises:
        FileGone: a file is not there any more.
        FileChanged: a file was written since.
        FileRefused: the session may not read there.
        LoadFailed: Spark cannot open the name of a file.
    """
    place, opened = _open_stage(core, table, stage)
    if seen is None:
        looked = _look_at(core, place, opened, files)
    else:
        looked = ((file, seen[file.path]) for file in files)
    stored = _require_as_listed(looked)
    sources = require_readable(make_sources(opened, place, stored))
    return [RegisteredFile(*each) for each in zip(files, sources, strict=True)]


def validate_as_listed(
    core: Core, table: ExternalTableRecord, stage: StageRecord, files: Sequence[ListedFile]
) -> None:
    """Require that files are as their listing has found them.

    Raises:
        FileGone: a file is not there any more.
        FileChanged: a file was written since.
    """
    _require_as_listed(_look_at(core, *_open_stage(core, table, stage), files))


def _open_stage(
    core: Core, table: ExternalTableRecord, stage: StageRecord
) -> tuple[ResolvedPath, PlaceFiles]:
    place = StagePath(stage.name.as_written)
    where = find_place_in(core, stage, place, reader=_name_table(table))
    return open_files(core.iceberg, where, core.jobs.raise_if_cancelled)


def _name_table(table: ExternalTableRecord) -> str:
    return f"external table {str(table.name)!r}"


def _require_as_listed(
    looked: Iterable[tuple[ListedFile, StoredFile | None]],
) -> list[StoredFile]:
    found, gone, changed = [], [], []
    for file, stored in looked:
        if stored is None:
            gone.append(file.path)
        elif (stored.size, stored.modified_at, stored.etag[:LONGEST_ETAG]) != file.stamp:
            changed.append(file.path)
        else:
            found.append(stored)
    if gone:
        raise FileGone(
            f"{_are(gone)} not there any more.",
            hint="ALTER EXTERNAL TABLE … REFRESH registers what is there now.",
        )
    if changed:
        raise FileChanged(
            f"{_are(changed)} not as registered: written since the last REFRESH.",
            hint="ALTER EXTERNAL TABLE … REFRESH registers what is there now.",
        )
    return found


def _look_at(
    core: Core, place: ResolvedPath, opened: PlaceFiles, files: Sequence[ListedFile]
) -> Iterable[tuple[ListedFile, StoredFile | None]]:
    """Yield each file with what is at its path now, None for nothing."""
    root = place.path.rstrip("/")
    known: Mapping[str, StoredFile] | None = None
    if not place.is_local and len(files) > _ASKED_ONE_BY_ONE:
        try:
            known = {file.path: file for file in opened.list_folder(place.path)}
        except NothingThere:
            known = {}
    for file in files:
        core.jobs.raise_if_cancelled()
        path = f"{root}/{file.path}"
        if known is not None:
            yield file, known.get(path)
            continue
        opened.check(path)
        try:
            yield file, opened.find_file(path)
        except NothingThere:
            yield file, None


def name_files(paths: Iterable[str]) -> str:
    """Return the first paths as a sentence names them, and how many more there are.

    >>> name_files(["a.csv"]), name_files(["a", "b", "c", "d"])
    ("file 'a.csv'", "files 'a', 'b', 'c' and 1 more")
    """
    paths = [*paths]
    word = "file" if len(paths) == 1 else "files"
    named = ", ".join(map(repr, paths[:_SHOWN]))
    more = f" and {len(paths) - _SHOWN:,} more" if len(paths) > _SHOWN else ""
    return f"{word} {named}{more}"


def _are(paths: Sequence[str]) -> str:
    """Return the beginning of a sentence about files."""
    return f"F{name_files(paths)[1:]} {'is' if len(paths) == 1 else 'are'}"
