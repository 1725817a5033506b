"""A scheduler runs tasks: when they are due, in the order of their graph, and each run once."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest
from session.task_runs import QUICK, apply, execute, history, wait_for, wait_until_idle

from conftest import Lake
from icemelt import Session
from icemelt.session.tasks.scheduler import Scheduler, SchedulerOptions
from icemelt.tasks.events import RunsCancelled

OPTIONS = SchedulerOptions(parallel=3, poll_seconds=0.05, lease_seconds=20, drain_seconds=20)
FOREVER = """SELECT COUNT(*) FROM TABLE(GENERATOR(ROWCOUNT => 1000000)) a,
TABLE(GENERATOR(ROWCOUNT => 1000000)) b WHERE RANDOM() = 1"""


@pytest.fixture
def session(any_lake: Lake) -> Iterator[Session]:
    session = any_lake.open()
    with Scheduler(session, OPTIONS):
        yield session


def test_a_triggered_task_consumes_each_row_once_and_wakes_for_its_stream_alone(
    session: Session,
) -> None:
    session.sql("CREATE TABLE source (id INT)")
    session.sql("CREATE TABLE other (id INT)")
    session.sql("CREATE STREAM news ON TABLE source")
    session.sql("CREATE TABLE copied (id INT)")
    session.sql(
        f"CREATE TASK copy {QUICK} WHEN SYSTEM$STREAM_HAS_DATA('news') AS "
        "INSERT INTO copied SELECT id FROM news"
    )
    session.sql("ALTER TASK copy RESUME")
    for number in range(3):
        session.sql(f"INSERT INTO source VALUES ({number})")
        wait_for(session, "copy", number + 1)
    session.sql("INSERT INTO other VALUES (1)")
    session.sql("OPTIMIZE TABLE source")
    time.sleep(1.5)
    assert [row[2] for row in history(session, "copy")] == ["SUCCEEDED"] * 3
    assert session.sql("SELECT id FROM copied ORDER BY id").fetchall() == [(0,), (1,), (2,)]


def test_a_graph_runs_in_order_with_its_values_and_its_finalizer(session: Session) -> None:
    session.sql("CREATE TABLE told (what VARCHAR)")
    session.sql(
        """CREATE TASK load CONFIG = '{"day": "monday"}' AS
CALL SYSTEM$SET_RETURN_VALUE('seven')"""
    )
    session.sql(
        "CREATE TASK use AFTER load AS INSERT INTO told SELECT "
        "SYSTEM$GET_PREDECESSOR_RETURN_VALUE('LOAD') || SYSTEM$GET_TASK_GRAPH_CONFIG('day')"
    )
    session.sql(
        "CREATE TASK skipped AFTER use WHEN SYSTEM$GET_PREDECESSOR_RETURN_VALUE('use') = 'x' "
        "AS INSERT INTO told VALUES ('never')"
    )
    session.sql("CREATE TASK last FINALIZE = load AS INSERT INTO told VALUES ('end')")
    for name in ("last", "skipped", "use"):
        session.sql(f"ALTER TASK {name} RESUME")
    execute(session, "load")
    wait_until_idle(session, "load")
    assert history(session, "load") == [
        ("load", 1, "SUCCEEDED", None, "seven"),
        ("use", 1, "SUCCEEDED", None, None),
        ("skipped", 1, "SKIPPED", None, None),
        ("last", 1, "SUCCEEDED", None, None),
    ]
    told = session.sql("SELECT what FROM told ORDER BY what").fetchall()
    assert told == [("end",), ("sevenmonday",)]


def test_a_failed_body_is_tried_again_and_suspends_its_root(session: Session) -> None:
    session.sql("CREATE TASK bad TASK_AUTO_RETRY_ATTEMPTS = 1 AS SELECT 1 / 0")
    execute(session, "bad")
    wait_until_idle(session, "bad")
    rows = history(session, "bad")
    assert [(row[1], row[2]) for row in rows] == [(1, "FAILED"), (2, "FAILED")]


def test_a_body_that_takes_too_long_is_stopped(session: Session) -> None:
    session.sql(f"CREATE TASK slow USER_TASK_TIMEOUT_MS = 1500 AS {FOREVER}")
    execute(session, "slow")
    wait_for(session, "slow", 1, "FAILED")
    assert history(session, "slow") == [("slow", 1, "FAILED", "timeout", None)]
    no_job_is_left(session)


def test_a_cancelled_run_stops(session: Session) -> None:
    session.sql(f"CREATE TASK slow AS {FOREVER}")
    execute(session, "slow")
    wait_for(session, "slow", 1, "EXECUTING")
    apply(session, "slow", RunsCancelled("slow"))
    assert history(session, "slow") == [("slow", 1, "CANCELLED", "cancelled", None)]
    # the scheduler hears of it when it renews the lease
    no_job_is_left(session)


def test_a_function_of_python_runs_where_it_is(session: Session) -> None:
    called = threading.Event()

    def work(own: Session) -> None:
        own.sql("SELECT 1").fetchall()
        called.set()

    session.task("py", work)
    execute(session, "py")
    wait_for(session, "py", 1)
    assert called.is_set()


def test_schedulers_share_the_runs_of_a_lake(any_lake: Lake) -> None:
    sessions = [any_lake.open() for _ in range(3)]
    first = sessions[0]
    first.sql("CREATE TABLE ran (name VARCHAR)")
    names = [f"t{number}" for number in range(12)]
    for name in names:
        first.sql(f"CREATE TASK {name} AS INSERT INTO ran VALUES ('{name}')")
        execute(first, name)
    schedulers = [Scheduler(session, OPTIONS).start() for session in sessions]
    try:
        for name in names:
            wait_for(first, name, 1)
    finally:
        assert all(scheduler.stop() for scheduler in schedulers)
    rows = first.sql("SELECT name FROM ran ORDER BY name").fetchall()
    assert rows == [(name,) for name in sorted(names)]


def test_a_scheduler_that_stops_lets_its_runs_end(any_lake: Lake) -> None:
    session = any_lake.open()
    session.sql("CREATE TABLE ran (id INT)")
    session.sql("CREATE TASK one AS INSERT INTO ran VALUES (1)")
    execute(session, "one")
    scheduler = Scheduler(session, OPTIONS).start()
    wait_for_start(session, "one")
    assert scheduler.stop()
    assert [row[2] for row in history(session, "one")] == ["SUCCEEDED"]


def test_a_scheduler_that_stops_ends_a_body_that_goes_on(any_lake: Lake) -> None:
    session = any_lake.open()
    session.sql(f"CREATE TASK slow AS {FOREVER}")
    execute(session, "slow")
    options = SchedulerOptions(parallel=1, poll_seconds=0.05, lease_seconds=5, drain_seconds=1)
    scheduler = Scheduler(session, options).start()
    wait_for(session, "slow", 1, "EXECUTING")
    time.sleep(0.5)
    scheduler.stop()
    wait_for(session, "slow", 1, "FAILED")
    assert history(session, "slow") == [("slow", 1, "FAILED", "scheduler-stopped", None)]


def wait_for_start(session: Session, name: str) -> None:
    """Wait until the run of a root has begun, or is over."""
    while history(session, name)[0][2] == "SCHEDULED":
        time.sleep(0.01)


def no_job_is_left(session: Session) -> None:
    """Wait until Spark runs no job."""
    tracker = session.spark.sparkContext.statusTracker()
    end = time.monotonic() + 15
    while tracker.getActiveJobsIds():
        assert time.monotonic() < end
        time.sleep(0.05)
