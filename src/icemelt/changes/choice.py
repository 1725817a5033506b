"""The choice between two plans for a query's changes: the derivative, or the rows of both ends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from icemelt.algebra.identity import add_identity
from icemelt.algebra.nodes import Relation
from icemelt.changes.both_ends import compare_both_ends
from icemelt.changes.cost import (
    Cost,
    TableSize,
    both_ends_cost,
    derivative_cost,
    model_shared_relations,
)
from icemelt.changes.differentiation import Derivative, differentiate_relation
from icemelt.changes.semi_joins import IsWhole, never_whole
from icemelt.changes.shape import Shape
from icemelt.changes.shared_scans import share_scans

__all__ = ["PlanChoice", "choose_plan"]


@dataclass(frozen=True, slots=True)
class PlanChoice:
    """Both plans for a query's changes, and the cost of each plan.

    Args:
        derived: the query's derivative.
        fallback: the derivative to run if `derived` finds more rows than it expects.
        cost: the cost of `derived`.
        both_ends: the plan of `compare_both_ends`; None if no table has changed.
        cost_of_both_ends: the cost of `both_ends`.
        correction: by what the seconds of `cost` are multiplied: what `PlanMemory` has learnt.
        correction_of_both_ends: the same of `cost_of_both_ends`.
    """

    derived: Derivative
    fallback: Derivative
    cost: Cost
    both_ends: Relation | None
    cost_of_both_ends: Cost
    correction: float = 1.0
    correction_of_both_ends: float = 1.0

    @property
    def seconds(self) -> float:
        """What the derivative is expected to take."""
        return self.cost.seconds * self.correction

    @property
    def seconds_of_both_ends(self) -> float:
        """What both ends are expected to take."""
        return self.cost_of_both_ends.seconds * self.correction_of_both_ends

    @property
    def is_derivative(self) -> bool:
        """Whether the derivative is expected to take no longer than both ends."""
        return not self.fallback.is_refused and self.seconds <= self.seconds_of_both_ends


def choose_plan(
    relation: Relation,
    shapes: Mapping[str, Shape],
    sizes: Mapping[str, TableSize],
    is_whole: IsWhole = never_whole,
) -> PlanChoice:
    """Return both plans for a query's changes, and their costs.

    If the changes of all tables are few, and a shared scan saves enough, the derivative reads each
    table once for all keys.

    Args:
        relation: the query.
        shapes: the shape of each table's changes, by the table's slot in the query.
        sizes: the size of each table and of its changes, by the table's slot.
        is_whole: a predicate (expression, relation): the expression gives whole numbers.

    >>> from icemelt.algebra.expressions import Expression
    >>> from icemelt.algebra.nodes import Filter, Scan
    >>> kept = Filter(Scan("t", ("a",)), Expression((0, " > 1")))
    >>> size = TableSize(200 << 20, 1_000_000, 1 << 20, 9, 1, {}, at_hand=True, once=True, again=0)
    >>> found = choose_plan(kept, {"t": Shape.BOTH}, {"t": size})
    >>> found.is_derivative, found.cost_of_both_ends.bytes / found.cost.bytes
    (True, 200.0)
    """
    whole = add_identity(relation).relation
    derived = fallback = differentiate_relation(whole, relation.width, shapes)
    if all(each.at_hand for each in sizes.values()):
        once = {source: shape for source, shape in shapes.items() if sizes[source].once}
        saves = model_shared_relations(fallback, sizes).saves_a_job
        derived = share_scans(fallback, once, saves)
    both = compare_both_ends(whole, shapes, is_whole)
    return PlanChoice(
        derived, fallback, derivative_cost(derived, sizes), both, both_ends_cost(both, sizes)
    )
