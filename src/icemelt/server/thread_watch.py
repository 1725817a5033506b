"""Whether the machine still gives the process threads: a server without threads is of little use.

Requests, health checks and flushes have threads from the beginning, and go on. Statements, the next
Spark and much of Java need new threads.
"""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, field

from icemelt.errors import NoThreads
from icemelt.jobs import Job, do_once

__all__ = ["ThreadWatch"]

_LOGGER = logging.getLogger("icemelt.server")
# the seconds between two tries to start a thread, and after a try that failed
_LOOK_SECONDS, _LOOK_AGAIN_SECONDS = 5.0, 1.0
# after so many seconds without a thread the server is to be started anew
_PATIENCE_SECONDS = 20.0


@dataclass(slots=True)
class ThreadWatch:
    """Starts a thread now and then, which ends at once, and notes since when none has started.

    >>> watch = ThreadWatch()
    >>> watch.lacks_threads, watch.is_starved
    (False, False)
    >>> watch.close()
    """

    _since: float | None = None
    _job: Job = field(init=False)

    def __post_init__(self) -> None:
        self._job = Job("icemelt-threads", self._look, every=_LOOK_SECONDS).start()

    @property
    def lacks_threads(self) -> bool:
        """Whether no thread could start at the last try."""
        return self._since is not None

    @property
    def is_starved(self) -> bool:
        """Whether no thread could start for a while."""
        since = self._since
        return since is not None and time.monotonic() - since > _PATIENCE_SECONDS

    def close(self) -> None:
        """End the watch."""
        self._job.stop()

    def _look(self) -> float | None:
        try:
            do_once("icemelt-thread", lambda: None).start()
        except NoThreads as error:
            if self._since is None:
                _LOGGER.error("%s %s", error.message, error.hint)  # noqa: TRY400
                self._since = time.monotonic()
            return _LOOK_AGAIN_SECONDS
        if self._since is not None:
            _LOGGER.warning("The machine gives this process threads again.")
            self._since = None
        return None
