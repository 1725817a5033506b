"""A reservation of tables: while it lasts, other transactions wait before they publish.

A statement that lost its race several times runs once more under one, so that a long MERGE gets
through beside a stream of appends. It lapses by itself where its holder died.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from icemelt.catalog.database import Database
from icemelt.catalog.reserving import release, reserve

__all__ = ["reserved"]

_LAPSE_SECONDS = 30
_EXTEND_SECONDS = 10


@contextmanager
def reserved(database: Database, table_ids: Sequence[str], transaction_id: str) -> Iterator[None]:
    """Hold a reservation of tables, extended for as long as the block runs."""
    ended = threading.Event()
    reserve(database, table_ids, transaction_id, _LAPSE_SECONDS)

    def extend() -> None:
        while not ended.wait(_EXTEND_SECONDS):
            reserve(database, table_ids, transaction_id, _LAPSE_SECONDS)

    keeper = threading.Thread(target=extend, name="icemelt-reservation", daemon=True)
    keeper.start()
    try:
        yield
    finally:
        ended.set()
        keeper.join()
        release(database, transaction_id)
