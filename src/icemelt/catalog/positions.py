"""The text of a frontier's position on a table: opaque to the registry's tables."""

from __future__ import annotations

__all__ = ["read_position", "write_position"]


def write_position(version: int, commit_number: int) -> str:
    """Return the text of a version and of a commit number that left the table at it.

    >>> write_position(7, 12)
    '7@12'
    """
    return f"{version}@{commit_number}"


def read_position(text: str) -> tuple[int, int]:
    """Return the version and the commit number of a position.

    >>> read_position("7@12")
    (7, 12)
    """
    version, commit_number = text.split("@")
    return int(version), int(commit_number)
