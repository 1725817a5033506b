"""Drop and restore an object with everything in it, by a fixed number of statements.

A database holds schemas, and a schema holds all other objects. One DROP marks all its objects with
one id, by which UNDROP finds them again.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from icemelt.catalog.model import objects

__all__ = ["avoid_nested_loops", "drop_parts", "restore_parts"]

_CONTAINERS = frozenset({"database", "schema"})
_LIVE = objects.c.dropped_at.is_(None)
# as the index of live objects has it
_PARENT = sa.func.coalesce(objects.c.parent_id, "")


def avoid_nested_loops(connection: sa.Connection, root: Any) -> None:
    """Have PostgreSQL join the many rows of a container by their hashes, until the commit.

    The rows were marked in the same transaction, so PostgreSQL's statistics know of none. A nested
    loop compares each pointer with each object: of 10,000 tables, a minute with the lake locked.

    Args:
        connection: a connection in a write transaction.
        root: the row of the object to drop or restore.
    """
    if root.kind in _CONTAINERS and connection.dialect.name == "postgresql":
        connection.execute(sa.text("SET LOCAL enable_nestloop = off"))


def drop_parts(connection: sa.Connection, root: Any, drop_id: str, time: int) -> None:
    """Mark a live object and all its live parts as dropped.

    Args:
        connection: a connection in a write transaction.
        root: the object's row.
        drop_id: the id of the DROP.
        time: the time of the DROP, in milliseconds since 1970.
    """
    dropped = {"dropped_at": time, "drop_id": drop_id}
    this = objects.c.object_id == root.object_id
    parts = [this]
    if root.kind in _CONTAINERS:
        parts.append(root.object_id == _PARENT)
    if root.kind == "database":
        inner = objects.alias("inner")
        schemas = sa.select(inner.c.object_id).where(
            sa.func.coalesce(inner.c.parent_id, "") == root.object_id, inner.c.dropped_at.is_(None)
        )
        parts.append(_PARENT.in_(schemas))
    # innermost first: the schemas of a database are found while they are live
    for part in reversed(parts):
        connection.execute(objects.update().where(part, _LIVE).values(dropped))


def restore_parts(connection: sa.Connection, drop_id: str) -> None:
    """Let the objects of a DROP exist again.

    Args:
        connection: a connection in a write transaction.
        drop_id: the id of the DROP.
    """
    restored = {"dropped_at": None, "drop_id": None}
    connection.execute(objects.update().where(objects.c.drop_id == drop_id).values(restored))
