"""Δ(G(Q)) = G(Q₀) + G(ΔQ) − G(Q₀): counts and exact sums are those of before and what they gained.

Such a G is linear: what a group gained is the sum over its changed rows with their weights. Groups
without one drop out. A group is there while it has rows, and a sum is not NULL while it has a value
to add: so rows and values are counted along.
"""

from __future__ import annotations

from icemelt.algebra.expressions import Expression, column, columns, text
from icemelt.algebra.nodes import Aggregate, Filter, Generate, Linear, Project, Relation, UnionAll
from icemelt.changes.keys import groups_at_hand
from icemelt.changes.restrict import Keys, restricted
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
    """Return the changes of groups whose aggregates are all linear."""
    old, by_keys = _old(aggregate, derivation)
    merged = _merged(aggregate, old, _gained(aggregate, change))
    return Change(_before_and_after(aggregate, merged), Shape.BOTH, by_keys, NAME)


def _old(aggregate: Aggregate, derivation: Derivation) -> tuple[Relation, tuple[Expression, ...]]:
    """Return groups as they were, and the keys by which their rows are read.

    They are those with a change, and others: all, where keys would have to be made of ΔQ.
    """
    by_keys: tuple[Expression, ...] = ()
    rows = derivation.old(aggregate.input)
    found = groups_at_hand(aggregate.input, aggregate.keys, derivation) if aggregate.keys else None
    if found is not None:
        by_keys, values = found
        rows = restricted(rows, Keys(by_keys, derivation.distinct(values)))
    values_there = [_call("count(", each.argument) for each in _with_values(aggregate)]
    made = (text("count(1)"), *aggregate.aggregates, *values_there)
    return Aggregate(rows, aggregate.keys, made), by_keys


def _gained(aggregate: Aggregate, change: Change) -> Relation:
    """Return by how much the rows, the aggregates and the values of sums of each group grew."""
    weight = aggregate.input.width
    grown = [
        _count(each.argument, weight)
        if each.type is None
        else Expression(
            ("sum(if(", weight, " > 0, ", *_enclosed(each), ", -", *_enclosed(each), "))")
        )
        for each in aggregate.sums
    ]
    values = [_count(each.argument, weight) for each in _with_values(aggregate)]
    made = (Expression(("sum(", weight, ")")), *grown, *values)
    return Aggregate(change.relation, aggregate.keys, made)


def _merged(aggregate: Aggregate, old: Relation, gained: Relation) -> Relation:
    """Return a row for each group with a changed row.

    Behind the keys are the number of rows and the aggregates as they were, and the same as they
    are: summed. Then comes how many values there are in sums.
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


def _before_and_after(aggregate: Aggregate, merged: Relation) -> Relation:
    """Return each group as it was, with weight -1, and as it is, if it was there and is."""
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


def _with_values(aggregate: Aggregate) -> list[Linear]:
    return [each for each in aggregate.sums if each.type is not None]


def _count(argument: Expression, weight: int) -> Expression:
    """Return by how much the number of an expression's values grew."""
    return Expression(("sum(if((", *argument.parts, ") IS NOT NULL, ", weight, ", 0))"))


def _call(function: str, argument: Expression) -> Expression:
    return Expression((function, *argument.parts, ")"))


def _enclosed(linear: Linear) -> tuple[str | int, ...]:
    return ("(", *linear.argument.parts, ")")
