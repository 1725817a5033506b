"""Streams as the registry keeps them: frontiers, and sources as of the moment of a look-up."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import sqlalchemy as sa

from icemelt.catalog.batches import split_values
from icemelt.catalog.model import frontiers, streams
from icemelt.catalog.queries.definitions import defined_query, defined_record
from icemelt.catalog.queries.look_ups import LookUp
from icemelt.catalog.queries.pinning import pin_tables
from icemelt.catalog.queries.positions import read_position
from icemelt.catalog.queries.reading import schema_objects, table_record, table_row, tables_query
from icemelt.catalog.queries.views import views_by_id
from icemelt.catalog.records import (
    FileOwner,
    Frontier,
    StreamRecord,
    StreamSource,
    StreamSourceRecord,
    ViewRecord,
)
from icemelt.names import QualifiedName

__all__ = ["frontier_list", "make_streams", "streams_query"]

_Dropped = TypeVar("_Dropped", bound=ViewRecord | FileOwner)

# Building a query takes longer than its answer from SQLite: every query is built once.
_OTHER = frontiers.alias("other")
_LAST_MOVES = sa.select(frontiers).where(
    frontiers.c.stream_id.in_(sa.bindparam("stream_ids", expanding=True)),
    frontiers.c.move
    == sa.select(sa.func.max(_OTHER.c.move))
    .where(
        _OTHER.c.stream_id == frontiers.c.stream_id,
        _OTHER.c.moved_in <= sa.bindparam("commit_number"),
    )
    .scalar_subquery(),
)


def make_streams(at: LookUp, rows: Sequence[Any]) -> list[StreamRecord]:
    """Return the streams of rows of `streams_query`, in order, in a fixed number of queries.

    Frontiers and sources are those of the look-up's moment.
    """
    moves: dict[str, list[Any]] = {}
    kinds = {row.source_id: row.source_kind for row in rows}
    for part in split_values([row.stream_id for row in rows]):
        values = {"stream_ids": [*part], "commit_number": at.moment.commit_number}
        for move in at.connection.execute(_LAST_MOVES, values):
            moves.setdefault(move.stream_id, []).append(move)
            kinds[move.source_id] = move.kind
    read = _objects_read(at, kinds)
    return [_stream_record(row, read, moves[row.stream_id]) for row in rows]


def frontier_list(
    connection: sa.Connection, stream_id: str, source_id: str
) -> list[tuple[Frontier, int, int]]:
    """Return the frontier's moves kept by the registry, oldest first.

    Every move is a triple: the frontier, the version of the source at the frontier, and the commit
    number of the move itself.

    Args:
        connection: a connection to the catalog's database.
        stream_id: the stream's object id.
        source_id: the object id of a table or view read by the stream.
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


def streams_query() -> sa.Select[Any]:
    """Return the query of all streams, live and dropped, whose rows are for `make_streams`."""
    return schema_objects(streams).join(streams, streams.c.stream_id == table_row.c.object_id)


def _stream_record(row: Any, found: Mapping[str, StreamSource], at: Sequence[Any]) -> StreamRecord:
    """Return the stream of a row of `streams_query`.

    Args:
        row: the row.
        found: the stream's sources by object id.
        at: the rows of the frontier's last move, a row for every source.
    """
    sources = []
    for each in at:
        version, _, name = read_position(each.position)
        sources.append(StreamSourceRecord(found[each.source_id], version, name))
    return StreamRecord(
        object_id=row.object_id,
        name=QualifiedName(row.database_name, row.schema_name, row.name),
        owner=row.owner,
        comment=row.comment,
        created_at=row.created_at,
        source_kind=row.source_kind,
        mode=row.mode,
        source=found[row.source_id],
        frontier=_frontier(at[0]),
        sources=tuple(sorted(sources, key=lambda each: str(each.name))),
        dialect=row.dialect,
        source_version=row.source_version,
        on_missing=row.on_missing,
        files_skipped=row.files_skipped,
    )


def _objects_read(at: LookUp, kinds: Mapping[str, str]) -> dict[str, StreamSource]:
    """Return the sources of streams by id, as of the look-up's moment.

    Args:
        at: the connection and the moment.
        kinds: the kind of every source by object id, as `table`.
    """
    ids = [object_id for object_id, kind in kinds.items() if kind == "table"]
    found: dict[str, StreamSource] = {}
    query = _tables_by_id(at.database.catalog_name)
    for part in split_values(ids):
        rows = at.connection.execute(query, {"table_ids": [*part]}).all()
        found |= {table.object_id: table for table in pin_tables(at, map(table_record, rows))}
    view_ids = [object_id for object_id, kind in kinds.items() if kind == "view"]
    for view_id, view in views_by_id(at.connection, view_ids).items():
        found[view_id] = _as_seen(at, view)
    with_files = [each for each, kind in kinds.items() if kind not in {"table", "view"}]
    for part in split_values(with_files):
        query = defined_query().where(table_row.c.object_id.in_(part))
        for owner_id, owner in _find_file_owners(at.connection, query).items():
            found[owner_id] = _as_seen(at, owner)
    return found


def _as_seen(at: LookUp, record: _Dropped) -> _Dropped:
    """Return a source; one that was dropped after the look-up's moment is not dropped."""
    is_later = at.as_of is not None and (record.dropped_at or 0) > at.as_of.time
    return replace(record, dropped_at=None) if is_later else record


def _find_file_owners(connection: sa.Connection, query: sa.Select[Any]) -> dict[str, FileOwner]:
    """Return the stages and external tables of a `defined_query` by id, live and dropped."""
    found = map(defined_record, connection.execute(query))
    return {owner.object_id: owner for owner in found if isinstance(owner, FileOwner)}


@functools.cache
def _tables_by_id(catalog_name: str) -> sa.Select[Any]:
    ids: sa.BindParameter[str] = sa.bindparam("table_ids", expanding=True)
    return tables_query(catalog_name).where(table_row.c.object_id.in_(ids))


def _frontier(row: Any) -> Frontier:
    commit_number = read_position(row.position)[1]
    return Frontier(row.move, commit_number, row.moved_at, row.initial)
