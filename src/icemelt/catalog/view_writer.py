"""Views are written to the registry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from icemelt.catalog.edits import MakeView
from icemelt.catalog.model import views
from icemelt.schema import Column
from icemelt.tables.writes.definition import schema_document

__all__ = ["make_view"]


def make_view(connection: sa.Connection, edit: MakeView) -> None:
    """Add a view whose object is there."""
    sources = [
        {
            "name": [source.name.database, source.name.schema, source.name.name],
            "columns": _document(source.columns),
            "used": sorted(source.used),
        }
        for source in edit.sources
    ]
    connection.execute(
        views.insert().values(
            view_id=edit.object_id,
            query=edit.query,
            columns=_document(edit.columns),
            sources=sources,
            time_zone=edit.time_zone,
        )
    )


def _document(columns: Sequence[Column]) -> list[dict[str, Any]]:
    """Return columns as the fields of Iceberg's schema JSON."""
    fields: list[dict[str, Any]] = schema_document(columns)["fields"]
    return fields
