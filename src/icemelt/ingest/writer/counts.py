"""What an ingestor has done since it began, and what waits, in numbers."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

__all__ = ["Counts", "Waiting"]


@dataclass(slots=True)
class Counts:
    """Sums over all channels; they only grow. Seconds are those that commits took."""

    rows_appended: int = 0
    rows_refused: int = 0
    rows_committed: int = 0
    commits: int = 0
    failures: int = 0
    commit_seconds: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def appended(self, rows: int, refused: int) -> None:
        """Count the rows of an append."""
        with self._lock:
            self.rows_appended += rows
            self.rows_refused += refused

    def committed(self, rows: int, seconds: float) -> None:
        """Count a commit."""
        with self._lock:
            self.commits += 1
            self.rows_committed += rows
            self.commit_seconds += seconds

    def failed(self) -> None:
        """Count a commit that did not come about."""
        with self._lock:
            self.failures += 1


@dataclass(frozen=True, slots=True)
class Waiting:
    """What waits to be committed now; `seconds` is how long the oldest row has."""

    channels: int
    tables: int
    bytes: int
    seconds: float
