"""The database's clock is set an hour forward or back under a scheduler that runs tasks."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
import sqlalchemy as sa
from session.task_runs import execute, history, root_id, wait_for

from conftest import Lake
from icemelt import Session
from icemelt.catalog.database import system_clock
from icemelt.catalog.model import task_graphs, task_runs
from icemelt.catalog.schedulers import find_schedulers, last_seen
from icemelt.session.tasks.hosts import SessionHost
from icemelt.session.tasks.scheduler import Scheduler, SchedulerOptions

OPTIONS = SchedulerOptions(parallel=3, poll_seconds=0.05, lease_seconds=6, drain_seconds=20)
SECOND, HOUR = 1_000, 3_600_000
TICK = 10 * SECOND
PATIENCE = 30.0


@dataclass
class ShiftedClock:
    """The database's clock after somebody has set it."""

    shift: int = 0

    def __call__(self, connection: sa.Connection) -> int:
        return system_clock(connection) + self.shift


@pytest.fixture
def clock() -> ShiftedClock:
    return ShiftedClock()


@pytest.fixture
def session(lake: Lake) -> Iterator[Session]:
    session = lake.open()
    session.sql("CREATE TABLE ran (what VARCHAR)")
    with Scheduler(SessionHost(session), OPTIONS):
        yield session


@dataclass
class HeldBody:
    """The body of a task that goes on until the test lets it end."""

    begun: threading.Event
    let_go: threading.Event

    def __call__(self, own: Session) -> None:
        own.sql("INSERT INTO ran VALUES ('begun')")
        self.begun.set()
        self.let_go.wait(PATIENCE)
        own.sql("INSERT INTO ran VALUES ('ended')")


def make_ticking(session: Session) -> None:
    session.sql("CREATE TASK tick SCHEDULE = '10 SECONDS' AS INSERT INTO ran VALUES ('tick')")
    session.sql("ALTER TASK tick RESUME")


def ticks(session: Session) -> list[int]:
    """Return the scheduled times of the runs of `tick`, in milliseconds after RESUME."""
    root = root_id(session, "tick")
    query = sa.select(task_runs.c.scheduled_at).where(
        task_runs.c.root_id == root, task_runs.c.state == "SUCCEEDED"
    )
    state = sa.select(task_graphs.c.state).where(task_graphs.c.root_id == root)
    with session._core.database.read() as connection:
        anchor = connection.scalar(state)["anchor"] // 1_000
        found = connection.execute(query.order_by(task_runs.c.run_id)).scalars().all()
    return [scheduled_at - anchor for scheduled_at in found]


def next_tick(session: Session) -> int:
    """Return the next time of `tick`, in milliseconds from now on."""
    query = sa.select(task_graphs.c.next_scheduled_at).where(
        task_graphs.c.root_id == root_id(session, "tick")
    )
    database = session._core.database
    with database.read() as connection:
        return int(connection.scalar(query) - database.clock(connection))


def is_scheduler_seen(session: Session) -> bool:
    database = session._core.database
    with database.read() as connection:
        return last_seen(find_schedulers(connection), database.clock(connection)) is None


def wait_until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.02)


def count(session: Session, what: str) -> int:
    [row] = session.sql("SELECT COUNT(*) FROM ran WHERE what = ?", [what]).fetchall()
    return int(row[0])


def test_a_clock_that_was_set_back_an_hour_runs_nothing_twice(
    session: Session, clock: ShiftedClock
) -> None:
    make_ticking(session)
    clock.shift += TICK
    wait_for(session, "tick", 1)
    body = HeldBody(threading.Event(), threading.Event())
    session.task("held", body)
    execute(session, "held")
    assert body.begun.wait(PATIENCE)
    clock.shift -= HOUR
    # who lives says so by the new clock, and at once
    began = time.monotonic()
    wait_until(lambda: is_scheduler_seen(session))
    assert time.monotonic() - began < 4
    # the lease is renewed all the while
    time.sleep(OPTIONS.lease_seconds + 1)
    body.let_go.set()
    wait_for(session, "held", 1)
    assert (count(session, "begun"), count(session, "ended")) == (1, 1)
    # what is asked for runs at once
    execute(session, "tick")
    wait_for(session, "tick", 2)
    # the schedule goes on where it was, when the clock has come there
    assert HOUR - TICK < next_tick(session) <= HOUR + TICK
    clock.shift += HOUR
    before = ticks(session)
    wait_until(lambda: len(ticks(session)) > len(before))
    scheduled = [tick for tick in ticks(session) if tick % TICK == 0]
    assert scheduled == sorted(set(scheduled))
    assert scheduled[0] == TICK
    assert 0 < next_tick(session) <= TICK
    assert count(session, "tick") == len(ticks(session))


def test_a_clock_that_was_set_forward_an_hour_catches_up_with_one_run(
    session: Session, clock: ShiftedClock
) -> None:
    make_ticking(session)
    clock.shift += TICK
    wait_for(session, "tick", 1)
    body = HeldBody(threading.Event(), threading.Event())
    session.task("held", body, task_auto_retry_attempts=1)
    execute(session, "held")
    assert body.begun.wait(PATIENCE)
    clock.shift += HOUR
    began = time.monotonic()
    wait_until(lambda: is_scheduler_seen(session))
    assert time.monotonic() - began < 4
    # of the times between the last one has a run
    wait_for(session, "tick", 2)
    assert ticks(session)[0] == TICK
    assert HOUR <= ticks(session)[1] <= HOUR + 2 * TICK
    assert 0 < next_tick(session) <= TICK
    # by the clock nobody has renewed the lease for an hour: the run is lost, and tried again
    wait_for(session, "held", 1, "FAILED")
    body.let_go.set()
    wait_for(session, "held", 1)
    states = [(row[1], row[2], row[3]) for row in history(session, "held")]
    assert states == [(1, "FAILED", "scheduler-lost"), (2, "SUCCEEDED", None)]
    # the body under the old token has published no more
    assert (count(session, "begun"), count(session, "ended")) == (2, 1)
    assert count(session, "tick") == len(ticks(session))
