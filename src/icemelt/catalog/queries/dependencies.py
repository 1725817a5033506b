"""Dependencies between objects: the sources of a view or stream, the readers of an object."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from icemelt.catalog.model import BY_NAME, dependencies, objects
from icemelt.catalog.queries.reading import database_row, schema_objects, schema_row, table_row
from icemelt.names import QualifiedName

__all__ = ["Reader", "exists_at", "reached_views", "readers_of"]


@dataclass(frozen=True, slots=True)
class Reader:
    """An object, possibly dropped, with a direct dependency on another object.

    Args:
        object_id: the reader's id.
        kind: the reader's kind: `view`.
        name: the reader's full name.
        binding: BY_NAME or BY_ID.
        dropped_at: when the reader was dropped, None for a live reader.
    """

    object_id: str
    kind: str
    name: QualifiedName
    binding: str
    dropped_at: int | None = None


def reached_views(
    named: sa.ColumnElement[bool], *, time: sa.BindParameter[int] | None = None
) -> sa.Select[Any]:
    """Return the query for the ids of some views, and of all views nested in them.

    Args:
        named: a condition on `database_row`, `schema_row` and `table_row` for the outermost views.
        time: the moment at which all the views exist, None for now.
    """
    path = (database_row, schema_row, table_row)
    reached = (
        sa.select(table_row.c.object_id)
        .join(schema_row, table_row.c.parent_id == schema_row.c.object_id)
        .join(database_row, schema_row.c.parent_id == database_row.c.object_id)
        .where(table_row.c.kind == "view", named, *(exists_at(row, time) for row in path))
        .cte("reached", recursive=True)
    )
    database, schema, view = (objects.alias(name) for name in ("rd", "rs", "rv"))
    read = dependencies.alias("read")
    under = (
        sa.select(view.c.object_id)
        .select_from(reached)
        .join(read, read.c.dependent_id == reached.c.object_id)
        .join(database, database.c.folded == read.c.folded_database)
        .join(
            schema,
            sa.and_(
                schema.c.parent_id == database.c.object_id,
                schema.c.folded == read.c.folded_schema,
            ),
        )
        .join(
            view,
            sa.and_(view.c.parent_id == schema.c.object_id, view.c.folded == read.c.folded_name),
        )
        .where(
            view.c.kind == "view",
            read.c.binding == BY_NAME,
            *(exists_at(row, time) for row in (database, schema, view)),
        )
    )
    return sa.select(reached.union(under).c.object_id)


def exists_at(row: sa.FromClause, time: sa.BindParameter[int] | None) -> sa.ColumnElement[bool]:
    """Return the condition for an object to exist at a moment.

    Args:
        row: an alias of the table `icemelt_objects`.
        time: the parameter with the time in milliseconds since 1970; None for now.
    """
    if time is None:
        return row.c.dropped_at.is_(None)
    dropped_later = sa.or_(row.c.dropped_at.is_(None), row.c.dropped_at > time)
    return sa.and_(row.c.created_at <= time, dropped_later)


def readers_of(
    connection: sa.Connection, object_id: str, name: QualifiedName | None = None
) -> list[Reader]:
    """Return the direct readers of an object: readers by id, and readers by name.

    Args:
        connection: a connection to the catalog's database.
        object_id: the id of the object, for readers bound by id.
        name: the name of the object, for readers bound by name; None to leave these readers out.

    >>> import tempfile
    >>> from icemelt.catalog.database import open_database
    >>> folder = tempfile.mkdtemp()
    >>> database = open_database(f"sqlite:///{folder}/catalog.db", folder)
    >>> with database.read() as connection:
    ...     readers_of(connection, "an id", QualifiedName("main", "public", "orders"))
    []
    >>> database.close()
    """
    values = {"object_id": object_id}
    query = _READERS_BY_ID
    if name is not None:
        query = _READERS
        folded = name.folded
        values |= {"database": folded.database, "schema": folded.schema, "name": folded.name}
    return [
        Reader(
            row.object_id,
            row.kind,
            QualifiedName(row.database_name, row.schema_name, row.name),
            row.binding,
            row.dropped_at,
        )
        for row in connection.execute(query, values)
    ]


_IS_READ = dependencies.c.object_id == sa.bindparam("object_id")
_IS_NAMED = sa.and_(
    dependencies.c.binding == BY_NAME,
    dependencies.c.folded_name == sa.bindparam("name"),
    dependencies.c.folded_schema == sa.bindparam("schema"),
    dependencies.c.folded_database == sa.bindparam("database"),
)


def _readers(condition: sa.ColumnElement[bool]) -> sa.Select[Any]:
    return (
        schema_objects(dependencies.c.binding)
        .join(dependencies, dependencies.c.dependent_id == table_row.c.object_id)
        .where(condition)
        .order_by(database_row.c.folded, schema_row.c.folded, table_row.c.folded)
    )


# Building a query takes longer than its answer from SQLite.
_READERS_BY_ID = _readers(_IS_READ)
_READERS = _readers(sa.or_(_IS_READ, _IS_NAMED))
