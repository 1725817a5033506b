"""Lower window functions to columns of the rows, with a Window node for every PARTITION BY."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from icemelt.algebra.expressions import Expression
from icemelt.algebra.nodes import Window
from icemelt.sql.lowering.context import Context, GrowingRows, marker
from icemelt.sql.lowering.expressions import replace_parts
from icemelt.sql.lowering.ties import make_window_deterministic

__all__ = ["compute_windows"]


def compute_windows(
    rows: GrowingRows, trees: Sequence[exp.Expr], context: Context
) -> list[exp.Expr]:
    """Add the window functions of trees to the rows, and return the trees over the new columns.

    Args:
        rows: the rows of the SELECT, which get a column for each window function.
        trees: settled trees of the SELECT list.
        context: the context of the statement.
    """
    calls: list[exp.Expr] = []
    for tree in trees:
        calls += [window for window in tree.find_all(exp.Window) if window not in calls]
    partitions: dict[tuple[Expression, ...], list[exp.Expr]] = {}
    for call in calls:
        keys = tuple(map(context.to_expression, call.args.get("partition_by") or ()))
        partitions.setdefault(keys, []).append(call)
    columns: list[tuple[exp.Expr, exp.Expr]] = []
    for keys, windows in partitions.items():
        start = rows.relation.width
        functions = tuple(
            context.to_expression(make_window_deterministic(window)) for window in windows
        )
        rows.relation = Window(rows.relation, keys, functions)
        columns += [(window, marker(start + at, window)) for at, window in enumerate(windows)]

    def replacement(node: exp.Expr) -> exp.Expr | None:
        return next((column for window, column in columns if window == node), None)

    return [replace_parts(tree, replacement) for tree in trees] if columns else list(trees)
