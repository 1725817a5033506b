"""Threads whose callers wait: who works first, waiting calls, failures, the end."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import wait

import pytest
from jobs.test_job import PATIENCE_SECONDS
from waiting import wait_until

from icemelt.jobs import ThreadPool


@pytest.fixture
def pool() -> Iterator[ThreadPool]:
    pool = ThreadPool(3, "test")
    wait_until(lambda: len(pool._idle) == 3, PATIENCE_SECONDS)
    yield pool
    assert pool.stop(PATIENCE_SECONDS)


def test_calls_one_after_the_other_have_one_thread(pool: ThreadPool) -> None:
    def call() -> int:
        thread = pool.submit(threading.get_ident).result(PATIENCE_SECONDS)
        wait_until(lambda: len(pool._idle) == 3, PATIENCE_SECONDS)
        return thread

    assert len({call() for _ in range(50)}) == 1


def test_calls_at_once_have_a_thread_each_and_further_calls_wait_in_order(pool: ThreadPool) -> None:
    together = threading.Barrier(4)
    held = [pool.submit(together.wait, PATIENCE_SECONDS) for _ in range(3)]
    order: list[int] = []
    further = [pool.submit(order.append, number) for number in range(100)]
    assert not order
    together.wait(PATIENCE_SECONDS)
    done, _ = wait(held + further, PATIENCE_SECONDS)
    assert len(done) == 103
    # three threads take the calls in order; each may be overtaken on its way by two others
    assert all(abs(place - number) <= 2 for place, number in enumerate(order))
    assert sorted(order) == list(range(100))


def test_an_error_is_the_callers_and_the_thread_goes_on(pool: ThreadPool) -> None:
    for _ in range(5):
        with pytest.raises(ZeroDivisionError):
            pool.submit(divmod, 1, 0).result(PATIENCE_SECONDS)
    assert pool.submit(int, "7", base=8).result(PATIENCE_SECONDS) == 7


def test_a_call_cancelled_while_it_waits_is_not_made(pool: ThreadPool) -> None:
    go_on, made = threading.Event(), []
    held = [pool.submit(go_on.wait, PATIENCE_SECONDS) for _ in range(3)]
    waiting = pool.submit(made.append, 1)
    assert waiting.cancel()
    go_on.set()
    assert all(call.result(PATIENCE_SECONDS) for call in held)
    assert pool.submit(int).result(PATIENCE_SECONDS) == 0
    assert not made


def test_the_end_lets_waiting_calls_be_made_and_takes_no_others() -> None:
    for _ in range(20):
        pool, go_on = ThreadPool(2, "test"), threading.Event()
        calls = [pool.submit(go_on.wait, PATIENCE_SECONDS) for _ in range(2)]
        calls += [pool.submit(bool, number) for number in range(1, 30)]
        pool.end()
        go_on.set()
        assert all(call.result(PATIENCE_SECONDS) for call in calls)
        assert pool.stop(PATIENCE_SECONDS)
        with pytest.raises(RuntimeError):
            pool.submit(int)


def test_a_call_given_at_the_end_is_made() -> None:
    for _ in range(100):
        pool = ThreadPool(2, "test")
        calls = [pool.submit(bool, 1), pool.submit(bool, 2)]
        pool.end()
        assert all(call.result(PATIENCE_SECONDS) for call in calls)
