"""SHOW and DESCRIBE of streams, locks and transactions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from icemelt.catalog import open_transactions
from icemelt.catalog.activity_records import OpenTransactionRecord
from icemelt.catalog.queries.finding import find_streams
from icemelt.catalog.queries.retention import stream_stale_after
from icemelt.catalog.records import FileOwner, ListedStream, StreamRecord, UnreadVersions, Wanted
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.result import LocalRows
from icemelt.session.show.show_scope import choose_records, find_scope
from icemelt.session.timeline.stream_state import (
    count_unread_rows,
    find_unread_versions,
    invalid_reason,
    is_stale,
)
from icemelt.sql.statements import Describe, Show
from icemelt.times import as_datetime

__all__ = [
    "STREAM_COLUMNS",
    "describe_stream",
    "show_locks",
    "show_streams",
    "show_transactions",
    "stream_row",
]

STREAM_COLUMNS = (
    "created_on",
    "name",
    "database_name",
    "schema_name",
    "owner",
    "comment",
    "table_name",
    "source_type",
    "base_tables",
    "type",
    "stale",
    "mode",
    "stale_after",
    "invalid_reason",
    "owner_role_type",
    # of icemelt: the lag
    "rows_behind",
    "versions_behind",
    "seconds_behind",
    "bytes_held",
    # files that an insert-only stream has passed over, as they were gone before they were read
    "files_skipped",
)
_SOURCE_TYPES = {
    "table": "Table",
    "view": "View",
    "stage": "Directory Table",
    "external table": "External Table",
}
_TERSE_COLUMNS = ("created_on", "name", "kind", "database_name", "schema_name", "tableOn")
_LOCK_COLUMNS = (
    "resource",
    "type",
    "transaction",
    "transaction_started_on",
    "status",
    "acquired_on",
)
_TRANSACTION_COLUMNS = (
    "id",
    "user",
    "session",
    "name",
    "started_on",
    "state",
    "waits_for",
    "locks",
)


def show_streams(core: Core, statement: Show) -> LocalRows:
    """Run SHOW STREAMS: Snowflake's 15 columns, then the lag of every stream."""
    within = find_scope(core, statement).within
    listing = core.resolver.list_objects(Wanted(frozenset({StreamRecord.kind}), within))
    listed = choose_records(listing.streams, statement, lambda each: each.stream.name.name)
    if statement.terse:
        rows = tuple(
            (
                as_datetime(stream.created_at),
                stream.name.name,
                "STREAM",
                stream.name.database,
                stream.name.schema,
                str(stream.source.name),
            )
            for stream in (each.stream for each in listed)
        )
        return LocalRows(_TERSE_COLUMNS, rows)
    return LocalRows(STREAM_COLUMNS, tuple(stream_row(core, listing.now, each) for each in listed))


def describe_stream(core: Core, statement: Describe) -> LocalRows:
    """Run DESCRIBE STREAM: the stream's row of SHOW STREAMS."""
    stream = core.stream(statement.name)
    state = core.newest.resolve([stream.name])
    unread = find_unread_versions(core, stream, state.moment.commit_number)
    row = stream_row(core, state.now, ListedStream(stream, tuple(unread)))
    return LocalRows(STREAM_COLUMNS, (row,))


def show_locks(core: Core) -> LocalRows:
    """Run SHOW LOCKS: the holders of streams' locks, and the transactions that wait for a lock."""
    with core.database.read() as connection:
        locks = open_transactions.list_locks(connection)
        transactions = {
            transaction.transaction_id: transaction
            for transaction in open_transactions.list_open_transactions(connection)
        }
        names = {s.object_id: str(s.name) for s in find_streams(connection, core.database)}
    rows: list[tuple[Any, ...]] = []
    for lock in locks:
        name, holder = names.get(lock.object_id, lock.object_id), transactions[lock.transaction_id]
        started, acquired = as_datetime(holder.started_at), as_datetime(lock.acquired_at)
        rows.append((name, "STREAM", holder.transaction_id, started, "HOLDING", acquired))
        rows += [
            (
                name,
                "STREAM",
                transaction.transaction_id,
                as_datetime(transaction.started_at),
                "WAITING",
                None,
            )
            for transaction in transactions.values()
            if transaction.waits_for == lock.object_id
        ]
    return LocalRows(_LOCK_COLUMNS, tuple(rows))


def show_transactions(core: Core) -> LocalRows:
    """Run SHOW TRANSACTIONS: all open transactions; a guest sees the guest's own."""
    with core.database.read() as connection:
        transactions = open_transactions.list_open_transactions(connection)
        locks = open_transactions.list_locks(connection)
        clock = core.database.clock(connection)
        names = {s.object_id: str(s.name) for s in find_streams(connection, core.database)}
    rows = tuple(
        (
            transaction.transaction_id,
            transaction.user,
            transaction.session_id,
            transaction.name,
            as_datetime(transaction.started_at),
            _state(transaction, clock),
            None
            if transaction.waits_for is None
            else names.get(transaction.waits_for, transaction.waits_for),
            sum(lock.transaction_id == transaction.transaction_id for lock in locks),
        )
        for transaction in transactions
        if not core.is_guest or transaction.user == core.user
    )
    return LocalRows(_TRANSACTION_COLUMNS, rows)


def _state(transaction: OpenTransactionRecord, clock: int) -> str:
    if transaction.aborted_by is not None:
        return "aborted"
    return "lapsed" if transaction.expires_at <= clock else "running"


def stream_row(core: Core, now: int, listed: ListedStream) -> tuple[Any, ...]:
    """Return a stream's row of SHOW STREAMS; the lag is counted over the unread versions.

    Args:
        core: the session's parts.
        now: the time of the listing, in milliseconds since 1970.
        listed: the stream, with its unread versions.
    """
    stream, by_table = listed.stream, listed.unread
    reason = invalid_reason(stream)
    behind = [version for table in by_table for version in table.versions]
    stale_after = stream_stale_after(stream)
    of_files = isinstance(stream.source, FileOwner)
    rows_behind = count_unread_rows(stream, by_table)
    oldest = min((version.moment.time for version in behind), default=now)
    return (
        as_datetime(stream.created_at),
        stream.name.name,
        stream.name.database,
        stream.name.schema,
        stream.owner,
        stream.comment or "",
        str(stream.source.name),
        _SOURCE_TYPES[stream.source_kind],
        ", ".join(sorted(str(table.name) for table in stream.tables)) or str(stream.source.name),
        "DELTA",
        "true" if is_stale(core, now, stream, by_table) else "false",
        stream.mode,
        None if stale_after is None else as_datetime(stale_after),
        "N/A" if reason is None else f"{reason[0]} {reason[1]}",
        "ROLE",
        rows_behind,
        len(behind),
        (now - oldest) // 1000,
        0 if of_files else _bytes_held(by_table),
        stream.files_skipped,
    )


def _bytes_held(behind: Sequence[UnreadVersions]) -> int | None:
    """Return an upper bound of the bytes kept for a stream, None where a size is unknown.

    The bound is the sum over the tables of the largest unread version's total size.
    """
    held = 0
    for table in behind:
        sizes = [version.total_bytes for version in table.versions]
        known_sizes = [size for size in sizes if size is not None]
        if len(known_sizes) < len(sizes):
            return None
        held += max(known_sizes, default=0)
    return held
