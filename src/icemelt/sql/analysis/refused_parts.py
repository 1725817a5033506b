"""Refuse parts of a SELECT from dialects that icemelt does not follow."""

from __future__ import annotations

from sqlglot import exp

from icemelt.errors import FunctionNotFound, NotYet, SqlSyntaxError

__all__ = [
    "OWN_CALL",
    "require_parentheses",
    "validate_expression",
    "validate_parts",
]

# the mark of calls that icemelt writes into a tree
OWN_CALL = "icemelt"
_OWN_FUNCTIONS = "ICEMELT_"

_REFUSED = {
    "laterals": "LATERAL VIEW",
    "match": "MATCH_RECOGNIZE",
    "connect": "CONNECT BY",
    "cluster": "CLUSTER BY",
    "distribute": "DISTRIBUTE BY",
    "sort": "SORT BY",
    "prewhere": "PREWHERE",
    "locks": "FOR UPDATE",
    "into": "INTO",
    "kind": "SELECT AS",
    "version": "VERSION AS OF",
    "system_time": "SYSTEM_TIME",
    "partition": "PARTITION",
    "ordinality": "WITH ORDINALITY",
    "indexed": "INDEXED BY",
    "only": "ONLY",
}
# GROUP BY () and GROUPING SETS ((a), ())
_GROUPS = (exp.Group, exp.GroupingSets)
_IN = ("expressions", "query", "unnest", "field")


def validate_parts(node: exp.Expr) -> None:
    """Raise for a part of a query that icemelt does not run, and for a SELECT without columns."""
    if isinstance(node, exp.Select) and not node.expressions:
        raise SqlSyntaxError("SELECT names no column.", hint="Write SELECT * FROM ….")
    distinct = node.args.get("distinct")
    if isinstance(distinct, exp.Distinct) and distinct.args.get("on") is not None:
        hint = "QUALIFY ROW_NUMBER() OVER (PARTITION BY a ORDER BY b) = 1 keeps one row of each a."
        raise NotYet("DISTINCT ON is not supported.", hint=hint)
    for part, words in _REFUSED.items():
        if node.args.get(part):
            hint = "Use AT (…) for a point in time." if "OF" in words else "Write it without."
            raise NotYet(f"{words} in a query is not supported.", hint=hint)


def validate_expression(node: exp.Expr) -> None:
    """Raise for a node of an expression that icemelt does not run."""
    validate_parentheses(node)
    refuse_own_calls(node)
    if isinstance(node, exp.Order) and isinstance(node.parent, exp.Anonymous):
        call = node.parent.name.upper()
        raise NotYet(
            f"{call}: an order among the arguments is not supported.",
            hint=f"Write {call}(x) WITHIN GROUP (ORDER BY y).",
        )
    if isinstance(node, exp.Collate):
        raise NotYet("COLLATE is not supported.", hint="Compare or sort by LOWER(text).")


def refuse_own_calls(node: exp.Expr) -> None:
    """Refuse a written call of a function of icemelt's own: these trust their arguments.

    >>> refuse_own_calls(exp.Anonymous(this="icemelt_next_value"))
    Traceback (most recent call last):
    icemelt.errors.FunctionNotFound: Function 'icemelt_next_value' is icemelt's own.
    Hint: docs/functions.md lists the functions.
    """
    is_own = isinstance(node, exp.Anonymous) and node.name.upper().startswith(_OWN_FUNCTIONS)
    if is_own and OWN_CALL not in node.meta:
        raise FunctionNotFound(
            f"Function {node.name!r} is icemelt's own.",
            hint="docs/functions.md lists the functions.",
        )


def require_parentheses(node: exp.Expr) -> None:
    """Raise for a query as an argument without parentheses of its own.

    sqlglot reads `abs(SELECT 1)`. To Spark `SELECT` would be a column or a table with this name.

    >>> require_parentheses(exp.select("1").subquery())
    >>> require_parentheses(exp.select("1"))
    Traceback (most recent call last):
    icemelt.errors.SqlSyntaxError: A query within an expression is in parentheses of its own.
    Hint: Write (SELECT …).
    """
    if isinstance(node, exp.Subquery) or isinstance(node.parent, (exp.Exists, exp.Any, exp.All)):
        return
    raise SqlSyntaxError(
        "A query within an expression is in parentheses of its own.", hint="Write (SELECT …)."
    )


def validate_parentheses(node: exp.Expr) -> None:
    """Raise for an empty `()` or `IN ()`, and for a value with a name outside of SELECT.

    `GROUP BY ()` is the group of all rows and stays. In a row of VALUES `(t AS v)` would be a table
    to Spark.

    >>> validate_parentheses(exp.Tuple(expressions=[exp.Literal.number(1)]))
    >>> validate_parentheses(exp.Tuple())
    Traceback (most recent call last):
    icemelt.errors.SqlSyntaxError: Parentheses hold no value.
    Hint: Write NULL for nothing.
    """
    if isinstance(node, exp.Alias) and not _may_have_name(node):
        raise SqlSyntaxError("A value has a name in SELECT alone.", hint="Leave AS … out.")
    if isinstance(node, exp.Tuple):
        is_empty = not node.expressions and not isinstance(node.parent, _GROUPS)
    else:
        is_empty = isinstance(node, exp.In) and not any(map(node.args.get, _IN))
    if is_empty:
        raise SqlSyntaxError("Parentheses hold no value.", hint="Write NULL for nothing.")


def _may_have_name(node: exp.Alias) -> bool:
    around = node.parent
    # UNPIVOT (v FOR k IN (jan AS 'January'))
    is_of_unpivot = isinstance(around, exp.In) and isinstance(around.parent, exp.Pivot)
    return is_of_unpivot or isinstance(around, (exp.Select, exp.Pivot, exp.Star))
