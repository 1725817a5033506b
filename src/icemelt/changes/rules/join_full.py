"""Δ(L ⟗ R) = (L₁ ⋉ K) ⟗ (R₁ ⋉ K) − (L₀ ⋉ K) ⟗ (R₀ ⋉ K): a full join is recomputed by key.

K are the keys of the changed rows of both sides. A NULL key is in K too: such a row matches
nothing, and is in the result. Without equalities the whole join is recomputed.
"""

from __future__ import annotations

from dataclasses import replace

from icemelt.algebra.nodes import Join, Relation
from icemelt.changes.keys import changed_values
from icemelt.changes.rule import Change, Changes, Derivation, subtract
from icemelt.changes.rules.joining import restrict_side, sides
from icemelt.changes.shape import Shape

__all__ = ["differentiate_full_join"]


def differentiate_full_join(join: Join, changes: Changes, derivation: Derivation) -> Change | None:
    """Return the changes of a full join.

    Args:
        join: the join.
        changes: the changes of the left and the right input.
        derivation: the state of the plan.
    """
    both = sides(join)
    values: list[Relation] = []
    for side, change in zip(both, changes, strict=True):
        if change is not None:
            values += changed_values(side.relation, change, side.expressions, derivation)
    if not values:
        return None
    rows = derivation.distinct(values) if join.equalities else None
    old, new = (
        [restrict_side(rows, side, end(side.relation)) for side in both]
        for end in (derivation.old, derivation.new)
    )
    made = subtract(
        replace(join, left=old[0], right=old[1]), replace(join, left=new[0], right=new[1])
    )
    return Change(made, Shape.BOTH, both[0].expressions)
