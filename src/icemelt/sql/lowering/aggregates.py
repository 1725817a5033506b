"""Recognize aggregates, and tell aggregates from window functions."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlglot import exp

from icemelt.sql.analysis.aggregates import AGGREGATES
from icemelt.sql.lowering.expressions import LoweredSubquery

__all__ = [
    "WRAPPERS",
    "SumTerm",
    "find_sum",
    "has_aggregate",
    "is_aggregate",
    "mark_windows",
    "unwrap_call",
]

WRAPPERS = (exp.Filter, exp.IgnoreNulls, exp.RespectNulls, exp.WithinGroup)
_NO_VALUES = (exp.Distinct, exp.IgnoreNulls, exp.RespectNulls)
_WINDOWED = "windowed"


@dataclass(frozen=True, slots=True)
class SumTerm:
    """The term that an aggregate adds up over its rows.

    Attributes:
        argument: the value that the aggregate adds up or counts.
        counts: whether the aggregate counts the rows where the argument is not NULL.
    """

    argument: exp.Expr
    counts: bool


def is_aggregate(node: exp.Expr) -> bool:
    """Tell whether a node calls an aggregate, FILTER and the like included, without OVER.

    >>> is_aggregate(exp.Anonymous(this="sum", expressions=[exp.column("a")]))
    True
    """
    if node.meta.get(_WINDOWED):
        return False
    call = unwrap_call(node)
    return isinstance(call, exp.Anonymous) and call.name.upper() in AGGREGATES


def has_aggregate(tree: exp.Expr) -> bool:
    """Tell whether an aggregate is in a settled tree outside of the tree's subqueries."""
    mark_windows(tree)
    return any(
        is_aggregate(node)
        for node in tree.walk(prune=lambda each: isinstance(each, LoweredSubquery))
    )


def find_sum(node: exp.Expr) -> SumTerm | None:
    """Return the term that an aggregate adds up, or None for an aggregate without a sum.

    COUNT, COUNT_IF and SUM are sums; with DISTINCT they are not.

    >>> find_sum(exp.Anonymous(this="COUNT", expressions=[exp.Star()])).argument.sql()
    '1'
    """
    call = node.this if isinstance(node, exp.Filter) else node
    if not isinstance(call, exp.Anonymous) or len(call.expressions) != 1:
        return None
    (argument,) = call.expressions
    if isinstance(argument, _NO_VALUES) or isinstance(argument.this, exp.Star):
        return None
    literal_one: exp.Expr = exp.Literal.number(1)
    match call.name.upper():
        case "COUNT":
            term = SumTerm(literal_one if isinstance(argument, exp.Star) else argument, counts=True)
        case "COUNT_IF":
            term = SumTerm(_value_where(argument, literal_one), counts=True)
        case "SUM" if not isinstance(argument, exp.Star):
            term = SumTerm(argument, counts=False)
        case _:
            return None
    if isinstance(node, exp.Filter):
        return replace(term, argument=_value_where(node.expression.this, term.argument))
    return term


def mark_windows(tree: exp.Expr) -> None:
    """Mark the calls before OVER in a tree as window functions."""
    for window in tree.find_all(exp.Window):
        node = window.this
        node.meta[_WINDOWED] = True
        while isinstance(node, WRAPPERS):
            node = node.this
            node.meta[_WINDOWED] = True


def _value_where(condition: exp.Expr, value: exp.Expr) -> exp.Expr:
    return exp.Anonymous(this="IFF", expressions=[condition.copy(), value.copy(), exp.null()])


def unwrap_call(node: exp.Expr) -> exp.Expr:
    """Return a call without FILTER, WITHIN GROUP, IGNORE NULLS and RESPECT NULLS."""
    while isinstance(node, WRAPPERS):
        node = node.this
    return node
