"""Bodies that change, drop or begin what runs them; names and sizes at the limits."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator

import pytest
from session.task_runs import QUICK, execute, history, wait_for
from tasks.registered_tasks import RegisteredTasks
from waiting import wait_until

from conftest import DAY, ONE_DAY, Lake, TestClock
from icemelt import Session
from icemelt.catalog.database import Database
from icemelt.errors import DefinitionRefused, NameRefused
from icemelt.session.session import core_of
from icemelt.session.tasks.hosts import SessionHost
from icemelt.session.tasks.scheduler import Scheduler, SchedulerOptions

OPTIONS = SchedulerOptions(parallel=3, poll_seconds=0.05, lease_seconds=20, drain_seconds=20)
PATIENCE = 60
STRANGE = "Ünï ☃ 'q' \"d\"; DROP TABLE t; --"


@pytest.fixture
def session(any_lake: Lake) -> Iterator[Session]:
    session = any_lake.open()
    session.sql("CREATE TABLE t (id INT)")
    with Scheduler(SessionHost(session), OPTIONS):
        yield session


def states(session: Session, *tasks: str) -> list[tuple[str, str, str | None]]:
    """Return task, state and error code of runs that are over, also of tasks that are gone."""
    query = "SELECT task, state, error_code FROM icemelt_task_runs ORDER BY task, run_id, attempt"
    with core_of(session).database.read() as connection:
        rows = [tuple(row) for row in connection.exec_driver_sql(query)]
    return [row for row in rows if row[0] in tasks and row[1] not in {"SCHEDULED", "EXECUTING"}]


def wait_for_states(session: Session, *wanted: tuple[str, str, str | None]) -> None:
    """Wait until the runs of tasks have ended in these ways, and in no other."""
    names = [name for name, *_ in wanted]
    wait_until(lambda: len(states(session, *names)) >= len(wanted), PATIENCE)
    assert sorted(states(session, *names), key=str) == sorted(wanted, key=str)


def ids(session: Session) -> list[int]:
    return sorted(row[0] for row in session.sql("SELECT id FROM main.public.t").fetchall())


def no_other_begins(session: Session) -> None:
    """Run one more task: what was to begin before it has begun."""
    session.sql("CREATE OR REPLACE TASK probe AS SELECT 1")
    execute(session, "probe")
    wait_for(session, "probe", 1)


def test_a_body_drops_its_task_its_root_or_its_schema(session: Session) -> None:
    for text in (
        "CREATE TASK one AS DROP TASK one",
        """CREATE TASK two AS BEGIN
INSERT INTO t VALUES (1); DROP TASK two; INSERT INTO t VALUES (2); END""",
        "CREATE TASK three AS SELECT 1",
        """CREATE TASK three_child AFTER three AS BEGIN
DROP TASK three; INSERT INTO t VALUES (3); END""",
        "CREATE TASK four AS SELECT 1",
        "CREATE TASK four_child AFTER four AS DROP TASK four_child",
        "ALTER TASK three_child RESUME",
        "ALTER TASK four_child RESUME",
        "CREATE SCHEMA other",
        """CREATE TASK five AS BEGIN
DROP SCHEMA main.other; INSERT INTO main.public.t VALUES (5); END""",
        "EXECUTE TASK five",
        "USE SCHEMA main.public",
    ):
        session.sql(text)
    for name in ("one", "two", "three", "four"):
        execute(session, name)
    # what ends with a DROP as its last statement has succeeded; what was to follow does not run
    wait_for_states(
        session,
        ("one", "SUCCEEDED", None),
        ("two", "CANCELLED", "cancelled"),
        ("three", "SUCCEEDED", None),
        ("three_child", "CANCELLED", "cancelled"),
        ("four", "SUCCEEDED", None),
        ("four_child", "SUCCEEDED", None),
        ("five", "CANCELLED", "cancelled"),
    )
    told = "SELECT error_message FROM TABLE(INFORMATION_SCHEMA.TASK_HISTORY(TASK_NAME => 'two'))"
    assert "was dropped or replaced" in session.sql(told).fetchall()[0][0]
    no_other_begins(session)
    assert ids(session) == [1]
    left = [row[1] for row in session.sql("SHOW TASKS").fetchall()]
    assert left == ["four", "probe", "three_child"]


def test_a_body_suspends_alters_replaces_or_cancels_its_own_task(session: Session) -> None:
    cancel = "SELECT SYSTEM$USER_TASK_CANCEL_ONGOING_EXECUTIONS"
    for text in (
        "CREATE TASK one SCHEDULE = '1 HOUR' AS ALTER TASK one SUSPEND",
        """CREATE TASK two SCHEDULE = '1 HOUR' AS BEGIN
INSERT INTO t VALUES (2); CREATE OR REPLACE TASK two AS SELECT 1; INSERT INTO t VALUES (20); END""",
        """CREATE TASK three AS BEGIN
ALTER TASK three MODIFY AS SELECT 1; INSERT INTO t VALUES (3); END""",
        f"CREATE TASK four AS {cancel}('four')",
        f"CREATE TASK five AS BEGIN {cancel}('five'); INSERT INTO t VALUES (5); END",
        "ALTER TASK one RESUME",
        "ALTER TASK two RESUME",
    ):
        session.sql(text)
    for name in ("one", "two", "three", "four", "five"):
        execute(session, name)
    # the publication that cancels its own run carries the success, or the fence, before
    wait_for_states(
        session,
        ("one", "SUCCEEDED", None),
        ("two", "CANCELLED", "cancelled"),
        ("three", "SUCCEEDED", None),
        ("four", "SUCCEEDED", None),
        ("five", "CANCELLED", "cancelled"),
    )
    no_other_begins(session)
    assert ids(session) == [2, 3]
    shown = {row[1]: row[10] for row in session.sql("SHOW TASKS").fetchall()}
    assert shown["one"] == shown["two"] == "suspended"


def test_a_body_makes_resumes_and_executes_tasks(session: Session) -> None:
    session.sql("""CREATE TASK root AS BEGIN
CREATE OR REPLACE TASK made AFTER root AS INSERT INTO t VALUES (1);
ALTER TASK made RESUME;
CREATE OR REPLACE TASK other AS INSERT INTO t VALUES (2);
EXECUTE TASK other;
END""")
    execute(session, "root")
    wait_for_states(session, ("root", "SUCCEEDED", None), ("other", "SUCCEEDED", None))
    # the run under way keeps its graph; the next one has the new task
    session.sql("ALTER TASK root MODIFY AS SELECT 1")
    execute(session, "root")
    wait_for_states(session, ("made", "SUCCEEDED", None))
    assert ids(session) == [1, 2]


def test_a_task_that_executes_itself_runs_again_until_it_is_altered(session: Session) -> None:
    session.sql("CREATE TASK again AS BEGIN INSERT INTO t VALUES (1); EXECUTE TASK again; END")
    execute(session, "again")
    wait_for(session, "again", 3)
    session.sql("ALTER TASK again MODIFY AS SELECT 1")
    wait_until(lambda: all(row[2] == "SUCCEEDED" for row in history(session, "again")), PATIENCE)
    number = len(history(session, "again"))
    no_other_begins(session)
    assert len(history(session, "again")) == number
    assert len(ids(session)) >= 3


def test_a_body_drops_the_stream_of_its_condition(session: Session) -> None:
    for text in (
        "CREATE TABLE source (id INT)",
        "CREATE STREAM s ON TABLE source",
        f"""CREATE TASK one {QUICK} SUSPEND_TASK_AFTER_NUM_FAILURES = 2
WHEN SYSTEM$STREAM_HAS_DATA('s') AS BEGIN INSERT INTO t SELECT id FROM s; DROP STREAM s; END""",
        "ALTER TASK one RESUME",
        "INSERT INTO source VALUES (1)",
    ):
        session.sql(text)
    gone = "object-not-found"
    wait_for_states(
        session,
        ("one", "SUCCEEDED", None),
        ("one", "FAILED", gone),
        ("one", "FAILED_AND_AUTO_SUSPENDED", gone),
    )
    assert ids(session) == [1]


def test_a_stale_stream_in_a_condition_fails_its_runs(lake: Lake, clock: TestClock) -> None:
    session = lake.open()
    for text in (
        "CREATE TABLE source (id INT)",
        "CREATE STREAM s ON TABLE source",
        "INSERT INTO source VALUES (1)",
        "DELETE FROM source",
        "CREATE TABLE t (id INT)",
        f"""CREATE TASK one {QUICK} SUSPEND_TASK_AFTER_NUM_FAILURES = 1
WHEN SYSTEM$STREAM_HAS_DATA('s') AS INSERT INTO t SELECT id FROM s""",
    ):
        session.sql(text)
    clock.set(DAY + 40 * ONE_DAY)
    session.maintain(safe_age=0)
    session.sql("ALTER TASK one RESUME")
    with Scheduler(SessionHost(session), OPTIONS):
        wait_for_states(session, ("one", "FAILED_AND_AUTO_SUSPENDED", "stream-stale"))


def test_a_function_that_never_returns_times_out_and_keeps_its_thread_alone(
    any_lake: Lake,
) -> None:
    session, release = any_lake.open(), threading.Event()
    session.sql("CREATE TABLE t (id INT)")
    session.task("deaf", lambda _own: release.wait(), USER_TASK_TIMEOUT_MS=1_000)

    def ask_for_ever(own: Session) -> None:
        while True:
            own.sql("SELECT 1").fetchall()

    session.task("busy", ask_for_ever, USER_TASK_TIMEOUT_MS=1_000)
    session.sql("CREATE TASK other AS INSERT INTO t VALUES (1)")
    options = SchedulerOptions(parallel=2, poll_seconds=0.05, lease_seconds=5, drain_seconds=0.5)
    scheduler = Scheduler(SessionHost(session), options).start()
    try:
        for name in ("deaf", "busy"):
            execute(session, name)
        wait_for_states(session, ("busy", "FAILED", "timeout"), ("deaf", "FAILED", "timeout"))
        for number in range(2):
            execute(session, "other")
            wait_for(session, "other", number + 1)
        wait_until(lambda: scheduler.running == 1, PATIENCE)
        began = time.monotonic()
        assert not scheduler.stop()
        assert time.monotonic() - began < 25
    finally:
        release.set()
    wait_until(lambda: scheduler.running == 0, PATIENCE)
    assert ids(session) == [1, 1]


def test_a_function_that_raises_fails_its_run_and_no_other(session: Session) -> None:
    def fail(_own: Session) -> None:
        raise KeyError("no such day")

    def leave(_own: Session) -> None:
        raise SystemExit(3)

    session.task("bad", fail)
    session.task("leaving", leave)
    for name in ("bad", "leaving"):
        execute(session, name)
    failed = "task-function-failed"
    wait_for_states(session, ("bad", "FAILED", failed), ("leaving", "FAILED", failed))
    no_other_begins(session)


def test_strange_names_are_names(session: Session) -> None:
    quoted = '"' + STRANGE.replace('"', '""') + '"'
    longest = "ü" * 255
    with pytest.raises(NameRefused, match="1 to 255 characters, found 300"):
        session.sql(f'CREATE TASK "{"ü" * 300}" AS SELECT 1')
    text = STRANGE.replace("'", "''")
    for statement in (
        f"CREATE TASK {quoted} AS CALL SYSTEM$SET_RETURN_VALUE('7')",
        f"""CREATE TASK "{longest}" AFTER {quoted} AS
INSERT INTO t SELECT SYSTEM$GET_PREDECESSOR_RETURN_VALUE('{text}')::INT""",
        f"CREATE TASK last FINALIZE = {quoted} AS INSERT INTO t VALUES (8)",
        f'ALTER TASK "{longest}" RESUME',
        "ALTER TASK last RESUME",
        f"EXECUTE TASK {quoted}",
    ):
        session.sql(statement)
    wait_for_states(
        session,
        (STRANGE, "SUCCEEDED", None),
        ("last", "SUCCEEDED", None),
        (longest, "SUCCEEDED", None),
    )
    assert ids(session) == [7, 8]
    (ddl,) = session.sql("SELECT GET_DDL('TASK', :name)", name=quoted).fetchall()[0]
    session.sql(ddl)


def test_a_configuration_has_a_limit(session: Session) -> None:
    def config(length: int) -> str:
        document = json.dumps({"a": "b" * (length - 9)})
        assert len(document) == length
        return document

    with pytest.raises(DefinitionRefused, match="16,384 characters, found 1,000,000"):
        session.sql(f"CREATE TASK one CONFIG = '{config(1_000_000)}' AS SELECT 1")
    session.sql(
        f"CREATE TASK one CONFIG = '{config(16_384)}' AS "
        "INSERT INTO t SELECT LENGTH(SYSTEM$GET_TASK_GRAPH_CONFIG('a'))"
    )
    with pytest.raises(DefinitionRefused, match="found 1,000,000"):
        session.sql(f"EXECUTE TASK one USING CONFIG = '{config(1_000_000)}'")
    session.sql("EXECUTE TASK one")
    wait_for(session, "one", 1)
    assert ids(session) == [16_375]


def test_a_graph_of_a_thousand_tasks_is_started_in_seconds(any_lake: Lake) -> None:
    session = any_lake.open()
    session.sql("CREATE TASK root SCHEDULE = '1 HOUR' AS SELECT 1")
    make_children(core_of(session).database, 999)
    with pytest.raises(DefinitionRefused, match="would have 1,001 tasks"):
        session.sql("CREATE TASK one_more AFTER root AS SELECT 1")
    for statement in (
        "SELECT SYSTEM$TASK_DEPENDENTS_ENABLE('root')",
        "ALTER TASK c7 SUSPEND",
        "ALTER TASK c7 RESUME",
        "ALTER TASK root SUSPEND",
        "ALTER TASK root RESUME",
        "EXECUTE TASK root",
    ):
        began = time.monotonic()
        session.sql(statement).fetchall()
        assert time.monotonic() - began < 10, statement
    assert {row[10] for row in session.sql("SHOW TASKS").fetchall()} == {"started"}


def make_children(database: Database, count: int) -> None:
    """Make tasks after `root`, and after each other, in one publication."""
    tasks = RegisteredTasks(database, now=0)
    edits = (
        tasks.make(f"c{n}", "root" if n < count // 2 else f"c{n - count // 2}", is_started=False)
        for n in range(count)
    )
    tasks.publish(*edits)
