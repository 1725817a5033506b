"""Exchange the names of two tables, in the registry and in Iceberg's tables."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from icemelt.catalog.clone_edits import SwapObjects
from icemelt.catalog.database import Database
from icemelt.catalog.model import iceberg_tables, objects
from icemelt.catalog.outcomes import NotPublishedError, TableChanged
from icemelt.catalog.pointers import match_pointer

__all__ = ["swap_objects"]

# what makes an object be found, and its pointer
_NAMES = ("parent_id", "name", "folded", "namespace", "catalog_table_name")


def swap_objects(connection: sa.Connection, database: Database, edit: SwapObjects) -> None:
    """Exchange the names of two tables; end the attempt if one was dropped or moved meanwhile.

    The pointers exchange their metadata files, and not their names.

    Args:
        connection: a connection in a write transaction.
        database: the catalog's database.
        edit: the tables.
    """
    first, second = (
        _require_still(connection, database, each) for each in (edit.first_id, edit.second_id)
    )
    # no two live objects may have one name, not even for a moment
    free = {"folded": first.object_id, "parent_id": first.parent_id}
    _update(connection, first, free)
    for row, other in ((second, first), (first, second)):
        _update(connection, row, {name: getattr(other, name) for name in _NAMES})
        if other.session_id is None:
            connection.execute(
                iceberg_tables.update()
                .where(*match_pointer(database, other.namespace, other.catalog_table_name))
                .values(
                    metadata_location=row.known_location,
                    previous_metadata_location=other.known_location,
                )
            )


def _require_still(connection: sa.Connection, database: Database, object_id: str) -> Any:
    """Return the row of a live table without foreign commits that the registry does not know."""
    query = sa.select(objects).where(
        objects.c.object_id == object_id, objects.c.dropped_at.is_(None)
    )
    row = connection.execute(query).first()
    if row is None:
        raise NotPublishedError(TableChanged(object_id))
    if row.session_id is None:
        pointer = sa.select(iceberg_tables.c.metadata_location).where(
            *match_pointer(database, row.namespace, row.catalog_table_name)
        )
        if connection.scalar(pointer.with_for_update()) != row.known_location:
            raise NotPublishedError(TableChanged(object_id))
    return row


def _update(connection: sa.Connection, row: Any, values: dict[str, Any]) -> None:
    connection.execute(objects.update().where(objects.c.object_id == row.object_id).values(values))
