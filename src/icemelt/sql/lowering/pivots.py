"""Lower PIVOT to a GROUP BY with one aggregate for each listed value.

k  v        PIVOT (SUM(v) FOR k IN ('a', 'b'))        of 'a'   of 'b'
a  1                                                  3        5
a  2
b  5
"""

from __future__ import annotations

from sqlglot import exp

from icemelt.algebra.expressions import Expression, column, columns
from icemelt.algebra.nodes import Aggregate, Project
from icemelt.sql.dialect.identifiers import fold_identifier
from icemelt.sql.lowering.aggregates import is_aggregate
from icemelt.sql.lowering.context import Context, NamedRelation
from icemelt.sql.lowering.expressions import numbers_in, replace_parts, settle
from icemelt.sql.lowering.names import SelectNames
from icemelt.sql.lowering.reasons import unsupported_error
from icemelt.sql.lowering.ties import make_aggregate_deterministic

__all__ = ["lower_pivot"]

_NUMERIC_AGGREGATES = {"AVG", "COUNT", "COUNT_IF", "SUM"}
# for these types Spark groups by the values, too: a value without rows is then NULL
_TYPES_GROUPED_BY_SPARK = "boolean|tinyint|smallint|int|bigint|float|double|decimal.*"


def lower_pivot(
    query: NamedRelation, pivot: exp.Pivot, names: SelectNames, context: Context
) -> NamedRelation:
    """Return rows grouped by the columns outside of a PIVOT.

    Args:
        query: the rows to pivot.
        pivot: the PIVOT.
        names: the names of the columns of the rows.
        context: the context of the statement.

    Raises:
        UnsupportedError: the PIVOT's columns depend on the data.
    """
    field = pivot.args["fields"][0]
    of_values = [item.this if isinstance(item, exp.Alias) else item for item in pivot.expressions]
    titles = [fold_identifier(title) for title in pivot.args.get("columns") or ()]
    is_known = len(titles) == len(field.expressions) * len(of_values)
    if not is_known or not all(map(_is_plain, field.expressions)):
        raise unsupported_error("pivot")
    aggregates = [settle(aggregate, names, context) for aggregate in of_values]
    looked_at = settle(field.this, names, context)
    named = set().union(*map(numbers_in, [looked_at, *aggregates]))
    keys = [at for at in range(len(query.names)) if at not in named]
    pivoted: list[Expression] = []
    not_grouped = [
        aggregate for aggregate in aggregates if aggregate.name.upper() not in _NUMERIC_AGGREGATES
    ]
    for value in field.expressions:
        condition = _pivot_equality(
            looked_at, value.this if isinstance(value, exp.PivotAlias) else value
        )
        has_rows = exp.or_(_is_any(condition), *map(_is_not_grouped_by_spark, not_grouped))
        pivoted += [
            context.to_expression(_aggregate_where(aggregate, condition, has_rows))
            for aggregate in aggregates
        ]
    own = columns(0, len(query.names))
    relation = Aggregate(query.relation, tuple(own[at] for at in keys), tuple(pivoted))
    shown = _replace_nulls(relation, len(keys), pivot, context)
    return NamedRelation(shown, (*(query.names[at] for at in keys), *titles))


def _replace_nulls(
    relation: Aggregate, keys: int, pivot: exp.Pivot, context: Context
) -> Aggregate | Project:
    """Return the pivoted rows with the value of DEFAULT ON NULL, where the PIVOT has one.

    Args:
        relation: the pivoted rows.
        keys: how many columns they are grouped by; the others are pivoted.
        pivot: the PIVOT.
        context: the context of the statement.
    """
    default = pivot.args.get("default_on_null")
    if not isinstance(default, exp.Expr):
        return relation
    value = context.to_expression(default)
    replaced = [
        Expression(("coalesce(", at, ", ", *value.parts, ")")) for at in range(keys, relation.width)
    ]
    return Project(relation, (*map(column, range(keys)), *replaced))


def _is_plain(value: exp.Expr) -> bool:
    """Tell whether a value is written as a text, a whole number or NULL."""
    if isinstance(value, exp.PivotAlias):
        value = value.this
    if isinstance(value, exp.Neg):
        value = value.this
        return isinstance(value, exp.Literal) and value.is_int
    if isinstance(value, exp.Literal):
        return value.is_string or value.is_int
    return isinstance(value, exp.Null)


def _pivot_equality(looked_at: exp.Expr, value: exp.Expr) -> exp.Expr:
    """Return the comparison of PIVOT: a number is compared as text where the column is a text."""
    equal = exp.NullSafeEQ(this=looked_at.copy(), expression=value.copy())
    if isinstance(value, exp.Null) or (isinstance(value, exp.Literal) and value.is_string):
        return equal
    its_type = exp.Typeof(this=looked_at.copy())
    is_text = exp.EQ(this=its_type, expression=exp.Literal.string("string"))
    as_texts = [exp.cast(operand, "string") for operand in (looked_at, value)]
    same = exp.NullSafeEQ(this=as_texts[0], expression=as_texts[1])
    return exp.Case(ifs=[exp.If(this=is_text, true=same)], default=equal)


def _is_any(condition: exp.Expr) -> exp.Expr:
    return exp.Anonymous(this="BOOL_OR", expressions=[condition.copy()])


def _is_not_grouped_by_spark(tree: exp.Expr) -> exp.Expr:
    """Return the test whether an aggregate's type is a text, an array or the like.

    Spark computes the test from the type, before any row is read.
    """
    like = exp.RegexpLike(
        this=exp.Typeof(this=tree.copy()), expression=exp.Literal.string(_TYPES_GROUPED_BY_SPARK)
    )
    return exp.Not(this=like)


def _aggregate_where(tree: exp.Expr, condition: exp.Expr, has_rows: exp.Expr) -> exp.Expr:
    """Return an aggregate over the group's rows with a condition, or NULL if not `has_rows`."""

    def replacement(node: exp.Expr) -> exp.Expr | None:
        if not is_aggregate(node):
            return None
        row_condition, call = condition.copy(), node
        if isinstance(node, exp.Filter):
            row_condition, call = exp.and_(node.expression.this, row_condition), node.this
        return make_aggregate_deterministic(
            exp.Filter(this=call.copy(), expression=exp.Where(this=row_condition))
        )

    return exp.Case(ifs=[exp.If(this=has_rows.copy(), true=replace_parts(tree, replacement))])
