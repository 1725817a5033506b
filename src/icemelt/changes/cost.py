"""What a derivative reads, against what the query reads at both ends: from sizes in metadata alone.

Tables and changes count as the bytes of the files that hold them, of the columns that are read.
What is asked for by keys is in as much of its table as the changes that have the keys are of
theirs, and in no less than one key is, in this table or in that. The bounds of the files tell it,
of whole numbers or dates. How many rows go on from one operator to the next is a guess.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

from icemelt.algebra.expressions import Expression
from icemelt.algebra.nodes import (
    Aggregate,
    Delta,
    Distinct,
    Ends,
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
from icemelt.changes.differentiation import Derived, node_count
from icemelt.changes.rule import NEVER

__all__ = ["FEW_ROWS", "Cost", "Flow", "Flows", "Size", "cost_of", "cost_of_both_ends", "flows_of"]

# What takes as long as so many bytes take to be read: a job more, a node more to be planned, and a
# row that is grouped or sent to be joined. Fitted to TPC-H's queries, of 1 GB on two cores.
_JOB, _NODE, _ROW = 16 << 20, 800 << 10, 10
# Where rows went, files are read row by row.
_CHANGED = 2
# Of a table that is asked by keys not all is read to the end.
_BY_KEYS = 0.7
# How many times the changed rows' part of their table is the part of another that has their keys:
# where rows of one key stand together, and where they are anywhere.
_TOGETHER, _ANYWHERE = 4, 30
_MOSTLY = 0.5
# What rows are left of many.
_FILTERED, _GROUPED, _MET = 0.3, 0.3, 0.5
# and how many are made of one.
_MADE = 2
# As few are sent to where the others are, or brought over.
FEW_ROWS = 100_000


@dataclass(frozen=True, slots=True)
class Size:
    """Of a table: bytes and rows; bytes of the files that its changes are in, and their rows.

    `columns` is how many it has, and `spreads` in what part of the table a value of one may be, of
    those with ranges. `at_hand` says that the changes are few, and `once` that of each row, by its
    identity, at most one went and at most one came. `again` are the bytes that are read beside
    those of the end for the rows of both ends: all where its rows cannot be told from the start's.
    """

    bytes: int
    rows: int
    changed_bytes: int
    changed_rows: int
    columns: int
    spreads: Mapping[str, float]
    at_hand: bool
    once: bool
    again: int

    @property
    def scattered(self) -> float:
        """In what part of the table its changes are."""
        return min(1.0, self.changed_bytes / self.bytes) if self.bytes else 0.0

    @property
    def changed(self) -> float:
        """What part of the table's rows its changes are."""
        return self.changed_rows / self.rows if self.rows else 0.0

    def part(self, columns: int) -> float:
        """Return which part of the table some of its columns are."""
        return columns / max(self.columns, columns, 1)


@dataclass(frozen=True, slots=True)
class Cost:
    """Bytes that are read, rows that are worked on, nodes that are planned, and jobs on the way."""

    bytes: float
    rows: float
    nodes: int
    jobs: int = 0

    def __str__(self) -> str:
        """Return all of it in megabytes, and what is in it."""
        parts = f"{self.rows:,.0f} rows grouped or joined, {self.nodes} nodes planned"
        return f"{self.whole / 1e6:,.1f} MB ({parts})"

    @property
    def whole(self) -> float:
        """All of it in bytes."""
        return self.bytes + self.rows * _ROW + self.nodes * _NODE + self.jobs * _JOB


@dataclass(frozen=True, slots=True)
class Flow:
    """What it takes to make a relation, bytes to read and rows to work on; the rows that it has."""

    bytes: float = 0.0
    worked: float = 0.0
    rows: float = 0.0


@dataclass(frozen=True, slots=True)
class Flows:
    """Tells the flows of relations; `parts` are shared ones, `flows` what uses of these take."""

    sizes: Mapping[str, Size]
    parts: Mapping[str, Relation] = field(default_factory=dict)
    flows: dict[str, Flow] = field(default_factory=dict)

    def of(self, relation: Relation) -> Flow:
        """Return what it takes to make a relation; small changes are at hand."""
        match relation:
            case Scan(source, columns):
                size = self.sizes[source]
                return Flow(size.bytes * size.part(len(columns)), 0, size.rows)
            case Delta(source):
                size = self.sizes[source]
                return Flow(0 if size.at_hand else self.changes(relation), 0, size.changed_rows)
            case Ends(source, columns):
                size = self.sizes[source]
                times = 1 + size.again / size.bytes if size.bytes else 1
                return Flow(size.bytes * times * size.part(len(columns)), 0, size.rows * times)
            case Shared(name):
                return self.flows[name]
            case Filter(condition=condition) if condition == NEVER:
                return Flow()
            case Join(JoinKind.SEMI, Scan() as scan, keys) if met := self._met(relation):
                table, others = self.of(scan), self.of(keys)
                read = table.bytes * met.files * _BY_KEYS + others.bytes
                return Flow(read, others.worked, table.rows * met.rows)
        inputs = [self.of(each) for each in relation.inputs]
        rows = [each.rows for each in inputs]
        worked = sum(each.worked for each in inputs) + _worked(relation, rows)
        return Flow(sum(each.bytes for each in inputs), worked, _left(relation, rows))

    def changes(self, delta: Delta) -> float:
        """Return how many bytes a table's changes are read from."""
        size = self.sizes[delta.source]
        return size.changed_bytes * size.part(len(delta.columns)) * _CHANGED

    def saves_a_job(self, joins: Sequence[Join]) -> bool:
        """Return whether it saves as much as a job to read for the largest of semi joins alone.

        It does not where it is not known that their rows are few.
        """
        if not all(map(self._met, joins)):
            return False
        found = [self.of(each) for each in joins]
        read = [each.bytes for each in found]
        return sum(read) - max(read) > _JOB and max(each.rows for each in found) < FEW_ROWS

    def _met(self, join: Join) -> _Met | None:
        """Return what part of the left table has the keys; None where nothing tells it."""
        found = []
        for mine, theirs in join.equalities:
            spread, origins = self._spread(join.left, mine), self._origins(join.right, theirs)
            if spread is not None and origins is not None:
                spread = max(spread, *(each.spread for each in origins))
                files = max(spread, *(each.size.scattered for each in origins))
                times = _TOGETHER if spread < _MOSTLY else _ANYWHERE
                rows = times * max(each.size.changed for each in origins)
                found.append(_Met(files, min(1.0, rows)))
        return min(found, key=lambda each: each.rows, default=None)

    def _spread(self, relation: Relation, key: Expression) -> float | None:
        match relation:
            case Scan(source, columns) if key.as_column is not None and key.as_column < len(
                columns
            ):
                return self.sizes[source].spreads.get(columns[key.as_column])
        return None

    def _origins(self, relation: Relation, key: Expression) -> list[_Origin] | None:
        """Return of what tables' changes the values of a key are; None where of others, too."""
        match relation:
            case Delta(source, columns) if key.as_column is not None and key.as_column < len(
                columns
            ):
                size = self.sizes[source]
                spread = size.spreads.get(columns[key.as_column])
                return None if spread is None else [_Origin(size, spread)]
            case Shared(name) if name in self.parts:
                return self._origins(self.parts[name], key)
            case Project(inner, expressions) if key.as_column is not None:
                return self._origins(inner, expressions[key.as_column])
            case Filter(inner) | Distinct(inner):
                return self._origins(inner, key)
            case UnionAll(inputs):
                found = [self._origins(each, key) for each in inputs]
                known = [each for each in found if each is not None]
                return list(chain(*known)) if len(known) == len(found) else None
        return None


class _Origin(NamedTuple):
    """A table whose changes have keys, and in what part of it a value of these may be."""

    size: Size
    spread: float


class _Met(NamedTuple):
    """What part of a table's files are read for some keys, and what part of its rows have them."""

    files: float
    rows: float


def _worked(relation: Relation, rows: Sequence[float]) -> float:
    """Return how many rows a node groups, sorts or sends, of those of its inputs."""
    match relation:
        case Aggregate() | Distinct() | SetOperation():
            return sum(rows)
        case Window():
            return 2 * sum(rows)
        case Join():
            return 2 * min(rows) if min(rows) > FEW_ROWS else 0
    return 0


def _left(relation: Relation, rows: Sequence[float]) -> float:
    """Return how many rows a node has, of those of its inputs."""
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


def cost_of_both_ends(relation: Relation | None, sizes: Mapping[str, Size]) -> Cost:
    """Return what the rows of both ends cost, of a query whose rows have their identity."""
    if relation is None:
        return Cost(0, 0, 0)
    flow = Flows(sizes).of(relation)
    return Cost(flow.bytes, flow.worked + flow.rows, node_count(relation, {}))


def flows_of(derived: Derived, sizes: Mapping[str, Size]) -> Flows:
    """Return the flows of a derivative's relations, where all that it shares is at hand."""
    flows = Flows(sizes, dict(derived.shared))
    for name, relation in derived.shared:
        flows.flows[name] = Flow(rows=flows.of(relation).rows)
    return flows


def cost_of(derived: Derived, sizes: Mapping[str, Size]) -> Cost:
    """Return what a query's derivative costs."""
    flows = Flows(sizes, dict(derived.shared))
    collected = tuple(delta for delta in derived.changes if sizes[delta.source].at_hand)
    read, worked, nodes = sum(map(flows.changes, collected)), 0.0, 0
    jobs, counts = int(bool(collected)), dict[str, int]()
    for name, relation in derived.parts:
        counts[name] = node_count(relation, counts)
        flows.flows[name] = flow = flows.of(relation)
        if collected == derived.changes or not name:
            jobs += bool(name) and flow.bytes > 0
            read, worked, nodes = read + flow.bytes, worked + flow.worked, nodes + counts[name]
            counts[name], flows.flows[name] = 1, Flow(rows=flow.rows)
    return Cost(read, worked, nodes, jobs)
