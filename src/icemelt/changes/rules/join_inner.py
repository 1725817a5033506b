"""Δ(L ⋈ R) = ΔL ⋈ R₁ + L₀ ⋈ ΔR: the inner join is bilinear.

With one side old and the other new, a pair changed on both sides is counted once. A side is read by
the keys of the other side's changes.
"""

from __future__ import annotations

from icemelt.algebra.nodes import Join
from icemelt.changes.rule import Change, Changes, Derivation, union_all
from icemelt.changes.rules.joining import join_left_changes, join_right_changes, sides
from icemelt.changes.shape import Shape

__all__ = ["differentiate_inner_join"]


def differentiate_inner_join(join: Join, changes: Changes, derivation: Derivation) -> Change | None:
    """Return the changes of an inner join.

    Args:
        join: the join.
        changes: the changes of the left and the right input.
        derivation: the state of the plan.
    """
    left, right = changes
    made, shape = [], Shape.EMPTY
    if left is not None:
        made.append(join_left_changes(join, left, derivation))
        shape |= left.shape
    if right is not None:
        made.append(join_right_changes(join, right, derivation))
        shape |= right.shape
    return Change(union_all(made), shape, sides(join)[0].expressions) if made else None
