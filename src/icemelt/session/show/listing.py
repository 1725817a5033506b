"""SHOW, DESCRIBE and the history, as rows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial

from icemelt.catalog.activity_records import StatementRecord
from icemelt.catalog.defined_records import ExternalTableRecord
from icemelt.catalog.queries import reading
from icemelt.catalog.queries.listings import listings_between
from icemelt.catalog.queries.reading import (
    containers,
    tables,
)
from icemelt.catalog.queries.versions import versions_between
from icemelt.catalog.records import (
    ContainerRecord,
    FileOwner,
    InformationRecord,
    TableRecord,
    ViewRecord,
)
from icemelt.errors import CatalogReadOnly
from icemelt.names import ObjectName
from icemelt.observe.emitting import tolerate
from icemelt.schema import Column, sql_type
from icemelt.session.ddl.constraints import find_unique_columns
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.current import full_schema
from icemelt.session.runtime.information_columns import columns_of_relation
from icemelt.session.runtime.result import LocalRows
from icemelt.session.show.channels import show_channels
from icemelt.session.show.containers import show_databases, show_schemas
from icemelt.session.show.external_tables import describe_external_table, show_external_tables
from icemelt.session.show.file_formats import describe_file_format, show_file_formats
from icemelt.session.show.functions import (
    describe_function,
    show_all_functions,
    show_builtin_functions,
    show_functions,
)
from icemelt.session.show.keys import show_foreign_keys, show_keys
from icemelt.session.show.parameters import show_parameters
from icemelt.session.show.pipes import describe_pipe, show_pipes
from icemelt.session.show.sequences import describe_sequence, show_sequences
from icemelt.session.show.show_scope import flag
from icemelt.session.show.stages import describe_stage, show_stages
from icemelt.session.show.streams import (
    describe_stream,
    show_locks,
    show_streams,
    show_transactions,
)
from icemelt.session.show.table_streams import describe_table_stream, show_table_streams
from icemelt.session.show.tables import show_columns, show_objects, show_tables
from icemelt.session.show.tasks import describe_task, show_tasks
from icemelt.session.show.variables import show_variables
from icemelt.session.show.views import show_views
from icemelt.sql.statements import Describe, DescribeHistory, ObjectKind, Show
from icemelt.times import as_datetime

__all__ = ["describe", "describe_history", "is_in_history", "show", "statement_history"]

_DESCRIBE_COLUMNS = (
    "name",
    "type",
    "kind",
    "null?",
    "default",
    "primary key",
    "unique key",
    "comment",
)
_HISTORY_COLUMNS = (
    "version",
    "time",
    "total_rows",
    "total_bytes",
    "user",
    "operation",
    "statement_id",
    "rows_inserted",
    "rows_updated",
    "rows_deleted",
)


def show(core: Core, statement: Show) -> LocalRows:
    """Run SHOW; tables that foreign engines created are included.

    Raises:
        ObjectNotFound: the object after IN does not exist.
    """
    _adopt_tables(core)
    return _SHOW_FUNCTIONS[statement.what](core, statement)


def describe(core: Core, statement: Describe) -> LocalRows:
    """Run DESCRIBE of an object.

    The result has the columns of a table or view, a stream's row of SHOW STREAMS, a pipe's of SHOW
    PIPES, a task's of SHOW TASKS, the tables of a schema, the schemas of a database, or the
    properties of a file format or a stage. DESCRIBE TABLE accepts a view, as in Snowflake.
    """
    if statement.is_table_stream:
        return describe_table_stream(core, statement)
    if statement.kind is ObjectKind.STREAM:
        return describe_stream(core, statement)
    if statement.kind in {ObjectKind.TABLE, ObjectKind.VIEW}:
        return _describe_readable(core, statement)
    describe_named = _DESCRIBE_FUNCTIONS.get(statement.kind)
    if describe_named is not None:
        return describe_named(core, statement.name)
    return _describe_container(core, statement)


def _describe_readable(core: Core, statement: Describe) -> LocalRows:
    """Return the columns of a table, a view or a relation of INFORMATION_SCHEMA."""
    full = core.full(statement.name)
    found = core.find([full]).objects.get(full)
    if isinstance(found, ExternalTableRecord) and statement.kind is ObjectKind.TABLE:
        return describe_external_table(core, statement.name)
    if isinstance(found, InformationRecord):
        return _column_rows(columns_of_relation(found.name.name), set())
    if statement.kind is ObjectKind.VIEW or isinstance(found, ViewRecord):
        return _column_rows(core.view(statement.name).columns, set())
    return _describe_table(core, statement.name)


def _describe_container(core: Core, statement: Describe) -> LocalRows:
    """Return the tables of a schema, or the schemas of a database."""
    _adopt_tables(core)
    if statement.kind is ObjectKind.SCHEMA:
        schema = core.schema_of(*full_schema(core, statement.name))
        with core.database.read() as connection:
            inside: Sequence[TableRecord | ContainerRecord] = tables(
                connection,
                core.database,
                session_id=core.session_id,
                within=(schema.database_name, schema.name),
            )
    else:
        database = core.database_of(str(statement.name))
        with core.database.read() as connection:
            inside = containers(connection, database.name)
    kind = "TABLE" if statement.kind is ObjectKind.SCHEMA else "SCHEMA"
    rows = tuple((as_datetime(record.created_at), _name(record), kind) for record in inside)
    return LocalRows(("created_on", "name", "kind"), rows)


def describe_history(core: Core, statement: DescribeHistory) -> LocalRows:
    """Run DESC HISTORY: the versions of a table, or the listings of files, newest first.

    Raises:
        WrongObjectKind: the object has no versions, as a view.
    """
    state = core.resolve([core.full(statement.name)])
    found = state.objects[core.full(statement.name)]
    with core.database.read() as connection:
        if isinstance(found, FileOwner):
            until = state.moment.commit_number
            versions = listings_between(connection, found.object_id, -1, until)
        else:
            table = core.table_in(state, statement.name)
            versions = versions_between(connection, table.object_id, -1)
    newest = versions[::-1][: statement.limit]
    rows = tuple(
        (
            version.version,
            as_datetime(version.moment.time),
            version.total_rows,
            version.total_bytes,
            version.user,
            version.operation,
            version.statement_id,
            version.inserted,
            version.updated,
            version.deleted,
        )
        for version in newest
    )
    return LocalRows(_HISTORY_COLUMNS, rows)


def statement_history(core: Core, limit: int = 100) -> list[StatementRecord]:
    """Return the latest statements of all sessions, newest first."""
    with core.database.read() as connection:
        return reading.statement_history(connection, limit=limit)


def is_in_history(core: Core, statement_id: str) -> bool:
    """Tell whether the history has a statement."""
    with core.database.read() as connection:
        return reading.statement(connection, statement_id) is not None


def _adopt_tables(core: Core) -> None:
    with tolerate(CatalogReadOnly, to="adopt what other engines did"):
        core.newest.adopt_tables()


def _describe_table(core: Core, name: ObjectName) -> LocalRows:
    metadata = core.metadata(core.table(name))
    key = metadata.key
    in_key = set() if key is None else set(metadata.key_columns(key))
    return _column_rows(metadata.columns, in_key, find_unique_columns(metadata))


def _column_rows(
    columns: Sequence[Column], in_key: set[str], in_unique: Collection[str] = ()
) -> LocalRows:
    rows = tuple(
        (
            column.name,
            sql_type(column.type),
            "COLUMN",
            flag(column.nullable),
            column.default,
            flag(column.name in in_key),
            flag(column.name in in_unique),
            column.comment,
        )
        for column in columns
    )
    return LocalRows(_DESCRIBE_COLUMNS, rows)


def _name(record: TableRecord | ContainerRecord) -> str:
    return record.name.name if isinstance(record, TableRecord) else record.name


# the kinds of objects that are described by their names alone
_DESCRIBE_FUNCTIONS: Mapping[ObjectKind, Callable[[Core, ObjectName], LocalRows]] = {
    ObjectKind.EXTERNAL_TABLE: describe_external_table,
    ObjectKind.FILE_FORMAT: describe_file_format,
    ObjectKind.FUNCTION: describe_function,
    ObjectKind.PIPE: describe_pipe,
    ObjectKind.SEQUENCE: describe_sequence,
    ObjectKind.STAGE: describe_stage,
    ObjectKind.TASK: describe_task,
}
_SHOW_FUNCTIONS: Mapping[str, Callable[[Core, Show], LocalRows]] = {
    "BUILTIN FUNCTIONS": show_builtin_functions,
    "CHANNELS": show_channels,
    "COLUMNS": show_columns,
    "DATABASES": show_databases,
    "EXTERNAL TABLES": show_external_tables,
    "FILE FORMATS": show_file_formats,
    "FUNCTIONS": show_all_functions,
    "STAGES": show_stages,
    "PARAMETERS": show_parameters,
    "PIPES": show_pipes,
    "EXPORTED KEYS": partial(show_foreign_keys, of_imported=False),
    "IMPORTED KEYS": partial(show_foreign_keys, of_imported=True),
    "LOCKS": lambda core, _: show_locks(core),
    "PRIMARY KEYS": partial(show_keys, of_unique=False),
    "UNIQUE KEYS": partial(show_keys, of_unique=True),
    "OBJECTS": show_objects,
    "SCHEMAS": show_schemas,
    "SEQUENCES": show_sequences,
    "STREAMS": show_streams,
    "TABLES": show_tables,
    "TABLE STREAMS": show_table_streams,
    "TASKS": show_tasks,
    "TRANSACTIONS": lambda core, _: show_transactions(core),
    "VARIABLES": show_variables,
    "USER FUNCTIONS": show_functions,
    "VIEWS": show_views,
}
