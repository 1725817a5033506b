"""What a view gives: its query, over what its names meant when it was made."""

from __future__ import annotations

import functools
import uuid
from collections.abc import Mapping

from icemelt.catalog.records import ReadState, ViewRecord, ViewSource
from icemelt.engine.relations import Lease
from icemelt.errors import ColumnNotFound, ColumnRetyped, ObjectNotFound, QueryError
from icemelt.names import ObjectName, TableName, fold, quote
from icemelt.schema import Column, DataType, Primitive, display, spark
from icemelt.session.columns import find_column
from icemelt.session.core import Core
from icemelt.sql.parse import parse
from icemelt.sql.statements import Query, Select

__all__ = ["in_time_zone", "missing", "names_read", "query_of", "seen", "view_query"]

_ZONE = "spark.sql.session.timeZone"
_PARSED = 1_000


def view_query(
    text: str, columns_of: Mapping[TableName, tuple[Column, ...]], place: TableName
) -> Query:
    """Return a view's query; the names in it that are not full are of the view's schema."""

    def types(name: ObjectName) -> Mapping[str, DataType] | None:
        found = columns_of.get(name.within(place.database, place.schema))
        return None if found is None else {column.name: column.type for column in found}

    statement = parse(text, None, types)
    if not isinstance(statement, Select):
        raise QueryError("A view is a query that reads.", hint="CREATE VIEW v AS SELECT …")
    return statement.query


@functools.lru_cache(_PARSED)
def query_of(view: ViewRecord) -> Query:
    """Return a view's query; it was parsed when the view was made, so it can be again."""
    return view_query(view.query, {each.name: each.columns for each in view.sources}, view.name)


def seen(core: Core, state: ReadState, view: ViewRecord, source: ViewSource, relation: str) -> str:
    """Return a relation as a view sees it: with the columns of when the view was made.

    In the place of one that it does not use, and that is gone, are NULLs.

    Raises:
        ColumnNotFound: a column that it uses is gone.
        ColumnRetyped: a column that it uses has another type.
    """
    columns = core.columns_in(state, source.name) or ()
    shown = []
    for old in source.columns:
        new = find_column(columns, old.name)
        is_same = new is not None and _without_length(new.type) == _without_length(old.type)
        if is_same or fold(old.name) not in source.used:
            value = quote(old.name) if is_same else f"CAST(NULL AS {spark(old.type)})"
            shown.append(f"{value} AS {quote(old.name)}")
        elif new is None:
            raise ColumnNotFound(
                f"View {str(view.name)!r} reads column {old.name!r} of {str(source.name)!r}, "
                "which is not there any more.",
                hint=_remedy(view),
            )
        else:
            raise ColumnRetyped(
                f"Column {old.name!r} of {str(source.name)!r} was {display(old.type)} when view "
                f"{str(view.name)!r} was made, and is {display(new.type)} now.",
                hint=_remedy(view),
            )
    now = [(column.name, _without_length(column.type)) for column in columns]
    if now == [(column.name, _without_length(column.type)) for column in source.columns]:
        return relation
    return f"(SELECT {', '.join(shown) or '1'} FROM {relation})"


def missing(view: ViewRecord, name: TableName) -> ObjectNotFound:
    """Return the error of a view that reads what does not exist."""
    return ObjectNotFound(
        f"View {str(view.name)!r} reads {str(name)!r}, which does not exist.", hint=_remedy(view)
    )


def in_time_zone(core: Core, text: str, zone: str, lease: Lease) -> str:
    """Return a relation of a query that computes in a time zone, whatever the session's is.

    Spark keeps the settings under which a temporary view is made.
    """
    name = f"icemelt_{uuid.uuid4().hex}"
    spark, ours = core.spark, core.settings.timezone
    spark.conf.set(_ZONE, zone)
    try:
        spark.sql(f"CREATE TEMPORARY VIEW {name} AS {text}")
    finally:
        spark.conf.set(_ZONE, ours)
    lease.views.append(name)
    return name


def names_read(state: ReadState, names: frozenset[TableName]) -> frozenset[TableName]:
    """Return the folded names of all that those read, views' sources included."""
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


def _without_length(data_type: DataType) -> DataType:
    return Primitive(data_type.name) if isinstance(data_type, Primitive) else data_type


def _remedy(view: ViewRecord) -> str:
    return f"Bring it back, or CREATE OR REPLACE VIEW {view.name} AS …; SHOW VIEWS has its text."
