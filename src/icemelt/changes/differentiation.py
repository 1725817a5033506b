"""Differentiation: the changes Δ(Q) of a query, made from the changes of its tables, node by node.

The rules differentiate the query with identity columns: a bag of rows, whose changes have weights.
`naive_changes` defines the result, and the rules are tested against it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from icemelt.algebra.expressions import Expression
from icemelt.algebra.graph import NodeValues, count_readers, walk
from icemelt.algebra.identity import add_identity
from icemelt.algebra.nodes import (
    Aggregate,
    Delta,
    Distinct,
    Filter,
    Generate,
    Join,
    Pin,
    Project,
    Relation,
    Scan,
    SetOperation,
    Shared,
    UnionAll,
    Values,
    Window,
    leaves,
)
from icemelt.changes.consolidate import consolidate_changes, mark_no_updates
from icemelt.changes.explain import ExplainNode
from icemelt.changes.pin import pin_relation
from icemelt.changes.restrict import PlanTooLarge
from icemelt.changes.rule import Derivation, Rule, columns_read
from icemelt.changes.rules.join import differentiate_join
from icemelt.changes.rules.keyed import differentiate_aggregate, differentiate_window
from icemelt.changes.rules.linear import (
    differentiate_filter,
    differentiate_generate,
    differentiate_project,
    differentiate_union_all,
)
from icemelt.changes.rules.scan import differentiate_scan, differentiate_values
from icemelt.changes.rules.sets import differentiate_distinct, differentiate_set_operation
from icemelt.changes.shape import DeltaFormat, Shape

__all__ = [
    "PLANNING_BUDGET",
    "RULES",
    "Derivative",
    "differentiate_query",
    "differentiate_relation",
    "is_linear",
    "min_delta",
    "node_count",
]

# Nodes of one plan of Spark's.
PLANNING_BUDGET = 2_000
_MANY_NODES = 1 << 40
# Changes of so few nodes are written out for each reader.
_FEW_NODES = 8

RULES: Mapping[type, Rule] = {
    Scan: Rule("change scan", differentiate_scan, DeltaFormat.REDUNDANT_DELTA, linear=True),
    Values: Rule("constant", differentiate_values, DeltaFormat.MIN_DELTA, linear=True),
    Project: Rule("linear", differentiate_project, DeltaFormat.MIN_DELTA, linear=True),
    Filter: Rule("linear", differentiate_filter, DeltaFormat.MIN_DELTA, linear=True),
    Generate: Rule("linear", differentiate_generate, DeltaFormat.MIN_DELTA, linear=True),
    UnionAll: Rule("linear", differentiate_union_all, DeltaFormat.MIN_DELTA, linear=True),
    Join: Rule("join", differentiate_join, DeltaFormat.REDUNDANT_DELTA),
    Aggregate: Rule("changed groups", differentiate_aggregate, DeltaFormat.REDUNDANT_DELTA),
    Window: Rule("changed partitions", differentiate_window, DeltaFormat.REDUNDANT_DELTA),
    Distinct: Rule("changed rows", differentiate_distinct, DeltaFormat.REDUNDANT_DELTA),
    SetOperation: Rule("changed rows", differentiate_set_operation, DeltaFormat.REDUNDANT_DELTA),
}


@dataclass(frozen=True, slots=True)
class Derivative:
    """The relations that compute a query's changes.

    Args:
        relation: the changes: `width` columns, the identity, the weight. None if there are no
            changes.
        width: the number of the query's columns.
        shape: the signs of the weights. In changes of one direction every row stands for a change;
            in changes of both directions rows may cancel.
        shared: the relations of the `Shared` nodes, by name, in the order to compute them.
        explanation: how the changes are computed, for EXPLAIN.
        few: the names of shared relations expected to have few rows.
        is_refused: whether the derivative has so many nodes that it was not made.
    """

    relation: Relation | None
    width: int
    shape: Shape
    shared: tuple[tuple[str, Relation], ...]
    explanation: ExplainNode
    few: frozenset[str] = frozenset()
    is_refused: bool = False

    @property
    def parts(self) -> tuple[tuple[str, Relation], ...]:
        """All relations in the order to compute them; the name of the last is empty."""
        return () if self.relation is None else (*self.shared, ("", self.relation))

    @property
    def is_too_large(self) -> bool:
        """Whether Spark would plan a part for longer than the query takes at both ends."""
        at_hand = dict.fromkeys((name for name, _ in self.shared), 1)
        return self.is_refused or any(
            node_count(each, at_hand) > PLANNING_BUDGET for _, each in self.parts
        )

    @property
    def changes(self) -> tuple[Delta, ...]:
        """The tables' changes in the plan, each table once."""
        every = (leaf for _, each in self.parts for leaf in leaves(each))
        return tuple(dict.fromkeys(leaf for leaf in every if isinstance(leaf, Delta)))

    @property
    def read_again(self) -> tuple[Delta, ...]:
        """The changes of tables if read several times, or beside tables; otherwise none."""
        reads_tables = any(
            isinstance(leaf, Scan) for _, each in self.parts for leaf in leaves(each)
        )
        uses = NodeValues[Relation, int](
            lambda node: isinstance(node, Delta) + sum(map(uses, node.inputs))
        )
        if sum(uses(each) for _, each in self.parts) == len(self.changes) and not reads_tables:
            return ()
        return self.changes


def differentiate_query(
    relation: Relation,
    shapes: Mapping[str, Shape],
    end: Callable[[Relation, Pin], Relation] = pin_relation,
) -> Derivative:
    """Return a query's changes, made from the changes of its tables.

    Args:
        relation: the query.
        shapes: the shape of each table's changes, by the table's slot.
        end: the function (relation, moment) to the relation as read at the moment.

    >>> from icemelt.algebra.nodes import explain
    >>> scan = Scan("t", ("a",))
    >>> print(explain(differentiate_query(scan, {"t": Shape.INSERTS}).relation))
    Delta t(a, row id, weight)
    >>> differentiate_query(scan, {"t": Shape.EMPTY}).relation is None
    True
    """
    return differentiate_relation(add_identity(relation).relation, relation.width, shapes, end)


def differentiate_relation(
    relation: Relation,
    width: int,
    shapes: Mapping[str, Shape],
    end: Callable[[Relation, Pin], Relation] = pin_relation,
) -> Derivative:
    """Return the changes of a bag of rows with identity columns.

    Args:
        relation: the rows: columns of values, then the identity columns.
        width: the number of columns of values.
        shapes: the shape of each table's changes, by the table's slot.
        end: the function (relation, moment) to the relation as read at the moment.
    """
    derivation = Derivation(shapes, columns_read(relation), end)
    try:
        explanation = _differentiate_nodes(relation, derivation)
    except (PlanTooLarge, RecursionError):
        nothing = ExplainNode(relation, RULES[type(relation)].name, Shape.BOTH, None, ())
        return Derivative(None, width, Shape.BOTH, (), nothing, is_refused=True)
    change = derivation.changes[id(relation)]
    if change is None:
        return Derivative(None, width, Shape.EMPTY, (), explanation)
    shared = _needed_relations(change.relation, derivation.shared)
    return Derivative(change.relation, width, change.shape, shared, explanation)


def min_delta(
    derived: Derivative, compared: Mapping[int, Expression] | None = None
) -> Relation | None:
    """Return changes as min-delta: values, identity, weight, and whether the row is in an update.

    None if nothing has changed. `compared` is as of `consolidate_changes`.
    """
    if derived.relation is None:
        return None
    if derived.shape.format is DeltaFormat.MIN_DELTA:
        return mark_no_updates(derived.relation)
    return consolidate_changes(derived.relation, derived.width, compared)


def is_linear(relation: Relation) -> bool:
    """Return whether a query's changes are made from changes alone, row by row.

    >>> is_linear(Filter(Scan("t", ("a",)), Expression((0, " > 1"))))
    True
    >>> is_linear(Distinct(Scan("t", ("a",))))
    False
    """
    return all(RULES[type(node)].linear for node in walk(relation))


def node_count(relation: Relation, shared: Mapping[str, int]) -> int:
    """Return the number of a relation's nodes, each as often as it is read, as Spark plans them.

    Of a number that no plan has, it is some number as large.

    `shared` has the counts of shared relations.
    """

    def count(node: Relation) -> int:
        if isinstance(node, Shared):
            return shared[node.name]
        return min(1 + sum(map(counts, node.inputs)), _MANY_NODES)

    counts = NodeValues(count)
    return counts(relation)


def _differentiate_nodes(relation: Relation, derivation: Derivation) -> ExplainNode:
    """Differentiate each node once, and share the changes of a node that is read several times."""
    nodes = list(walk(relation))
    readers = count_readers(nodes)
    explained: dict[int, ExplainNode] = {}
    for node in nodes:
        below = tuple(explained[id(each)] for each in node.inputs)
        explained[id(node)] = _differentiate_node(node, below, derivation)
        change = derivation.changes[id(node)]
        if change is not None and readers[id(node)] > 1 and _has_many_nodes(change.relation):
            shared = replace(change, relation=derivation.share(change.relation))
            derivation.changes[id(node)] = shared
    return explained[id(relation)]


def _has_many_nodes(relation: Relation) -> bool:
    return sum(1 for _ in itertools.islice(walk(relation), _FEW_NODES + 1)) > _FEW_NODES


def _differentiate_node(
    relation: Relation, below: tuple[ExplainNode, ...], derivation: Derivation
) -> ExplainNode:
    rule = RULES[type(relation)]
    inputs = [derivation.changes[id(each)] for each in relation.inputs]
    change = None
    if not inputs or any(each is not None for each in inputs):
        change = rule.differentiate(relation, inputs, derivation)
    derivation.changes[id(relation)] = change
    if change is None:
        return ExplainNode(relation, rule.name, Shape.EMPTY, None, below)
    return ExplainNode(relation, change.rule or rule.name, change.shape, change.keys, below)


def _needed_relations(
    relation: Relation, shared: dict[str, Relation]
) -> tuple[tuple[str, Relation], ...]:
    """Return the shared relations needed by a relation, in order."""
    needed = _shared_names(relation)
    for name in reversed(shared):
        if name in needed:
            needed |= _shared_names(shared[name])
    return tuple((name, each) for name, each in shared.items() if name in needed)


def _shared_names(relation: Relation) -> set[str]:
    return {leaf.name for leaf in leaves(relation) if isinstance(leaf, Shared)}
