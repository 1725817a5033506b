"""SHOW, DESCRIBE and the history, as rows."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from icemelt.catalog.activity_records import StatementRecord
from icemelt.catalog.queries import reading
from icemelt.catalog.queries.finding import find_views
from icemelt.catalog.queries.reading import (
    DEFAULT_RETENTION_DAYS,
    containers,
    tables,
    tracking_spans,
)
from icemelt.catalog.queries.versions import version_at, versions_between
from icemelt.catalog.records import ContainerRecord, TableRecord
from icemelt.errors import CatalogReadOnly, FileDamaged
from icemelt.names import ObjectName
from icemelt.observe.emitting import tolerate
from icemelt.schema import Column, sql_type
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.current import full_schema
from icemelt.session.runtime.result import LocalRows
from icemelt.session.show.channels import show_channels
from icemelt.session.show.file_formats import describe_file_format, show_file_formats
from icemelt.session.show.show_scope import Within, choose_records, find_scope
from icemelt.session.show.stages import describe_stage, show_stages
from icemelt.session.show.streams import (
    describe_stream,
    show_locks,
    show_streams,
    show_transactions,
)
from icemelt.session.show.table_streams import describe_table_stream, show_table_streams
from icemelt.session.show.views import show_views
from icemelt.sql.statements import Describe, DescribeHistory, ObjectKind, Show
from icemelt.times import as_datetime

__all__ = ["describe", "describe_history", "is_in_history", "show", "statement_history"]

_LATEST_COMMIT = 2**62
_DATABASE_COLUMNS = ("created_on", "name", "is_default", "is_current", "origin", "owner", "comment")
_SCHEMA_COLUMNS = (
    "created_on",
    "name",
    "is_default",
    "is_current",
    "database_name",
    "owner",
    "comment",
)
_TABLE_COLUMNS = (
    "created_on",
    "name",
    "database_name",
    "schema_name",
    "kind",
    "comment",
    "rows",
    "bytes",
)
_COLUMN_COLUMNS = (
    "table_name",
    "schema_name",
    "column_name",
    "data_type",
    "null?",
    "default",
    "kind",
    "comment",
    "database_name",
)
_TERSE_COLUMNS = ("created_on", "name", "kind", "database_name", "schema_name")
_DESCRIBE_COLUMNS = ("name", "type", "kind", "null?", "default", "primary key", "comment")
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

    The result has the columns of a table or view, a stream's row of SHOW STREAMS, the tables of a
    schema, the schemas of a database, or the properties of a file format or a stage. DESCRIBE TABLE
    accepts a view, as in Snowflake.
    """
    if statement.is_table_stream:
        return describe_table_stream(core, statement)
    if statement.kind is ObjectKind.STREAM:
        return describe_stream(core, statement)
    if statement.kind is ObjectKind.FILE_FORMAT:
        return describe_file_format(core, statement.name)
    if statement.kind is ObjectKind.STAGE:
        return describe_stage(core, statement.name)
    full = core.full(statement.name)
    is_view = statement.kind is ObjectKind.VIEW
    if is_view or (statement.kind is ObjectKind.TABLE and full in core.find([full]).views):
        return _column_rows(core.view(statement.name).columns, set())
    if statement.kind is ObjectKind.TABLE:
        return _describe_table(core, statement.name)
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
    """Run DESC HISTORY: the versions of a table, newest first."""
    table = core.table(statement.name)
    with core.database.read() as connection:
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


def _show_databases(core: Core, statement: Show) -> LocalRows:
    with core.database.read() as connection:
        databases = containers(connection, dropped=statement.history)
    databases = choose_records(databases, statement, _name)
    if statement.terse:
        rows = [
            (as_datetime(database.created_at), database.name, "STANDARD", None, None)
            for database in databases
        ]
        return LocalRows(_TERSE_COLUMNS, tuple(rows))
    return LocalRows(
        (*_DATABASE_COLUMNS, "options", "retention_time", *_dropped_columns(statement)),
        tuple(
            (
                as_datetime(database.created_at),
                database.name,
                "N",
                _flag(database.name == core.settings.database and database.dropped_at is None),
                "",
                database.owner,
                database.comment or "",
                "",
                _days(database, None),
                *_dropped_values(statement, database),
            )
            for database in databases
        ),
    )


def _show_schemas(core: Core, statement: Show) -> LocalRows:
    database = find_scope(core, statement).within[0]
    found: list[tuple[ContainerRecord, ContainerRecord]] = []
    with core.database.read() as connection:
        for parent in containers(connection):
            if database in {None, parent.name}:
                inside = containers(connection, parent.name, dropped=statement.history)
                found += [(schema, parent) for schema in inside]
    listed = choose_records(found, statement, lambda pair: pair[0].name)
    if statement.terse:
        rows = [(as_datetime(s.created_at), s.name, None, p.name, None) for s, p in listed]
        return LocalRows(_TERSE_COLUMNS, tuple(rows))
    current = (core.settings.database, core.settings.schema)
    return LocalRows(
        (*_SCHEMA_COLUMNS, "options", "retention_time", *_dropped_columns(statement)),
        tuple(
            (
                as_datetime(schema.created_at),
                schema.name,
                "N",
                _flag((parent.name, schema.name) == current and schema.dropped_at is None),
                parent.name,
                schema.owner,
                schema.comment or "",
                "",
                _days(schema, parent),
                *_dropped_values(statement, schema),
            )
            for schema, parent in listed
        ),
    )


def _show_tables(core: Core, statement: Show) -> LocalRows:
    within = find_scope(core, statement).within
    records = choose_records(_tables(core, within, dropped=statement.history), statement, _name)
    if statement.terse:
        rows = [_terse_table(table) for table in records]
        return LocalRows(_TERSE_COLUMNS, tuple(rows))
    with core.database.read() as connection:
        rows = []
        for table in records:
            last = version_at(connection, table.object_id, _LATEST_COMMIT)
            spans = tracking_spans(connection, table.object_id)
            tracked = any(span.until_commit is None for span in spans)
            rows.append(
                (
                    *_terse_table(table)[:2],
                    table.name.database,
                    table.name.schema,
                    _table_kind(table),
                    table.comment or "",
                    None if last is None else last.total_rows,
                    None if last is None else last.total_bytes,
                    table.owner,
                    str(table.retention_days),
                    *_dropped_values(statement, table),
                    "ON" if tracked else "OFF",
                )
            )
    names = (
        *_TABLE_COLUMNS,
        "owner",
        "retention_time",
        *_dropped_columns(statement),
        "change_tracking",
    )
    return LocalRows(names, tuple(rows))


def _show_columns(core: Core, statement: Show) -> LocalRows:
    scope = find_scope(core, statement, of_tables=True)
    if scope.table is not None:
        full = core.full(scope.table)
        columns_by_name = [(full, core.columns_in(core.resolve([full]), full) or ())]
    else:
        columns_by_name = [
            (t.name, _columns(core, t)) for t in _tables(core, scope.within, dropped=False)
        ]
        with core.database.read() as connection:
            views = find_views(connection, within=scope.within)
        columns_by_name += [(view.name, view.columns) for view in views]
    pairs = [(name, column) for name, columns in columns_by_name for column in columns]
    rows = tuple(
        (
            name.name,
            name.schema,
            column.name,
            sql_type(column.type),
            "true" if column.nullable else "NOT_NULL",
            column.default,
            "COLUMN",
            column.comment or "",
            name.database,
        )
        for name, column in choose_records(pairs, statement, lambda pair: pair[1].name)
    )
    return LocalRows(_COLUMN_COLUMNS, rows)


def _describe_table(core: Core, name: ObjectName) -> LocalRows:
    metadata = core.metadata(core.table(name))
    key = metadata.key
    in_key = set() if key is None else set(metadata.key_columns(key))
    return _column_rows(metadata.columns, in_key)


def _column_rows(columns: Sequence[Column], in_key: set[str]) -> LocalRows:
    rows = tuple(
        (
            column.name,
            sql_type(column.type),
            "COLUMN",
            _flag(column.nullable),
            column.default,
            _flag(column.name in in_key),
            column.comment,
        )
        for column in columns
    )
    return LocalRows(_DESCRIBE_COLUMNS, rows)


def _tables(core: Core, within: Within, *, dropped: bool) -> list[TableRecord]:
    """Return tables in their current state.

    Tables that foreign engines changed are adopted first.
    """

    def read_tables() -> list[TableRecord]:
        with core.database.read() as connection:
            records = tables(
                connection,
                core.database,
                session_id=core.session_id,
                within=within,
                dropped=dropped,
            )
        return [t for t in records if t.pointer is not None or t.dropped_at is not None]

    records = read_tables()
    moved = [t.name for t in records if t.pointer not in {None, t.known_location}]
    if not moved:
        return records
    core.newest.resolve(moved)
    return read_tables()


def _columns(core: Core, table: TableRecord) -> Sequence[Column]:
    """Return a table's columns, or none if the metadata is lost: SHOW goes on."""
    try:
        return core.metadata(table).columns
    except FileDamaged:
        return ()


def _name(record: TableRecord | ContainerRecord) -> str:
    return record.name.name if isinstance(record, TableRecord) else record.name


def _terse_table(table: TableRecord) -> tuple[Any, ...]:
    name = table.name
    return (
        as_datetime(table.created_at),
        name.name,
        _table_kind(table),
        name.database,
        name.schema,
    )


def _table_kind(table: TableRecord) -> str:
    return "TABLE" if table.session_id is None else "TEMPORARY"


def _days(record: ContainerRecord, parent: ContainerRecord | None) -> str:
    days = record.retention_days
    if days is None and parent is not None:
        days = parent.retention_days
    return str(DEFAULT_RETENTION_DAYS if days is None else days)


def _dropped_columns(statement: Show) -> tuple[str, ...]:
    return ("dropped_on",) if statement.history else ()


def _dropped_values(
    statement: Show, record: TableRecord | ContainerRecord
) -> tuple[datetime.datetime | None, ...]:
    if not statement.history:
        return ()
    return (None if record.dropped_at is None else as_datetime(record.dropped_at),)


def _flag(value: object) -> str:
    return "Y" if value else "N"


_SHOW_FUNCTIONS: Mapping[str, Callable[[Core, Show], LocalRows]] = {
    "CHANNELS": show_channels,
    "COLUMNS": _show_columns,
    "DATABASES": _show_databases,
    "FILE FORMATS": show_file_formats,
    "STAGES": show_stages,
    "LOCKS": lambda core, _: show_locks(core),
    "SCHEMAS": _show_schemas,
    "STREAMS": show_streams,
    "TABLES": _show_tables,
    "TABLE STREAMS": show_table_streams,
    "TRANSACTIONS": lambda core, _: show_transactions(core),
    "VIEWS": show_views,
}
