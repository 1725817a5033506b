"""Δ(G(Q)) = G(Q₁ ⋉ K) − G(Q₀ ⋉ K): groups with a changed row are recomputed.

K are the keys of the changed rows, before and after. Groups with other keys have the same rows at
both ends, and keys of unchanged groups do no harm. Without a key all rows are one group.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from icemelt.algebra.expressions import Expression
from icemelt.algebra.nodes import Aggregate, Window
from icemelt.changes.keys import changed_groups
from icemelt.changes.restrict import Keys, push_down_semi_join
from icemelt.changes.rule import Change, Changes, Derivation, subtract
from icemelt.changes.rules.linear_aggregate import differentiate_linear_aggregate
from icemelt.changes.shape import Shape

__all__ = ["differentiate_aggregate", "differentiate_window"]


def differentiate_aggregate(
    aggregate: Aggregate, changes: Changes, derivation: Derivation
) -> Change | None:
    """Return the changes of an aggregate's groups.

    Args:
        aggregate: the aggregate.
        changes: the changes of the input.
        derivation: the state of the plan.
    """
    (change,) = changes
    if aggregate.sums and change is not None:
        return differentiate_linear_aggregate(aggregate, change, derivation)
    return _recompute_groups(aggregate, aggregate.keys, changes, derivation)


def differentiate_window(window: Window, changes: Changes, derivation: Derivation) -> Change | None:
    """Return the changes of window functions: all rows of partitions with a changed row.

    Args:
        window: the window functions.
        changes: the changes of the input.
        derivation: the state of the plan.
    """
    return _recompute_groups(window, window.partition, changes, derivation)


def _recompute_groups(
    node: Aggregate | Window,
    by_keys: Sequence[Expression],
    changes: Changes,
    derivation: Derivation,
) -> Change | None:
    (change,) = changes
    if change is None:
        return None
    old, new = derivation.old(node.input), derivation.new(node.input)
    if by_keys:
        by_keys, values = changed_groups(node.input, change, by_keys, derivation)
        keys = Keys(tuple(by_keys), derivation.distinct(values))
        old, new = push_down_semi_join(old, keys), push_down_semi_join(new, keys)
    made = subtract(replace(node, input=old), replace(node, input=new))
    return Change(made, Shape.BOTH, tuple(by_keys))
