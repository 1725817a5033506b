"""Comparisons with all rows of a query: IN, ANY, SOME and ALL, with SQL's three answers.

ANY is true if one row makes the comparison true, ALL is false if one row makes it false. A row with
NULL leaves the answer open, and no rows make ANY false and ALL true:

    x > ANY (SELECT y …)    x is 3      x is 1      x is NULL
    y is 1 and 2            true        false       NULL
    y is 1 and NULL         true        NULL        NULL
    no rows                 false       false       false

    x > ALL (SELECT y …)    x is 3      x is 1      x is NULL
    y is 1 and 2            true        false       NULL
    y is 1 and NULL         NULL        false       NULL
    no rows                 true        true        true

So the least and the greatest value of the query, and whether the query has rows and NULLs, decide.
"""

from __future__ import annotations

from sqlglot import exp

from icemelt.errors import NotYet, QueryError, SqlSyntaxError
from icemelt.sql.analysis.trees import quoted_column
from icemelt.sql.analysis.volatile import is_volatile

__all__ = ["QUERY_VALUE", "compare_query", "find_membership"]

# the name of a query's column where something is computed of its values
QUERY_VALUE = "icemelt v"

_COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE)
# what a query has: no rows, rows with NULLs among them, rows without NULLs
_EMPTY, _WITH_NULLS, _WITHOUT_NULLS = 0, 1, 2
_CONNECTORS = (exp.And, exp.Or, exp.Paren)
# functions whose first argument is a condition
_CONDITIONAL = frozenset({"IFF", "COUNT_IF"})
_CONDITIONS = (exp.Where, exp.Having, exp.Qualify, exp.Join, exp.If)


def find_membership(node: exp.Expr) -> exp.Expr | None:
    """Return what ANY, SOME or ALL of a query means, and IN where NULL differs from false.

    Return None for another node.

    Raises:
        SqlSyntaxError: ANY or ALL has something else than a query.
        QueryError: the query has several columns.
        NotYet: several values are compared otherwise than by = ANY and <> ALL.

    >>> from sqlglot import parse_one
    >>> find_membership(parse_one("SELECT 1 WHERE a = ANY (SELECT b)").find(exp.EQ)).sql()
    'a IN (SELECT b)'
    >>> find_membership(parse_one("SELECT 1 WHERE a > ANY (SELECT b)").find(exp.GT)).sql()
    'a > (SELECT MIN("icemelt v") FROM (SELECT b) AS "icemelt r"("icemelt v"))'
    """
    meaning = _find_open_membership(node) if isinstance(node, exp.In) else _find_quantified(node)
    if meaning is not None and "written" in node.meta:
        meaning.meta["written"] = node.meta.pop("written")
    return meaning


def compare_query(node: exp.In, compared: exp.Expr) -> None:
    """Compare with what is computed of each value of an IN's query, `QUERY_VALUE`, in place."""
    node.set("query", _compute(node.args["query"], compared))


def _find_quantified(node: exp.Expr) -> exp.Expr | None:
    """Return what ANY or ALL of a query means, None for another node."""
    quantified = node.expression if isinstance(node, _COMPARISONS) else None
    if isinstance(quantified, exp.Anonymous) and _is_quantifier(quantified):
        raise _no_query_error()
    if not isinstance(quantified, (exp.Any, exp.All)):
        return None
    query = quantified.this.unnest()
    if not isinstance(query, exp.Query):
        raise _no_query_error()
    query = query if isinstance(query, exp.Subquery) else exp.Subquery(this=query)
    match node, quantified:
        case exp.EQ(), exp.Any():
            return exp.In(this=node.this, query=query)
        case exp.NEQ(), exp.All():
            return exp.Not(this=exp.In(this=node.this, query=query))
    if isinstance(node.this.unnest(), exp.Tuple):
        raise NotYet(
            "Several values are compared with a query by = ANY and <> ALL only.",
            hint="Compare each value in [NOT] EXISTS (SELECT … WHERE …).",
        )
    _require_one_column(query.this)
    return _compare_bounds(node, quantified, query)


def _is_quantifier(call: exp.Anonymous) -> bool:
    """Tell whether a call is ALL or SOME of a list; SOME of one value is an aggregate."""
    name = call.name.upper()
    return name == "ALL" or (name == "SOME" and len(call.expressions) > 1)


def _no_query_error() -> SqlSyntaxError:
    return SqlSyntaxError(
        "ANY and ALL compare with the rows of a query.",
        hint="Write x IN (1, 2), or x > ALL (SELECT y FROM t).",
    )


def _find_open_membership(node: exp.In) -> exp.Expr | None:
    """Return IN of a query as CASE with its three answers, None where IN stays as it is.

    Spark's IN of a query is false where SQL's is NULL. A condition takes both alike.
    """
    value, query = node.this, node.args.get("query")
    if not isinstance(query, exp.Expr) or _is_condition(node, through=(*_CONNECTORS, exp.Not)):
        return None
    if isinstance(value.unnest(), exp.Tuple) or any(map(is_volatile, value.walk())):
        return None
    query = query if isinstance(query, exp.Subquery) else exp.Subquery(this=query)
    _require_one_column(query.this)
    is_null = exp.Is(this=value.copy(), expression=exp.null())
    is_open = exp.Or(this=is_null, expression=_has(query, _WITH_NULLS))
    branches = [
        exp.If(this=exp.In(this=value.copy(), query=query.copy()), true=exp.true()),
        exp.If(this=_has(query, _EMPTY), true=exp.false()),
        exp.If(this=is_open, true=exp.null()),
    ]
    return exp.Case(ifs=branches, default=exp.false())


def _compare_bounds(node: exp.Expr, quantified: exp.Expr, query: exp.Subquery) -> exp.Expr:
    """Return a comparison with all rows of a query as one with the query's bounds."""
    is_any = isinstance(quantified, exp.Any)
    compared: exp.Expr
    match node:
        case exp.EQ() | exp.NEQ():
            # the greatest value is at most the least: all values are equal
            low, high = _bound(query, "MAX"), _bound(query, "MIN")
            compared = exp.Between(this=node.this, low=low, high=high)
            if isinstance(node, exp.NEQ):
                compared = exp.Not(this=compared)
        case _:
            needs_least = isinstance(node, (exp.GT, exp.GTE)) == is_any
            bound = _bound(query, "MIN" if needs_least else "MAX")
            compared = type(node)(this=node.this, expression=bound)
    if is_any and _is_condition(node, through=_CONNECTORS):
        return compared
    if is_any:
        is_open = _or_null(_has(query, _WITH_NULLS), exp.true())
        either = exp.Or(this=exp.Paren(this=compared), expression=is_open)
        has_rows = exp.Not(this=_has(query, _EMPTY))
        return exp.Paren(this=exp.And(this=has_rows, expression=exp.Paren(this=either)))
    is_closed = _or_null(_has(query, _WITHOUT_NULLS), exp.false())
    both = exp.And(this=exp.Paren(this=compared), expression=is_closed)
    return exp.Paren(this=exp.Or(this=_has(query, _EMPTY), expression=exp.Paren(this=both)))


def _or_null(condition: exp.Expr, answer: exp.Expr) -> exp.Expr:
    """Return a condition, with NULL in the place of one of its answers."""
    return exp.Anonymous(this="NULLIF", expressions=[condition, answer])


def _bound(query: exp.Subquery, function: str) -> exp.Subquery:
    """Return the query of the least or the greatest value of a query, by MIN or MAX."""
    least = exp.Anonymous(this=function, expressions=[quoted_column(QUERY_VALUE)])
    return _compute(query, least)


def _has(query: exp.Subquery, content: int) -> exp.Expr:
    """Return whether a query has rows, and NULLs among them, as a comparison with one row."""
    rows = exp.Anonymous(this="COUNT", expressions=[exp.Star()])
    values = exp.Anonymous(this="COUNT", expressions=[quoted_column(QUERY_VALUE)])
    zero = exp.Literal.number(0)
    branches = [
        exp.If(this=exp.EQ(this=rows, expression=zero), true=_number(_EMPTY)),
        exp.If(this=exp.GT(this=rows.copy(), expression=values), true=_number(_WITH_NULLS)),
    ]
    found = exp.Case(ifs=branches, default=_number(_WITHOUT_NULLS))
    return exp.EQ(this=_compute(query, found), expression=_number(content))


def _number(value: int) -> exp.Expr:
    number: exp.Expr = exp.Literal.number(value)
    return number


def _compute(query: exp.Expr, computed: exp.Expr) -> exp.Subquery:
    """Return a query of what is computed of another query's column, `QUERY_VALUE`."""
    inner = query.this if isinstance(query, exp.Subquery) else query
    alias = exp.TableAlias(
        this=exp.to_identifier("icemelt r", quoted=True),
        columns=[exp.to_identifier(QUERY_VALUE, quoted=True)],
    )
    source = exp.Subquery(this=inner.copy(), alias=alias)
    return exp.Subquery(this=exp.Select(expressions=[computed], from_=exp.From(this=source)))


def _require_one_column(query: exp.Expr) -> None:
    """Raise for a SELECT list of several columns; a star is left to Spark."""
    columns = query.expressions if isinstance(query, exp.Select) else []
    if len(columns) > 1:
        raise QueryError(
            f"A value is compared with a query of {len(columns)} columns.",
            hint="Select one column.",
        )


def _is_condition(node: exp.Expr, through: tuple[type[exp.Expr], ...]) -> bool:
    """Tell whether a node decides a condition, for which NULL is as false.

    Args:
        node: a predicate.
        through: the operators that may be between the node and the condition.
    """
    while isinstance(node.parent, through):
        node = node.parent
    around = node.parent
    if isinstance(around, exp.If):
        is_searched = isinstance(around.parent, exp.Case) and around.parent.this is None
        return is_searched and node.arg_key == "this"
    if isinstance(around, exp.Anonymous):
        return around.name.upper() in _CONDITIONAL and node.index in {0, None}
    return isinstance(around, _CONDITIONS)
