"""Weights: as how many columns an output counts once Spark puts expressions for their names.

Spark pushes a filter down through each SELECT below it, and puts for each column the expression
that it stands for. Where every SELECT names a column twice, the filter doubles with each of them.
So each output has a weight: the sum of the weights of the columns that its expression names. One
that is too heavy gets a *barrier*, which Spark pushes nothing through: from there on its weight is
one.

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
from icemelt.spark_sql.barriers import HEAVY, is_heavy
from icemelt.sql.analysis.scopes import Relation, Scope, Source, Weight
from icemelt.sql.dialect.parser import folded
from icemelt.sql.effort import Repeated, repeat

__all__ = ["Mentions", "Weighing", "has_barrier", "united"]

_BARRIER = "barrier"
# parts of a SELECT that become filters, or that filters are pushed through
_CONDITIONS = ("where", "having", "qualify")

Mentions = Callable[[str, int], int]


def has_barrier(projection: exp.Expr) -> bool:
    """Tell whether an output of a SELECT gets a barrier."""
    return bool(projection.meta.get(_BARRIER))


@dataclass(slots=True)
class Weighing:
    """Weighs the columns of one statement's SELECTs.

    `mentions` tells how often Spark's text of a function, of a name and a number of arguments,
    mentions an argument. `heaviest` is the largest weight so far, where each table's column has
    the weight one. `refusing` counts the places around, such as LATERAL, where Spark refuses
    barriers. A query that is lowered, and is not `is_for_spark`, gets its barriers where its
    algebra is rendered.
    """

    mentions: Mentions
    heaviest: int = 1
    refusing: int = 0
    has_barriers: bool = False
    is_for_spark: bool = True

    def lighten(self, select: exp.Select, scope: Scope) -> None:
        """Let the conditions of a SELECT not become too heavy: their columns get barriers."""
        conditions = [select.args.get(part) for part in _CONDITIONS]
        conditions += [join.args.get("on") for join in select.args.get("joins") or ()]
        named = [
            (factor, weight)
            for condition in conditions
            if condition is not None
            for factor, weight in self._named(condition, scope, {})
        ]
        found = sum(factor * weight.value for factor, weight in named)
        plain = sum(factor for factor, _ in named)
        self.heaviest = max(self.heaviest, min(found, HEAVY))
        if is_heavy(found, plain, max((weight.value for _, weight in named), default=1)):
            for _, weight in named:
                self._bar(weight)

    def refuse_query(self) -> None:
        """Let a query of WITH be read, but in LATERAL where it may have barriers.

        Raises:
            NotYet: Spark would refuse the barriers there.
        """
        if self.refusing and self.has_barriers:
            raise NotYet(
                "LATERAL reads a query of WITH whose columns repeat each other.",
                hint="Store the rows of that query in a table.",
            )

    @contextlib.contextmanager
    def without_barriers(self) -> Iterator[None]:
        """Weigh in the block what Spark takes no barriers in: they count, and are refused."""
        self.refusing += 1
        try:
            yield
        finally:
            self.refusing -= 1

    def outputs(self, projections: Iterable[exp.Expr], scope: Scope) -> dict[str, Weight]:
        """Return the weights of a SELECT's columns by folded name; those of weight one may lack.

        A projection may use the aliases of those before it.
        """
        found: dict[str, Weight] = {}
        for projection in projections:
            star = projection.this if isinstance(projection, exp.Column) else projection
            if isinstance(star, exp.Star):
                found |= _of_star(projection, scope)
                continue
            if isinstance(projection, exp.Column):
                weight = _weight_of(projection, scope, found)
                if weight is not None:
                    found[fold(folded(projection.this))] = weight
                continue
            # an expression without a name has got one meanwhile
            named = projection if isinstance(projection, exp.Alias) else projection.parent
            if isinstance(named, exp.Alias):
                found[fold(folded(named.args["alias"]))] = self._computed(named, scope, found)
        return found

    def _computed(self, projection: exp.Expr, scope: Scope, made: Mapping[str, Weight]) -> Weight:
        named = list(self._named(projection, scope, made))
        total = sum(factor * weight.value for factor, weight in named)
        plain = sum(factor for factor, _ in named)
        weight = Weight(max(total, 1), [projection])
        if is_heavy(total, plain, max((each.value for _, each in named), default=1)):
            self._bar(weight)
        self.heaviest = max(self.heaviest, weight.value)
        return weight

    def _named(
        self, node: exp.Expr, scope: Scope, made: Mapping[str, Weight]
    ) -> Iterator[tuple[int, Weight]]:
        """Return the columns in an expression: how often Spark's text has each, and its weight."""
        pending = [(node, 1)]
        while pending:
            part, factor = pending.pop()
            if isinstance(part, exp.Column):
                weight = _weight_of(part, scope, made) or Weight()
                yield factor, weight
                continue
            arguments = part.expressions if isinstance(part, exp.Anonymous) else []
            inner = (
                factor * self.mentions(part.name.upper(), len(arguments)) if arguments else factor
            )
            pending += [(child, inner) for child in part.iter_expressions()]

    def _bar(self, weight: Weight) -> None:
        """Put a barrier where a column is computed."""
        if not self.is_for_spark:
            weight.value = 1
            return
        is_refused = self.refusing or any(_is_grouped(maker) for maker in weight.makers)
        if is_refused:
            repeat(weight.value, Repeated.BARRED)
            return
        self.has_barriers = True
        for maker in weight.makers:
            maker.meta[_BARRIER] = True
        weight.value = 1


def _weight_of(column: exp.Column, scope: Scope, made: Mapping[str, Weight]) -> Weight | None:
    """Return the weight of what a column may mean: the heaviest, None where all are light."""
    name = fold(folded(column.this))
    table = column.args.get("table")
    around: Scope | None = scope
    found: list[Weight] = []
    while around is not None and not found:
        found = [
            source.relation.weights[name]
            for source in around.sources
            if name in source.relation.weights and _is_meant(source, table)
        ]
        around = around.parent
    if not found and table is None and name in made and not scope.has(name):
        return made[name]
    return max(found, key=lambda each: each.value, default=None)


def _is_grouped(projection: exp.Expr) -> bool:
    """Tell whether an output may be a key, which Spark finds behind a barrier in no ROLLUP."""
    select = projection.parent
    return isinstance(select, exp.Select) and select.args.get("group") is not None


def _of_star(projection: exp.Expr, scope: Scope) -> dict[str, Weight]:
    table = projection.args.get("table")
    meant = (source for source in scope.sources if _is_meant(source, table))
    return {name: weight for source in meant for name, weight in source.relation.weights.items()}


def _is_meant(source: Source, table: exp.Expr | None) -> bool:
    return table is None or fold(source.alias) == fold(folded(table))


def united(relations: list[Relation]) -> dict[str, Weight]:
    """Return the weights of a set operation's columns, by the names of the first of its queries."""
    first, *others = relations
    weights = dict(first.weights)
    for other in others:
        names = list(map(fold, first.columns or ()))
        renamed = other.weights if other.columns is None else other.positioned(names)
        for name, weight in renamed.items():
            mine = weights.get(name, Weight())
            value = max(mine.value, weight.value)
            weights[name] = Weight(value, [*mine.makers, *weight.makers])
    return weights
