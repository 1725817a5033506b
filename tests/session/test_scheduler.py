"""A scheduler runs tasks: when they are due, in the order of their graph, and each run once."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest
from receiver import receiving
from session.task_runs import (
    QUICK,
    apply,
    execute,
    history,
    root_id,
    wait_for,
    wait_until_idle,
)
from waiting import wait_until

from conftest import Lake
from icemelt import Session
from icemelt.catalog.database import system_clock
from icemelt.catalog.schedulers import tell_registry
from icemelt.errors import ParameterError
from icemelt.session.tasks.hosts import SessionHost
from icemelt.session.tasks.scheduler import Scheduler, SchedulerOptions
from icemelt.tasks.events import RunsCancelled, TimePassed

OPTIONS = SchedulerOptions(parallel=3, poll_seconds=0.05, lease_seconds=20, drain_seconds=20)
FOREVER = """SELECT COUNT(*) FROM TABLE(GENERATOR(ROWCOUNT => 1000000)) a,
TABLE(GENERATOR(ROWCOUNT => 1000000)) b WHERE RANDOM() = 1"""


@pytest.fixture
def session(any_lake: Lake) -> Iterator[Session]:
    session = any_lake.open()
    with Scheduler(SessionHost(session), OPTIONS):
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


@pytest.mark.parametrize("any_lake", ["postgresql"], indirect=True)
def test_a_publication_wakes_a_scheduler_and_polling_does_where_nothing_is_heard(
    any_lake: Lake,
) -> None:
    session = any_lake.open()
    session.sql("CREATE TABLE source (id INT)")
    session.sql("CREATE STREAM news ON TABLE source")
    session.sql("CREATE TABLE copied (id INT)")
    session.sql(
        f"CREATE TASK copy {QUICK} WHEN SYSTEM$STREAM_HAS_DATA('news') AS "
        "INSERT INTO copied SELECT id FROM news"
    )
    session.sql("ALTER TASK copy RESUME")
    # each look but those after publications comes too late
    options = replace(OPTIONS, heard_poll_seconds=600)
    with Scheduler(SessionHost(session), options) as scheduler:
        wait_until(lambda: scheduler._listener.is_listening, 10)
        session.sql("INSERT INTO source VALUES (1)")
        wait_for(session, "copy", 1)
        with session._core.database.read() as connection:
            connection.exec_driver_sql(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND query LIKE 'LISTEN %%'"
            )
        session.sql("INSERT INTO source VALUES (2)")
        wait_for(session, "copy", 2)
        wait_until(lambda: scheduler._listener.is_listening, 20)
        session.sql("INSERT INTO source VALUES (3)")
        wait_for(session, "copy", 3)
    assert session.sql("SELECT id FROM copied ORDER BY id").fetchall() == [(1,), (2,), (3,)]


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
    no_job_is_left(session)


@pytest.mark.parametrize("ends_by", ["cancel", "timeout"])
def test_what_others_end_stops_long_before_the_lease_is_renewed(
    any_lake: Lake, ends_by: str
) -> None:
    session, other = any_lake.open(), any_lake.open()
    session.sql(f"CREATE TASK slow USER_TASK_TIMEOUT_MS = 4000 AS {FOREVER}")
    execute(session, "slow")
    options = replace(OPTIONS, lease_seconds=600)
    with Scheduler(SessionHost(session), options) as scheduler:
        wait_for(session, "slow", 1, "EXECUTING")
        if ends_by == "cancel":
            other.sql("SELECT SYSTEM$USER_TASK_CANCEL_ONGOING_EXECUTIONS('slow')").fetchall()
        else:
            tracker = session.spark.sparkContext.statusTracker()
            wait_until(lambda: bool(tracker.getActiveJobsIds()), 20)
            # another scheduler, which finds the time over
            database = replace(other._core.database, clock=lambda at: system_clock(at) + 60_000)
            tell_registry(database, root_id(other, "slow"), TimePassed())
        began = time.monotonic()
        no_job_is_left(session)
        assert scheduler.stop()
        assert time.monotonic() - began < 8
    state, code = {"cancel": ("CANCELLED", "cancelled"), "timeout": ("FAILED", "timeout")}[ends_by]
    assert history(session, "slow") == [("slow", 1, state, code, None)]


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
    schedulers = [Scheduler(SessionHost(session), OPTIONS).start() for session in sessions]
    try:
        for name in names:
            wait_for(first, name, 1)
    finally:
        assert all(scheduler.stop() for scheduler in schedulers)
    rows = first.sql("SELECT name FROM ran ORDER BY name").fetchall()
    assert rows == [(name,) for name in sorted(names)]


JOINED = """SELECT t.name, t.attempt_number, t.scheduled_from, q.query_text, q.execution_status
FROM TABLE(INFORMATION_SCHEMA.TASK_HISTORY()) t
LEFT JOIN TABLE(INFORMATION_SCHEMA.QUERY_HISTORY()) q ON q.query_id = t.query_id
ORDER BY t.scheduled_time, t.name, t.attempt_number"""


def test_the_query_of_a_run_is_in_the_history_of_statements(session: Session) -> None:
    session.sql("CREATE TABLE told (what VARCHAR)")
    session.sql("CREATE TASK one AS INSERT INTO told VALUES ('one')")
    session.sql(
        "CREATE TASK two AFTER one AS BEGIN DELETE FROM told; INSERT INTO told VALUES ('two'); END"
    )
    session.sql("CREATE TASK three AFTER two AS SELECT COUNT(*) FROM told")
    session.sql("CREATE TASK four AFTER three WHEN SYSTEM$STREAM_HAS_DATA('none') AS SELECT 1")
    for name in ("four", "three", "two"):
        session.sql(f"ALTER TASK {name} RESUME")
    execute(session, "one")
    wait_until_idle(session, "one")
    succeeded = [
        ("one", 1, "EXECUTE TASK", "INSERT INTO told VALUES ('one')", "SUCCESS"),
        ("two", 1, "EXECUTE TASK", "INSERT INTO told VALUES ('two')", "SUCCESS"),
        ("three", 1, "EXECUTE TASK", "SELECT COUNT(*) FROM told", "SUCCESS"),
    ]
    # nothing of the last one began
    failed = ("four", 1, "EXECUTE TASK", None, None)
    assert session.sql(JOINED).fetchall() == [*succeeded, failed]


def test_the_query_of_a_run_that_failed_is_the_one_that_failed(session: Session) -> None:
    session.sql("CREATE TABLE told (what VARCHAR)")
    session.sql(
        "CREATE TASK bad TASK_AUTO_RETRY_ATTEMPTS = 1 AS "
        "BEGIN INSERT INTO told VALUES ('one'); INSERT INTO told SELECT 1 / 0; END"
    )
    execute(session, "bad")
    wait_until_idle(session, "bad")
    query = ("EXECUTE TASK", "INSERT INTO told SELECT 1 / 0", "FAILED_WITH_ERROR")
    assert session.sql(JOINED).fetchall() == [("bad", 1, *query), ("bad", 2, *query)]


def test_a_run_knows_the_last_one_that_succeeded(session: Session) -> None:
    session.sql("CREATE TABLE told (run VARCHAR, before VARCHAR, at VARCHAR)")
    info = "SYSTEM$TASK_RUNTIME_INFO('{}_TASK_GRAPH_{}')"
    ran, last = info.format("CURRENT", "RUN_GROUP_ID"), "LAST_SUCCESSFUL"
    at = info.format(last, "ORIGINAL_SCHEDULED_TIMESTAMP")
    session.sql(
        f"CREATE TASK tell AS BEGIN INSERT INTO told SELECT {ran}, "
        f"{info.format(last, 'RUN_GROUP_ID')}, {at}; "
        f"SELECT 1 / (CASE WHEN {ran} = '2' THEN 0 ELSE 1 END); END"
    )
    for number in range(3):
        execute(session, "tell")
        wait_until_idle(session, "tell")
        assert len(history(session, "tell")) == number + 1
    rows = session.sql("SELECT run, before, at IS NULL FROM told ORDER BY run").fetchall()
    assert rows == [("1", None, True), ("2", "1", False), ("3", "1", False)]


def test_webhooks_tell_of_failures_and_successes_once_whoever_runs_them(any_lake: Lake) -> None:
    sessions = [any_lake.open() for _ in range(2)]
    first = sessions[0]
    with receiving() as receiver:
        first.sql("CREATE TABLE ran (id INT)")
        first.sql(
            f"CREATE TASK load ERROR_INTEGRATION = '{receiver.url}' "
            f"SUCCESS_INTEGRATION = '{receiver.url}' AS INSERT INTO ran VALUES (1)"
        )
        first.sql("CREATE TASK divide AFTER load AS SELECT 1 / (SELECT COUNT(*) - 1 FROM ran)")
        first.sql("ALTER TASK divide RESUME")
        # it never answers the first one, and holds up no run
        receiver.answers = [0]
        execute(first, "load")
        schedulers = [Scheduler(SessionHost(session), OPTIONS).start() for session in sessions]
        try:
            wait_for(first, "load", 1, "FAILED")
            execute(first, "load")
            wait_for(first, "load", 3)
            wait_until(lambda: len(receiver.told) == 2, 20)
        finally:
            assert all(scheduler.stop() for scheduler in schedulers)
    assert receiver.told == [
        ("USER_TASK_FAILED", "main.public.divide"),
        ("USER_TASK_SUCCEEDED", "main.public.load"),
    ]


def test_a_scheduler_that_stops_lets_its_runs_end(any_lake: Lake) -> None:
    session = any_lake.open()
    session.sql("CREATE TABLE ran (id INT)")
    session.sql("CREATE TASK one AS INSERT INTO ran VALUES (1)")
    execute(session, "one")
    scheduler = Scheduler(SessionHost(session), OPTIONS).start()
    wait_for_start(session, "one")
    assert scheduler.stop()
    assert [row[2] for row in history(session, "one")] == ["SUCCEEDED"]


def test_a_scheduler_that_stops_ends_a_body_that_goes_on(any_lake: Lake) -> None:
    session = any_lake.open()
    session.sql(f"CREATE TASK slow AS {FOREVER}")
    execute(session, "slow")
    options = SchedulerOptions(parallel=1, poll_seconds=0.05, lease_seconds=5, drain_seconds=1)
    scheduler = Scheduler(SessionHost(session), options).start()
    wait_for(session, "slow", 1, "EXECUTING")
    time.sleep(0.5)
    scheduler.stop()
    wait_for(session, "slow", 1, "FAILED")
    assert history(session, "slow") == [("slow", 1, "FAILED", "scheduler-stopped", None)]


def test_a_scheduler_of_a_session_has_bounds(lake: Lake) -> None:
    session = lake.open()
    with pytest.raises(ParameterError, match="executes 1 to 64 runs at once, found 0"):
        session.scheduler(parallel=0)
    for lease in (0.5, 3601):
        with pytest.raises(ParameterError, match=f"1 to 3600 seconds, found {lease}"):
            session.scheduler(lease=lease)


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
