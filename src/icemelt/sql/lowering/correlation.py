"""Decorrelate subqueries: conditions on the outer row move up to the join with the outer query.

Example: the conditions on `customers` leave the subquery, and the subquery becomes a join.

    SELECT * FROM customers AS c WHERE EXISTS (SELECT * FROM orders WHERE orders.buyer = c.id)

    Join semi on c.id = orders.buyer
      Scan customers
      Scan orders
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Self

from icemelt.algebra.calls import split_first_call
from icemelt.algebra.expressions import Expression, column, columns
from icemelt.algebra.graph import rebuild, walk
from icemelt.algebra.nodes import Aggregate, Distinct, Filter, Join, JoinKind, Project, Relation
from icemelt.algebra.parts import ChangeExpression
from icemelt.sql.lowering.names import inner_number, is_outer, outer_number

__all__ = [
    "CorrelatedFilter",
    "Decorrelated",
    "NotDecorrelatable",
    "decorrelate",
    "outer_columns",
    "outer_columns_of",
    "renumber_outer_columns",
    "value_of_no_rows",
]

_VALUES_OF_NO_ROWS = {
    **dict.fromkeys(("count", "count_if", "approx_count_distinct", "regr_count"), "0L"),
    **dict.fromkeys(("collect_list", "collect_set"), "array()"),
    **dict.fromkeys(("sum", "avg", "min", "max", "any_value", "first", "last"), "NULL"),
    **dict.fromkeys(("median", "mode", "stddev", "stddev_samp", "stddev_pop"), "NULL"),
    **dict.fromkeys(("var_samp", "var_pop", "variance", "corr", "covar_pop"), "NULL"),
    **dict.fromkeys(("covar_samp", "percentile_cont", "percentile_disc", "min_by"), "NULL"),
    **dict.fromkeys(("max_by", "bool_and", "bool_or", "bit_and", "bit_or", "bit_xor"), "NULL"),
    "approx_percentile": "NULL",
}
_CALL_SUFFIXES = (" FILTER (", " WITHIN GROUP (")


class NotDecorrelatable(Exception):
    """The conditions of a subquery on the outer row cannot move out of the subquery."""


@dataclass(frozen=True, slots=True)
class CorrelatedFilter(Filter):
    """A filter of a subquery whose condition reads columns of the outer row.

    Decorrelation removes the node.

    Attributes:
        outer: the value of the outer row in an equality; None for any other condition.
        own: the value of the subquery's own row in an equality; None for any other condition.
    """

    outer: Expression | None = None
    own: Expression | None = None

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """The condition, and in case of an equality both sides."""
        sides = (side for side in (self.outer, self.own) if side is not None)
        return (self.condition, *sides)

    def map_expressions(self, change: ChangeExpression) -> Self:
        """Return the node with the condition and both sides changed by a function."""
        outer, own = (side and change(side) for side in (self.outer, self.own))
        return replace(self, condition=change(self.condition), outer=outer, own=own)


@dataclass(frozen=True, slots=True)
class Decorrelated:
    """A relation without outer columns, and the conditions that bind the relation to the outer row.

    The relation has the columns of before, and behind these the columns for the conditions.

    Attributes:
        relation: the relation.
        equalities: pairs of a value of the outer row and a value of the relation's row.
        others: all other conditions on both rows.
        empty_row: the row that an aggregate without keys returns for no input; None for a relation
            that then has no row.
    """

    relation: Relation
    equalities: tuple[tuple[Expression, Expression], ...] = ()
    others: tuple[Expression, ...] = ()
    empty_row: tuple[Expression, ...] | None = None

    @property
    def is_uncorrelated(self) -> bool:
        """Whether no condition binds the relation to the outer row."""
        return not self.equalities and not self.others


def decorrelate(relation: Relation) -> Decorrelated:
    """Return a subquery's relation with its conditions on the outer row moved out of the relation.

    Raises:
        NotDecorrelatable: the relation depends on the outer row in another way.
    """
    if not _may_have_empty_row(relation) and not outer_columns(relation):
        return Decorrelated(relation)
    match relation:
        case CorrelatedFilter():
            return _decorrelate_correlated(relation)
        case Filter():
            return _decorrelate_filter(relation)
        case Project():
            return _decorrelate_project(relation)
        case Aggregate():
            return _decorrelate_aggregate(relation)
        case Join():
            return _decorrelate_join(relation)
        case Distinct(inner):
            below = _require_no_empty_row(decorrelate(inner))
            if below.others:
                raise NotDecorrelatable
            return replace(below, relation=Distinct(below.relation))
        case _:
            return Decorrelated(_require_uncorrelated(relation))


def renumber_outer_columns(relation: Relation, number: Callable[[int], int]) -> Relation:
    """Return a subquery's relation over other columns of the SELECT around the subquery.

    Args:
        relation: the subquery's relation.
        number: a function from the old number of a column of that SELECT to the new number.
    """

    def move(code: int) -> int:
        if not is_outer(code) or is_outer(inner_number(code)):
            return code
        return outer_number(number(inner_number(code)))

    def renumber(node: Relation) -> Relation:
        if not outer_columns_of(node.expressions):
            return node
        return node.remap_columns(node.inputs, move)

    return rebuild(relation, renumber)


def outer_columns(relation: Relation) -> set[int]:
    """Return the numbers of the outer columns that a relation reads."""
    return {number for node in walk(relation) for number in outer_columns_of(node.expressions)}


def outer_columns_of(expressions: Iterable[Expression]) -> set[int]:
    """Return the numbers of the outer columns that expressions read."""
    return {
        number for expression in expressions for number in expression.columns if is_outer(number)
    }


def value_of_no_rows(aggregate: Expression) -> Expression | None:
    """Return the value of an aggregate over no rows, such as 0 for COUNT, or None if unknown."""
    name, rest = split_first_call(aggregate) or ("", "")
    if name not in _VALUES_OF_NO_ROWS or (rest and not rest.startswith(_CALL_SUFFIXES)):
        return None
    return Expression((_VALUES_OF_NO_ROWS[name],))


def _decorrelate_correlated(relation: CorrelatedFilter) -> Decorrelated:
    """Move the condition of the filter out; the rows stay without the filter."""
    below = _require_no_empty_row(decorrelate(relation.input))
    if relation.outer is not None and relation.own is not None:
        pair = (relation.outer, relation.own)
        return replace(below, equalities=(*below.equalities, pair))
    return replace(below, others=(*below.others, relation.condition))


def _decorrelate_filter(relation: Filter) -> Decorrelated:
    below = _require_no_empty_row(decorrelate(relation.input))
    _require_no_outer_columns(*relation.expressions)
    return replace(below, relation=Filter(below.relation, relation.condition))


def _decorrelate_project(relation: Project) -> Decorrelated:
    """Keep the columns of the conditions behind the projection's own columns."""
    below = decorrelate(relation.input)
    _require_no_outer_columns(*relation.expressions)
    width = relation.width
    needed = sorted(
        {
            number
            for expression in _inner_expressions(below)
            for number in expression.columns
            if not is_outer(number)
        }
    )
    new_numbers = {number: width + at for at, number in enumerate(needed)}
    project = Project(below.relation, (*relation.expressions, *map(column, needed)))
    empty_row = below.empty_row
    if empty_row is not None:
        empty_row = tuple(_substitute(expression, empty_row) for expression in relation.expressions)
    return replace(
        _move_columns(below, new_numbers),
        relation=project if needed else replace(relation, input=below.relation),
        empty_row=empty_row,
    )


def _decorrelate_aggregate(relation: Aggregate) -> Decorrelated:
    """Group by the subquery's values of the equalities, so that a group serves each outer row.

    SELECT SUM(v) FROM t WHERE t.k = outer.k
    SELECT SUM(v), k FROM t GROUP BY k             joined with the outer rows on k = outer.k
    """
    below = _require_no_empty_row(decorrelate(relation.input))
    _require_no_outer_columns(*relation.expressions)
    if below.others:
        raise NotDecorrelatable
    own = tuple(own_value for _, own_value in below.equalities)
    empty_row = None
    if not relation.keys:
        empty_row = (
            tuple(map(_require_value_of_no_rows, relation.aggregates))
            if own
            else relation.aggregates
        )
    groups: Relation = replace(relation, input=below.relation)
    if own:
        keys = (*relation.keys, *own)
        wide = replace(relation, input=below.relation, keys=keys)
        first, start = len(relation.keys), len(relation.keys) + len(own)
        values = (*columns(0, first), *columns(start, wide.width), *columns(first, start))
        groups = Project(wide, values)
    pairs = tuple(
        (outer_value, column(relation.width + at))
        for at, (outer_value, _) in enumerate(below.equalities)
    )
    return Decorrelated(groups, pairs, empty_row=empty_row)


def _decorrelate_join(relation: Join) -> Decorrelated:
    """Move the conditions of both inputs out of the join.

    A right input may be correlated in an inner join alone, a left input not in a right or full
    join.
    """
    left, right = (
        _require_no_empty_row(decorrelate(relation.left)),
        _require_no_empty_row(decorrelate(relation.right)),
    )
    keeps_right = relation.kind is JoinKind.INNER
    if not right.is_uncorrelated and not keeps_right:
        raise NotDecorrelatable
    if not left.is_uncorrelated and relation.kind in {JoinKind.RIGHT, JoinKind.FULL}:
        raise NotDecorrelatable
    _require_no_outer_columns(*relation.expressions)
    left_width, right_width = relation.left.width, relation.right.width
    wide, more = left.relation.width, right.relation.width - right_width
    joined = relation.remap_columns(
        [left.relation, right.relation],
        lambda at: at if at < left_width else at - left_width + wide,
    )
    if relation.kind.gives_left_alone:
        return replace(left, relation=joined)
    own_columns = (*columns(0, left_width), *columns(wide, wide + right_width))
    extra = (*columns(left_width, wide), *columns(wide + right_width, wide + right_width + more))
    result = joined if not extra else Project(joined, (*own_columns, *extra))
    start = left_width + right_width
    first = _move_columns(left, {at: start + at - left_width for at in range(left_width, wide)})
    moves = {at: left_width + at for at in range(right_width)}
    moves |= {
        at: start + wide - left_width + at - right_width
        for at in range(right_width, right_width + more)
    }
    second = _move_columns(right, moves)
    return Decorrelated(
        result, (*first.equalities, *second.equalities), (*first.others, *second.others)
    )


def _may_have_empty_row(relation: Relation) -> bool:
    """Tell whether a relation may be an aggregate without keys, with projections on top."""
    while isinstance(relation, Project):
        relation = relation.input
    return isinstance(relation, Aggregate) and not relation.keys


def _require_no_empty_row(below: Decorrelated) -> Decorrelated:
    """Raise for a correlated aggregate without keys: only a projection may stand on top.

    An aggregate without keys returns a row for no input, too. Other nodes would have to see this
    row.
    """
    if below.empty_row is not None and not below.is_uncorrelated:
        raise NotDecorrelatable
    return replace(below, empty_row=None)


def _require_uncorrelated(relation: Relation) -> Relation:
    """Return a node, and require that no input or expression depends on the outer row."""
    below = [decorrelate(child) for child in relation.inputs]
    if not all(decorrelated.is_uncorrelated for decorrelated in below):
        raise NotDecorrelatable
    _require_no_outer_columns(*relation.expressions)
    return relation.remap_columns(
        [decorrelated.relation for decorrelated in below], lambda number: number
    )


def _require_no_outer_columns(*expressions: Expression) -> None:
    if outer_columns_of(expressions):
        raise NotDecorrelatable


def _inner_expressions(below: Decorrelated) -> list[Expression]:
    return [*(own for _, own in below.equalities), *below.others]


def _move_columns(below: Decorrelated, new_numbers: dict[int, int]) -> Decorrelated:
    def move(number: int) -> int:
        return new_numbers.get(number, number)

    equalities = tuple((outer, own.remap_columns(move)) for outer, own in below.equalities)
    return replace(
        below, equalities=equalities, others=tuple(o.remap_columns(move) for o in below.others)
    )


def _substitute(expression: Expression, values: tuple[Expression, ...]) -> Expression:
    """Return an expression in which other expressions replace the columns."""
    parts: list[str | int] = []
    for part in expression.parts:
        parts += ["(", *values[part].parts, ")"] if isinstance(part, int) else [part]
    return Expression(tuple(parts))


def _require_value_of_no_rows(aggregate: Expression) -> Expression:
    value = value_of_no_rows(aggregate)
    if value is None:
        raise NotDecorrelatable
    return value
