"""The pauses between attempts: short, random, and over when the statement is cancelled."""

from __future__ import annotations

import time

import pytest

from icemelt.errors import StatementCancelled
from icemelt.transactions.pauses import LONGEST_PAUSE, retry_lost_races


class Lost(Exception):
    """A lost race."""


def is_lost(error: BaseException) -> bool:
    return isinstance(error, Lost)


def seconds(number: int) -> float:
    """Return how long the pause is after so many lost attempts."""
    began = 0.0
    left = number

    def work() -> float:
        nonlocal began, left
        if left:
            began, left = time.monotonic(), left - 1
            raise Lost
        return time.monotonic() - began

    # the pauses before are left out
    retrying = retry_lost_races(is_lost, number + 1, lambda: None, waits=lambda: left < 1)
    return retrying(work)


def test_a_pause_is_of_random_length_and_bounded() -> None:
    first = [seconds(1) for _ in range(20)]
    # at most 10 ms, and what the machine needs to wake a thread up
    assert min(first) < 0.01
    assert len({round(each, 3) for each in first}) > 1
    assert seconds(60) < LONGEST_PAUSE + 0.2


def test_a_cancelled_statement_does_not_wait() -> None:
    def cancel() -> None:
        raise StatementCancelled("It was.", hint="Run it again.")

    def lose() -> None:
        raise Lost

    with pytest.raises(StatementCancelled):
        retry_lost_races(is_lost, 8, cancel)(lose)


def test_the_last_attempt_and_other_errors_pass() -> None:
    tried = []

    def lose() -> None:
        tried.append(1)
        raise Lost

    with pytest.raises(Lost):
        retry_lost_races(is_lost, 3, lambda: None)(lose)
    assert len(tried) == 3
    with pytest.raises(ZeroDivisionError):
        retry_lost_races(is_lost, 3, lambda: None)(lambda: 1 // 0)
