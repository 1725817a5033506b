"""The text of a frontier's position on a source: opaque to the registry's tables."""

from __future__ import annotations

import json

from icemelt.names import QualifiedName

__all__ = ["read_position", "write_position"]


def write_position(version: int, commit_number: int, name: QualifiedName | None = None) -> str:
    """Return the text of a position.

    Args:
        version: the version of the source.
        commit_number: a commit number at which the source is at this version.
        name: the source's name in the views under a stream; None for the stream's own source.

    >>> write_position(7, 12)
    '7@12'
    >>> write_position(7, 12, QualifiedName("main", "public", "orders"))
    '7@12@["main", "public", "orders"]'
    """
    parts = () if name is None else (name.database, name.schema, name.name)
    called = "@" + json.dumps(parts, ensure_ascii=False) if parts else ""
    return f"{version}@{commit_number}{called}"


def read_position(text: str) -> tuple[int, int, QualifiedName | None]:
    """Return the version, the commit number and the name of a position; None without a name.

    >>> read_position("7@12")
    (7, 12, None)
    >>> str(read_position('7@12@["main", "public", "orders"]')[2])
    'main.public.orders'
    """
    version, commit_number, *called = text.split("@", 2)
    name = QualifiedName(*json.loads(called[0])) if called else None
    return int(version), int(commit_number), name
