"""The cost of a derivative, and of running the query over both ends: from sizes in metadata alone.

A table or its changes count as the bytes of the columns read, in the files that hold the rows. If a
table is read by keys, the model takes a part of the table: as large a part as the keys' changes are
of their own table, and no smaller than the part that one key is in. Bounds of the files give that
part, for whole numbers and dates. Widths of columns give the number of groups, and of rows with a
key; how many rows a condition leaves is a guess.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import NamedTuple

from icemelt.algebra.expressions import Expression, columns
from icemelt.algebra.graph import NodeValues
from icemelt.algebra.nodes import (
    Aggregate,
    BothEndsScan,
    Delta,
    Distinct,
    Filter,
    Generate,
    Join,
    JoinKind,
    Project,
    Relation,
    Scan,
    SetOperation,
    Shared,
    UnionAll,
    Values,
    Window,
)
from icemelt.changes.differentiation import Derivative, node_count
from icemelt.changes.rule import NEVER

__all__ = [
    "FEW_ROWS",
    "Cost",
    "CostModel",
    "Estimate",
    "TableSize",
    "both_ends_cost",
    "derivative_cost",
    "model_shared_relations",
]

# Seconds for any plan, for a byte read, for a row that is hashed or probes a small table, for one
# that is sent and sorted or grouped, for a node that Spark plans, and for a Spark job before the
# last one. `scripts/fit_costs.py` fits them to the cells of `make bench ONLY=choice`.
_PLAN, _BYTE, _ROW, _MOVED, _NODE, _JOB = 0.2, 10e-9, 69e-9, 238e-9, 16e-3, 40e-3
# Factor for a table that is read by keys: not all of the files are read to the end.
_BY_KEYS = 0.7
# The part of a table's rows that has the keys, as a multiple of the part of the other table's rows
# that has changed: if rows of one key stand together, and if rows of one key are anywhere.
_TOGETHER, _ANYWHERE = 4, 30
# Above this selectivity rows of one key count as being anywhere.
_MOSTLY = 0.5
# Output rows for one input row: of a filter, a grouping, and a semi join or DISTINCT.
_FILTERED, _GROUPED, _MET = 0.3, 0.3, 0.5
# The part of the rows of both ends that are of one end alone.
_DIFFERING = 0.01
# Output rows for one input row of a generating function.
_MADE = 2
# As many tasks group a table's rows before they are sent: of a group each sends a row.
_TASKS = 8
# How often a row is sent or sorted, of a set operation at both ends and of a window.
_SET_PASSES, _WINDOW_PASSES = 3, 4
# So few rows are broadcast, or collected.
FEW_ROWS = 100_000
_BITS_OF_A_BYTE, _MOST_BITS, _MOST_VALUES = 8, 60, 2.0**60


@dataclass(frozen=True, slots=True)
class TableSize:
    """The size of a table and of the table's changes over one interval, from metadata alone.

    Args:
        bytes: size of the table's files.
        rows: number of the table's rows.
        changed_bytes: size of the files with the table's changes.
        changed_rows: number of changed rows.
        columns: number of the table's columns.
        selectivities: for each column with bounds the part of the table, from 0 to 1, in whose
            files a value of the column may be.
        at_hand: whether the changes are few, and are collected before the query runs.
        once: whether the changes have at most one deleted and one inserted row for each row id.
        again: bytes that a scan of both ends reads beside the table at the end. If rows of the end
            cannot be told from rows of the start, these are all bytes of the start.
        widths: for each column the bytes that a row takes in the files, compressed.
    """

    bytes: int
    rows: int
    changed_bytes: int
    changed_rows: int
    columns: int
    selectivities: Mapping[str, float]
    at_hand: bool
    once: bool
    again: int
    widths: Mapping[str, float] = field(default_factory=dict)

    @property
    def scattered_part(self) -> float:
        """The part of the table's bytes in files with changes."""
        return min(1.0, self.changed_bytes / self.bytes) if self.bytes else 0.0

    @property
    def changed_part(self) -> float:
        """The part of the table's rows changed by the interval."""
        return self.changed_rows / self.rows if self.rows else 0.0

    def part(self, columns: Sequence[str]) -> float:
        """Return the part of the table's bytes that some of its columns take.

        What the files have beside the columns of known widths is of the others, each as wide.

        >>> size = TableSize(1_000, 100, 0, 0, 3, {}, True, True, 0, {"id": 2.0})
        >>> size.part(["id"]), size.part(["document"]), size.part(["id", "document", "other"])
        (0.2, 0.4, 1.0)
        """
        known = sum(self.widths.values())
        unknown = max(0, self.columns - len(self.widths))
        if not known or not self.rows:
            return len(columns) / max(self.columns, len(columns), 1)
        rest = max(0.0, self.bytes / self.rows - known) / max(unknown, 1)
        read = sum(self.widths.get(name, rest) for name in columns)
        return min(1.0, read / (known + rest * unknown))

    def distinct(self, column: str) -> float:
        """Return about how many values a column has; infinite where that is not known.

        A file takes for a value no fewer bits than it takes to tell the values apart, if they come
        in no order. Values that stand together take fewer, however many they are.

        >>> size = TableSize(8 << 20, 1 << 23, 0, 0, 2, {}, True, True, 0, {"flag": 0.25, "id": 1})
        >>> size.distinct("flag"), size.distinct("id"), size.distinct("other")
        (4.0, 256.0, inf)
        """
        width = self.widths.get(column)
        if width is None or self.selectivities.get(column, 1.0) < _MOSTLY:
            return math.inf
        values = math.exp2(min(width * _BITS_OF_A_BYTE, _MOST_BITS))
        return max(1.0, min(float(self.rows), values))


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of a plan: bytes read, rows worked on and moved, nodes planned, Spark jobs before.

    >>> print(Cost(bytes=250e6, rows=1_000_000, moved=20_000, nodes=40, jobs=2))
    3.49 s (250.0 MB read, 1,000,000 rows worked on, 20,000 moved, 40 nodes planned, 2 jobs before)
    """

    bytes: float
    rows: float
    moved: float
    nodes: int
    jobs: int = 0

    def __str__(self) -> str:
        """Return the cost in seconds, and what it is of."""
        return (
            f"{self.seconds:,.2f} s ({self.bytes / 1e6:,.1f} MB read, {self.rows:,.0f} rows "
            f"worked on, {self.moved:,.0f} moved, {self.nodes} nodes planned, {self.jobs} jobs "
            "before)"
        )

    @property
    def seconds(self) -> float:
        """The expected time, on two cores."""
        work = self.bytes * _BYTE + self.rows * _ROW + self.moved * _MOVED
        return _PLAN + work + self.nodes * _NODE + self.jobs * _JOB


@dataclass(frozen=True, slots=True)
class Estimate:
    """The estimated work for one relation.

    Args:
        bytes: bytes that are read.
        worked: rows that are hashed, or that probe a small table.
        moved: rows that are sent to be sorted, grouped or joined.
        rows: rows of the relation.
        distinct: about how many values each column has, infinite where that is not known.
    """

    bytes: float = 0.0
    worked: float = 0.0
    moved: float = 0.0
    rows: float = 0.0
    distinct: tuple[float, ...] = ()

    def values_of(self, expression: Expression) -> float:
        """Return about how many values an expression over the columns has, at most."""
        known = (
            self.distinct[at] if 0 <= at < len(self.distinct) else math.inf
            for at in expression.columns
        )
        return _combinations(known)

    def groups_of(self, keys: Iterable[Expression], others: float) -> float:
        """Return about how many groups rows of equal keys are; `others` where that is not known."""
        groups = _combinations(map(self.values_of, keys))
        return others if math.isinf(groups) else min(groups, self.rows)


@dataclass(frozen=True, slots=True)
class CostModel:
    """Estimates the work for relations of one plan.

    A derivative reads a table by the keys of changed rows. The example table has 4,000,000 rows in
    80 MB, written in the order of `order`: a value of `order` may be in 2 % of the files (the
    selectivity). One row was updated, so the changes have two rows. The model then expects 1.1 MB
    (80 MB · 0.02 · `_BY_KEYS`) and 8 rows for the rows of the changed orders, in place of the whole
    table.

    Args:
        sizes: the size of each table, by the table's slot in the query.
        relations: the plan's shared relations by name.
        estimates: the estimate for one use of each shared relation, by name.

    >>> from icemelt.algebra.expressions import column
    >>> part = {"order": 0.02}
    >>> size = TableSize(80_000_000, 4_000_000, 1_000_000, 2, 1, part, True, True, 0)
    >>> table, changes = Scan("lines", ("order",)), Delta("lines", ("order",))
    >>> keys = Project(changes, (column(0),))
    >>> by_keys = Join(JoinKind.SEMI, table, keys, ((column(0), column(0)),))
    >>> model = CostModel({"lines": size})
    >>> model.estimate(table)
    Estimate(bytes=80000000.0, worked=0.0, moved=0.0, rows=4000000, distinct=(inf,))
    >>> model.estimate(by_keys)
    Estimate(bytes=1120000.0, worked=80000.0, moved=0.0, rows=8.0, distinct=(inf,))
    """

    sizes: Mapping[str, TableSize]
    relations: Mapping[str, Relation] = field(default_factory=dict)
    estimates: dict[str, Estimate] = field(default_factory=dict)

    def estimate(self, relation: Relation) -> Estimate:
        """Return the estimate for a relation. Small changes are at hand, and cost no bytes."""
        estimates = NodeValues[Relation, Estimate](lambda node: self._estimate(node, estimates))
        return estimates(relation)

    def _estimate(self, relation: Relation, of_input: Callable[[Relation], Estimate]) -> Estimate:
        match relation:
            case Scan(source, columns):
                size = self.sizes[source]
                return self._leaf(relation, size.bytes * size.part(columns), size.rows)
            case Delta(source):
                size = self.sizes[source]
                if size.at_hand:
                    return self._leaf(relation, 0.0, size.changed_rows)
                found = self._leaf(relation, self.delta_bytes(relation), size.changed_rows)
                # rows of one identity are looked for, at each use
                return replace(found, moved=float(size.changed_rows))
            case BothEndsScan(source, columns):
                size = self.sizes[source]
                times = 1 + size.again / size.bytes if size.bytes else 1
                read = size.bytes * times * size.part(columns)
                return self._leaf(relation, read, size.rows * times)
            case Shared(name):
                return self.estimates[name]
            case Filter(condition=condition) if condition == NEVER:
                return Estimate(distinct=(1.0,) * relation.width)
            case Join(JoinKind.SEMI, Scan() as scan, keys) if met := self._match_keys(relation):
                table, others = of_input(scan), of_input(keys)
                read = table.bytes * met.files * _BY_KEYS + others.bytes
                rows = table.rows * met.rows
                asked = table.rows * met.files
                # of many keys each task would have all: they are sent to the rows of their values
                moved = others.moved + (asked + others.rows if others.rows > FEW_ROWS else 0)
                return Estimate(read, asked + others.worked, moved, rows, table.distinct)
        return _estimate_operator(relation, [*map(of_input, relation.inputs)])

    def _leaf(self, leaf: Scan | Delta | BothEndsScan, read: float, rows: float) -> Estimate:
        """Return the estimate for a leaf, whose further columns have values of their own."""
        known = [self.sizes[leaf.source].distinct(name) for name in leaf.columns]
        unknown = [math.inf] * (leaf.width - len(known))
        return Estimate(read, 0.0, 0.0, rows, (*known, *unknown))

    def delta_bytes(self, delta: Delta) -> float:
        """Return the number of bytes read for a table's changes."""
        size = self.sizes[delta.source]
        return size.changed_bytes * size.part(delta.columns)

    def saves_a_job(self, joins: Sequence[Join]) -> bool:
        """Return whether reading for the largest semi join alone saves the cost of a Spark job.

        False if the rows of a semi join are not known to be few.
        """
        if not all(map(self._match_keys, joins)):
            return False
        estimates = [self.estimate(join) for join in joins]
        read = [estimate.bytes for estimate in estimates]
        most_rows = max(estimate.rows for estimate in estimates)
        return (sum(read) - max(read)) * _BYTE > _JOB and most_rows < FEW_ROWS

    def _match_keys(self, join: Join) -> _KeyMatch | None:
        """Return the part of the left table that has a semi join's keys; None if unknown."""
        found = []
        for mine, theirs in join.equalities:
            spread, origins = (
                self._selectivity(join.left, mine),
                self._key_sources(join.right, theirs),
            )
            if spread is not None and origins is not None:
                spread = max(spread, *(each.selectivity for each in origins))
                files = max(spread, *(each.size.scattered_part for each in origins))
                rows = max(
                    self._matched_part(join.left, mine, spread, each.size) for each in origins
                )
                found.append(_KeyMatch(files, min(1.0, rows)))
        return min(found, key=lambda each: each.rows, default=None)

    def _matched_part(
        self, relation: Relation, key: Expression, spread: float, changed: TableSize
    ) -> float:
        """Return the part of a table's rows that have a key of another table's changes.

        Args:
            relation: the table.
            key: its key.
            spread: the part of its files in which one value of the key may be.
            changed: the table with the changes.
        """
        values = self.estimate(relation).values_of(key)
        if not math.isinf(values):
            return changed.changed_rows / max(values, 1.0)
        return changed.changed_part * (_TOGETHER if spread < _MOSTLY else _ANYWHERE)

    def _selectivity(self, relation: Relation, key: Expression) -> float | None:
        match relation:
            case Scan(source, columns) if key.as_column is not None and key.as_column < len(
                columns
            ):
                return self.sizes[source].selectivities.get(columns[key.as_column])
        return None

    def _key_sources(self, relation: Relation, key: Expression) -> list[_KeySource] | None:
        """Return the tables whose changes give all values of a key; None with other sources."""
        match relation:
            case Delta(source, columns) if key.as_column is not None and key.as_column < len(
                columns
            ):
                size = self.sizes[source]
                spread = size.selectivities.get(columns[key.as_column])
                return None if spread is None else [_KeySource(size, spread)]
            case Shared(name) if name in self.relations:
                return self._key_sources(self.relations[name], key)
            case Project(inner, expressions) if key.as_column is not None:
                return self._key_sources(inner, expressions[key.as_column])
            case Filter(inner) | Distinct(inner):
                return self._key_sources(inner, key)
            case UnionAll(inputs):
                found = [self._key_sources(each, key) for each in inputs]
                known = [each for each in found if each is not None]
                return list(chain(*known)) if len(known) == len(found) else None
        return None


class _KeySource(NamedTuple):
    """A table with keys in its changes, and the part of the table's files a key may be in."""

    size: TableSize
    selectivity: float


class _KeyMatch(NamedTuple):
    """The part of a table's files to read for keys, and the part of its rows with a key."""

    files: float
    rows: float


def _combinations(counts: Iterable[float]) -> float:
    """Return of how many values pairs, triples and so on are; infinite where one is not known."""
    product = 1.0
    for count in counts:
        if math.isinf(count):
            return count
        product = min(product * count, _MOST_VALUES)
    return product


def _estimate_operator(relation: Relation, inputs: Sequence[Estimate]) -> Estimate:
    """Return the estimate for an operator, by the estimates for its inputs."""
    rows = _output_rows(relation, inputs)
    worked, moved = _work(relation, inputs, rows)
    below = tuple(values for each in inputs for values in each.distinct)
    known = Estimate(distinct=below)
    distinct = tuple(
        math.inf if origin is None else known.values_of(origin) for origin in relation.origins
    )
    match relation:
        case UnionAll():
            distinct = tuple(map(sum, zip(*(each.distinct for each in inputs), strict=True)))
        case Aggregate(keys=keys):
            # an aggregate has other values than what it is of; so has a function of a window
            distinct = (*distinct[: len(keys)], *[math.inf] * (len(distinct) - len(keys)))
        case Window(of):
            distinct = (*distinct[: of.width], *[math.inf] * (len(distinct) - of.width))
    return Estimate(
        sum(each.bytes for each in inputs),
        sum(each.worked for each in inputs) + worked,
        sum(each.moved for each in inputs) + moved,
        rows,
        distinct,
    )


def _work(relation: Relation, inputs: Sequence[Estimate], made: float) -> tuple[float, float]:
    """Return how many rows an operator works on, and how many are sent to it.

    Args:
        relation: the operator.
        inputs: the estimates for its inputs.
        made: how many rows it gives.
    """
    rows = [each.rows for each in inputs]
    match relation:
        case Aggregate() | Distinct():
            return sum(rows), min(sum(rows), made * _TASKS)
        case SetOperation():
            return sum(rows), _SET_PASSES * sum(rows)
        case Window():
            return sum(rows), _WINDOW_PASSES * sum(rows)
        case Join() if min(rows) > FEW_ROWS:
            return sum(rows), sum(rows)
        case Join() | Generate():
            return sum(rows), 0.0
    return 0.0, 0.0


def _output_rows(relation: Relation, inputs: Sequence[Estimate]) -> float:
    """Return the number of rows that an operator gives, by the estimates for its inputs."""
    rows = [each.rows for each in inputs]
    match relation:
        case Values(written):
            return len(written)
        case Filter():
            return rows[0] * _FILTERED
        case Aggregate(keys=keys):
            return inputs[0].groups_of(keys, rows[0] * _GROUPED) if keys else 1
        case Distinct(of):
            return inputs[0].groups_of(columns(0, of.width), rows[0] * _MET)
        case Join(JoinKind.SEMI):
            return rows[0] * _met_part(relation, inputs)
        case Join(JoinKind.ANTI):
            return rows[0] * _MET
        case Join():
            return max(rows)
        case Generate():
            return rows[0] * _MADE
    return sum(rows)


def _met_part(join: Join, inputs: Sequence[Estimate]) -> float:
    """Return the part of the left rows that have a partner, by how many values their key has."""
    left, right = inputs
    values = _combinations(left.values_of(mine) for mine, _ in join.equalities)
    return _MET if math.isinf(values) else min(1.0, right.rows / max(values, 1.0))


def both_ends_cost(relation: Relation | None, sizes: Mapping[str, TableSize]) -> Cost:
    """Return the cost of reading the rows of both ends; `relation` is as of `compare_both_ends`."""
    if relation is None:
        return Cost(0, 0, 0, 0)
    model = CostModel(sizes)
    match relation:
        case Project(Filter(rows)):
            # the rows that are of both ends alike are left out, and the others compared
            estimate = model.estimate(rows)
            moved = estimate.moved + estimate.rows * _DIFFERING
        case _:
            estimate = model.estimate(relation)
            moved = estimate.moved + estimate.rows
    return Cost(estimate.bytes, estimate.worked, moved, node_count(relation, {}))


def model_shared_relations(derived: Derivative, sizes: Mapping[str, TableSize]) -> CostModel:
    """Return a cost model of a derivative in which all shared relations are at hand."""
    model = CostModel(sizes, dict(derived.shared))
    for name, relation in derived.shared:
        estimate = model.estimate(relation)
        model.estimates[name] = Estimate(rows=estimate.rows, distinct=estimate.distinct)
    return model


def derivative_cost(derived: Derivative, sizes: Mapping[str, TableSize]) -> Cost:
    """Return the cost of a query's derivative."""
    model = CostModel(sizes, dict(derived.shared))
    changes = derived.changes
    collected = tuple(delta for delta in changes if sizes[delta.source].at_hand)
    read, worked, nodes = sum(map(model.delta_bytes, collected)), 0.0, 0
    moved = float(sum(sizes[delta.source].changed_rows for delta in collected))
    jobs, counts = int(bool(collected)), dict[str, int]()
    for name, relation in derived.parts:
        counts[name] = node_count(relation, counts)
        model.estimates[name] = estimate = model.estimate(relation)
        if collected == changes or not name:
            jobs += bool(name) and estimate.bytes > 0
            read, nodes = read + estimate.bytes, nodes + counts[name]
            worked, moved = worked + estimate.worked, moved + estimate.moved
            counts[name] = 1
            model.estimates[name] = Estimate(rows=estimate.rows, distinct=estimate.distinct)
    return Cost(read, worked, moved, nodes, jobs)
