"""Views as sources: their rows are those of a query, their changes those of the tables under it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from icemelt.algebra.nodes import Pin
from icemelt.catalog.records import CatalogState, TableRecord, ViewRecord
from icemelt.engine.resources import StatementResources
from icemelt.schema import Column
from icemelt.session.sources.source import SourceRead
from icemelt.session.timeline.points import Timeline
from icemelt.session.views.changes import (
    BaseInterval,
    ViewPlan,
    base_intervals,
    require_source_states,
    view_changes,
    view_inserts,
)
from icemelt.session.views.expansion import expand
from icemelt.session.views.reading import tables_under
from icemelt.session.views.redo import known_by_values, redone_view
from icemelt.sql.statements import Changes, Point

__all__ = ["ViewSource"]


@dataclass(frozen=True, slots=True)
class ViewSource:
    """A view, as a statement or a stream reads it.

    Args:
        timeline: the points of the statement.
        view: the view.
        state: what the names in the queries of the view, and of views under it, mean.
        rows: gives the relation of the view's rows at a point; None for one that is read for its
            changes alone.
    """

    timeline: Timeline
    view: ViewRecord
    state: CatalogState
    rows: Callable[[Point | None], str] | None = None

    @property
    def columns(self) -> Sequence[Column]:
        """The view's columns."""
        return self.view.columns

    @property
    def tables(self) -> Sequence[TableRecord]:
        """The tables under the view, and under views that it reads."""
        return tables_under(self.state, self.view)

    def relation_at(self, point: Point | None) -> str:
        """Return the relation of the rows at a point; None for the moment of the statement."""
        assert self.rows is not None, "read for its changes alone"  # noqa: S101
        return self.rows(point)

    def require_states(self) -> None:
        """Require that the view reads no stream, and so has states to compare."""
        require_source_states(self.state, self.view)

    def ends(self, changes: Changes) -> tuple[int, int]:
        """Return the commit numbers `(start, end]` that CHANGES asks for."""
        return replace(self.timeline, of_view=True).ends(self.tables, changes)

    def between(self, commits: tuple[int, int], *, whole: bool = False) -> ViewChanges:
        """Return the view between two commit numbers."""
        bases = base_intervals(self.timeline, self.tables, commits, whole=whole)
        return ViewChanges(self.timeline, self.view, self.state, bases, commits)


@dataclass(frozen=True, slots=True)
class ViewChanges:
    """A view between two commits.

    Args:
        timeline: the points of the statement.
        view: the view.
        state: what the names in the queries of the view, and of views under it, mean.
        bases: what the tables under the view were between the two commits.
        commits: the numbers of the two.
    """

    timeline: Timeline
    view: ViewRecord
    state: CatalogState
    bases: tuple[BaseInterval, ...]
    commits: tuple[int, int]

    @property
    def versions(self) -> Mapping[str, int]:
        """The version at the end of each table under the view, by the table's id."""
        return {base.table.object_id: base.versions.end.version for base in self.bases}

    def changes(
        self, resources: StatementResources, *, append_only: bool = False, carried: str = ""
    ) -> SourceRead:
        """Return the min-delta between the ends, or only the rows that the view gained."""
        assert not carried, "a view's rows have no sequence numbers"  # noqa: S101
        plan = replace(self._plan(), append_only=append_only)
        return SourceRead(view_changes(self.timeline.core, plan, resources), plan)

    def inserts(self, pin: Pin, resources: StatementResources, *, carried: str = "") -> str:
        """Return all rows at one end as inserts."""
        assert not carried, "a view's rows have no sequence numbers"  # noqa: S101
        return view_inserts(self.timeline.core, self._plan(), resources, pin)

    def redo_log(
        self, resources: StatementResources, *, initial: bool = False, raw: bool = False
    ) -> SourceRead:
        """Return the changes of every commit in the interval, with the commit's number and time."""
        # a version of a view has no rows of its own that only moved: `raw` is the same
        del raw
        log = redone_view(self.timeline, self._plan(), self.commits, resources, initial=initial)
        return SourceRead(*log)

    def known_by_values(self, log: SourceRead, resources: StatementResources) -> str | None:
        """Return why rows of a redo log are known by their values alone; None where none are."""
        assert isinstance(log.plan, ViewPlan), "a view's redo log has a view's plan"  # noqa: S101
        return known_by_values(self.timeline.core, log.plan, resources)

    def _plan(self) -> ViewPlan:
        return ViewPlan(expand(self.timeline.core, self.state, self.view), self.bases)
