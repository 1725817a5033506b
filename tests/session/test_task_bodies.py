"""Bodies of tasks: what they do, what their publications carry, how they end."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from session.body_edits import MARK, fenced_edits, find_success, make_edits, refusing_edits
from session.task_contexts import context_of, make_task

from conftest import Lake
from icemelt.errors import ValueRefused
from icemelt.session.runtime.python_tasks import register_function
from icemelt.session.runtime.task_context import RunEdits
from icemelt.session.session import Session, core_of
from icemelt.session.tasks.python_bodies import is_runnable_here
from icemelt.session.tasks.running import BodyOutcome, run_task_body
from icemelt.session.tasks.task_sessions import BodyStop
from icemelt.tasks.states import RunState

SLOW = "INSERT INTO t SELECT COUNT(*) FROM TABLE(GENERATOR(ROWCOUNT => 1000000000000))"


@pytest.fixture
def session(any_lake: Lake) -> Session:
    session = any_lake.open()
    for text in (
        f"CREATE SCHEMA {MARK}",
        "USE SCHEMA public",
        "CREATE TABLE t (id INT)",
        "CREATE TABLE copy AS SELECT 1 AS id",
        "CREATE STREAM s ON TABLE t",
    ):
        session.sql(text)
    return session


def run(
    session: Session, body: str, edits: RunEdits | None = None, **fields: object
) -> BodyOutcome:
    """Run a body in the schema `public`."""
    run_fields = {key: fields.pop(key) for key in ("attempt", "run_id", "stop") if key in fields}
    stop = run_fields.pop("stop", None)
    context = context_of(make_task("t", body, **fields), **run_fields)
    return run_task_body(core_of(session), context, edits or make_edits(session), stop)


def ids(session: Session, table: str = "t") -> list[int]:
    return sorted(row[0] for row in session.sql(f"SELECT id FROM main.public.{table}").fetchall())


def commits(session: Session) -> int:
    core = core_of(session)
    with core.database.read() as connection:
        return core.database.read_lake(connection).last.commit_number


TWO_UNITS = (
    "BEGIN INSERT INTO t VALUES (1); BEGIN TRANSACTION; INSERT INTO t VALUES (2); "
    "SELECT * FROM missing; COMMIT; END"
)
WITH_TEMPORARY = (
    "BEGIN CREATE TEMPORARY TABLE own AS SELECT 1 AS id; INSERT INTO t SELECT id FROM own; "
    "INSERT INTO t SELECT 1 / 0; END"
)
OPEN_BY_AUTOCOMMIT = (
    "BEGIN ALTER SESSION SET AUTOCOMMIT = FALSE; INSERT INTO t VALUES (1); SELECT 1; END"
)
EXACTLY_ONCE = [
    "INSERT INTO t VALUES (1)",
    "BEGIN INSERT INTO t VALUES (1); END",
    "BEGIN BEGIN TRANSACTION; INSERT INTO t VALUES (2); UPDATE t SET id = 1; COMMIT; END",
    "MERGE INTO t USING copy ON copy.id = t.id WHEN NOT MATCHED THEN INSERT VALUES (copy.id)",
    "INSERT OVERWRITE INTO t SELECT 1",
]


@pytest.mark.parametrize("body", EXACTLY_ONCE)
def test_one_publication_has_the_effect_and_the_success(session: Session, body: str) -> None:
    before = commits(session)
    outcome = run(session, body)
    assert (outcome.state, outcome.is_success_published) == (RunState.SUCCEEDED, True)
    assert ids(session) == [1]
    assert find_success(session) == "succeeded with None"
    assert commits(session) == before + 1


@pytest.mark.parametrize(
    "body", [*EXACTLY_ONCE, "SELECT 1", "DELETE FROM t", "BEGIN SELECT 1; END"]
)
def test_a_refused_success_publishes_nothing_and_says_so(session: Session, body: str) -> None:
    before = commits(session)
    outcome = run(session, body, refusing_edits(session), options={"LOCK_TIMEOUT": "1"})
    assert (outcome.state, outcome.is_success_published) == (RunState.FAILED, False)
    assert outcome.error is not None
    assert outcome.error.code == "conflict"
    assert ids(session) == []
    assert commits(session) == before


def test_each_publication_of_a_body_is_fenced(session: Session) -> None:
    before = commits(session)
    body = "BEGIN INSERT INTO t VALUES (1); INSERT INTO t VALUES (2); END"
    outcome = run(session, body, fenced_edits(session))
    assert (outcome.state, outcome.finished, outcome.retry_from) == (RunState.FAILED, 0, 0)
    assert commits(session) == before
    body = "BEGIN BEGIN TRANSACTION; INSERT INTO t VALUES (1); COMMIT; SELECT 1; END"
    assert run(session, body, fenced_edits(session)).finished == 0
    register_function(
        core_of(session).database,
        make_task().name,
        lambda own: own.sql("CREATE TABLE made (a INT)"),
    )
    run(session, "CALL SYSTEM$PYTHON_TASK('child')", fenced_edits(session))
    assert commits(session) == before


@pytest.mark.parametrize(
    "body",
    [
        "SELECT 1",
        "DELETE FROM t WHERE id = 7",
        "BEGIN BEGIN TRANSACTION; SELECT * FROM t; COMMIT; END",
        "BEGIN COMMIT; END",
        "SHOW TABLES",
        "CALL SYSTEM$SET_RETURN_VALUE('x')",
    ],
)
def test_a_body_that_publishes_nothing_has_its_success_apart(session: Session, body: str) -> None:
    before = commits(session)
    outcome = run(session, body)
    assert (outcome.state, outcome.is_success_published) == (RunState.SUCCEEDED, True)
    assert find_success(session) is not None
    assert commits(session) == before + 1


def test_files_for_others_are_kept_with_the_success_alone(session: Session, tmp_path: Path) -> None:
    body, before = f"COPY INTO '{tmp_path}/out/' FROM (SELECT 1 AS id)", commits(session)
    assert run(session, body, refusing_edits(session)).state is RunState.FAILED
    assert [path for path in (tmp_path / "out").rglob("*") if path.is_file()] == []
    assert commits(session) == before
    assert run(session, body, run_id=8).is_success_published
    assert [path for path in (tmp_path / "out").rglob("*.csv*") if path.is_file()]
    assert commits(session) == before + 1


def test_the_success_has_the_return_value(session: Session) -> None:
    outcome = run(session, "BEGIN CALL SYSTEM$SET_RETURN_VALUE('a'); INSERT INTO t VALUES (1); END")
    assert outcome.return_value == "a"
    assert find_success(session) == "succeeded with a"


@pytest.mark.parametrize(
    ("call", "value"),
    [
        ("SELECT SYSTEM$SET_RETURN_VALUE((SELECT COUNT(*) FROM t)) AS told", "2"),
        ("CALL SYSTEM$SET_RETURN_VALUE((SELECT 'to ' || MAX(id) FROM t WHERE id > 0))", "to 2"),
        ("CALL SYSTEM$SET_RETURN_VALUE(SYSTEM$CURRENT_USER_TASK_NAME() || 'x')", "tx"),
        ("SELECT SYSTEM$SET_RETURN_VALUE((SELECT MAX(id)::VARCHAR FROM t WHERE id > 5))", None),
    ],
)
def test_a_return_value_is_computed(session: Session, call: str, value: str | None) -> None:
    session.sql("INSERT INTO t VALUES (1), (2)")
    outcome = run(session, f"BEGIN CALL SYSTEM$SET_RETURN_VALUE('a'); {call}; DELETE FROM t; END")
    assert (outcome.error, outcome.return_value) == (None, value)
    assert find_success(session) == f"succeeded with {value}"


def test_a_stream_that_is_consumed_without_rows_carries_the_success(session: Session) -> None:
    session.sql("INSERT INTO t VALUES (1)")
    before = commits(session)
    assert run(session, "INSERT INTO copy SELECT id FROM s WHERE id > 5").is_success_published
    assert (ids(session, "copy"), commits(session)) == ([1], before + 1)
    assert not session.sql("SELECT SYSTEM$STREAM_HAS_DATA('s')").fetchall()[0][0]


def test_a_body_runs_as_its_owner_in_its_schema_with_its_parameters(session: Session) -> None:
    session.sql("CREATE SCHEMA other")
    session.sql("CREATE TEMPORARY TABLE main.public.t (other INT)")
    session.sql("BEGIN")
    body = (
        "CREATE TABLE told AS SELECT CURRENT_USER() AS who, CURRENT_SCHEMA() AS place, "
        "TIMESTAMP_LTZ '2024-01-01 00:00:00' AS moment, (SELECT COUNT(*) FROM t) AS rows_"
    )
    assert run(session, body, options={"TIMEZONE": "Asia/Tokyo"}).error is None
    session.sql("ROLLBACK")
    (row,) = session.sql("SELECT * FROM main.public.told").fetchall()
    midnight_in_tokyo = datetime(2023, 12, 31, 15, tzinfo=UTC)
    assert row == ("owner", "public", midnight_in_tokyo, 0)


def test_statements_of_a_body_are_in_the_history_with_its_session(session: Session) -> None:
    outcome = run(session, "BEGIN INSERT INTO t VALUES (1); SELECT * FROM t; END")
    records = {record.text: record for record in session.history()}
    insert, select = records["INSERT INTO t VALUES (1)"], records["SELECT * FROM t"]
    assert insert.session_id == select.session_id != session.session_id
    assert {insert.user, insert.schema_name} == {"owner", "public"}
    assert outcome.statement_id == select.statement_id


@pytest.mark.parametrize(
    ("body", "code", "finished", "retry_from", "rows"),
    [
        ("SELECT 1 / 0", "query", 0, 0, []),
        ("INSERT INTO missing VALUES (1)", "object-not-found", 0, 0, []),
        ("BEGIN INSERT INTO t VALUES (1); SELECT 1 / 0; END", "query", 1, 1, [1]),
        (TWO_UNITS, "object-not-found", 1, 1, [1]),
        (WITH_TEMPORARY, "query", 2, 2, [1]),
    ],
)
def test_a_failure_tells_its_statement_and_where_a_retry_begins(
    session: Session, body: str, code: str, finished: int, retry_from: int, rows: list[int]
) -> None:
    outcome = run(session, body)
    assert outcome.error is not None
    assert (outcome.state, outcome.error.code) == (RunState.FAILED, code)
    assert not outcome.is_success_published
    assert (outcome.finished, outcome.retry_from) == (finished, retry_from)
    assert ids(session) == rows
    assert find_success(session) is None
    (failed,) = [each for each in session.history() if each.statement_id == outcome.statement_id]
    assert (failed.status, failed.error_code) == ("failed", code)
    assert outcome.error.message.startswith(failed.error_message or "-")
    tells_place = f"a retry begins with statement {retry_from + 1}." in outcome.error.message
    assert tells_place == body.startswith("BEGIN")


def test_a_retry_begins_with_the_first_unfinished_statement(session: Session) -> None:
    body = (
        "BEGIN ALTER SESSION SET TIMEZONE = 'Asia/Tokyo'; CALL SYSTEM$SET_RETURN_VALUE('v'); "
        "INSERT INTO t VALUES (1); BEGIN TRANSACTION; INSERT INTO t VALUES (2); "
        "INSERT INTO t VALUES (3); COMMIT; INSERT INTO t SELECT id FROM later; END"
    )
    first = run(session, body)
    assert (first.finished, first.retry_from, ids(session)) == (7, 7, [1, 2, 3])
    second = run(session, body, attempt=2)
    assert (second.state, second.finished) == (RunState.FAILED, 7)
    session.sql("CREATE TABLE later AS SELECT 4 AS id")
    third = run(session, body, attempt=3)
    assert (third.state, third.return_value, third.finished) == (RunState.SUCCEEDED, "v", 8)
    assert ids(session) == [1, 2, 3, 4]
    # another body, and another run, begin at their beginning
    assert run(session, body.replace("VALUES (1)", "VALUES (5)"), attempt=4).error is None
    assert ids(session) == [1, 2, 2, 3, 3, 4, 4, 5]


def test_what_a_body_leaves_open_is_rolled_back(session: Session) -> None:
    outcome = run(session, "BEGIN BEGIN TRANSACTION; INSERT INTO t VALUES (1); END")
    assert (outcome.state, outcome.is_success_published) == (RunState.SUCCEEDED, True)
    assert ids(session) == []
    outcome = run(
        session, "BEGIN ALTER SESSION SET AUTOCOMMIT = FALSE; INSERT INTO t VALUES (1); END"
    )
    assert (outcome.state, ids(session)) == (RunState.SUCCEEDED, [])
    assert session.sql("SHOW TRANSACTIONS").fetchall() == []


def test_a_schema_that_is_gone_and_a_broken_body_are_failures(
    session: Session,
) -> None:
    session.sql("CREATE SCHEMA other")
    task = make_task("t", "SELECT 1")
    gone = replace(task, name=replace(task.name, schema="gone"))
    outcome = run_task_body(core_of(session), context_of(gone), make_edits(session))
    assert outcome.error is not None
    assert (outcome.state, outcome.error.code) == (RunState.FAILED, "object-not-found")
    broken = run(session, "SELEC 1")
    assert broken.error is not None
    assert (broken.error.code, broken.statement_id) == ("sql-syntax", None)


def test_a_body_of_a_guest_names_the_guests_files_alone(lake: Lake) -> None:
    session = lake.open()
    session.sql(f"CREATE SCHEMA {MARK}")
    session.sql("USE SCHEMA public")
    session.sql("CREATE TABLE t (id INT)")
    place = lake.folder / "guest"
    place.mkdir()
    (place / "a.csv").write_text("1\n")
    within = (str(place),)
    assert run(session, f"COPY INTO t FROM '{place}'", run_within=within).error is None
    assert ids(session) == [1]
    refused = run(session, f"COPY INTO t FROM '{lake.folder}'", run_within=within)
    assert refused.error is not None
    assert refused.error.code == "file-refused"
    register_function(core_of(session).database, make_task().name, lambda own: own.sql("SELECT 1"))
    python = run(session, "CALL SYSTEM$PYTHON_TASK('child')", run_within=within)
    assert python.error is not None
    assert python.error.code == "definition-refused"


@pytest.mark.parametrize("body", [SLOW, f"BEGIN SELECT 1; {SLOW}; INSERT INTO t VALUES (1); END"])
def test_a_body_that_is_stopped_ends_within_a_second(lake: Lake, body: str) -> None:
    session = lake.open()
    session.sql(f"CREATE SCHEMA {MARK}")
    session.sql("USE SCHEMA public")
    session.sql("CREATE TABLE t (id INT)")
    stop, outcomes = BodyStop(), []

    def work() -> None:
        outcomes.append((run(session, body, stop=stop), time.monotonic()))

    thread = threading.Thread(target=work)
    thread.start()
    tracker = session.spark.sparkContext.statusTracker()
    deadline = time.monotonic() + 60
    while not tracker.getActiveJobsIds() and time.monotonic() < deadline:
        time.sleep(0.05)
    began = time.monotonic()
    stop.stop()
    thread.join(60)
    outcome, ended = outcomes[0]
    assert outcome.state is RunState.CANCELLED, outcome
    assert ended - began < 1
    assert (ids(session), find_success(session)) == ([], None)
    assert run(session, "SELECT 1", stop=stop).state is RunState.CANCELLED


def test_a_function_of_python_is_a_body(session: Session) -> None:
    database, name = core_of(session).database, make_task().name
    task = make_task("child", "CALL SYSTEM$PYTHON_TASK('CHILD')")
    seen = []

    def load(own: Session) -> None:
        seen.append((own.schema, own.session_id))
        own.sql("INSERT INTO t VALUES (1)")
        with own.transaction():
            own.sql("INSERT INTO t VALUES (2)")
        own.sql("CALL SYSTEM$SET_RETURN_VALUE(?)", ["two"])
        own.sql("BEGIN")
        own.sql("INSERT INTO t VALUES (3)")

    register_function(database, name, load)
    assert is_runnable_here(core_of(session), task)
    outcome = run(session, task.body)
    assert (outcome.state, outcome.return_value) == (RunState.SUCCEEDED, "two")
    assert find_success(session) == "succeeded with two"
    assert (ids(session), seen[0][0]) == ([1, 2], "public")
    (call,) = [each for each in session.history() if each.statement_id == outcome.statement_id]
    assert (call.kind, call.status, call.session_id) == ("CALL", "succeeded", seen[0][1])


def test_a_function_that_fails_or_is_elsewhere_fails_its_run(session: Session) -> None:
    core = core_of(session)

    def fail(_own: Session) -> None:
        raise RuntimeError("no more paper")

    def refuse(own: Session) -> None:
        raise ValueRefused(f"refused in {own.schema}.", hint="")

    register_function(core.database, make_task("failing").name, fail)
    register_function(core.database, make_task("refusing").name, refuse)
    failed = run(session, "CALL SYSTEM$PYTHON_TASK('failing')")
    assert failed.error is not None
    assert failed.error.code == "task-function-failed"
    assert failed.error.message == "RuntimeError: no more paper"
    refused = run(session, "BEGIN CALL SYSTEM$PYTHON_TASK('refusing'); END")
    assert refused.error is not None
    assert (refused.error.code, refused.error.message) == ("value-refused", "refused in public.")
    elsewhere = "CALL SYSTEM$PYTHON_TASK('elsewhere')"
    assert not is_runnable_here(core, make_task("t", elsewhere))
    lost = run(session, elsewhere)
    assert lost.error is not None
    assert lost.error.code == "object-not-found"
    statuses = {each.text: each.status for each in session.history()}
    assert statuses[elsewhere] == statuses["CALL SYSTEM$PYTHON_TASK('failing')"] == "failed"
