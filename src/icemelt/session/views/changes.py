"""The changes of a view between two states of all that it reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from icemelt.algebra.nodes import Pin, Relation
from icemelt.catalog.records import CatalogState, TableRecord, ViewRecord
from icemelt.changes.append_only import find_losing_operator
from icemelt.engine.change_plans import ChangePlan
from icemelt.engine.resources import StatementResources
from icemelt.errors import PointError, QueryError, WrongObjectKind
from icemelt.session.runtime.core import Core
from icemelt.session.timeline.points import TableInterval, Timeline
from icemelt.session.views.algebra import algebra_of
from icemelt.session.views.differentiation import (
    Bases,
    Differentiated,
    differentiate_gains,
    differentiate_view,
    rows_as_inserts,
)
from icemelt.session.views.expansion import ExpandedSource, ExpandedView
from icemelt.session.views.reading import names_under
from icemelt.session.views.rows import ViewRenderer
from icemelt.spark_sql.change_relations import Sides, cancel_equal_rows, select_nothing
from icemelt.spark_sql.weights import change_rows
from icemelt.sql.statements import TableReference
from icemelt.tables.metadata.document import TableMetadata
from icemelt.tables.scans.change_scan import Interval

__all__ = [
    "BaseInterval",
    "ViewLog",
    "ViewPlan",
    "base_intervals",
    "changes_of",
    "naming",
    "no_changes",
    "refuse_losing",
    "refuse_unchanging",
    "view_changes",
    "view_inserts",
]


@dataclass(frozen=True, slots=True)
class BaseInterval:
    """A table under a view, with its versions at the interval's ends and between."""

    table: TableRecord
    versions: TableInterval

    @property
    def metadata(self) -> TableMetadata:
        """The table's metadata, with the snapshots of the versions."""
        return self.versions.metadata

    @property
    def scanned(self) -> Interval:
        """The interval as a change scan reads it."""
        return self.versions.scanned


@dataclass(frozen=True, slots=True)
class ViewLog:
    """How a view's redo log is made: with the plans of its tables' logs where it is in one pass.

    None of them where each of the `versions` is planned by itself.
    """

    versions: int
    tables: tuple[ChangePlan, ...] | None


@dataclass(frozen=True, slots=True)
class ViewPlan:
    """What a view's changes are computed from.

    Args:
        expanded: the view, with all objects under the view.
        bases: the intervals of the tables under the view.
        append_only: whether only the rows are asked for that the view gained.
        log: how the redo log is made; None for other changes.
    """

    expanded: ExpandedView
    bases: tuple[BaseInterval, ...]
    append_only: bool = False
    log: ViewLog | None = None

    @property
    def view(self) -> ViewRecord:
        """The view's record."""
        return self.expanded.view

    @property
    def has_changes(self) -> bool:
        """Whether a table may have changed."""
        return any(base.versions.changes_rows for base in self.bases)


_Pins = Mapping[str, tuple[TableMetadata, int | None]]


def base_intervals(
    timeline: Timeline,
    tables: Sequence[TableRecord],
    commits: tuple[int, int],
    *,
    whole: bool = False,
) -> tuple[BaseInterval, ...]:
    """Return what tables were between two commit numbers; `whole` as in `Timeline.between`.

    Raises:
        PointError: a table did not exist yet, was not tracked, or its files are gone.
    """
    core = timeline.core
    found = []
    for table in tables:
        metadata = core.metadata(core.pinned(table))
        versions = timeline.between(table, metadata, commits, whole=whole)
        found.append(BaseInterval(table, versions))
    return tuple(found)


def view_changes(core: Core, plan: ViewPlan, resources: StatementResources) -> str:
    """Return the min-delta of a view's rows, or what it gained, its tables changed as planned.

    Its columns are the view's, then METADATA$ACTION, METADATA$ISUPDATE and METADATA$ROW_ID. Where
    no table has changed nothing is run.

    Raises:
        UnsupportedError: the changes of the view's query cannot be told.
        QueryError: it is asked for what it gained, and may lose rows while its tables gain some.
    """
    view, relation = plan.view, algebra_of(core, plan.expanded)
    if plan.append_only:
        refuse_losing(view, relation)
    if not plan.has_changes:
        return no_changes(core, plan, resources)
    intervals = {base.table.object_id: base.scanned for base in plan.bases}
    reader = Bases(core, intervals, resources, view.time_zone, by_key=not plan.append_only)
    if plan.append_only:
        reader.gain({base.table.object_id: base.versions.inserting for base in plan.bases})
        made = differentiate_gains(relation, reader)
    else:
        reader.scan()
        if core.scope.strategy == "ORIGINAL" or not reader.are_identified:
            return subtract_ends(core, plan, resources)
        made = differentiate_view(relation, view.columns, reader, core.scope.strategy)
    if made.view is None:
        return no_changes(core, plan, resources)
    return changes_of(view, made)


def subtract_ends(core: Core, plan: ViewPlan, resources: StatementResources) -> str:
    """Return the same by the values of rows alone, for tables whose rows have lost their ids.

    The query is run at both ends; equal rows cancel as a bag.
    """
    view = plan.view
    after = _rows(core, plan, _ends(plan.bases), resources)
    starts = {b.table.object_id: (b.metadata, b.versions.start.snapshot_id) for b in plan.bases}
    before = _rows(core, plan, starts, resources)
    return cancel_equal_rows(Sides(view.columns, view.object_id, added=after, removed=before))


def view_inserts(core: Core, plan: ViewPlan, resources: StatementResources, pin: Pin) -> str:
    """Return all rows that a view has at an end of the plan's intervals, as inserts."""
    view, relation = plan.view, algebra_of(core, plan.expanded)
    intervals = {base.table.object_id: base.scanned for base in plan.bases}
    reader = Bases(core, intervals, resources, view.time_zone)
    reader.scan()
    if not reader.are_identified:
        rows = _rows(core, plan, _ends(plan.bases), resources)
        return cancel_equal_rows(Sides(view.columns, view.object_id, added=rows))
    return changes_of(view, rows_as_inserts(relation, reader, pin))


def refuse_losing(view: ViewRecord, relation: Relation) -> None:
    """Refuse APPEND_ONLY changes of a query that can lose rows while its tables gain rows.

    Raises:
        QueryError: an operator of the query can take rows back.
    """
    reason = find_losing_operator(relation)
    if reason is not None:
        raise QueryError(
            f"View {str(view.name)!r} has no APPEND_ONLY changes: {reason.operator} in it changes "
            "or takes back rows when its tables gain some.",
            hint="Leave APPEND_ONLY out, and read WHERE METADATA$ACTION = 'INSERT'.",
        )


@contextmanager
def naming(view: ViewRecord | None) -> Iterator[None]:
    """Name the view in the errors of points of its tables.

    Raises:
        PointError: as inside.
    """
    try:
        yield
    except PointError as error:
        if view is None:
            raise
        raise type(error)(
            f"The changes of view {str(view.name)!r} cannot be read: {error.message}",
            hint=error.hint,
        ) from error


def refuse_unchanging(state: CatalogState, view: ViewRecord) -> None:
    """Let only a view be asked for its changes that has states to compare.

    Raises:
        WrongObjectKind: it reads a stream.
    """
    for name in names_under(state, view):
        if name in state.streams:
            raise WrongObjectKind(
                f"View {str(view.name)!r} reads stream {str(name)!r}: it has no changes of its "
                "own.",
                hint=f"Read the view itself; or ask the source of {name} for its changes.",
            )


def changes_of(view: ViewRecord, made: Differentiated) -> str:
    """Return min-delta in the view's columns, and the METADATA columns behind them."""
    return change_rows(made.view or "", view.columns, made.identity, view.object_id)


def no_changes(core: Core, plan: ViewPlan, resources: StatementResources) -> str:
    """Return no rows, in the columns of a view's changes."""
    after = _rows(core, plan, _ends(plan.bases), resources)
    return select_nothing(Sides(plan.view.columns, plan.view.object_id, added=after))


def _ends(bases: Sequence[BaseInterval]) -> _Pins:
    return {b.table.object_id: (b.metadata, b.versions.end.snapshot_id) for b in bases}


def _rows(core: Core, plan: ViewPlan, pins: _Pins, resources: StatementResources) -> str:
    """Return a view's rows with each table at its own snapshot."""

    def relation(source: ExpandedSource, _reference: TableReference) -> str:
        metadata, snapshot_id = pins[source.record.object_id]
        return core.relations.at(metadata, snapshot_id)

    return ViewRenderer(core, resources, relation).rows(plan.expanded)
