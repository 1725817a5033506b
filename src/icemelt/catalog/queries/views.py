"""Views in the registry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from icemelt.catalog.model import views
from icemelt.catalog.queries.reading import schema_objects, table_row
from icemelt.catalog.records import ViewRecord, ViewSource
from icemelt.names import TableName
from icemelt.schema import Column, parse_iceberg

__all__ = ["view_by_id", "view_record", "views_query"]


def views_query() -> sa.Select[Any]:
    """Return the query of all views, dropped ones too, for `view_record`."""
    return schema_objects(views).join(views, views.c.view_id == table_row.c.object_id)


def view_record(row: Any) -> ViewRecord:
    """Return a row of `views_query`."""
    return ViewRecord(
        object_id=row.object_id,
        name=TableName(row.database_name, row.schema_name, row.name),
        owner=row.owner,
        comment=row.comment,
        created_at=row.created_at,
        query=row.query,
        columns=_columns(row.columns),
        sources=tuple(
            ViewSource(
                TableName(*source["name"]), _columns(source["columns"]), frozenset(source["used"])
            )
            for source in row.sources
        ),
        time_zone=row.time_zone,
        location=row.known_location,
        dropped_at=row.dropped_at,
    )


def view_by_id(connection: sa.Connection, view_id: str) -> ViewRecord:
    """Return a view by its id, also one that was dropped."""
    query = views_query().where(table_row.c.object_id == view_id)
    return view_record(connection.execute(query).one())


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
