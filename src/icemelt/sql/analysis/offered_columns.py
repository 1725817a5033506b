"""Columns that HAVING and ORDER BY may read: those of groups, and those of SELECT DISTINCT.

Spark says of any other column that the column does not exist, though the tables have it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlglot import exp

from icemelt.errors import QueryError
from icemelt.names import fold
from icemelt.sql.analysis.aggregates import AGGREGATES
from icemelt.sql.analysis.scopes import Scope
from icemelt.sql.analysis.trees import plain_name
from icemelt.sql.analysis.units import is_unit
from icemelt.sql.analysis.variant_keys import output_sorted_by
from icemelt.sql.dialect.identifiers import fold_identifier
from icemelt.sql.effort import count_step

__all__ = ["require_offered_columns"]

_AROUND_CALLS = (exp.Filter, exp.IgnoreNulls, exp.RespectNulls, exp.WithinGroup)


def require_offered_columns(select: exp.Select, scope: Scope) -> None:
    """Require that a SELECT gives what HAVING and ORDER BY read of its tables.

    Raises:
        QueryError: a column of a table is neither grouped by nor aggregated, or SELECT DISTINCT
            does not select what it is sorted by.
    """
    if select.args.get("group") is None and _is_grouped(select):
        _require_aggregates(select, scope)
    if any(each.is_star for each in select.expressions):
        return
    outputs = {fold(each.alias_or_name) for each in select.expressions}
    order, having = select.args.get("order"), select.args.get("having")
    sorted_by = [item.this for item in order.expressions] if order is not None else []
    if select.args.get("distinct") is not None:
        others = [each for each in sorted_by if output_sorted_by(each, select) is None]
        for name in _columns_beyond(others, outputs, scope):
            raise QueryError(
                f"{name!r} is not in the SELECT list, and SELECT DISTINCT is sorted by what it"
                " selects.",
                hint=f"Select it, too, or write GROUP BY in place of DISTINCT, and ORDER BY"
                f" MIN({name}).",
            )
        sorted_by = []
    if not _is_grouped(select):
        return
    group = select.args.get("group")
    grouped = [] if group is None else [group]
    names = {fold(plain_name(each)) for each in _columns_in([*grouped, *select.expressions])}
    read = [*([] if having is None else [having]), *sorted_by]
    for name in _columns_beyond(read, names | outputs, scope):
        raise QueryError(
            f"{name!r} is neither in GROUP BY nor inside of an aggregate.",
            hint=f"Add it to GROUP BY, or write ANY_VALUE({name}).",
        )


def _require_aggregates(select: exp.Select, scope: Scope) -> None:
    """Require that a SELECT of one group of all rows gives no column of the single rows."""
    names = [each.sql().replace('"', "") for each in select.expressions if each.is_star]
    for name in (*names, *_columns_beyond(select.expressions, set(), scope)):
        value = "" if name.endswith("*") else f", or ANY_VALUE({name})"
        raise QueryError(
            f"{name!r} stands beside an aggregate, without GROUP BY.",
            hint=f"Write GROUP BY ALL, which groups by it{value}.",
        )


def _is_grouped(select: exp.Select) -> bool:
    has_clause = select.args.get("group") is not None or select.args.get("having") is not None
    return has_clause or any(map(_has_aggregate, select.expressions))


def _has_aggregate(node: exp.Expr) -> bool:
    """Tell whether an aggregate over a group is in an expression."""
    return any(_is_aggregate(part) and not _is_over_rows(part) for part in _parts(node))


def _is_over_rows(call: exp.Expr) -> bool:
    """Tell whether an aggregate is the function of a window."""
    around = call.parent
    while isinstance(around, _AROUND_CALLS):
        around = around.parent
    return isinstance(around, exp.Window)


def _columns_beyond(nodes: Iterable[exp.Expr], names: set[str], scope: Scope) -> Iterator[str]:
    """Yield the columns of the tables in FROM that have none of the folded names, as written."""
    for column in _columns_in(nodes):
        name = plain_name(column) or column.name
        table = column.args.get("table")
        source = None if table is None else scope.find(fold_identifier(table))
        is_own = table is None or any(source is each for each in scope.sources)
        if is_own and not is_unit(column) and scope.has(name) and fold(name) not in names:
            yield name


def _columns_in(nodes: Iterable[exp.Expr]) -> Iterator[exp.Column]:
    """Yield the columns outside of aggregates, of queries and of lambdas."""
    for node in nodes:
        for part in _parts(node):
            if isinstance(part, exp.Column) and isinstance(part.this, exp.Identifier):
                yield part


def _parts(node: exp.Expr) -> Iterator[exp.Expr]:
    for part in node.walk(bfs=False, prune=_is_closed):
        count_step()
        yield part


def _is_closed(node: exp.Expr) -> bool:
    return isinstance(node, (exp.Lambda, exp.Query)) or _is_aggregate(node)


def _is_aggregate(node: exp.Expr) -> bool:
    """Tell whether a node is a call of an aggregate, with FILTER and WITHIN GROUP around it."""
    call = node
    while isinstance(call, _AROUND_CALLS):
        call = call.this
    return isinstance(call, exp.Anonymous) and call.name.upper() in AGGREGATES
