"""Δ(L ⟗ R) = (L₁ ⋉ K) ⟗ (R₁ ⋉ K) − (L₀ ⋉ K) ⟗ (R₀ ⋉ K): a full join is made anew by its keys.

K are the keys of the changed rows of both sides, NULL among them: such a row meets nothing, and is
in the result. Without equalities everything is made anew.
"""

from __future__ import annotations

from dataclasses import replace

from icemelt.algebra.nodes import Join, Relation
from icemelt.changes.keys import changed_values
from icemelt.changes.rule import Change, Changes, Derivation, signed
from icemelt.changes.rules.joining import read_by, sides
from icemelt.changes.shape import Shape

__all__ = ["differentiate_full_join"]


def differentiate_full_join(join: Join, changes: Changes, derivation: Derivation) -> Change | None:
    """Return the changes of a full join."""
    both = sides(join)
    values: list[Relation] = []
    for side, change in zip(both, changes, strict=True):
        if change is not None:
            values += changed_values(side.relation, change, side.expressions, derivation)
    if not values:
        return None
    rows = derivation.distinct(values) if join.equalities else None
    old, new = (
        [read_by(rows, side, end(side.relation)) for side in both]
        for end in (derivation.old, derivation.new)
    )
    made = signed(
        replace(join, left=old[0], right=old[1]), replace(join, left=new[0], right=new[1])
    )
    return Change(made, Shape.BOTH, both[0].expressions)
