"""Which calls are aggregates, and which of them are window functions."""

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
    """What an aggregate is a sum of: of the argument, or of 1 where that is not NULL."""

    argument: exp.Expr
    counts: bool


def is_aggregate(node: exp.Expr) -> bool:
    """Tell whether a node is a call of an aggregate, with what follows it, and no window function.

    >>> is_aggregate(exp.Anonymous(this="sum", expressions=[exp.column("a")]))
    True
    """
    if node.meta.get(_WINDOWED):
        return False
    call = unwrap_call(node)
    return isinstance(call, exp.Anonymous) and call.name.upper() in AGGREGATES


def has_aggregate(tree: exp.Expr) -> bool:
    """Tell whether an aggregate is anywhere in a settled tree, but in its subqueries."""
    mark_windows(tree)
    return any(
        is_aggregate(node)
        for node in tree.walk(prune=lambda each: isinstance(each, LoweredSubquery))
    )


def find_sum(node: exp.Expr) -> SumTerm | None:
    """Return what an aggregate is a sum of over its rows, None for one that is no sum.

    >>> find_sum(exp.Anonymous(this="COUNT", expressions=[exp.Star()])).argument.sql()
    '1'
    """
    call = node.this if isinstance(node, exp.Filter) else node
    if not isinstance(call, exp.Anonymous) or len(call.expressions) != 1:
        return None
    (argument,) = call.expressions
    if isinstance(argument, _NO_VALUES) or isinstance(argument.this, exp.Star):
        return None
    one: exp.Expr = exp.Literal.number(1)
    match call.name.upper():
        case "COUNT":
            found = SumTerm(one if isinstance(argument, exp.Star) else argument, counts=True)
        case "COUNT_IF":
            found = SumTerm(_value_where(argument, one), counts=True)
        case "SUM" if not isinstance(argument, exp.Star):
            found = SumTerm(argument, counts=False)
        case _:
            return None
    if isinstance(node, exp.Filter):
        return replace(found, argument=_value_where(node.expression.this, found.argument))
    return found


def mark_windows(tree: exp.Expr) -> None:
    """Note on the calls before OVER that they are window functions."""
    for window in tree.find_all(exp.Window):
        node = window.this
        node.meta[_WINDOWED] = True
        while isinstance(node, WRAPPERS):
            node = node.this
            node.meta[_WINDOWED] = True


def _value_where(condition: exp.Expr, value: exp.Expr) -> exp.Expr:
    return exp.Anonymous(this="IFF", expressions=[condition.copy(), value.copy(), exp.null()])


def unwrap_call(node: exp.Expr) -> exp.Expr:
    """Return a call without what follows it: FILTER, WITHIN GROUP, how it takes NULLs."""
    while isinstance(node, WRAPPERS):
        node = node.this
    return node
