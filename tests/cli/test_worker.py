"""Ctrl-C reaches the waiting thread at once and cancels the task."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable

import pytest

from icemelt.cli.worker import Abandoned, Worker


@pytest.fixture
def press() -> Callable[[float], None]:
    """Press Ctrl-C after some seconds."""

    def later(seconds: float) -> None:
        arguments = (os.getpid(), signal.SIGINT)
        threading.Timer(seconds, os.kill, arguments).start()

    return later


def test_a_task_gives_its_result_or_its_error() -> None:
    worker = Worker()

    assert worker.wait(worker.start(lambda: 41 + 1), pytest.fail) == 42
    assert isinstance(worker.wait(worker.start(lambda: int("one")), pytest.fail), ValueError)


def test_control_c_cancels_until_the_task_ends(press: Callable[[float], None]) -> None:
    calls: list[float] = []
    ended = threading.Event()

    def cancel() -> None:
        calls.append(time.monotonic())
        if len(calls) == 3:
            ended.set()

    worker = Worker()
    press(0.1)

    assert worker.wait(worker.start(lambda: ended.wait(10)), cancel) is True
    assert len(calls) == 3


def test_the_third_control_c_waits_no_longer(press: Callable[[float], None]) -> None:
    ended = threading.Event()
    worker = Worker()
    for seconds in (0.1, 0.3, 0.5):
        press(seconds)

    with pytest.raises(Abandoned):
        worker.wait(worker.start(lambda: ended.wait(30)), lambda: None)
    ended.set()
