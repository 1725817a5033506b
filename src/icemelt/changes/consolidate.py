"""Consolidation: of changes with weights the smallest set that says the same (min-delta).

Equal rows of one identity cancel: what is left of one are at most the row before and the row after.
"""

from __future__ import annotations

from collections.abc import Mapping

from icemelt.algebra.expressions import Expression, column, columns, text
from icemelt.algebra.nodes import Aggregate, Filter, Project, Relation, Window

__all__ = ["consolidated", "marked_as_no_updates"]


def consolidated(
    changes: Relation, width: int, compared: Mapping[int, Expression] | None = None
) -> Relation:
    """Return min-delta: values, identity, the weight, and whether it is of an update.

    `changes` has `width` columns of values, then the identity, and the weight last: 1 for a row
    that came and -1 for one that went. Rows cannot be grouped by columns of some types: `compared`
    says what is equal where they are.
    """
    others = compared or {}
    weight = changes.width - 1
    keys = tuple(others.get(number, column(number)) for number in range(weight))
    any_of = tuple(Expression(("any_value(", number, ")")) for number in others)
    relation: Relation = Aggregate(changes, keys, (Expression(("sum(", weight, ")")), *any_of))
    if others:
        place = {number: weight + 1 + at for at, number in enumerate(others)}
        shown = [column(place.get(number, number)) for number in range(weight + 1)]
        relation = Project(relation, tuple(shown))
    left = Filter(relation, Expression((weight, " <> 0")))
    ids = columns(width, weight)
    by = ["PARTITION BY ", *_listed(ids)] if ids else []
    return Window(left, ids, (Expression(("count(1) OVER (", *by, ") > 1")),))


def marked_as_no_updates(changes: Relation) -> Relation:
    """Return min-delta of changes in one direction: each is there once, and none is of an update.

    >>> from icemelt.algebra.nodes import Delta
    >>> str(marked_as_no_updates(Delta("t", ("a",))))
    'Project (#0, #1, #2, false)'
    """
    return Project(changes, (*columns(0, changes.width), text("false")))


def _listed(ids: tuple[Expression, ...]) -> list[str | int]:
    parts: list[str | int] = []
    for number, each in enumerate(ids):
        parts += [*([", "] if number else []), *each.parts]
    return parts
