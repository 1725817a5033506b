"""Unique columns: whether no two rows of a relation have the same values in some columns.

NULL equals NULL here, as in a sort.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from icemelt.algebra.expressions import Expression
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
    Values,
    Window,
)

__all__ = ["IsKey", "is_unique"]

IsKey = Callable[[str, frozenset[str]], bool]


def is_unique(relation: Relation, columns: Collection[int], is_key: IsKey) -> bool:
    """Return whether no two rows of a relation have the same values in some columns.

    False also means that nothing is known.

    Args:
        relation: the relation.
        columns: numbers of the relation's columns.
        is_key: a predicate (table's slot, names of columns): the names include a declared key.

    >>> from icemelt.algebra.expressions import column
    >>> groups = Aggregate(Scan("t", ("a", "b")), (column(1),), (Expression(("sum(", 0, ")")),))
    >>> unknown = lambda slot, names: False
    >>> is_unique(groups, {0}, unknown), is_unique(groups, {1}, unknown)
    (True, False)
    """
    answers: dict[tuple[int, frozenset[int]], bool] = {}

    def is_known_unique(node: Relation, columns: Collection[int]) -> bool:
        at = (id(node), frozenset(columns))
        if at not in answers:
            answers[at] = _is_unique(node, at[1], is_key, is_known_unique)
        return answers[at]

    return is_known_unique(relation, columns)


_IsUnique = Callable[[Relation, Collection[int]], bool]


def _is_unique(
    relation: Relation, known: frozenset[int], is_key: IsKey, is_unique_below: _IsUnique
) -> bool:
    """Return whether the columns in `known` are unique; `is_unique_below` tells it of inputs."""
    match relation:
        case Scan(source, names):
            return is_key(source, frozenset(names[at] for at in known if at < len(names)))
        case Values(rows):
            return len(rows) == 1
        case Project(input_, expressions):
            return is_unique_below(input_, _own_columns(expressions[at] for at in known))
        case Filter(input_) | Window(input_):
            return is_unique_below(input_, {at for at in known if at < input_.width})
        case Aggregate(keys=keys):
            return known.issuperset(range(len(keys)))
        case Distinct(input_):
            return known.issuperset(range(relation.width)) or is_unique_below(input_, known)
        case SetOperation(left=left, all=keeps_duplicates):
            is_whole = not keeps_duplicates and known.issuperset(range(relation.width))
            return is_whole or is_unique_below(left, known)
        case Generate(input_):
            # the first column that the function makes tells the rows of one row apart
            own = {at for at in known if at < input_.width}
            return input_.width in known and is_unique_below(input_, own)
        case Join():
            return _is_join_unique(relation, known, is_unique_below)
    return False


def _is_join_unique(join: Join, known: frozenset[int], is_unique_below: _IsUnique) -> bool:
    """Return whether no two pairs of a join have the same values in the columns of `known`.

    The rows of one side that match a row of the other side have equal values in the equalities.
    """
    start = join.left.width
    left = {at for at in known if at < start}
    right = {at - start for at in known if at >= start}
    of_left, of_right = (_own_columns(pair[side] for pair in join.equalities) for side in range(2))
    by_left = is_unique_below(join.left, left)
    match join.kind:
        case JoinKind.SEMI | JoinKind.ANTI:
            return by_left
        case JoinKind.LEFT:
            return by_left and is_unique_below(join.right, right | of_right)
        case JoinKind.FULL:
            return False
    by_right = is_unique_below(join.right, right)
    if by_right and is_unique_below(join.left, left | of_left):
        return True
    is_inner = join.kind is JoinKind.INNER
    return is_inner and by_left and is_unique_below(join.right, right | of_right)


def _own_columns(expressions: Iterable[Expression]) -> set[int]:
    """Return the column numbers of single-column expressions, without enclosing queries."""
    found = (each.as_column for each in expressions)
    return {number for number in found if number is not None and number >= 0}
