"""A relation at one moment: before the interval of a change query, or after it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from icemelt.algebra.nodes import (
    Delta,
    Join,
    Pin,
    Relation,
    Scan,
    SetOperation,
    Shared,
    UnionAll,
    Values,
)

__all__ = ["pinned", "with_scans"]


def pinned(relation: Relation, pin: Pin) -> Relation:
    """Return a relation with all its tables read at one moment.

    >>> str(pinned(Scan("t", ("a",)), Pin.OLD))
    'Scan t@old(a)'
    """
    return with_scans(relation, lambda scan: replace(scan, pin=pin))


def with_scans(relation: Relation, changed: Callable[[Scan], Relation]) -> Relation:
    """Return a relation with something else in the place of each scan."""
    match relation:
        case Scan():
            return changed(relation)
        case Values() | Delta() | Shared():
            return relation
        case Join() | SetOperation():
            left, right = with_scans(relation.left, changed), with_scans(relation.right, changed)
            return replace(relation, left=left, right=right)
        case UnionAll(inputs):
            return UnionAll(tuple(with_scans(each, changed) for each in inputs))
        case _:
            return replace(relation, input=with_scans(relation.input, changed))
