"""SHOW TABLES, SHOW OBJECTS and SHOW COLUMNS."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from icemelt.catalog.defined_records import ExternalTableRecord
from icemelt.catalog.records import ListedTable, Listing, TableRecord, ViewRecord, Wanted
from icemelt.errors import FileDamaged
from icemelt.names import QualifiedName, fold
from icemelt.schema import Column, sql_type
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.result import LocalRows
from icemelt.session.show.show_scope import choose_records, dropped_values, find_scope
from icemelt.sql.statements import Show
from icemelt.times import as_datetime

__all__ = [
    "COLUMN_COLUMNS",
    "OBJECT_COLUMNS",
    "TABLE_COLUMNS",
    "column_row",
    "columns_by_name",
    "object_row",
    "show_columns",
    "show_objects",
    "show_tables",
    "table_row",
    "views_and_external_tables",
]

TABLE_COLUMNS = (
    "created_on",
    "name",
    "database_name",
    "schema_name",
    "kind",
    "comment",
    "rows",
    "bytes",
    "owner",
    "retention_time",
    "change_tracking",
)
COLUMN_COLUMNS = (
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
OBJECT_COLUMNS = (*TABLE_COLUMNS[:-1], "owner_role_type")
_TERSE_COLUMNS = ("created_on", "name", "kind", "database_name", "schema_name")
_TABLES = {TableRecord.kind}
_OBJECTS = {TableRecord.kind, ViewRecord.kind, ExternalTableRecord.kind}


def show_tables(core: Core, statement: Show) -> LocalRows:
    """Run SHOW TABLES, with HISTORY of the dropped tables, too (Snowflake, *SHOW TABLES*)."""
    wanted = Wanted(
        frozenset(_TABLES), find_scope(core, statement).within, with_dropped=statement.history
    )
    found = core.resolver.list_objects(wanted).tables
    listed = choose_records(found, statement, lambda each: each.table.name.name)
    if statement.terse:
        return _list_tersely([table_row(each) for each in listed])
    rows = []
    for each in listed:
        *values, tracking = table_row(each)
        rows.append((*values, *dropped_values(statement, each.table), tracking))
    *names, tracking = TABLE_COLUMNS
    dropped = ("dropped_on",) if statement.history else ()
    return LocalRows((*names, *dropped, tracking), tuple(rows))


def show_objects(core: Core, statement: Show) -> LocalRows:
    """Run SHOW OBJECTS: tables and views together (Snowflake, *SHOW OBJECTS*)."""
    within = find_scope(core, statement).within
    listing = core.resolver.list_objects(Wanted(frozenset(_OBJECTS), within))
    rows = [(*table_row(each)[:-1], "ROLE") for each in listing.tables]
    rows += map(object_row, views_and_external_tables(listing))
    rows.sort(key=lambda row: tuple(map(fold, (row[2], row[3], row[1]))))
    chosen = choose_records(rows, statement, lambda row: str(row[1]))
    return _list_tersely(chosen) if statement.terse else LocalRows(OBJECT_COLUMNS, tuple(chosen))


def show_columns(core: Core, statement: Show) -> LocalRows:
    """Run SHOW COLUMNS: the columns of tables and views, or of what is named after IN."""
    scope = find_scope(core, statement, of_tables=True)
    if scope.table is not None:
        full = core.full(scope.table)
        named = [(full, core.columns_in(core.resolve([full]), full) or ())]
    else:
        wanted = Wanted(frozenset(_OBJECTS), scope.within)
        named = list(columns_by_name(core, core.resolver.list_objects(wanted)))
    pairs = [(name, column) for name, columns in named for column in columns]
    chosen = choose_records(pairs, statement, lambda pair: pair[1].name)
    return LocalRows(COLUMN_COLUMNS, tuple(column_row(name, column) for name, column in chosen))


def table_row(listed: ListedTable) -> tuple[Any, ...]:
    """Return a table's row of SHOW TABLES."""
    table = listed.table
    return (
        as_datetime(table.created_at),
        table.name.name,
        table.name.database,
        table.name.schema,
        "TABLE" if table.session_id is None else "TEMPORARY",
        table.comment or "",
        listed.total_rows,
        listed.total_bytes,
        table.owner,
        str(table.retention_days),
        "ON" if listed.is_tracked else "OFF",
    )


def columns_by_name(
    core: Core, listing: Listing
) -> Iterator[tuple[QualifiedName, Sequence[Column]]]:
    """Yield the tables of a listing, the views and the external tables, each with its columns.

    A table whose metadata is lost has no columns.
    """
    for listed in listing.tables:
        try:
            yield listed.table.name, core.metadata(listed.table).columns
        except FileDamaged:
            continue
    for record in views_and_external_tables(listing):
        yield record.name, record.columns


def views_and_external_tables(listing: Listing) -> list[ViewRecord | ExternalTableRecord]:
    """Return the objects of a listing that have columns and no rows of their own."""
    return [*listing.views, *listing.of(ExternalTableRecord)]


def column_row(name: QualifiedName, column: Column) -> tuple[Any, ...]:
    """Return a column's row of SHOW COLUMNS; `name` is its table's or view's."""
    return (
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


def object_row(found: ViewRecord | ExternalTableRecord) -> tuple[Any, ...]:
    """Return a row of SHOW OBJECTS of what has no size and no retention."""
    name, created = found.name, as_datetime(found.created_at)
    place = (created, name.name, name.database, name.schema)
    kind, comment = found.kind.upper(), found.comment or ""
    return (*place, kind, comment, None, None, found.owner, None, "ROLE")


def _list_tersely(rows: Sequence[tuple[Any, ...]]) -> LocalRows:
    """Return the columns of SHOW TERSE of rows of SHOW TABLES or SHOW OBJECTS."""
    terse = ((created, name, kind, *place) for created, name, *place, kind in (r[:5] for r in rows))
    return LocalRows(_TERSE_COLUMNS, tuple(terse))
