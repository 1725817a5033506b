"""Insert and update an object's definition, inside the SQL transaction of a publication."""

from __future__ import annotations

import sqlalchemy as sa

from icemelt.catalog.edits import MakeDefined, RedefineObject
from icemelt.catalog.model import definitions, objects
from icemelt.catalog.next_values import copy_next_values
from icemelt.catalog.outcomes import NotPublishedError, TableChanged

__all__ = ["insert_definition", "update_definition"]


def insert_definition(connection: sa.Connection, edit: MakeDefined) -> None:
    """Insert the definition of an object that is in the registry already."""
    values = {"object_id": edit.object_id, "definition": dict(edit.definition)}
    connection.execute(definitions.insert().values(values))
    if edit.source_id is not None:
        copy_next_values(connection, edit.source_id, edit.object_id)


def update_definition(connection: sa.Connection, edit: RedefineObject) -> None:
    """Update the definition of an object.

    Raises:
        NotPublishedError: the object was dropped, or has another definition meanwhile.
    """
    is_this_object = definitions.c.object_id == edit.object_id
    live = (
        sa.select(definitions.c.definition)
        .join(objects, objects.c.object_id == definitions.c.object_id)
        .where(is_this_object, objects.c.dropped_at.is_(None))
    )
    if connection.scalar(live) != edit.before:
        raise NotPublishedError(TableChanged(edit.object_id))
    after = {"definition": dict(edit.after)}
    connection.execute(definitions.update().where(is_this_object).values(after))
