"""Each run that ends, or is skipped, is told once as an event: also where nobody executed it."""

from __future__ import annotations

import pytest
from session.task_runs import QUICK, apply, execute, wait_for

from conftest import Lake
from icemelt import Session
from icemelt.observe.events import Event, TaskRunEnded, TaskRunSkipped
from icemelt.session.tasks.hosts import SessionHost
from icemelt.session.tasks.scheduler import Scheduler, SchedulerOptions
from icemelt.tasks.events import TimePassed

OPTIONS = SchedulerOptions(parallel=3, poll_seconds=0.05, lease_seconds=20)


def ends(taken: list[Event]) -> list[tuple[str, str, str | None]]:
    return sorted(
        (event.task.rpartition(".")[2], event.state, event.error_code)
        for event in taken
        if isinstance(event, TaskRunEnded)
    )


@pytest.fixture
def session(any_lake: Lake) -> Session:
    return any_lake.open()


def test_what_is_cancelled_before_it_begins_is_told_by_the_statement(
    session: Session, taken: list[Event]
) -> None:
    cancelled = ("CANCELLED", "cancelled")
    for name in ("one", "two", "three"):
        session.sql(f"CREATE TASK {name} SCHEDULE = '1 HOUR' AS SELECT 1")
        session.sql(f"EXECUTE TASK {name}")
    session.sql("SELECT SYSTEM$USER_TASK_CANCEL_ONGOING_EXECUTIONS('one')")
    assert ends(taken) == [("one", *cancelled)]
    session.sql("DROP TASK two")
    session.sql("CREATE OR REPLACE TASK three AS SELECT 1")
    assert ends(taken) == [("one", *cancelled), ("three", *cancelled), ("two", *cancelled)]
    session.sql("DROP TASK one")
    assert len(ends(taken)) == 3


def test_what_a_suspension_takes_back_is_told(session: Session, taken: list[Event]) -> None:
    session.sql("CREATE TABLE source (id INT)")
    session.sql("CREATE STREAM s ON TABLE source")
    session.sql(f"CREATE TASK one {QUICK} WHEN SYSTEM$STREAM_HAS_DATA('s') AS SELECT 1")
    session.sql("ALTER TASK one RESUME")
    session.sql("INSERT INTO source VALUES (1)")
    scheduler = Scheduler(SessionHost(session), OPTIONS)
    # it begins the run, and has nobody yet who executes it
    scheduler.drain()
    scheduler._turn()
    session.sql("ALTER TASK one SUSPEND")
    assert ends(taken) == [("one", "CANCELLED", "suspended")]


def test_each_end_is_told_once(session: Session, taken: list[Event]) -> None:
    session.sql("CREATE TABLE t (id INT)")
    session.sql("CREATE TASK good AS INSERT INTO t VALUES (1)")
    session.sql("CREATE TASK bad AS SELECT 1 / 0")
    session.sql("CREATE TASK leaving AS DROP TASK leaving")
    session.sql("CREATE TASK never WHEN 1 = 2 AS SELECT 1")
    with Scheduler(SessionHost(session), OPTIONS), Scheduler(SessionHost(session), OPTIONS):
        for name in ("good", "bad", "leaving", "never"):
            execute(session, name)
        wait_for(session, "good", 1)
        wait_for(session, "bad", 1, "FAILED")
        wait_for(session, "never", 1, "SKIPPED")
    apply(session, "good", TimePassed())
    assert ends(taken) == [
        ("bad", "FAILED", "query"),
        ("good", "SUCCEEDED", None),
        ("leaving", "SUCCEEDED", None),
    ]
    skipped = [event for event in taken if isinstance(event, TaskRunSkipped)]
    assert [(event.task, event.reason) for event in skipped] == [
        ("main.public.never", "condition-false")
    ]
