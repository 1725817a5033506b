"""Δ(G(Q)) = G(Q₁ ⋉ K) − G(Q₀ ⋉ K): groups are made anew where one of their rows has changed.

K are the keys of the changed rows, before and after. Groups with other keys have the same rows at
both ends, and more groups than needed do no harm. Without a key all rows are one group.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from icemelt.algebra.expressions import Expression
from icemelt.algebra.nodes import Aggregate, Window
from icemelt.changes.keys import changed_groups
from icemelt.changes.restrict import Keys, restricted
from icemelt.changes.rule import Change, Changes, Derivation, signed
from icemelt.changes.rules.linear_aggregate import differentiate_linear_aggregate
from icemelt.changes.shape import Shape

__all__ = ["differentiate_aggregate", "differentiate_window"]


def differentiate_aggregate(
    aggregate: Aggregate, changes: Changes, derivation: Derivation
) -> Change | None:
    """Return the changes of groups."""
    (change,) = changes
    if aggregate.sums and change is not None:
        return differentiate_linear_aggregate(aggregate, change, derivation)
    return _grouped(aggregate, aggregate.keys, changes, derivation)


def differentiate_window(window: Window, changes: Changes, derivation: Derivation) -> Change | None:
    """Return the changes of window functions: of all rows of the partitions with a change."""
    return _grouped(window, window.partition, changes, derivation)


def _grouped(
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
        old, new = restricted(old, keys), restricted(new, keys)
    made = signed(replace(node, input=old), replace(node, input=new))
    return Change(made, Shape.BOTH, tuple(by_keys))
