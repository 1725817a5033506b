"""What a derivative reads, against what the query reads at both ends: from sizes in metadata alone.

Tables and changes count as the bytes of the files that hold them, of the columns that are read.
What is asked for by keys is in as much of its table as the changes that have the keys are of
theirs, and in no less than one key is: that is told by the bounds of the files, where these are of
whole numbers or dates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from icemelt.algebra.expressions import Expression
from icemelt.algebra.identity import identified
from icemelt.algebra.nodes import (
    Delta,
    Distinct,
    Filter,
    Join,
    JoinKind,
    Project,
    Relation,
    Scan,
    Shared,
    UnionAll,
)
from icemelt.algebra.traverse import leaves
from icemelt.changes.differentiation import Derived, node_count

__all__ = ["Cost", "Reads", "Size", "cost_of", "cost_of_both_ends"]

# What takes as long as so many bytes take to be read: a job more, and a node more to be planned.
_JOB = 8 << 20
_NODE = 400 << 10
# Of rows that are asked for by keys few are there, and nothing is made of the others.
_BY_KEYS = 0.7


@dataclass(frozen=True, slots=True)
class Size:
    """Of a table: bytes of its files, and of those that its changes are in; how many columns.

    `spreads` says in what part of the table a value of a column may be, of columns with ranges.
    `at_hand` says that the changes are few, and `once` that of each row, by its identity, at most
    one went and at most one came.
    """

    bytes: int
    changed: int
    columns: int
    spreads: Mapping[str, float]
    at_hand: bool
    once: bool

    @property
    def scattered(self) -> float:
        """Over which part of the table its changes are scattered."""
        return min(1.0, self.changed / self.bytes) if self.bytes else 0.0

    def part(self, columns: int) -> float:
        """Return which part of the table some of its columns are."""
        return columns / max(self.columns, columns, 1)


@dataclass(frozen=True, slots=True)
class Cost:
    """Bytes that are read, nodes that are planned, and jobs that are run on the way."""

    bytes: float
    nodes: int
    jobs: int = 0

    def __str__(self) -> str:
        """Return it in words."""
        return f"{self.bytes / 1e6:.1f} MB and {self.nodes} nodes of a plan"

    @property
    def whole(self) -> float:
        """All of it in bytes."""
        return self.bytes + self.nodes * _NODE + self.jobs * _JOB


@dataclass(frozen=True, slots=True)
class Reads:
    """Counts the bytes that relations read; `parts` are the shared ones, each read once."""

    sizes: Mapping[str, Size]
    parts: Mapping[str, Relation] = field(default_factory=dict)

    def bytes(self, relation: Relation) -> float:
        """Return how many bytes a relation reads; small changes and shared ones are at hand."""
        match relation:
            case Scan(source, columns):
                return self.sizes[source].bytes * self.sizes[source].part(len(columns))
            case Delta(source):
                return 0.0 if self.sizes[source].at_hand else self.of_changes(relation)
            case Join(JoinKind.SEMI, Scan() as scan, keys):
                reach = self._reach(relation)
                part = 1.0 if reach is None else reach * _BY_KEYS
                return self.bytes(scan) * part + self.bytes(keys)
        return sum(map(self.bytes, relation.inputs))

    def of_changes(self, delta: Delta) -> float:
        """Return how many bytes a table's changes are read from."""
        size = self.sizes[delta.source]
        return size.changed * size.part(len(delta.columns))

    def saves_a_job(self, joins: Sequence[Join]) -> bool:
        """Return whether it saves as much as a job to read for the largest of semi joins alone.

        Without a range of keys it is not known that their rows are few.
        """
        if any(self._reach(each) is None for each in joins):
            return False
        read = [self.bytes(each) for each in joins]
        return sum(read) - max(read) > _JOB

    def _reach(self, join: Join) -> float | None:
        """Over which part of the left table the rows are that have the keys; None for no range."""
        found = []
        for mine, theirs in join.equalities:
            scattered, spread = self._scattered(join.right, theirs), self._spread(join.left, mine)
            if scattered is not None and spread is not None:
                found.append(max(scattered, spread))
        return min(found, default=None)

    def _spread(self, relation: Relation, key: Expression) -> float | None:
        match relation:
            case Scan(source, columns) if key.only is not None and key.only < len(columns):
                return self.sizes[source].spreads.get(columns[key.only])
        return None

    def _scattered(self, relation: Relation, key: Expression) -> float | None:
        """Over which part of a table rows are that have a column's values; None for no range."""
        match relation:
            case Delta(source, columns) if key.only is not None and key.only < len(columns):
                size = self.sizes[source]
                return size.scattered if columns[key.only] in size.spreads else None
            case Shared(name) if name in self.parts:
                return self._scattered(self.parts[name], key)
            case Project(inner, expressions) if key.only is not None:
                return self._scattered(inner, expressions[key.only])
            case Filter(inner) | Distinct(inner):
                return self._scattered(inner, key)
            case UnionAll(inputs):
                found = [self._scattered(each, key) for each in inputs]
                known = [each for each in found if each is not None]
                return max(known) if len(known) == len(found) else None
        return None


def cost_of_both_ends(relation: Relation, sizes: Mapping[str, Size]) -> Cost:
    """Return what a query costs at both ends, with its rows' identity."""
    whole = identified(relation).relation
    return Cost(2 * Reads(sizes).bytes(whole), 2 * node_count(whole, {}))


def cost_of(derived: Derived, sizes: Mapping[str, Size]) -> Cost:
    """Return what a query's derivative costs."""
    parts = [*derived.shared, *([("", derived.relation)] if derived.relation else [])]
    reads = Reads(sizes, dict(parts))
    changes = {leaf for _, each in parts for leaf in leaves(each) if isinstance(leaf, Delta)}
    collected = {delta for delta in changes if sizes[delta.source].at_hand}
    read, nodes, jobs = sum(map(reads.of_changes, collected)), 0, int(bool(collected))
    counts: dict[str, int] = {}
    within: dict[str, float] = {}
    for name, relation in parts:
        counts[name] = node_count(relation, counts)
        within[name] = reads.bytes(relation) + sum(
            within[leaf.name] for leaf in leaves(relation) if isinstance(leaf, Shared)
        )
        if collected == changes or not name:
            jobs += bool(name) and within[name] > 0
            read, nodes = read + within[name], nodes + counts[name]
            counts[name], within[name] = 1, 0.0
    return Cost(read, nodes, jobs)
