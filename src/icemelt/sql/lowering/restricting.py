"""Restrict rows by plain conditions, by subqueries as semi and anti joins, and by outer rows."""

from __future__ import annotations

from sqlglot import exp

from icemelt.algebra.nodes import Filter
from icemelt.sql.lowering.comparing import EqualitySide, cast_to_common_type
from icemelt.sql.lowering.context import Context, GrowingRows
from icemelt.sql.lowering.correlation import CorrelatedFilter
from icemelt.sql.lowering.expressions import LoweredSubquery, add_common_conditions, numbers_in
from icemelt.sql.lowering.names import is_outer
from icemelt.sql.lowering.pushing import push_down_predicate, reorder_inner_joins
from icemelt.sql.lowering.subqueries import attach_subqueries, filter_by_subquery

__all__ = ["restrict"]

_COMPARED = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)
_ARITHMETIC = (exp.Add, exp.Sub, exp.Mul, exp.Neg, exp.Paren)
_STRICT = (*_COMPARED, *_ARITHMETIC, exp.Column, exp.Identifier, exp.Literal, LoweredSubquery)


def restrict(rows: GrowingRows, conditions: list[exp.Expr], context: Context) -> None:
    """Keep the rows that meet all conditions; the rows may get new columns behind.

    Args:
        rows: the rows of the SELECT.
        conditions: the settled conditions, which AND joins.
        context: the context of the statement.
    """
    with_outer_columns, with_subqueries = [], []
    for condition in add_common_conditions(conditions):
        if condition.find(LoweredSubquery):
            with_subqueries.append(condition)
        elif any(map(is_outer, numbers_in(condition))):
            with_outer_columns.append(condition)
        else:
            rows.relation = push_down_predicate(rows.relation, condition, context)
    rows.relation = reorder_inner_joins(rows.relation)
    for condition in with_subqueries:
        if not filter_by_subquery(rows, condition, context):
            value = attach_subqueries(rows, condition, context, drops_null=_drops_null(condition))
            rows.relation = Filter(rows.relation, context.to_expression(value))
    for condition in with_outer_columns:
        rows.relation = _add_correlated_filter(rows, condition, context)


def _drops_null(condition: exp.Expr) -> bool:
    """Tell whether a condition drops all rows where the value of its subquery is NULL."""
    return isinstance(condition, _COMPARED) and all(
        isinstance(node, _STRICT) for node in condition.walk()
    )


def _add_correlated_filter(
    rows: GrowingRows, condition: exp.Expr, context: Context
) -> CorrelatedFilter:
    written = context.to_expression(condition)
    pair = _split_sides(condition) if isinstance(condition, exp.EQ) else None
    if pair is None:
        return CorrelatedFilter(rows.relation, written)
    outer, own = pair
    own_side = EqualitySide(context.to_expression(own), rows.relation, own)
    sides = cast_to_common_type(
        EqualitySide(context.to_expression(outer), tree=outer), own_side, context.types
    )
    return CorrelatedFilter(rows.relation, written, *(sides or ()))


def _split_sides(condition: exp.EQ) -> tuple[exp.Expr, exp.Expr] | None:
    """Return the outer value and the own value of an equality, or None where a side mixes both."""
    for left, right in ((condition.left, condition.right), (condition.right, condition.left)):
        outer, own = numbers_in(left), numbers_in(right)
        if outer and own and all(map(is_outer, outer)) and not any(map(is_outer, own)):
            return left, right
    return None
