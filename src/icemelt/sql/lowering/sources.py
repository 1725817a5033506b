"""Lower FROM: entries and joins become a single relation with named columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from icemelt.algebra.expressions import Expression, column, columns, text
from icemelt.algebra.nodes import Generate as GenerateNode
from icemelt.algebra.nodes import Join, JoinKind, Project, Relation, Scan, Values
from icemelt.names import fold
from icemelt.sql.analysis.carried_variants import VariantCarrier
from icemelt.sql.analysis.table_functions import Flatten, SplitRows, TableFunction
from icemelt.sql.analysis.trees import holds_tables, rows_of
from icemelt.sql.dialect.identifiers import fold_identifier
from icemelt.sql.effort import Repeated, count_repetition
from icemelt.sql.lowering.comparing import EqualitySide, split_equalities
from icemelt.sql.lowering.context import Context, GrowingRows, NamedRelation
from icemelt.sql.lowering.correlation import outer_columns
from icemelt.sql.lowering.exact import Types
from icemelt.sql.lowering.expressions import (
    LoweredSubquery,
    add_common_conditions,
    conjuncts,
    join_by_and,
    numbers_in,
    renumber_columns,
    settle,
)
from icemelt.sql.lowering.joined_sides import attach_join_subqueries, has_in_as_value
from icemelt.sql.lowering.names import Entry, SelectNames, is_outer
from icemelt.sql.lowering.pivots import lower_pivot
from icemelt.sql.lowering.pushing import add_join_condition, push_down_predicate
from icemelt.sql.lowering.reasons import unsupported_error
from icemelt.sql.lowering.restricting import restrict
from icemelt.sql.lowering.unnesting import unnest
from icemelt.sql.lowering.unpivots import lower_unpivot
from icemelt.sql.spark.flattening import numbered_rows

__all__ = ["NO_TABLE", "FromClause", "lower_from", "lower_values"]

_LEFT_KEEPING_JOINS = {JoinKind.LEFT, JoinKind.SEMI, JoinKind.ANTI}
NO_TABLE = Values(((text("0"),),))


@dataclass(frozen=True, slots=True)
class FromClause:
    """A part of FROM as algebra.

    Attributes:
        relation: the rows.
        entries: the entries with their aliases and columns.
        shown: the names and numbers of the columns of `*`.
    """

    relation: Relation
    entries: tuple[Entry, ...] = ()
    shown: tuple[tuple[str, int], ...] = ()

    def names(self, parent: SelectNames | None) -> SelectNames:
        """Return the names that an expression over the rows sees."""
        return SelectNames(self.entries, self.shown, parent=parent)


def lower_from(select: exp.Select, context: Context, parent: SelectNames | None) -> FromClause:
    """Return the FROM clause of a SELECT.

    Args:
        select: the SELECT.
        context: the context of the statement.
        parent: the names of the SELECT around this SELECT.
    """
    start = select.args.get("from_")
    if start is None:
        return FromClause(NO_TABLE)
    clause = _add_entry(None, start.this, None, context, parent)
    for join in select.args.get("joins") or ():
        clause = _add_entry(clause, join.this, join, context, parent)
    return clause


def _add_entry(
    left: FromClause | None,
    node: exp.Expr,
    join: exp.Join | None,
    context: Context,
    parent: SelectNames | None,
) -> FromClause:
    """Join an entry of FROM, and the joins inside the entry, to the entries on the left.

    Args:
        left: the entries on the left; None for the first entry.
        node: the entry.
        join: the join of the entry; None for the first entry.
        context: the context of the statement.
        parent: the names of the SELECT around this SELECT.
    """
    if isinstance(node, TableFunction):
        clause = _join_function(left or FromClause(NO_TABLE), node, context, parent)
        if join is not None and join.args.get("on") is not None:
            clause = _filter_function_rows(clause, join, context, parent)
    elif isinstance(node, exp.Lateral) and left is not None and join is not None:
        clause = _join_lateral(left, node, join, context, parent)
    else:
        clause = _lower_entry(node, context, parent)
        if left is not None and join is not None:
            clause = _join_entries(left, clause, join, context, parent)
    if holds_tables(node):
        return clause
    for inner_join in node.args.get("joins") or ():
        clause = _add_entry(clause, inner_join.this, inner_join, context, parent)
    return clause


def _lower_entry(node: exp.Expr, context: Context, parent: SelectNames | None) -> FromClause:
    """Return an entry of FROM other than a table function: a table, a subquery, joins or VALUES."""
    if node.args.get("sample"):
        raise unsupported_error("sample")
    match node:
        case exp.Table():
            return _as_from_clause(_lower_table(node, context, parent), node, context)
        case exp.Subquery() if holds_tables(node):
            inner = _add_entry(None, node.this, None, context, parent)
            for join in node.args.get("joins") or ():
                inner = _add_entry(inner, join.this, join, context, parent)
            return _apply_pivots(inner, node, context)
        case exp.Subquery() | exp.Lateral():
            query = node.this if isinstance(node, exp.Lateral) else node
            return _as_from_clause(context.query(query, context, parent), node, context)
        case exp.Values():
            return _as_from_clause(lower_values(node, context, parent), node, context)
        case _:
            raise AssertionError(node.key)


def _lower_table(node: exp.Table, context: Context, parent: SelectNames | None) -> NamedRelation:
    if isinstance(node.this, exp.Identifier):
        query, names_around = context.ctes[fold(fold_identifier(node.this))]
        if names_around is not parent and outer_columns(query.relation):
            raise unsupported_error("correlation")
        count_repetition(len(query.names), Repeated.COLUMN)
        return query
    slot = node.this.name
    names = tuple(context.types.tables[slot])
    return NamedRelation(Scan(slot, names), names)


def lower_values(node: exp.Values, context: Context, parent: SelectNames | None) -> NamedRelation:
    """Return the rows of VALUES, with the columns column1, column2 and so on.

    Args:
        node: the VALUES.
        context: the context of the statement.
        parent: the names of the SELECT around VALUES.
    """
    names = SelectNames(parent=parent)
    if any(value.find(exp.Query) for row in rows_of(node) for value in row):
        raise unsupported_error("values")
    written = tuple(
        tuple(context.to_expression(settle(value, names, context)) for value in row)
        for row in rows_of(node)
    )
    titles = [f"column{at}" for at in range(1, len(written[0]) + 1)]
    return NamedRelation(Values(written), tuple(titles))


def _as_from_clause(query: NamedRelation, node: exp.Expr, context: Context) -> FromClause:
    """Return a query as an entry of FROM, with alias, column names and pivots."""
    return _apply_pivots(_apply_alias(query, node.args.get("alias")), node, context)


def _apply_pivots(clause: FromClause, node: exp.Expr, context: Context) -> FromClause:
    for pivot in node.args.get("pivots") or ():
        query = NamedRelation(clause.relation, tuple(name for name, _ in clause.shown))
        lower = lower_unpivot if pivot.args.get("unpivot") else lower_pivot
        pivoted = lower(query, pivot, clause.names(None), context)
        clause = _apply_alias(pivoted, pivot.args.get("alias") or node.args.get("alias"))
    return clause


def _apply_alias(query: NamedRelation, alias: exp.TableAlias | None) -> FromClause:
    titles = [fold_identifier(title) for title in alias.columns] if alias is not None else []
    names = (*titles, *query.names[len(titles) :])
    shown = tuple((name, at) for at, name in enumerate(names))
    name, key = "", 0
    if alias is not None and alias.this is not None:
        name, key = fold_identifier(alias.this), alias.this.meta.get("source", 0)
    return FromClause(query.relation, (Entry(name, key, shown),), shown)


def _join_function(
    left: FromClause, node: TableFunction, context: Context, parent: SelectNames | None
) -> FromClause:
    """Join every row with the table function's rows for the row."""
    if not isinstance(node, (Flatten, SplitRows)):
        raise unsupported_error("generator")
    if node.args.get("numbered") and not node.args.get("single"):
        raise unsupported_error("sequence")
    call = node.copy()
    names = left.names(parent)
    arguments = [settle(argument, names, context) for argument in node.args["arguments"]]
    if any(argument.find(LoweredSubquery) for argument in arguments):
        raise unsupported_error("lateral")
    call.set("arguments", arguments)
    function = context.to_expression(
        call, lambda call_to_write: numbered_rows(call_to_write, context.render)
    )
    start = left.relation.width
    titles = list(node.columns)
    is_outer_function = bool(node.args.get("outer") or node.args.get("left"))
    relation = GenerateNode(left.relation, function, len(titles) + 1, outer=is_outer_function)
    alias = node.args.get("alias")
    aliases = [fold_identifier(title) for title in alias.columns] if alias is not None else []
    titles = [*aliases, *titles[len(aliases) :]]
    shown = tuple((name, start + 1 + at) for at, name in enumerate(titles))
    name, key = "", 0
    if alias is not None and alias.this is not None:
        name, key = fold_identifier(alias.this), alias.this.meta.get("source", 0)
    return FromClause(relation, (*left.entries, Entry(name, key, shown)), (*left.shown, *shown))


def _filter_function_rows(
    clause: FromClause, join: exp.Join, context: Context, parent: SelectNames | None
) -> FromClause:
    """Keep the rows of a table function that meet the join's condition."""
    if _join_kind(join) is not JoinKind.INNER:
        raise unsupported_error("lateral")
    rows = GrowingRows(clause.relation)
    restrict(rows, conjuncts(settle(join.args["on"], clause.names(parent), context)), context)
    return replace(clause, relation=Project(rows.relation, columns(0, clause.relation.width)))


def _join_lateral(
    left: FromClause,
    node: exp.Lateral,
    join: exp.Join,
    context: Context,
    parent: SelectNames | None,
) -> FromClause:
    """Join every row with the row's own result of a LATERAL query."""
    kind = _join_kind(join)
    is_named = join.args.get("method") or join.args.get("using")
    if kind not in {JoinKind.INNER, JoinKind.LEFT} or is_named:
        raise unsupported_error("lateral")
    if isinstance(node, VariantCarrier):
        return _add_carrier(left, node, context, parent)
    query = context.query(node.this, context, left.names(parent))
    both = _combine_names(left, _apply_alias(query, node.args.get("alias")))
    conditions = []
    if join.args.get("on") is not None:
        conditions = conjuncts(settle(join.args["on"], both.names(parent), context))
    inner = unnest(query.relation, left.relation, by_any_condition=True)
    shown = columns(0, left.relation.width + query.relation.width)
    if kind is JoinKind.LEFT:
        if any(condition.find(LoweredSubquery) for condition in conditions):
            raise unsupported_error("lateral")
        others = [context.to_expression(condition) for condition in conditions]
        return replace(
            both, relation=Project(inner.join_outer_rows(kind, left.relation, others=others), shown)
        )
    rows = GrowingRows(Project(inner.join_outer_rows(kind, left.relation), shown))
    restrict(rows, conditions, context)
    return replace(both, relation=Project(rows.relation, columns(0, len(shown))))


def _add_carrier(
    left: FromClause, node: VariantCarrier, context: Context, parent: SelectNames | None
) -> FromClause:
    """Add the one column of a carrier to each row."""
    [item] = node.this.this.expressions
    value = context.to_expression(settle(item.this, left.names(parent), context))
    width = left.relation.width
    shown = ((fold_identifier(item.args["alias"]), width),)
    entry = Entry(fold_identifier(node.args["alias"].this), 0, shown)
    relation = Project(left.relation, (*columns(0, width), value))
    return FromClause(relation, (*left.entries, entry), (*left.shown, *shown))


def _combine_names(left: FromClause, right: FromClause) -> FromClause:
    """Return the names of both inputs over the left input's rows; the caller joins the rows."""
    start = left.relation.width
    entries = (*left.entries, *(entry.shift_right(start) for entry in right.entries))
    right_columns = tuple((name, start + at) for name, at in right.shown)
    return FromClause(left.relation, entries, (*left.shown, *right_columns))


def _join_entries(
    left: FromClause,
    right: FromClause,
    join: exp.Join,
    context: Context,
    parent: SelectNames | None,
) -> FromClause:
    """Join two entries of FROM by ON, USING or NATURAL, or without a condition."""
    kind = _join_kind(join)
    both = _combine_names(left, right)
    merged = _merged_names(join, left, right)
    if merged:
        right_columns = both.shown[len(left.shown) :]
        return _join_using(
            left, right, replace(both, shown=right_columns), merged, kind, context.types
        )
    if kind.gives_left_alone:
        seen, both = both, replace(both, entries=left.entries, shown=left.shown)
    else:
        seen = both
    condition = join.args.get("on")
    if condition is None:
        return replace(both, relation=Join(kind, left.relation, right.relation))
    settled = conjuncts(settle(condition, seen.names(parent), context))
    return replace(both, relation=_join_on(kind, left.relation, right.relation, settled, context))


def _join_on(
    kind: JoinKind, left: Relation, right: Relation, conditions: list[exp.Expr], context: Context
) -> Relation:
    """Join on conditions; a condition moves as close to the tables as it can."""
    if kind is not JoinKind.INNER:
        return _outer_join_on(kind, left, right, add_common_conditions(conditions), context)
    joined: Relation = Join(kind, left, right)
    after = []
    for condition in add_common_conditions(conditions):
        numbers = numbers_in(condition)
        spans_both = bool(numbers) and min(numbers) < left.width <= max(numbers)
        if has_in_as_value(condition) and spans_both:
            raise unsupported_error("subquery-in-join")
        if condition.find(LoweredSubquery) or any(map(is_outer, numbers)):
            after.append(condition)
        else:
            joined = push_down_predicate(joined, condition, context)
    if not after:
        return joined
    rows = GrowingRows(joined)
    restrict(rows, after, context)
    return Project(rows.relation, columns(0, joined.width))


def _outer_join_on(
    kind: JoinKind, left: Relation, right: Relation, conditions: list[exp.Expr], context: Context
) -> Relation:
    """Join on conditions of an outer join.

    A condition on the optional side alone is tested before the join. All other conditions are
    tested in the join.
    """
    if any(condition.find(LoweredSubquery) for condition in conditions):
        sided = attach_join_subqueries(left, right, conditions, context)
        wide = _outer_join_on(kind, sided.left, sided.right, sided.conditions, context)
        start = sided.left.width
        right_columns = () if kind.gives_left_alone else columns(start, start + right.width)
        return Project(wide, (*columns(0, left.width), *right_columns))
    start = left.width
    joined = Join(kind, left, right)
    for condition in conditions:
        numbers = numbers_in(condition)
        if numbers and min(numbers) >= start and kind in _LEFT_KEEPING_JOINS:
            moved = renumber_columns(condition, lambda number: number - start)
            joined = replace(joined, right=push_down_predicate(joined.right, moved, context))
        elif numbers and max(numbers) < start and kind is JoinKind.RIGHT:
            joined = replace(joined, left=push_down_predicate(joined.left, condition, context))
        else:
            joined = add_join_condition(joined, condition, context)
    return joined


def _join_kind(join: exp.Join) -> JoinKind:
    side, kind = join.text("side").upper(), join.text("kind").upper()
    if kind in {"SEMI", "ANTI"}:
        return JoinKind[kind]
    return JoinKind[side] if side else JoinKind.INNER


def _merged_names(join: exp.Join, left: FromClause, right: FromClause) -> list[str]:
    """Return the names of the columns that USING lists or NATURAL finds on both sides."""
    if join.args.get("method") == "NATURAL":
        right_names = {fold(name) for name, _ in right.shown}
        return [name for name, _ in left.shown if fold(name) in right_names]
    return [fold_identifier(each) for each in join.args.get("using") or ()]


def _join_using(
    left: FromClause,
    right: FromClause,
    both: FromClause,
    names: Sequence[str],
    kind: JoinKind,
    types: Types,
) -> FromClause:
    """Join by columns of the same name; `*` shows these columns once, and first.

    Args:
        left: the left input.
        right: the right input.
        both: the names of both inputs, of which `shown` are the right input's.
        names: the names of the columns.
        kind: the kind of join.
        types: the types of the tables' columns.
    """
    start = left.relation.width
    pairs = [
        (_column_number(name, left.shown), _column_number(name, right.shown)) for name in names
    ]
    relation: Relation = _join_on_equal_columns(
        Join(kind, left.relation, right.relation), pairs, types
    )
    if kind.gives_left_alone:
        return replace(left, relation=relation)
    shown = []
    for name, (left_number, right_number) in zip(names, pairs, strict=True):
        if kind is JoinKind.FULL:
            either = Expression(("coalesce(", left_number, ", ", start + right_number, ")"))
            relation = Project(relation, (*columns(0, relation.width), either))
            shown.append((name, relation.width - 1))
        else:
            shown.append((name, start + right_number if kind is JoinKind.RIGHT else left_number))
    merged = {fold(name) for name in names}
    rest = [pair for pair in (*left.shown, *both.shown) if fold(pair[0]) not in merged]
    return FromClause(relation, both.entries, (*shown, *rest))


def _join_on_equal_columns(join: Join, pairs: Sequence[tuple[int, int]], types: Types) -> Join:
    """Return a join with equalities of columns of both sides."""
    sides = [
        (
            EqualitySide(column(left_number), join.left),
            EqualitySide(column(right_number), join.right),
        )
        for left_number, right_number in pairs
    ]
    equalities, conditions = split_equalities(sides, join.left.width, types)
    return replace(join, equalities=tuple(equalities), residual=join_by_and(conditions))


def _column_number(name: str, shown: Sequence[tuple[str, int]]) -> int:
    return next(number for candidate, number in shown if fold(candidate) == fold(name))
