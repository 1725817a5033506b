"""The cost of a derivative, and of running the query over both ends: from sizes in metadata alone.

A table or its changes count as the bytes of the columns read, in the files that hold the rows. If a
table is read by keys, the model takes a part of the table: as large a part as the keys' changes are
of their own table, and no smaller than the part that one key is in. Bounds of the files give that
part, for whole numbers and dates. The number of rows between operators is a guess.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

from icemelt.algebra.expressions import Expression
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

# Seconds for a byte read, for a row that is grouped or sent to a join, for a node that Spark plans,
# and for a Spark job before the last one. Fitted to TPC-H's queries, of 1 GB on two cores.
_BYTE, _ROW, _NODE, _JOB = 3.6e-9, 36e-9, 2.9e-3, 60e-3
# Factor for the files of changes: where rows were removed, files are read row by row.
_CHANGED = 2
# Factor for a table that is read by keys: not all of the files are read to the end.
_BY_KEYS = 0.7
# The part of a table's rows that has the keys, as a multiple of the part of the other table's rows
# that has changed: if rows of one key stand together, and if rows of one key are anywhere.
_TOGETHER, _ANYWHERE = 4, 30
# Above this selectivity rows of one key count as being anywhere.
_MOSTLY = 0.5
# Output rows for one input row: of a filter, a grouping, and a semi join or DISTINCT.
_FILTERED, _GROUPED, _MET = 0.3, 0.3, 0.5
# Output rows for one input row of a generating function.
_MADE = 2
# So few rows are broadcast, or collected.
FEW_ROWS = 100_000


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

    @property
    def scattered_part(self) -> float:
        """The part of the table's bytes in files with changes."""
        return min(1.0, self.changed_bytes / self.bytes) if self.bytes else 0.0

    @property
    def changed_part(self) -> float:
        """The part of the table's rows changed by the interval."""
        return self.changed_rows / self.rows if self.rows else 0.0

    def part(self, columns: int) -> float:
        """Return the part of the table's bytes taken by a number of columns."""
        return columns / max(self.columns, columns, 1)


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of a plan: bytes read, rows worked on, nodes planned, and Spark jobs run before.

    >>> print(Cost(bytes=250e6, rows=1_000_000, nodes=40, jobs=2))
    1.17 s (250.0 MB read, 1,000,000 rows grouped or joined, 40 nodes planned, 2 jobs before)
    """

    bytes: float
    rows: float
    nodes: int
    jobs: int = 0

    def __str__(self) -> str:
        """Return the cost in seconds, and what it is of."""
        return (
            f"{self.seconds:,.2f} s ({self.bytes / 1e6:,.1f} MB read, {self.rows:,.0f} rows "
            f"grouped or joined, {self.nodes} nodes planned, {self.jobs} jobs before)"
        )

    @property
    def seconds(self) -> float:
        """The expected time, on two cores."""
        return self.bytes * _BYTE + self.rows * _ROW + self.nodes * _NODE + self.jobs * _JOB


@dataclass(frozen=True, slots=True)
class Estimate:
    """The estimated work for one relation.

    Args:
        bytes: bytes that are read.
        rows_worked_on: rows that are grouped, sorted or sent to be joined.
        rows: rows of the relation.
    """

    bytes: float = 0.0
    rows_worked_on: float = 0.0
    rows: float = 0.0


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
    Estimate(bytes=80000000.0, rows_worked_on=0, rows=4000000)
    >>> model.estimate(by_keys)
    Estimate(bytes=1120000.0, rows_worked_on=0, rows=8.0)
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
                return Estimate(size.bytes * size.part(len(columns)), 0, size.rows)
            case Delta(source):
                size = self.sizes[source]
                return Estimate(
                    0 if size.at_hand else self.delta_bytes(relation), 0, size.changed_rows
                )
            case BothEndsScan(source, columns):
                size = self.sizes[source]
                times = 1 + size.again / size.bytes if size.bytes else 1
                return Estimate(size.bytes * times * size.part(len(columns)), 0, size.rows * times)
            case Shared(name):
                return self.estimates[name]
            case Filter(condition=condition) if condition == NEVER:
                return Estimate()
            case Join(JoinKind.SEMI, Scan() as scan, keys) if met := self._match_keys(relation):
                table, others = of_input(scan), of_input(keys)
                read = table.bytes * met.files * _BY_KEYS + others.bytes
                return Estimate(read, others.rows_worked_on, table.rows * met.rows)
        inputs = [of_input(each) for each in relation.inputs]
        rows = [each.rows for each in inputs]
        worked = sum(each.rows_worked_on for each in inputs) + _rows_worked_on(relation, rows)
        return Estimate(sum(each.bytes for each in inputs), worked, _output_rows(relation, rows))

    def delta_bytes(self, delta: Delta) -> float:
        """Return the number of bytes read for a table's changes."""
        size = self.sizes[delta.source]
        return size.changed_bytes * size.part(len(delta.columns)) * _CHANGED

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
                times = _TOGETHER if spread < _MOSTLY else _ANYWHERE
                rows = times * max(each.size.changed_part for each in origins)
                found.append(_KeyMatch(files, min(1.0, rows)))
        return min(found, key=lambda each: each.rows, default=None)

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


def _rows_worked_on(relation: Relation, rows: Sequence[float]) -> float:
    """Return the number of rows that a node groups, sorts or sends.

    Args:
        relation: the node.
        rows: the number of rows of each input.
    """
    match relation:
        case Aggregate() | Distinct() | SetOperation():
            return sum(rows)
        case Window():
            return 2 * sum(rows)
        case Join():
            return 2 * min(rows) if min(rows) > FEW_ROWS else 0
    return 0


def _output_rows(relation: Relation, rows: Sequence[float]) -> float:
    """Return the number of rows that a node gives.

    Args:
        relation: the node.
        rows: the number of rows of each input.
    """
    match relation:
        case Values(written):
            return len(written)
        case Filter():
            return rows[0] * _FILTERED
        case Aggregate(keys=keys):
            return rows[0] * _GROUPED if keys else 1
        case Distinct():
            return rows[0] * _MET
        case Join(kind) if kind.gives_left_alone:
            return rows[0] * _MET
        case Join():
            return max(rows)
        case Generate():
            return rows[0] * _MADE
    return sum(rows)


def both_ends_cost(relation: Relation | None, sizes: Mapping[str, TableSize]) -> Cost:
    """Return the cost of reading the rows of both ends; `relation` is as of `compare_both_ends`."""
    if relation is None:
        return Cost(0, 0, 0)
    estimate = CostModel(sizes).estimate(relation)
    return Cost(estimate.bytes, estimate.rows_worked_on + estimate.rows, node_count(relation, {}))


def model_shared_relations(derived: Derivative, sizes: Mapping[str, TableSize]) -> CostModel:
    """Return a cost model of a derivative in which all shared relations are at hand."""
    model = CostModel(sizes, dict(derived.shared))
    for name, relation in derived.shared:
        model.estimates[name] = Estimate(rows=model.estimate(relation).rows)
    return model


def derivative_cost(derived: Derivative, sizes: Mapping[str, TableSize]) -> Cost:
    """Return the cost of a query's derivative."""
    model = CostModel(sizes, dict(derived.shared))
    changes = derived.changes
    collected = tuple(delta for delta in changes if sizes[delta.source].at_hand)
    read, worked, nodes = sum(map(model.delta_bytes, collected)), 0.0, 0
    jobs, counts = int(bool(collected)), dict[str, int]()
    for name, relation in derived.parts:
        counts[name] = node_count(relation, counts)
        model.estimates[name] = estimate = model.estimate(relation)
        if collected == changes or not name:
            jobs += bool(name) and estimate.bytes > 0
            read, worked, nodes = (
                read + estimate.bytes,
                worked + estimate.rows_worked_on,
                nodes + counts[name],
            )
            counts[name], model.estimates[name] = 1, Estimate(rows=estimate.rows)
    return Cost(read, worked, nodes, jobs)
