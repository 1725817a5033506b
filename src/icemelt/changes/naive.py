"""Δ(Q) = Q₁ − Q₀: all rows after, less all rows before."""

from __future__ import annotations

from collections.abc import Mapping

from icemelt.algebra.expressions import Expression, columns, text
from icemelt.algebra.identity import add_identity
from icemelt.algebra.nodes import Pin, Project, Relation, UnionAll
from icemelt.changes.consolidate import consolidated
from icemelt.changes.pin import pinned

__all__ = ["naive"]


def naive(relation: Relation, compared: Mapping[int, Expression] | None = None) -> Relation:
    """Return a query's changes by computing it at both ends; `compared` as in `consolidated`.

    >>> from icemelt.algebra.nodes import Scan
    >>> naive(Scan("t", ("a",))).width
    4
    """
    sides = []
    for pin, weight in ((Pin.OLD, "-1"), (Pin.NEW, "1")):
        side = add_identity(pinned(relation, pin)).relation
        sides.append(Project(side, (*columns(0, side.width), text(weight))))
    return consolidated(UnionAll(tuple(sides)), relation.width, compared)
