"""Semi joins moved down in a query for both ends: below inner joins, and below groups.

Spark moves semi joins likewise, but not through the nodes that keep both ends apart.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from icemelt.algebra.expressions import Expression
from icemelt.algebra.graph import rebuild
from icemelt.algebra.nodes import Aggregate, Filter, Join, JoinKind, Project, Relation

__all__ = ["IsWhole", "lower_semi_joins", "never_whole"]

IsWhole = Callable[[Expression, Relation], bool]
_Pairs = tuple[tuple[Expression, Expression], ...]


def never_whole(_expression: Expression, _relation: Relation) -> bool:
    """Return False: no expression is known to give whole numbers."""
    return False


def lower_semi_joins(relation: Relation, is_whole: IsWhole = never_whole) -> Relation:
    """Return a relation with semi joins moved below inner joins, to the side with the keys.

    If an inner join equates the semi join's keys with keys of groups, the semi join also restricts
    the rows of the groups. The keys have to be whole numbers: equality of other types may depend on
    the types compared. `is_whole` is a predicate (expression, relation): the expression gives whole
    numbers.

    >>> from icemelt.algebra.expressions import column
    >>> from icemelt.algebra.nodes import Scan, explain
    >>> t, u, k = (Scan(name, ("a",)) for name in "tuk")
    >>> by = ((column(0), column(0)),)
    >>> print(explain(lower_semi_joins(Join(JoinKind.SEMI, Join(JoinKind.INNER, t, u), k, by))))
    Join inner
      Join semi on left #0 = right #0
        Scan t(a)
        Scan k(a)
      Scan u(a)
    """
    return rebuild(relation, lambda node: _lower_semi_join(node, is_whole))


def _lower_semi_join(relation: Relation, is_whole: IsWhole) -> Relation:
    match relation:
        case Join(JoinKind.SEMI, left, keys, pairs, None, null_safe):
            return _place_semi_join(left, keys, pairs, null_safe=null_safe)
        case Join(JoinKind.INNER, Join(JoinKind.SEMI, residual=None) as kept, right):
            pairs = _keys_of_right(relation.equalities, kept.equalities)
            if relation.null_safe == kept.null_safe and _are_keys_whole(
                kept, right, pairs, is_whole
            ):
                groups = _restrict_groups(right, kept.right, pairs, null_safe=kept.null_safe)
                return relation if groups is None else replace(relation, right=groups)
    return relation


def _place_semi_join(
    relation: Relation, keys: Relation, pairs: _Pairs, *, null_safe: bool
) -> Relation:
    """Return a relation's rows with the keys, with the semi join as far down as possible.

    Args:
        relation: the rows.
        keys: the key values.
        pairs: expressions of `relation`, and the equal expressions of `keys`.
        null_safe: whether NULL equals NULL.
    """
    read = frozenset(at for mine, _ in pairs for at in mine.columns)
    match relation:
        case Join(JoinKind.INNER, left, right) if read and max(read) < left.width:
            return replace(relation, left=_place_semi_join(left, keys, pairs, null_safe=null_safe))
        case Join(JoinKind.INNER, left, right) if read and min(read) >= left.width:
            moved = tuple(
                (mine.remap_columns(lambda at: at - left.width), to) for mine, to in pairs
            )
            return replace(
                relation, right=_place_semi_join(right, keys, moved, null_safe=null_safe)
            )
        case Project(inner, expressions):
            made = _place_semi_join(
                inner, keys, _substitute_keys(pairs, expressions), null_safe=null_safe
            )
            return Project(made, expressions)
    return Join(JoinKind.SEMI, relation, keys, pairs, null_safe=null_safe)


def _keys_of_right(equalities: _Pairs, pairs: _Pairs) -> _Pairs:
    """Return keys of the left side as keys of the right side; none if an equality is missing."""
    right = dict(equalities)
    if not all(mine in right for mine, _ in pairs):
        return ()
    return tuple((right[mine], theirs) for mine, theirs in pairs)


def _are_keys_whole(kept: Join, right: Relation, pairs: _Pairs, is_whole: IsWhole) -> bool:
    left = all(is_whole(mine, kept.left) for mine, _ in kept.equalities)
    both = (is_whole(one, right) and is_whole(other, kept.right) for one, other in pairs)
    return bool(pairs) and left and all(both)


def _restrict_groups(
    relation: Relation, keys: Relation, pairs: _Pairs, *, null_safe: bool
) -> Relation | None:
    """Return groups over the rows with the keys; None if the relation is no aggregate."""
    match relation:
        case Project(inner, expressions):
            made = _restrict_groups(
                inner, keys, _substitute_keys(pairs, expressions), null_safe=null_safe
            )
            return made and Project(made, expressions)
        case Filter(inner, condition) if all(mine.as_column is not None for mine, _ in pairs):
            # a computed key may fail on rows that the condition keeps away
            made = _restrict_groups(inner, keys, pairs, null_safe=null_safe)
            return made and Filter(made, condition)
        case Aggregate(inner, groups_of):
            if all(at < len(groups_of) for mine, _ in pairs for at in mine.columns):
                moved = _substitute_keys(pairs, groups_of)
                return replace(
                    relation, input=_place_semi_join(inner, keys, moved, null_safe=null_safe)
                )
    return None


def _substitute_keys(pairs: _Pairs, expressions: Sequence[Expression]) -> _Pairs:
    return tuple((mine.substitute(expressions), theirs) for mine, theirs in pairs)
