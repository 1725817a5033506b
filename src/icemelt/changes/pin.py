"""A relation at one moment: before the interval of a change query, or after."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from icemelt.algebra.graph import rebuild
from icemelt.algebra.nodes import Pin, Relation, Scan

__all__ = ["pin_relation", "replace_scans"]


def pin_relation(relation: Relation, pin: Pin) -> Relation:
    """Return a relation that reads all its tables at one moment.

    >>> str(pin_relation(Scan("t", ("a",)), Pin.OLD))
    'Scan t@old(a)'
    """
    return replace_scans(relation, lambda scan: replace(scan, pin=pin))


def replace_scans(relation: Relation, changed: Callable[[Scan], Relation]) -> Relation:
    """Return a relation with every scan replaced by `changed(scan)`."""
    return rebuild(relation, lambda node: changed(node) if isinstance(node, Scan) else node)
