"""Δ(G(Q)) = G(Q₀) + G(ΔQ) − G(Q₀): counts and exact sums gain the sum over the changed rows.

Such a G is linear: a group gains the sum over its changed rows, times their weights. Groups without
a changed row drop out. A group exists while it has rows, and a sum is not NULL while it has values:
so rows and values are counted too. For `SELECT customer, sum(price) FROM lines GROUP BY customer`:

    before: customer, sum   changes: customer, price, weight   result: customer, sum, weight
            1,        10             2,        20,    -1               2, 20, -1
            2,        20             2,        25,     1               2, 25,  1
                                     3,        30,     1               3, 30,  1
"""

from __future__ import annotations

from icemelt.algebra.expressions import Expression, column, columns, text
from icemelt.algebra.nodes import Aggregate, Filter, Generate, Linear, Project, Relation, UnionAll
from icemelt.changes.keys import groups_from_changes
from icemelt.changes.restrict import Keys, push_down_semi_join
from icemelt.changes.rule import Change, Derivation
from icemelt.changes.shape import Shape

__all__ = ["NAME", "WEIGHTS", "differentiate_linear_aggregate"]

NAME = "groups by what they gained"

# Makes two rows of each: a place, and the weight of the row before or of the row after.
WEIGHTS = text("SELECT posexplode(array(-1, 1))")

_OLD, _GAINED = "0", "1"


def differentiate_linear_aggregate(
    aggregate: Aggregate, change: Change, derivation: Derivation
) -> Change:
    """Return the changes of groups whose aggregates are all linear.

    Args:
        aggregate: the aggregate.
        change: the changes of the input.
        derivation: the state of the plan.
    """
    old, by_keys = _old_groups(aggregate, derivation)
    merged = _merge_groups(aggregate, old, _sum_changes(aggregate, change))
    return Change(_split_before_and_after(aggregate, merged), Shape.BOTH, by_keys, NAME)


def _old_groups(
    aggregate: Aggregate, derivation: Derivation
) -> tuple[Relation, tuple[Expression, ...]]:
    """Return groups before the interval, and the keys by which their rows are read.

    The groups include all groups with a changed row. If the keys would have to be made from ΔQ, the
    result has all groups.
    """
    by_keys: tuple[Expression, ...] = ()
    rows = derivation.old(aggregate.input)
    found = (
        groups_from_changes(aggregate.input, aggregate.keys, derivation) if aggregate.keys else None
    )
    if found is not None:
        by_keys, values = found
        rows = push_down_semi_join(rows, Keys(by_keys, derivation.distinct(values)))
    values_there = [_call("count(", each.argument) for each in _sums_of_values(aggregate)]
    made = (text("count(1)"), *aggregate.aggregates, *values_there)
    return Aggregate(rows, aggregate.keys, made), by_keys


def _sum_changes(aggregate: Aggregate, change: Change) -> Relation:
    """Return the gain of every group: in rows, in the aggregates, and in the number of values."""
    weight = aggregate.input.width
    grown = [
        _count_change(each.argument, weight)
        if each.type is None
        else Expression(
            ("sum(if(", weight, " > 0, ", *_enclose(each), ", -", *_enclose(each), "))")
        )
        for each in aggregate.sums
    ]
    values = [_count_change(each.argument, weight) for each in _sums_of_values(aggregate)]
    made = (Expression(("sum(", weight, ")")), *grown, *values)
    return Aggregate(change.relation, aggregate.keys, made)


def _merge_groups(aggregate: Aggregate, old: Relation, gained: Relation) -> Relation:
    """Return a row for every group with a changed row.

    The keys are followed by the number of rows and the aggregates before; then by the number of
    rows, the aggregates, and the numbers of values after.
    """
    side, start, middle = old.width, len(aggregate.keys), aggregate.width + 1
    sides = [
        Project(each, (*columns(0, side), text(mark)))
        for each, mark in ((old, _OLD), (gained, _GAINED))
    ]
    before = [
        Expression(("max(if(", side, f" = {_OLD}, ", at, ", NULL))")) for at in range(start, middle)
    ]
    after = [Expression(("sum(", at, ")")) for at in range(start, side)]
    has_changed = Expression(("max(", side, ")"))
    groups = Aggregate(UnionAll(tuple(sides)), columns(0, start), (*before, *after, has_changed))
    return Filter(groups, Expression((groups.width - 1, f" = {_GAINED}")))


def _split_before_and_after(aggregate: Aggregate, merged: Relation) -> Relation:
    """Return a group before with weight -1 and after with weight 1, if the group exists then."""
    start, many = len(aggregate.keys), len(aggregate.aggregates)
    old, new = start, start + 1 + many
    values = new + 1 + many
    rows: Relation = Generate(merged, WEIGHTS, 2)
    weight = rows.width - 1
    if aggregate.keys:
        there = Expression(("if(", weight, " < 0, ", old, ", ", new, ") > 0"))
        rows = Filter(rows, there)
    shown = []
    for at, each in enumerate(aggregate.sums, start=1):
        after: tuple[str | int, ...] = (new + at,)
        if each.type is not None:
            after = ("if(", values, " = 0, NULL, CAST(", new + at, f" AS {each.type}))")
            values += 1
        shown.append(Expression(("if(", weight, " < 0, ", old + at, ", ", *after, ")")))
    return Project(rows, (*columns(0, start), *shown, column(weight)))


def _sums_of_values(aggregate: Aggregate) -> list[Linear]:
    return [each for each in aggregate.sums if each.type is not None]


def _count_change(argument: Expression, weight: int) -> Expression:
    """Return the gain in the number of an expression's values."""
    return Expression(("sum(if((", *argument.parts, ") IS NOT NULL, ", weight, ", 0))"))


def _call(function: str, argument: Expression) -> Expression:
    return Expression((function, *argument.parts, ")"))


def _enclose(linear: Linear) -> tuple[str | int, ...]:
    return ("(", *linear.argument.parts, ")")
