"""Δ(L ⋈ R) = ΔL ⋈ R₁ + L₀ ⋈ ΔR: the inner join is bilinear.

With one side old and the other new, a pair that changed on both sides is counted once. Each side is
read by the keys of the other's changes.
"""

from __future__ import annotations

from icemelt.algebra.nodes import Join
from icemelt.changes.rule import Change, Changes, Derivation, together
from icemelt.changes.rules.joining import joined_to_left, joined_to_right, sides
from icemelt.changes.shape import Shape

__all__ = ["differentiate_inner_join"]


def differentiate_inner_join(join: Join, changes: Changes, derivation: Derivation) -> Change | None:
    """Return the changes of an inner join."""
    left, right = changes
    made, shape = [], Shape.EMPTY
    if left is not None:
        made.append(joined_to_left(join, left, derivation))
        shape |= left.shape
    if right is not None:
        made.append(joined_to_right(join, right, derivation))
        shape |= right.shape
    return Change(together(made), shape, sides(join)[0].expressions) if made else None
