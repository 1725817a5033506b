"""Consolidation: of changes with weights the smallest set that says the same (min-delta).

Equal rows of one identity cancel: what is left of one are at most the row before and the row after.
"""

from __future__ import annotations

from icemelt.algebra.expressions import Expression, columns
from icemelt.algebra.nodes import Aggregate, Filter, Relation, Window

__all__ = ["consolidated"]


def consolidated(changes: Relation, width: int) -> Relation:
    """Return min-delta: values, identity, the weight, and whether it is of an update.

    `changes` has `width` columns of values, then the identity, and the weight last: 1 for a row
    that came and -1 for one that went.
    """
    weight = changes.width - 1
    summed = Aggregate(changes, columns(0, weight), (Expression(("sum(", weight, ")")),))
    left = Filter(summed, Expression((weight, " <> 0")))
    ids = columns(width, weight)
    by = ["PARTITION BY ", *_listed(ids)] if ids else []
    return Window(left, ids, (Expression(("count(1) OVER (", *by, ") > 1")),))


def _listed(ids: tuple[Expression, ...]) -> list[str | int]:
    parts: list[str | int] = []
    for number, each in enumerate(ids):
        parts += [*([", "] if number else []), *each.parts]
    return parts
