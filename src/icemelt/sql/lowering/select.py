"""Lower one SELECT, clause by clause: FROM, WHERE, SELECT list, GROUP BY, HAVING, LIMIT."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from icemelt.algebra.nodes import Distinct, Project, Relation
from icemelt.names import fold
from icemelt.sql.dialect.identifiers import fold_identifier
from icemelt.sql.effort import Repeated, count_repetition
from icemelt.sql.lowering.context import Context, GrowingRows, NamedRelation, marker
from icemelt.sql.lowering.expressions import LoweredSubquery, conjuncts, settle
from icemelt.sql.lowering.grouping import OutputColumn, group, is_grouped
from icemelt.sql.lowering.limits import read_limit
from icemelt.sql.lowering.names import SelectNames
from icemelt.sql.lowering.reasons import unsupported_error
from icemelt.sql.lowering.restricting import restrict
from icemelt.sql.lowering.sources import lower_from
from icemelt.sql.lowering.subqueries import attach_subqueries
from icemelt.sql.lowering.windows import compute_windows

__all__ = ["lower_select"]


def lower_select(select: exp.Select, context: Context, parent: SelectNames | None) -> NamedRelation:
    """Return the rows of a SELECT.

    Args:
        select: the resolved SELECT.
        context: the context of the statement.
        parent: the names of the SELECT around this SELECT; None for the outermost SELECT.
    """
    if select.args.get("sample"):
        raise unsupported_error("sample")
    clause = lower_from(select, context, parent)
    rows, names = GrowingRows(clause.relation), clause.names(parent)
    where = select.args.get("where")
    if where is not None:
        restrict(rows, conjuncts(settle(where.this, names, context)), context)
    outputs, names = _read_select_list(select, names, context)
    limit = read_limit(select, outputs, names, context)
    titles = tuple(output.name for output in outputs)
    trees = [*(output.tree for output in outputs), *(() if limit is None else limit.hidden)]
    having = None
    if is_grouped(select, outputs):
        trees, having = group(rows, select, outputs, names, context, trees)
    if having is not None:
        restrict(rows, conjuncts(having), context)
    relation = _project(rows, trees, context)
    distinct = select.args.get("distinct")
    if distinct is not None:
        relation = Distinct(relation)
    return NamedRelation(relation if limit is None else limit.take_rows(relation, context), titles)


def _project(rows: GrowingRows, trees: Sequence[exp.Expr], context: Context) -> Relation:
    plain = [
        attach_subqueries(rows, tree, context) if tree.find(LoweredSubquery) else tree
        for tree in trees
    ]
    values = compute_windows(rows, plain, context)
    return Project(rows.relation, tuple(map(context.to_expression, values)))


def _read_select_list(
    select: exp.Select, names: SelectNames, context: Context
) -> tuple[list[OutputColumn], SelectNames]:
    """Return the settled columns of the SELECT list, and names with the aliases of the list.

    Later items and clauses may use the aliases of earlier items.
    """
    outputs: list[OutputColumn] = []
    for projection in select.expressions:
        stars = _expand_star(projection, names)
        if stars is not None:
            outputs += stars
            continue
        inner, name = projection, ""
        if isinstance(projection, exp.Alias):
            inner, name = projection.this, fold_identifier(projection.args["alias"])
        elif isinstance(projection, (exp.Column, exp.Dot)):
            last = projection.this if isinstance(projection, exp.Column) else projection.expression
            name = fold_identifier(last)
        tree = settle(inner, names, context)
        outputs.append(OutputColumn(name, tree))
        if isinstance(projection, exp.Alias) and fold(name) not in names.aliases:
            names = replace(names, aliases={**names.aliases, fold(name): tree})
    return outputs, names


def _expand_star(projection: exp.Expr, names: SelectNames) -> list[OutputColumn] | None:
    """Return the columns of `*` or `t.*`, or None for an item without a star."""
    star = projection.this if isinstance(projection, exp.Column) else projection
    if not isinstance(star, exp.Star):
        return None
    columns_of_star = names.shown
    table = projection.args.get("table")
    if table is not None:
        entry = names.find_entry(table)
        columns_of_star = () if entry is None else entry.columns
    count_repetition(len(columns_of_star), Repeated.COLUMN)
    left_out = {
        fold(fold_identifier(_identifier(column))) for column in star.args.get("except_") or ()
    }
    return [
        OutputColumn(name, marker(at)) for name, at in columns_of_star if fold(name) not in left_out
    ]


def _identifier(node: exp.Expr) -> exp.Expr:
    return node.this if isinstance(node, exp.Column) else node
