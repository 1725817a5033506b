"""CREATE STAGE and ALTER STAGE, with the directory table of the stage."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from pathlib import Path

from icemelt.catalog.defined_records import StageRecord
from icemelt.catalog.edits import Edit, MakeDefined, Options, RegisterFiles
from icemelt.catalog.queries.finding import find_defined
from icemelt.errors import Conflict, DefinitionRefused, FileRefused, LoadFailed, NotYet
from icemelt.names import QualifiedName, find_nearest
from icemelt.observe.emitting import tolerate
from icemelt.session.ddl.lifecycle import (
    DONE,
    AlterPlan,
    CreatePlace,
    CreatePlan,
    alter_object,
    create_object,
    describe_alteration,
    redefine_object,
    rename_object,
)
from icemelt.session.files.named_formats import find_file_format, validate_format_options
from icemelt.session.files.stage_listing import (
    FoundListing,
    find_listing,
    find_removal,
    require_directory,
)
from icemelt.session.runtime.core import Core, History, new_id
from icemelt.session.runtime.path_policy import PathPolicy
from icemelt.session.runtime.result import LocalRows
from icemelt.session.runtime.stores import hadoop_locations
from icemelt.sql import statements as s
from icemelt.sql.dialect.written_names import full_name
from icemelt.storage.locations import local_form
from icemelt.transactions.pending import Attempt, Pending
from icemelt.transactions.transaction import hold_reservation

__all__ = ["alter_stage", "create_stage", "refresh_stage", "refresh_stages"]

_UNSET = ("COMMENT", "FILE_FORMAT")
_REFRESH_COLUMNS = ("file", "status", "description")
_NEW = ("REGISTERED_NEW", "The file is new.")
_UPDATED = ("REGISTERED_UPDATE", "The file has changed.")
_GONE = ("UNREGISTERED", "The file is gone.")
_SKIPPED = "REGISTER_SKIPPED"


def create_stage(core: Core, statement: s.CreateStage, history: History) -> str:
    """Run CREATE STAGE.

    Args:
        core: the session's parts.
        statement: the parsed statement.
        history: makes the statement's record in the history.

    Raises:
        ObjectExists: the name is taken.
        ObjectNotFound: there is no file format of the name in FILE_FORMAT.
        FileRefused: the session may not name the location, or the location is none.
        LoadFailed: the files of the new directory table cannot be listed.
        DefinitionRefused: an option of FILE_FORMAT is unknown, or has a bad value; or CREATE OR
            ALTER would move the stage between the warehouse and a location.
    """
    session_id = core.session_id if statement.temporary else None
    unset = StageRecord("", core.full(statement.name), core.user, None, 0, session_id=session_id)
    new = _with(core, unset, statement.properties)

    lists = new.has_directory and statement.properties.refreshes_on_create is not False

    def make(_attempt: Attempt, place: CreatePlace) -> CreatePlan:
        stage = replace(new, object_id=new_id())
        edit = MakeDefined(
            stage.object_id,
            place.schema_id,
            StageRecord.kind,
            place.name.name,
            new.definition,
            Options(comment=new.comment),
            session_id,
        )
        if not lists:
            return CreatePlan((edit,))
        listing = _tell_unlisted(stage, find_listing(core, stage))
        return CreatePlan((edit,) if listing.is_empty else (edit, listing))

    def alter(_attempt: Attempt, found: StageRecord) -> AlterPlan:
        if (found.url is None) != (new.url is None):
            raise _other_kind_of_place(found)
        wanted = replace(new, object_id=found.object_id)
        edits = _redefine(core, found, wanted)
        said = describe_alteration(found.name, found.kind, is_altered=bool(edits))
        return AlterPlan(said, edits)

    return create_object(core, statement, history, StageRecord, make, alter)


def alter_stage(core: Core, statement: s.AlterStage, history: History) -> str:
    """Run ALTER STAGE: change the name, the location, the file format or the comment.

    Args:
        core: the session's parts.
        statement: the parsed statement.
        history: makes the statement's record in the history.

    Raises:
        ObjectNotFound: there is no such stage, or no file format of the name in FILE_FORMAT.
        ObjectExists: the new name is taken.
        FileRefused: the session may not name the location, or the location is none.
        DefinitionRefused: the stage is in the warehouse and has no location, a property cannot be
            unset, or an option of FILE_FORMAT is unknown or has a bad value.
    """

    def alter(_attempt: Attempt, found: StageRecord) -> AlterPlan:
        match statement.action:
            case s.RenameTable(to):
                wanted = to.within(found.name.database, found.name.schema)
                edit, said = rename_object(core, found, wanted)
                return AlterPlan(said, (edit,))
            case s.SetStage(properties):
                if properties.url is not None and found.url is None:
                    raise _other_kind_of_place(found)
                return AlterPlan(DONE, _redefine(core, found, _with(core, found, properties)))
            case s.UnsetOptions(names):
                return AlterPlan(DONE, redefine_object(found, _without(found, names)))

    return alter_object(core, statement, history, StageRecord, alter)


def refresh_stage(core: Core, statement: s.RefreshStage, history: History) -> LocalRows:
    """Run ALTER STAGE … REFRESH: list the files, and register what differs in one commit.

    The rows are the files that differ from the last listing, with Snowflake's columns. A listing
    that finds no difference publishes nothing.

    Args:
        core: the session's parts.
        statement: the parsed statement.
        history: makes the statement's record in the history.

    Raises:
        ObjectNotFound: there is no such stage.
        WrongObjectKind: the stage has no directory table.
        LoadFailed: the stage's folder does not exist, or cannot be read.
        FileRefused: the session may not read there, or SUBPATH leads out of the stage.
    """
    full = core.full(statement.name)
    if statement.if_exists and full not in core.find([full]).objects:
        core.record(history.record("succeeded"))
        return LocalRows(_REFRESH_COLUMNS, ())

    def work(_attempt: Attempt) -> Pending[LocalRows]:
        stage = core.object_of(StageRecord, statement.name)
        require_directory(stage)
        found = find_listing(core, stage, statement.subpath)
        listing = found.edit
        files = [
            *((file.path, *_NEW) for file in listing.added),
            *((change.path, *_UPDATED) for change in listing.changed),
            *((file.path, *_GONE) for file in listing.removed),
            *((file.path, _SKIPPED, file.reason) for file in found.unlisted),
        ]
        edits = () if listing.is_empty else (listing,)
        record = partial(history, len(files) - len(found.unlisted))
        return Pending(LocalRows(_REFRESH_COLUMNS, tuple(files)), record, edits=edits)

    with _one_at_a_time(core, core.object_of(StageRecord, statement.name)):
        return core.outcome(work, history)


def refresh_stages(core: Core) -> dict[str, int]:
    """Register what listings of the stages with AUTO_REFRESH find.

    The history gets no statements. A stage whose files cannot be listed is left for the next time,
    and an event tells why. Places are those of the session that has chosen the stage's folder.

    Returns:
        how many files were found new, changed or gone, by the name of the stage.
    """
    with core.database.read() as connection:
        stages = find_defined(connection, StageRecord)
    counts = {}
    for stage in stages:
        if not (stage.has_directory and stage.refreshes_itself):
            continue
        to = f"refresh the directory table of stage {stage.name}"
        with tolerate(Conflict, FileRefused, LoadFailed, NotYet, to=to):
            counts[str(stage.name)] = _refresh_by_itself(core, stage)
    return counts


def _refresh_by_itself(core: Core, stage: StageRecord) -> int:
    within = replace(core, reach=PathPolicy(stage.refresh_within))

    def work(_attempt: Attempt) -> Pending[int]:
        listing = _tell_unlisted(stage, find_listing(within, stage))
        count = len(listing.added) + len(listing.changed) + len(listing.removed)
        return Pending(count, None, edits=() if listing.is_empty else (listing,))

    with _one_at_a_time(core, stage):
        return within.run(work).outcome


def _tell_unlisted(stage: StageRecord, found: FoundListing) -> RegisterFiles:
    """Return the edit of a listing, after an event on the files that it leaves out."""
    for file in found.unlisted[:1]:
        with tolerate(NotYet, to=f"register all files of stage {stage.name}"):
            raise NotYet(
                f"{len(found.unlisted)} files are left out, as {file.path!r}: {file.reason}",
                hint=f"ALTER STAGE {full_name(stage.name)} REFRESH lists them.",
            )
    return found.edit


def _one_at_a_time(core: Core, stage: StageRecord) -> AbstractContextManager[None]:
    """Wait until nobody else lists a stage: of two listings at once one would be for nothing."""
    return hold_reservation(core.database, [stage.object_id], new_id(), core.author)


def _redefine(core: Core, found: StageRecord, altered: StageRecord) -> tuple[Edit, ...]:
    """Return the edits that alter a stage.

    The files of a directory table were in the folder of then: the next listing finds those of
    another folder.
    """
    edits = redefine_object(found, altered)
    if altered.url == found.url or not found.has_directory:
        return edits
    removal = find_removal(core, found)
    return edits if removal.is_empty else (*edits, removal)


def _with(core: Core, stage: StageRecord, properties: s.StageProperties) -> StageRecord:
    """Return a stage with the properties that a statement has written."""
    if properties.url is not None:
        stage = replace(stage, url=_location(core, properties.url))
    if properties.comment is not None:
        stage = replace(stage, comment=properties.comment)
    stage = _with_directory(core, stage, properties)
    if properties.file_type is None:
        return stage
    if properties.format_name is None:
        validate_format_options(properties.file_type, properties.options)
        file_type, options = properties.file_type.value, properties.options
        return replace(stage, format_name=None, file_type=file_type, options=options)
    name = find_file_format(core, properties.format_name).name
    parts = (name.database, name.schema, name.name)
    return replace(stage, format_name=parts, file_type=s.FileFormat.CSV.value, options={})


def _with_directory(core: Core, stage: StageRecord, properties: s.StageProperties) -> StageRecord:
    """Return a stage with the properties of DIRECTORY that a statement has written.

    Raises:
        DefinitionRefused: AUTO_REFRESH without a directory table, or of a temporary stage.
        FileRefused: the session may not list the stage's folder.
    """
    if properties.has_directory is not None:
        stage = replace(stage, has_directory=properties.has_directory)
        if not properties.has_directory:
            stage = replace(stage, refreshes_itself=False)
    if properties.refreshes_itself is not None:
        stage = replace(stage, refreshes_itself=properties.refreshes_itself)
    if stage.refreshes_itself and not stage.has_directory:
        raise DefinitionRefused(
            "AUTO_REFRESH is of a directory table, and the stage has none.",
            hint="DIRECTORY = (ENABLE = TRUE AUTO_REFRESH = TRUE)",
        )
    if stage.refreshes_itself and stage.session_id is not None:
        raise DefinitionRefused(
            "A temporary stage is not refreshed by itself.", hint="ALTER STAGE … REFRESH"
        )
    is_chosen = (properties.has_directory, properties.refreshes_itself, properties.url)
    if not stage.has_directory or not any(is_chosen):
        return stage
    if stage.url is not None:
        core.reach.resolve(stage.url, hadoop_locations(core.iceberg))
    # a refresh in the background lists what this session may list
    is_in_warehouse = stage.url is None
    return replace(stage, refresh_within=None if is_in_warehouse else core.reach.locations)


def _without(stage: StageRecord, names: tuple[str, ...]) -> StageRecord:
    """Return a stage without the properties after UNSET.

    Raises:
        DefinitionRefused: a property cannot be unset.
    """
    for name in names:
        if name not in _UNSET:
            guess = find_nearest(name, _UNSET)
            raise DefinitionRefused(
                f"A stage's {name} cannot be unset.",
                hint=f"Did you mean {guess}?" if guess else f"UNSET takes {' and '.join(_UNSET)}.",
            )
    if "COMMENT" in names:
        stage = replace(stage, comment=None)
    if "FILE_FORMAT" in names:
        stage = replace(stage, format_name=None, file_type=s.FileFormat.CSV.value, options={})
    return stage


def _location(core: Core, given: str) -> str:
    """Return the location of a new stage; a relative path starts at the working directory.

    Raises:
        FileRefused: the session may not name the location, or the location is none.
    """
    if not given.strip("/ "):
        raise FileRefused("The URL is empty.", hint="URL = '/path/of/folder'").about_statement()
    place = core.reach.resolve(given, hadoop_locations(core.iceberg))
    local = local_form(given)
    is_relative = local is not None and not Path(local).is_absolute()
    return place.path if is_relative else given


def _other_kind_of_place(stage: StageRecord) -> DefinitionRefused:
    name: QualifiedName = stage.name
    where = "in the warehouse" if stage.url is None else f"at {stage.url!r}"
    return DefinitionRefused(
        f"Stage {str(name)!r} has its files {where}, and they stay there.",
        hint=f"CREATE OR REPLACE STAGE {name} makes another stage of the name.",
    )
