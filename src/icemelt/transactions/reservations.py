"""A reservation of tables: while it lasts, other transactions wait before they publish.

A statement that lost its race several times runs once more under one, so that a long MERGE gets
through beside a stream of appends. It lapses by itself where its holder died.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from icemelt.catalog.database import Database
from icemelt.catalog.reserving import LAPSE_SECONDS, release, reserve
from icemelt.errors import CatalogError

__all__ = ["reserved"]

_PAUSE = 0.02


@contextmanager
def reserved(database: Database, table_ids: Sequence[str], transaction_id: str) -> Iterator[None]:
    """Hold a reservation of tables, extended for as long as the block runs.

    A database that goes away costs the reservation, never what was published under it.
    """
    ended = threading.Event()
    deadline = time.monotonic() + LAPSE_SECONDS
    # a short transaction may hold one of them just now
    while not reserve(database, table_ids, transaction_id) and time.monotonic() < deadline:
        time.sleep(_PAUSE)

    def extend() -> None:
        while not ended.wait(LAPSE_SECONDS / 3):
            with contextlib.suppress(CatalogError):
                reserve(database, table_ids, transaction_id)

    keeper = threading.Thread(target=extend, name="icemelt-reservation", daemon=True)
    keeper.start()
    try:
        yield
    finally:
        ended.set()
        keeper.join()
        with contextlib.suppress(CatalogError):
            release(database, transaction_id)
