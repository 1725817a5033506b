"""The rule of a join, by the join's kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from icemelt.algebra.nodes import Join, JoinKind
from icemelt.changes.rule import Change, Changes, Derivation
from icemelt.changes.rules.join_full import differentiate_full_join
from icemelt.changes.rules.join_inner import differentiate_inner_join
from icemelt.changes.rules.join_preserving import (
    differentiate_preserving_join,
    differentiate_right_join,
)

__all__ = ["JOINS", "differentiate_join"]

JOINS: Mapping[JoinKind, Callable[[Join, Changes, Derivation], Change | None]] = {
    JoinKind.INNER: differentiate_inner_join,
    JoinKind.LEFT: differentiate_preserving_join,
    JoinKind.RIGHT: differentiate_right_join,
    JoinKind.SEMI: differentiate_preserving_join,
    JoinKind.ANTI: differentiate_preserving_join,
    JoinKind.FULL: differentiate_full_join,
}


def differentiate_join(join: Join, changes: Changes, derivation: Derivation) -> Change | None:
    """Return the changes of a join.

    Args:
        join: the join.
        changes: the changes of the left and the right input.
        derivation: the state of the plan.
    """
    return JOINS[join.kind](join, changes, derivation)
