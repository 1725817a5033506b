"""Unnest subqueries: compute a subquery once for all outer rows, and find the join of the two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from icemelt.algebra.expressions import Expression, column
from icemelt.algebra.nodes import Join, JoinKind, Relation
from icemelt.sql.lowering.correlation import (
    Decorrelated,
    NotDecorrelatable,
    decorrelate,
    outer_columns,
)
from icemelt.sql.lowering.domain_joins import equality
from icemelt.sql.lowering.domains import evaluate_over_domain
from icemelt.sql.lowering.expressions import join_by_and
from icemelt.sql.lowering.names import inner_number, is_outer
from icemelt.sql.lowering.reasons import unsupported_error

__all__ = ["Pairs", "Unnested", "unnest"]

# equalities of a value of the outer row and a value of the subquery's row
Pairs = Sequence[tuple[Expression, Expression]]


@dataclass(frozen=True, slots=True)
class Unnested:
    """The rows of a subquery for all rows of the outer query, and the conditions that join the two.

    Attributes:
        relation: the rows of the subquery.
        equalities: pairs of a value of the outer row and a value of the subquery's row.
        others: all other conditions, over the outer row's columns and then the subquery's columns.
        empty_row: the row of an aggregate over no rows, where `relation` lacks this row.
        null_safe: whether the equalities hold between two NULLs, too.
    """

    relation: Relation
    equalities: tuple[tuple[Expression, Expression], ...]
    others: tuple[Expression, ...] = ()
    empty_row: tuple[Expression, ...] | None = None
    null_safe: bool = False

    def join_outer_rows(
        self,
        kind: JoinKind,
        outer_rows: Relation,
        pairs: Pairs = (),
        others: Sequence[Expression] = (),
    ) -> Join:
        """Join the rows of the outer query with the rows of the subquery.

        Args:
            kind: the kind of join.
            outer_rows: the rows of the outer query, which are the left side.
            pairs: more equalities, which are not null-safe.
            others: more conditions, over the columns of both sides.
        """
        width = outer_rows.width
        conditions = [*self.others, *others]
        equalities = self.equalities
        if self.null_safe:
            moved_pairs = [
                (outer_value, own_value.remap_columns(lambda number: width + number))
                for outer_value, own_value in pairs
            ]
            conditions = [*(equality(*pair) for pair in moved_pairs), *conditions]
        else:
            equalities = (*equalities, *pairs)
        residual = join_by_and(conditions)
        return Join(kind, outer_rows, self.relation, equalities, residual, null_safe=self.null_safe)


def unnest(
    relation: Relation,
    outer_rows: Relation,
    *,
    by_any_condition: bool = False,
    may_lack_empty_row: bool = False,
) -> Unnested:
    """Return a subquery's rows for all rows of the outer query.

    Conditions on the outer row move out of the subquery where this is enough. Otherwise the
    subquery runs once over its domain: all values of the outer columns that the subquery reads.

    Args:
        relation: the subquery's relation.
        outer_rows: the rows of the outer query.
        by_any_condition: whether any condition may join the two; else equalities alone.
        may_lack_empty_row: whether the caller adds the row of an aggregate over no rows itself.

    Raises:
        NotYet: the subquery reads a row further out than the outer query's.
    """
    outer = outer_columns(relation)
    if any(is_outer(inner_number(number)) for number in outer):
        raise unsupported_error("correlation")
    decorrelated = _try_decorrelate(relation)
    if decorrelated is None or (decorrelated.others and not by_any_condition):
        return _unnest_by_domain(relation, outer_rows, outer)
    if decorrelated.empty_row is not None and not (
        decorrelated.is_uncorrelated or may_lack_empty_row
    ):
        return _unnest_by_domain(relation, outer_rows, outer)

    def renumber(number: int) -> int:
        return inner_number(number) if is_outer(number) else outer_rows.width + number

    pairs = tuple(
        (outer_value.remap_columns(inner_number), own_value)
        for outer_value, own_value in decorrelated.equalities
    )
    others = tuple(condition.remap_columns(renumber) for condition in decorrelated.others)
    return Unnested(decorrelated.relation, pairs, others, decorrelated.empty_row)


def _try_decorrelate(relation: Relation) -> Decorrelated | None:
    try:
        return decorrelate(relation)
    except NotDecorrelatable:
        return None


def _unnest_by_domain(relation: Relation, outer_rows: Relation, outer: set[int]) -> Unnested:
    numbers = sorted(map(inner_number, outer))
    rows_of_domain = evaluate_over_domain(relation, outer_rows, numbers)
    start = relation.width
    pairs = tuple((column(number), column(start + offset)) for offset, number in enumerate(numbers))
    return Unnested(rows_of_domain, pairs, null_safe=True)
