"""Make functions deterministic: where SQL leaves a choice, the rows' identity breaks the tie.

Rows are taken in the written order, and rows that are equal in the order by their identity. So both
ends of an interval choose alike, and so do the end of one interval and the start of the next one
(docs/theory.md).

    written                              deterministic
    ANY_VALUE(v)                         MIN_BY(v, row)
    ROW_NUMBER() OVER (ORDER BY v)       ROW_NUMBER() OVER (ORDER BY v, row)
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from icemelt.sql.lowering.aggregates import WRAPPERS, unwrap_call
from icemelt.sql.lowering.context import row_marker

__all__ = ["make_aggregate_deterministic", "make_window_deterministic"]

_LISTS = {"ARRAY_AGG", "COLLECT_LIST", "LISTAGG", "STRING_AGG"}
_ORDER_DEPENDENT = {"CONDITIONAL_TRUE_EVENT", "LAG", "LEAD", "NTILE", "ROW_NUMBER"}
_FIRST = {"ANY_VALUE", "FIRST", "FIRST_VALUE"}
_LAST = {"LAST", "LAST_VALUE"}
_NTH = "NTH_VALUE"
_POSITIONAL = {"FIRST", "FIRST_VALUE", *_LAST, _NTH}
_BY_KEY = {"MIN_BY", "MAX_BY"}
_WHOLE_PARTITION = exp.WindowSpec(
    kind="ROWS",
    start="UNBOUNDED",
    start_side="PRECEDING",
    end="UNBOUNDED",
    end_side="FOLLOWING",
)
_NULL_HANDLING = (exp.IgnoreNulls, exp.RespectNulls)


def make_window_deterministic(window: exp.Expr) -> exp.Expr:
    """Return a window function without ties in the order, if the value depends on ties."""
    spec, order = window.args.get("spec"), window.args.get("order")
    call = unwrap_call(window.this)
    name = call.name.upper()
    in_rows = spec is not None and spec.text("kind").upper() == "ROWS"
    result = window.copy()
    if name == "ANY_VALUE" or name in _BY_KEY:
        result.set("this", make_aggregate_deterministic(window.this))
    elif name in _LISTS and not _is_distinct(call):
        if window.this.find(exp.WithinGroup) is not None:
            result.set("this", _append_order_keys(window.this, [_row_order_key()]))
        elif order is None:
            return _order_by_row(result)
        elif not in_rows:
            result.set(
                "this",
                _append_order_keys(window.this, [*order.copy().expressions, _row_order_key()]),
            )
    elif name in _POSITIONAL:
        if order is None:
            return _order_by_row(result)
        ignores = _ignores_nulls(window.this)
        if not in_rows and _ends_among_peers(name, spec, ignores_nulls=ignores):
            return _value_at_position(result)
        return _append_row_key(result)
    if in_rows or name in _ORDER_DEPENDENT:
        return _append_row_key(result)
    return result


def make_aggregate_deterministic(node: exp.Expr) -> exp.Expr:
    """Return an aggregate with the same value for every order in which rows are read."""
    call = unwrap_call(node)
    name, arguments = call.name.upper(), call.expressions
    if name in _LISTS and not _is_distinct(call):
        return _append_order_keys(node, [_row_order_key()])
    if name in _FIRST | _LAST and arguments:
        value = _first_argument(call)
        row = _unless_null(value, row_marker()) if _ignores_nulls(node) else row_marker()
        return _choose_by(node, "MAX_BY" if name in _LAST else "MIN_BY", value, row)
    if name in _BY_KEY and len(arguments) > 1:
        value, by, *count = arguments
        pair = exp.Anonymous(this="STRUCT", expressions=[by.copy(), row_marker()])
        return _choose_by(node, name, value, _unless_null(by, pair), *count)
    return node


def _append_row_key(window: exp.Expr) -> exp.Expr:
    """Append the rows' identity to the order of a window."""
    order = window.args.get("order")
    if order is None:
        window.set("order", exp.Order(expressions=[_row_order_key()]))
    else:
        order.append("expressions", _row_order_key())
    return window


def _order_by_row(window: exp.Expr) -> exp.Expr:
    """Order a window by the rows' identity alone; the frame stays the whole partition."""
    if window.args.get("spec") is None:
        window.set("spec", _WHOLE_PARTITION.copy())
    return _append_row_key(window)


def _ends_among_peers(name: str, spec: exp.Expr | None, *, ignores_nulls: bool) -> bool:
    """Tell whether the value may depend on the peers of a row at the end of a frame by values.

    The value does not depend on the peers if the frame reaches the partition's end on the side that
    the function reads, and also has the row itself, where the row's value counts.
    """
    if spec is None:
        # LAST and FIRST see rows up to the last peer, Snowflake's functions the whole partition
        return name == "LAST" or (name == "FIRST" and ignores_nulls)
    ends = [spec.text("start").upper(), spec.text("end").upper()]
    if name in _LAST:
        ends.reverse()
    harmless_ends = {"UNBOUNDED"} if ignores_nulls else {"UNBOUNDED", "CURRENT ROW"}
    return ends[0] != "UNBOUNDED" or ends[1] not in harmless_ends or name == _NTH


def _value_at_position(window: exp.Expr) -> exp.Expr:
    """Return the first, last or nth value of a frame that has all peers of the rows at its ends.

    The order decides how far the frame goes, so the order cannot get more keys. Instead the
    function lists the frame's rows, sorts the list and takes an element.
    """
    call = unwrap_call(window.this)
    name, ignores = call.name.upper(), _ignores_nulls(window.this)
    position = call.expressions[1].copy() if name == _NTH else exp.Literal.number(1)
    if name in _LAST:
        position = exp.Neg(this=position)
    value = _first_argument(call).copy()
    if not ignores:
        # a list drops NULLs, so each value goes into a struct
        value = exp.Anonymous(this="NAMED_STRUCT", expressions=[exp.Literal.string("v"), value])
    listed = exp.Anonymous(this="ARRAY_AGG", expressions=[value])
    order = [*window.args["order"].copy().expressions, _row_order_key()]
    window.set("this", _append_order_keys(_replace_call(window.this, listed), order))
    element = exp.Anonymous(this="TRY_ELEMENT_AT", expressions=[window, position])
    return element if ignores else exp.Dot(this=element, expression=exp.to_identifier("v"))


def _append_order_keys(node: exp.Expr, by: Sequence[exp.Expr]) -> exp.Expr:
    """Return a list aggregate with more keys behind its order."""
    result = node.copy()
    within = result.find(exp.WithinGroup)
    if within is not None:
        for key in by:
            within.args["expression"].append("expressions", key)
        return result
    order = exp.Order(expressions=list(by))
    return _replace_call(node, exp.WithinGroup(this=unwrap_call(result), expression=order))


def _choose_by(
    node: exp.Expr, function: str, value: exp.Expr, by: exp.Expr, *count: exp.Expr
) -> exp.Expr:
    """Return the value of the row with the least or greatest key, or those of several rows."""
    call = exp.Anonymous(this=function, expressions=[value.copy(), by, *count])
    return _replace_call(node, call)


def _unless_null(value: exp.Expr, chosen: exp.Expr) -> exp.Expr:
    missing = exp.Is(this=value.copy(), expression=exp.null())
    return exp.Anonymous(this="IFF", expressions=[missing, exp.null(), chosen])


def _replace_call(node: exp.Expr, call: exp.Expr) -> exp.Expr:
    """Replace a call inside FILTER and WITHIN GROUP; drop IGNORE NULLS and RESPECT NULLS."""
    if isinstance(node, _NULL_HANDLING):
        return _replace_call(node.this, call)
    if not isinstance(node, WRAPPERS):
        return call
    result = node.copy()
    result.set("this", _replace_call(node.this, call))
    return result


def _first_argument(call: exp.Expr) -> exp.Expr:
    """Return the first argument of a call, without DISTINCT, IGNORE NULLS and RESPECT NULLS."""
    value: exp.Expr = call.expressions[0]
    while isinstance(value, (*_NULL_HANDLING, exp.Distinct)):
        value = value.expressions[0] if isinstance(value, exp.Distinct) else value.this
    return value


def _is_distinct(call: exp.Expr) -> bool:
    return bool(call.expressions) and isinstance(call.expressions[0], exp.Distinct)


def _ignores_nulls(node: exp.Expr) -> bool:
    """Tell whether a call passes over NULLs: by IGNORE NULLS, or by Spark's second argument."""
    if node.find(exp.IgnoreNulls) is not None:
        return True
    call = unwrap_call(node)
    last = call.expressions[-1] if len(call.expressions) == 2 else None  # noqa: PLR2004 - Spark's
    return isinstance(last, exp.Boolean) and bool(last.this)


def _row_order_key() -> exp.Ordered:
    return exp.Ordered(this=row_marker(), desc=False, nulls_first=True)
