"""Conditions on rows: plain ones, subqueries as semi and anti joins, and those on rows around."""

from __future__ import annotations

from sqlglot import exp

from icemelt.algebra.nodes import Filter
from icemelt.sql.lowering.comparing import Side, compared
from icemelt.sql.lowering.context import Context, Rows
from icemelt.sql.lowering.correlation import Bound
from icemelt.sql.lowering.expressions import Sub, implied, numbers_in
from icemelt.sql.lowering.names import is_outer
from icemelt.sql.lowering.pushing import connected, pushed
from icemelt.sql.lowering.subqueries import attach, filter_by

__all__ = ["restrict"]

_COMPARED = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)
_ARITHMETIC = (exp.Add, exp.Sub, exp.Mul, exp.Neg, exp.Paren)
_STRICT = (*_COMPARED, *_ARITHMETIC, exp.Column, exp.Identifier, exp.Literal, Sub)


def restrict(rows: Rows, conditions: list[exp.Expr], context: Context) -> None:
    """Keep the rows that meet all of some settled conditions; columns may be added behind."""
    around, others = [], []
    for each in implied(conditions):
        if each.find(Sub):
            others.append(each)
        elif any(map(is_outer, numbers_in(each))):
            around.append(each)
        else:
            rows.relation = pushed(rows.relation, each, context)
    rows.relation = connected(rows.relation)
    for each in others:
        if not filter_by(rows, each, context):
            value = attach(rows, each, context, drops_null=_drops_null(each))
            rows.relation = Filter(rows.relation, context.expression(value))
    for each in around:
        rows.relation = _bound(rows, each, context)


def _drops_null(condition: exp.Expr) -> bool:
    """Tell whether a condition holds for no row for which a subquery's value in it is NULL."""
    return isinstance(condition, _COMPARED) and all(
        isinstance(each, _STRICT) for each in condition.walk()
    )


def _bound(rows: Rows, condition: exp.Expr, context: Context) -> Bound:
    written = context.expression(condition)
    pair = _sides(condition) if isinstance(condition, exp.EQ) else None
    if pair is None:
        return Bound(rows.relation, written)
    around, own = pair
    mine = Side(context.expression(own), rows.relation, own)
    sides = compared(Side(context.expression(around), tree=around), mine, context.types)
    return Bound(rows.relation, written, *(sides or ()))


def _sides(condition: exp.EQ) -> tuple[exp.Expr, exp.Expr] | None:
    """Return the value around and the row's own that are equal, None where they are mixed."""
    for one, other in ((condition.left, condition.right), (condition.right, condition.left)):
        outer, own = numbers_in(one), numbers_in(other)
        if outer and own and all(map(is_outer, outer)) and not any(map(is_outer, own)):
            return one, other
    return None
