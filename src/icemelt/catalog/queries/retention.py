"""How much of a table's history is still needed by retention, streams and open transactions."""

from __future__ import annotations

import sqlalchemy as sa

from icemelt.catalog.activity_records import OpenTransactionRecord
from icemelt.catalog.database import Database
from icemelt.catalog.model import versions
from icemelt.catalog.open_transactions import list_open_transactions
from icemelt.catalog.queries.dependencies import readers_of
from icemelt.catalog.queries.reading import table_by_id
from icemelt.catalog.queries.streams import frontier_list
from icemelt.catalog.queries.versions import version_at
from icemelt.catalog.records import StreamRecord, TableRecord

__all__ = [
    "DAY",
    "GRACE",
    "ended_before",
    "first_frontier",
    "live_transactions",
    "needed_from",
    "stale_after",
    "stream_stale_after",
]

DAY = 86_400_000
# however short the retention, a statement can read the state of its start for this long
GRACE = 3_600_000


def needed_from(connection: sa.Connection, database: Database, table_id: str) -> int:
    """Return the number of the oldest version of a table still needed; all later versions are.

    Retention keeps versions for points in time. A stream keeps versions from the frontier on, as
    long as the stream's extension lasts. A live open transaction keeps the version in its view
    until the transaction ends.

    Example: a table has a retention of one day and four versions.

    | version | committed    | needed by                                            |
    |---------|--------------|------------------------------------------------------|
    | 1       | 9 days ago   |                                                      |
    | 2       | 5 days ago   | a stream that has read up to version 2               |
    | 3       | 2 days ago   | the point one day ago, at which 3 was the last       |
    | 4       | 1 hour ago   | reads of now                                         |

    The result is 2: the stream's next changes start at version 2. Without the stream the result is
    3.

    Args:
        connection: a connection to the catalog's database.
        database: the catalog's database.
        table_id: the table's object id.
    """
    table = table_by_id(connection, database, table_id)
    now = database.now(connection, database.read_lake(connection).last)
    of_table = versions.c.table_id == table_id
    first = connection.scalar(sa.select(sa.func.min(versions.c.version)).where(of_table)) or 0
    at_horizon = sa.select(sa.func.max(versions.c.version)).where(
        of_table, versions.c.committed_at <= ended_before(now, table.retention_days)
    )
    needed = [connection.scalar(at_horizon) or first]
    live = live_transactions(connection, database)
    commits = [transaction.commit_number for transaction in live]
    commits += _frontiers(connection, table, now, pinned=min(commits, default=None))
    for commit_number in commits:
        version = version_at(connection, table_id, commit_number)
        if version is not None:
            needed.append(version.version)
    return max(first, min(needed))


def first_frontier(connection: sa.Connection, table_id: str) -> int | None:
    """Return the oldest version at a live stream's frontier, stale or not; None without any."""
    found = []
    for stream_id, dropped_at in _streams_of(connection, table_id):
        if dropped_at is None:
            moves = frontier_list(connection, stream_id, table_id)
            found += [version for _, version, _ in moves]
    return min(found, default=None)


def live_transactions(connection: sa.Connection, database: Database) -> list[OpenTransactionRecord]:
    """Return the open transactions still able to commit: neither aborted nor expired."""
    now = database.clock(connection)
    found = list_open_transactions(connection)
    return [each for each in found if each.aborted_by is None and each.expires_at > now]


def ended_before(now: int, days: int) -> int:
    """Return the time before which an ended object or version is past retention.

    Args:
        now: in milliseconds since 1970.
        days: the retention; an hour of grace is the least.
    """
    return now - max(days * DAY, GRACE)


def stale_after(table: TableRecord, moved_at: int) -> int:
    """Return when a stream of a table becomes stale unless consumed earlier.

    Args:
        table: the table, with retention and extension in days.
        moved_at: when the stream's frontier last moved, in milliseconds since 1970.

    >>> from dataclasses import replace
    >>> from icemelt.names import QualifiedName
    >>> table = TableRecord(
    ...     "", QualifiedName("d", "s", "t"), "", "", None, 0, "", None, "", 0, None
    ... )
    >>> def days(retention, extension):
    ...     given = replace(table, retention_days=retention, extension_days=extension)
    ...     return stale_after(given, 0) // DAY
    >>> days(14, 0), days(1, 14), days(0, 90)
    (14, 14, 90)
    """
    return moved_at + max(table.retention_days, table.extension_days) * DAY


def stream_stale_after(stream: StreamRecord) -> int | None:
    """Return when a stream becomes stale unless consumed earlier: the minimum over the tables.

    None for a stream on a stage: its listings are kept as long as the stage.
    """
    times = (stale_after(table, stream.frontier.moved_at) for table in stream.tables)
    return min(times, default=None)


def _frontiers(
    connection: sa.Connection, table: TableRecord, now: int, *, pinned: int | None
) -> list[int]:
    """Return the commit numbers of the frontiers of streams within their extension.

    Args:
        connection: a connection to the catalog's database.
        table: the table read by the streams.
        now: in milliseconds since 1970.
        pinned: the lowest commit number seen by an open transaction, None without any; the
            transaction may read an earlier frontier.
    """
    commits = []
    dropped_long_ago = ended_before(now, table.retention_days)
    for stream_id, dropped_at in _streams_of(connection, table.object_id):
        if dropped_at is not None and dropped_at <= dropped_long_ago:
            continue
        moves = frontier_list(connection, stream_id, table.object_id)
        last, _, moved_in = moves[-1]
        if now <= stale_after(table, last.moved_at):
            commits.append(last.commit_number)
        if pinned is not None and pinned < moved_in:
            commits += [frontier.commit_number for frontier, _, _ in moves]
    return commits


def _streams_of(connection: sa.Connection, table_id: str) -> list[tuple[str, int | None]]:
    """Return the ids of the streams on a table, and when every stream was dropped (None: live)."""
    return [(reader.object_id, reader.dropped_at) for reader in readers_of(connection, table_id)]
