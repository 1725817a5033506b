"""Ties: where SQL leaves a choice, rows are taken in the written order and then by their identity.

So both ends of an interval choose alike, and the end of one as the start of the next
(docs/theory.md).
"""

from __future__ import annotations

from sqlglot import exp

from icemelt.sql.lowering.context import row_marker

__all__ = ["certain_aggregate", "certain_window"]

_BY_PLACE = frozenset(
    {"ROW_NUMBER", "NTILE", "LAG", "LEAD", "FIRST_VALUE", "LAST_VALUE", "NTH_VALUE"}
)
_LISTS = frozenset({"ARRAY_AGG", "LISTAGG", "STRING_AGG"})
_ANY = frozenset({"ANY_VALUE", "FIRST_VALUE", "FIRST"})
_SETS = frozenset({"ARRAY_UNIQUE_AGG", "COLLECT_SET"})
_BY = frozenset({"MIN_BY", "MAX_BY"})
_WRAPPERS = (exp.Filter, exp.IgnoreNulls, exp.RespectNulls, exp.WithinGroup)


def certain_window(window: exp.Expr) -> exp.Expr:
    """Return a window function whose order has no ties, where its value depends on them."""
    order, spec = window.args.get("order"), window.args.get("spec")
    in_rows = spec is not None and spec.text("kind").upper() == "ROWS"
    by_place = _call(window.this).name.upper() in _BY_PLACE and (spec is None or in_rows)
    if order is None or not (in_rows or by_place):
        return window
    certain = window.copy()
    certain.args["order"].append("expressions", _by_row())
    return certain


def certain_aggregate(node: exp.Expr) -> exp.Expr:
    """Return an aggregate whose value does not depend on the order in which rows are read."""
    call = _call(node)
    name, arguments = call.name.upper(), call.expressions
    distinct = bool(arguments) and isinstance(arguments[0], exp.Distinct)
    if name in _SETS or (name == "ARRAY_AGG" and distinct):
        return exp.Anonymous(this="ARRAY_SORT", expressions=[node.copy()])
    if name in _LISTS and not distinct:
        return _ordered(node)
    if name in _ANY and len(arguments) == 1 and not _ignores_nulls(node):
        return _in_place_of(
            node, exp.Anonymous(this="MIN_BY", expressions=[arguments[0], row_marker()])
        )
    if name in _BY and len(arguments) == 2:  # noqa: PLR2004 - a value and what it is chosen by
        value, by = arguments
        pair = exp.Anonymous(this="STRUCT", expressions=[by.copy(), row_marker()])
        missing = exp.Is(this=by.copy(), expression=exp.null())
        chosen = exp.Anonymous(this="IFF", expressions=[missing, exp.null(), pair])
        return _in_place_of(node, exp.Anonymous(this=name, expressions=[value.copy(), chosen]))
    return node


def _ordered(node: exp.Expr) -> exp.Expr:
    certain = node.copy()
    within = certain if isinstance(certain, exp.WithinGroup) else certain.find(exp.WithinGroup)
    if within is not None:
        within.args["expression"].append("expressions", _by_row())
        return certain
    order = exp.Order(expressions=[_by_row()])
    call = _call(certain)
    ordered = exp.WithinGroup(this=call.copy(), expression=order)
    if certain is call:
        return ordered
    call.replace(ordered)
    return certain


def _in_place_of(node: exp.Expr, call: exp.Expr) -> exp.Expr:
    """Put another call into the place of one, inside what follows it."""
    certain = node.copy()
    inner = _call(certain)
    if certain is inner:
        return call
    inner.replace(call)
    return certain


def _ignores_nulls(node: exp.Expr) -> bool:
    return node.find(exp.IgnoreNulls) is not None


def _by_row() -> exp.Ordered:
    return exp.Ordered(this=row_marker(), desc=False, nulls_first=True)


def _call(node: exp.Expr) -> exp.Expr:
    while isinstance(node, _WRAPPERS):
        node = node.this
    return node
