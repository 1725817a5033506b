"""Reading a view: the parsed query, and checks that the objects under the view are unchanged.

A view keeps the names and the columns that its query meant when CREATE VIEW ran.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame

from icemelt.catalog.records import ReadState, TableRecord, ViewRecord, ViewSource
from icemelt.engine.resources import StatementResources
from icemelt.errors import (
    ColumnNotFound,
    ColumnRetyped,
    DefinitionRefused,
    NotYet,
    ObjectNotFound,
    QueryError,
    WrongObjectKind,
)
from icemelt.names import ObjectName, TableName, fold
from icemelt.quoting import quote
from icemelt.schema import Column, DataType, Primitive, spark_type, sql_type
from icemelt.session.runtime.columns import find_column
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.spark_sql import run_sql
from icemelt.spark_sql.barriers import is_too_large
from icemelt.sql.parse import parse_statement
from icemelt.sql.statements import Query, Select

__all__ = [
    "adapt_relation",
    "columns_as_made",
    "in_time_zone",
    "inlined_size_of",
    "names_read",
    "names_under",
    "null",
    "query_of",
    "refuse_cycle",
    "refuse_many_reads",
    "refuse_missing",
    "tables_under",
    "try_in_time_zone",
    "view_query",
]

_PARSED = 1_000
# as many as a FROM has at most
_MOST_READS = 1_000


def view_query(
    text: str, columns_of: Mapping[TableName, tuple[Column, ...]], place: TableName
) -> Query:
    """Return a parsed query of a view; short names belong to the schema of the view."""

    def types(name: ObjectName) -> Mapping[str, DataType] | None:
        found = columns_of.get(name.within(place.database, place.schema))
        return None if found is None else {column.name: column.type for column in found}

    statement = parse_statement(text, None, types)
    if not isinstance(statement, Select):
        raise QueryError("A view is a query that reads.", hint="CREATE VIEW v AS SELECT …")
    return statement.query


@functools.lru_cache(_PARSED)
def query_of(view: ViewRecord) -> Query:
    """Return the parsed query of a view; CREATE VIEW has parsed the same text."""
    return view_query(view.query, {each.name: each.columns for each in view.sources}, view.name)


def columns_as_made(
    core: Core, state: ReadState, view: ViewRecord, source: ViewSource
) -> tuple[tuple[Column, bool], ...]:
    """Return the columns of a source at CREATE VIEW, each with whether the column still exists.

    A column that the view does not use may be gone.

    Raises:
        ColumnNotFound: a column that it uses is gone.
        ColumnRetyped: a column that it uses has another type.
    """
    columns = core.columns_in(state, source.name) or ()
    found = []
    for old in source.columns:
        new = find_column(columns, old.name)
        is_same = new is not None and _without_length(new.type) == _without_length(old.type)
        if is_same or fold(old.name) not in source.used:
            found.append((old, is_same))
        elif new is None:
            raise ColumnNotFound(
                f"View {str(view.name)!r} reads column {old.name!r} of {str(source.name)!r}, "
                "which is not there any more.",
                hint=_remedy(view),
            )
        else:
            raise ColumnRetyped(
                f"Column {old.name!r} of {str(source.name)!r} was {sql_type(old.type)} when view "
                f"{str(view.name)!r} was made, and is {sql_type(new.type)} now.",
                hint=_remedy(view),
            )
    return tuple(found)


def adapt_relation(
    core: Core, state: ReadState, view: ViewRecord, source: ViewSource, relation: str
) -> str:
    """Return a relation with the columns that the source had when the view was made.

    A column that is gone is NULL.

    Raises:
        ColumnNotFound: a column that it uses is gone.
        ColumnRetyped: a column that it uses has another type.
    """
    columns = columns_as_made(core, state, view, source)
    now = [column.name for column in core.columns_in(state, source.name) or ()]
    if now == [column.name for column, is_there in columns if is_there]:
        return relation
    values = [
        f"{quote(old.name) if is_there else null(old)} AS {quote(old.name)}"
        for old, is_there in columns
    ]
    return f"(SELECT {', '.join(values) or '1'} FROM {relation})"


def null(column: Column) -> str:
    """Return a NULL of a column's type."""
    return f"CAST(NULL AS {spark_type(column.type)})"


def refuse_missing(core: Core, state: ReadState, view: ViewRecord, name: TableName) -> None:
    """Require that an object under a view exists, and is the one that the view means.

    Raises:
        ObjectNotFound: the object does not exist.
        WrongObjectKind: a temporary table hides the object.
    """
    if core.columns_in(state, name) is None:
        raise ObjectNotFound(
            f"View {str(view.name)!r} reads {str(name)!r}, which does not exist.",
            hint=_remedy(view),
        )
    table = state.tables.get(name)
    if table is not None and table.session_id is not None:
        raise WrongObjectKind(
            f"View {str(view.name)!r} reads table {str(name)!r}, which a temporary table of this "
            "session hides.",
            hint=f"Drop the temporary one: DROP TABLE {name}",
        )


def refuse_cycle(view: ViewRecord, inside: tuple[ViewRecord, ...]) -> None:
    """Refuse to expand a view inside itself; `inside` are the outer views, outermost first.

    Raises:
        DefinitionRefused: the view reads itself.
    """
    if any(each.object_id == view.object_id for each in inside):
        raise DefinitionRefused(
            f"View {str(view.name)!r} reads itself, through {str(inside[-1].name)!r}.",
            hint=f"CREATE OR REPLACE VIEW {inside[-1].name} AS … with another query, or rename it.",
        )


def refuse_many_reads(state: ReadState, view: ViewRecord, query: Query) -> None:
    """Refuse a view whose nested views double the tables to read from level to level.

    Raises:
        NotYet: the query reads more tables than Spark can plan, nested views expanded.
    """
    known: dict[str, int] = {}

    def reads(view: ViewRecord, query: Query) -> int:
        # one that reads itself is refused where it is expanded
        known[view.object_id] = 1
        count = 0
        for each in query.references:
            full = each.name.within(view.name.database, view.name.schema)
            nested = state.views.get(full)
            if nested is None:
                count += 1
                continue
            if nested.object_id not in known:
                reads(nested, query_of(nested))
            count += known[nested.object_id]
        known[view.object_id] = count
        return count

    found = reads(view, query)
    if found > _MOST_READS:
        raise NotYet(
            f"View {str(view.name)!r} reads {found:,} tables, with those that its views read: "
            f"{_MOST_READS:,} are as many as may be.",
            hint="Store the rows of one that is read several times in a table.",
        )


def inlined_size_of(state: ReadState, view: ViewRecord, known: dict[str, int]) -> int:
    """Return the inlined size of a view's largest column, where a column of a table counts as one.

    A nested view that is too large for the query around stands behind a barrier.

    Args:
        state: the objects that the names in the queries of views mean.
        view: the view.
        known: the sizes measured so far, by view id; the view and its nested views are added.
    """
    if view.object_id not in known:
        # one that reads itself is refused where it is expanded
        known[view.object_id] = 1
        query, largest = query_of(view), 1
        for each in query.references:
            nested = state.views.get(each.name.within(view.name.database, view.name.schema))
            if nested is None:
                continue
            inner = inlined_size_of(state, nested, known)
            if not is_too_large(inner * query.inlined_size, query.inlined_size, inner):
                largest = max(largest, inner)
        known[view.object_id] = query.inlined_size * largest
    return known[view.object_id]


def in_time_zone(core: Core, text: str, zone: str, resources: StatementResources) -> str:
    """Return a relation of a query that Spark analyses in a time zone other than the session's."""
    with core.in_zone(zone):
        return resources.create_view(run_sql(core, text))


def try_in_time_zone(
    core: Core, query: str, zone: str, resources: StatementResources
) -> str | None:
    """Return a relation of a query analysed in a time zone, or None if Spark refuses the query."""
    with core.in_zone(zone):
        frame = _unless_refused(core, query)
    return None if frame is None else resources.create_view(frame)


def names_read(state: ReadState, names: frozenset[TableName]) -> frozenset[TableName]:
    """Return the folded names of some objects and of everything under the views among them."""
    found: set[TableName] = set()
    pending = list(names)
    while pending:
        name = pending.pop()
        if name.folded in found:
            continue
        found.add(name.folded)
        view = state.views.get(name)
        pending += [] if view is None else [source.name for source in view.sources]
    return frozenset(found)


def names_under(state: ReadState, view: ViewRecord) -> list[TableName]:
    """Return the names of all objects under a view, nested views and their sources included."""
    found = [source.name for source in view.sources]
    for name in found:
        nested = state.views.get(name)
        if nested is not None:
            found += [each.name for each in nested.sources if each.name not in found]
    return list(dict.fromkeys(found))


def tables_under(state: ReadState, view: ViewRecord) -> list[TableRecord]:
    """Return the tables under a view and under its nested views, without duplicates."""
    named = (state.tables.get(name) for name in names_under(state, view))
    return list({table.object_id: table for table in named if table is not None}.values())


def _unless_refused(core: Core, query: str) -> DataFrame | None:
    """Return a query as a data frame, or None if Spark cannot analyse the query."""
    try:
        return run_sql(core, query)
    except AnalysisException:
        return None


def _without_length(data_type: DataType) -> DataType:
    return Primitive(data_type.name) if isinstance(data_type, Primitive) else data_type


def _remedy(view: ViewRecord) -> str:
    return f"Bring it back, or CREATE OR REPLACE VIEW {view.name} AS …; SHOW VIEWS has its text."
