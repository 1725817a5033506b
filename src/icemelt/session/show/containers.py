"""SHOW DATABASES and SHOW SCHEMAS."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from icemelt.catalog.queries.listing import SCHEMA
from icemelt.catalog.queries.reading import DEFAULT_RETENTION_DAYS
from icemelt.catalog.records import ContainerRecord, Wanted
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.result import LocalRows
from icemelt.session.show.show_scope import choose_records, dropped_values, find_scope, flag
from icemelt.sql.statements import Show
from icemelt.times import as_datetime

__all__ = [
    "DATABASE_COLUMNS",
    "SCHEMA_COLUMNS",
    "database_row",
    "live_by_name",
    "schema_row",
    "show_databases",
    "show_schemas",
]

DATABASE_COLUMNS = (
    "created_on",
    "name",
    "is_default",
    "is_current",
    "origin",
    "owner",
    "comment",
    "options",
    "retention_time",
)
SCHEMA_COLUMNS = (
    "created_on",
    "name",
    "is_default",
    "is_current",
    "database_name",
    "owner",
    "comment",
    "options",
    "retention_time",
)
_TERSE_COLUMNS = ("created_on", "name", "kind", "database_name", "schema_name")


def show_databases(core: Core, statement: Show) -> LocalRows:
    """Run SHOW DATABASES: Snowflake's columns."""
    wanted = Wanted(frozenset(), with_dropped=statement.history)
    found = core.resolver.list_objects(wanted).databases
    listed = choose_records(found, statement, lambda database: database.name)
    if statement.terse:
        rows = [
            (as_datetime(each.created_at), each.name, "STANDARD", None, None) for each in listed
        ]
        return LocalRows(_TERSE_COLUMNS, tuple(rows))
    dropped = ("dropped_on",) if statement.history else ()
    return LocalRows(
        (*DATABASE_COLUMNS, *dropped),
        tuple((*database_row(core, each), *dropped_values(statement, each)) for each in listed),
    )


def show_schemas(core: Core, statement: Show) -> LocalRows:
    """Run SHOW SCHEMAS: Snowflake's columns."""
    within = find_scope(core, statement).within
    wanted = Wanted(frozenset({SCHEMA}), (within[0], None), with_dropped=statement.history)
    listing = core.resolver.list_objects(wanted)
    listed = choose_records(listing.schemas, statement, lambda schema: schema.name)
    if statement.terse:
        rows = [
            (as_datetime(each.created_at), each.name, None, each.database_name, None)
            for each in listed
        ]
        return LocalRows(_TERSE_COLUMNS, tuple(rows))
    dropped = ("dropped_on",) if statement.history else ()
    parents = live_by_name(listing.databases)
    return LocalRows(
        (*SCHEMA_COLUMNS, *dropped),
        tuple(
            (*schema_row(core, each, parents), *dropped_values(statement, each)) for each in listed
        ),
    )


def database_row(core: Core, database: ContainerRecord) -> tuple[Any, ...]:
    """Return a database's row of SHOW DATABASES."""
    is_current = database.name == core.settings.database and database.dropped_at is None
    return (
        as_datetime(database.created_at),
        database.name,
        "N",
        flag(is_current),
        "",
        database.owner,
        database.comment or "",
        "",
        _retention(database, None),
    )


def schema_row(
    core: Core, schema: ContainerRecord, databases: Mapping[str | None, ContainerRecord]
) -> tuple[Any, ...]:
    """Return a schema's row of SHOW SCHEMAS.

    Args:
        core: the session's parts.
        schema: the schema.
        databases: the databases by name.
    """
    current = (core.settings.database, core.settings.schema)
    is_current = (schema.database_name, schema.name) == current and schema.dropped_at is None
    return (
        as_datetime(schema.created_at),
        schema.name,
        "N",
        flag(is_current),
        schema.database_name,
        schema.owner,
        schema.comment or "",
        "",
        _retention(schema, databases[schema.database_name]),
    )


def live_by_name(databases: Iterable[ContainerRecord]) -> dict[str | None, ContainerRecord]:
    """Return the databases that are not dropped, by name."""
    return {each.name: each for each in databases if each.dropped_at is None}


def _retention(record: ContainerRecord, parent: ContainerRecord | None) -> str:
    """Return the retention in days, as text."""
    days = record.retention_days
    if days is None and parent is not None:
        days = parent.retention_days
    return str(DEFAULT_RETENTION_DAYS if days is None else days)
