"""The pauses between attempts: short, random, and over when the statement is cancelled."""

from __future__ import annotations

import time

import pytest

from icemelt.errors import StatementCancelled
from icemelt.transactions.pauses import LONGEST_PAUSE, pause_after


def seconds(number: int) -> float:
    begin = time.monotonic()
    pause_after(number, lambda: None)
    return time.monotonic() - begin


def test_a_pause_is_of_random_length_and_bounded() -> None:
    first = [seconds(1) for _ in range(20)]
    # at most 10 ms, and what the machine needs to wake a thread up
    assert min(first) < 0.01
    assert len({round(each, 3) for each in first}) > 1
    assert seconds(60) < LONGEST_PAUSE + 0.2


def test_a_cancelled_statement_does_not_wait() -> None:
    def cancel() -> None:
        raise StatementCancelled("It was.", hint="Run it again.")

    with pytest.raises(StatementCancelled):
        pause_after(8, cancel)
