"""Barriers in a relation: on the columns of projections that repeat each other.

A column of a leaf has the inlined size 1. A projection's column has the sum of the inlined sizes of
the columns in its expression. Spark pushes no filter through a barrier, so a column behind a
barrier has the size 1 again.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace

from icemelt.algebra.expressions import Expression
from icemelt.algebra.graph import NodeValues, rebuild_over
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
    measured = NodeValues[Relation, _Measured](lambda node: _put_and_measure(node, measured))
    return measured(relation)[0]


_Measured = tuple[Relation, list[int]]


def _put_and_measure(
    relation: Relation, measured: Callable[[Relation], _Measured]
) -> tuple[Relation, list[int]]:
    """Return a node with barriers, and the inlined size of each of its columns.

    Args:
        relation: the node.
        measured: gives the same of the node's inputs.
    """
    sizes = [measured(each)[1] for each in relation.inputs]
    relation = rebuild_over(relation, lambda each: measured(each)[0])
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
    own = [
        1 if origin is None else _inlined_size(origin, below_sizes)
        for origin in relation.origins[:passed]
    ]
    return relation, own + [1] * (relation.width - passed)


def _limit_projection(
    projection: Project, expressions: Sequence[Expression], below: Sequence[int]
) -> tuple[Relation, list[int]]:
    limited: list[Expression] = []
    sizes: list[int] = []
    for expression in expressions:
        named = [below[part] for part in expression.parts if isinstance(part, int)]
        is_barred = is_too_large(sum(named), len(named), max(named, default=1))
        before, behind = BARRIER
        limited.append(Expression((before, *expression.parts, behind)) if is_barred else expression)
        sizes.append(1 if is_barred else _inlined_size(expression, below))
    if limited != list(expressions):
        projection = replace(projection, expressions=tuple(limited))
    return projection, sizes


def _inlined_size(expression: Expression, below: Sequence[int]) -> int:
    return max(sum(below[part] for part in expression.parts if isinstance(part, int)), 1)
