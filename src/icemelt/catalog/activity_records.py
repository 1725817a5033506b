"""The registry's records of what goes on at a lake: statements, transactions, channels, keys.

A time (a field `time` or `…_at`) is in milliseconds since 1970 UTC. Durations name their unit.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "ChannelRecord",
    "KeyRecord",
    "LockRecord",
    "OpenTransactionRecord",
    "StatementRecord",
]


@dataclass(frozen=True, slots=True)
class StatementRecord:
    """A statement of the history.

    Args:
        statement_id: the statement's id.
        session_id: the session's id.
        user: the user's name.
        text: the statement's text.
        kind: the statement's first word.
        started_at: when the statement began.
        ended_at: when the statement ended.
        status: `succeeded`, `failed`, `cancelled` or `rolled back`.
        commit_number: the commit number of the statement's publication, or else of the state read.
        wrote: whether the statement published a change.
        transaction_id: the statement's transaction.
        rowcount: the number of rows returned or changed, None where unknown.
        error_code: the code of the error, None without an error.
        error_message: the message of the error, None without an error.
        key_id: the key of the server's client, None for a session without a server.
        database_name: the current database when the statement began, None where unknown.
        schema_name: the current schema when the statement began, None where unknown.
        files_skipped: how many files the statement has left out: unreadable files of external
            tables with ON_ERROR = SKIP_FILE, and files that insert-only streams with ON_MISSING =
            SKIP passed over; None where unknown.
    """

    statement_id: str
    session_id: str
    user: str
    text: str
    kind: str
    started_at: int
    ended_at: int
    status: str
    commit_number: int | None = None
    wrote: bool = False
    transaction_id: str | None = None
    rowcount: int | None = None
    error_code: str | None = None
    error_message: str | None = None
    key_id: str | None = None
    database_name: str | None = None
    schema_name: str | None = None
    files_skipped: int | None = 0


@dataclass(frozen=True, slots=True)
class OpenTransactionRecord:
    """An open transaction of many statements.

    Args:
        transaction_id: the transaction's id.
        session_id: the session's id.
        user: the user's name.
        name: the name given by BEGIN NAME, None without a name.
        started_at: when the transaction began.
        commit_number: the last commit seen by the transaction.
        expires_at: when the lease expires without a renewal.
        waits_for: the stream for whose lock the transaction waits, None without a wait.
        aborted_by: the user who aborted the transaction, None for any other transaction.
    """

    transaction_id: str
    session_id: str
    user: str
    name: str | None
    started_at: int
    commit_number: int
    expires_at: int
    waits_for: str | None = None
    aborted_by: str | None = None


@dataclass(frozen=True, slots=True)
class LockRecord:
    """A lock of a stream, held by an open transaction.

    Args:
        object_id: the stream's object id.
        transaction_id: the holder.
        token: the fencing token, above all earlier tokens.
        acquired_at: when the transaction took the lock.
    """

    object_id: str
    transaction_id: str
    token: int
    acquired_at: int


@dataclass(frozen=True, slots=True)
class ChannelRecord:
    """A channel of a table.

    Args:
        channel_id: the channel's id.
        table_id: the table's object id.
        name: the channel's name.
        owner: the user who opened the channel last.
        created_at: when the channel was made.
        active_at: when the channel was last opened or written.
        client_sequencer: how often the channel was opened.
        row_sequencer: the number of committed appends.
        offset_token: the last committed offset token, None before the first.
    """

    channel_id: str
    table_id: str
    name: str
    owner: str
    created_at: int
    active_at: int
    client_sequencer: int
    row_sequencer: int
    offset_token: str | None


@dataclass(frozen=True, slots=True)
class KeyRecord:
    """A key of a server's client, without the secret.

    Args:
        key_id: the key's id.
        name: the client's name.
        created_at: when the key was made.
        revoked_at: when the key was revoked, None for a key in force.
        statement_timeout: the longest run of the key's statements in seconds; None for the server's
            own limit, 0 for no limit.
    """

    key_id: str
    name: str
    created_at: int
    revoked_at: int | None = None
    statement_timeout: float | None = None
