"""Find the objects of schemas by name, as of now or of an earlier moment."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

import sqlalchemy as sa

from icemelt.catalog.batches import split_values
from icemelt.catalog.database import Database
from icemelt.catalog.defined_records import DefinedRecord, ExternalTableRecord, StageRecord
from icemelt.catalog.model import streams
from icemelt.catalog.queries.definitions import defined_query, defined_record
from icemelt.catalog.queries.dependencies import reached_views
from icemelt.catalog.queries.information_schema import find_relations
from icemelt.catalog.queries.look_ups import IS_MINE, IS_PERMANENT, TIME, LookUp, alive
from icemelt.catalog.queries.pinning import table_at
from icemelt.catalog.queries.reading import (
    database_row,
    schema_row,
    table_record,
    table_row,
    tables_query,
)
from icemelt.catalog.queries.streams import make_streams, streams_query
from icemelt.catalog.queries.views import ViewQueries, read_views, view_queries
from icemelt.catalog.records import (
    CatalogState,
    FileOwner,
    Moment,
    SchemaObject,
    StreamRecord,
    TableRecord,
    ViewRecord,
)
from icemelt.names import QualifiedName, fold

__all__ = [
    "find_defined",
    "find_objects",
    "find_refreshing",
    "find_streams",
    "find_views",
    "read_state",
    "stream_name",
]


_Defined = TypeVar("_Defined", bound=DefinedRecord)


def read_state(
    connection: sa.Connection,
    database: Database,
    names: Iterable[QualifiedName] = (),
    session_id: str = "",
    *,
    as_of: Moment | None = None,
) -> CatalogState:
    """Return the moment, the clock and the named objects that exist, all of one state.

    The sources of a view are looked up in the same read, through all nested views. A temporary
    table of the session hides a permanent table of the same name.

    Args:
        connection: a connection to the catalog's database.
        database: the catalog's database.
        names: the full names of the objects.
        session_id: the session whose temporary tables are visible.
        as_of: None for now. At an earlier moment tables have their versions of then, and streams
            their frontiers of then. The session's own temporary tables are always as of now.
    """
    last = database.read_lake(connection).last
    moment = last if as_of is None else as_of
    look_up = LookUp(connection, database, session_id, moment, as_of)
    return CatalogState(moment, database.now(connection, last), find_objects(look_up, names))


def find_objects(
    look_up: LookUp, names: Iterable[QualifiedName]
) -> dict[QualifiedName, SchemaObject]:
    """Return the named objects that exist, and the sources of the views among the objects.

    Args:
        look_up: the connection, the session and the moment.
        names: the full names of the objects.
    """
    pending = list(dict.fromkeys(names))
    objects: dict[QualifiedName, SchemaObject] = {**find_relations(look_up, pending)}
    pending = [name for name in pending if name not in objects]
    known = set(pending)
    found = _find_all(look_up, list(dict.fromkeys(name.folded for name in pending)))
    for name in pending:
        record = found.get(name.folded)
        if record is not None:
            objects[name] = record
        if isinstance(record, ViewRecord):
            further = [each.name for each in record.sources if each.name not in known]
            known.update(further)
            objects |= find_relations(look_up, further)
            pending += [name for name in dict.fromkeys(further) if name not in objects]
    return objects


def find_streams(
    connection: sa.Connection,
    database: Database,
    *,
    within: tuple[str | None, str | None] = (None, None),
) -> list[StreamRecord]:
    """Return the live streams of a database and schema, ordered by name.

    Args:
        connection: a connection to the catalog's database.
        database: the catalog's database.
        within: the names of a database and of a schema, None for all.
    """
    query = streams_query().where(*_live_within(within))
    order = (database_row.c.folded, schema_row.c.folded, table_row.c.folded)
    rows = connection.execute(query.order_by(*order)).all()
    now = database.read_lake(connection).last
    return make_streams(LookUp(connection, database, "", now, None), rows)


def find_views(
    connection: sa.Connection, *, within: tuple[str | None, str | None] = (None, None)
) -> list[ViewRecord]:
    """Return the live views of a database and schema (None: of all), ordered by name."""
    order = (database_row.c.folded, schema_row.c.folded, table_row.c.folded)
    return read_views(connection, view_queries(*_live_within(within), order=order))


def find_defined(
    connection: sa.Connection,
    kind: type[_Defined],
    *,
    within: tuple[str | None, str | None] = (None, None),
    session_id: str = "",
) -> list[_Defined]:
    """Return the live objects of a kind with a definition, ordered by name.

    Args:
        connection: a connection to the catalog's database.
        kind: the record class of the kind.
        within: the names of a database and of a schema, None for all.
        session_id: the session whose temporary objects are included.
    """
    order = (database_row.c.folded, schema_row.c.folded, table_row.c.folded)
    visible = sa.or_(IS_PERMANENT, table_row.c.session_id == session_id)
    conditions = (table_row.c.kind == kind.kind, visible, *_live_within(within))
    rows = connection.execute(defined_query().where(*conditions).order_by(*order))
    found = map(defined_record, rows)
    return [record for record in found if isinstance(record, kind)]


def find_refreshing(connection: sa.Connection) -> list[FileOwner]:
    """Return the live stages and external tables whose files are listed in the background."""
    stages = find_defined(connection, StageRecord)
    owners: list[FileOwner] = [stage for stage in stages if stage.has_directory]
    owners += find_defined(connection, ExternalTableRecord)
    return [owner for owner in owners if owner.refreshes_itself]


def _live_within(within: tuple[str | None, str | None]) -> list[sa.ColumnElement[bool]]:
    """Return the conditions for the live objects of a database and schema (None: of all)."""
    conditions: list[sa.ColumnElement[bool]] = [table_row.c.dropped_at.is_(None)]
    for alias, name in zip((database_row, schema_row), within, strict=True):
        if name is not None:
            conditions.append(alias.c.folded == fold(name))
    return conditions


def stream_name(connection: sa.Connection, stream_id: str) -> QualifiedName:
    """Return the full name of a stream, live or dropped."""
    row = connection.execute(streams_query().where(streams.c.stream_id == stream_id)).one()
    return QualifiedName(row.database_name, row.schema_name, row.name)


def _find_all(at: LookUp, names: Sequence[QualifiedName]) -> dict[QualifiedName, SchemaObject]:
    """Return the objects with some folded names, and the sources of the views among the objects.

    The number of queries depends on the kinds of objects found, and on the number of objects by
    hundreds: the most frequent kind, tables, is looked up first. A temporary table hides a stream
    or a view. What has a name space of its own, as a task, has a definition.
    """
    own = [name for name in names if name.space]
    shared = [name for name in names if not name.space]
    tables = _find_tables(at, shared)
    streams_found = _find_streams(at, [name for name in shared if name not in tables])
    others = [name for name in shared if name not in tables and name not in streams_found]
    views = _find_views(at, others)
    read = {source.name.folded for view in views.values() for source in view.sources}
    under = [name for name in read if name not in tables and name not in streams_found]
    tables |= _find_tables(at, under)
    streams_found |= _find_streams(
        at, [name for name in under if name not in tables and name not in views]
    )
    found: dict[QualifiedName, SchemaObject] = {**views, **streams_found, **tables}
    defined = _find_defined(at, [*own, *(n for n in (*others, *under) if n not in found)])
    return {**defined, **found}


def _find_tables(at: LookUp, names: Sequence[QualifiedName]) -> dict[QualifiedName, TableRecord]:
    """Return the tables with some folded names; a temporary table hides a permanent table."""
    query = (_tables_now if at.as_of is None else _tables_then)(at.database.catalog_name)
    found: dict[QualifiedName, TableRecord] = {}
    for row in _rows_named(at, query, names, {"session_id": at.session_id}):
        table: TableRecord | None = table_record(row)
        folded = QualifiedName(row.folded_database, row.folded_schema, row.folded)
        if folded in found:
            continue
        if at.as_of is not None and row.session_id is None:
            table = table_at(at.connection, table_record(row), at.as_of)
        if table is not None:
            found[folded] = table
    return found


# Building a query takes longer than its answer from SQLite: every query is built once.


_NAMED = sa.tuple_(database_row.c.folded, schema_row.c.folded, table_row.c.folded).in_(
    sa.bindparam("names", expanding=True)
)
_FOLDED = (
    database_row.c.folded.label("folded_database"),
    schema_row.c.folded.label("folded_schema"),
)


@functools.cache
def _tables_now(catalog_name: str) -> sa.Select[Any]:
    visible = sa.or_(IS_MINE, IS_PERMANENT)
    query = tables_query(catalog_name).add_columns(*_FOLDED)
    return query.where(_NAMED, visible, *alive(pinned=False)).order_by(IS_PERMANENT)


@functools.cache
def _tables_then(catalog_name: str) -> sa.Select[Any]:
    mine = sa.and_(IS_MINE, *alive(pinned=False))
    permanent = sa.and_(IS_PERMANENT, *alive(pinned=True))
    query = tables_query(catalog_name).add_columns(*_FOLDED)
    return query.where(_NAMED, sa.or_(mine, permanent)).order_by(IS_PERMANENT)


@functools.cache
def _views_named(*, pinned: bool) -> ViewQueries:
    reached = reached_views(_NAMED, time=TIME if pinned else None)
    return view_queries(table_row.c.object_id.in_(reached))


@functools.cache
def _streams_named(*, pinned: bool) -> sa.Select[Any]:
    return streams_query().add_columns(*_FOLDED).where(_NAMED, *alive(pinned=pinned))


@functools.cache
def _defined_named(*, pinned: bool) -> sa.Select[Any]:
    query = defined_query().where(_NAMED, *alive(pinned=pinned))
    # the last row of a name counts: a temporary object hides a permanent one
    return query.where(sa.or_(IS_MINE, IS_PERMANENT)).order_by(IS_PERMANENT.desc())


def _rows_named(
    at: LookUp, query: sa.Select[Any], names: Sequence[QualifiedName], values: Mapping[str, Any]
) -> list[Any]:
    """Return the rows of a query for objects with some folded names."""
    rows: list[Any] = []
    for part in split_values(names):
        rows += at.connection.execute(query, {**_values(part, at.as_of), **values}).all()
    return rows


def _values(names: Sequence[QualifiedName], as_of: Moment | None) -> dict[str, Any]:
    values: dict[str, Any] = {"names": [(each.database, each.schema, each.name) for each in names]}
    return values if as_of is None else {**values, "time": as_of.time}


def _find_streams(at: LookUp, names: Sequence[QualifiedName]) -> dict[QualifiedName, StreamRecord]:
    """Return the streams with some folded names, with the frontiers and sources of the moment."""
    rows = _rows_named(at, _streams_named(pinned=at.as_of is not None), names, {})
    folded = (QualifiedName(row.folded_database, row.folded_schema, row.folded) for row in rows)
    return dict(zip(folded, make_streams(at, rows), strict=True))


def _find_views(at: LookUp, names: Sequence[QualifiedName]) -> dict[QualifiedName, ViewRecord]:
    """Return the views with some folded names, and all views nested in them."""
    queries = _views_named(pinned=at.as_of is not None)
    found: dict[QualifiedName, ViewRecord] = {}
    for part in split_values(names):
        views = read_views(at.connection, queries, _values(part, at.as_of))
        found |= {view.name.folded: view for view in views}
    return found


def _find_defined(at: LookUp, names: Sequence[QualifiedName]) -> dict[QualifiedName, DefinedRecord]:
    """Return the objects with a definition, as stages, with some folded names."""
    query = _defined_named(pinned=at.as_of is not None)
    found = map(defined_record, _rows_named(at, query, names, {"session_id": at.session_id}))
    return {record.name.folded: record for record in found}
