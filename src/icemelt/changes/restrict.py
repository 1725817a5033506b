"""Q ⋉ K: only those rows of a query whose keys are given, asked as close to its tables as can be.

A restriction moves through a node that gives for these keys the same rows, whatever the rows of
other keys are. Where it goes no further, a semi join stands. Keys are matched as groups are: NULL
is equal to NULL.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from icemelt.algebra.expressions import Expression, column, columns
from icemelt.algebra.nodes import (
    Aggregate,
    Distinct,
    Filter,
    Generate,
    Join,
    JoinKind,
    Project,
    Relation,
    Scan,
    SetOperation,
    UnionAll,
    Window,
    leaves,
)

__all__ = ["Keys", "Reach", "reaches", "restricted", "semi_joined", "within"]

Reach = Callable[[Expression], Expression | None]


@dataclass(frozen=True, slots=True)
class Keys:
    """Expressions of a relation, and the values that they are to have: a column of `rows` each."""

    expressions: tuple[Expression, ...]
    rows: Relation

    def reaching(self, reach: Reach) -> Keys | None:
        """Return those that can be said of an input, as they are said there; None for none."""
        found = [(number, reach(key)) for number, key in enumerate(self.expressions)]
        taken = [(number, key) for number, key in found if key is not None]
        if not taken:
            return None
        rows = self.rows
        if len(taken) < len(found):
            rows = Project(rows, tuple(column(number) for number, _ in taken))
        return Keys(tuple(key for _, key in taken), rows)


def semi_joined(relation: Relation, keys: Keys) -> Relation:
    """Return the rows of a relation that have the keys, found by a join on top of it."""
    pairs = tuple(zip(keys.expressions, columns(0, keys.rows.width), strict=True))
    return Join(JoinKind.SEMI, relation, keys.rows, pairs, null_safe=True)


def restricted(relation: Relation, keys: Keys) -> Relation:
    """Return the rows of a relation that have the keys.

    >>> from icemelt.algebra.nodes import Shared, explain
    >>> wanted = Keys((column(0),), Shared("k", 1))
    >>> groups = Aggregate(Scan("t", ("a", "b")), (column(1),), ())
    >>> print(explain(restricted(groups, wanted)))
    Aggregate by (#1): ()
      Join semi on left #1 <=> right #0
        Scan t(a, b)
        Shared k
    """
    if isinstance(relation, Join):
        return _through_join(relation, keys)
    known = [keys.reaching(reach) for reach in reaches(relation)]
    found = [each for each in known if each is not None]
    if not found or len(found) < len(known):
        return semi_joined(relation, keys)
    remaining = iter(found)
    inner = relation.map_inputs(lambda each: restricted(each, next(remaining)))
    whole = len(keys.expressions)
    return (
        inner if all(len(each.expressions) == whole for each in found) else semi_joined(inner, keys)
    )


def reaches(relation: Relation) -> tuple[Reach, ...]:
    """Return for each input how a key is said of it; None where it cannot be.

    What is computed of columns that a filter looks at stays above it: it may be an error for the
    rows that the filter drops, as `1 / a` is below `a <> 0`.
    """
    match relation:
        case Join():
            return _reaches_of_join(relation)
        case UnionAll() | SetOperation() | Distinct():
            return tuple(_as_it_is for _ in relation.inputs)
        case Project(expressions=expressions):
            return (lambda key: key.substitute(expressions),)
        case Filter(condition=condition):
            return (
                lambda key: (
                    key
                    if key.as_column is not None or key.columns.isdisjoint(condition.columns)
                    else None
                ),
            )
        case Aggregate(keys=groups):
            return (
                lambda key: (
                    key.substitute(groups) if groups and within(key, 0, len(groups)) else None
                ),
            )
        case Window(partition=partition):
            whole = {each.as_column for each in partition} - {None}
            return (lambda key: key if key in partition or key.columns <= whole else None,)
        case Generate():
            return (lambda key: key if within(key, 0, relation.input.width) else None,)
    return tuple(_nowhere for _ in relation.inputs)


def within(key: Expression, start: int, end: int) -> bool:
    """Return whether an expression reads no other columns than these."""
    return all(start <= number < end for number in key.columns)


def _through_join(join: Join, keys: Keys) -> Relation:
    left, right = _reaches_of_join(join)
    of_left = keys.reaching(left)
    asks_right = join.kind is JoinKind.RIGHT or _reads_tables(join.right)
    of_right = keys.reaching(right) if asks_right else None
    inner = join
    if of_left is not None:
        inner = replace(inner, left=restricted(inner.left, of_left))
    if of_right is not None:
        inner = replace(inner, right=restricted(inner.right, of_right))
    whole = len(keys.expressions)
    if any(each is not None and len(each.expressions) == whole for each in (of_left, of_right)):
        return inner
    return semi_joined(inner, keys)


def _reaches_of_join(join: Join) -> tuple[Reach, Reach]:
    """Return how a key is said of the left input, and of the right.

    The rows of a preserved side are in the result whether they meet others or not: that side's own
    keys restrict it, and the other side by the equalities, since nothing else meets what is left.
    Keys of the other side restrict nothing: they are NULL in the rows that met none.
    """
    start = join.left.width

    def mine(key: Expression) -> Expression | None:
        return key if within(key, 0, start) else None

    def theirs(key: Expression) -> Expression | None:
        if not within(key, start, start + join.right.width):
            return None
        return key.remap_columns(lambda number: number - start)

    def to_left(key: Expression) -> Expression | None:
        found = theirs(key)
        return next((one for one, other in join.equalities if other == found), None)

    def to_right(key: Expression) -> Expression | None:
        found = mine(key)
        return next((other for one, other in join.equalities if one == found), None)

    match join.kind:
        case JoinKind.INNER:
            return lambda key: mine(key) or to_left(key), lambda key: theirs(key) or to_right(key)
        case JoinKind.LEFT | JoinKind.SEMI | JoinKind.ANTI:
            return mine, to_right
        case JoinKind.RIGHT:
            return to_left, theirs
        case JoinKind.FULL:
            return _nowhere, _nowhere


def _as_it_is(key: Expression) -> Expression:
    return key


def _nowhere(_: Expression) -> None:
    """Either side of a full join may be NULL in its rows; of an unknown node nothing is known."""


def _reads_tables(relation: Relation) -> bool:
    return any(isinstance(leaf, Scan) for leaf in leaves(relation))
