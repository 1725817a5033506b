"""Write which tables share files."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from icemelt.catalog.clone_edits import EndSharing, ShareFiles
from icemelt.catalog.model import objects, sharing
from icemelt.catalog.next_values import copy_next_values
from icemelt.catalog.outcomes import NotPublishedError, TableChanged
from icemelt.catalog.pointer_guard import guard_pointers

__all__ = ["add_clone", "forget_folder", "is_last_of_family", "remove_sharing"]


def add_clone(connection: sa.Connection, edit: ShareFiles) -> None:
    """Note that a clone shares files with its source, in the source's family or a new one.

    Args:
        connection: a connection in a write transaction.
        edit: the source and the clone.
    """
    guard_pointers(connection)
    of_source = sa.select(sharing).where(sharing.c.table_id == edit.source_id)
    source = connection.execute(of_source).first()
    rows: list[dict[str, Any]] = []
    shared = {"family_id": edit.source_id, "collection": edit.collection}
    if source is None:
        rows.append({"table_id": edit.source_id, "folder": edit.source_folder})
    else:
        shared = {"family_id": source.family_id, "collection": source.collection}
    rows.append({"table_id": edit.clone_id, "folder": edit.clone_folder})
    connection.execute(sharing.insert(), [row | shared for row in rows])
    copy_next_values(connection, edit.source_id, edit.clone_id)


def is_last_of_family(connection: sa.Connection, table_id: str) -> bool:
    """Return whether no other table of a table's family is live, or can be restored."""
    family_id = sa.select(sharing.c.family_id).where(sharing.c.table_id == table_id)
    others = (
        sa.select(objects.c.object_id)
        .join(sharing, sharing.c.table_id == objects.c.object_id)
        .where(sharing.c.family_id == family_id.scalar_subquery(), objects.c.object_id != table_id)
    )
    return connection.execute(others).first() is None


def remove_sharing(connection: sa.Connection, edit: EndSharing) -> None:
    """Note that a table is the only one that names its files; end the attempt if it is not.

    The row stays while the family has folders of tables that are gone.

    Args:
        connection: a connection in a write transaction.
        edit: the table.
    """
    if not is_last_of_family(connection, edit.table_id):
        raise NotPublishedError(TableChanged(edit.table_id))
    other = sharing.alias("other")
    has_others = sa.exists().where(
        other.c.family_id == sharing.c.family_id, other.c.table_id != edit.table_id
    )
    connection.execute(sharing.delete().where(sharing.c.table_id == edit.table_id, ~has_others))


def forget_folder(connection: sa.Connection, table_id: str) -> None:
    """Forget the empty folder of a table that is gone.

    Args:
        connection: a connection in a write transaction.
        table_id: the table's former object id.
    """
    is_there = sa.exists().where(objects.c.object_id == table_id)
    connection.execute(sharing.delete().where(sharing.c.table_id == table_id, ~is_there))
