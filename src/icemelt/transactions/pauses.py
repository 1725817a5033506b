"""Attempts after lost races, with a pause before each: sessions that race must not stay in step."""

from __future__ import annotations

import time
from collections.abc import Callable

import tenacity

__all__ = ["LONGEST_PAUSE", "retry_lost_races"]

LONGEST_PAUSE = 0.32
_PAUSE = tenacity.wait_random_exponential(multiplier=0.01, max=LONGEST_PAUSE)


def retry_lost_races(
    is_lost: Callable[[BaseException], bool],
    attempts: int,
    raise_if_cancelled: Callable[[], None],
    waits: Callable[[], bool] = lambda: True,
) -> tenacity.Retrying:
    """Return what calls work until it wins its race; the error of the last attempt passes.

    Between two attempts it waits for a random time, which may be twice as long after each lost one.
    Two sessions that begin again at once and take as long as each other meet again at the end; the
    one that was first once is first again, eight times.

    Args:
        is_lost: tells whether an error of the work is a lost race.
        attempts: how many attempts there are.
        raise_if_cancelled: raises where the statement was cancelled; asked before each pause.
        waits: tells whether there is a pause before the next attempt.

    >>> tried = []
    >>> def work() -> int:
    ...     tried.append(1)
    ...     return 1 // (len(tried) - 1)
    >>> retry_lost_races(lambda error: isinstance(error, ZeroDivisionError), 2, lambda: None)(work)
    1
    """

    def pause(seconds: float) -> None:
        raise_if_cancelled()
        time.sleep(seconds)

    return tenacity.Retrying(
        retry=tenacity.retry_if_exception(is_lost),
        stop=tenacity.stop_after_attempt(attempts),
        wait=lambda state: _PAUSE(state) if waits() else 0,
        sleep=pause,
        reraise=True,
    )
