"""Δ(T): the changes of a table come from its change scan; rows written out have no changes."""

from __future__ import annotations

from collections.abc import Mapping

from icemelt.algebra.expressions import column, columns
from icemelt.algebra.nodes import Delta, Project, Relation, Scan
from icemelt.changes.rule import Change, Changes, Derivation

__all__ = ["differentiate_scan", "differentiate_values", "table_changes"]


def differentiate_scan(scan: Scan, _: Changes, derivation: Derivation) -> Change | None:
    """Return a table's changes; None if metadata shows no changes.

    Args:
        scan: the scan.
        _: no changes, as a scan has no inputs.
        derivation: the state of the plan.
    """
    shape = derivation.shapes[scan.source]
    return Change(table_changes(scan, derivation.columns), shape) if shape else None


def table_changes(scan: Scan, known: Mapping[str, tuple[str, ...]]) -> Relation:
    """Return the changes of the columns of a scan.

    `known` are the names of the columns read anywhere in the plan, by the table's slot.

    >>> str(table_changes(Scan("t", ("a",)), {"t": ("a", "b")}))
    'Project (#0, #3)'
    """
    delta = Delta(scan.source, known[scan.source])
    if scan.with_id and scan.columns == delta.columns:
        return delta
    own = tuple(column(delta.columns.index(name)) for name in scan.columns)
    behind = columns(len(delta.columns) + (not scan.with_id), delta.width)
    return Project(delta, (*own, *behind))


def differentiate_values(*_: object) -> None:
    """Return None: written-out rows do not change."""
