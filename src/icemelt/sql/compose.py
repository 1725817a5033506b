"""Turn the parsed trees of one statement into Spark SQL, or into algebra for a view's changes."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace

from sqlglot import exp
from sqlglot.tokenizer_core import Token

from icemelt.algebra.nodes import Relation as AlgebraRelation
from icemelt.errors import QueryError
from icemelt.names import ObjectName, fold
from icemelt.quoting import quote
from icemelt.sql.analysis.dynamic_pivots import FoundValues, write_out_pivots
from icemelt.sql.analysis.inlining import Inlining
from icemelt.sql.analysis.parameters import Parameters
from icemelt.sql.analysis.points import Points
from icemelt.sql.analysis.query_parts import compose_parts, find_parts
from icemelt.sql.analysis.resolution import Resolution
from icemelt.sql.analysis.scopes import ColumnsOf, FromSource, RelationColumns, Scope
from icemelt.sql.analysis.shape import SelectShaper
from icemelt.sql.analysis.slots import StatementSlots, free_prefix
from icemelt.sql.lowering.context import Ordering
from icemelt.sql.lowering.queries import lower_query
from icemelt.sql.lowering.reasons import SPARKS_VOLATILE, unsupported_error
from icemelt.sql.spark.functions import count_mentions
from icemelt.sql.spark.generator import Generator
from icemelt.sql.statements import DividedQuery, PivotValues, Point, Query, TableReference

__all__ = ["Composer", "LoweredQuery"]


@dataclass(frozen=True, slots=True)
class LoweredQuery:
    """A query as algebra.

    The query's changes are certain only if the orders of `orderings` are total.

    Attributes:
        relation: the rows.
        names: the names of the columns.
        query: the tables and context values that the query reads; its text is empty.
        orderings: the inputs of LIMIT, whose ORDER BY has to be total.
    """

    relation: AlgebraRelation
    names: tuple[str, ...]
    query: Query
    orderings: tuple[Ordering, ...] = ()


class Composer:
    """Turns the parsed trees of one statement into Spark SQL, or one query into algebra.

    Slots are unique in the statement. A composer that has lowered a query composes no SQL
    afterwards: the SQL would lack barriers.
    """

    def __init__(
        self,
        text: str,
        tokens: Sequence[Token],
        parameters: Parameters,
        columns_of: ColumnsOf | None = None,
    ) -> None:
        """Start a statement.

        Args:
            text: the text of the statement.
            tokens: the tokens of the text.
            parameters: the values of the placeholders.
            columns_of: a function that returns the columns of a table; None where the caller knows
                none.
        """
        strings = [token.text for token in tokens] + parameters.strings()
        self._begin_anew = functools.partial(Composer, text, tokens, parameters, columns_of)
        self.slots = StatementSlots(free_prefix([text, *strings]))
        self._columns_of = columns_of
        self._generator = Generator(self.slots)
        self._points = Points(text, self._generator.text)
        self._inlining = Inlining(count_mentions)
        shape = SelectShaper(self.slots)
        self._resolution = Resolution(self.slots, self._points, columns_of, shape, self._inlining)

    def compose_query(self, node: exp.Expr) -> Query:
        """Return a query with all references of the statement so far."""
        self._resolution.compares_reads_later = True
        resolved, _ = self.resolve(node, Scope())
        self._resolution.compares_reads_later = False
        parts = find_parts(resolved)
        if parts:
            return self.finish_query(*compose_parts(resolved, parts, self.render))
        self._resolution.require_few_reads()
        return self.finish_query(self.render(resolved))

    def lower(self, node: exp.Expr) -> LoweredQuery:
        """Return a query as algebra, after the query's names are resolved.

        The composer composes no SQL afterwards.

        Raises:
            UnsupportedError: the query has a part without changes.
        """
        self._inlining.is_for_spark = False
        # a query of WITH is one node of the algebra, however many read the query
        self._resolution.compares_reads_later = True
        node, _ = self.resolve(node, Scope())
        columns_by_slot, first_slots = {}, {}
        slot_of: dict[TableReference, str] = {}
        for reference in self.slots.references:
            mention = replace(reference, slot="")
            first_slots[reference.slot] = slot_of.setdefault(mention, reference.slot)
            columns = self._columns_of(reference.name) if self._columns_of is not None else None
            columns_by_slot[reference.slot] = columns or {}
        named, orderings = lower_query(
            node, columns_by_slot, first_slots, self.slots.prefix, self._generator.text
        )
        if self.slots.context or self._generator.passed_on & SPARKS_VOLATILE:
            raise unsupported_error("volatile")
        return LoweredQuery(named.relation, named.names, self.finish_query(""), orderings)

    def finish_query(self, text: str, divided: DividedQuery | None = None) -> Query:
        """Return a `Query` of a text, with the statement's references and context values so far.

        `divided` is the same query in parts.
        """
        functions = frozenset(self._generator.passed_on)
        inlined_size = self._inlining.largest
        references = tuple(
            replace(each, conditions=tuple(map(self.render, self.slots.conditions_of(each.slot))))
            for each in self.slots.references
        )
        return Query(
            text,
            references,
            self.slots.context,
            functions,
            inlined_size,
            tuple(self.slots.user_functions),
            divided,
        )

    def resolve(self, node: exp.Expr, scope: Scope) -> tuple[exp.Expr, RelationColumns]:
        """Resolve the names of a query; return what stands in its place, and its columns."""
        write_out_pivots(node, self._find_values)
        # a SELECT may come in the place of a set operation
        around = exp.Paren(this=node) if isinstance(node, exp.SetOperation) else None
        relation: RelationColumns = self._resolution.resolve_query(node, scope)
        return node if around is None else around.this, relation

    def resolve_source(self, node: exp.Expr, scope: Scope) -> exp.Expr:
        """Resolve an entry of FROM, add the entry to the scope, and return the entry."""
        write_out_pivots(node, self._find_values)
        around = exp.From(this=node)
        self._resolution.resolve_source(node, scope)
        entry: exp.Expr = around.this
        return entry

    def without_barriers(self) -> AbstractContextManager[None]:
        """Return a block without barriers, which Spark refuses in DELETE, UPDATE and MERGE."""
        return self._inlining.without_barriers()

    @contextlib.contextmanager
    def writing_values(self) -> Iterator[None]:
        """Give a block whose expressions are values that a MERGE or UPDATE writes into rows."""
        self._resolution.writes_values = True
        try:
            yield
        finally:
            self._resolution.writes_values = False

    def resolve_expression(self, node: exp.Expr, scope: Scope) -> exp.Expr:
        """Resolve the names of an expression in a scope, and return the expression."""
        return self._resolve_inside(exp.Paren(this=node), scope)

    def resolve_condition(self, node: exp.Expr, scope: Scope) -> exp.Expr:
        """Resolve the names of a condition, where a number is one as in the WHERE of a SELECT."""
        return self._resolve_inside(exp.Where(this=node), scope)

    def compose_expression(self, node: exp.Expr, scope: Scope | None = None) -> str:
        """Return an expression as text, after the expression's names are resolved in a scope."""
        return self.render(self.resolve_expression(node, scope or Scope()))

    def compose_point(self, node: exp.Expr) -> Point:
        """Return a point that stands outside of a query's tables."""
        return self._points.read_point(node)

    def make_target_scope(self, name: ObjectName, alias: str) -> Scope:
        """Return a scope with the target of a write under an alias."""
        columns = self._columns_of(name) if self._columns_of is not None else None
        relation = RelationColumns(None if columns is None else dict(columns))
        path = name.parts if alias == name.last else ()
        return Scope(sources=[FromSource(alias, relation, path, key=self.slots.new_entry_key())])

    def make_comparison_scope(self, target: FromSource, others: Sequence[FromSource]) -> Scope:
        """Return a scope with the target of a write and the sources to compare with it.

        A source gets a hidden alias where a column of the other side has the source's name.

        Raises:
            QueryError: a source has the target's name.
        """
        for other in others:
            if other.alias and fold(other.alias) == fold(target.alias):
                hint = "Give what is read another name: USING … AS s."
                raise QueryError(f"{other.alias!r} is more than one table here.", hint=hint)
            if other.may_have(target.alias):
                self.slots.hide_entry(target.key)
            if other.alias and target.may_have(other.alias):
                self.slots.hide_entry(other.key)
        return Scope(sources=[target, *others], compares=True)

    def quote_alias(self, source: FromSource) -> str:
        """Return the alias of a source in Spark SQL."""
        return quote(self.slots.alias_of_entry(source.key, source.alias))

    def render(self, node: exp.Expr) -> str:
        """Return the Spark SQL of a resolved tree."""
        return self._generator.text(node)

    def _find_values(self, node: exp.Expr) -> FoundValues | None:
        """Return the values in the rows of a query; None where the caller runs no queries."""
        if self._columns_of is None:
            return None
        query = self._begin_anew().compose_query(node)
        found = self._columns_of(PivotValues(query))
        return found if isinstance(found, FoundValues) else None

    def _resolve_inside(self, around: exp.Expr, scope: Scope) -> exp.Expr:
        # Spark's DELETE, UPDATE and MERGE refuse barriers
        with self.without_barriers():
            self._resolution.resolve_expression(around, scope)
        inner: exp.Expr = around.this
        return inner
