"""Semi joins by equalities, put where they leave out the most: L ⋉ K below joins and groups.

Spark moves them so, but not through what takes the rows of both ends apart.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from icemelt.algebra.expressions import Expression
from icemelt.algebra.nodes import Aggregate, Filter, Join, JoinKind, Project, Relation

__all__ = ["IsWhole", "lowered", "unknown"]

IsWhole = Callable[[Expression, Relation], bool]
_Pairs = tuple[tuple[Expression, Expression], ...]


def unknown(_expression: Expression, _relation: Relation) -> bool:
    """Know of nothing that it is a whole number."""
    return False


def lowered(relation: Relation, is_whole: IsWhole = unknown) -> Relation:
    """Return a relation with semi joins below the inner joins of which they read one side.

    Where an inner join takes their keys for equal to the keys of groups, they leave out groups too:
    of whole numbers, as `is_whole` says of an expression over a relation. Equality of others may
    depend on what is compared with what.

    >>> from icemelt.algebra.expressions import column
    >>> from icemelt.algebra.nodes import Scan, explain
    >>> t, u, k = (Scan(name, ("a",)) for name in "tuk")
    >>> by = ((column(0), column(0)),)
    >>> print(explain(lowered(Join(JoinKind.SEMI, Join(JoinKind.INNER, t, u), k, by))))
    Join inner
      Join semi on left #0 = right #0
        Scan t(a)
        Scan k(a)
      Scan u(a)
    """
    relation = relation.map_inputs(lambda each: lowered(each, is_whole))
    match relation:
        case Join(JoinKind.SEMI, left, keys, pairs, None, null_safe):
            return _kept(left, keys, pairs, null_safe=null_safe)
        case Join(JoinKind.INNER, Join(JoinKind.SEMI, residual=None) as kept, right):
            pairs = _also(relation.equalities, kept.equalities)
            if relation.null_safe == kept.null_safe and _are_whole(kept, right, pairs, is_whole):
                groups = _groups(right, kept.right, pairs, null_safe=kept.null_safe)
                return relation if groups is None else replace(relation, right=groups)
    return relation


def _kept(relation: Relation, keys: Relation, pairs: _Pairs, *, null_safe: bool) -> Relation:
    """Return the rows that have keys, left out as far down as they can be."""
    read = frozenset(at for mine, _ in pairs for at in mine.columns)
    match relation:
        case Join(JoinKind.INNER, left, right) if read and max(read) < left.width:
            return replace(relation, left=_kept(left, keys, pairs, null_safe=null_safe))
        case Join(JoinKind.INNER, left, right) if read and min(read) >= left.width:
            moved = tuple(
                (mine.remap_columns(lambda at: at - left.width), to) for mine, to in pairs
            )
            return replace(relation, right=_kept(right, keys, moved, null_safe=null_safe))
        case Project(inner, expressions):
            made = _kept(inner, keys, _over(pairs, expressions), null_safe=null_safe)
            return Project(made, expressions)
    return Join(JoinKind.SEMI, relation, keys, pairs, null_safe=null_safe)


def _also(equalities: _Pairs, pairs: _Pairs) -> _Pairs:
    """Return semi joins' keys of the left side as keys of the right; none if one has no equal."""
    right = dict(equalities)
    if not all(mine in right for mine, _ in pairs):
        return ()
    return tuple((right[mine], theirs) for mine, theirs in pairs)


def _are_whole(kept: Join, right: Relation, pairs: _Pairs, is_whole: IsWhole) -> bool:
    left = all(is_whole(mine, kept.left) for mine, _ in kept.equalities)
    both = (is_whole(one, right) and is_whole(other, kept.right) for one, other in pairs)
    return bool(pairs) and left and all(both)


def _groups(
    relation: Relation, keys: Relation, pairs: _Pairs, *, null_safe: bool
) -> Relation | None:
    """Return the groups that have keys, of those rows alone; None of anything but groups."""
    match relation:
        case Project(inner, expressions):
            made = _groups(inner, keys, _over(pairs, expressions), null_safe=null_safe)
            return made and Project(made, expressions)
        case Filter(inner, condition) if all(mine.as_column is not None for mine, _ in pairs):
            # a computed key may fail on rows that the condition keeps away
            made = _groups(inner, keys, pairs, null_safe=null_safe)
            return made and Filter(made, condition)
        case Aggregate(inner, groups_of):
            if all(at < len(groups_of) for mine, _ in pairs for at in mine.columns):
                moved = _over(pairs, groups_of)
                return replace(relation, input=_kept(inner, keys, moved, null_safe=null_safe))
    return None


def _over(pairs: _Pairs, expressions: Sequence[Expression]) -> _Pairs:
    return tuple((mine.substitute(expressions), theirs) for mine, theirs in pairs)
