"""Consolidation: the smallest set of changes with the same effect (min-delta).

Equal rows with the same identity cancel. At most two rows of an identity remain: the row before and
the row after.
"""

from __future__ import annotations

from collections.abc import Mapping

from icemelt.algebra.expressions import Expression, column, columns, text
from icemelt.algebra.nodes import Aggregate, Filter, Project, Relation, Window

__all__ = ["consolidate_changes", "mark_no_updates"]


def consolidate_changes(
    changes: Relation, width: int, compared: Mapping[int, Expression] | None = None
) -> Relation:
    """Return min-delta: values, identity, the weight, and whether the row is in an update.

        id  name  identity  weight          id  name  identity  weight  update
        1   Ada   7         -1              1   Ada   7         -1      true
        1   Bea   7          1              1   Cyd   7          1      true
        1   Bea   7         -1
        1   Cyd   7          1

    Args:
        changes: `width` columns of values, then the identity, then the weight: 1 for an inserted
            row, -1 for a deleted row.
        width: the number of columns of values.
        compared: by number of a column whose type cannot be grouped by, an expression to group by.
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
    by = ["PARTITION BY ", *_list_parts(ids)] if ids else []
    return Window(left, ids, (Expression(("count(1) OVER (", *by, ") > 1")),))


def mark_no_updates(changes: Relation) -> Relation:
    """Return changes of one direction as min-delta: no row cancels, and no row is in an update.

    >>> from icemelt.algebra.nodes import Delta
    >>> str(mark_no_updates(Delta("t", ("a",))))
    'Project (#0, #1, #2, false)'
    """
    return Project(changes, (*columns(0, changes.width), text("false")))


def _list_parts(ids: tuple[Expression, ...]) -> list[str | int]:
    parts: list[str | int] = []
    for number, each in enumerate(ids):
        parts += [*([", "] if number else []), *each.parts]
    return parts
