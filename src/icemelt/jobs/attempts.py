"""The turns of background work, one after the other: a failure is logged, and the pauses grow."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass

from icemelt.errors import IcemeltError

__all__ = ["LONGEST_PAUSE", "Attempts"]

LONGEST_PAUSE = 30.0
_FIRST_PAUSE = 0.1
# 2 to the power of more is longer than any pause
_MOST_DOUBLINGS = 16
_LOGGER = logging.getLogger("icemelt.jobs")


@dataclass(slots=True)
class Attempts:
    """Calls work that has no caller: a failure is logged with its consequence, and never raised.

    Attributes:
        name: the name of the work in logs.
        consequence: what a failed turn means for users, as a clause for the log.
        longest_pause: the most seconds between a failed turn and the next.
        failures: failed turns since the last turn without a failure.

    >>> attempts = Attempts("example", "it is tried again")
    >>> attempts.take_turn(lambda: 5.0, every=60.0), attempts.take_turn(lambda: None, every=60.0)
    (5.0, 60.0)
    """

    name: str
    consequence: str
    longest_pause: float = LONGEST_PAUSE
    failures: int = 0

    def take_turn(self, work: Callable[[], float | None], every: float) -> float:
        """Call `work`; return the seconds until the next turn.

        Args:
            work: one turn. Returns the seconds until the next turn, None for `every`.
            every: the seconds between turns.
        """
        is_done, seconds = self.run(work)
        if not is_done:
            pause = _FIRST_PAUSE * float(1 << min(self.failures - 1, _MOST_DOUBLINGS))
            return min(pause, self.longest_pause)
        self.failures = 0
        return every if seconds is None else seconds

    def run(self, work: Callable[[], object]) -> tuple[bool, float | None]:
        """Call `work`, and log a failure; return success, and the seconds returned by `work`."""
        try:
            result = work()
        except IcemeltError as error:
            self.failures += 1
            _LOGGER.info("Job %s failed; %s: %s", self.name, self.consequence, error.message)
        except Exception:
            # the thread has no caller, and without the thread the work would not be done any more
            self.failures += 1
            _LOGGER.exception("Job %s failed; %s.", self.name, self.consequence)
        else:
            return True, result if isinstance(result, int | float) else None
        return False, None
