"""The pause between a lost race and the next attempt: sessions that race must not stay in step."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

__all__ = ["LONGEST_PAUSE", "pause_after"]

LONGEST_PAUSE = 0.32
_FIRST = 0.005


def pause_after(number: int, raise_if_cancelled: Callable[[], None]) -> None:
    """Wait for a random time, which may be twice as long after each lost attempt.

    Two sessions that begin again at once and take as long as each other meet again at the end; the
    one that was first once is first again, eight times.

    Args:
        number: how many attempts were lost, from 1.
        raise_if_cancelled: raises where the statement was cancelled.
    """
    raise_if_cancelled()
    most = min(_FIRST * 2**number, LONGEST_PAUSE)
    time.sleep(random.uniform(0, most))  # noqa: S311 - no secret
