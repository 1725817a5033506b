"""Inlining: measure what an output becomes once Spark replaces names by expressions.

Spark pushes a filter down through all SELECTs below, and replaces columns by their expressions.
Where a SELECT names a column twice, the filter doubles. So an output has an *inlined size*: the sum
of the inlined sizes of the columns in its expression. An output whose size is too large gets a
*barrier*, and Spark pushes nothing through a barrier. Above a barrier the inlined size is one.

    SELECT a + a AS a FROM t                                   2 times t.a
    SELECT a + a AS a FROM (SELECT a + a AS a FROM t)          4 times t.a
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from sqlglot import exp

from icemelt.errors import NotYet
from icemelt.names import fold
from icemelt.spark_sql.barriers import LARGEST, is_too_large
from icemelt.sql.analysis.scopes import FromSource, InlinedSize, RelationColumns, Scope
from icemelt.sql.dialect.identifiers import fold_identifier
from icemelt.sql.effort import Repeated, count_repetition

__all__ = ["Inlining", "Mentions", "has_barrier", "unite_inlined_sizes"]

_BARRIER = "barrier"
# clauses that become filters, or that Spark pushes filters through
_CONDITIONS = ("where", "having", "qualify")

Mentions = Callable[[str, int], int]


def has_barrier(projection: exp.Expr) -> bool:
    """Tell whether an output of a SELECT gets a barrier."""
    return bool(projection.meta.get(_BARRIER))


@dataclass(slots=True)
class Inlining:
    """Measures the columns of one statement's SELECTs.

    Attributes:
        mentions: a function that returns how often Spark's text of a function mentions an argument,
            by the function's name and number of arguments.
        largest: the largest inlined size so far; a table's column has size 1.
        refusing: the number of parts around, such as LATERAL, in which Spark refuses barriers.
        has_barriers: whether a column has got a barrier.
        is_for_spark: whether the query runs as text. A query that is lowered gets barriers later,
            where its algebra is rendered.
    """

    mentions: Mentions
    largest: int = 1
    refusing: int = 0
    has_barriers: bool = False
    is_for_spark: bool = True

    def limit_conditions(self, select: exp.Select, scope: Scope) -> None:
        """Put barriers on the columns of a SELECT's conditions, if the conditions are too large."""
        conditions = [select.args.get(part) for part in _CONDITIONS]
        conditions += [join.args.get("on") for join in select.args.get("joins") or ()]
        named = [
            (factor, size)
            for condition in conditions
            if condition is not None
            for factor, size in self._mentioned_columns(condition, scope, {})
        ]
        total, needs_barrier = _measure(named)
        self.largest = max(self.largest, min(total, LARGEST))
        if needs_barrier:
            for _, size in named:
                self._put_barrier(size)

    def require_no_barriers(self) -> None:
        """Require a query of WITH without barriers where LATERAL reads the query.

        Raises:
            NotYet: the query may have barriers, and Spark refuses barriers in LATERAL.
        """
        if self.refusing and self.has_barriers:
            raise NotYet(
                "LATERAL reads a query of WITH whose columns repeat each other.",
                hint="Store the rows of that query in a table.",
            )

    @contextlib.contextmanager
    def without_barriers(self) -> Iterator[None]:
        """Refuse barriers in the block, where repeated columns count as effort instead."""
        self.refusing += 1
        try:
            yield
        finally:
            self.refusing -= 1

    def measure_outputs(
        self, projections: Iterable[exp.Expr], scope: Scope
    ) -> dict[str, InlinedSize]:
        """Return the inlined sizes of a SELECT's columns by folded name; size one may be missing.

        A projection may use the aliases of earlier projections.
        """
        sizes: dict[str, InlinedSize] = {}
        for projection in projections:
            star = projection.this if isinstance(projection, exp.Column) else projection
            if isinstance(star, exp.Star):
                sizes |= _sizes_of_star(projection, scope)
                continue
            if isinstance(projection, exp.Column):
                size = _size_of(projection, scope, sizes)
                if size is not None:
                    sizes[fold(fold_identifier(projection.this))] = size
                continue
            # the shaper has given a name to an expression without a name
            named = projection if isinstance(projection, exp.Alias) else projection.parent
            if isinstance(named, exp.Alias):
                sizes[fold(fold_identifier(named.args["alias"]))] = self._measure_output(
                    named, scope, sizes
                )
        return sizes

    def _measure_output(
        self, projection: exp.Expr, scope: Scope, sizes: Mapping[str, InlinedSize]
    ) -> InlinedSize:
        total, needs_barrier = _measure([*self._mentioned_columns(projection, scope, sizes)])
        size = InlinedSize(max(total, 1), [projection])
        if needs_barrier:
            self._put_barrier(size)
        self.largest = max(self.largest, size.value)
        return size

    def _mentioned_columns(
        self, node: exp.Expr, scope: Scope, sizes: Mapping[str, InlinedSize]
    ) -> Iterator[tuple[int, InlinedSize]]:
        """Return the columns of an expression: mentions in Spark's text, and inlined size."""
        pending = [(node, 1)]
        while pending:
            part, factor = pending.pop()
            if isinstance(part, exp.Column):
                size = _size_of(part, scope, sizes) or InlinedSize()
                yield factor, size
                continue
            arguments = part.expressions if isinstance(part, exp.Anonymous) else []
            inner = (
                factor * self.mentions(part.name.upper(), len(arguments)) if arguments else factor
            )
            pending += [(child, inner) for child in part.iter_expressions()]

    def _put_barrier(self, size: InlinedSize) -> None:
        """Put a barrier on the items of SELECT lists behind a column."""
        if not self.is_for_spark:
            size.value = 1
            return
        is_refused = self.refusing or any(_is_grouped(maker) for maker in size.makers)
        if is_refused:
            count_repetition(size.value, Repeated.BARRED)
            return
        self.has_barriers = True
        for maker in size.makers:
            maker.meta[_BARRIER] = True
        size.value = 1


def _measure(named: list[tuple[int, InlinedSize]]) -> tuple[int, bool]:
    """Return the inlined size of an expression, and whether the expression needs a barrier.

    Args:
        named: the columns of the expression: mentions in Spark's text, and inlined size.
    """
    total = sum(factor * size.value for factor, size in named)
    plain = sum(factor for factor, _ in named)
    return total, is_too_large(total, plain, max((size.value for _, size in named), default=1))


def _size_of(
    column: exp.Column, scope: Scope, own_sizes: Mapping[str, InlinedSize]
) -> InlinedSize | None:
    """Return the largest inlined size among the columns of a name, or None for size 1."""
    name = fold(fold_identifier(column.this))
    table = column.args.get("table")
    nearest: Scope | None = scope
    sizes: list[InlinedSize] = []
    while nearest is not None and not sizes:
        sizes = [
            source.relation.inlined_sizes[name]
            for source in nearest.sources
            if name in source.relation.inlined_sizes and _is_meant(source, table)
        ]
        nearest = nearest.parent
    if not sizes and table is None and name in own_sizes and not scope.has(name):
        return own_sizes[name]
    return max(sizes, key=lambda each: each.value, default=None)


def _is_grouped(projection: exp.Expr) -> bool:
    """Tell whether an output may be a key: behind a barrier, Spark finds no key of ROLLUP."""
    select = projection.parent
    return isinstance(select, exp.Select) and select.args.get("group") is not None


def _sizes_of_star(projection: exp.Expr, scope: Scope) -> dict[str, InlinedSize]:
    table = projection.args.get("table")
    meant = (source for source in scope.sources if _is_meant(source, table))
    return {name: size for source in meant for name, size in source.relation.inlined_sizes.items()}


def _is_meant(source: FromSource, table: exp.Expr | None) -> bool:
    return table is None or fold(source.alias) == fold(fold_identifier(table))


def unite_inlined_sizes(relations: list[RelationColumns]) -> dict[str, InlinedSize]:
    """Return the inlined sizes of a set operation's columns, by the names in the first query."""
    first, *others = relations
    sizes = dict(first.inlined_sizes)
    for other in others:
        names = list(map(fold, first.columns or ()))
        renamed = other.inlined_sizes if other.columns is None else other.sizes_by_position(names)
        for name, size in renamed.items():
            first_size = sizes.get(name, InlinedSize())
            value = max(first_size.value, size.value)
            sizes[name] = InlinedSize(value, [*first_size.makers, *size.makers])
    return sizes
