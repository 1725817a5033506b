"""The places of files in statements: a path, or `@stage/path`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from icemelt.catalog.defined_records import StageRecord
from icemelt.errors import FileRefused
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.path_policy import ALLOW_ALL, PathPolicy
from icemelt.session.runtime.stores import hadoop_files, hadoop_locations
from icemelt.sql.statements import StagePath
from icemelt.storage.locations import shorten
from icemelt.storage.places import PlaceChecks, PlaceFiles, ResolvedPath, open_place
from icemelt.tables.iceberg import Iceberg

__all__ = [
    "FilePlace",
    "find_place",
    "find_place_in",
    "name_stage",
    "open_files",
    "stage_folder",
]

_STAGES = "stages"


@dataclass(frozen=True, slots=True)
class FilePlace:
    """A place of files in a statement.

    Attributes:
        location: the path in the statement, or the folder of a stage to list.
        reach: which paths the statement may name.
        shown: the location in results and errors.
        prefix: how the paths below a stage's folder begin; None for a path, which may be a file, a
            folder or a pattern.
        may_be_missing: whether a missing folder has no files, and is no error.
        named: how an error names a place that the statement does not have itself, as the beginning
            of a sentence: a guest does not learn where a stage is. Empty for a path.
    """

    location: str
    reach: PathPolicy = ALLOW_ALL
    shown: str = ""
    prefix: str | None = None
    may_be_missing: bool = False
    named: str = ""

    def base(self, resolved: ResolvedPath) -> str:
        """Return the path to which the names of FILES are relative."""
        return f"{resolved.path}/{self.prefix}" if self.prefix else resolved.path

    def validate_name(self, name: str) -> None:
        """Refuse a name of FILES that may lead out of a stage, or of a guest's place.

        Raises:
            FileRefused: the name has `..`, or what some file system may read so.
        """
        self.reach.validate_no_steps_up(name)
        if self.prefix is not None:
            refuse_steps_up(name, name)

    def resolve(self, iceberg: Iceberg) -> ResolvedPath:
        """Return the path to open; nothing is opened yet.

        Raises:
            FileRefused: the session may not name the place, or the location is none.
        """
        resolved = self.reach.resolve(self.location, hadoop_locations(iceberg), self.named)
        return replace(resolved, given=self.shown) if self.shown else resolved


def find_place(core: Core, written: str | StagePath, *, is_folder: bool = False) -> FilePlace:
    """Return the place that a statement names.

    Files of a stage are chosen by the beginning of their path: `@s/2024` has `2024.csv` and
    `2024/a.csv`. The place is the last folder of the path, and a prefix.

    Args:
        core: the session's parts.
        written: the place in the statement.
        is_folder: whether the whole path is a folder, which the statement writes.

    Raises:
        ObjectNotFound: there is no such stage.
        FileRefused: the path has `..`.
    """
    if isinstance(written, str):
        return FilePlace(written, core.reach)
    stage = core.object_of(StageRecord, written.stage)
    return find_place_in(core, stage, written, is_folder=is_folder)


def find_place_in(
    core: Core,
    stage: StageRecord,
    written: StagePath,
    *,
    is_folder: bool = False,
    reader: str = "",
) -> FilePlace:
    """Return the place that a path in a stage names, as `find_place`.

    Args:
        core: the session's parts.
        stage: the stage.
        written: the path in the stage.
        is_folder: as for `find_place`.
        reader: the object for which the stage is read, as `pipe 'main.public.p'`, for errors; empty
            where the statement names the stage.
    """
    core.reach.validate_no_steps_up(written.path)
    inner, _, prefix = written.path.rpartition("/")
    if is_folder:
        inner, prefix = written.path.rstrip("/"), ""
    refuse_steps_up(written.path, str(written))
    folder = stage_folder(core, stage)
    location = f"{folder.rstrip('/')}/{inner}" if inner else folder
    shown = f"@{written.stage}/{inner}" if inner else f"@{written.stage}"
    is_in_warehouse = stage.url is None
    if core.reach.locations is None:
        return FilePlace(location, prefix=prefix, may_be_missing=is_in_warehouse)
    # guests reach no other file of the lake
    reach = PathPolicy((folder,)) if is_in_warehouse else core.reach
    return FilePlace(location, reach, shown, prefix, is_in_warehouse, name_stage(stage, reader))


def name_stage(stage: StageRecord, reader: str = "") -> str:
    """Return the beginning of a sentence about the place of a stage, without the place itself.

    Args:
        stage: the stage.
        reader: as for `find_place_in`.
    """
    named = f"Stage {str(stage.name)!r}"
    return f"{named}, which {reader} reads," if reader else named


def refuse_steps_up(path: str, written: str) -> None:
    """Refuse a path in a stage that leads out of the stage.

    Raises:
        FileRefused: the path has `..`; the message has `written`.
    """
    if ".." in path.split("/"):
        raise FileRefused(
            f"Path {shorten(written)} has '..' in it.", hint="Name files of the stage."
        ).about_statement()


def stage_folder(core: Core, stage: StageRecord) -> str:
    """Return the location of a stage's files."""
    return stage.url or f"{core.database.warehouse}/{_STAGES}/{stage.object_id}"


def open_files(
    iceberg: Iceberg, place: FilePlace, raise_if_cancelled: Callable[[], None]
) -> tuple[ResolvedPath, PlaceFiles]:
    """Return the path to open for a place, and the place's files.

    Args:
        iceberg: the connection to Iceberg, and through it to Hadoop.
        place: the place.
        raise_if_cancelled: raises where the statement was cancelled.

    Raises:
        FileRefused: the session may not name the place, or the location is none.
    """
    resolved = place.resolve(iceberg)
    hadoop = hadoop_locations(iceberg)
    named = place.named or f"Path {shorten(resolved.given)}"
    validate = partial(place.reach.validate_inside, named=named, hadoop=hadoop)
    checks = PlaceChecks(validate, raise_if_cancelled)
    return resolved, open_place(resolved, hadoop_files(iceberg), checks)
