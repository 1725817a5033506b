"""Hear of publications at once: PostgreSQL's LISTEN and NOTIFY.

Each publication sends a notification in its SQL transaction, which the server passes on at the
commit. A notification says only that there is news: who hears it looks, as who polls does. So
nothing is lost with a connection but speed. SQLite has no such thing, nor has a pooler that gives
each transaction another connection.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
import sqlalchemy as sa

from icemelt.catalog.database import Database
from icemelt.catalog.model import PUBLICATIONS
from icemelt.errors import CatalogUnavailable
from icemelt.jobs import Job

__all__ = ["PublicationListener"]

_NAME = "icemelt-listener"
# how long an end of the listener waits for its thread to look up
_WAIT_SECONDS = 0.5
# until a connection that was cut without a word is known to be gone
_KEEPALIVE = {"keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3}


class PublicationListener:
    """Listens on a connection of its own, and connects again where the connection is lost."""

    def __init__(self, database: Database, on_news: Callable[[], object], pause: float) -> None:
        """Prepare a listener.

        Args:
            database: the catalog's database.
            on_news: called in the listener's thread after one or more publications, and each time
                the listener begins or ceases to hear.
            pause: the least seconds between two calls after publications.
        """
        self._engine, self._on_news, self._pause = database.engine, on_news, pause
        self._connection: psycopg.Connection[Any] | None = None
        self._job = Job(
            _NAME,
            self._turn,
            every=pause,
            consequence="tasks are looked for by polling meanwhile",
            longest_pause=5.0,
            at_end=self._close,
        )

    def start(self) -> None:
        """Start the thread; on a database without notifications do nothing.

        Raises:
            NoThreads: the machine gives the process no more threads.
        """
        if self._engine.dialect.name == "postgresql":
            self._job.start()

    def stop(self, seconds: float) -> bool:
        """Stop listening; return whether the thread has ended after so many seconds."""
        return self._job.stop(seconds)

    @property
    def is_listening(self) -> bool:
        """Whether publications are heard of now."""
        return self._connection is not None

    def _turn(self) -> float:
        """Wait for a publication, for a while; return the seconds until the next turn."""
        try:
            if self._connection is None:
                self._connection = _listen(self._engine)
                # what was published before the begin
                self._on_news()
            heard = list(self._connection.notifies(timeout=_WAIT_SECONDS, stop_after=1))
        except psycopg.Error as error:
            self._close()
            self._on_news()
            raise CatalogUnavailable(
                f"The catalog's database tells of no publications: {error}".strip(),
                hint="Tasks are looked for by polling meanwhile.",
            ) from error
        if not heard:
            return 0
        self._on_news()
        return self._pause

    def _close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()


def _listen(engine: sa.Engine) -> psycopg.Connection[Any]:
    """Return a connection of its own that hears of publications."""
    positional, named = engine.dialect.create_connect_args(engine.url)
    connection = psycopg.connect(*positional, **{**named, **_KEEPALIVE}, autocommit=True)
    try:
        connection.execute(f"LISTEN {PUBLICATIONS}")
    except BaseException:
        connection.close()
        raise
    return connection
