"""APPEND_ONLY changes of monotonic queries, which only gain rows while their tables gain rows.

The rows inserted into a table are added to the table at the start, whatever else happened to the
table since: Δ⁺(L ⋈ R) = Δ⁺L ⋈ (R₀ + Δ⁺R) + L₀ ⋈ Δ⁺R.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from icemelt.algebra.graph import NodeValues
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
from icemelt.changes.differentiation import RULES, Derivative, differentiate_relation
from icemelt.changes.pin import pin_relation, replace_scans
from icemelt.changes.rule import Change, columns_read
from icemelt.changes.rules.scan import table_changes
from icemelt.changes.shape import Shape

__all__ = ["LosingOperator", "append_only_changes", "find_losing_operator"]


@dataclass(frozen=True, slots=True)
class LosingOperator:
    """An operator able to lose rows while the tables gain rows, and the operator's node."""

    operator: str
    node: Relation


def find_losing_operator(relation: Relation) -> LosingOperator | None:
    """Return an operator able to lose rows while the tables gain rows, None in a monotonic query.

    >>> from icemelt.algebra.expressions import column
    >>> scan = Scan("t", ("a",))
    >>> find_losing_operator(UnionAll((scan, scan)))
    >>> find_losing_operator(Aggregate(scan, (column(0),), ())).operator
    'an aggregate'
    """

    def find(node: Relation) -> LosingOperator | None:
        operator = _describe_losing_node(node)
        if operator is not None:
            return LosingOperator(operator, node)
        return next((found for each in node.inputs if (found := losing(each))), None)

    losing = NodeValues(find)
    return losing(relation)


def append_only_changes(relation: Relation, shapes: Mapping[str, Shape]) -> Derivative:
    """Return the rows gained by a monotonic query from rows inserted into its tables.

    A `Delta` of the result stands for the inserted rows alone. Tables are read at the start. For
    the end, the `Delta` is added to the table at the start.

    `shapes` is the shape of each table's changes: a table without inserted rows gained nothing.

    >>> from icemelt.algebra.nodes import explain
    >>> scan = Scan("t", ("a",))
    >>> print(explain(append_only_changes(scan, {"t": Shape.BOTH}).relation))
    Delta t(a, row id, weight)
    """
    gained = {source: shape & Shape.INSERTS for source, shape in shapes.items()}
    whole = add_identity(relation).relation
    known = columns_read(whole)

    def end(part: Relation, pin: Pin) -> Relation:
        before = pin_relation(part, Pin.OLD)
        return before if pin is Pin.OLD else replace_scans(before, grown)

    def grown(scan: Scan) -> Relation:
        if gained[scan.source] is Shape.EMPTY:
            return scan
        return UnionAll((scan, Change(table_changes(scan, known), Shape.INSERTS).rows))

    return differentiate_relation(whole, relation.width, gained, end)


def _describe_losing_node(relation: Relation) -> str | None:
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
