"""What the server serves: one lake, and what it lets clients do."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field

from icemelt.catalog.database import Database
from icemelt.catalog.keys import verified
from icemelt.catalog.records import KeyRecord
from icemelt.ingest.ingestor import Ingestor
from icemelt.server.running import Statements
from icemelt.server.supervision import Supervisor

__all__ = ["Access", "Served"]

# a key that was revoked is refused after so many seconds at the latest
_REMEMBERED_SECONDS = 1.0
_MOST_REMEMBERED = 10_000


@dataclass(slots=True)
class Access:
    """Who may come in: the holders of keys, or everybody where it `is_open`."""

    database: Database
    is_open: bool = False
    _seen: dict[str, tuple[float, KeyRecord]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def remembered(self, text: str) -> KeyRecord | None:
        """Return the key that a text is, where it was asked for just now."""
        with self._lock:
            seen = self._seen.get(text)
        if seen is not None and time.monotonic() - seen[0] < _REMEMBERED_SECONDS:
            return seen[1]
        return None

    def key(self, text: str) -> KeyRecord | None:
        """Return the key in force that a text is, None where it is none."""
        now = time.monotonic()
        with self.database.read() as connection:
            found = verified(connection, text)
        with self._lock:
            self._seen.pop(text, None)
            if found is not None:
                if len(self._seen) >= _MOST_REMEMBERED:
                    self._seen.clear()
                self._seen[text] = (now, found)
        return found


@dataclass(frozen=True, slots=True)
class Served:
    """A lake: its ingestor and statements, and the `supervisor` of the Spark that both stand on.

    `most_bytes` is how large a request's body may be.
    """

    database: Database
    ingestor: Ingestor
    statements: Statements
    supervisor: Supervisor
    access: Access
    most_bytes: int = 64 << 20
