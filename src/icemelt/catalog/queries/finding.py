"""Finds tables and streams by name: as they are now, or as they were at an earlier moment."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa

from icemelt.catalog.database import Database
from icemelt.catalog.model import frontiers, streams
from icemelt.catalog.queries.positions import read_position
from icemelt.catalog.queries.reading import (
    database_row,
    schema_objects,
    schema_row,
    table_by_id,
    table_record,
    table_row,
    tables_query,
)
from icemelt.catalog.queries.versions import version_at
from icemelt.catalog.queries.views import view_by_id, view_record, views_query
from icemelt.catalog.records import (
    Frontier,
    Moment,
    ReadState,
    SchemaObject,
    StreamRecord,
    StreamSource,
    TableRecord,
    ViewRecord,
)
from icemelt.names import TableName, fold

__all__ = ["find_streams", "find_views", "frontier_list", "read_state", "stream_name"]


def read_state(
    connection: sa.Connection,
    database: Database,
    names: Iterable[TableName] = (),
    session_id: str = "",
    *,
    as_of: Moment | None = None,
) -> ReadState:
    """Return the moment, the clock and the named objects that exist, all of one state.

    What a view reads is looked up with it.

    A temporary table of the session hides a permanent one of its name. With `as_of` the objects are
    those of an earlier moment: its tables at their versions then, its streams at their frontiers.
    The session's own temporary tables are always as they are now.
    """
    last = database.lake(connection).last
    moment = last if as_of is None else as_of
    look_up = _LookUp(connection, database, session_id, moment, as_of)
    objects: dict[TableName, SchemaObject] = {}
    pending = list(dict.fromkeys(names))
    for name in pending:
        found = _find(look_up, name.folded)
        if found is not None:
            objects[name] = found
        if isinstance(found, ViewRecord):
            pending += [each.name for each in found.sources if each.name not in pending]
    return ReadState(moment, database.now(connection, last), objects)


def find_streams(
    connection: sa.Connection,
    database: Database,
    *,
    within: tuple[str | None, str | None] = (None, None),
) -> list[StreamRecord]:
    """Return the live streams of a database and schema (None: of all), in order of their names."""
    return _latest(connection, database, _within(_streams_query(), within))


def find_views(
    connection: sa.Connection, *, within: tuple[str | None, str | None] = (None, None)
) -> list[ViewRecord]:
    """Return the live views of a database and schema (None: of all), in order of their names."""
    rows = connection.execute(_within(views_query(), within))
    return [view_record(row) for row in rows]


def _within(query: sa.Select[Any], within: tuple[str | None, str | None]) -> sa.Select[Any]:
    """Return the live objects of a database and schema (None: of all), in order of their names."""
    query = query.where(table_row.c.dropped_at.is_(None))
    for alias, name in zip((database_row, schema_row), within, strict=True):
        if name is not None:
            query = query.where(alias.c.folded == fold(name))
    return query.order_by(database_row.c.folded, schema_row.c.folded, table_row.c.folded)


def _latest(
    connection: sa.Connection, database: Database, query: sa.Select[Any]
) -> list[StreamRecord]:
    """Return the streams of a query as they are now, in few questions whatever their number."""
    rows = connection.execute(query).all()
    read = sa.select(frontiers.c.source_id).union(sa.select(streams.c.source_id))
    is_read = table_row.c.object_id.in_(read)
    on_tables = connection.execute(tables_query(database.catalog_name).where(is_read))
    found: dict[str, TableRecord | ViewRecord] = {
        row.object_id: table_record(row) for row in on_tables
    }
    on_views = connection.execute(views_query().where(is_read))
    found |= {row.object_id: view_record(row) for row in on_views}
    last = frontiers.join(
        streams,
        sa.and_(streams.c.stream_id == frontiers.c.stream_id, streams.c.move == frontiers.c.move),
    )
    at: dict[str, list[Any]] = {}
    for row in connection.execute(sa.select(frontiers).select_from(last)):
        at.setdefault(row.stream_id, []).append(row)
    return [_stream_record(row, found, at[row.stream_id]) for row in rows]


def stream_name(connection: sa.Connection, stream_id: str) -> TableName:
    """Return the name of a stream, which may have been dropped since."""
    row = connection.execute(_streams_query().where(streams.c.stream_id == stream_id)).one()
    return TableName(row.database_name, row.schema_name, row.name)


def frontier_list(
    connection: sa.Connection, stream_id: str, source_id: str
) -> list[tuple[Frontier, int, int]]:
    """Return the moves of a frontier that are kept, oldest first.

    With each come the version of the source that it went to and its own commit number.
    """
    query = (
        sa.select(frontiers)
        .where(frontiers.c.stream_id == stream_id, frontiers.c.source_id == source_id)
        .order_by(frontiers.c.move)
    )
    return [
        (_frontier(row), read_position(row.position)[0], row.moved_in)
        for row in connection.execute(query)
    ]


@dataclass(frozen=True, slots=True)
class _LookUp:
    """Where, for whom and as of when objects are looked up; `as_of` None is now."""

    connection: sa.Connection
    database: Database
    session_id: str
    moment: Moment
    as_of: Moment | None


def _find(at: _LookUp, name: TableName) -> SchemaObject | None:
    for find in _FINDERS:
        found = find(at, name)
        if found is not None:
            return found
    return None


def _find_table(at: _LookUp, name: TableName) -> TableRecord | None:
    values = {**_values(name, at.as_of), "session_id": at.session_id}
    catalog_name = at.database.catalog_name
    if at.as_of is None:
        row = at.connection.execute(_table_now(catalog_name), values).first()
        return None if row is None else table_record(row)
    row = at.connection.execute(_table_then(catalog_name), values).first()
    if row is None or row.session_id is not None:
        return None if row is None else table_record(row)
    return _at(at.connection, table_record(row), at.as_of)


# Building a query costs more than SQLite takes to answer it: each is built once.


@functools.cache
def _table_now(catalog_name: str) -> sa.Select[Any]:
    visible = sa.or_(_IS_MINE, _IS_PERMANENT)
    query = tables_query(catalog_name).where(*_NAMED, visible, *_alive(pinned=False))
    return query.order_by(_IS_PERMANENT)


@functools.cache
def _table_then(catalog_name: str) -> sa.Select[Any]:
    mine = sa.and_(_IS_MINE, *_alive(pinned=False))
    permanent = sa.and_(_IS_PERMANENT, *_alive(pinned=True))
    query = tables_query(catalog_name).where(*_NAMED, sa.or_(mine, permanent))
    return query.order_by(_IS_PERMANENT)


@functools.cache
def _view_named(*, pinned: bool) -> sa.Select[Any]:
    return views_query().where(*_NAMED, *_alive(pinned=pinned))


@functools.cache
def _stream_named(*, pinned: bool) -> sa.Select[Any]:
    return _streams_query().where(*_NAMED, *_alive(pinned=pinned))


_PATH = ((database_row, "database"), (schema_row, "schema"), (table_row, "table"))
_NAMED = [row.c.folded == sa.bindparam(part) for row, part in _PATH]
_IS_MINE = table_row.c.session_id == sa.bindparam("session_id")
_IS_PERMANENT = table_row.c.session_id.is_(None)


_OF_STREAM = frontiers.c.stream_id == sa.bindparam("stream_id")
_LAST_MOVE = sa.select(frontiers).where(
    _OF_STREAM,
    frontiers.c.move
    == sa.select(sa.func.max(frontiers.c.move))
    .where(_OF_STREAM, frontiers.c.moved_in <= sa.bindparam("commit_number"))
    .scalar_subquery(),
)


def _alive(*, pinned: bool) -> list[sa.ColumnElement[bool]]:
    """Return the conditions for an object of `_NAMED` to exist, now or at a moment."""
    conditions: list[sa.ColumnElement[bool]] = []
    for row, _ in _PATH:
        if pinned:
            time: sa.BindParameter[int] = sa.bindparam("time")
            dropped_later = sa.or_(row.c.dropped_at.is_(None), row.c.dropped_at > time)
            conditions += [row.c.created_at <= time, dropped_later]
        else:
            conditions.append(row.c.dropped_at.is_(None))
    return conditions


def _values(name: TableName, as_of: Moment | None) -> dict[str, Any]:
    values = {"database": name.database, "schema": name.schema, "table": name.name}
    return values if as_of is None else {**values, "time": as_of.time}


def _at(connection: sa.Connection, table: TableRecord, moment: Moment) -> TableRecord | None:
    """Return a table at its version of a moment, None where it had none yet.

    What was dropped later was not yet.
    """
    version = version_at(connection, table.object_id, moment.commit_number)
    if version is None:
        return None
    dropped_at = table.dropped_at
    if dropped_at is not None and dropped_at > moment.time:
        dropped_at = None
    location = table.known if version.version == table.version else version.location
    return replace(
        table,
        pointer=location,
        known=location or table.known,
        version=version.version,
        snapshot_id=version.snapshot_id,
        dropped_at=dropped_at,
    )


def _find_stream(at: _LookUp, name: TableName) -> StreamRecord | None:
    query = _stream_named(pinned=at.as_of is not None)
    row = at.connection.execute(query, _values(name, at.as_of)).first()
    if row is None:
        return None
    last = {"stream_id": row.stream_id, "commit_number": at.moment.commit_number}
    move = at.connection.execute(_LAST_MOVE, last).all()
    read = {row.source_id: row.source_kind} | {each.source_id: each.kind for each in move}
    found = {
        source_id: _source(at.connection, at.database, kind, source_id, at.as_of)
        for source_id, kind in read.items()
    }
    return _stream_record(row, found, move)


def _source(
    connection: sa.Connection, database: Database, kind: str, source_id: str, as_of: Moment | None
) -> TableRecord | ViewRecord:
    """Return what a stream reads, as it was at a moment; None is now."""
    if kind == "view":
        view = view_by_id(connection, source_id)
        is_later = as_of is not None and (view.dropped_at or 0) > as_of.time
        return replace(view, dropped_at=None) if is_later else view
    table = table_by_id(connection, database, source_id)
    if as_of is None or table.session_id is not None:
        return table
    return _at(connection, table, as_of) or table


def _find_view(at: _LookUp, name: TableName) -> ViewRecord | None:
    query = _view_named(pinned=at.as_of is not None)
    row = at.connection.execute(query, _values(name, at.as_of)).first()
    return None if row is None else view_record(row)


# by which a name is looked up, those of the kinds that are named most first
_FINDERS: tuple[Callable[[_LookUp, TableName], SchemaObject | None], ...] = (
    _find_table,
    _find_stream,
    _find_view,
)


def _streams_query() -> sa.Select[Any]:
    return schema_objects(streams).join(streams, streams.c.stream_id == table_row.c.object_id)


def _stream_record(
    row: Any, found: Mapping[str, TableRecord | ViewRecord], at: Sequence[Any]
) -> StreamRecord:
    """Return a stream of `_streams_query`; `at` are the rows of its frontier's last move."""
    sources = []
    for each in at:
        version, _, name = read_position(each.position)
        sources.append(StreamSource(found[each.source_id], version, name))
    return StreamRecord(
        object_id=row.object_id,
        name=TableName(row.database_name, row.schema_name, row.name),
        owner=row.owner,
        comment=row.comment,
        created_at=row.created_at,
        source_kind=row.source_kind,
        mode=row.mode,
        source=found[row.source_id],
        frontier=_frontier(at[0]),
        sources=tuple(sorted(sources, key=lambda each: str(each.name))),
        dialect=row.dialect,
    )


def _frontier(row: Any) -> Frontier:
    commit_number = read_position(row.position)[1]
    return Frontier(row.move, commit_number, row.moved_at, row.initial)
