"""CREATE STAGE and ALTER STAGE, with the directory table of the stage."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from icemelt.catalog.defined_records import StageRecord
from icemelt.catalog.edits import Edit
from icemelt.errors import DefinitionRefused, FileRefused
from icemelt.names import QualifiedName, find_nearest
from icemelt.session.ddl.lifecycle import (
    DONE,
    AlterPlan,
    CreatePlace,
    CreatePlan,
    alter_object,
    create_object,
    make_defined,
    plan_alteration,
    plan_rename,
    redefine_object,
)
from icemelt.session.ddl.refreshing import nothing_refreshed, register, tell_unlisted
from icemelt.session.files.file_places import name_stage
from icemelt.session.files.named_formats import find_file_format, validate_format_options
from icemelt.session.files.stage_listing import (
    FoundListing,
    directory_of,
    find_listing,
    find_removal,
    require_directory,
)
from icemelt.session.runtime.core import Core, History, new_id
from icemelt.session.runtime.result import LocalRows
from icemelt.session.runtime.stores import hadoop_locations
from icemelt.sql import statements as s
from icemelt.storage.locations import local_form
from icemelt.transactions.pending import Attempt

__all__ = ["alter_stage", "create_stage", "refresh_stage"]

_UNSET = ("COMMENT", "FILE_FORMAT")


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
        edit = make_defined(stage, place.schema_id, session_id)
        if not lists:
            return CreatePlan((edit,))
        listing = tell_unlisted(stage, find_listing(core, directory_of(stage)))
        return CreatePlan((edit,) if listing.is_empty else (edit, listing))

    def alter(_attempt: Attempt, found: StageRecord) -> AlterPlan:
        if (found.url is None) != (new.url is None):
            raise _other_kind_of_place(found)
        wanted = replace(new, object_id=found.object_id)
        edits = _redefine(core, found, wanted)
        return plan_alteration(found, edits)

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
                return plan_rename(core, found, to)
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
        return nothing_refreshed(core, history)

    stage = core.object_of(StageRecord, statement.name)

    def find() -> FoundListing:
        found = core.object_of(StageRecord, statement.name)
        require_directory(found)
        return find_listing(core, directory_of(found), statement.subpath)

    return register(core, stage.object_id, history, find)


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
        named = "" if properties.url is not None else name_stage(stage)
        core.reach.resolve(stage.url, hadoop_locations(core.iceberg), named)
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
