"""The registry knows which schedulers live, and when the last one was seen."""

from __future__ import annotations

from conftest import TestClock
from icemelt.catalog.database import Database
from icemelt.catalog.schedulers import (
    SchedulerName,
    end_scheduler,
    find_schedulers,
    forget_schedulers,
    last_seen,
    report_scheduler,
)

ONE = SchedulerName("one", "server-1", "host-a", 7)
OTHER = SchedulerName("other", "laptop", "host-b", 2**40)


def stop(clock: TestClock, time: int) -> None:
    """Set the clock; each reading of it is the same."""
    clock.set(time)
    clock.ticks = iter(lambda: 0, 1)


def seen(registry: Database, now: int) -> int | None:
    with registry.read() as connection:
        return last_seen(find_schedulers(connection), now)


def test_a_scheduler_lives_as_long_as_it_says(registry: Database, clock: TestClock) -> None:
    stop(clock, clock.time)
    assert seen(registry, clock.time) == 0
    report_scheduler(registry, ONE, 30)
    assert seen(registry, clock.time) is None
    assert seen(registry, clock.time + 29_999) is None
    assert seen(registry, clock.time + 30_000) == clock.time
    stop(clock, clock.time + 60_000)
    report_scheduler(registry, ONE, 30)
    report_scheduler(registry, OTHER, 5)
    assert seen(registry, clock.time + 10_000) is None
    with registry.read() as connection:
        records = find_schedulers(connection)
    assert [record.scheduler for record in records] == [ONE, OTHER]
    assert records[0].started_at == clock.time - 60_000


def test_a_scheduler_that_has_ended_was_seen_then(registry: Database, clock: TestClock) -> None:
    report_scheduler(registry, ONE, 30)
    stop(clock, clock.time + 10_000)
    end_scheduler(registry, ONE.scheduler_id)
    assert seen(registry, clock.time + 1) == clock.time


def test_a_clock_that_was_set_back_makes_nobody_live_longer(
    registry: Database, clock: TestClock
) -> None:
    before = clock.time
    stop(clock, before)
    report_scheduler(registry, ONE, 30)
    stop(clock, before - 3_600_000)
    assert seen(registry, clock.time) == before
    report_scheduler(registry, ONE, 30)
    assert seen(registry, clock.time + 1) is None


def test_what_was_seen_long_ago_is_forgotten(registry: Database, clock: TestClock) -> None:
    report_scheduler(registry, ONE, 30)
    stop(clock, clock.time + 1_000)
    report_scheduler(registry, OTHER, 30)
    with registry.write() as connection:
        assert forget_schedulers(connection, clock.time) == 1
        assert [record.scheduler for record in find_schedulers(connection)] == [OTHER]
