"""Cursors: a position in each source of a query, moved by compare-and-swap in a publication."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from icemelt.catalog.edits import MoveFrontier, SourcePosition, StreamPosition
from icemelt.catalog.records import StreamRecord, StreamSourceRecord, ViewRecord

__all__ = ["Cursor", "cursor_of", "positions_of"]


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far the owner of a cursor, such as a stream, has read its sources.

    A statement that reads from a cursor up to a moment publishes the cursor's move together with
    the rows that it writes. The publication compares `move_count` with the registry. Of two
    statements that began at one position, one moves the cursor, and the other statement runs again.

    Args:
        owner_id: the object id of the owner, such as a stream.
        move_count: the number of moves so far.
        commit_number: the commit up to which the owner has read the sources.
        sources: the tables read, and the views between the tables and the owner.
    """

    owner_id: str
    move_count: int
    commit_number: int
    sources: tuple[StreamSourceRecord, ...]

    def moved_to(self, versions: Mapping[str, int], commit_number: int) -> MoveFrontier:
        """Return the edit that moves the cursor to a commit, if nobody else has moved it.

        Args:
            versions: the version of each table at the commit, by the table's id.
            commit_number: the commit.
        """
        position = StreamPosition(positions_of(self.sources, versions), commit_number)
        return self.moved_to_place(position)

    def moved_to_place(self, place: StreamPosition) -> MoveFrontier:
        """Return the edit that moves the cursor to any position, also to an earlier position."""
        return MoveFrontier(self.owner_id, self.move_count, place)


def cursor_of(stream: StreamRecord) -> Cursor:
    """Return the cursor at a stream's frontier."""
    frontier = stream.frontier
    return Cursor(stream.object_id, frontier.move_count, frontier.commit_number, stream.sources)


def positions_of(
    sources: Iterable[StreamSourceRecord], versions: Mapping[str, int]
) -> tuple[SourcePosition, ...]:
    """Return a position in every source: a table's version, a view's version, a stage's commit.

    Args:
        sources: the tables, views and stages.
        versions: the versions of the tables and the commits of the stages, by object id; 0 for a
            missing one.
    """
    return tuple(
        SourcePosition(
            source.record.object_id,
            source.version
            if isinstance(source.record, ViewRecord)
            else versions.get(source.record.object_id, 0),
            source.name,
            source.record.kind,
        )
        for source in sources
    )
