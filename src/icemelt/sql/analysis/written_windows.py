"""Window functions that Spark does not have, written as windows over the values of other windows.

CONDITIONAL_CHANGE_EVENT(x) OVER w      CONDITIONAL_TRUE_EVENT(x <> LAG(x) IGNORE NULLS OVER w)
                                        OVER w
SUM(DISTINCT x) OVER (PARTITION BY k)   SUM(IFF(ROW_NUMBER() OVER (PARTITION BY k, x …) = 1, x,
                                        NULL)) OVER (PARTITION BY k)
"""

from __future__ import annotations

from sqlglot import exp

from icemelt.errors import NotYet, SqlSyntaxError

__all__ = ["write_window"]

_CHANGES, _TRUTHS = "CONDITIONAL_CHANGE_EVENT", "CONDITIONAL_TRUE_EVENT"
# the least of the distinct values is the least of all, and so on
_SAME_WITHOUT_DISTINCT = frozenset(
    {"MIN", "MAX", "BOOLAND_AGG", "BOOLOR_AGG", "BITAND_AGG", "BITANDAGG", "BIT_AND_AGG"}
    | {"BITOR_AGG", "BITORAGG", "BIT_OR_AGG", "ANY_VALUE"}
)
_OF_DISTINCT_VALUES = frozenset(
    {"SUM", "AVG", "MEAN", "MEDIAN", "STDDEV", "STDDEV_SAMP", "STDDEV_POP", "VARIANCE"}
    | {"VARIANCE_SAMP", "VAR_SAMP", "VARIANCE_POP", "VAR_POP", "SKEW", "KURTOSIS", "BOOLXOR_AGG"}
    | {"BITXOR_AGG", "BITXORAGG", "BIT_XOR_AGG"}
)


def write_window(node: exp.Expr) -> exp.Expr | None:
    """Return what a window function means that Spark does not have, None for another node.

    Args:
        node: a node of an expression, before its names are resolved.

    Raises:
        SqlSyntaxError: CONDITIONAL_CHANGE_EVENT has no order, or not one value.
        NotYet: an aggregate of distinct values has an order or a frame.

    >>> from sqlglot import parse_one
    >>> tree = parse_one("SUM(a) OVER (PARTITION BY k)")
    >>> call = exp.Anonymous(this="SUM", expressions=[exp.Distinct(expressions=[exp.column("a")])])
    >>> tree.set("this", call)
    >>> write_window(tree).sql()
    'SUM(IFF(ROW_NUMBER() OVER (PARTITION BY k, a ORDER BY 1) = 1, a, NULL)) OVER (PARTITION BY k)'
    """
    if not isinstance(node, exp.Window) or not isinstance(node.this, exp.Anonymous):
        return None
    call = node.this
    name, arguments = call.name.upper(), call.expressions
    if name == _CHANGES:
        meaning: exp.Expr | None = _count_changes(node)
    elif len(arguments) == 1 and isinstance(arguments[0], exp.Distinct):
        meaning = _aggregate_distinct(node, name, arguments[0].expressions)
    else:
        return None
    if meaning is not None and "written" in node.meta:
        meaning.meta["written"] = node.meta.pop("written")
    return meaning


def _count_changes(window: exp.Window) -> exp.Expr:
    """Return the number of rows so far whose value is another than the last one before."""
    if len(window.this.expressions) != 1 or window.args.get("order") is None:
        raise SqlSyntaxError(
            f"{_CHANGES} takes one value, and an order of the rows.",
            hint=f"Write {_CHANGES}(x) OVER (PARTITION BY k ORDER BY t).",
        )
    [value] = window.this.expressions
    before = _over(window, exp.Anonymous(this="LAG", expressions=[value.copy()]))
    before.set("this", exp.IgnoreNulls(this=before.this))
    change = exp.NEQ(this=value.copy(), expression=before)
    return _over(window, exp.Anonymous(this=_TRUTHS, expressions=[change]))


def _over(window: exp.Window, call: exp.Expr) -> exp.Window:
    """Return another call over the rows of a window, in their order."""
    partition = [key.copy() for key in window.args.get("partition_by") or ()]
    return exp.Window(
        this=call, partition_by=partition, order=window.args["order"].copy(), over="OVER"
    )


def _aggregate_distinct(
    window: exp.Window, name: str, arguments: list[exp.Expr]
) -> exp.Expr | None:
    """Return an aggregate of the first row of each value, which leaves the other rows out."""
    if len(arguments) != 1 or name not in _SAME_WITHOUT_DISTINCT | _OF_DISTINCT_VALUES:
        return None
    result: exp.Expr = window.copy()
    [value] = arguments
    if name in _OF_DISTINCT_VALUES:
        if window.args.get("order") is not None or window.args.get("spec") is not None:
            raise NotYet(
                f"{name}(DISTINCT …) is computed of the whole partition.",
                hint="Write OVER (PARTITION BY …), without an order and a frame.",
            )
        value = _only_first(window, value)
    result.this.set("expressions", [value.copy()])
    return result


def _only_first(window: exp.Window, value: exp.Expr) -> exp.Expr:
    """Return a value in the first of the partition's rows with it, NULL in the others."""
    keys = [*(window.args.get("partition_by") or ()), value]
    number = exp.Window(
        this=exp.Anonymous(this="ROW_NUMBER"),
        partition_by=[key.copy() for key in keys],
        order=exp.Order(expressions=[exp.Literal.number(1)]),
        over="OVER",
    )
    is_first = exp.EQ(this=number, expression=exp.Literal.number(1))
    return exp.Anonymous(this="IFF", expressions=[is_first, value.copy(), exp.null()])
