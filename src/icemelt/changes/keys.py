"""The keys of changed rows: of a table's changes alone where that is enough, as those are at hand.

What is taken may be more than the keys of rows that changed, and never less.
"""

from __future__ import annotations

from collections.abc import Sequence

from icemelt.algebra.expressions import Expression
from icemelt.algebra.nodes import Join, Relation, SetOperation
from icemelt.changes.restrict import Reach, reaches, within
from icemelt.changes.rule import Change, Derivation, projected

__all__ = ["changed_groups", "changed_values", "groups_at_hand", "values_at_hand"]

Expressions = Sequence[Expression]


def changed_values(
    relation: Relation, change: Change, expressions: Expressions, derivation: Derivation
) -> list[Relation]:
    """Return relations that together have the values of expressions in a relation's changed rows.

    `change` is the relation's.
    """
    found = values_at_hand(relation, expressions, derivation)
    return [projected(change.relation, expressions)] if found is None else found


def changed_groups(
    relation: Relation, change: Change, expressions: Expressions, derivation: Derivation
) -> tuple[tuple[Expression, ...], list[Relation]]:
    """Return keys by which to find all groups with a changed row, and relations with their values.

    They are all keys of the groups, or some: where others are not at hand, those that rows are
    joined by are enough, as one of these says much and the rest is often an attribute of the same
    thing: `GROUP BY orders.id, orders.placed`.
    """
    found = groups_at_hand(relation, expressions, derivation)
    return found or (tuple(expressions), [projected(change.relation, expressions)])


def groups_at_hand(
    relation: Relation, expressions: Expressions, derivation: Derivation
) -> tuple[tuple[Expression, ...], list[Relation]] | None:
    """Return the same, read from changes of tables alone; None where these do not say it."""
    some = [
        each for each in expressions if values_at_hand(relation, [each], derivation) is not None
    ]
    if not any(_joins(relation, each) for each in some):
        some = list(expressions)
    values = values_at_hand(relation, some, derivation)
    return None if values is None else (tuple(some), values)


def values_at_hand(
    relation: Relation, expressions: Expressions, derivation: Derivation
) -> list[Relation] | None:
    """Return the same, read from changes of tables alone; None where these do not say it."""
    change = derivation.changes[id(relation)]
    if change is None:
        return []
    if not derivation.reads_tables(change.relation):
        return [projected(change.relation, expressions)]
    if not relation.inputs:
        return None
    reached = zip(relation.inputs, reaches(relation), strict=True)
    return _all([_through(*each, expressions, derivation) for each in reached])


def _through(
    input_: Relation, reach: Reach, expressions: Expressions, derivation: Derivation
) -> list[Relation] | None:
    if derivation.changes[id(input_)] is None:
        return []
    found = [key for each in expressions if (key := reach(each)) is not None]
    if len(found) < len(expressions):
        return None
    return values_at_hand(input_, found, derivation)


def _all(several: list[list[Relation] | None]) -> list[Relation] | None:
    found = []
    for each in several:
        if each is None:
            return None
        found += each
    return found


def _joins(relation: Relation, key: Expression) -> bool:
    """Return whether rows are joined by a key, somewhere in a relation."""
    match relation:
        case Join():
            return _joins_here(relation, key)
        case SetOperation():
            return False
    reached = [
        (each, reach(key)) for each, reach in zip(relation.inputs, reaches(relation), strict=True)
    ]
    return bool(reached) and all(at is not None and _joins(each, at) for each, at in reached)


def _joins_here(join: Join, key: Expression) -> bool:
    start = join.left.width
    if within(key, 0, start):
        return any(one == key for one, _ in join.equalities) or _joins(join.left, key)
    if not within(key, start, start + join.right.width):
        return False
    own = key.remap_columns(lambda number: number - start)
    return any(other == own for _, other in join.equalities) or _joins(join.right, own)
