"""A log that clients cannot fill: one line for each cause in some seconds, and a count."""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import dataclass, field

__all__ = ["QuietLog"]

_SECONDS = 10.0
# the most clients with a line of their own within these seconds
_MOST_CLIENTS = 100
_OTHERS = "other clients"


@dataclass(slots=True)
class QuietLog:
    """Writes a line for each cause at most every `seconds`, and the number of lines left out.

    >>> log = QuietLog(logging.getLogger("icemelt.server"))
    >>> log.note("10.0.0.1", "It sent no HTTP request"), log.note("10.0.0.1", "Neither here")
    (True, False)
    """

    logger: logging.Logger
    seconds: float = _SECONDS
    _left_out: dict[str, int] = field(default_factory=dict)
    _since: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, cause: str, text: str) -> bool:
        """Write a warning, unless the cause had a warning within the seconds; tell whether written.

        `cause` is the subject of the line: a client's address, or the catalog.
        """
        with self._lock:
            self._begin_anew(time.monotonic())
            if cause not in self._left_out and len(self._left_out) >= _MOST_CLIENTS:
                cause = _OTHERS
            is_first = cause not in self._left_out
            self._left_out[cause] = self._left_out.get(cause, -1) + 1
        if is_first:
            self.logger.warning("%s: %s", cause, text)
        return is_first

    def _begin_anew(self, now: float) -> None:
        """Log the number of lines left out, after the seconds are over; the lock is held."""
        if now - self._since < self.seconds:
            return
        left_out = sum(self._left_out.values())
        if left_out:
            self.logger.warning(
                "%d more lines like these were left out, of %d causes.",
                left_out,
                sum(count > 0 for count in self._left_out.values()),
            )
        self._left_out.clear()
        self._since = now
