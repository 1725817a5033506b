"""Jobs: turns, waking, failures, their end."""

from __future__ import annotations

import gc
import logging
import signal
import subprocess
import sys
import threading
import time

import pytest
from waiting import wait_until

from icemelt.errors import CatalogUnavailable
from icemelt.jobs import UNTIL_WOKEN, Job, do_once

PATIENCE_SECONDS = 10


class Turns:
    """Work that counts its turns and fails in some of them."""

    def __init__(self, *failing: int, error: type[Exception] = ValueError) -> None:
        self.at: list[float] = []
        self.failing = failing
        self.error = error

    def __call__(self) -> None:
        self.at.append(time.monotonic())
        if len(self.at) in self.failing:
            raise self.error("no luck")

    def wait(self, count: int) -> None:
        wait_until(lambda: len(self.at) >= count, PATIENCE_SECONDS)


def test_turns_come_with_a_period_between_them() -> None:
    turns = Turns()
    job = Job("periodic", turns, every=0.05).start()
    turns.wait(4)
    assert job.stop(PATIENCE_SECONDS)
    assert turns.at[3] - turns.at[0] >= 3 * 0.05


def test_the_first_turn_comes_after_the_delay() -> None:
    turns, began = Turns(), time.monotonic()
    job = Job("late", turns, every=0.01, delay=0.2).start()
    turns.wait(1)
    assert turns.at[0] - began >= 0.2
    job.stop(PATIENCE_SECONDS)


def test_a_job_that_waits_to_be_woken_has_a_turn_for_each_call_but_those_in_the_same_wait() -> None:
    turns = Turns()
    job = Job("woken", turns, delay=UNTIL_WOKEN).start()
    time.sleep(0.05)
    assert turns.at == []
    for count in (1, 2, 3):
        job.wake()
        job.wake()
        turns.wait(count)
        time.sleep(0.05)
        # a second call may come after the first one was heard
        assert count <= len(turns.at) <= 2 * count
    assert job.is_woken
    job.stop(PATIENCE_SECONDS)


def test_a_call_during_a_turn_is_not_lost() -> None:
    turns, is_in, go_on = [], threading.Event(), threading.Event()

    def work() -> None:
        turns.append(1)
        is_in.set()
        go_on.wait(PATIENCE_SECONDS)

    job = Job("busy", work).start()
    assert is_in.wait(PATIENCE_SECONDS)
    job.wake()
    go_on.set()
    wait_until(lambda: len(turns) == 2, PATIENCE_SECONDS)
    job.stop(PATIENCE_SECONDS)


def test_a_turn_may_say_when_the_next_one_is() -> None:
    pauses = iter((0.0, 0.1, UNTIL_WOKEN))
    at: list[float] = []

    def work() -> float:
        at.append(time.monotonic())
        return next(pauses)

    job = Job("own pace", work, every=60).start()
    wait_until(lambda: len(at) == 3, PATIENCE_SECONDS)
    assert at[2] - at[1] >= 0.1
    assert not job.is_woken
    job.stop(PATIENCE_SECONDS)


def test_a_failing_turn_is_told_and_the_next_one_comes_after_a_growing_pause(
    caplog: pytest.LogCaptureFixture,
) -> None:
    turns = Turns(1, 2, 3)
    with caplog.at_level(logging.INFO, "icemelt.jobs"):
        job = Job("unlucky", turns, every=0.01, consequence="nothing is kept").start()
        turns.wait(5)
    assert job.is_alive()
    assert job.failures == 0
    job.stop(PATIENCE_SECONDS)
    pauses = [after - before for before, after in zip(turns.at, turns.at[1:], strict=False)]
    assert pauses[0] >= 0.1
    assert pauses[1] >= 0.2
    assert pauses[2] >= 0.4
    told = [each.getMessage() for each in caplog.records]
    assert told == ["Job unlucky failed; nothing is kept."] * 3
    assert all(each.exc_info for each in caplog.records)


def test_the_pause_after_failures_has_an_end(caplog: pytest.LogCaptureFixture) -> None:
    turns = Turns(*range(1, 9))
    job = Job("bounded", turns, every=60, longest_pause=0.1).start()
    turns.wait(9)
    assert turns.at[8] - turns.at[0] < 5
    job.stop(PATIENCE_SECONDS)
    assert len(caplog.records) == 8


def test_an_error_of_the_catalog_is_told_in_a_line(caplog: pytest.LogCaptureFixture) -> None:
    def work() -> None:
        raise CatalogUnavailable("The catalog is away.", hint="Wait.")

    with caplog.at_level(logging.INFO, "icemelt.jobs"):
        job = Job("far", work, consequence="it is tried again").start()
        wait_until(lambda: bool(caplog.records), PATIENCE_SECONDS)
        job.stop(PATIENCE_SECONDS)
    [told] = {each.getMessage() for each in caplog.records}
    assert told == "Job far failed; it is tried again: The catalog is away."
    assert not caplog.records[0].exc_info


@pytest.mark.parametrize("wait", [3600.0, UNTIL_WOKEN])
def test_a_stop_during_a_wait_ends_at_once(wait: float) -> None:
    turns = Turns()
    job = Job("idle", turns, every=wait).start()
    turns.wait(1)
    began = time.monotonic()
    assert job.stop(PATIENCE_SECONDS)
    assert time.monotonic() - began < 1
    assert len(turns.at) == 1


def test_a_stop_before_the_first_turn_has_no_turn() -> None:
    turns = Turns()
    job = Job("never", turns, delay=60).start()
    assert job.stop(PATIENCE_SECONDS)
    assert turns.at == []


def test_a_stop_has_a_deadline(caplog: pytest.LogCaptureFixture) -> None:
    go_on = threading.Event()
    job = Job("slow", lambda: float(go_on.wait(PATIENCE_SECONDS))).start()
    began = time.monotonic()
    assert not job.stop(0.1)
    assert time.monotonic() - began < 5
    assert "Job slow goes on 0.1 s after it was to end." in caplog.messages
    go_on.set()
    job.join(PATIENCE_SECONDS)
    assert not job.is_alive()


def test_what_is_left_is_done_at_the_end_whoever_ends_it() -> None:
    done: list[str] = []
    job = Job("drained", lambda: None, at_end=lambda: done.append("stopped")).start()
    job.stop(PATIENCE_SECONDS)

    def end() -> None:
        own.end()

    own = Job("own end", end, at_end=lambda: done.append("ended"))
    own.start().join(PATIENCE_SECONDS)
    assert done == ["stopped", "ended"]


def test_a_job_may_stop_itself() -> None:
    told: list[bool] = []
    job = Job("own stop", lambda: told.append(job.stop()))
    job.start().join(PATIENCE_SECONDS)
    assert not job.is_alive()
    assert told == [False]


def test_once_is_once_also_where_it_fails(caplog: pytest.LogCaptureFixture) -> None:
    turns = Turns(1)
    job = do_once("single", turns, consequence="the answer is not known").start()
    job.join(PATIENCE_SECONDS)
    assert not job.is_alive()
    assert len(turns.at) == 1
    assert caplog.messages == ["Job single failed; the answer is not known."]


def test_once_is_never_where_it_is_ended_before() -> None:
    turns = Turns()
    job = do_once("cancelled", turns, delay=0.2).start()
    job.end()
    job.join(PATIENCE_SECONDS)
    time.sleep(0.25)
    assert turns.at == []


def test_an_event_of_its_owner_ends_a_job_at_once() -> None:
    ended, turns = threading.Event(), Turns()
    job = Job("owned", turns, every=60, until=ended).start()
    turns.wait(1)
    ended.set()
    job.join(PATIENCE_SECONDS)
    assert not job.is_alive()
    other = Job("ended itself", turns, every=60, until=threading.Event()).start()
    turns.wait(2)
    assert other.stop(PATIENCE_SECONDS)


def test_the_garbage_collector_may_end_a_job_that_waits() -> None:
    class Owner:
        def __init__(self, job: Job) -> None:
            self.job, self.circle = job, self

        def __del__(self) -> None:
            self.job.end()

    job = Job("of nobody", lambda: None, every=60).start()
    owner = Owner(job)
    del owner
    gc.collect()
    job.join(PATIENCE_SECONDS)
    assert not job.is_alive()


PROGRAM = """
import signal, sys, time
from icemelt.jobs import Job
job = Job("of a signal", lambda: print("turn", flush=True))
signal.signal(signal.SIGUSR1, lambda *_: job.wake())
signal.signal(signal.SIGUSR2, lambda *_: job.end())
signal.signal(signal.SIGALRM, lambda *_: sys.exit(1))
signal.alarm(60)
job.start()
while job.is_alive():
    time.sleep(0.01)
"""


def test_a_signal_may_wake_and_end_a_job() -> None:
    command = [sys.executable, "-c", PROGRAM]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        for _ in range(20):
            assert program.stdout.readline() == "turn\n"
            program.send_signal(signal.SIGUSR1)
        program.send_signal(signal.SIGUSR2)
        program.communicate(timeout=60)
        assert program.returncode == 0


def test_a_process_does_not_wait_for_a_turn_at_its_end() -> None:
    text = (
        "import time; from icemelt.jobs import Job; Job('endless', lambda: time.sleep(600)).start()"
    )
    began = time.monotonic()
    subprocess.run([sys.executable, "-c", text], check=True, timeout=60)
    assert time.monotonic() - began < 60


def test_no_job_begins_at_the_end_of_the_interpreter() -> None:
    text = (
        "import threading, atexit; from icemelt.jobs import do_once\n"
        "threading._register_atexit(lambda: atexit.register(\n"
        "  lambda: print(do_once('late', print).try_start())))"
    )
    done = subprocess.run([sys.executable, "-c", text], check=True, capture_output=True, text=True)
    # since 3.12; a Python before that starts it
    assert done.stdout.strip() == ("False" if sys.version_info >= (3, 12) else "True")
