"""CREATE EXTERNAL TABLE and ALTER EXTERNAL TABLE."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from icemelt.catalog.defined_records import ExternalTableRecord, StageRecord
from icemelt.engine.resources import StatementResources
from icemelt.errors import DefinitionRefused, WrongObjectKind
from icemelt.names import find_nearest, fold, fold_column, validate_name
from icemelt.schema import VirtualColumn
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
from icemelt.session.ddl.refreshing import (
    FORGOTTEN,
    GONE,
    nothing_refreshed,
    register,
    tell_unlisted,
)
from icemelt.session.ddl.virtual_columns import alter_virtual_columns
from icemelt.session.files.external_files import (
    find_external_options,
    find_stage_of,
    listed_place,
)
from icemelt.session.files.file_places import name_stage
from icemelt.session.files.named_formats import find_file_format, validate_format_options
from icemelt.session.files.stage_listing import (
    FoundListing,
    ListedPlace,
    find_listing,
    find_paths,
    forget_paths,
)
from icemelt.session.files.virtual_rows import VirtualRows, record_query, virtual_rows
from icemelt.session.runtime.core import Core, History, new_id
from icemelt.session.runtime.result import LocalRows
from icemelt.session.runtime.spark_errors import translated
from icemelt.session.runtime.spark_sql import run_sql
from icemelt.session.runtime.stores import hadoop_locations
from icemelt.spark_sql.own_columns import FILENAME, METADATA_COLUMNS
from icemelt.sql import statements as s
from icemelt.transactions.pending import Attempt

__all__ = [
    "alter_external_table",
    "create_external_table",
    "refresh_external_table",
    "register_paths",
]

_UNSET = ("COMMENT",)


def create_external_table(core: Core, statement: s.CreateExternalTable, history: History) -> str:
    """Run CREATE EXTERNAL TABLE; its files are listed, unless REFRESH_ON_CREATE is FALSE.

    Args:
        core: the session's parts.
        statement: the parsed statement.
        history: makes the statement's record in the history.

    Raises:
        ObjectExists: the name is taken.
        ObjectNotFound: there is no such stage, or no file format of the name in FILE_FORMAT.
        WrongObjectKind: the stage is temporary.
        DefinitionRefused: a column's name or expression is refused, PARTITION BY names a column
            that is not computed of METADATA$FILENAME alone, or an option of FILE_FORMAT has a bad
            value.
        LoadFailed: the files cannot be listed.
        FileRefused: the session may not read there.
    """
    new = _record_of(core, statement)
    _validate_columns(core, new)

    def make(_attempt: Attempt, place: CreatePlace) -> CreatePlan:
        table = replace(new, object_id=new_id())
        edit = make_defined(table, place.schema_id)
        if not statement.refreshes_on_create:
            return CreatePlan((edit,))
        place_of_files = listed_place(table, find_stage_of(core, table))
        listing = tell_unlisted(table, find_listing(core, place_of_files))
        return CreatePlan((edit,) if listing.is_empty else (edit, listing))

    def alter(_attempt: Attempt, found: ExternalTableRecord) -> AlterPlan:
        if _place(found) != _place(new):
            raise DefinitionRefused(
                f"External table {str(found.name)!r} has its files at {found.location}, and they "
                "stay there.",
                hint=f"CREATE OR REPLACE EXTERNAL TABLE {found.name} … makes another of the name.",
            )
        edits = redefine_object(found, replace(new, object_id=found.object_id))
        return plan_alteration(found, edits)

    return create_object(core, statement, history, ExternalTableRecord, make, alter)


def alter_external_table(core: Core, statement: s.AlterExternalTable, history: History) -> str:
    """Run ALTER EXTERNAL TABLE: change the name, the columns, the options or the comment.

    Args:
        core: the session's parts.
        statement: the parsed statement.
        history: makes the statement's record in the history.

    Raises:
        ObjectNotFound: there is no such external table.
        ObjectExists: the new name is taken.
        ColumnNotFound: there is no column of a name in the statement.
        DefinitionRefused: a column is refused as by CREATE, is there already, or is one of the
            partitions, or a property cannot be unset.
    """

    def alter(_attempt: Attempt, found: ExternalTableRecord) -> AlterPlan:
        match statement.action:
            case s.RenameTable(to):
                return plan_rename(core, found, to)
            case s.SetExternalTable() as written:
                return AlterPlan(DONE, redefine_object(found, _with(core, found, written)))
            case s.UnsetOptions(names):
                _validate_unset(names)
                return AlterPlan(DONE, redefine_object(found, replace(found, comment=None)))
            case s.AddVirtualColumns() | s.DropColumns() | s.RenameColumn() as action:
                altered, said = alter_virtual_columns(core, found, action)
                if altered != found:
                    _validate_columns(core, altered)
                return AlterPlan(said or DONE, redefine_object(found, altered))

    return alter_object(core, statement, history, ExternalTableRecord, alter)


def refresh_external_table(
    core: Core, statement: s.RefreshExternalTable, history: History
) -> LocalRows:
    """Run ALTER EXTERNAL TABLE … REFRESH: list the files, and register what differs in one commit.

    The rows are the files that differ from the last listing, with Snowflake's columns.

    Args:
        core: the session's parts.
        statement: the parsed statement.
        history: makes the statement's record in the history.

    Raises:
        ObjectNotFound: there is no such external table, or its stage was dropped.
        LoadFailed: the folder does not exist, or cannot be read.
        FileRefused: the session may not read there.
        DefinitionRefused: the path leads out of the location.
    """
    return _register(
        core,
        statement,
        history,
        lambda place: find_listing(core, place, statement.path.lstrip("/")),
    )


def register_paths(core: Core, statement: s.RegisterPaths, history: History) -> LocalRows:
    """Run ALTER EXTERNAL TABLE … ADD FILES or REMOVE FILES: register single files, or forget them.

    Args:
        core: the session's parts.
        statement: the parsed statement.
        history: makes the statement's record in the history.

    Raises:
        ObjectNotFound: there is no such external table, or its stage was dropped.
        LoadFailed: there is no such file, or it is not registered.
        FileRefused: the session may not read there.
    """

    def find(place: ListedPlace) -> FoundListing:
        paths = [path.lstrip("/") for path in statement.paths]
        return (
            find_paths(core, place, paths) if statement.adds else forget_paths(core, place, paths)
        )

    return _register(core, statement, history, find)


def _register(
    core: Core,
    statement: s.RefreshExternalTable | s.RegisterPaths,
    history: History,
    find: Callable[[ListedPlace], FoundListing],
) -> LocalRows:
    full = core.full(statement.name)
    if statement.if_exists and full not in core.find([full]).objects:
        return nothing_refreshed(core, history)
    table = core.object_of(ExternalTableRecord, statement.name)

    def find_now() -> FoundListing:
        found = core.object_of(ExternalTableRecord, statement.name)
        return find(listed_place(found, find_stage_of(core, found)))

    # REMOVE FILES names files that may be there still
    is_forgotten = isinstance(statement, s.RegisterPaths) and not statement.adds
    removed = FORGOTTEN if is_forgotten else GONE
    return register(core, table.object_id, history, find_now, removed)


def _record_of(core: Core, statement: s.CreateExternalTable) -> ExternalTableRecord:
    """Return the external table that a statement makes, without an object id."""
    stage = core.object_of(StageRecord, statement.place.stage)
    if stage.session_id is not None:
        raise WrongObjectKind(
            f"Stage {str(stage.name)!r} is temporary: it ends with its session, an external table "
            "does not.",
            hint="Make the external table on a permanent stage.",
        )
    new = ExternalTableRecord(
        "",
        core.full(statement.name),
        core.user,
        statement.comment,
        0,
        stage.object_id,
        (stage.name.database, stage.name.schema, stage.name.name),
        statement.place.path,
        statement.pattern,
        statement.columns,
        statement.partition_by,
        stage.format_name,
        stage.file_type,
        stage.options,
        statement.skips_files,
    )
    if statement.format_name is not None:
        name = find_file_format(core, statement.format_name).name
        new = replace(new, format_name=(name.database, name.schema, name.name))
    elif statement.file_type is not None:
        validate_format_options(statement.file_type, statement.options)
        file_type, options = statement.file_type.value, statement.options
        new = replace(new, format_name=None, file_type=file_type, options=options)
    refreshes = s.SetExternalTable(refreshes_itself=statement.refreshes_itself)
    return _with(core, new, refreshes, stage)


def _with(
    core: Core,
    table: ExternalTableRecord,
    written: s.SetExternalTable,
    stage: StageRecord | None = None,
) -> ExternalTableRecord:
    """Return an external table with the properties that a statement has written."""
    if written.comment is not None:
        table = replace(table, comment=written.comment)
    if written.skips_files is not None:
        table = replace(table, skips_files=written.skips_files)
    if written.refreshes_itself is None:
        return table
    table = replace(table, refreshes_itself=written.refreshes_itself)
    stage = stage or find_stage_of(core, table)
    if stage.url is None:
        return replace(table, refresh_within=None)
    # a refresh in the background lists what this session may list
    named = name_stage(stage, f"external table {str(table.name)!r}")
    core.reach.resolve(stage.url, hadoop_locations(core.iceberg), named)
    return replace(table, refresh_within=core.reach.locations)


def _place(table: ExternalTableRecord) -> tuple[object, ...]:
    return table.stage_id, table.path, table.pattern


def _validate_columns(core: Core, table: ExternalTableRecord) -> None:
    """Refuse columns whose names or expressions are none, and partitions that are no columns."""
    seen = {"value"}
    for virtual in table.virtual_columns:
        name = virtual.column.name
        if name in METADATA_COLUMNS or name.lower().startswith("metadata$"):
            raise DefinitionRefused(
                f"Column {name!r} has a name that streams have columns of.",
                hint="Give it another name.",
            )
        validate_name("column", name)
        if fold_column(name) in seen:
            raise DefinitionRefused(
                f"External table {str(table.name)!r} has two columns {name!r}.",
                hint="VALUE is a column of each external table."
                if fold(name) == "value"
                else "Name each column once.",
            )
        seen.add(fold_column(name))
    record_query(table.virtual_columns)
    for name in table.partition_by:
        _validate_partition(table, name)
    with translated(core.spark):
        resources = StatementResources(core.iceberg)
        names = {fold(column.name) for column in table.columns}
        wanted = VirtualRows(table, find_external_options(core, table), (), names)
        try:
            run_sql(core, f"SELECT * FROM {virtual_rows(core, wanted, resources)}")
        finally:
            resources.release()


def _validate_partition(table: ExternalTableRecord, name: str) -> None:
    columns = {fold(each.column.name): each for each in table.virtual_columns}
    virtual: VirtualColumn | None = columns.get(fold(name))
    if virtual is None:
        guess = find_nearest(name, [each.column.name for each in table.virtual_columns])
        raise DefinitionRefused(
            f"PARTITION BY names {name!r}, which is no column of the external table.",
            hint=f"Did you mean {guess!r}?" if guess else "Name columns of the external table.",
        )
    (reference,) = record_query((virtual,)).references
    if not (reference.columns or frozenset()) <= {FILENAME}:
        raise DefinitionRefused(
            f"Partition column {name!r} is not computed of METADATA$FILENAME alone.",
            hint=f"{name} DATE AS (TO_DATE(SPLIT_PART(METADATA$FILENAME, '/', 1)))",
        )


def _validate_unset(names: tuple[str, ...]) -> None:
    for name in names:
        if name not in _UNSET:
            guess = find_nearest(name, _UNSET)
            raise DefinitionRefused(
                f"An external table's {name} cannot be unset.",
                hint=f"Did you mean {guess}?" if guess else "UNSET takes COMMENT.",
            )
