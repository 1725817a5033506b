"""The rows of views: a view's query, with a relation in the place of each thing that it reads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from icemelt.algebra.column_pruning import prune_columns
from icemelt.algebra.identity import make_deterministic
from icemelt.algebra.nodes import BothEndsScan, Delta, Scan, Shared
from icemelt.catalog.records import ReadState, TableRecord, ViewRecord
from icemelt.engine.resources import StatementResources
from icemelt.errors import UnsupportedError
from icemelt.names import TableName
from icemelt.quoting import quote
from icemelt.schema import Column, Primitive, spark_type
from icemelt.session.runtime.core import Core
from icemelt.session.timeline.context import in_context
from icemelt.session.views.algebra import algebra_of, leaves_choice
from icemelt.session.views.reading import (
    adapt_relation,
    in_time_zone,
    inlined_size_of,
    names_under,
    query_of,
    refuse_cycle,
    refuse_many_reads,
    refuse_missing,
    tables_under,
    try_in_time_zone,
)
from icemelt.spark_sql.barriers import add_barrier, is_too_large
from icemelt.spark_sql.rendering import render_relation
from icemelt.sql.effort import check_cancellation
from icemelt.sql.statements import Query, Select, TableReference

__all__ = ["Expansion"]


@dataclass(frozen=True, slots=True)
class Expansion:
    """Expands the views of a state.

    `relation` gives the relation of what a view reads under a full name; it gets the expansion as
    it is there. `inside` are the views that are being expanded, outermost first. `identified` gives
    the rows of a table with their identity, for an outermost view, None where they have none;
    without it Spark makes choices among equal rows. `inlined_size` is that of the query around,
    `sizes` are those of views that were expanded before.
    """

    core: Core
    state: ReadState
    resources: StatementResources
    relation: Callable[[TableName, TableReference, Expansion], str]
    inside: tuple[ViewRecord, ...] = ()
    identified: Callable[[TableRecord, ViewRecord], str | None] | None = None
    inlined_size: int = 1
    sizes: dict[str, int] = field(default_factory=dict)

    def rows(self, view: ViewRecord) -> str:
        """Return the relation of a view's rows, with the view's columns.

        Raises:
            DefinitionRefused: the view came to read itself.
        """
        around = self.inside
        refuse_cycle(view, around)
        chosen = self._certain(view)
        if chosen is not None:
            return chosen
        query = query_of(view)
        text = replace(self, inside=(*around, view), inlined_size=query.inlined_size).text(
            view, query
        )
        names = ", ".join(quote(column.name) for column in view.columns)
        own = inlined_size_of(self.state, view, self.sizes)
        is_barred = is_too_large(own * self.inlined_size, self.inlined_size, own)
        shown = ", ".join(map(_barred_column if is_barred else _stored_column, view.columns))
        relation = f"(SELECT {shown} FROM ({text}) AS `icemelt_view`({names}))"
        zone = around[-1].time_zone if around else self.core.settings.timezone
        if view.time_zone == zone:
            return relation
        return in_time_zone(self.core, relation, view.time_zone, self.resources)

    def _certain(self, view: ViewRecord) -> str | None:
        """Return the rows of a view whose query makes choices, made as in its changes.

        None where there is no choice, or there are no changes, or Spark cannot order such rows.
        """
        state, identified = self.state, self.identified
        if identified is None or not leaves_choice(view):
            return None
        if any(name in state.streams for name in names_under(state, view)):
            return None
        try:
            relation = algebra_of(self.core, state, view)
        except UnsupportedError:
            return None
        outermost = (*self.inside, view)[0]
        tables = {each.object_id: each for each in tables_under(state, view)}
        rows = {name: identified(table, outermost) for name, table in tables.items()}
        if None in rows.values():
            return None

        def read(leaf: Scan | Delta | BothEndsScan | Shared) -> str:
            assert isinstance(leaf, Scan)  # noqa: S101 - a query has no other leaf
            return rows[leaf.source] or ""

        shown = ", ".join(f"c{at} AS {quote(each.name)}" for at, each in enumerate(view.columns))
        below = render_relation(prune_columns(make_deterministic(relation)), read)
        query = f"SELECT {shown} FROM ({below})"
        return try_in_time_zone(self.core, query, view.time_zone, self.resources)

    def text(self, view: ViewRecord, query: Query) -> str:
        """Return a view's query for Spark.

        Raises:
            ObjectNotFound: something that it reads does not exist.
            ColumnNotFound: a column that it reads is gone.
            ColumnRetyped: a column that it reads has another type.
        """
        check_cancellation()
        core, state = self.core, self.state
        if len(self.inside) <= 1:
            refuse_many_reads(state, view, query)
        statement = in_context(core, Select(query), state.now)
        filled = statement.query if isinstance(statement, Select) else query
        sources = {source.name: source for source in view.sources}
        relations = {}
        for reference in filled.references:
            full = reference.name.within(view.name.database, view.name.schema)
            refuse_missing(core, state, view, full)
            relation = self.relation(full, reference, self)
            relations[reference.slot] = adapt_relation(core, state, view, sources[full], relation)
        return filled.bind(relations)


def _stored_column(column: Column) -> str:
    """Return a column in the type as which it is stored, where Spark's may be a narrower one."""
    name = quote(column.name)
    if isinstance(column.type, Primitive) and column.type.name in {"long", "double", "string"}:
        return f"CAST({name} AS {spark_type(column.type)}) AS {name}"
    return name


def _barred_column(column: Column) -> str:
    """Return a column in its type, behind a barrier."""
    name = quote(column.name)
    return f"{add_barrier(f'CAST({name} AS {spark_type(column.type)})')} AS {name}"
