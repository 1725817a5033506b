"""Δ(T): the changes of a table are those of its change scan; rows written out have none."""

from __future__ import annotations

from collections.abc import Mapping

from icemelt.algebra.expressions import column, columns
from icemelt.algebra.nodes import Delta, Project, Relation, Scan
from icemelt.changes.rule import Change, Changes, Derivation

__all__ = ["changes_of", "differentiate_scan", "differentiate_values"]


def differentiate_scan(scan: Scan, _: Changes, derivation: Derivation) -> Change | None:
    """Return a table's changes, None where its metadata says that there are none."""
    shape = derivation.shapes[scan.source]
    return Change(changes_of(scan, derivation.columns), shape) if shape else None


def changes_of(scan: Scan, known: Mapping[str, tuple[str, ...]]) -> Relation:
    """Return the changes of what a scan reads; `known` are the columns that are read anywhere.

    >>> str(changes_of(Scan("t", ("a",)), {"t": ("a", "b")}))
    'Project (#0, #3)'
    """
    delta = Delta(scan.source, known[scan.source])
    if scan.with_id and scan.columns == delta.columns:
        return delta
    own = tuple(column(delta.columns.index(name)) for name in scan.columns)
    behind = columns(len(delta.columns) + (not scan.with_id), delta.width)
    return Project(delta, (*own, *behind))


def differentiate_values(*_: object) -> None:
    """Return that nothing changes."""
