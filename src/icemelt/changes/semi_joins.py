"""Semi joins by equalities, put where they leave out the most: L ⋉ K below joins.

Spark moves them so, but not through what takes the rows of both ends apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from icemelt.algebra.expressions import Expression
from icemelt.algebra.nodes import Join, JoinKind, Project, Relation
from icemelt.algebra.traverse import with_inputs

__all__ = ["lowered"]

_Pairs = tuple[tuple[Expression, Expression], ...]


def lowered(relation: Relation) -> Relation:
    """Return a relation with semi joins below the inner joins of which they read one side.

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
    relation = with_inputs(relation, lowered)
    match relation:
        case Join(JoinKind.SEMI, left, keys, pairs, None, null_safe):
            return _kept(left, keys, pairs, null_safe=null_safe)
    return relation


def _kept(relation: Relation, keys: Relation, pairs: _Pairs, *, null_safe: bool) -> Relation:
    """Return the rows that have keys, left out as far down as they can be."""
    read = frozenset(at for mine, _ in pairs for at in mine.columns)
    match relation:
        case Join(JoinKind.INNER, left, right) if read and max(read) < left.width:
            return replace(relation, left=_kept(left, keys, pairs, null_safe=null_safe))
        case Join(JoinKind.INNER, left, right) if read and min(read) >= left.width:
            moved = tuple((mine.mapped(lambda at: at - left.width), to) for mine, to in pairs)
            return replace(relation, right=_kept(right, keys, moved, null_safe=null_safe))
        case Project(inner, expressions):
            return Project(
                _kept(inner, keys, _over(pairs, expressions), null_safe=null_safe), expressions
            )
    return Join(JoinKind.SEMI, relation, keys, pairs, null_safe=null_safe)


def _over(pairs: _Pairs, expressions: Sequence[Expression]) -> _Pairs:
    return tuple((mine.over(expressions), theirs) for mine, theirs in pairs)
