"""Write views to the registry."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from icemelt.catalog.dependency_writer import add_names_read, forget_dependencies
from icemelt.catalog.edits import MakeView
from icemelt.catalog.model import views
from icemelt.tables.writes.definition import schema_document

__all__ = ["alter_view", "make_view"]


def make_view(connection: sa.Connection, edit: MakeView) -> None:
    """Add a view with its sources; the view's object is in the registry already."""
    connection.execute(views.insert().values(view_id=edit.object_id, **_values(edit)))
    add_names_read(connection, edit.object_id, edit.sources)


def alter_view(connection: sa.Connection, edit: MakeView) -> None:
    """Replace the definition of a view; the view keeps its object id."""
    mine = views.c.view_id == edit.object_id
    connection.execute(views.update().where(mine).values(_values(edit)))
    forget_dependencies(connection, edit.object_id)
    add_names_read(connection, edit.object_id, edit.sources)


def _values(edit: MakeView) -> dict[str, Any]:
    return {
        "query": edit.query,
        "columns": schema_document(edit.columns)["fields"],
        "time_zone": edit.time_zone,
    }
