"""The state of a server: one lake with its ingestor, statements and Spark, and the access rules."""

from __future__ import annotations

import tempfile
import threading
import time
from dataclasses import dataclass, field
from functools import partial

from icemelt.catalog.activity_records import KeyRecord
from icemelt.catalog.database import Database
from icemelt.catalog.keys import verify_key
from icemelt.errors import CatalogUnavailable
from icemelt.ingest.writer.ingestor import Ingestor
from icemelt.observe.emitting import emit
from icemelt.observe.events import CatalogErrorTolerated
from icemelt.server.event_counters import EventCounters
from icemelt.server.large_pages import LargePages
from icemelt.server.origins import LOOPBACK, Hosts
from icemelt.server.running import Statements
from icemelt.server.slow_bodies import SlowBodies
from icemelt.server.supervision import Supervisor
from icemelt.server.thread_watch import ThreadWatch
from icemelt.server.threads import Threads
from icemelt.server.unread import UnreadAnswers
from icemelt.server.waits import Waits
from icemelt.session.tasks.scheduler import Scheduler

__all__ = ["EVERYBODY", "Access", "ServerState"]

# the key of every request to a server without keys
EVERYBODY = KeyRecord("everybody", "everybody", 0)
# a revoked key is refused after so many seconds at the latest
_REMEMBERED_SECONDS = 1.0
# while the catalog is away no key can be revoked: a key in force just before may go on
_REMEMBERED_AWAY_SECONDS = 60.0
# for so long an absent catalog is not asked again about a remembered key
_AWAY_SECONDS = 1.0
_MOST_REMEMBERED = 10_000


@dataclass(slots=True)
class Access:
    """Access to the server: for the holders of keys, or for everybody if `is_open` is true.

    If `is_open` is true, requests have to name one of the `hosts`.
    """

    database: Database
    is_open: bool = False
    hosts: Hosts = field(default_factory=partial(Hosts, LOOPBACK))
    _seen: dict[str, tuple[float, KeyRecord]] = field(default_factory=dict)
    _away_since: float = float("-inf")
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def find_remembered(self, text: str) -> KeyRecord | None:
        """Return the key of a text, if the key was looked up within the last second.

        While the catalog is away, a look-up within the last minute is good enough.
        """
        now = time.monotonic()
        is_away = now - self._away_since < _AWAY_SECONDS
        return self._seen_since(
            text, now - (_REMEMBERED_AWAY_SECONDS if is_away else _REMEMBERED_SECONDS)
        )

    def is_known(self, text: str) -> bool:
        """Tell whether a text was a key in force at the last look-up."""
        return self._seen_since(text, float("-inf")) is not None

    def key(self, text: str) -> KeyRecord | None:
        """Look up a key by its text; return None for a text that is no key in force.

        Raises:
            CatalogUnavailable: the catalog is away, and the key was not looked up lately.
        """
        now = time.monotonic()
        try:
            with self.database.read() as connection:
                key = verify_key(connection, text)
        except CatalogUnavailable as error:
            self._away_since = time.monotonic()
            remembered = self._seen_since(text, now - _REMEMBERED_AWAY_SECONDS)
            if remembered is None:
                raise
            emit(CatalogErrorTolerated("ask for a key", error.code, error.message))
            return remembered
        self._away_since = float("-inf")
        self._remember(text, key, now)
        return key

    def _seen_since(self, text: str, moment: float) -> KeyRecord | None:
        with self._lock:
            remembered = self._seen.get(text)
        return remembered[1] if remembered is not None and remembered[0] > moment else None

    def _remember(self, text: str, key: KeyRecord | None, now: float) -> None:
        with self._lock:
            self._seen.pop(text, None)
            if key is not None:
                if len(self._seen) >= _MOST_REMEMBERED:
                    self._seen.clear()
                self._seen[text] = (now, key)


@dataclass(frozen=True, slots=True)
class ServerState:
    """The parts of a server: a lake's ingestor and statements, and the `supervisor` of their Spark.

    Requests run in `threads`; `thread_watch` tells whether the machine has more. `health_database`
    is the catalog by connections of health checks alone. `most_bytes` is the limit of a request's
    body, `unread` the limit of answers with rows, `large_pages` the turns of those with many
    values, `slow_bodies` the turns of JSON rows that Python reads. Answers hide folders, but show
    paths below `locations`, where COPY INTO reads and writes. `counters` are the counts of events,
    `waits` the waits of requests. `scheduler` runs tasks, None where the server runs none.
    """

    database: Database
    ingestor: Ingestor
    statements: Statements
    supervisor: Supervisor
    access: Access
    threads: Threads
    thread_watch: ThreadWatch
    health_database: Database
    most_bytes: int = 64 << 20
    unread: UnreadAnswers = field(default_factory=UnreadAnswers)
    locations: tuple[str, ...] = ()
    counters: EventCounters = field(default_factory=EventCounters)
    large_pages: LargePages = field(default_factory=LargePages)
    slow_bodies: SlowBodies = field(default_factory=SlowBodies)
    waits: Waits = field(default_factory=Waits)
    scheduler: Scheduler | None = None

    @property
    def hidden(self) -> tuple[str, ...]:
        """The folders of the server, hidden from all answers."""
        return self.database.warehouse, tempfile.gettempdir()
