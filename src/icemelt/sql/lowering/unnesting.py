"""Subqueries without the rows around them, and what joins the two."""

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
from icemelt.sql.lowering.reasons import refusal

__all__ = ["Pairs", "Unnested", "unnest"]

Pairs = Sequence[tuple[Expression, Expression]]


@dataclass(frozen=True, slots=True)
class Unnested:
    """The rows of a subquery for all rows around it.

    An equality is of a value around and one of the subquery's rows; with `null_safe` it holds
    between NULLs too. The other conditions count the columns around, and then those of the rows.
    `empty_row` is the row of an aggregate over no rows, where it is not among the rows.
    """

    relation: Relation
    equalities: tuple[tuple[Expression, Expression], ...]
    others: tuple[Expression, ...] = ()
    empty_row: tuple[Expression, ...] | None = None
    null_safe: bool = False

    def join_around(
        self, kind: JoinKind, around: Relation, pairs: Pairs = (), others: Sequence[Expression] = ()
    ) -> Join:
        """Join the rows around by what binds them, by more equalities, and by other conditions."""
        width = around.width
        conditions = [*self.others, *others]
        equalities = self.equalities
        if self.null_safe:
            theirs = [(one, other.remap_columns(lambda at: width + at)) for one, other in pairs]
            conditions = [*(equality(*each) for each in theirs), *conditions]
        else:
            equalities = (*equalities, *pairs)
        residual = join_by_and(conditions)
        return Join(kind, around, self.relation, equalities, residual, null_safe=self.null_safe)


def unnest(
    relation: Relation,
    around: Relation,
    *,
    by_any_condition: bool = False,
    may_lack_empty_row: bool = False,
) -> Unnested:
    """Return a subquery's rows for all rows around it, bound by equalities.

    Conditions are pulled up where that is enough: equalities, or with `by_any_condition` any. The
    row of an aggregate over no rows may be missing with `may_lack_empty_row`. Else the subquery is
    run for all values around it.

    Raises:
        NotYet: it reads rows further out.
    """
    outer = outer_columns(relation)
    if any(is_outer(inner_number(each)) for each in outer):
        raise refusal("correlation")
    found = _try_decorrelate(relation)
    if found is None or (found.others and not by_any_condition):
        return _unnest_by_domain(relation, around, outer)
    if found.empty_row is not None and not (found.is_uncorrelated or may_lack_empty_row):
        return _unnest_by_domain(relation, around, outer)

    def moved(number: int) -> int:
        return inner_number(number) if is_outer(number) else around.width + number

    pairs = tuple((one.remap_columns(inner_number), own) for one, own in found.equalities)
    others = tuple(each.remap_columns(moved) for each in found.others)
    return Unnested(found.relation, pairs, others, found.empty_row)


def _try_decorrelate(relation: Relation) -> Decorrelated | None:
    try:
        return decorrelate(relation)
    except NotDecorrelatable:
        return None


def _unnest_by_domain(relation: Relation, around: Relation, outer: set[int]) -> Unnested:
    numbers = sorted(map(inner_number, outer))
    spread = evaluate_over_domain(relation, around, numbers)
    start = relation.width
    pairs = tuple((column(each), column(start + at)) for at, each in enumerate(numbers))
    return Unnested(spread, pairs, null_safe=True)
