"""Barriers in a relation: on the columns of projections that repeat each other.

A column of a leaf has the inlined size 1. A projection's column has the sum of the inlined sizes of
the columns in its expression. Spark pushes no filter through a barrier, so a column behind a
barrier has the size 1 again.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

from icemelt.algebra.expressions import Expression
from icemelt.algebra.nodes import (
    Aggregate,
    Project,
    Relation,
    SetOperation,
    UnionAll,
    Window,
)
from icemelt.spark_sql.barriers import BARRIER, is_too_large

__all__ = ["put_barriers"]


def put_barriers(relation: Relation) -> Relation:
    """Return a relation with a barrier on each projected column that is too large to be inlined.

    >>> from icemelt.algebra.expressions import column
    >>> from icemelt.algebra.nodes import Scan
    >>> relation = Scan("t", ("a",))
    >>> for _ in range(8):
    ...     relation = Project(relation, (Expression((0, " + ", 0)),))
    >>> str(put_barriers(relation).expressions[0])
    'IF(spark_partition_id() >= 0, #0 + #0, NULL)'
    >>> str(put_barriers(relation).input.expressions[0])
    '#0 + #0'
    """
    return _put_and_measure(relation)[0]


def _put_and_measure(relation: Relation) -> tuple[Relation, list[int]]:
    """Return the relation with barriers, and the inlined size of each of its columns."""
    sizes: list[list[int]] = []

    def put(below: Relation) -> Relation:
        limited, columns = _put_and_measure(below)
        sizes.append(columns)
        return limited

    relation = relation.map_inputs(put)
    match relation:
        case Project(expressions=expressions):
            return _limit_projection(relation, expressions, sizes[0])
        case UnionAll() | SetOperation():
            return relation, [max(column) for column in zip(*sizes, strict=True)]
        case Aggregate(keys=keys):
            # Spark pushes filters on keys alone
            passed = len(keys)
        case Window(input=below):
            passed = below.width
        case _:
            passed = relation.width
    below_sizes = [*itertools.chain(*sizes)]
    measured = [
        1 if origin is None else _inlined_size(origin, below_sizes)
        for origin in relation.origins[:passed]
    ]
    return relation, measured + [1] * (relation.width - passed)


def _limit_projection(
    projection: Project, expressions: Sequence[Expression], below: Sequence[int]
) -> tuple[Relation, list[int]]:
    limited, sizes = [], []
    for expression in expressions:
        named = [below[part] for part in expression.parts if isinstance(part, int)]
        is_barred = is_too_large(sum(named), len(named), max(named, default=1))
        before, behind = BARRIER
        limited.append(Expression((before, *expression.parts, behind)) if is_barred else expression)
        sizes.append(1 if is_barred else _inlined_size(expression, below))
    return replace(projection, expressions=tuple(limited)), sizes


def _inlined_size(expression: Expression, below: Sequence[int]) -> int:
    return max(sum(below[part] for part in expression.parts if isinstance(part, int)), 1)
