"""How far streams are behind, by queries of the registry alone: no file is read, no job runs."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import sqlalchemy as sa

from icemelt.catalog.database import Database
from icemelt.catalog.model import listings, versions
from icemelt.catalog.queries.finding import find_streams
from icemelt.catalog.queries.retention import stream_stale_after
from icemelt.catalog.records import REWRITES, FileOwner, StreamRecord
from icemelt.names import QualifiedName

__all__ = ["StreamLag", "stream_lags"]

_CHANGES_ROWS = sa.and_(
    versions.c.snapshot_id.is_not(None), versions.c.operation.not_in(sorted(REWRITES))
)
# NULL for a version without counts
_ROWS = versions.c.inserted + versions.c.updated + versions.c.deleted
# Building a query takes longer than its answer from SQLite: the query is built once.
_UNREAD = sa.select(
    sa.func.count(),
    sa.func.sum(sa.case((_CHANGES_ROWS, _ROWS))),
    sa.func.sum(sa.case((sa.and_(_CHANGES_ROWS, _ROWS.is_(None)), 1), else_=0)),
    sa.func.min(versions.c.committed_at),
).where(
    versions.c.table_id == sa.bindparam("table_id"),
    versions.c.commit_number > sa.bindparam("after"),
)
_UNREAD_LISTINGS = sa.select(
    sa.func.count(),
    sa.func.sum(listings.c.added + listings.c.changed + listings.c.removed),
    sa.func.min(listings.c.committed_at),
).where(
    listings.c.owner_id == sa.bindparam("owner_id"),
    listings.c.commit_number > sa.bindparam("after"),
)


@dataclass(frozen=True, slots=True)
class _Unread:
    """The versions of a table after a commit number.

    Args:
        versions: the number of versions.
        rows: the number of changed rows, None where a version has no counts.
        oldest: the time of the first version, None without versions.
    """

    versions: int = 0
    rows: int | None = 0
    oldest: int | None = None

    def __add__(self, other: _Unread) -> _Unread:
        is_known = self.rows is not None and other.rows is not None
        times = [time for time in (self.oldest, other.oldest) if time is not None]
        return _Unread(
            self.versions + other.versions,
            (self.rows or 0) + (other.rows or 0) if is_known else None,
            min(times, default=None),
        )


@dataclass(frozen=True, slots=True)
class StreamLag:
    """How far a stream is behind its tables, or its stage, whose rows are files.

    Args:
        name: the stream's name.
        rows_behind: rows changed by the unread versions, None where a version has no counts.
        versions_behind: the number of unread versions.
        seconds_behind: the age of the oldest unread version, 0 without unread versions.
        seconds_to_stale: the time until the stream is stale unless consumed; negative for a stale
            stream, None for a stream that never is.
    """

    name: QualifiedName
    rows_behind: int | None
    versions_behind: int
    seconds_behind: float
    seconds_to_stale: float | None


def stream_lags(
    connection: sa.Connection, database: Database, most: int
) -> tuple[list[StreamLag], int]:
    """Return the lags of the streams nearest to stale, and the number of all streams.

    The nearest to stale come first. Commits of other engines count from their adoption. A thousand
    unread versions cost a millisecond.

    Args:
        connection: to the catalog's database.
        database: the catalog's database.
        most: the greatest number of streams whose lags are computed.
    """
    now = database.now(connection, database.read_lake(connection).last)

    @functools.cache
    def unread(table_id: str, after: int) -> _Unread:
        values = {"table_id": table_id, "after": after}
        count, rows, unknown, oldest = connection.execute(_UNREAD, values).one()
        return _Unread(count, None if unknown else int(rows or 0), oldest)

    @functools.cache
    def unlisted(stage_id: str, after: int) -> _Unread:
        values = {"owner_id": stage_id, "after": after}
        count, files, oldest = connection.execute(_UNREAD_LISTINGS, values).one()
        return _Unread(count, int(files or 0), oldest)

    def soonest(stream: StreamRecord) -> float:
        stale_after = stream_stale_after(stream)
        return math.inf if stale_after is None else stale_after

    streams = sorted(find_streams(connection, database), key=soonest)
    lags = []
    for stream in streams[:most]:
        after = stream.frontier.commit_number
        if isinstance(stream.source, FileOwner):
            behind = unlisted(stream.source.object_id, after)
        else:
            behind = sum((unread(table.object_id, after) for table in stream.tables), _Unread())
        seconds = 0 if behind.oldest is None else (now - behind.oldest) / 1000
        stale_after = stream_stale_after(stream)
        until = None if stale_after is None else (stale_after - now) / 1000
        lags.append(StreamLag(stream.name, behind.rows, behind.versions, seconds, until))
    return lags, len(streams)
