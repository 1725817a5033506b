"""Subqueries in the condition of an outer join become columns of the side that they read.

Spark tests IN without SQL's rules for NULL there, as far as it does not move it elsewhere: it knows
no NULL, which NOT tells apart from false.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from icemelt.algebra.nodes import Relation
from icemelt.sql.lowering.context import Context, Named, Rows, number_of
from icemelt.sql.lowering.correlation import correlated_with, outer_columns
from icemelt.sql.lowering.expressions import Sub, numbers_in, renumbered, replaced
from icemelt.sql.lowering.names import inner_number, is_outer
from icemelt.sql.lowering.reasons import refusal
from icemelt.sql.lowering.subqueries import attach, is_membership

__all__ = ["Sided", "has_in_as_value", "with_subqueries"]

# The right side's columns are counted from here until it is known how many the left one has.
_RIGHT = 1 << 19


@dataclass(frozen=True, slots=True)
class Sided:
    """Both sides of a join, which may have grown, and the conditions over their columns."""

    left: Relation
    right: Relation
    conditions: list[exp.Expr]


def with_subqueries(
    left: Relation, right: Relation, conditions: Sequence[exp.Expr], context: Context
) -> Sided:
    """Return the settled conditions of a join without subqueries.

    Raises:
        NotYet: a subquery reads columns of both sides, or is one of IN as a value.
    """
    if any(map(has_in_as_value, conditions)):
        raise refusal("subquery-in-join")
    sides = _Sides(left.width, Rows(left), Rows(right), context)
    found = [sides.attached(each) for each in conditions]
    wide = sides.left.relation.width
    shift = wide - _RIGHT
    placed = [renumbered(each, lambda at: at + shift if at >= _RIGHT else at) for each in found]
    return Sided(sides.left.relation, sides.right.relation, placed)


def has_in_as_value(condition: exp.Expr) -> bool:
    """Tell whether more is asked of an IN of a subquery than whether it is true, as by NOT."""
    if is_membership(condition):
        return False
    if isinstance(condition, exp.And | exp.Or | exp.Paren):
        return any(map(has_in_as_value, condition.iter_expressions()))
    return any(map(is_membership, condition.find_all(Sub)))


@dataclass(frozen=True, slots=True)
class _Sides:
    """`start` is the first column of the right side in the conditions as they are written."""

    start: int
    left: Rows
    right: Rows
    context: Context

    def attached(self, condition: exp.Expr) -> exp.Expr:
        """Return a condition whose subqueries are columns of a side."""
        others = {number for number in numbers_in(condition) if not is_outer(number)}

        def replacement(node: exp.Expr) -> exp.Expr | None:
            if isinstance(node, Sub):
                return self._column(node, _read(node) or others)
            number = number_of(node)
            if number is None or number < self.start:
                return None
            return renumbered(node, self._on_right)

        return replaced(condition, replacement)

    def _column(self, node: exp.Expr, read: set[int]) -> exp.Expr:
        if read and max(read) < self.start:
            return attach(self.left, node, self.context)
        if any(number < self.start for number in _read(node)):
            raise refusal("subquery-in-join")
        moved = renumbered(node, self._own)
        for each in moved.find_all(Sub):
            query = each.args["query"]
            each.set("query", Named(correlated_with(query.relation, self._own), query.names))
        tree = attach(self.right, moved, self.context)
        return renumbered(tree, lambda at: at if is_outer(at) else at + _RIGHT)

    def _on_right(self, number: int) -> int:
        return number - self.start + _RIGHT

    def _own(self, number: int) -> int:
        return number if is_outer(number) else number - self.start


def _read(node: exp.Expr) -> set[int]:
    """The columns of both sides that a subquery reads, and what is looked for in it."""
    found = set(numbers_in(node))
    for each in node.find_all(Sub):
        found |= set(map(inner_number, outer_columns(each.args["query"].relation)))
    return {number for number in found if not is_outer(number)}
