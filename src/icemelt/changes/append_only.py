"""APPEND_ONLY changes: of queries that only gain rows when their tables only gain rows.

What came to the tables is added to what was there, whatever else has happened to them since:
Δ⁺(L ⋈ R) = Δ⁺L ⋈ (R₀ + Δ⁺R) + L₀ ⋈ Δ⁺R.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from icemelt.algebra.identity import add_identity
from icemelt.algebra.nodes import (
    Aggregate,
    Distinct,
    Join,
    JoinKind,
    Pin,
    Relation,
    Scan,
    SetKind,
    SetOperation,
    UnionAll,
    Window,
)
from icemelt.changes.differentiation import RULES, Derived, differentiated
from icemelt.changes.pin import pinned, with_scans
from icemelt.changes.rule import Change, columns_of
from icemelt.changes.rules.scan import changes_of
from icemelt.changes.shape import Shape

__all__ = ["Reason", "appended", "monotonic"]


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a query can lose rows while its tables gain some: the operator that makes it so."""

    operator: str
    node: Relation


def monotonic(relation: Relation) -> Reason | None:
    """Return None for a query that only gains rows when its tables do; else why it is not one.

    >>> from icemelt.algebra.expressions import column
    >>> scan = Scan("t", ("a",))
    >>> monotonic(UnionAll((scan, scan)))
    >>> monotonic(Aggregate(scan, (column(0),), ())).operator
    'an aggregate'
    """
    operator = _losing(relation)
    if operator is not None:
        return Reason(operator, relation)
    return next((found for each in relation.inputs if (found := monotonic(each))), None)


def appended(relation: Relation, shapes: Mapping[str, Shape]) -> Derived:
    """Return what a monotonic query gained from the rows that its tables gained.

    The `Delta` of a table is here of the rows that were inserted, and of nothing else. Tables are
    read before only, and with `Delta` for what they gained. `shapes` says which gained nothing.

    >>> from icemelt.algebra.nodes import explain
    >>> scan = Scan("t", ("a",))
    >>> print(explain(appended(scan, {"t": Shape.BOTH}).relation))
    Delta t(a, row id, weight)
    """
    gained = {source: shape & Shape.INSERTS for source, shape in shapes.items()}
    whole = add_identity(relation).relation
    known = columns_of(whole)

    def end(part: Relation, pin: Pin) -> Relation:
        before = pinned(part, Pin.OLD)
        return before if pin is Pin.OLD else with_scans(before, grown)

    def grown(scan: Scan) -> Relation:
        if gained[scan.source] is Shape.EMPTY:
            return scan
        return UnionAll((scan, Change(changes_of(scan, known), Shape.INSERTS).rows))

    return differentiated(whole, relation.width, gained, end)


def _losing(relation: Relation) -> str | None:
    match relation:
        case Aggregate():
            return "an aggregate"
        case Window():
            return "a window function or LIMIT"
        case SetOperation(kind=SetKind.EXCEPT):
            return "EXCEPT"
        case Join(kind=JoinKind.LEFT | JoinKind.RIGHT | JoinKind.FULL):
            return "an outer join"
        case Join(kind=JoinKind.ANTI):
            return "NOT EXISTS or NOT IN"
        case Join() | Distinct() | SetOperation():
            return None
    return None if RULES[type(relation)].linear else type(relation).__name__
