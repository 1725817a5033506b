"""Leases of open transactions and locks of streams: a dead process's transaction expires."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import assert_never

from icemelt.catalog.activity_records import OpenTransactionRecord
from icemelt.catalog.database import Database
from icemelt.catalog.open_transactions import (
    LockAcquired,
    LockHeld,
    acquire_lock,
    close_transaction,
    open_transaction,
    renew_transaction,
    stop_waiting,
)
from icemelt.catalog.outcomes import Ended
from icemelt.catalog.queries.finding import stream_name
from icemelt.catalog.records import Moment
from icemelt.errors import CatalogError, CatalogUnavailable, Deadlock, NoThreads
from icemelt.jobs import Lease, do_once
from icemelt.observe.emitting import emit, tolerate
from icemelt.observe.events import CatalogErrorTolerated, LeaseLapsed, LockAwaited
from icemelt.observe.statements import error_code_of
from icemelt.transactions.pending import Author, never_cancelled
from icemelt.transactions.publication import make_ended_error, wait_for_holder, wait_for_lock
from icemelt.transactions.restarts import retry_until_available

__all__ = ["LEASE_SECONDS", "close_now_or_later", "hold_locks", "open_with_lease", "take_lock"]

LEASE_SECONDS: float = 30


def open_with_lease(
    database: Database, wanted: OpenTransactionRecord
) -> tuple[OpenTransactionRecord, Moment, Lease]:
    """Register a transaction that begins now, and keep its lease renewed.

    Return the transaction's record, the moment of its reads, and the lease. The owner ends the
    lease.

    Raises:
        NoThreads: the process gets no thread to renew the lease; the transaction is removed.
    """
    record, moment = open_transaction(database, wanted, LEASE_SECONDS)
    renew = partial(renew_transaction, database, record.transaction_id, LEASE_SECONDS)
    tell = partial(emit, LeaseLapsed(record.transaction_id))
    try:
        lease = Lease("icemelt-transaction", renew, LEASE_SECONDS, tell).keep()
    except NoThreads:
        close_now_or_later(database, record.transaction_id)
        raise
    return record, moment, lease


def close_now_or_later(database: Database, transaction_id: str) -> None:
    """Remove an ended transaction and its locks, now or as soon as the database is back.

    Where the database is away a background job retries. Without the job other transactions would
    wait until the locks expire.
    """

    def close_it() -> None:
        with database.write() as connection:
            close_transaction(connection, transaction_id)

    def close_later() -> None:
        with tolerate(CatalogError, to=f"remove transaction {transaction_id}, which has ended"):
            retry_until_available(close_it, LEASE_SECONDS)

    try:
        close_it()
    except CatalogError as error:
        if isinstance(error, CatalogUnavailable):
            consequence = "the transaction and its locks stay until they lapse"
            do_once("icemelt-close", close_later, consequence=consequence).try_start()
        action = f"remove transaction {transaction_id}, which has ended"
        emit(CatalogErrorTolerated(action, error.code, error.message))


def take_lock(
    database: Database,
    stream_id: str,
    transaction_id: str,
    seconds: float,
    raise_if_cancelled: Callable[[], None] = never_cancelled,
) -> LockAcquired:
    """Take a stream's lock for an open transaction; wait while another transaction holds the lock.

    Args:
        database: the catalog's database.
        stream_id: the stream's object id.
        transaction_id: the open transaction.
        seconds: how long to wait.
        raise_if_cancelled: raises where the waiting statement was cancelled.

    Raises:
        LockTimeout: another transaction held the lock for longer than `seconds`.
        Deadlock: the holder of the lock waits for this transaction.
        TransactionEnded: this transaction was aborted, or its lease has expired.
    """
    began = time.monotonic()
    deadline = began + seconds
    lock = _try_lock(database, stream_id, transaction_id)
    has_waited = isinstance(lock, LockHeld)
    try:
        while isinstance(lock, LockHeld):
            wait_for_holder(database, stream_id, lock.by, deadline, raise_if_cancelled)
            wait_for_lock(database, stream_id, deadline, transaction_id, raise_if_cancelled)
            lock = _try_lock(database, stream_id, transaction_id)
    except BaseException as error:
        waited = time.monotonic() - began
        emit(LockAwaited(transaction_id, stream_id, waited, error_code_of(error)))
        # else other transactions would wait behind this transaction, which has given up
        with tolerate(CatalogError, to="give up the place among those that wait for a lock"):
            retry_until_available(lambda: stop_waiting(database, transaction_id))
        raise
    if has_waited:
        emit(LockAwaited(transaction_id, stream_id, time.monotonic() - began))
    return lock


def _try_lock(database: Database, stream_id: str, transaction_id: str) -> LockAcquired | LockHeld:
    """Return the acquired lock, or the holder of the lock."""
    match acquire_lock(database, stream_id, transaction_id):
        case LockAcquired() as acquired:
            return acquired
        case Ended(by):
            raise make_ended_error(by)
        case LockHeld(other, is_cycle=True):
            with tolerate(CatalogError, to="give up the place among those that wait for a lock"):
                stop_waiting(database, transaction_id)
            raise _make_deadlock(database, stream_id, other)
        case LockHeld() as held:
            return held
        case never:
            assert_never(never)


def _make_deadlock(database: Database, stream_id: str, other: OpenTransactionRecord) -> Deadlock:
    with database.read() as connection:
        name = str(stream_name(connection, stream_id))
    return Deadlock(
        f"Stream {name!r} is locked by transaction {other.transaction_id} of {other.user!r}, which "
        "waits for a lock of this one.",
        hint="ROLLBACK, then run the transaction again.",
    )


@contextlib.contextmanager
def hold_locks(
    database: Database, stream_ids: Sequence[str], author: Author, transaction_id: str
) -> Iterator[dict[str, int]]:
    """Hold locks of streams for a lone statement; yield the fencing tokens for the publication.

    Args:
        database: the catalog's database.
        stream_ids: the streams' object ids.
        author: the session, the user and the lock timeout.
        transaction_id: the holder of the locks.

    Raises:
        LockTimeout: another transaction held a lock for longer than the lock timeout.
        Deadlock: another transaction holds a lock and waits for another of these locks.
    """
    wanted = OpenTransactionRecord(transaction_id, author.session_id, author.user, None, 0, 0, 0)
    _, _, lease = open_with_lease(database, wanted)
    waiting = author.lock_timeout, author.raise_if_cancelled
    try:
        yield {
            stream_id: take_lock(database, stream_id, transaction_id, *waiting).token
            for stream_id in sorted(stream_ids)
        }
    finally:
        lease.end()
        close_now_or_later(database, transaction_id)
