"""Lower subqueries in the ON of an outer join to columns of the join's inputs.

In an outer join Spark tests IN without SQL's rules for NULL, unless Spark moves the test elsewhere:
Spark treats NULL as false, and NOT tells NULL from false.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from icemelt.algebra.nodes import Relation
from icemelt.sql.lowering.context import Context, GrowingRows, NamedRelation, number_of
from icemelt.sql.lowering.correlation import outer_columns, renumber_outer_columns
from icemelt.sql.lowering.expressions import (
    LoweredSubquery,
    numbers_in,
    renumber_columns,
    replace_parts,
)
from icemelt.sql.lowering.names import inner_number, is_outer
from icemelt.sql.lowering.reasons import unsupported_error
from icemelt.sql.lowering.subqueries import attach_subqueries, is_membership

__all__ = ["JoinInputs", "attach_join_subqueries", "has_in_as_value"]

# the number of the right input's first column, until the left input has all its columns
_RIGHT_START = 1 << 19


@dataclass(frozen=True, slots=True)
class JoinInputs:
    """Both inputs of a join, perhaps with new columns, and the conditions over their columns."""

    left: Relation
    right: Relation
    conditions: list[exp.Expr]


def attach_join_subqueries(
    left: Relation, right: Relation, conditions: Sequence[exp.Expr], context: Context
) -> JoinInputs:
    """Return the inputs and conditions of a join with columns in place of subqueries.

    Args:
        left: the left input.
        right: the right input.
        conditions: the settled conditions of ON.
        context: the context of the statement.

    Raises:
        NotYet: a subquery reads columns of both sides, or is one of IN as a value.
    """
    if any(map(has_in_as_value, conditions)):
        raise unsupported_error("subquery-in-join")
    sides = _JoinSides(left.width, GrowingRows(left), GrowingRows(right), context)
    rewritten = [sides.attach_subqueries(condition) for condition in conditions]
    wide = sides.left.relation.width
    shift = wide - _RIGHT_START
    placed = [
        renumber_columns(condition, lambda at: at + shift if at >= _RIGHT_START else at)
        for condition in rewritten
    ]
    return JoinInputs(sides.left.relation, sides.right.relation, placed)


def has_in_as_value(condition: exp.Expr) -> bool:
    """Tell whether a condition uses `IN (SELECT …)` as a value, as NOT does: NULL then counts."""
    if is_membership(condition):
        return False
    if isinstance(condition, exp.And | exp.Or | exp.Paren):
        return any(map(has_in_as_value, condition.iter_expressions()))
    return any(map(is_membership, condition.find_all(LoweredSubquery)))


@dataclass(frozen=True, slots=True)
class _JoinSides:
    """Both inputs of a join while the conditions are rewritten.

    Attributes:
        start: the first column of the right input in the conditions before the rewriting.
        left: the left input.
        right: the right input.
        context: the context of the statement.
    """

    start: int
    left: GrowingRows
    right: GrowingRows
    context: Context

    def attach_subqueries(self, condition: exp.Expr) -> exp.Expr:
        """Return a condition with columns of an input in place of the subqueries."""
        own_columns = {number for number in numbers_in(condition) if not is_outer(number)}

        def replacement(node: exp.Expr) -> exp.Expr | None:
            if isinstance(node, LoweredSubquery):
                return self._subquery_column(node, _columns_read(node) or own_columns)
            number = number_of(node)
            if number is None or number < self.start:
                return None
            return renumber_columns(node, self._mark_as_right)

        return replace_parts(condition, replacement)

    def _subquery_column(self, node: exp.Expr, read: set[int]) -> exp.Expr:
        """Attach a subquery to the input that the subquery reads, and return the new column."""
        if read and max(read) < self.start:
            return attach_subqueries(self.left, node, self.context)
        if any(number < self.start for number in _columns_read(node)):
            raise unsupported_error("subquery-in-join")
        moved = renumber_columns(node, self._number_on_right)
        for subquery in moved.find_all(LoweredSubquery):
            query = subquery.args["query"]
            subquery.set(
                "query",
                NamedRelation(
                    renumber_outer_columns(query.relation, self._number_on_right), query.names
                ),
            )
        tree = attach_subqueries(self.right, moved, self.context)
        return renumber_columns(tree, lambda at: at if is_outer(at) else at + _RIGHT_START)

    def _mark_as_right(self, number: int) -> int:
        return number - self.start + _RIGHT_START

    def _number_on_right(self, number: int) -> int:
        return number if is_outer(number) else number - self.start


def _columns_read(node: exp.Expr) -> set[int]:
    """Return the columns of both inputs that a subquery, or an operand of IN, reads."""
    numbers = set(numbers_in(node))
    for subquery in node.find_all(LoweredSubquery):
        numbers |= set(map(inner_number, outer_columns(subquery.args["query"].relation)))
    return {number for number in numbers if not is_outer(number)}
