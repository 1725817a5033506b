"""A relation at one moment: before the interval of a change query, or after it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from icemelt.algebra.nodes import Pin, Relation, Scan

__all__ = ["pinned", "with_scans"]


def pinned(relation: Relation, pin: Pin) -> Relation:
    """Return a relation with all its tables read at one moment.

    >>> str(pinned(Scan("t", ("a",)), Pin.OLD))
    'Scan t@old(a)'
    """
    return with_scans(relation, lambda scan: replace(scan, pin=pin))


def with_scans(relation: Relation, changed: Callable[[Scan], Relation]) -> Relation:
    """Return a relation with something else in the place of each scan."""
    if isinstance(relation, Scan):
        return changed(relation)
    return relation.map_inputs(lambda each: with_scans(each, changed))
