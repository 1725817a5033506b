"""Insert and update a view's row in the registry, inside the SQL transaction of a publication."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from icemelt.catalog.dependency_writer import add_view_sources, remove_dependencies
from icemelt.catalog.edits import MakeView
from icemelt.catalog.model import views
from icemelt.tables.writes.definition import schema_document

__all__ = ["insert_view_row", "update_view_row"]


def insert_view_row(connection: sa.Connection, edit: MakeView) -> None:
    """Insert the row and the sources of a view; the view's object is in the registry already."""
    connection.execute(views.insert().values(view_id=edit.object_id, **_view_columns(edit)))
    add_view_sources(connection, edit.object_id, edit.sources)


def update_view_row(connection: sa.Connection, edit: MakeView) -> None:
    """Update the row of a view, and replace its sources; the view keeps its object id."""
    is_this_view = views.c.view_id == edit.object_id
    connection.execute(views.update().where(is_this_view).values(_view_columns(edit)))
    remove_dependencies(connection, edit.object_id)
    add_view_sources(connection, edit.object_id, edit.sources)


def _view_columns(edit: MakeView) -> dict[str, Any]:
    return {
        "query": edit.query,
        "columns": schema_document(edit.columns)["fields"],
        "time_zone": edit.time_zone,
    }
