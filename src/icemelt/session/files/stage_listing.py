"""The files of a stage in its folder now, and what a listing for its directory table finds.

No file is opened.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter, itemgetter

from icemelt.catalog.defined_records import StageRecord
from icemelt.catalog.listing_edits import RegisterFiles, list_changes
from icemelt.catalog.listing_records import FileChange, ListedFile
from icemelt.catalog.queries.listings import last_listing, listed_files_at
from icemelt.errors import DefinitionRefused, LoadFailed, WrongObjectKind
from icemelt.patterns import compile_matcher
from icemelt.session.files.file_places import FilePlace, find_place_in, open_files
from icemelt.session.files.source_files import (
    LONGEST_PATH,
    NOT_OPENED,
    filter_by_pattern,
    list_place,
    path_below,
)
from icemelt.session.runtime.core import Core
from icemelt.sql.dialect.written_names import full_name
from icemelt.sql.statements import StagePath
from icemelt.storage.folder_walk import is_hidden
from icemelt.storage.locations import shorten
from icemelt.storage.store import NothingThere, StoredFile

__all__ = [
    "LONGEST_ETAG",
    "PART_ENDING",
    "FoundListing",
    "ListedPlace",
    "StageFile",
    "UnlistedFile",
    "directory_of",
    "find_listing",
    "find_paths",
    "find_removal",
    "find_stage_files",
    "forget_paths",
    "require_directory",
]

# as the column `etag` of `icemelt_listed_files`
LONGEST_ETAG = 255
# what is written of a file of this machine, before it is whole
PART_ENDING = ".icemelt-part"
# no files of users: Hadoop writes a checksum beside each file of this machine
_NOT_LISTED = re.compile(rf"\..*(?:\.crc|{re.escape(PART_ENDING)})")


@dataclass(frozen=True, slots=True)
class ListedPlace:
    """Files that are listed and registered: of a directory table, or of an external table.

    Attributes:
        owner_id: the object id of the stage, or of the external table.
        stage: the stage that has the files.
        path: how the paths of the files begin, below the stage.
        pattern: the pattern that the paths below the last folder of `path` match.
        is_read: whether the files are read, so that hidden ones are left out.
        reader: the external table that reads them, for errors; empty for a directory table.
    """

    owner_id: str
    stage: StageRecord
    path: str = ""
    pattern: str | None = None
    is_read: bool = False
    reader: str = ""

    def at(self, path: str) -> StagePath:
        """Return a path in the stage as a place."""
        return StagePath(self.stage.name.as_written, path)

    def inner(self, path: str) -> str:
        """Return a path below the stage as the path below the last folder of the place."""
        return path[len(self.path.rpartition("/")[0]) :].lstrip("/")


@dataclass(frozen=True, slots=True)
class StageFile:
    """A file of a stage.

    Attributes:
        name: the file's location to show; of a stage in the warehouse the stage's name and the
            path.
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


@dataclass(frozen=True, slots=True)
class UnlistedFile:
    """A file that a directory table cannot have: the path to show, and the reason."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class FoundListing:
    """What a listing for a directory table finds.

    Attributes:
        edit: the differences from the last listing.
        unlisted: the files that are left out.
    """

    edit: RegisterFiles
    unlisted: tuple[UnlistedFile, ...]


def find_stage_files(
    core: Core, written: StagePath, pattern: str | None = None
) -> Iterator[StageFile]:
    """Yield the files of a place in a stage, in the order of their paths.

    Args:
        core: the session's parts.
        written: the place in the statement.
        pattern: the pattern of PATTERN.

    Raises:
        ObjectNotFound: there is no such stage.
        LoadFailed: the stage's folder does not exist, or cannot be read.
        FileRefused: the session may not read there.
    """
    stage = core.object_of(StageRecord, written.stage)
    where = find_place_in(core, stage, written)
    inner = written.path.rpartition("/")[0]
    base = stage.name.name if stage.url is None else stage.url.rstrip("/")
    found = sorted(_files_of(core, where, pattern), key=itemgetter(0))
    for below, file, path, is_checked in found:
        in_stage = f"{inner}/{below}" if inner else below
        yield StageFile(_make_text(f"{base}/{in_stage}"), file, path, below, is_checked)


def _files_of(
    core: Core, where: FilePlace, pattern: str | None = None
) -> Iterator[tuple[str, StoredFile, str, bool]]:
    """Yield the files of a place in a stage, in no order.

    With each comes the path below the place, the path to open, and whether that was checked.
    """
    place, files = open_files(core.iceberg, where, core.jobs.raise_if_cancelled)
    listed = list_place(files, place, where)
    files.check_listed(listed)
    beginning = f"{place.path.rstrip('/')}/"
    for file in filter_by_pattern(listed, place.path, pattern):
        name = file.path.rpartition("/")[2]
        if name[0] == "." and _NOT_LISTED.fullmatch(name):
            continue
        fixed = files.fix(file.path) if place.is_guarded else (file.path, ())
        if fixed is None:
            continue
        if not file.obstacle and not files.can_open(file.path):
            file = replace(file, obstacle=NOT_OPENED)  # noqa: PLW2901 - as it is used from here on
        if file.path.startswith(beginning):
            below = file.path[len(beginning) :]
        else:
            below = path_below(file.path, place.path)
        yield below, file, fixed[0], bool(fixed[1])


def require_directory(stage: StageRecord) -> None:
    """Require that a stage has a directory table.

    Raises:
        WrongObjectKind: the stage has none.
    """
    if not stage.has_directory:
        raise WrongObjectKind(
            f"Stage {str(stage.name)!r} has no directory table.",
            hint=f"ALTER STAGE {full_name(stage.name)} SET DIRECTORY = (ENABLE = TRUE), then "
            f"ALTER STAGE {full_name(stage.name)} REFRESH.",
        )


def directory_of(stage: StageRecord) -> ListedPlace:
    """Return what a directory table lists: all files of its stage."""
    return ListedPlace(stage.object_id, stage)


def find_listing(core: Core, place: ListedPlace, subpath: str = "") -> FoundListing:
    """List files, and return how they differ from the last listing.

    A file whose path is too long, or whose name is no UTF-8, is left out: all others are listed. So
    is a file that cannot be looked at, and of an external table one that Spark cannot open.
    Inside a transaction the last listing is the transaction's own, if it has one.

    Args:
        core: the session's parts.
        place: the files; their owner or their stage may be about to be made.
        subpath: only files whose path below the place begins so are listed; empty for all.

    Raises:
        LoadFailed: the stage's folder does not exist or cannot be read.
        FileRefused: the session may not read there.
        DefinitionRefused: no path of a listed file begins with `subpath`.
    """
    beginning = place.path + subpath
    where = find_place_in(core, place.stage, place.at(beginning), reader=place.reader)
    if subpath:
        _validate_subpath(subpath)
        above = find_place_in(core, place.stage, place.at(place.path), reader=place.reader)
        _require_folder(core, above)
        where = replace(where, may_be_missing=True)
    known, base = _find_known(core, place.owner_id)
    gone = {file.path: file for file in known if file.path.startswith(beginning)}
    changes, unlisted = [], []
    for path, file in _list_below(core, place, where, beginning):
        obstacle = _find_obstacle(place, path, file)
        if obstacle is not None:
            unlisted.append(obstacle)
            if file.obstacle != NOT_OPENED:
                gone.pop(path, None)
            # else it is registered no more, if it was: each query would be refused
            continue
        before = gone.pop(path, None)
        stamp = (file.size, file.modified_at, file.etag[:LONGEST_ETAG])
        if before is None or before.stamp != stamp:
            changes.append(FileChange(before, _listed(path, file)))
    changes += [FileChange(file, None) for file in gone.values()]
    edit = list_changes(place.owner_id, base, sorted(changes, key=attrgetter("path")))
    return FoundListing(edit, tuple(sorted(unlisted, key=attrgetter("path"))))


def find_paths(core: Core, place: ListedPlace, paths: Sequence[str]) -> FoundListing:
    """Look at single files, and return how they differ from the last listing.

    Args:
        core: the session's parts.
        place: the place of the files.
        paths: their paths below the place.

    Raises:
        LoadFailed: there is no such file, or a listing would leave it out.
        FileRefused: the session may not read there, or a path leads out of the stage.
        DefinitionRefused: a path is not as a listing writes it.
    """
    where = find_place_in(core, place.stage, place.at(""), reader=place.reader)
    for path in paths:
        where.validate_name(place.path + path)
        _require_listed(place, place.path + path)
    resolved, files = open_files(core.iceberg, where, core.jobs.raise_if_cancelled)
    known, base = _find_known(core, place.owner_id)
    before = {file.path: file for file in known}
    changes = []
    for path in sorted({place.path + path for path in paths}):
        location = f"{resolved.path.rstrip('/')}/{path}"
        files.check(location)
        try:
            found = files.find_file(location)
        except NothingThere as error:
            raise LoadFailed(
                f"There is no file {path!r} in stage {str(place.stage.name)!r}.",
                hint="A path is below the location of the external table.",
            ) from error
        is_opened = files.can_open(location) or found.obstacle
        found = found if is_opened else replace(found, obstacle=NOT_OPENED)
        obstacle = _find_obstacle(place, path, found)
        if obstacle is not None:
            raise LoadFailed(f"File {obstacle.path!r} is not registered.", hint=obstacle.reason)
        changes.append(FileChange(before.get(path), _listed(path, found)))
    return FoundListing(list_changes(place.owner_id, base, changes), ())


def forget_paths(core: Core, place: ListedPlace, paths: Sequence[str]) -> FoundListing:
    """Return the listing after which files are registered no more.

    Args:
        core: the session's parts.
        place: the place of the files.
        paths: their paths below the place.

    Raises:
        LoadFailed: a file is not registered.
    """
    known, base = _find_known(core, place.owner_id)
    registered = {file.path: file for file in known}
    wanted = sorted({place.path + path for path in paths})
    for path in wanted:
        if path not in registered:
            raise LoadFailed(
                f"File {path!r} is not registered.", hint="ADD FILES registers a file, as REFRESH."
            )
    changes = [FileChange(registered[path], None) for path in wanted]
    return FoundListing(list_changes(place.owner_id, base, changes), ())


def _require_listed(place: ListedPlace, path: str) -> None:
    """Refuse a file that no listing finds, or finds under another path: it would be read twice.

    Raises:
        DefinitionRefused: a folder in the path is empty or `.`.
        LoadFailed: the file does not match the pattern, or is hidden.
    """
    if not {"", "."}.isdisjoint(path.split("/")):
        raise DefinitionRefused(
            f"Path {shorten(path)} is not how the path of a listed file is written.",
            hint="Write it as SELECT METADATA$FILENAME FROM @stage shows it, without '.' and '//'.",
        )
    inner = place.inner(path)
    if any(map(is_hidden, inner.split("/"))):
        raise LoadFailed(
            f"File {shorten(path)} is hidden: a name in its path begins with '_' or '.'.",
            hint="Give it another name.",
        )
    if place.pattern is not None and not compile_matcher(place.pattern)(inner):
        raise LoadFailed(
            f"File {shorten(path)} does not match the PATTERN of the external table.",
            hint="REFRESH would forget it again; make the external table with another PATTERN.",
        )


def _list_below(
    core: Core, place: ListedPlace, where: FilePlace, beginning: str
) -> Iterator[tuple[str, StoredFile]]:
    """Yield the files whose path below the stage begins so, by that path."""
    folder = beginning.rpartition("/")[0]
    matches = None if place.pattern is None else compile_matcher(place.pattern)
    for below, file, _, _ in _files_of(core, where):
        path = f"{folder}/{below}" if folder else below
        inner = place.inner(path)
        if place.is_read and any(map(is_hidden, inner.split("/"))):
            continue
        if matches is None or matches(inner):
            yield path, file


def find_removal(core: Core, stage: StageRecord) -> RegisterFiles:
    """Return the listing after which a stage's directory table has no files: its folder moves."""
    known, base = _find_known(core, stage.object_id)
    return list_changes(stage.object_id, base, [FileChange(file, None) for file in known])


def _validate_subpath(subpath: str) -> None:
    """Refuse a beginning of paths that no listed path has, and by which files would be found twice.

    Raises:
        DefinitionRefused: a folder in it is empty, `.` or hidden.
    """
    for folder in subpath.split("/")[:-1]:
        if folder in {"", "."} or is_hidden(folder):
            raise DefinitionRefused(
                f"SUBPATH {shorten(subpath)} is not how the path of a listed file begins.",
                hint="Write it as RELATIVE_PATH shows paths: SUBPATH = '2024/05/'.",
            )


def _find_known(core: Core, owner_id: str) -> tuple[list[ListedFile], int]:
    """Return the files of the last listing, and its commit number."""
    transaction = core.settings.transaction
    with core.database.read() as connection:
        if transaction is None:
            base = last_listing(connection, owner_id)
        else:
            base = last_listing(connection, owner_id, transaction.moment.commit_number)
        files = listed_files_at(connection, owner_id, base)
    own = None if transaction is None else transaction.find_own_listing(owner_id)
    return (files if own is None else own.apply(files)), base


def _require_folder(core: Core, where: FilePlace) -> None:
    """Require the folder of a whole stage: a missing one has not lost its files.

    Raises:
        LoadFailed: there is no folder.
    """
    place, files = open_files(core.iceberg, where, core.jobs.raise_if_cancelled)
    list_place(files, place, where, first_only=True)


def _listed(path: str, file: StoredFile) -> ListedFile:
    return ListedFile(path, file.size, file.modified_at, file.etag[:LONGEST_ETAG])


def _find_obstacle(place: ListedPlace, path: str, file: StoredFile) -> UnlistedFile | None:
    """Return why a file cannot be registered, None where it can.

    Args:
        place: the place of the files; names that Spark cannot open matter where they are read.
        path: the path below the stage.
        file: the file as found.
    """
    if len(path) > LONGEST_PATH:
        return UnlistedFile(
            shorten(path),
            f"The path has more than {LONGEST_PATH:,} characters: move the file nearer to the "
            "stage's folder.",
        )
    shown = _make_text(path)
    if path != shown:
        return UnlistedFile(shown, "The name is no UTF-8: rename the file.")
    if file.obstacle == NOT_OPENED and not place.is_read:
        return None
    return UnlistedFile(path, f"The file {file.obstacle}.") if file.obstacle else None


def _make_text(path: str) -> str:
    """Return a path as text that can be encoded: what is no UTF-8 becomes a replacement mark."""
    if path.isascii():
        return path
    return path.encode(errors="surrogateescape").decode(errors="replace")
