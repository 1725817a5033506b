"""Ties: where SQL leaves a choice, rows are taken in the written order and then by their identity.

So both ends of an interval choose alike, and the end of one as the start of the next
(docs/theory.md).
"""

from __future__ import annotations

from sqlglot import exp

from icemelt.schema import Primitive
from icemelt.sql.kinds import kind_of
from icemelt.sql.lowering.context import row_marker

__all__ = ["certain_aggregate", "certain_window"]

_BY_PLACE = frozenset(
    {"ROW_NUMBER", "NTILE", "LAG", "LEAD", "FIRST_VALUE", "LAST_VALUE", "NTH_VALUE"}
)
_LISTS = frozenset({"ARRAY_AGG", "LISTAGG", "STRING_AGG"})
_ANY = frozenset({"ANY_VALUE", "FIRST_VALUE", "FIRST"})
_SETS = frozenset({"ARRAY_UNIQUE_AGG", "COLLECT_SET"})
_BY = frozenset({"MIN_BY", "MAX_BY"})
_WHOLE = exp.WindowSpec(
    kind="ROWS",
    start="UNBOUNDED",
    start_side="PRECEDING",
    end="UNBOUNDED",
    end_side="FOLLOWING",
)
_WRAPPERS = (exp.Filter, exp.IgnoreNulls, exp.RespectNulls, exp.WithinGroup)


def certain_window(window: exp.Expr) -> exp.Expr:
    """Return a window function whose order has no ties, where its value depends on them."""
    order, spec = window.args.get("order"), window.args.get("spec")
    in_rows = spec is not None and spec.text("kind").upper() == "ROWS"
    call = _call(window.this)
    by_place = call.name.upper() in _BY_PLACE and (spec is None or in_rows)
    certain = window.copy()
    if order is not None and (in_rows or by_place):
        certain.args["order"].append("expressions", _by_row())
    elif order is None and (in_rows or call.name.upper() in _BY_PLACE | _LISTS):
        certain.set("order", exp.Order(expressions=[_by_row()]))
        if spec is None and not _is_distinct(call):
            certain.set("spec", _WHOLE.copy())
    return certain


def certain_aggregate(node: exp.Expr) -> exp.Expr:
    """Return an aggregate whose value does not depend on the order in which rows are read."""
    call = _call(node)
    name, arguments, distinct = call.name.upper(), call.expressions, _is_distinct(call)
    if name in _SETS or (name == "ARRAY_AGG" and distinct):
        return exp.Anonymous(this="ARRAY_SORT", expressions=[node.copy()])
    if name in _LISTS and not distinct:
        return _ordered(node, _by_row())
    if name in _LISTS and node.find(exp.WithinGroup) is None:
        return _by_itself(node)
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


def _ordered(node: exp.Expr, by: exp.Ordered) -> exp.Expr:
    certain = node.copy()
    within = certain if isinstance(certain, exp.WithinGroup) else certain.find(exp.WithinGroup)
    if within is not None:
        within.args["expression"].append("expressions", by)
        return certain
    order = exp.Order(expressions=[by])
    call = _call(certain)
    ordered = exp.WithinGroup(this=call.copy(), expression=order)
    if certain is call:
        return ordered
    call.replace(ordered)
    return certain


def _by_itself(node: exp.Expr) -> exp.Expr:
    """Return a list of distinct texts in their order; Spark sorts by what it lists alone."""
    certain = node.copy()
    distinct = _call(certain).expressions[0]
    listed = distinct.expressions[0]
    kind = kind_of(listed)
    if kind is None:
        return node
    if kind not in (Primitive("string"), Primitive("binary")):
        listed.replace(exp.cast(listed.copy(), "VARCHAR"))
    by = distinct.expressions[0].copy()
    return _ordered(certain, exp.Ordered(this=by, desc=False))


def _in_place_of(node: exp.Expr, call: exp.Expr) -> exp.Expr:
    """Put another call into the place of one, inside what follows it."""
    certain = node.copy()
    inner = _call(certain)
    if certain is inner:
        return call
    inner.replace(call)
    return certain


def _is_distinct(call: exp.Expr) -> bool:
    return bool(call.expressions) and isinstance(call.expressions[0], exp.Distinct)


def _ignores_nulls(node: exp.Expr) -> bool:
    return node.find(exp.IgnoreNulls) is not None


def _by_row() -> exp.Ordered:
    return exp.Ordered(this=row_marker(), desc=False, nulls_first=True)


def _call(node: exp.Expr) -> exp.Expr:
    while isinstance(node, _WRAPPERS):
        node = node.this
    return node
