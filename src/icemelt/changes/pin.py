"""A relation at one moment: before the interval of a change query, or after it."""

from __future__ import annotations

from dataclasses import replace

from icemelt.algebra.nodes import (
    Join,
    Pin,
    Relation,
    Scan,
    SetOperation,
    UnionAll,
    Values,
)

__all__ = ["pinned"]


def pinned(relation: Relation, pin: Pin) -> Relation:
    """Return a relation with all its tables read at one moment.

    >>> str(pinned(Scan("t", ("a",)), Pin.OLD))
    'Scan t@old(a)'
    """
    match relation:
        case Scan():
            return replace(relation, pin=pin)
        case Values():
            return relation
        case Join() | SetOperation():
            left, right = pinned(relation.left, pin), pinned(relation.right, pin)
            return replace(relation, left=left, right=right)
        case UnionAll(inputs):
            return UnionAll(tuple(pinned(each, pin) for each in inputs))
        case _:
            return replace(relation, input=pinned(relation.input, pin))
