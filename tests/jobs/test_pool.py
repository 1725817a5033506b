"""A pool of threads: turns by owner, waking, failures, the end."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator

import pytest
from jobs.test_job import PATIENCE_SECONDS, Turns
from waiting import wait_until

from icemelt.jobs import UNTIL_WOKEN, JobPool


@pytest.fixture
def pool() -> Iterator[JobPool]:
    pool = JobPool("test", size=3, spare=1)
    yield pool
    assert pool.stop(PATIENCE_SECONDS)


@pytest.fixture
def single() -> Iterator[JobPool]:
    pool = JobPool("test", size=1)
    yield pool
    assert pool.stop(PATIENCE_SECONDS)


def test_a_thousand_jobs_have_the_threads_of_the_pool(pool: JobPool) -> None:
    before, threads, done = threading.active_count(), set(), []

    def work() -> None:
        threads.add(threading.get_ident())
        done.append(1)

    for number in range(1_000):
        pool.add(str(number), work)
    wait_until(lambda: len(done) == 1_000, PATIENCE_SECONDS)
    assert threading.active_count() - before <= 3
    assert len(threads) <= 3


def test_an_owner_with_many_jobs_is_not_before_an_owner_with_one(single: JobPool) -> None:
    order: list[str] = []
    is_in, go_on = threading.Event(), threading.Event()

    def block() -> None:
        is_in.set()
        go_on.wait(PATIENCE_SECONDS)

    single.add("first", block)
    assert is_in.wait(PATIENCE_SECONDS)
    for owner in ["many"] * 800 + ["one"]:
        single.add(owner, lambda owner=owner: order.append(owner), owners=lambda o=owner: (o,))
    go_on.set()
    wait_until(lambda: len(order) == 801, PATIENCE_SECONDS)
    assert order.index("one") == 1


def test_a_job_in_line_begins_at_once_for_a_further_owner(pool: JobPool) -> None:
    go_on, owners, done = threading.Event(), ["busy"], threading.Event()
    begun: list[int] = []

    def block() -> None:
        begun.append(1)
        go_on.wait(PATIENCE_SECONDS)

    for number in range(2):
        pool.add(str(number), block, owners=lambda: ("busy",))
    wait_until(lambda: len(begun) == 2, PATIENCE_SECONDS)
    shared = pool.add("shared", done.set, owners=lambda: tuple(owners))
    # the one free thread is kept for others than the busy owner
    assert not done.wait(0.2)
    owners.append("other")
    shared.wake()
    # long before a busy thread is free
    assert done.wait(PATIENCE_SECONDS / 3)
    go_on.set()


def test_a_job_of_two_owners_runs_once_in_the_turn_of_either(single: JobPool) -> None:
    order: list[str] = []
    is_in, go_on = threading.Event(), threading.Event()

    def block() -> None:
        is_in.set()
        go_on.wait(PATIENCE_SECONDS)

    single.add("first", block)
    assert is_in.wait(PATIENCE_SECONDS)
    for number in range(20):
        single.add("many", lambda: order.append("many"), owners=lambda: ("many",))
        if number == 10:
            # who appends to another's table keeps that table's rows from no turn
            single.add("both", lambda: order.append("both"), owners=lambda: ("many", "one"))
    go_on.set()
    wait_until(lambda: len(order) == 21, PATIENCE_SECONDS)
    assert order.index("both") == 1
    time.sleep(0.05)
    assert order.count("both") == 1


def test_the_last_thread_is_for_an_owner_without_a_turn_under_way(pool: JobPool) -> None:
    begun: list[str] = []
    go_on = threading.Event()

    def block() -> None:
        begun.append("many")
        go_on.wait(PATIENCE_SECONDS)

    for _ in range(5):
        pool.add("many", block, owners=lambda: ("many",))
    wait_until(lambda: len(begun) == 2, PATIENCE_SECONDS)
    pool.add("one", lambda: begun.append("one"), owners=lambda: ("one",))
    wait_until(lambda: "one" in begun, PATIENCE_SECONDS)
    assert begun == ["many", "many", "one"]
    go_on.set()
    wait_until(lambda: begun.count("many") == 5, PATIENCE_SECONDS)


def test_no_two_turns_of_a_job_run_at_once_however_often_it_is_woken(pool: JobPool) -> None:
    at_once, most, turns = 0, 0, 0
    lock = threading.Lock()

    def work() -> None:
        nonlocal at_once, most, turns
        with lock:
            at_once, turns = at_once + 1, turns + 1
            most = max(most, at_once)
        time.sleep(0.005)
        with lock:
            at_once -= 1

    job = pool.add("woken", work)
    ends = time.monotonic() + 0.5
    while time.monotonic() < ends:
        job.wake()
    assert job.stop(PATIENCE_SECONDS)
    assert turns > 10
    assert most == 1


def test_a_call_during_a_turn_is_another_turn(pool: JobPool) -> None:
    turns: list[bool] = []
    is_in, go_on = threading.Event(), threading.Event()

    def work() -> None:
        turns.append(job.is_woken)
        is_in.set()
        go_on.wait(PATIENCE_SECONDS)

    job = pool.add("busy", work, delay=UNTIL_WOKEN)
    job.wake()
    assert is_in.wait(PATIENCE_SECONDS)
    job.wake()
    go_on.set()
    wait_until(lambda: turns == [True, True], PATIENCE_SECONDS)
    time.sleep(0.05)
    assert len(turns) == 2


def test_turns_come_with_a_period_and_a_call_may_set_a_time_before_it(pool: JobPool) -> None:
    turns = Turns()
    job = pool.add("periodic", turns, every=0.05)
    turns.wait(4)
    assert turns.at[3] - turns.at[0] >= 3 * 0.05
    job.stop(PATIENCE_SECONDS)
    later = Turns()
    job = pool.add("later", later, every=UNTIL_WOKEN, delay=60)
    began = time.monotonic()
    job.wake(0.2)
    # a later time than the one that is set changes nothing
    job.wake(30)
    later.wait(1)
    assert 0.2 <= later.at[0] - began < 5
    assert job.is_woken


def test_times_that_are_set_anew_leave_nothing_behind(pool: JobPool) -> None:
    job = pool.add("woken", lambda: None, delay=10_000)
    for number in range(5_000):
        job.wake(9_000 - number)
    assert len(pool._times) < 200
    turns = Turns()
    other = pool.add("other", turns, delay=0.05)
    turns.wait(1)
    assert job.due < UNTIL_WOKEN
    assert not job.is_woken
    other.end()


def test_a_failing_turn_is_told_and_the_next_one_comes_after_a_growing_pause(
    pool: JobPool, caplog: pytest.LogCaptureFixture
) -> None:
    turns, others = Turns(1, 2, 3), Turns()
    with caplog.at_level(logging.INFO, "icemelt.jobs"):
        pool.add("unlucky", turns, every=0.01, consequence="nothing is kept")
        pool.add("lucky", others, every=0.01)
        turns.wait(5)
    pauses = [after - before for before, after in zip(turns.at, turns.at[1:], strict=False)]
    assert pauses[0] >= 0.1
    assert pauses[1] >= 0.2
    assert pauses[2] >= 0.4
    assert len(others.at) > 20
    assert caplog.messages == ["Job unlucky failed; nothing is kept."] * 3


def test_the_end_of_a_job_waits_for_its_turn(pool: JobPool) -> None:
    is_in, go_on = threading.Event(), threading.Event()

    def work() -> None:
        is_in.set()
        go_on.wait(PATIENCE_SECONDS)

    job = pool.add("slow", work, every=0)
    assert is_in.wait(PATIENCE_SECONDS)
    assert not job.stop(0.1)
    assert job.is_alive()
    go_on.set()
    assert job.join(PATIENCE_SECONDS)
    assert not job.is_alive()


def test_a_job_may_end_itself_and_once_is_once(pool: JobPool) -> None:
    turns: list[bool] = []
    job = pool.add("own end", lambda: turns.append(job.stop()), every=0)
    assert job.join(PATIENCE_SECONDS)
    assert turns == [False]
    done, never = Turns(1), Turns()
    once = pool.do_once("once", done)
    pool.do_once("never", never, delay=0.1).end()
    assert once.join(PATIENCE_SECONDS)
    time.sleep(0.2)
    assert (len(done.at), len(never.at)) == (1, 0)


def test_the_end_of_a_pool_ends_its_jobs_and_threads() -> None:
    before = threading.active_count()
    pool, turns = JobPool("ending", size=4), Turns()
    jobs = [pool.add("idle", turns, every=60) for _ in range(10)]
    turns.wait(10)
    began = time.monotonic()
    assert pool.stop(PATIENCE_SECONDS)
    assert time.monotonic() - began < 2
    assert threading.active_count() == before
    assert not any(job.is_alive() for job in jobs)
    assert len(turns.at) == 10
