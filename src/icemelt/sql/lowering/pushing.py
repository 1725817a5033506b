"""Push conditions down: into inner joins, and to the join's side with the condition's columns.

The comma in `FROM a, b` is a join without a condition until a condition of WHERE becomes one:

    Filter #0 = #2              Join inner on #0 = #0
      Join inner        ->        Scan a
        Scan a                    Scan b
        Scan b

Inner joins are reordered so that an equality binds each table to a table before it, where one does.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from sqlglot import exp

from icemelt.algebra.expressions import Expression, column
from icemelt.algebra.nodes import Filter, Join, JoinKind, Project, Relation
from icemelt.sql.lowering.comparing import EqualitySide, cast_to_common_type
from icemelt.sql.lowering.context import Context
from icemelt.sql.lowering.expressions import join_by_and, numbers_in, renumber_columns

__all__ = ["add_join_condition", "push_down_predicate", "reorder_inner_joins"]


def push_down_predicate(relation: Relation, condition: exp.Expr, context: Context) -> Relation:
    """Return the rows that meet a condition; the condition moves as close to the tables as it can.

    Args:
        relation: the rows.
        condition: a settled condition over the columns of the rows.
        context: the context of the statement.
    """
    numbers = numbers_in(condition)
    match relation:
        case Join(kind=JoinKind.INNER | JoinKind.LEFT | JoinKind.SEMI | JoinKind.ANTI):
            start = relation.left.width
            if numbers and max(numbers) < start:
                return replace(
                    relation, left=push_down_predicate(relation.left, condition, context)
                )
            if relation.kind is JoinKind.INNER:
                return _push_into_inner_join(relation, condition, context)
        case Project(inner, expressions):
            numbers_below = [expression.as_column for expression in expressions]
            if numbers and all(numbers_below[number] is not None for number in numbers):
                moved = renumber_columns(condition, lambda number: numbers_below[number] or 0)
                return replace(relation, input=push_down_predicate(inner, moved, context))
        case Filter():
            below = push_down_predicate(relation.input, condition, context)
            # a CorrelatedFilter, which is a subclass of Filter, stays as it is
            if type(relation) is not Filter or not isinstance(below, Filter):
                return replace(relation, input=below)
        case _:
            pass
    return _add_filter(relation, context.to_expression(condition))


def add_join_condition(join: Join, condition: exp.Expr, context: Context) -> Join:
    """Return a join with an added condition: an equality of both sides, or another condition.

    Args:
        join: the join.
        condition: a settled condition; the right side's columns are counted behind the left side's.
        context: the context of the statement.
    """
    pair = None if join.null_safe else _equality(join, condition, context)
    if pair is not None:
        return replace(join, equalities=(*join.equalities, pair))
    conditions = [
        *([] if join.residual is None else [join.residual]),
        context.to_expression(condition),
    ]
    return replace(join, residual=join_by_and(conditions))


def reorder_inner_joins(relation: Relation) -> Relation:
    """Return inner joins in an order in which as few joins as possible lack an equality."""
    if not isinstance(relation, Join) or not _is_plain(relation):
        return relation
    chain = _Chain([], [], [])
    _collect(relation, 0, chain)
    if all(_has_equality(join) for join in _inner_joins(relation)) or len(chain.leaves) < 3:  # noqa: PLR2004
        return relation
    return _join_leaves(chain)


def _equality(
    join: Join, condition: exp.Expr, context: Context
) -> tuple[Expression, Expression] | None:
    """Return an equality of the sides as a pair, or None for a condition of another form.

    Return None also for an equality of unknown types: Spark finds the equality in the residual.
    """
    if not isinstance(condition, exp.EQ):
        return None
    start = join.left.width
    for left, right in ((condition.left, condition.right), (condition.right, condition.left)):
        left_numbers, right_numbers = numbers_in(left), numbers_in(right)
        if (
            left_numbers
            and right_numbers
            and 0 <= min(left_numbers) <= max(left_numbers) < start <= min(right_numbers)
        ):
            moved = renumber_columns(right, lambda number: number - start)
            left_side = EqualitySide(context.to_expression(left), join.left, left)
            right_side = EqualitySide(context.to_expression(moved), join.right, moved)
            return cast_to_common_type(left_side, right_side, context.types)
    return None


def _push_into_inner_join(join: Join, condition: exp.Expr, context: Context) -> Relation:
    start = join.left.width
    numbers = numbers_in(condition)
    if numbers and min(numbers) >= start:
        moved = renumber_columns(condition, lambda number: number - start)
        return replace(join, right=push_down_predicate(join.right, moved, context))
    return add_join_condition(join, condition, context)


def _add_filter(relation: Relation, condition: Expression) -> Relation:
    if not isinstance(relation, Filter):
        return Filter(relation, condition)
    both = join_by_and([relation.condition, condition])
    return relation if both is None else replace(relation, condition=both)


@dataclass(slots=True)
class _Chain:
    """Inner joins as a flat list.

    Attributes:
        leaves: the joined relations, and the numbers of their first columns.
        equalities: the equalities of all joins.
        others: the conditions that are no equality.
    """

    leaves: list[tuple[int, Relation]]
    equalities: list[tuple[Expression, Expression]]
    others: list[Expression]


def _collect(relation: Relation, start: int, chain: _Chain) -> None:
    """Add the leaves, equalities and conditions of inner joins to a chain.

    Args:
        relation: a join of the chain, or a leaf.
        start: the number of the relation's first column in the chain.
        chain: the chain.
    """
    if not isinstance(relation, Join) or not _is_plain(relation):
        chain.leaves.append((start, relation))
        return
    middle = start + relation.left.width
    _collect(relation.left, start, chain)
    _collect(relation.right, middle, chain)
    for left, right in relation.equalities:
        pair = (
            left.remap_columns(lambda at: at + start),
            right.remap_columns(lambda at: at + middle),
        )
        chain.equalities.append(pair)
    if relation.residual is not None:
        chain.others.append(relation.residual.remap_columns(lambda at: at + start))


def _inner_joins(relation: Relation) -> Iterable[Join]:
    if isinstance(relation, Join) and _is_plain(relation):
        yield relation
        yield from _inner_joins(relation.left)
        yield from _inner_joins(relation.right)


def _is_plain(join: Join) -> bool:
    """Tell whether a join is inner and not null-safe, and so can be part of a chain."""
    return join.kind is JoinKind.INNER and not join.null_safe


def _has_equality(join: Join) -> bool:
    return bool(join.equalities)


def _join_leaves(chain: _Chain) -> Relation:
    """Join the leaves one after another; leaves with an equality come before leaves without."""
    width = sum(leaf.width for _, leaf in chain.leaves)
    waiting = list(chain.leaves)
    start, joined = waiting.pop(0)
    new_numbers = {start + at: at for at in range(joined.width)}
    equalities, conditions = list(chain.equalities), list(chain.others)
    while waiting:
        next_leaf = next(
            (leaf for leaf in waiting if _equalities_with_leaf(equalities, new_numbers, leaf)),
            waiting[0],
        )
        waiting.remove(next_leaf)
        first, leaf = next_leaf
        used = _equalities_with_leaf(equalities, new_numbers, next_leaf)
        pairs = tuple(
            (left_value.remap_columns(new_numbers.__getitem__), _shift_left(right_value, first))
            for left_value, right_value in used
        )
        equalities = [pair for pair in equalities if pair not in used and pair[::-1] not in used]
        new_numbers |= {first + at: joined.width + at for at in range(leaf.width)}
        met_conditions = [
            condition for condition in conditions if condition.columns <= new_numbers.keys()
        ]
        met_conditions += [
            _equality_text(*pair)
            for pair in equalities
            if _columns_of_pair(pair) <= new_numbers.keys()
        ]
        conditions = [condition for condition in conditions if condition not in met_conditions]
        equalities = [
            pair for pair in equalities if not _columns_of_pair(pair) <= new_numbers.keys()
        ]
        residual = join_by_and(
            [condition.remap_columns(new_numbers.__getitem__) for condition in met_conditions]
        )
        joined = Join(JoinKind.INNER, joined, leaf, pairs, residual)
    return Project(joined, tuple(column(new_numbers[number]) for number in range(width)))


def _shift_left(expression: Expression, first: int) -> Expression:
    return expression.remap_columns(lambda number: number - first)


def _equalities_with_leaf(
    equalities: list[tuple[Expression, Expression]],
    joined_numbers: dict[int, int],
    leaf: tuple[int, Relation],
) -> list[tuple[Expression, Expression]]:
    """Return the equalities between the joined relations and a leaf, the leaf's value second."""
    first, relation = leaf
    own = range(first, first + relation.width)
    pairs = []
    for first_value, second_value in equalities:
        for left_value, right_value in ((first_value, second_value), (second_value, first_value)):
            if left_value.columns <= joined_numbers.keys() and all(
                at in own for at in right_value.columns
            ):
                pairs.append((left_value, right_value))
                break
    return pairs


def _columns_of_pair(pair: tuple[Expression, Expression]) -> frozenset[int]:
    return pair[0].columns | pair[1].columns


def _equality_text(left: Expression, right: Expression) -> Expression:
    return Expression(("(", *left.parts, ") = (", *right.parts, ")"))
