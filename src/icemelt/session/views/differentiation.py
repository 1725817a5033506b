"""The changes of a view's query on Spark: its tables' changes and both their ends, as relations."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pyspark.sql import DataFrame
from pyspark.sql.types import DataType, LongType, StructField, StructType

from icemelt.algebra.expressions import Expression, columns, text
from icemelt.algebra.identity import add_identity
from icemelt.algebra.nodes import (
    BothEndsScan,
    Delta,
    Distinct,
    Filter,
    Pin,
    Project,
    Relation,
    Scan,
    Shared,
    UnionAll,
)
from icemelt.catalog.records import ViewRecord
from icemelt.changes.append_only import append_only_changes
from icemelt.changes.both_ends import compare_both_ends
from icemelt.changes.choice import PlanChoice, choose_plan
from icemelt.changes.consolidate import consolidate_changes
from icemelt.changes.cost import FEW_ROWS, Cost, TableSize
from icemelt.changes.differentiation import (
    PLANNING_BUDGET,
    Derivative,
    differentiate_query,
    min_delta,
    node_count,
)
from icemelt.changes.naive import naive_changes
from icemelt.changes.pin import pin_relation
from icemelt.changes.ranges import KeyRange, KeyRanges
from icemelt.changes.shape import Shape
from icemelt.engine.adaptation import disable_adaptive_execution
from icemelt.engine.collecting import collect_if_few, collect_relations, is_collectable
from icemelt.engine.relations import BaseDelta
from icemelt.engine.resources import StatementResources
from icemelt.quoting import quote
from icemelt.schema import Column
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.spark_sql import run_sql
from icemelt.session.views.plan_frames import frame_of_relation
from icemelt.spark_sql.equality import canonical_form
from icemelt.spark_sql.weights import ROW, WEIGHT, IdColumn
from icemelt.sql.lowering.exact import Types
from icemelt.tables.scans.change_scan import Interval
from icemelt.tables.scans.selectivity import ColumnStatistics

__all__ = [
    "SHAPES",
    "Differentiated",
    "ViewTables",
    "correct_choice",
    "differentiate_each_version",
    "differentiate_inserts",
    "differentiate_view",
    "rows_as_inserts",
    "size_of",
    "types_of",
]

_COLUMN = "icemelt$column"
# In files, where a row takes less than in memory.
_MOST_BYTES, _MOST_ROWS = 8 << 20, 500_000
SHAPES = {
    "EMPTY": Shape.EMPTY,
    "ADDED_ONLY": Shape.INSERTS,
    "REMOVED_ONLY": Shape.DELETES,
    "MINIMIZE": Shape.BOTH,
}


@dataclass(frozen=True, slots=True)
class Differentiated:
    """Changes as a temporary view of Spark's, None where nothing has changed.

    Its columns are c0, c1, …, those of the `identity`, the weight, and whether it is of an update.
    """

    view: str | None
    identity: tuple[IdColumn, ...] = ()


@dataclass(frozen=True, slots=True)
class ViewTables:
    """The tables under a view, by object id: their rows at both ends, and their changes.

    Relations that a plan shares become temporary views of Spark, analysed once, in the view's time
    zone.

    Args:
        core: the session's parts.
        intervals: the interval of each table.
        resources: gains the staged scans and the temporary views.
        zone: the view's time zone.
        by_key: whether a key declared with RELY is the identity; otherwise the row id is.
        deltas: the planned changes of each table; see `plan_change_scans`, `plan_append_scans`.
        sizes: the sizes of each table and of the table's changes.
    """

    core: Core
    intervals: Mapping[str, Interval]
    resources: StatementResources
    zone: str
    by_key: bool = True
    deltas: dict[str, BaseDelta] = field(default_factory=dict)
    sizes: dict[str, TableSize] = field(default_factory=dict)
    _views: dict[str, str] = field(default_factory=dict)
    _ranges: KeyRanges = field(default_factory=lambda: KeyRanges({}, {}, {}))

    def plan_change_scans(self) -> None:
        """Plan a scan of each table's changes."""
        for table_id, interval in self.intervals.items():
            delta = self.core.relations.plan_delta(interval, self.resources)
            self.deltas[table_id] = delta
            self.sizes[table_id] = size_of(self.core, interval, delta)

    def plan_append_scans(self, versions: Mapping[str, Sequence[Sequence[int]]]) -> None:
        """Plan a scan of the rows that versions of each table inserted.

        `versions` are the ids of each version's snapshots, by the table's id.
        """
        for table_id, interval in self.intervals.items():
            snapshots = versions[table_id]
            delta = self.core.relations.plan_append_delta(
                interval.metadata, snapshots, self.resources, interval.foreign
            )
            self.deltas[table_id] = delta
            self.sizes[table_id] = size_of(self.core, interval, delta)

    @property
    def shapes(self) -> dict[str, Shape]:
        """What is known of each table's changes."""
        return {table_id: SHAPES[each.plan.shape] for table_id, each in self.deltas.items()}

    @property
    def types(self) -> Types:
        """The types of the tables' columns."""
        return types_of({table: each.metadata.columns for table, each in self.intervals.items()})

    @property
    def are_identified(self) -> bool:
        """Whether the rows of all tables have an identity that lasts."""
        return all(each.usable for each in self.deltas.values())

    def read(self, leaf: Scan | Delta | BothEndsScan | Shared) -> str:
        """Return the relation of a leaf of a plan."""
        match leaf:
            case Scan(source):
                interval = self.intervals[source]
                snapshot_id = interval.start if leaf.pin is Pin.OLD else interval.end
                return self.core.relations.read_snapshot_with_identity(
                    interval.metadata, snapshot_id, by_key=self.by_key
                )
            case Delta(source):
                return self._views.get(_delta(source)) or self.deltas[source].changes() or ""
            case BothEndsScan(source):
                ends = self.deltas[source].ends
                assert ends is not None  # noqa: S101 - as from plan_change_scans()
                return ends()
            case Shared(name):
                return self._views[name]

    def check_keys(self) -> None:
        """Read the changes of tables with a declared key, where both ends do not show if it holds.

        Raises:
            DuplicateKey: rows came, or went, that have one key.
        """
        for each in self.deltas.values():
            if each.has_key and self.resources.collects and (changes := each.changes()):
                run_sql(self.core, f"SELECT count({quote(ROW)}) FROM {changes}").collect()

    def _collect_small_changes(self, changes: Iterable[Delta]) -> None:
        """Run small change scans, so that the plan contains their rows."""
        small = [each for each in changes if self.sizes[each.source].at_hand]
        small = [each for each in small if _delta(each.source) not in self._views]
        frames = {
            delta.source: self._frame(delta).toDF(*delta.columns, ROW, WEIGHT) for delta in small
        }
        frames = {source: frame for source, frame in frames.items() if is_collectable(frame)}
        found = collect_relations(list(frames.values()))
        for source, each in zip(frames, found, strict=True):
            self._views[_delta(source)] = self.resources.create_view(each.frame)
            for name, bounds in each.bounds.items():
                self._ranges.changes[source, name] = KeyRange(*bounds)

    def plan_within(
        self, derived: Derivative, budget: float = PLANNING_BUDGET
    ) -> Derivative | None:
        """Run small shared relations, and return the derivative with scans bounded by key ranges.

        Shared relations become temporary views. A shared relation is run if the tables have changed
        little; if it then has few rows, the views have these rows.

        Args:
            derived: the derivative.
            budget: the most nodes of a plan.

        Returns:
            The derivative; None if a plan has more than `budget` nodes, or if a relation in
            `derived.few` was not collected as small.
        """
        runs = self.resources.collects and all(each.at_hand for each in self.sizes.values())
        if self.resources.collects:
            self._collect_small_changes(derived.read_again)
        sizes: dict[str, int] = {}
        for name, relation in derived.shared:
            self._ranges.shared[name] = self._drop_distinct(relation)
            bounded = self._ranges.add_range_filters(self._ranges.shared[name])
            sizes[name] = node_count(bounded, sizes)
            if sizes[name] > budget:
                return None
            frame = self._frame(bounded)
            found = None
            if runs and not self._is_at_hand(bounded):
                found = collect_if_few(frame, FEW_ROWS)
            if found is None and name in derived.few:
                return None
            if found is not None:
                frame, sizes[name] = found.frame, 1
                for column, bounds in found.bounds.items():
                    self._ranges.rows[name, frame.columns.index(column)] = KeyRange(*bounds)
            self._views[name] = self.resources.create_view(frame)
        if derived.relation is None:
            return derived
        if node_count(derived.relation, sizes) > budget:
            return None
        return replace(derived, relation=self._ranges.add_range_filters(derived.relation))

    def _drop_distinct(self, relation: Relation) -> Relation:
        """Drop DISTINCT of keys whose rows are collected already: a repeated key does no harm."""
        if isinstance(relation, Distinct) and self._is_at_hand(relation):
            return relation.input
        return relation

    def _is_at_hand(self, relation: Relation) -> bool:
        """Tell whether a relation reads nothing but collected changes, row by row."""
        match relation:
            case Delta(source):
                return _delta(source) in self._views
            case Project() | Filter() | Distinct() | UnionAll():
                return all(map(self._is_at_hand, relation.inputs))
        return False

    def view(self, relation: Relation) -> tuple[str, list[StructField]]:
        """Make a temporary view of a relation; return its name and columns."""
        frame = self._frame(relation)
        return self.resources.create_view(frame), frame.schema.fields

    def _frame(self, relation: Relation) -> DataFrame:
        with self.core.in_zone(self.zone):
            return frame_of_relation(self.core, relation, self.read, self.resources)

    def expect(self, view: ViewRecord, way: str, cost: Cost) -> None:
        """Have the session learn what a plan takes, if the statement runs it.

        Args:
            view: the view.
            way: how its changes are read, a value of VIEW_CHANGES.
            cost: what the plan is expected to cost.
        """
        if self.resources.collects and self.core.settings.learn_costs:
            self.core.plans.expect(view.object_id, way, cost.seconds)

    def changes(self, relation: Relation, width: int) -> Differentiated:
        """Make a temporary view of changes of a query of some width."""
        name, fields = self.view(relation)
        return Differentiated(name, tuple(_id_column(field.dataType) for field in fields[width:-2]))


def _id_column(kind: DataType) -> IdColumn:
    if isinstance(kind, StructType):
        return IdColumn(isinstance(kind["id"].dataType, LongType), has_version=True)
    return IdColumn(isinstance(kind, LongType))


def _delta(source: str) -> str:
    return f"changes of {source}"


def types_of(tables: Mapping[str, Sequence[Column]]) -> Types:
    """Return the types of columns of tables."""
    return Types({name: {each.name: each.type for each in of} for name, of in tables.items()})


def size_of(core: Core, interval: Interval, delta: BaseDelta) -> TableSize:
    """Return how large a table is, in the newest state that has rows, and its changes."""
    metadata = interval.metadata
    ends = [metadata.snapshots[end] for end in (interval.start, interval.end) if end is not None]
    filled = [each for each in ends if each.count("total-records")]
    size = rows = 0
    known = ColumnStatistics()
    if filled:
        size, rows = (filled[-1].count(f"total-{what}") for what in ("files-size", "records"))
        known = core.relations.column_statistics(metadata, filled[-1].snapshot_id)
    of_row = max(
        (each.count("total-files-size") / each.count("total-records") for each in filled), default=0
    )
    return TableSize(
        size,
        rows,
        delta.plan.to_read,
        delta.plan.rows,
        len(metadata.columns),
        known.selectivities,
        at_hand=delta.plan.rows * of_row <= _MOST_BYTES and delta.plan.rows <= _MOST_ROWS,
        once=delta.once,
        again=_extra_bytes_of_both_ends(size, delta),
        widths=known.widths,
    )


def _extra_bytes_of_both_ends(size: int, delta: BaseDelta) -> int:
    """Return how many bytes a scan of both ends reads beside the table at the end."""
    return delta.surviving.elsewhere.to_read if delta.surviving else size


def differentiate_view(
    relation: Relation, view: ViewRecord, tables: ViewTables, strategy: str
) -> Differentiated:
    """Return the changes of a view's query.

    Args:
        relation: the query over tables.
        view: the view.
        tables: the tables under the view, with planned change scans.
        strategy: a value of VIEW_CHANGES. AUTO takes the derivative if the derivative costs no more
            than both ends. APART, for the case that all others fail, runs the query at each end by
            itself.
    """
    compared = _grouping_forms(view.columns)
    tables.core.scope.fallback_strategy = "" if strategy == "APART" else "APART"
    if strategy in {"AUTO", "INCREMENTAL"}:
        found = choose_plan(relation, tables.shapes, tables.sizes, tables.types.is_whole)
        found = correct_choice(tables.core, view.object_id, found)
        derived = _plan_derivative(found, tables, strategy)
        if derived is not None:
            if derived.relation is not None:
                tables.expect(view, "INCREMENTAL", found.cost)
            return _take_min_delta(tables, derived, compared)
        both = found.both_ends
        if both is not None:
            tables.expect(view, "BOTH_ENDS", found.cost_of_both_ends)
    elif strategy == "BOTH_ENDS":
        both = compare_both_ends(
            add_identity(relation).relation, tables.shapes, tables.types.is_whole
        )
    else:
        tables.check_keys()
        return tables.changes(naive_changes(relation, compared), relation.width)
    if both is None:
        return Differentiated(None)
    tables.check_keys()
    return tables.changes(consolidate_changes(both, relation.width, compared), relation.width)


def correct_choice(core: Core, view_id: str, found: PlanChoice) -> PlanChoice:
    """Return a choice of plans with what the session has learnt of the view's plans.

    Args:
        core: the session's parts.
        view_id: the object id of the view.
        found: the plans, and what they are expected to take.
    """
    if not core.settings.learn_costs:
        return found
    known = core.plans.memory
    return replace(
        found,
        correction=known.correction(view_id, "INCREMENTAL"),
        correction_of_both_ends=known.correction(view_id, "BOTH_ENDS"),
    )


def _plan_derivative(found: PlanChoice, tables: ViewTables, strategy: str) -> Derivative | None:
    """Plan the derivative, None where both ends are to be read."""
    scope = tables.core.scope
    if found.fallback.is_too_large:
        return None
    if strategy == "AUTO" and not found.is_derivative:
        scope.fallback_strategy = "INCREMENTAL"
        return None
    scope.resources.enter_context(disable_adaptive_execution(tables.core.spark))
    planned = tables.plan_within(found.derived)
    if planned is None and found.derived.few:
        planned = tables.plan_within(found.fallback)
    scope.disable_aqe = planned is not None
    return planned


def differentiate_inserts(relation: Relation, tables: ViewTables) -> Differentiated:
    """Return the rows that a monotonic query gained from the rows that its tables gained."""
    planned = tables.plan_within(append_only_changes(relation, tables.shapes), math.inf)
    assert planned is not None  # noqa: S101 - nothing is beyond that budget
    return _take_min_delta(tables, planned, {})


def differentiate_each_version(
    relation: Relation, view_columns: Sequence[Column], tables: ViewTables
) -> Differentiated:
    """Return the changes of every version of a query of linear operators, in one pass.

    The plan reads the change scans alone. The identity of a changed row contains the version.
    """
    return _take_min_delta(
        tables, differentiate_query(relation, tables.shapes), _grouping_forms(view_columns)
    )


def _take_min_delta(
    tables: ViewTables, planned: Derivative, compared: Mapping[int, Expression]
) -> Differentiated:
    changes = min_delta(planned, compared)
    return Differentiated(None) if changes is None else tables.changes(changes, planned.width)


def _grouping_forms(view_columns: Sequence[Column]) -> dict[int, Expression]:
    """What to group by in the place of columns that Spark does not group by."""
    found = {}
    for number, each in enumerate(view_columns):
        parts = canonical_form(each.type, _COLUMN).split(_COLUMN)
        if parts != ["", ""]:
            written = [part for text in parts for part in (text, number)]
            found[number] = Expression(tuple(written[:-1]))
    return found


def rows_as_inserts(relation: Relation, tables: ViewTables, pin: Pin) -> Differentiated:
    """Return all rows that a query over tables has at an end, as inserts."""
    rows = add_identity(pin_relation(relation, pin)).relation
    made = Project(rows, (*columns(0, rows.width), text("1"), text("false")))
    return tables.changes(made, relation.width)
