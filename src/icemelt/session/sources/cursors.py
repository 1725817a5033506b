"""Cursors: a position in each source of a query, moved by compare-and-swap in a publication."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from icemelt.catalog.edits import MoveFrontier, SourcePosition, StreamPosition
from icemelt.catalog.records import StreamRecord, StreamSource, ViewRecord

__all__ = ["Cursor", "cursor_of", "positions_of"]


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far the owner of a cursor, such as a stream, has read its sources.

    Whoever reads from a cursor up to a moment publishes its move with what was made of the rows.
    The publication compares `move` with what the registry has: of two readers that began at one
    position one moves the cursor, and the other one begins anew.

    Args:
        owner_id: the object whose position it is.
        move: how often the cursor has been moved.
        commit_number: the commit up to which the sources were read.
        sources: what is read: tables, and the views between them and the owner.
    """

    owner_id: str
    move: int
    commit_number: int
    sources: tuple[StreamSource, ...]

    def moved_to(self, versions: Mapping[str, int], commit_number: int) -> MoveFrontier:
        """Return the edit that moves the cursor to a commit, if nobody else has moved it.

        Args:
            versions: the version of each table at the commit, by the table's id.
            commit_number: the commit.
        """
        place = StreamPosition(positions_of(self.sources, versions), commit_number)
        return self.moved_to_place(place)

    def moved_to_place(self, place: StreamPosition) -> MoveFrontier:
        """Return the edit that moves the cursor to any place, an earlier one too."""
        return MoveFrontier(self.owner_id, self.move, place)


def cursor_of(stream: StreamRecord) -> Cursor:
    """Return the cursor that a stream is."""
    frontier = stream.frontier
    return Cursor(stream.object_id, frontier.move, frontier.commit_number, stream.sources)


def positions_of(
    sources: Iterable[StreamSource], versions: Mapping[str, int]
) -> tuple[SourcePosition, ...]:
    """Return a position in every source: the version of a table, the version of a view's query.

    Args:
        sources: the tables and views.
        versions: the versions of the tables, by id; 0 for one that has none.
    """
    return tuple(
        SourcePosition(source.record.object_id, source.version, source.name, "view")
        if isinstance(source.record, ViewRecord)
        else SourcePosition(
            source.record.object_id, versions.get(source.record.object_id, 0), source.name
        )
        for source in sources
    )
