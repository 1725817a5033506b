"""The keys of changed rows, from changes of tables alone if possible: those changes are at hand.

The keys may be more than the keys of changed rows, and are never fewer. For example orders and
their lines are joined, and summed by customer:

    SELECT o.customer, sum(l.price) FROM orders o JOIN lines l ON l.order = o.id GROUP BY o.customer

    changes of orders   (id 3, customer 7, -1), (id 3, customer 8, 1)
    changes of lines    none
    changed groups      customers 7 and 8: read from the changes of orders alone

    changes of orders   none
    changes of lines    (order 3, price 10, 1)
    changed groups      customer of order 3: a column of orders, which the changes of lines lack

In the second case `values_from_changes` gives None, and the keys come from the changes of the join.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from icemelt.algebra.expressions import Expression
from icemelt.algebra.nodes import Join, Relation, SetOperation
from icemelt.changes.restrict import KeyMapping, map_keys_to_inputs, reads_only
from icemelt.changes.rule import Change, Derivation, project_columns

__all__ = ["changed_groups", "changed_values", "groups_from_changes", "values_from_changes"]

Expressions = Sequence[Expression]


def changed_values(
    relation: Relation, change: Change, expressions: Expressions, derivation: Derivation
) -> list[Relation]:
    """Return relations with the values of expressions in a relation's changed rows.

    Args:
        relation: the relation.
        change: the relation's changes.
        expressions: expressions over the relation's columns.
        derivation: the state of the plan.
    """
    found = values_from_changes(relation, expressions, derivation)
    return [project_columns(change.relation, expressions)] if found is None else found


def changed_groups(
    relation: Relation, change: Change, expressions: Expressions, derivation: Derivation
) -> tuple[tuple[Expression, ...], list[Relation]]:
    """Return keys to find all groups with a changed row, and relations with the keys' values.

    The keys are all keys of the groups, or fewer. If the changes of tables lack the values of some
    keys, the keys compared by a join suffice. A join key selects few rows, and the other keys often
    are attributes of the same thing, as in `GROUP BY orders.id, orders.placed`.

    Args:
        relation: the rows to group.
        change: the changes of `relation`.
        expressions: the groups' keys, over the columns of `relation`.
        derivation: the state of the plan.
    """
    found = groups_from_changes(relation, expressions, derivation)
    return found or (tuple(expressions), [project_columns(change.relation, expressions)])


def groups_from_changes(
    relation: Relation, expressions: Expressions, derivation: Derivation
) -> tuple[tuple[Expression, ...], list[Relation]] | None:
    """Return keys and values as `changed_groups` does, from changes of tables alone.

    None if the changes of tables do not have the values.

    Args:
        relation: the rows that are grouped.
        expressions: the groups' keys, over the columns of `relation`.
        derivation: the state of the plan.
    """
    some = [
        each
        for each in expressions
        if values_from_changes(relation, [each], derivation) is not None
    ]
    if not any(_is_join_key(relation, each) for each in some):
        some = list(expressions)
    values = values_from_changes(relation, some, derivation)
    return None if values is None else (tuple(some), values)


def values_from_changes(
    relation: Relation, expressions: Expressions, derivation: Derivation
) -> list[Relation] | None:
    """Return values as `changed_values` does, from changes of tables alone.

    None if the changes of tables do not have the values.

    Args:
        relation: the relation.
        expressions: expressions over the relation's columns.
        derivation: the state of the plan.
    """
    at = (id(relation), tuple(expressions))
    if at not in derivation.values:
        derivation.values[at] = _find_values(relation, expressions, derivation)
    return derivation.values[at]


def _find_values(
    relation: Relation, expressions: Expressions, derivation: Derivation
) -> list[Relation] | None:
    change = derivation.changes[id(relation)]
    if change is None:
        return []
    if not derivation.reads_tables(change.relation):
        return [project_columns(change.relation, expressions)]
    if not relation.inputs:
        return None
    reached = zip(relation.inputs, map_keys_to_inputs(relation), strict=True)
    return _concatenate([_values_of_input(*each, expressions, derivation) for each in reached])


def _values_of_input(
    input_: Relation, reach: KeyMapping, expressions: Expressions, derivation: Derivation
) -> list[Relation] | None:
    if derivation.changes[id(input_)] is None:
        return []
    found = [key for each in expressions if (key := reach(each)) is not None]
    if len(found) < len(expressions):
        return None
    return values_from_changes(input_, found, derivation)


def _concatenate(several: list[list[Relation] | None]) -> list[Relation] | None:
    # a node with several readers gives its values once
    found: dict[int, Relation] = {}
    for each in several:
        if each is None:
            return None
        found |= {id(values): values for values in each}
    return list(found.values())


def _is_join_key(relation: Relation, key: Expression) -> bool:
    """Return whether a key is compared by a join somewhere in a relation."""
    known: dict[tuple[int, Expression], bool] = {}

    def is_key(node: Relation, expression: Expression) -> bool:
        at = (id(node), expression)
        if at not in known:
            known[at] = _is_compared(node, expression, is_key)
        return known[at]

    return is_key(relation, key)


def _is_compared(
    relation: Relation, key: Expression, is_key: Callable[[Relation, Expression], bool]
) -> bool:
    """Return whether a join compares a key, at a node or below; `is_key` tells it of an input."""
    match relation:
        case Join():
            return _is_key_of_join(relation, key, is_key)
        case SetOperation():
            return False
    reached = [
        (each, reach(key))
        for each, reach in zip(relation.inputs, map_keys_to_inputs(relation), strict=True)
    ]
    return bool(reached) and all(at is not None and is_key(each, at) for each, at in reached)


def _is_key_of_join(
    join: Join, key: Expression, is_key: Callable[[Relation, Expression], bool]
) -> bool:
    start = join.left.width
    if reads_only(key, 0, start):
        return any(one == key for one, _ in join.equalities) or is_key(join.left, key)
    if not reads_only(key, start, start + join.right.width):
        return False
    own = key.remap_columns(lambda number: number - start)
    return any(other == own for _, other in join.equalities) or is_key(join.right, own)
