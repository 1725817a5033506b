"""Incremental changes: Δ(Q) made of the changes of tables, node by node.

The identity of a row is some of its columns: what the rules differentiate is the query with those,
a bag of rows whose changes have weights. `naive` says the same, and is what this is tested against.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from icemelt.algebra.expressions import Expression
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
from icemelt.changes.account import Account
from icemelt.changes.consolidate import consolidated, marked_as_no_updates
from icemelt.changes.pin import pinned
from icemelt.changes.rule import Derivation, Rule, columns_of
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
from icemelt.changes.shape import Format, Shape

__all__ = [
    "PLANNING_BUDGET",
    "RULES",
    "Derived",
    "derivative",
    "differentiated",
    "is_linear",
    "min_delta",
    "node_count",
]

# Nodes of one plan of Spark's.
PLANNING_BUDGET = 2_000

RULES: Mapping[type, Rule] = {
    Scan: Rule("change scan", differentiate_scan, Format.REDUNDANT_DELTA, linear=True),
    Values: Rule("constant", differentiate_values, Format.MIN_DELTA, linear=True),
    Project: Rule("linear", differentiate_project, Format.MIN_DELTA, linear=True),
    Filter: Rule("linear", differentiate_filter, Format.MIN_DELTA, linear=True),
    Generate: Rule("linear", differentiate_generate, Format.MIN_DELTA, linear=True),
    UnionAll: Rule("linear", differentiate_union_all, Format.MIN_DELTA, linear=True),
    Join: Rule("join", differentiate_join, Format.REDUNDANT_DELTA),
    Aggregate: Rule("changed groups", differentiate_aggregate, Format.REDUNDANT_DELTA),
    Window: Rule("changed partitions", differentiate_window, Format.REDUNDANT_DELTA),
    Distinct: Rule("changed rows", differentiate_distinct, Format.REDUNDANT_DELTA),
    SetOperation: Rule("changed rows", differentiate_set_operation, Format.REDUNDANT_DELTA),
}


@dataclass(frozen=True, slots=True)
class Derived:
    """The changes of a query: its `width` columns, the identity, the weight; None for no change.

    `shared` says in order what the `Shared` nodes of the relation, and of those after them, are.
    Where the shape is of one direction every change is there once; else some may cancel. `few` are
    the shared relations of which it is expected that they have few rows.
    """

    relation: Relation | None
    width: int
    shape: Shape
    shared: tuple[tuple[str, Relation], ...]
    account: Account
    few: frozenset[str] = frozenset()

    @property
    def parts(self) -> tuple[tuple[str, Relation], ...]:
        """All its relations in the order in which they are computed; the last has no name."""
        return () if self.relation is None else (*self.shared, ("", self.relation))

    @property
    def is_too_large(self) -> bool:
        """Whether a part of it would take longer to plan than to run the query at both ends."""
        at_hand = dict.fromkeys((name for name, _ in self.shared), 1)
        return any(node_count(each, at_hand) > PLANNING_BUDGET for _, each in self.parts)

    @property
    def changes(self) -> tuple[Delta, ...]:
        """The tables' changes that it reads, each once: all uses of one table's are equal nodes."""
        every = (leaf for _, each in self.parts for leaf in leaves(each))
        return tuple(dict.fromkeys(leaf for leaf in every if isinstance(leaf, Delta)))

    @property
    def read_again(self) -> tuple[Delta, ...]:
        """The tables' changes, where they are read in several places or beside tables."""
        every = [leaf for _, each in self.parts for leaf in leaves(each)]
        uses = sum(isinstance(leaf, Delta) for leaf in every)
        if uses == len(self.changes) and not any(isinstance(leaf, Scan) for leaf in every):
            return ()
        return self.changes


def derivative(
    relation: Relation,
    shapes: Mapping[str, Shape],
    end: Callable[[Relation, Pin], Relation] = pinned,
) -> Derived:
    """Return a query's changes, made of its tables'; `shapes` says what these are known to be.

    `end` is how the query is read at a moment.

    >>> from icemelt.algebra.nodes import explain
    >>> scan = Scan("t", ("a",))
    >>> print(explain(derivative(scan, {"t": Shape.INSERTS}).relation))
    Delta t(a, row id, weight)
    >>> derivative(scan, {"t": Shape.EMPTY}).relation is None
    True
    """
    return differentiated(add_identity(relation).relation, relation.width, shapes, end)


def differentiated(
    relation: Relation,
    width: int,
    shapes: Mapping[str, Shape],
    end: Callable[[Relation, Pin], Relation] = pinned,
) -> Derived:
    """Return the changes of a bag of rows, whose identity are the columns after some number."""
    derivation = Derivation(shapes, columns_of(relation), end)
    account = _differentiate(relation, derivation)
    change = derivation.changes[id(relation)]
    if change is None:
        return Derived(None, width, Shape.EMPTY, (), account)
    shared = _used(change.relation, derivation.shared)
    return Derived(change.relation, width, change.shape, shared, account)


def min_delta(
    derived: Derived, compared: Mapping[int, Expression] | None = None
) -> Relation | None:
    """Return changes as min-delta: values, identity, weight, and whether it is of an update.

    `compared` says of columns by which rows cannot be grouped what is equal where they are.
    """
    if derived.relation is None:
        return None
    if derived.shape.format is Format.MIN_DELTA:
        return marked_as_no_updates(derived.relation)
    return consolidated(derived.relation, derived.width, compared)


def is_linear(relation: Relation) -> bool:
    """Tell whether a query's changes are made of changes alone, row by row.

    >>> is_linear(Filter(Scan("t", ("a",)), Expression((0, " > 1"))))
    True
    >>> is_linear(Distinct(Scan("t", ("a",))))
    False
    """
    return RULES[type(relation)].linear and all(map(is_linear, relation.inputs))


def node_count(relation: Relation, shared: Mapping[str, int]) -> int:
    """Return the number of a relation's nodes; `shared` are those of shared relations."""
    if isinstance(relation, Shared):
        return shared[relation.name]
    return 1 + sum(node_count(each, shared) for each in relation.inputs)


def _differentiate(relation: Relation, derivation: Derivation) -> Account:
    below = tuple(_differentiate(each, derivation) for each in relation.inputs)
    rule = RULES[type(relation)]
    inputs = [derivation.changes[id(each)] for each in relation.inputs]
    change = None
    if not inputs or any(each is not None for each in inputs):
        change = rule.differentiate(relation, inputs, derivation)
    derivation.changes[id(relation)] = change
    if change is None:
        return Account(relation, rule.name, Shape.EMPTY, None, below)
    return Account(relation, change.rule or rule.name, change.shape, change.keys, below)


def _used(relation: Relation, shared: dict[str, Relation]) -> tuple[tuple[str, Relation], ...]:
    """Return those shared relations that a relation needs, in their order."""
    needed = _names(relation)
    for name in reversed(shared):
        if name in needed:
            needed |= _names(shared[name])
    return tuple((name, each) for name, each in shared.items() if name in needed)


def _names(relation: Relation) -> set[str]:
    return {leaf.name for leaf in leaves(relation) if isinstance(leaf, Shared)}
