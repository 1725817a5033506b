"""Run a correlated subquery at once for all values of the outer columns that the subquery reads.

The distinct values of these columns are the subquery's *domain*. A dependent join, pushed down to
the subquery's tables, adds the domain's columns to each row (Neumann and Kemper, Unnesting
Arbitrary Queries, 2015).

    SELECT c.id, (SELECT MAX(o.day) FROM orders AS o WHERE o.buyer >= c.id) FROM customers AS c

    orders: buyer, day    domain: c.id    rows of the subquery for the domain: MAX(day), c.id
    1, 2024-03-01         1               2024-03-01, 1
    2, 2024-02-01         2               2024-02-01, 2

The outer query then joins these rows by `c.id`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from icemelt.algebra.calls import add_partition_keys
from icemelt.algebra.expressions import Expression, column, columns, text
from icemelt.algebra.nodes import (
    Aggregate,
    Distinct,
    Filter,
    Generate,
    Join,
    JoinKind,
    Project,
    Relation,
    SetOperation,
    UnionAll,
    Window,
)
from icemelt.sql.lowering.correlation import CorrelatedFilter, outer_columns, value_of_no_rows
from icemelt.sql.lowering.domain_joins import push_into_join
from icemelt.sql.lowering.expressions import join_by_and
from icemelt.sql.lowering.names import is_outer, outer_number
from icemelt.sql.lowering.reasons import unsupported_error

__all__ = ["evaluate_over_domain"]


def evaluate_over_domain(
    relation: Relation, outer_rows: Relation, numbers: Sequence[int]
) -> Relation:
    """Return a subquery's rows for all values of the outer columns, with these columns behind.

    Args:
        relation: the subquery's relation.
        outer_rows: the rows of the outer query.
        numbers: the columns of `outer_rows` that the subquery reads.
    """
    positions = {outer_number(number): at for at, number in enumerate(numbers)}
    return _DependentJoin(_distinct_values(outer_rows, numbers), positions).push_down(relation)


@dataclass(frozen=True, slots=True)
class _DependentJoin:
    """A join of a subquery with the domain, pushed down to the subquery's tables.

    Attributes:
        relation: the domain: the distinct values of the outer columns.
        positions: the position in the domain of each outer column, by the column's negative number.
    """

    relation: Relation
    positions: dict[int, int]

    def push_down(self, relation: Relation) -> Relation:
        """Return a relation's rows for all rows of the domain, with the domain's columns behind."""
        if not outer_columns(relation):
            return Join(JoinKind.INNER, relation, self.relation)
        match relation:
            case Filter():
                return self._push_into_filter(relation)
            case Aggregate():
                return self._push_into_aggregate(relation)
            case Join():
                return push_into_join(relation, self.relation, self.positions, self.push_down)
            case Distinct() | UnionAll() | SetOperation():
                return relation.map_inputs(self.push_down)
            case Project() | Window() | Generate():
                return self._push_into_unary(relation)
            case _:
                raise unsupported_error("correlation")

    def _push_into_filter(self, relation: Filter) -> Relation:
        """Make a condition on a join with the domain a condition of this join."""
        below = self.push_down(relation.input)
        at = self._column_mapping(relation.input.width)
        condition = relation.condition.remap_columns(at)
        if not isinstance(below, Join) or below.right is not self.relation:
            return Filter(below, condition)
        if (
            isinstance(relation, CorrelatedFilter)
            and relation.outer is not None
            and relation.own is not None
        ):
            pair = (relation.own, relation.outer.remap_columns(self.positions.__getitem__))
            return replace(below, equalities=(*below.equalities, pair))
        conditions = [*([] if below.residual is None else [below.residual]), condition]
        return replace(below, residual=join_by_and(conditions))

    def _push_into_unary(self, relation: Project | Window | Generate) -> Relation:
        below, own = self.push_down(relation.input), relation.input.width
        at, wide = self._column_mapping(own), below.width
        domain_columns = columns(own, wide)
        grown = relation.remap_columns([below], at)
        match grown:
            case Project(expressions=expressions):
                return replace(grown, expressions=(*expressions, *domain_columns))
            case Window(partition=partition, functions=functions):
                over = tuple(add_partition_keys(function, domain_columns) for function in functions)
                grown = replace(grown, partition=(*partition, *domain_columns), functions=over)
            case Generate():
                pass
        return Project(grown, (*columns(0, own), *columns(wide, grown.width), *domain_columns))

    def _push_into_aggregate(self, relation: Aggregate) -> Relation:
        below = self.push_down(relation.input)
        at = self._column_mapping(relation.input.width)
        first, size = len(relation.keys), self.relation.width
        domain_columns = columns(relation.input.width, below.width)
        grouped = relation.remap_columns([below], at)
        grouped = replace(grouped, keys=(*grouped.keys, *domain_columns))
        if not relation.keys:
            return self._add_empty_groups(grouped)
        end = first + size
        values = (*columns(0, first), *columns(end, grouped.width), *columns(first, end))
        return Project(grouped, values)

    def _add_empty_groups(self, grouped: Aggregate) -> Relation:
        """Add a row for each row of the domain without input, as an aggregate without keys does."""
        size = self.relation.width
        pairs = tuple((value, value) for value in columns(0, size))
        defaults = [value_of_no_rows(aggregate) for aggregate in grouped.aggregates]
        if all(value is not None for value in defaults):
            joined = Join(JoinKind.LEFT, self.relation, grouped, pairs, null_safe=True)
            aggregates = columns(2 * size, joined.width)
            values = tuple(
                _value_or_default(*pair) for pair in zip(aggregates, defaults, strict=True)
            )
            return Project(joined, (*values, *columns(0, size)))
        marked = Project(grouped, (*columns(0, grouped.width), text("true")))
        joined = Join(JoinKind.LEFT, self.relation, marked, pairs, null_safe=True)
        nothing = Aggregate(Filter(grouped.input, text("false")), (), grouped.aggregates)
        beside = Join(JoinKind.INNER, joined, nothing)
        marker = joined.width - 1
        values = tuple(
            Expression(
                ("CASE WHEN ", marker, " THEN ", marker - count + at, " ELSE ", default, " END")
            )
            for count in (len(grouped.aggregates),)
            for at, default in enumerate(range(joined.width, beside.width))
        )
        return Project(beside, (*values, *columns(0, size)))

    def _column_mapping(self, width: int) -> Callable[[int], int]:
        """Return a function from columns to columns of a relation with the domain behind."""
        return lambda number: width + self.positions[number] if is_outer(number) else number


def _distinct_values(relation: Relation, numbers: Sequence[int]) -> Relation:
    """Return the distinct values of columns, from the lowest relation with all the columns."""
    match relation:
        case Join(left=left) if max(numbers) < left.width and _keeps_all(relation):
            return _distinct_values(left, numbers)
        case Join(left=left) if min(numbers) >= left.width and _is_cross(relation):
            return _distinct_values(relation.right, [number - left.width for number in numbers])
        case Project(inner, expressions):
            numbers_below = [expressions[number].as_column for number in numbers]
            plain = [
                column_below
                for column_below in numbers_below
                if column_below is not None and not is_outer(column_below)
            ]
            if len(plain) == len(numbers_below):
                return _distinct_values(inner, plain)
        case _:
            pass
    return Distinct(Project(relation, tuple(map(column, numbers))))


def _keeps_all(join: Join) -> bool:
    """Tell whether a join keeps all values of the left side.

    A join without conditions keeps all values unless the right side is empty.
    """
    return join.kind is JoinKind.LEFT or _is_cross(join)


def _is_cross(join: Join) -> bool:
    return join.kind is JoinKind.INNER and not join.equalities and join.residual is None


def _value_or_default(value: Expression, default: Expression | None) -> Expression:
    if default is None or default == text("NULL"):
        return value
    return Expression(("coalesce(", *value.parts, ", ", *default.parts, ")"))
