"""The changes of a view between two states of all that it reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from icemelt.algebra.nodes import Pin, Relation
from icemelt.catalog.defined_records import ExternalTableRecord, StageRecord
from icemelt.catalog.records import (
    CatalogState,
    InformationRecord,
    StreamRecord,
    TableRecord,
    ViewRecord,
)
from icemelt.changes.append_only import find_losing_operator
from icemelt.engine.change_plans import ChangePlan
from icemelt.engine.resources import StatementResources
from icemelt.errors import PointError, QueryError, WrongObjectKind
from icemelt.session.runtime.core import Core
from icemelt.session.timeline.points import TableInterval, Timeline
from icemelt.session.views.algebra import algebra_of
from icemelt.session.views.differentiation import (
    Differentiated,
    ViewTables,
    differentiate_inserts,
    differentiate_view,
    rows_as_inserts,
)
from icemelt.session.views.expanded_views import ExpandedSource, ExpandedView
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
    "name_view_in_errors",
    "require_append_only",
    "require_source_states",
    "select_change_columns",
    "select_no_changes",
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
    """The plan of a view's redo log.

    Args:
        versions: the number of versions in the log.
        tables: the plans of the tables' logs; None if each version has a plan of its own.
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
    """Return a relation with the min-delta of a view, or its inserted rows if `plan.append_only`.

    The columns are the view's, then METADATA$ACTION, METADATA$ISUPDATE and METADATA$ROW_ID. If no
    table has changed, Spark runs nothing.

    Raises:
        UnsupportedError: the view's query has no changes that icemelt can compute.
        QueryError: the inserted rows are asked for, and the view may lose rows while tables gain
            rows.
    """
    view, relation = plan.view, algebra_of(core, plan.expanded)
    if plan.append_only:
        require_append_only(view, relation)
    if not plan.has_changes:
        return select_no_changes(core, plan, resources)
    intervals = {base.table.object_id: base.scanned for base in plan.bases}
    tables = ViewTables(core, intervals, resources, view.time_zone, by_key=not plan.append_only)
    if plan.append_only:
        versions = {base.table.object_id: base.versions.inserting for base in plan.bases}
        tables.plan_append_scans(versions)
        differentiated = differentiate_inserts(relation, tables)
    else:
        tables.plan_change_scans()
        if core.scope.strategy == "ORIGINAL" or not tables.are_identified:
            return subtract_ends(core, plan, resources)
        differentiated = differentiate_view(relation, view, tables, core.scope.strategy)
    if differentiated.view is None:
        return select_no_changes(core, plan, resources)
    return select_change_columns(view, differentiated)


def subtract_ends(core: Core, plan: ViewPlan, resources: StatementResources) -> str:
    """Return the min-delta of a view whose tables have no usable row ids.

    The query runs at both ends of the interval. Equal rows of the two ends cancel, as in a bag.
    """
    view = plan.view
    after = _rows(core, plan, _ends(plan.bases), resources)
    starts = {b.table.object_id: (b.metadata, b.versions.start.snapshot_id) for b in plan.bases}
    before = _rows(core, plan, starts, resources)
    return cancel_equal_rows(
        Sides(view.columns, ((0, view.object_id),), added=after, removed=before)
    )


def view_inserts(core: Core, plan: ViewPlan, resources: StatementResources, pin: Pin) -> str:
    """Return all rows that a view has at an end of the plan's intervals, as inserts."""
    view, relation = plan.view, algebra_of(core, plan.expanded)
    intervals = {base.table.object_id: base.scanned for base in plan.bases}
    tables = ViewTables(core, intervals, resources, view.time_zone)
    tables.plan_change_scans()
    if not tables.are_identified:
        rows = _rows(core, plan, _ends(plan.bases), resources)
        return cancel_equal_rows(Sides(view.columns, ((0, view.object_id),), added=rows))
    return select_change_columns(view, rows_as_inserts(relation, tables, pin))


def require_append_only(view: ViewRecord, relation: Relation) -> None:
    """Require that a query has APPEND_ONLY changes: no rows are lost while its tables gain rows.

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
def name_view_in_errors(view: ViewRecord | None) -> Iterator[None]:
    """Add the view's name to a PointError raised in the block; None leaves the error as it is.

    Raises:
        PointError: the error of the block, with the view's name.
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


def require_source_states(state: CatalogState, view: ViewRecord) -> None:
    """Require that every source of the view has states to compare.

    Raises:
        WrongObjectKind: the view, or a view under the view, reads a stream, an external table, a
            stage, or a relation of INFORMATION_SCHEMA.
    """
    for name in names_under(state, view):
        record = state.objects.get(name)
        if isinstance(record, ExternalTableRecord):
            raise WrongObjectKind(
                f"View {str(view.name)!r} reads external table {str(name)!r}: of a file that was "
                "written again nobody knows what it was, so the view has no changes.",
                hint=f"CREATE STREAM s ON EXTERNAL TABLE {name} INSERT_ONLY = TRUE gives the rows "
                "of new files.",
            )
        if isinstance(record, StageRecord):
            raise WrongObjectKind(
                f"View {str(view.name)!r} reads stage {str(name)!r}: a view over files or a "
                "directory table has no changes.",
                hint=f"CREATE STREAM s ON STAGE {name} gives those of the directory table: write "
                "the view's query around s. An external table has a stream of new files' rows.",
            )
        if isinstance(record, StreamRecord):
            raise WrongObjectKind(
                f"View {str(view.name)!r} reads stream {str(name)!r}: it has no changes of its "
                "own.",
                hint=f"Read the view itself; or ask the source of {name} for its changes.",
            )
        if isinstance(record, InformationRecord):
            raise WrongObjectKind(
                f"View {str(view.name)!r} reads {str(name)!r}: the relation has no earlier states "
                "and no changes.",
                hint=f"SELECT * FROM {view.name} tells of the objects that there are.",
            )


def select_change_columns(view: ViewRecord, differentiated: Differentiated) -> str:
    """Return changes under the names of the view's columns, followed by the METADATA columns."""
    return change_rows(
        differentiated.view or "", view.columns, differentiated.identity, view.object_id
    )


def select_no_changes(core: Core, plan: ViewPlan, resources: StatementResources) -> str:
    """Return an empty relation with the columns of a view's changes."""
    after = _rows(core, plan, _ends(plan.bases), resources)
    return select_nothing(Sides(plan.view.columns, ((0, plan.view.object_id),), added=after))


def _ends(bases: Sequence[BaseInterval]) -> _Pins:
    return {b.table.object_id: (b.metadata, b.versions.end.snapshot_id) for b in bases}


def _rows(core: Core, plan: ViewPlan, pins: _Pins, resources: StatementResources) -> str:
    """Return a view's rows with each table at its own snapshot."""

    def relation(source: ExpandedSource, _reference: TableReference) -> str:
        metadata, snapshot_id = pins[source.record.object_id]
        return core.relations.read_snapshot(metadata, snapshot_id)

    return ViewRenderer(core, resources, relation).rows(plan.expanded)
