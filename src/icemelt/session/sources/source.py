"""What can be read at a point and between two points: a table, a view, and kinds to come."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from icemelt.algebra.nodes import Pin
from icemelt.engine.change_plans import ChangePlan
from icemelt.engine.resources import StatementResources
from icemelt.schema import Column
from icemelt.session.views.changes import ViewPlan
from icemelt.sql.statements import Changes, Point

__all__ = ["Source", "SourceInterval", "SourceRead"]


@dataclass(frozen=True, slots=True)
class SourceRead:
    """A relation for Spark that has a source's changes.

    Args:
        relation: the relation's text, for FROM.
        plan: how the changes are found; None where all rows of one end are given.
    """

    relation: str
    plan: ChangePlan | ViewPlan | None = None


class SourceInterval(Protocol):
    """A source between two commits `(start, end]`: its changes, its rows at both ends."""

    @property
    def versions(self) -> Mapping[str, int]:
        """The version at the end of each table that is read, by the table's id."""

    def changes(
        self, resources: StatementResources, *, append_only: bool = False, carried: str = ""
    ) -> SourceRead:
        """Return the min-delta between the ends, or only the rows that were inserted.

        The relation has the source's columns, METADATA$ACTION, METADATA$ISUPDATE, METADATA$ROW_ID.

        Args:
            resources: what the statement holds until it is done.
            append_only: give the inserted rows alone, each once for its insertion.
            carried: an expression over a changed row, given as one more column; empty for none.

        Raises:
            UnsupportedError: the changes of a view's query cannot be told.
        """

    def inserts(self, pin: Pin, resources: StatementResources, *, carried: str = "") -> str:
        """Return all rows at one end as inserts, in the columns of `changes`.

        Args:
            pin: the end.
            resources: what the statement holds until it is done.
            carried: as in `changes`.
        """

    def redo_log(
        self, resources: StatementResources, *, initial: bool = False, raw: bool = False
    ) -> SourceRead:
        """Return the changes of every version in the interval, with the version and the time.

        Args:
            resources: what the statement holds until it is done.
            initial: give the rows at the start before, as inserts of the start's version.
            raw: give also the rows that a version only moved, as it wrote and took them away.

        Raises:
            PointError: files of a version are gone.
        """

    def known_by_values(self, log: SourceRead, resources: StatementResources) -> str | None:
        """Return why rows of a redo log are known by their values alone; None where none are."""


class Source(Protocol):
    """An object of the registry whose rows can be read at a point, and their changes between two.

    A new kind of source is one class more: the statements that read, and the streams, know this
    protocol alone.
    """

    @property
    def columns(self) -> Sequence[Column]:
        """The columns of today."""

    def relation_at(self, point: Point | None) -> str:
        """Return the relation of the rows at a point; None for the moment of the statement.

        Raises:
            PointError: the point is before the source, past retention, or in the future.
        """

    def require_states(self) -> None:
        """Require that the source has a state at each commit, as changes compare states.

        Raises:
            WrongObjectKind: it is a view that reads a stream.
        """

    def ends(self, changes: Changes) -> tuple[int, int]:
        """Return the commit numbers `(start, end]` that CHANGES asks for.

        Raises:
            PointError: a point is not one of the source's.
            StartAfterEnd: the start is after the end.
        """

    def between(self, commits: tuple[int, int], *, whole: bool = False) -> SourceInterval:
        """Return the source between two commit numbers.

        Args:
            commits: the start, whose changes are not part of the interval, and the end.
            whole: let the interval begin before the source was made, as an empty one.

        Raises:
            PointError: it did not exist yet, was not tracked, or its files are gone.
        """
