"""Windows over the values of other windows: Spark computes them in a SELECT around these.

SELECT id, CONDITIONAL_TRUE_EVENT(LAG(v) OVER (ORDER BY id) > 1) OVER (ORDER BY id) AS n FROM t

SELECT id, CONDITIONAL_TRUE_EVENT(w0) OVER (ORDER BY w1) AS n
FROM (SELECT id, LAG(v) OVER (ORDER BY id) > 1 AS w0, id AS w1 FROM t)
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from icemelt.errors import NotYet
from icemelt.sql.analysis.kinds import kind_of, set_kind
from icemelt.sql.analysis.trees import own_parts, quoted_column, replace_node
from icemelt.sql.dialect.identifiers import fold_identifier

__all__ = ["nests_windows", "split_nested_windows"]

# the parts of a window that are no values
_AROUND_CALLS = (exp.Window, exp.IgnoreNulls, exp.RespectNulls, exp.Filter, exp.WithinGroup)
_STRUCTURE = (exp.WindowSpec, exp.Where, exp.Order, exp.Ordered, exp.Distinct)
# a window or its call takes these as they are
_CONSTANTS = (
    *(exp.Boolean, exp.DataType, exp.Identifier, exp.JSONPath, exp.Literal, exp.Null, exp.Star),
    exp.Var,
)


def nests_windows(node: exp.Expr) -> bool:
    """Tell whether a window function of an expression is computed of another one's values.

    >>> from sqlglot import parse_one
    >>> nests_windows(parse_one("SUM(LAG(a) OVER (ORDER BY b)) OVER (ORDER BY b)"))
    True
    >>> nests_windows(parse_one("SUM(a) OVER (ORDER BY b) + LAG(a) OVER (ORDER BY b)"))
    False
    """
    return any(len(own_parts(window, exp.Window)) > 1 for window in own_parts(node, exp.Window))


def split_nested_windows(select: exp.Select, hidden_name: Callable[[str], str]) -> None:
    """Compute the inner windows of a SELECT in a SELECT in its FROM, in place.

    Args:
        select: a SELECT whose names are resolved and whose columns have names, without DISTINCT,
            ORDER BY, LIMIT and QUALIFY.
        hidden_name: a function that returns a name that no column has.

    Raises:
        NotYet: a star stands beside such a window, and another star not next to it.
    """
    if not any(map(nests_windows, select.expressions)):
        return
    inner = exp.Select(**select.args)
    hidden: list[exp.Expr] = []

    def hide(value: exp.Expr) -> None:
        """Put a hidden column in the place of a value."""
        name = hidden_name(f"w{len(hidden)}")
        column = quoted_column(name)
        set_kind(column, kind_of(value))
        replace_node(column, value)
        hidden.append(exp.alias_(value, name, quoted=True, copy=False))

    outputs: list[exp.Expr] = []
    stars = [projection for projection in select.expressions if projection.is_star]
    for projection in list(select.expressions):
        if not projection.is_star:
            outputs.append(_read_output(projection, hide))
        elif projection is stars[0]:
            outputs.append(exp.Star())
        elif not select.expressions[select.expressions.index(projection) - 1].is_star:
            raise NotYet(
                "Two stars stand apart beside a window over another one's values.",
                hint="Write the stars one after the other, or the inner window in a subquery.",
            )
    for star in (each for each in outputs if isinstance(each, exp.Star)):
        star.set("except_", [quoted_column(each.alias) for each in hidden])
    inner.set("expressions", [*stars, *hidden])
    alias = exp.TableAlias(this=exp.to_identifier(hidden_name("v"), quoted=True))
    for part in list(select.args):
        select.set(part, None)
    select.set("expressions", outputs)
    select.set("from_", exp.From(this=exp.Subquery(this=inner, alias=alias)))
    split_nested_windows(inner, lambda name: hidden_name(f"{name}_"))


def _read_output(projection: exp.Expr, hide: Callable[[exp.Expr], None]) -> exp.Expr:
    """Return a column of the SELECT list as it is computed of hidden columns."""
    if isinstance(projection, exp.Column):
        name = exp.to_identifier(fold_identifier(projection.this), quoted=True)
        projection = exp.Alias(this=projection, alias=name)
    _hide_values(projection, hide)
    return projection


def _hide_values(node: exp.Expr, hide: Callable[[exp.Expr], None]) -> None:
    """Hide what an expression with nested windows is computed of, in place."""
    for child in list(node.iter_expressions()):
        if isinstance(child, exp.Window) and nests_windows(child):
            _hide_values_of_window(child, hide)
        elif nests_windows(child) or isinstance(child, exp.If):
            _hide_values(child, hide)
        elif not isinstance(child, _CONSTANTS):
            hide(child)


def _hide_values_of_window(window: exp.Expr, hide: Callable[[exp.Expr], None]) -> None:
    """Hide the arguments and keys of a window function, in place."""
    pending = [window]
    while pending:
        node = pending.pop()
        for child in list(node.iter_expressions()):
            is_call = isinstance(node, _AROUND_CALLS) and child.arg_key == "this"
            if is_call or isinstance(child, _STRUCTURE):
                pending.append(child)
            elif not isinstance(child, _CONSTANTS):
                hide(child)
