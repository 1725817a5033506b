"""Turn the subqueries of expressions into joins, with SQL's rules for NULL.

EXISTS and IN as conditions become semi joins, and their negations anti joins. In other places the
rows get a column with the subquery's answer, by a left join with the subquery's groups. SQL's IN
has three answers:

    x IN (SELECT y …)       x is 1      x is 3      x is NULL
    y is 1 and 2            true        false       NULL
    y is 1 and NULL         true        NULL        NULL
    no rows                 false       false       false

A condition drops a row for NULL as for false, and so does NOT IN: the negation of NULL is NULL.
"""

from __future__ import annotations

import re
from dataclasses import replace

from sqlglot import exp

from icemelt.algebra.expressions import Expression, column, columns, text
from icemelt.algebra.nodes import (
    Aggregate,
    Filter,
    Join,
    JoinKind,
    Linear,
    Project,
    Relation,
    Values,
)
from icemelt.sql.lowering.comparing import EqualitySide, split_equalities
from icemelt.sql.lowering.context import Context, GrowingRows, NamedRelation, marker
from icemelt.sql.lowering.domain_joins import equality
from icemelt.sql.lowering.expressions import LoweredSubquery, replace_parts
from icemelt.sql.lowering.names import outer_number
from icemelt.sql.lowering.unnesting import Pairs, Unnested, unnest

__all__ = ["attach_subqueries", "filter_by_subquery", "is_membership"]

# the text of an expression that is always NULL
_ALWAYS_NULL = re.compile(r"[\d\s.()*+-]*\bNULL\b[\d\s.()*+-]*")
_SEVERAL_ROWS_ERROR = "'icemelt: a subquery that is a value gave more than one row'"


def attach_subqueries(
    rows: GrowingRows, tree: exp.Expr, context: Context, *, drops_null: bool = False
) -> exp.Expr:
    """Return a settled tree with columns in place of the subqueries; the columns join the rows.

    Args:
        rows: the rows of the SELECT, which get a column for each subquery.
        tree: a settled expression.
        context: the context of the statement.
        drops_null: whether the tree drops a row for which a subquery's value is NULL; such rows may
            then be missing.
    """

    def replacement(node: exp.Expr) -> exp.Expr | None:
        if isinstance(node, exp.Not) and is_membership(node.this.unnest()):
            node = node.this.unnest()
            operands_of_in = [
                attach_subqueries(rows, operand, context) for operand in node.args["operands"]
            ]
            return exp.Not(
                this=_attach_membership(rows, node.args["query"], operands_of_in, context)
            )
        if not isinstance(node, LoweredSubquery):
            return None
        query = node.args["query"]
        operands = [
            attach_subqueries(rows, operand, context) for operand in node.args["operands"] or ()
        ]
        match node.args["kind"]:
            case "exists":
                return _attach_existence(rows, query)
            case "in":
                return _attach_presence(rows, query, operands, context)
            case _:
                return marker(_attach_value(rows, query, drops_null=drops_null))

    return replace_parts(tree, replacement)


def filter_by_subquery(rows: GrowingRows, condition: exp.Expr, context: Context) -> bool:
    """Filter rows by a condition that is a lone EXISTS, NOT EXISTS, IN or NOT IN.

    Return False, and filter nothing, for any other condition.

    Args:
        rows: the rows of the SELECT.
        condition: a settled condition.
        context: the context of the statement.
    """
    negated = isinstance(condition, exp.Not)
    sub = condition.this.unnest() if negated else condition
    if not isinstance(sub, LoweredSubquery) or sub.args["kind"] == "scalar":
        return False
    query = sub.args["query"]
    sub_operands = [
        attach_subqueries(rows, operand, context) for operand in sub.args["operands"] or ()
    ]
    sides = _membership_sides(rows, sub_operands, query, context)
    inner = unnest(query.relation, rows.relation, by_any_condition=True)
    kind = JoinKind.ANTI if negated else JoinKind.SEMI
    if negated and sides:
        operands = [side.expression for side, _ in sides]
        may_match = _may_be_equal(operands, rows.relation.width)
        rows.relation = inner.join_outer_rows(kind, rows.relation, others=[may_match])
        return True
    pairs, conditions = split_equalities(sides, rows.relation.width, context.types)
    rows.relation = inner.join_outer_rows(kind, rows.relation, pairs, conditions)
    return True


def _membership_sides(
    rows: GrowingRows, operands: list[exp.Expr], query: NamedRelation, context: Context
) -> list[tuple[EqualitySide, EqualitySide]]:
    """Return the operands of IN, each paired with the subquery's column to compare."""
    return [
        (
            EqualitySide(context.to_expression(operand), rows.relation, operand),
            EqualitySide(column(at), query.relation),
        )
        for at, operand in enumerate(operands)
    ]


def is_membership(node: exp.Expr) -> bool:
    """Tell whether a node is `IN (SELECT …)`."""
    return isinstance(node, LoweredSubquery) and node.args["kind"] == "in"


def _may_be_equal(operands: list[Expression], width: int) -> Expression:
    """Return the condition that a row may be equal to the operands: NULL may be equal to any value.

    NOT IN keeps a row only if its operands are surely different from all rows of the subquery.
    """
    parts: list[str | int] = ["coalesce("]
    for at, operand in enumerate(operands):
        parts += [*([" AND "] if at else []), "(", *operand.parts, ") = ", width + at]
    return Expression((*parts, ", true)"))


def _attach_existence(rows: GrowingRows, query: NamedRelation) -> exp.Expr:
    inner = unnest(query.relation, rows.relation)
    # without keys, an aggregate makes one row of all rows or of no rows
    has_row = text("true" if inner.equalities else "max(true)")
    return _is_not_null(_join_grouped(rows, inner, (), (has_row,)))


def _attach_presence(
    rows: GrowingRows, query: NamedRelation, operands: list[exp.Expr], context: Context
) -> exp.Expr:
    """Return whether a value is surely in the subquery: false where SQL's IN is NULL.

    Spark computes IN so, too.
    """
    sides = _membership_sides(rows, operands, query, context)
    pairs, conditions = split_equalities(sides, rows.relation.width, context.types)
    if conditions:
        matching = query.relation
        for outer_side, own_side in sides:
            matching = Filter(
                matching,
                equality(outer_side.expression.remap_columns(outer_number), own_side.expression),
            )
        return _attach_existence(rows, replace(query, relation=matching))
    inner = unnest(query.relation, rows.relation)
    return _is_not_null(_join_grouped(rows, inner, pairs, (text("true"),)))


def _is_not_null(number: int) -> exp.Expr:
    return exp.Paren(this=exp.Not(this=exp.Is(this=marker(number), expression=exp.null())))


def _attach_membership(
    rows: GrowingRows, query: NamedRelation, operands: list[exp.Expr], context: Context
) -> exp.Expr:
    """Return whether a value may be in the subquery: a NULL may be equal to any value."""
    if len(operands) != 1:
        outer_values = [
            context.to_expression(operand).remap_columns(outer_number) for operand in operands
        ]
        matching = Filter(query.relation, _may_be_equal(outer_values, 0))
        return _attach_existence(rows, replace(query, relation=matching))
    is_present = _attach_presence(rows, query, operands, context)
    inner = unnest(query.relation, rows.relation)
    counts = (text("count(1)"), Expression(("count(", 0, ")")))
    linear = (Linear(text("1")), Linear(column(0)))
    count = _join_grouped(rows, inner, (), counts, linear)
    unknown = exp.Or(
        this=exp.Is(this=operands[0].copy(), expression=exp.null()),
        expression=exp.LT(this=marker(count + 1), expression=marker(count)),
    )
    has_rows = exp.GT(this=marker(count), expression=exp.Literal.number(0))
    is_unknown_match = exp.And(this=has_rows, expression=exp.Paren(this=unknown))
    either = exp.Or(this=is_present, expression=exp.Paren(this=is_unknown_match))
    return exp.Anonymous(this="NVL", expressions=[exp.Paren(this=either), exp.false()])


def _attach_value(rows: GrowingRows, query: NamedRelation, *, drops_null: bool) -> int:
    """Join the value of a scalar subquery, and return the number of the value's column."""
    inner = unnest(query.relation, rows.relation, may_lack_empty_row=True)
    width = rows.relation.width
    if inner.empty_row is None:
        if inner.equalities and _gives_one_row(query.relation):
            rows.relation = inner.join_outer_rows(JoinKind.LEFT, rows.relation)
            return width
        values = (Expression(("any_value(", 0, ")")), text("count(1)"))
        value = _join_grouped(rows, inner, (), values)
        # raise when the value is read: a key that no outer row has may have several values
        checked = (
            "CASE WHEN ",
            value + 1,
            " > 1 THEN raise_error(",
            _SEVERAL_ROWS_ERROR,
            ") ELSE ",
            value,
        )
        value_of_one_row, wide = Expression((*checked, " END")), rows.relation.width
        rows.relation = Project(rows.relation, (*columns(0, wide), value_of_one_row))
        return wide
    if not inner.equalities:
        rows.relation = inner.join_outer_rows(JoinKind.INNER, rows.relation)
        return width
    is_null = _ALWAYS_NULL.fullmatch(str(inner.empty_row[0]))
    kind = JoinKind.INNER if is_null and drops_null else JoinKind.LEFT
    rows.relation = inner.join_outer_rows(kind, rows.relation)
    if is_null:
        return width
    key = inner.equalities[0][1].remap_columns(lambda number: width + number).parts
    default = inner.empty_row[0].parts
    written = ("CASE WHEN ", *key, " IS NOT NULL THEN ", width, " ELSE ", *default, " END")
    rows.relation = Project(rows.relation, (*columns(0, width), Expression(written)))
    return width


def _gives_one_row(relation: Relation) -> bool:
    """Tell whether a query has exactly one row for every row of the outer query."""
    match relation:
        case Project(inner):
            return _gives_one_row(inner)
        case Aggregate(keys=keys):
            return not keys
        case Values(written):
            return len(written) == 1
        case _:
            return False


def _join_grouped(
    rows: GrowingRows,
    inner: Unnested,
    pairs: Pairs,
    values: tuple[Expression, ...],
    linear: tuple[Linear, ...] = (),
) -> int:
    """Join aggregates of a subquery's rows to the outer rows; return the first new column.

    Args:
        rows: the outer rows.
        inner: the unnested subquery; its equalities become keys.
        pairs: more equalities, whose right sides become keys.
        values: the aggregates.
        linear: the terms of the aggregates, where the aggregates are sums.
    """
    width, bound = rows.relation.width, len(inner.equalities)
    keys = tuple(own for _, own in (*inner.equalities, *pairs))
    grouped = Aggregate(inner.relation, keys, values, linear)
    if not keys:
        rows.relation = Join(JoinKind.INNER, rows.relation, grouped)
        return width
    matched = tuple(
        (outer_value, column(at)) for at, (outer_value, _) in enumerate((*inner.equalities, *pairs))
    )
    unnested = replace(inner, relation=grouped, equalities=matched[:bound])
    rows.relation = unnested.join_outer_rows(JoinKind.LEFT, rows.relation, matched[bound:])
    return width + len(keys)
