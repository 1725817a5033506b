"""Keeping an open transaction alive: it lapses by itself where its process died."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator, Sequence
from typing import assert_never

from icemelt.catalog.database import Database
from icemelt.catalog.open_transactions import (
    Acquired,
    Held,
    acquire,
    close,
    extend,
    open_transaction,
    stop_waiting,
)
from icemelt.catalog.outcomes import Ended
from icemelt.catalog.queries.finding import stream_name
from icemelt.catalog.records import OpenRecord
from icemelt.errors import CatalogError, CatalogUnavailable, Deadlock
from icemelt.observe.emitting import emit, tolerate
from icemelt.observe.events import CatalogErrorTolerated, LeaseLapsed, LockAwaited
from icemelt.observe.statements import error_code_of
from icemelt.transactions.pending import Author
from icemelt.transactions.publication import ended_error, wait_for, wait_for_lock
from icemelt.transactions.restarts import patiently

__all__ = ["LAPSE_SECONDS", "close_soon", "keep_alive", "locked", "take_lock"]

LAPSE_SECONDS = 30
_EXTEND_SECONDS = 10


def keep_alive(database: Database, transaction_id: str, ended: threading.Event) -> None:
    """Extend a transaction in a thread of its own until it ends, or somebody has aborted it."""

    def is_alive() -> bool:
        with tolerate(CatalogError, to=f"extend transaction {transaction_id}"):
            return extend(database, transaction_id, LAPSE_SECONDS)
        return True

    def extend_it() -> None:
        while not ended.wait(_EXTEND_SECONDS):
            if not is_alive():
                # one that was published just now is about to say so
                if not ended.wait(_EXTEND_SECONDS):
                    emit(LeaseLapsed(transaction_id))
                return

    threading.Thread(target=extend_it, name="icemelt-transaction", daemon=True).start()


def close_soon(database: Database, transaction_id: str) -> None:
    """Remove a transaction that has ended, and its locks.

    Where the database is away they are removed in the background as soon as it is back: others
    would have to wait until they lapse.
    """

    def close_it() -> None:
        with database.write() as connection:
            close(connection, transaction_id)

    def close_later() -> None:
        with tolerate(CatalogError, to=f"remove transaction {transaction_id}, which has ended"):
            patiently(close_it, LAPSE_SECONDS)

    try:
        close_it()
    except CatalogError as error:
        if isinstance(error, CatalogUnavailable):
            # at the end of the interpreter no thread is started any more; the transaction lapses
            with contextlib.suppress(RuntimeError):
                threading.Thread(target=close_later, name="icemelt-close", daemon=True).start()
        told = f"remove transaction {transaction_id}, which has ended"
        emit(CatalogErrorTolerated(told, error.code, error.message))


def take_lock(database: Database, stream_id: str, transaction_id: str, seconds: float) -> Acquired:
    """Take a stream's lock for an open transaction, waiting for its holder.

    Raises:
        LockTimeout: another transaction holds it for longer than that.
        Deadlock: that one waits for this one.
        TransactionEnded: this one was aborted, or has lapsed.
    """
    began = time.monotonic()
    deadline = began + seconds
    taken = _take(database, stream_id, transaction_id)
    has_waited = isinstance(taken, Held)
    try:
        while isinstance(taken, Held):
            wait_for(database, stream_id, taken.by, deadline)
            wait_for_lock(database, stream_id, deadline, transaction_id)
            taken = _take(database, stream_id, transaction_id)
    except BaseException as error:
        waited = time.monotonic() - began
        emit(LockAwaited(transaction_id, stream_id, waited, error_code_of(error)))
        # others would wait for one that does not want the lock any more
        with tolerate(CatalogError, to="give up the place among those that wait for a lock"):
            patiently(lambda: stop_waiting(database, transaction_id))
        raise
    if has_waited:
        emit(LockAwaited(transaction_id, stream_id, time.monotonic() - began))
    return taken


def _take(database: Database, stream_id: str, transaction_id: str) -> Acquired | Held:
    """Return the lock, or for whom the transaction has to wait."""
    match acquire(database, stream_id, transaction_id):
        case Acquired() as acquired:
            return acquired
        case Ended(by):
            raise ended_error(by)
        case Held(other, is_cycle=True):
            with tolerate(CatalogError, to="give up the place among those that wait for a lock"):
                stop_waiting(database, transaction_id)
            raise _deadlock(database, stream_id, other)
        case Held() as held:
            return held
        case never:
            assert_never(never)


def _deadlock(database: Database, stream_id: str, other: OpenRecord) -> Deadlock:
    with database.read() as connection:
        name = str(stream_name(connection, stream_id))
    return Deadlock(
        f"Stream {name!r} is locked by transaction {other.transaction_id} of {other.user!r}, which "
        "waits for a lock of this one.",
        hint="ROLLBACK, then run the transaction again.",
    )


@contextlib.contextmanager
def locked(
    database: Database, stream_ids: Sequence[str], author: Author, transaction_id: str
) -> Iterator[dict[str, int]]:
    """Hold streams' locks for a statement by itself; give the tokens to publish it with.

    Raises:
        LockTimeout: another transaction holds one for longer than the lock timeout.
        Deadlock: another transaction that holds one waits for another of them.
    """
    ended = threading.Event()
    wanted = OpenRecord(transaction_id, author.session_id, author.user, None, 0, 0, 0)
    open_transaction(database, wanted, LAPSE_SECONDS)
    keep_alive(database, transaction_id, ended)
    try:
        yield {
            stream_id: take_lock(database, stream_id, transaction_id, author.lock_timeout).token
            for stream_id in sorted(stream_ids)
        }
    finally:
        ended.set()
        close_soon(database, transaction_id)
