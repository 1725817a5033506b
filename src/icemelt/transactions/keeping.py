"""Keeping an open transaction alive: it lapses by itself where its process died."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator

from icemelt.catalog.database import Database
from icemelt.catalog.open_transactions import Held, acquire, close, extend, open_transaction
from icemelt.catalog.records import OpenRecord
from icemelt.errors import CatalogError
from icemelt.transactions.pending import Author
from icemelt.transactions.publication import wait_for_lock

__all__ = ["LAPSE_SECONDS", "keep_alive", "locked"]

LAPSE_SECONDS = 30
_EXTEND_SECONDS = 10


def keep_alive(database: Database, transaction_id: str, ended: threading.Event) -> None:
    """Extend a transaction in a thread of its own until it ends, or somebody has aborted it."""

    def extend_it() -> None:
        while not ended.wait(_EXTEND_SECONDS):
            with contextlib.suppress(CatalogError):
                if not extend(database, transaction_id, LAPSE_SECONDS):
                    return

    threading.Thread(target=extend_it, name="icemelt-transaction", daemon=True).start()


@contextlib.contextmanager
def locked(
    database: Database, stream_id: str, author: Author, transaction_id: str
) -> Iterator[dict[str, int]]:
    """Hold a stream's lock for a statement by itself; give the tokens to publish it with.

    Raises:
        LockTimeout: another transaction holds it for longer than the lock timeout.
    """
    ended = threading.Event()
    wanted = OpenRecord(transaction_id, author.session_id, author.user, None, 0, 0, 0)
    open_transaction(database, wanted, LAPSE_SECONDS)
    keep_alive(database, transaction_id, ended)
    try:
        deadline = time.monotonic() + author.lock_timeout
        while isinstance(taken := acquire(database, stream_id, transaction_id), Held):
            wait_for_lock(database, stream_id, deadline, transaction_id)
        yield {stream_id: taken.token}
    finally:
        ended.set()
        with contextlib.suppress(CatalogError), database.write() as connection:
            close(connection, transaction_id)
