"""Which of two ways gives a query's changes for less: its derivative, or its rows at both ends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from icemelt.algebra.identity import add_identity
from icemelt.algebra.nodes import Relation
from icemelt.changes.both_ends import both_ends
from icemelt.changes.cost import Cost, Size, cost_of, cost_of_both_ends, flows_of
from icemelt.changes.differentiation import Derived, differentiated
from icemelt.changes.reading_once import reading_once
from icemelt.changes.semi_joins import IsWhole, unknown
from icemelt.changes.shape import Shape

__all__ = ["Choice", "choice"]


@dataclass(frozen=True, slots=True)
class Choice:
    """A query's derivative, its rows of both ends as in `both_ends`, and what each costs.

    `usual` is the derivative for where more rows are found than it expects.
    """

    derived: Derived
    usual: Derived
    cost: Cost
    both_ends: Relation | None
    cost_of_both_ends: Cost

    @property
    def is_derivative(self) -> bool:
        """Whether the derivative costs no more."""
        return self.cost.whole <= self.cost_of_both_ends.whole


def choice(
    relation: Relation,
    shapes: Mapping[str, Shape],
    sizes: Mapping[str, Size],
    is_whole: IsWhole = unknown,
) -> Choice:
    """Return both ways of a query whose tables' changes have these shapes and sizes.

    Where all changes are few the derivative reads tables once for all keys, if that saves enough.
    `is_whole` tells which expressions over a relation are whole numbers.

    >>> from icemelt.algebra.expressions import Expression
    >>> from icemelt.algebra.nodes import Filter, Scan
    >>> kept = Filter(Scan("t", ("a",)), Expression((0, " > 1")))
    >>> size = Size(200 << 20, 1_000_000, 1 << 20, 9, 1, {}, at_hand=True, once=True, again=0)
    >>> found = choice(kept, {"t": Shape.BOTH}, {"t": size})
    >>> found.is_derivative, found.cost_of_both_ends.bytes / found.cost.bytes
    (True, 100.0)
    """
    whole = add_identity(relation).relation
    derived = usual = differentiated(whole, relation.width, shapes)
    if all(each.at_hand for each in sizes.values()):
        once = {source: shape for source, shape in shapes.items() if sizes[source].once}
        saves = flows_of(usual, sizes).saves_a_job
        derived = reading_once(usual, once, saves)
    both = both_ends(whole, shapes, is_whole)
    return Choice(derived, usual, cost_of(derived, sizes), both, cost_of_both_ends(both, sizes))
