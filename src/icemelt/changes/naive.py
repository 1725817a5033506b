"""Δ(Q) = Q₁ − Q₀: all rows after, less all rows before."""

from __future__ import annotations

from collections.abc import Mapping

from icemelt.algebra.expressions import Expression, columns, text
from icemelt.algebra.identity import add_identity
from icemelt.algebra.nodes import Pin, Project, Relation, UnionAll
from icemelt.changes.consolidate import consolidate_changes
from icemelt.changes.pin import pin_relation

__all__ = ["naive_changes"]


def naive_changes(relation: Relation, compared: Mapping[int, Expression] | None = None) -> Relation:
    """Return a query's changes by computing the query at both ends.

    `compared` is as of `consolidate_changes`.

    >>> from icemelt.algebra.nodes import Scan
    >>> naive_changes(Scan("t", ("a",))).width
    4
    """
    sides = []
    for pin, weight in ((Pin.OLD, "-1"), (Pin.NEW, "1")):
        side = add_identity(pin_relation(relation, pin)).relation
        sides.append(Project(side, (*columns(0, side.width), text(weight))))
    return consolidate_changes(UnionAll(tuple(sides)), relation.width, compared)
