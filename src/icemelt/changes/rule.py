"""Changes of a node, and the state shared by the differentiation rules of one plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from icemelt.algebra.expressions import Expression, column, columns, text
from icemelt.algebra.graph import NodeValues, rebuild_over
from icemelt.algebra.nodes import (
    Delta,
    Distinct,
    Filter,
    Pin,
    Project,
    Relation,
    Scan,
    Shared,
    UnionAll,
    leaves,
)
from icemelt.changes.restrict import PlanTooLarge
from icemelt.changes.shape import DeltaFormat, Shape

__all__ = [
    "NEVER",
    "Change",
    "Changes",
    "Derivation",
    "Rule",
    "project_columns",
    "subtract",
    "union_all",
    "with_weight",
    "with_weight_last",
]


NEVER = text("false")
# a plan of more nodes takes Spark longer than to read both ends
_MOST_NODES = 40_000


@dataclass(frozen=True, slots=True)
class Change:
    """The changes of a node: a relation of the node's columns, with the weight as the last column.

    Args:
        relation: the changed rows with their weights.
        shape: the signs of the weights.
        keys: for EXPLAIN, the keys by which the rule reads rows of its inputs, over the columns of
            the first input. Empty if the rule reads all rows, None if the rule reads changes alone.
        rule: the rule's name, if the node has another rule than other nodes of its kind.
    """

    relation: Relation
    shape: Shape
    keys: tuple[Expression, ...] | None = None
    rule: str | None = None

    @property
    def rows(self) -> Relation:
        """The changed rows without weights."""
        return project_columns(self.relation, columns(0, self.relation.width - 1))


Changes = Sequence[Change | None]
"""The changes of a node's inputs, in their order; None for an input that has not changed."""


@dataclass(frozen=True, slots=True)
class Rule:
    """How changes pass through a node. A rule is called if an input of the node has changed.

    Args:
        name: the name in EXPLAIN.
        differentiate: the function (node, changes of its inputs, derivation) to the node's change.
        format: the worst format of the result for inputs in min-delta.
        linear: whether the rule reads nothing but changes.
    """

    name: str
    differentiate: Callable[[Any, Changes, Derivation], Change | None]
    format: DeltaFormat
    linear: bool = False


@dataclass(slots=True)
class Derivation:
    """The state shared by the rules of one plan.

    Args:
        shapes: the shape of each table's changes, by the table's slot.
        columns: the names of the columns read of each table, by slot.
        end: returns a relation as it was before the interval, or as it is after.
        shared: relations to compute once, by name, in order.
        changes: the changes of the nodes done so far, by the node's `id()`.
        reading: the names of shared relations that read tables.
        left: how many nodes of relations at an end the rules may still ask for.
        values: the answers of `values_from_changes`, by the node's `id()` and the expressions.
    """

    shapes: Mapping[str, Shape]
    columns: Mapping[str, tuple[str, ...]]
    end: Callable[[Relation, Pin], Relation]
    shared: dict[str, Relation] = field(default_factory=dict)
    changes: dict[int, Change | None] = field(default_factory=dict)
    reading: set[str] = field(default_factory=set)
    left: int = _MOST_NODES
    values: dict[tuple[int, tuple[Expression, ...]], list[Relation] | None] = field(
        default_factory=dict
    )
    _ends: dict[Pin, NodeValues[Relation, Relation]] = field(init=False)
    _counts: NodeValues[Relation, int] = field(init=False)
    _reads: NodeValues[Relation, bool] = field(init=False)

    def __post_init__(self) -> None:
        """Start without nodes."""
        self._ends = {pin: self._make_ends(pin) for pin in Pin}
        self._counts = NodeValues(lambda node: 1 + sum(map(self._counts, node.inputs)))
        self._reads = NodeValues(self._reads_tables)

    def old(self, relation: Relation) -> Relation:
        """Return a relation before the interval."""
        return self._at_end(relation, Pin.OLD)

    def new(self, relation: Relation) -> Relation:
        """Return a relation after the interval."""
        return self._at_end(relation, Pin.NEW)

    def _at_end(self, relation: Relation, pin: Pin) -> Relation:
        """Return a relation at an end; the relation at an end is one node for all rules.

        Raises:
            PlanTooLarge: the rules restrict the query again and again, as many groups of groups do.
        """
        self.left -= self._counts(relation)
        if self.left < 0:
            raise PlanTooLarge
        return self._ends[pin](relation)

    def _make_ends(self, pin: Pin) -> NodeValues[Relation, Relation]:
        def end(node: Relation) -> Relation:
            return rebuild_over(node, ends) if node.inputs else self.end(node, pin)

        ends = NodeValues[Relation, Relation](end)
        return ends

    def nothing_of(self, relation: Relation) -> Relation:
        """Return a relation with the same columns and types, and no rows."""
        return Filter(self.new(relation), NEVER)

    def share(self, relation: Relation) -> Relation:
        """Return a reference by name to a relation, to be computed once for all uses."""
        if isinstance(relation, Shared | Delta):
            return relation
        name = f"s{len(self.shared) + 1}"
        self.shared[name] = relation
        if self.reads_tables(relation):
            self.reading.add(name)
        return Shared(name, relation.width)

    def reads_tables(self, relation: Relation) -> bool:
        """Return whether a relation reads tables, and not changes alone."""
        return self._reads(relation)

    def _reads_tables(self, relation: Relation) -> bool:
        match relation:
            case Scan():
                return True
            case Shared(name):
                return name in self.reading
            case Filter(condition=condition) if condition == NEVER:
                return False
        return any(map(self._reads, relation.inputs))

    def distinct(self, values: Sequence[Relation], *, nulls: bool = True) -> Relation:
        """Return the distinct rows of relations, as a shared relation.

        Rows with a NULL are left out unless `nulls` is true.
        """
        kept = values if nulls else [without_nulls(each) for each in values]
        return self.share(Distinct(union_all(kept)))


def columns_read(relation: Relation) -> dict[str, tuple[str, ...]]:
    """Return the names of all columns read by a query, by the table's slot."""
    found: dict[str, dict[str, None]] = {}
    for leaf in leaves(relation):
        if isinstance(leaf, Scan):
            found.setdefault(leaf.source, {}).update(dict.fromkeys(leaf.columns))
    return {source: tuple(names) for source, names in found.items()}


def without_nulls(rows: Relation) -> Relation:
    """Return the rows without a NULL."""
    for number in range(rows.width):
        rows = Filter(rows, Expression((number, " IS NOT NULL")))
    return rows


def union_all(relations: Sequence[Relation]) -> Relation:
    """Return all rows of some relations."""
    return relations[0] if len(relations) == 1 else UnionAll(tuple(relations))


def project_columns(relation: Relation, expressions: Sequence[Expression]) -> Relation:
    """Return a projection; over a projection that only picks columns, a single projection.

    >>> str(project_columns(Project(Delta("t", ("a",)), (column(2), column(0))), (column(1),)))
    'Project (#0)'
    """
    match relation:
        case Project(input_, picked) if all(each.as_column is not None for each in picked):
            return Project(input_, tuple(each.substitute(picked) for each in expressions))
    return Project(relation, tuple(expressions))


def with_weight(relation: Relation, weight: str) -> Relation:
    """Return rows with a constant weight as the last column."""
    return project_columns(relation, (*columns(0, relation.width), text(weight)))


def subtract(old: Relation, new: Relation) -> Relation:
    """Return `new` with weight 1, and `old` with weight -1."""
    return UnionAll((with_weight(old, "-1"), with_weight(new, "1")))


def with_weight_last(relation: Relation, weight: int) -> Relation:
    """Return a relation with column number `weight` moved to the end."""
    if weight == relation.width - 1:
        return relation
    others = (*columns(0, weight), *columns(weight + 1, relation.width))
    return project_columns(relation, (*others, column(weight)))
