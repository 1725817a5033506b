"""Read views of the registry, with the sources of every view."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from icemelt.catalog.batches import split_values
from icemelt.catalog.model import dependencies, views
from icemelt.catalog.queries.reading import schema_objects, table_row
from icemelt.catalog.records import ViewRecord, ViewSourceRecord
from icemelt.names import QualifiedName
from icemelt.schema import Column, parse_iceberg

__all__ = ["ViewQueries", "read_views", "view_queries", "views_by_id"]


@dataclass(frozen=True, slots=True)
class ViewQueries:
    """The two queries for any number of views: the views' rows, and the views' sources."""

    views: sa.Select[Any]
    sources: sa.Select[Any]


def view_queries(*conditions: sa.ColumnElement[bool], order: Sequence[Any] = ()) -> ViewQueries:
    """Return the queries for all views, live or dropped, under some conditions.

    Args:
        conditions: conditions on the columns of `schema_objects`.
        order: the columns by which the views are ordered.

    >>> queries = view_queries(table_row.c.dropped_at.is_(None))
    >>> "icemelt_dependencies" in str(queries.views), "icemelt_dependencies" in str(queries.sources)
    (False, True)
    """
    of_views = schema_objects(views).join(views, views.c.view_id == table_row.c.object_id)
    chosen = of_views.where(*conditions)
    ids = chosen.with_only_columns(table_row.c.object_id, maintain_column_froms=True)
    sources = sa.select(dependencies).where(dependencies.c.dependent_id.in_(ids))
    in_order = sources.order_by(dependencies.c.dependent_id, dependencies.c.position)
    return ViewQueries(chosen.order_by(*order), in_order)


def read_views(
    connection: sa.Connection, queries: ViewQueries, values: Mapping[str, Any] | None = None
) -> list[ViewRecord]:
    """Return the views of two queries, in the order of the queries.

    Args:
        connection: a connection to the catalog's database.
        queries: the two queries.
        values: the values of the queries' parameters, by name; None where there are none.
    """
    rows = connection.execute(queries.views, values or {}).all()
    if not rows:
        return []
    sources: dict[str, list[ViewSourceRecord]] = {}
    for row in connection.execute(queries.sources, values or {}):
        sources.setdefault(row.dependent_id, []).append(_source(row))
    return [_view(row, sources.get(row.object_id, ())) for row in rows]


def views_by_id(connection: sa.Connection, view_ids: Sequence[str]) -> dict[str, ViewRecord]:
    """Return views, live or dropped, by id."""
    found: dict[str, ViewRecord] = {}
    for part in split_values(view_ids):
        views_found = read_views(connection, _BY_ID, {"view_ids": [*part]})
        found |= {view.object_id: view for view in views_found}
    return found


# Building a query takes longer than its answer from SQLite.
_BY_ID = view_queries(table_row.c.object_id.in_(sa.bindparam("view_ids", expanding=True)))


def _view(row: Any, sources: Sequence[ViewSourceRecord]) -> ViewRecord:
    return ViewRecord(
        object_id=row.object_id,
        name=QualifiedName(row.database_name, row.schema_name, row.name),
        owner=row.owner,
        comment=row.comment,
        created_at=row.created_at,
        query=row.query,
        columns=_columns(row.columns),
        sources=tuple(sources),
        time_zone=row.time_zone,
        location=row.known_location,
        dropped_at=row.dropped_at,
        version=row.version or 0,
    )


def _source(row: Any) -> ViewSourceRecord:
    name = QualifiedName(row.database_name, row.schema_name, row.name)
    return ViewSourceRecord(name, _columns(row.columns), frozenset(row.used))


def _columns(fields: Sequence[dict[str, Any]]) -> tuple[Column, ...]:
    return tuple(
        Column(
            field["name"],
            parse_iceberg(field["type"]),
            nullable=not field["required"],
            comment=field.get("doc"),
        )
        for field in fields
    )
