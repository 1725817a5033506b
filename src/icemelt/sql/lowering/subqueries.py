"""Subqueries of expressions become joins, with SQL's rules for NULL."""

from __future__ import annotations

from sqlglot import exp

from icemelt.algebra.expressions import Expression, column, columns, text
from icemelt.algebra.nodes import Aggregate, Join, JoinKind, Linear, Project
from icemelt.sql.lowering.context import Context, Named, Rows, marker
from icemelt.sql.lowering.correlation import Pulled, pulled
from icemelt.sql.lowering.expressions import Sub, all_of, replaced
from icemelt.sql.lowering.names import inner_number, is_outer
from icemelt.sql.lowering.reasons import refusal

__all__ = ["attach", "filter_by"]

_ONE_ROW = "'icemelt: a subquery that is a value gave more than one row'"


def attach(rows: Rows, tree: exp.Expr, context: Context) -> exp.Expr:
    """Return a settled tree without subqueries: each is a column that is joined to the rows."""

    def replacement(node: exp.Expr) -> exp.Expr | None:
        if isinstance(node, exp.Not) and _is_membership(node.this.unnest()):
            node = node.this.unnest()
            wanted = [attach(rows, each, context) for each in node.args["operands"]]
            return exp.Not(this=_membership(rows, node.args["query"], wanted, context))
        if not isinstance(node, Sub):
            return None
        query = node.args["query"]
        operands = [attach(rows, each, context) for each in node.args["operands"] or ()]
        match node.args["kind"]:
            case "exists":
                return _existence(rows, query)
            case "in":
                return _presence(rows, query, operands, context)
            case _:
                return marker(_value(rows, query))

    return replaced(tree, replacement)


def filter_by(rows: Rows, condition: exp.Expr, context: Context) -> bool:
    """Keep the rows for which a lone EXISTS or IN holds, or holds not; tell whether it is one."""
    negated = isinstance(condition, exp.Not)
    sub = condition.this.unnest() if negated else condition
    if not isinstance(sub, Sub) or sub.args["kind"] == "scalar":
        return False
    query = sub.args["query"]
    operands = [
        context.expression(attach(rows, each, context)) for each in sub.args["operands"] or ()
    ]
    inner = _rows_of(query)
    equalities, others = _conditions(inner, rows.relation.width)
    if negated and operands:
        others.append(_perhaps_equal(operands, rows.relation.width))
    else:
        equalities += [(each, column(at)) for at, each in enumerate(operands)]
    kind = JoinKind.ANTI if negated else JoinKind.SEMI
    rows.relation = Join(kind, rows.relation, inner.relation, tuple(equalities), all_of(others))
    return True


def _rows_of(query: Named) -> Pulled:
    """A subquery of which the rows count; one of an aggregate is there for no rows too."""
    inner = pulled(query.relation)
    if inner.on_nothing is not None and not inner.is_free:
        raise refusal("correlation")
    return inner


def _perhaps_equal(operands: list[Expression], width: int) -> Expression:
    """NOT IN lets only a row pass that is surely different from all."""
    parts: list[str | int] = ["coalesce("]
    for at, each in enumerate(operands):
        parts += [*([" AND "] if at else []), "(", *each.parts, ") = ", width + at]
    return Expression((*parts, ", true)"))


def _conditions(
    inner: Pulled, width: int
) -> tuple[list[tuple[Expression, Expression]], list[Expression]]:
    """The equalities and other conditions that bind a subquery to the rows around it."""
    equalities = [(each.mapped(inner_number), own) for each, own in inner.equalities]
    others = [
        each.mapped(lambda at: inner_number(at) if is_outer(at) else width + at)
        for each in inner.others
    ]
    both = [left for left, _ in equalities] + others
    if any(is_outer(number) for each in both for number in each.columns):
        raise refusal("correlation")
    return equalities, others


def _equalities(inner: Pulled) -> list[tuple[Expression, Expression]]:
    equalities, others = _conditions(inner, 0)
    if others:
        raise refusal("correlation")
    return equalities


def _existence(rows: Rows, query: Named) -> exp.Expr:
    inner = _rows_of(query)
    equalities = _equalities(inner)
    # without keys it takes an aggregate to make one row of all, or of none
    there = text("true" if equalities else "max(true)")
    found = _grouped(rows, inner, equalities, (there,))
    return exp.Paren(this=exp.Not(this=exp.Is(this=marker(found), expression=exp.null())))


def _presence(rows: Rows, query: Named, operands: list[exp.Expr], context: Context) -> exp.Expr:
    """Whether a value is surely among the subquery's; Spark says false where SQL says NULL."""
    inner = _rows_of(query)
    pairs = [(context.expression(each), column(at)) for at, each in enumerate(operands)]
    there = _grouped(rows, inner, [*_equalities(inner), *pairs], (text("true"),))
    return exp.Paren(this=exp.Not(this=exp.Is(this=marker(there), expression=exp.null())))


def _membership(rows: Rows, query: Named, operands: list[exp.Expr], context: Context) -> exp.Expr:
    """Whether a value may be among the subquery's: beside a NULL, or being one, it may."""
    if len(operands) != 1:
        raise refusal("correlation")
    there = _presence(rows, query, operands, context)
    inner = _rows_of(query)
    counts = (text("count(1)"), Expression(("count(", 0, ")")))
    linear = (Linear(text("1")), Linear(column(0)))
    count = _grouped(rows, inner, _equalities(inner), counts, linear)
    unknown = exp.Or(
        this=exp.Is(this=operands[0].copy(), expression=exp.null()),
        expression=exp.LT(this=marker(count + 1), expression=marker(count)),
    )
    has_rows = exp.GT(this=marker(count), expression=exp.Literal.number(0))
    perhaps = exp.And(this=has_rows, expression=exp.Paren(this=unknown))
    either = exp.Or(this=there, expression=exp.Paren(this=perhaps))
    return exp.Anonymous(this="NVL", expressions=[exp.Paren(this=either), exp.false()])


def _is_membership(node: exp.Expr) -> bool:
    return isinstance(node, Sub) and node.args["kind"] == "in"


def _value(rows: Rows, query: Named) -> int:
    """Join the one value of a subquery; return its column."""
    inner = pulled(query.relation)
    equalities = _equalities(inner)
    if inner.on_nothing is None:
        value = Expression(
            ("CASE WHEN count(1) > 1 THEN raise_error(", _ONE_ROW, ") ELSE any_value(", 0, ") END")
        )
        return _grouped(rows, inner, equalities, (value,))
    width = rows.relation.width
    if not equalities:
        rows.relation = Join(JoinKind.INNER, rows.relation, inner.relation)
        return width
    rows.relation = Join(JoinKind.LEFT, rows.relation, inner.relation, tuple(equalities))
    there = equalities[0][1].mapped(lambda number: width + number).parts
    nothing = inner.on_nothing[0].parts
    written = ("CASE WHEN ", *there, " IS NOT NULL THEN ", width, " ELSE ", *nothing, " END")
    shown = Expression(written)
    kept = (*columns(0, width), shown)
    rows.relation = Project(rows.relation, kept)
    return width


def _grouped(
    rows: Rows,
    inner: Pulled,
    equalities: list[tuple[Expression, Expression]],
    values: tuple[Expression, ...],
    linear: tuple[Linear, ...] = (),
) -> int:
    """Join aggregates of a subquery's rows, by what binds them; return the first one's column."""
    width, keys = rows.relation.width, tuple(own for _, own in equalities)
    grouped = Aggregate(inner.relation, keys, values, linear)
    if not keys:
        rows.relation = Join(JoinKind.INNER, rows.relation, grouped)
        return width
    matched = tuple((each, column(at)) for at, (each, _) in enumerate(equalities))
    rows.relation = Join(JoinKind.LEFT, rows.relation, grouped, matched)
    return width + len(keys)
