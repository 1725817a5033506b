"""List the objects of databases and schemas, as of now or of an earlier moment.

The number of queries depends on the kinds of objects, and on the number of objects by hundreds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import sqlalchemy as sa

from icemelt.catalog.batches import split_values
from icemelt.catalog.defined_records import DEFINED_KINDS
from icemelt.catalog.model import objects, tracking
from icemelt.catalog.queries.definitions import defined_query, defined_record
from icemelt.catalog.queries.dependencies import exists_at
from icemelt.catalog.queries.listings import unread_listings
from icemelt.catalog.queries.loads import list_loads
from icemelt.catalog.queries.look_ups import IS_MINE, IS_PERMANENT, TIME, LookUp, alive
from icemelt.catalog.queries.pinning import table_with_version
from icemelt.catalog.queries.reading import (
    container_record,
    database_row,
    schema_row,
    table_record,
    table_row,
    tables_query,
)
from icemelt.catalog.queries.streams import make_streams, streams_query
from icemelt.catalog.queries.versions import last_versions, unread_versions
from icemelt.catalog.queries.views import read_views, view_queries
from icemelt.catalog.records import (
    ContainerRecord,
    FileOwner,
    ListedLoad,
    ListedStream,
    ListedTable,
    Listing,
    StreamRecord,
    TableRecord,
    UnreadVersions,
    VersionRecord,
    ViewRecord,
    Wanted,
)
from icemelt.names import fold

__all__ = ["LOAD", "SCHEMA", "list_objects"]

SCHEMA, LOAD = "schema", "load"
_IN_ORDER = (
    database_row.c.folded,
    schema_row.c.folded,
    table_row.c.folded,
    table_row.c.created_at,
)
_TRACKED = sa.select(tracking.c.table_id).where(
    tracking.c.table_id.in_(sa.bindparam("table_ids", expanding=True)),
    tracking.c.since_commit <= sa.bindparam("until"),
    sa.or_(tracking.c.until_commit.is_(None), tracking.c.until_commit > sa.bindparam("until")),
)


def list_objects(at: LookUp, wanted: Wanted) -> Listing:
    """Return the objects of some kinds, all as of the look-up's moment.

    Of a file loaded into a table the registry keeps the last load alone: at an earlier moment, a
    file that was loaded again since is left out.

    Args:
        at: the connection, the session and the moment.
        wanted: the kinds, and the database and schema to look in.
    """

    def list_kind(
        kind: str, function: Callable[[LookUp, Wanted], Sequence[Any]]
    ) -> tuple[Any, ...]:
        return tuple(function(at, wanted)) if kind in wanted.kinds else ()

    return Listing(
        wanted,
        at.moment,
        at.database.now(at.connection, at.moment),
        databases=tuple(_databases(at, wanted)),
        schemas=list_kind(SCHEMA, _schemas),
        tables=list_kind(TableRecord.kind, _tables),
        views=list_kind(ViewRecord.kind, _views),
        streams=list_kind(StreamRecord.kind, _streams),
        defined=tuple(_defined(at, wanted)) if DEFINED_KINDS.keys() & wanted.kinds else (),
        loads=list_kind(LOAD, _loads),
    )


def _databases(at: LookUp, wanted: Wanted) -> list[ContainerRecord]:
    query = sa.select(objects, sa.null().label("database_name"))
    exists = _exists(at, objects, with_dropped=wanted.with_dropped)
    query = query.where(objects.c.kind == "database", *exists)
    rows = _rows(at, query.order_by(objects.c.folded, objects.c.created_at))
    return [container_record(row) for row in rows]


def _schemas(at: LookUp, wanted: Wanted) -> list[ContainerRecord]:
    query = (
        sa.select(schema_row, database_row.c.name.label("database_name"))
        .join(database_row, schema_row.c.parent_id == database_row.c.object_id)
        .where(
            schema_row.c.kind == SCHEMA,
            *_exists(at, schema_row, with_dropped=wanted.with_dropped),
            *_exists(at, database_row),
        )
    )
    database_name = wanted.within[0]
    if database_name is not None:
        query = query.where(database_row.c.folded == fold(database_name))
    order = (database_row.c.folded, schema_row.c.folded, schema_row.c.created_at)
    return [container_record(row) for row in _rows(at, query.order_by(*order))]


def _tables(at: LookUp, wanted: Wanted) -> list[ListedTable]:
    found = _table_records(at, wanted, with_dropped=wanted.with_dropped)
    ids = [table.object_id for table in found]
    until = at.moment.commit_number
    versions = last_versions(at.connection, ids, until)
    tracked: set[str] = set()
    for part in split_values(ids):
        values = {"table_ids": [*part], "until": until}
        tracked.update(at.connection.scalars(_TRACKED, values))
    listed = []
    for table in found:
        version = versions.get(table.object_id)
        if at.as_of is not None and table.session_id is None:
            if version is None:
                continue
            table = table_with_version(table, version, at.as_of)  # noqa: PLW2901
        listed.append(_listed_table(table, version, is_tracked=table.object_id in tracked))
    return listed


def _listed_table(
    table: TableRecord, version: VersionRecord | None, *, is_tracked: bool
) -> ListedTable:
    if version is None:
        return ListedTable(table, None, None, None, is_tracked)
    return ListedTable(
        table, version.total_rows, version.total_bytes, version.moment.time, is_tracked
    )


def _table_records(at: LookUp, wanted: Wanted, *, with_dropped: bool = False) -> list[TableRecord]:
    """Return tables as of now; without those that a foreign engine has dropped."""
    query = tables_query(at.database.catalog_name)
    query = query.where(*_visible(at, with_dropped=with_dropped), *_within(wanted))
    found = map(table_record, _rows(at, query.order_by(*_IN_ORDER)))
    return [t for t in found if t.pointer is not None or t.dropped_at is not None]


def _views(at: LookUp, wanted: Wanted) -> list[ViewRecord]:
    queries = view_queries(*alive(pinned=at.as_of is not None), *_within(wanted), order=_IN_ORDER)
    return read_views(at.connection, queries, _values(at))


def _streams(at: LookUp, wanted: Wanted) -> list[ListedStream]:
    conditions = (*alive(pinned=at.as_of is not None), *_within(wanted))
    found = make_streams(at, _rows(at, streams_query().where(*conditions).order_by(*_IN_ORDER)))
    after: dict[str, int] = {}
    on_stages: dict[str, int] = {}
    for stream in found:
        if isinstance(stream.source, FileOwner):
            stage_id, start = stream.source.object_id, stream.frontier.commit_number
            on_stages[stage_id] = min(start, on_stages.get(stage_id, start))
        for table in stream.tables:
            start = stream.frontier.commit_number
            after[table.object_id] = min(start, after.get(table.object_id, start))
    until = at.moment.commit_number
    versions = unread_versions(at.connection, after, until) | unread_listings(
        at.connection, on_stages, until
    )
    return [ListedStream(stream, tuple(_unread(stream, versions))) for stream in found]


def _unread(
    stream: StreamRecord, versions: dict[str, list[VersionRecord]]
) -> Iterator[UnreadVersions]:
    after = stream.frontier.commit_number
    if isinstance(stream.source, FileOwner):
        known = versions.get(stream.source.object_id, [])
        later = [version for version in known if version.moment.commit_number > after]
        yield UnreadVersions(stream.source, later)
    for table in stream.tables:
        known = versions.get(table.object_id, [])
        read = [version for version in known if version.moment.commit_number <= after]
        yield UnreadVersions(table, known[len(read) :], read[-1] if read else None)


def _defined(at: LookUp, wanted: Wanted) -> Iterator[Any]:
    kinds = DEFINED_KINDS.keys() & wanted.kinds
    query = defined_query().where(
        table_row.c.kind.in_(sorted(kinds)), *_visible(at), *_within(wanted)
    )
    return map(defined_record, _rows(at, query.order_by(*_IN_ORDER)))


def _loads(at: LookUp, wanted: Wanted) -> list[ListedLoad]:
    tables = _table_records(at, wanted)
    return list_loads(at.connection, tables, at.moment, is_past=at.as_of is not None)


def _rows(at: LookUp, query: sa.Select[Any]) -> Sequence[Any]:
    return at.connection.execute(query, _values(at)).all()


def _values(at: LookUp) -> dict[str, Any]:
    return {"session_id": at.session_id, "time": at.moment.time}


def _exists(
    at: LookUp, row: sa.FromClause, *, with_dropped: bool = False
) -> list[sa.ColumnElement[bool]]:
    """Return the conditions for a database or schema to exist, or to have existed."""
    if not with_dropped:
        return [exists_at(row, None if at.as_of is None else TIME)]
    return [] if at.as_of is None else [row.c.created_at <= TIME]


def _visible(at: LookUp, *, with_dropped: bool = False) -> list[sa.ColumnElement[bool]]:
    """Return the conditions for an object to exist, and to be of no other session.

    A session's own temporary objects are always as of now, as in `read_state`.
    """
    if with_dropped:
        permanent = _exists(at, table_row, with_dropped=True)
        return [sa.or_(IS_MINE, sa.and_(IS_PERMANENT, *permanent))]
    permanent = alive(pinned=at.as_of is not None)
    return [
        sa.or_(
            sa.and_(IS_MINE, *alive(pinned=False)),
            sa.and_(IS_PERMANENT, *permanent),
        )
    ]


def _within(wanted: Wanted) -> list[sa.ColumnElement[bool]]:
    return [
        alias.c.folded == fold(name)
        for alias, name in zip((database_row, schema_row), wanted.within, strict=True)
        if name is not None
    ]
