"""General queries of the registry.

Every function takes a connection of `Database.read` or `Database.write`.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Sequence
from typing import Any

import sqlalchemy as sa

from icemelt.catalog.activity_records import StatementRecord
from icemelt.catalog.batches import split_values
from icemelt.catalog.database import Database
from icemelt.catalog.model import (
    iceberg_tables,
    objects,
    statements,
    tracking,
)
from icemelt.catalog.records import ContainerRecord, TableRecord, TrackingRecord
from icemelt.names import QualifiedName, fold

__all__ = [
    "container",
    "container_record",
    "containers",
    "database_row",
    "dropped_object",
    "find_statements",
    "moved_tables",
    "schema_objects",
    "schema_row",
    "statement",
    "statement_history",
    "table_by_id",
    "table_record",
    "table_row",
    "tables",
    "tables_query",
    "tracking_spans",
    "unadopted",
    "unpointed",
]

DEFAULT_RETENTION_DAYS = 1
DEFAULT_EXTENSION_DAYS = 14

table_row = objects.alias("t")
schema_row = objects.alias("s")
database_row = objects.alias("d")

# Building a query takes longer than its answer from SQLite: the queries of every statement are
# built once.
_OF_TRACKED = tracking.c.table_id == sa.bindparam("table_id")
_TRACKING = sa.select(tracking).where(_OF_TRACKED).order_by(tracking.c.since_commit)


def tables(
    connection: sa.Connection,
    database: Database,
    *,
    session_id: str = "",
    within: tuple[str | None, str | None] = (None, None),
    dropped: bool = False,
) -> list[TableRecord]:
    """Return the tables of a database and schema, ordered by name.

    Args:
        connection: a connection to the catalog's database.
        database: the catalog's database.
        session_id: the session whose temporary tables are included.
        within: the names of a database and of a schema, None for all.
        dropped: whether dropped tables are included.
    """
    query = tables_query(database.catalog_name)
    if not dropped:
        query = query.where(table_row.c.dropped_at.is_(None))
    for alias, name in zip((database_row, schema_row), within, strict=True):
        if name is not None:
            query = query.where(alias.c.folded == fold(name))
    visible = sa.or_(table_row.c.session_id.is_(None), table_row.c.session_id == session_id)
    ordered = query.where(visible).order_by(
        database_row.c.folded, schema_row.c.folded, table_row.c.folded, table_row.c.created_at
    )
    return [table_record(row) for row in connection.execute(ordered)]


def container(
    connection: sa.Connection, database_name: str, schema_name: str | None = None
) -> ContainerRecord | None:
    """Return a live database, or a live schema of the database; None where the name is unknown.

    Args:
        connection: a connection to the catalog's database.
        database_name: the database's name, in any case.
        schema_name: the schema's name, in any case; None for the database itself.
    """
    found = containers(connection, database_name if schema_name is not None else None)
    wanted = fold(schema_name if schema_name is not None else database_name)
    return next((record for record in found if fold(record.name) == wanted), None)


def containers(
    connection: sa.Connection, database_name: str | None = None, *, dropped: bool = False
) -> list[ContainerRecord]:
    """Return all databases, or the schemas of a database, ordered by name.

    Args:
        connection: a connection to the catalog's database.
        database_name: the database with the schemas; None for the databases.
        dropped: whether dropped databases and schemas are included.
    """
    if database_name is None:
        query = sa.select(objects, sa.null().label("database_name")).where(
            objects.c.kind == "database"
        )
        target: Any = objects
    else:
        query = (
            sa.select(schema_row, database_row.c.name.label("database_name"))
            .join(database_row, schema_row.c.parent_id == database_row.c.object_id)
            .where(
                schema_row.c.kind == "schema",
                database_row.c.folded == fold(database_name),
                database_row.c.dropped_at.is_(None),
            )
        )
        target = schema_row
    if not dropped:
        query = query.where(target.c.dropped_at.is_(None))
    rows = connection.execute(query.order_by(target.c.folded, target.c.created_at))
    return [container_record(row) for row in rows]


def container_record(row: Any) -> ContainerRecord:
    """Return the database or schema of a row of `icemelt_objects` with a `database_name`."""
    return ContainerRecord(
        row.object_id,
        row.name,
        row.database_name,
        row.owner,
        row.comment,
        row.created_at,
        row.dropped_at,
        row.retention_days,
        row.extension_days,
    )


def dropped_object(
    connection: sa.Connection, kind: str, parent_id: str | None, name: str
) -> str | None:
    """Return the id of the object of a name dropped last, for UNDROP; None where there is none.

    Args:
        connection: a connection to the catalog's database.
        kind: the object's kind, such as `table` or `schema`.
        parent_id: the id of the schema or database around the object; None for a database.
        name: the object's own name, in any case.
    """
    same_parent = (
        objects.c.parent_id.is_(None) if parent_id is None else objects.c.parent_id == parent_id
    )
    query = (
        sa.select(objects.c.object_id)
        .where(
            objects.c.kind == kind,
            same_parent,
            objects.c.folded == fold(name),
            objects.c.dropped_at.is_not(None),
            objects.c.session_id.is_(None),
        )
        .order_by(objects.c.dropped_at.desc())
    )
    return connection.scalars(query).first()


def unadopted(connection: sa.Connection, database: Database) -> list[tuple[str, str, str]]:
    """Return (namespace, name, location) of the catalog's tables without an object."""
    known = sa.and_(
        objects.c.kind == "table",
        objects.c.namespace == iceberg_tables.c.table_namespace,
        objects.c.catalog_table_name == iceberg_tables.c.table_name,
        objects.c.dropped_at.is_(None),
    )
    query = sa.select(
        iceberg_tables.c.table_namespace,
        iceberg_tables.c.table_name,
        iceberg_tables.c.metadata_location,
    ).where(
        iceberg_tables.c.catalog_name == database.catalog_name,
        sa.or_(iceberg_tables.c.iceberg_type == "TABLE", iceberg_tables.c.iceberg_type.is_(None)),
        ~sa.exists().where(known),
    )
    return [(row[0], row[1], row[2]) for row in connection.execute(query)]


def unpointed(connection: sa.Connection, database: Database) -> list[TableRecord]:
    """Return the live tables without a pointer: dropped or renamed by a foreign engine."""
    query = tables_query(database.catalog_name).where(
        table_row.c.dropped_at.is_(None),
        table_row.c.session_id.is_(None),
        iceberg_tables.c.metadata_location.is_(None),
    )
    return [table_record(row) for row in connection.execute(query)]


def moved_tables(
    connection: sa.Connection, database: Database, table_ids: Collection[str] | None = None
) -> list[TableRecord]:
    """Return the live tables with foreign commits not adopted by the registry yet.

    Args:
        connection: a connection to the catalog's database.
        database: the catalog's database.
        table_ids: the object ids of the tables to look at, None for all.
    """
    query, values = _moved_tables_query(database.catalog_name), {}
    if table_ids is not None:
        query, values = query.where(_AMONG), {"of_tables": sorted(table_ids)}
    return [table_record(row) for row in connection.execute(query, values)]


_AMONG = table_row.c.object_id.in_(sa.bindparam("of_tables", expanding=True))


@functools.cache
def _moved_tables_query(catalog_name: str) -> sa.Select[Any]:
    return tables_query(catalog_name).where(
        table_row.c.dropped_at.is_(None),
        table_row.c.session_id.is_(None),
        iceberg_tables.c.metadata_location != table_row.c.known_location,
    )


def statement(connection: sa.Connection, statement_id: str) -> StatementRecord | None:
    """Return a statement of the history, None where the history has no such id."""
    query = sa.select(statements).where(statements.c.statement_id == statement_id)
    row = connection.execute(query).first()
    return None if row is None else _statement_record(row)


def find_statements(
    connection: sa.Connection, statement_ids: Sequence[str]
) -> dict[str, StatementRecord]:
    """Return the statements of the history with some ids, by id."""
    found: dict[str, StatementRecord] = {}
    for part in split_values(statement_ids):
        query = sa.select(statements).where(statements.c.statement_id.in_(part))
        found |= {row.statement_id: _statement_record(row) for row in connection.execute(query)}
    return found


def statement_history(
    connection: sa.Connection, session_id: str | None = None, limit: int = 100
) -> list[StatementRecord]:
    """Return the latest statements of the history, newest first.

    Args:
        connection: a connection to the catalog's database.
        session_id: the session whose statements are returned; None for all sessions.
        limit: the greatest number of statements.
    """
    query = sa.select(statements)
    if session_id is not None:
        query = query.where(statements.c.session_id == session_id)
    rows = connection.execute(query.order_by(statements.c.started_at.desc()).limit(limit))
    return [_statement_record(row) for row in rows]


def tracking_spans(connection: sa.Connection, table_id: str) -> list[TrackingRecord]:
    """Return the spans of commit numbers with change tracking on, oldest first."""
    rows = connection.execute(_TRACKING, {"table_id": table_id})
    return [TrackingRecord(row.since_commit, row.until_commit) for row in rows]


def table_by_id(connection: sa.Connection, database: Database, table_id: str) -> TableRecord:
    """Return a table, live or dropped, by id.

    Args:
        connection: a connection to the catalog's database.
        database: the catalog's database.
        table_id: the table's object id.
    """
    query = _table_by_id(database.catalog_name)
    return table_record(connection.execute(query, {"table_id": table_id}).one())


def schema_objects(*more: Any) -> sa.Select[Any]:
    """Return the query of all objects of schemas, with the names of schema and database.

    `more` are further columns of the query.
    """
    return (
        sa.select(
            table_row,
            schema_row.c.name.label("schema_name"),
            database_row.c.name.label("database_name"),
            *more,
        )
        .join(schema_row, table_row.c.parent_id == schema_row.c.object_id)
        .join(database_row, schema_row.c.parent_id == database_row.c.object_id)
    )


@functools.cache
def tables_query(catalog_name: str) -> sa.Select[Any]:
    """Return the query of all tables, live and dropped, whose rows are for `table_record`."""
    pointer = sa.and_(
        iceberg_tables.c.catalog_name == catalog_name,
        iceberg_tables.c.table_namespace == table_row.c.namespace,
        iceberg_tables.c.table_name == table_row.c.catalog_table_name,
        table_row.c.session_id.is_(None),
    )

    def inherit(column: str, default: int) -> sa.Label[int]:
        values = (table_row.c[column], schema_row.c[column], database_row.c[column], default)
        return sa.func.coalesce(*values).label(f"effective_{column}")

    query = schema_objects(
        iceberg_tables.c.metadata_location,
        inherit("retention_days", DEFAULT_RETENTION_DAYS),
        inherit("extension_days", DEFAULT_EXTENSION_DAYS),
    )
    return query.outerjoin(iceberg_tables, pointer).where(table_row.c.kind == "table")


@functools.cache
def _table_by_id(catalog_name: str) -> sa.Select[Any]:
    return tables_query(catalog_name).where(table_row.c.object_id == sa.bindparam("table_id"))


def table_record(row: Any) -> TableRecord:
    """Return the table of a row of `tables_query`."""
    return TableRecord(
        object_id=row.object_id,
        name=QualifiedName(row.database_name, row.schema_name, row.name),
        namespace=row.namespace,
        owner=row.owner,
        comment=row.comment,
        created_at=row.created_at,
        table_uuid=row.table_uuid,
        pointer=row.metadata_location if row.session_id is None else row.known_location,
        known_location=row.known_location,
        version=row.version,
        snapshot_id=row.snapshot_id,
        session_id=row.session_id,
        dropped_at=row.dropped_at,
        retention_days=row.effective_retention_days,
        extension_days=row.effective_extension_days,
        catalog_table_name=row.catalog_table_name,
    )


def _statement_record(row: Any) -> StatementRecord:
    return StatementRecord(
        statement_id=row.statement_id,
        session_id=row.session_id,
        user=row.user,
        text=row.text,
        kind=row.kind,
        started_at=row.started_at,
        ended_at=row.ended_at,
        status=row.status,
        commit_number=row.commit_number,
        wrote=row.wrote,
        transaction_id=row.transaction_id,
        rowcount=row.rowcount,
        error_code=row.error_code,
        error_message=row.error_message,
        key_id=row.key_id,
        database_name=row.database_name,
        schema_name=row.schema_name,
        files_skipped=row.files_skipped,
    )
