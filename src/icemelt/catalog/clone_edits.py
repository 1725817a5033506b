"""The changes of the registry by clones, and by tables that exchange their names."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["EndSharing", "ShareFiles", "SwapObjects"]


@dataclass(frozen=True, slots=True)
class ShareFiles:
    """Note that a clone shares files with its source, which has to be at a metadata file still.

    Args:
        source_id: the object id of the source.
        base: the metadata file from which the clone was made.
        location: the same state of the source, with files that no engine removes; may be `base`.
        source_folder: the folder of the source.
        clone_id: the object id of the clone.
        clone_folder: the folder of the clone.
        collection: the source's property `gc.enabled` before; None where there was none.
    """

    source_id: str
    base: str
    location: str
    source_folder: str
    clone_id: str
    clone_folder: str
    collection: str | None = None

    @property
    def table_id(self) -> str:
        """The object id of the source, whose pointer moves."""
        return self.source_id


@dataclass(frozen=True, slots=True)
class EndSharing:
    """Note that a table shares files with no other any more.

    Args:
        table_id: the table's object id.
        base: the metadata file from which the change started.
        location: the same state of the table, with files that engines may remove; may be `base`.
    """

    table_id: str
    base: str
    location: str


@dataclass(frozen=True, slots=True)
class SwapObjects:
    """Exchange the names of two tables, and their schemas.

    Args:
        first_id: the object id of a table.
        second_id: the object id of the other table.
    """

    first_id: str
    second_id: str
