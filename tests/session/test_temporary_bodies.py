"""Bodies with temporary objects: no row is lost or doubled by a failure and a retry."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from session.body_edits import MARK, make_edits
from session.task_contexts import context_of, make_task

from conftest import Lake
from icemelt.session.runtime.python_tasks import register_function
from icemelt.session.session import Session, core_of
from icemelt.session.tasks.running import BodyOutcome, run_task_body
from icemelt.tasks.states import RunState

TAKE = "CREATE TEMPORARY TABLE b AS SELECT id FROM s"
INTO_T = "INSERT INTO t SELECT id FROM b"
INTO_LATER = "INSERT INTO later SELECT id FROM b"


@pytest.fixture
def session(lake: Lake) -> Session:
    session = lake.open()
    for text in (
        f"CREATE SCHEMA {MARK}",
        "USE SCHEMA public",
        "CREATE TABLE a (id INT)",
        "CREATE TABLE t (id INT)",
        "CREATE STREAM s ON TABLE a",
        "INSERT INTO a VALUES (1), (2)",
    ):
        session.sql(text)
    return session


def run(session: Session, *statements: str, attempt: int = 1) -> BodyOutcome:
    task = make_task("t", f"BEGIN {'; '.join(statements)}; END")
    return run_task_body(core_of(session), context_of(task, attempt=attempt), make_edits(session))


def ids(session: Session, table: str) -> list[int]:
    return sorted(row[0] for row in session.sql(f"SELECT id FROM {table}").fetchall())


def has_data(session: Session) -> bool:
    return bool(session.sql("SELECT SYSTEM$STREAM_HAS_DATA('s')").fetchall()[0][0])


@pytest.mark.parametrize(
    "statements",
    [
        [TAKE, INTO_T, INTO_LATER],
        ["CREATE TEMPORARY TABLE b (id INT)", "INSERT INTO b SELECT id FROM s", INTO_T],
        [
            "CREATE TEMPORARY TABLE b AS SELECT 7 AS id",
            "MERGE INTO b USING s ON b.id = s.id WHEN NOT MATCHED THEN INSERT VALUES (s.id)",
            INTO_T,
        ],
        [TAKE, "CREATE TEMPORARY TABLE c CLONE b", "INSERT INTO t SELECT id FROM c"],
        ["BEGIN TRANSACTION", TAKE, "COMMIT", INTO_T],
        ["BEGIN TRANSACTION", TAKE, INTO_T, "COMMIT", INTO_LATER],
        ["BEGIN TRANSACTION", TAKE, "CREATE TABLE later (id INT)", INTO_LATER],
        ["CREATE TEMPORARY STAGE b", "COPY INTO @b FROM (SELECT id FROM s)", "COPY INTO t FROM @b"],
    ],
)
def test_a_body_takes_no_rows_that_a_retry_would_miss(
    session: Session, statements: list[str]
) -> None:
    outcome = run(session, *statements)
    assert outcome.error is not None
    assert (outcome.state, outcome.error.code) == (RunState.FAILED, "consumption-refused")
    assert (has_data(session), ids(session, "t")) == (True, [])
    assert session.sql("SHOW TRANSACTIONS").fetchall() == []


@pytest.mark.parametrize(
    "statements",
    [
        ["BEGIN TRANSACTION", TAKE, INTO_T, INTO_LATER, "COMMIT"],
        ["BEGIN TRANSACTION", TAKE, INTO_T, INTO_LATER, "DROP TABLE b", "COMMIT"],
        ["BEGIN TRANSACTION", TAKE, INTO_T, INTO_LATER, "COMMIT", "DROP TABLE b"],
        [
            "CREATE TEMPORARY TABLE b (id INT)",
            "BEGIN TRANSACTION",
            "INSERT INTO b SELECT id FROM s",
            INTO_T,
            INTO_LATER,
            "COMMIT",
        ],
        [
            "CREATE TEMPORARY STAGE g",
            "BEGIN TRANSACTION",
            "COPY INTO @g FROM (SELECT id FROM s)",
            "COPY INTO t FROM @g",
            "INSERT INTO later SELECT $1 FROM @g",
            "COMMIT",
        ],
    ],
)
def test_one_transaction_keeps_the_rows_for_a_retry(
    session: Session, statements: list[str]
) -> None:
    first = run(session, *statements)
    assert first.error is not None
    assert first.error.code == "object-not-found"
    assert (has_data(session), ids(session, "t")) == (True, [])
    session.sql("CREATE TABLE later (id INT)")
    assert run(session, *statements, attempt=2).error is None
    assert (has_data(session), ids(session, "t"), ids(session, "later")) == (False, [1, 2], [1, 2])


def test_rows_may_be_taken_where_nothing_reads_them_later(session: Session) -> None:
    assert run(session, TAKE).error is None
    assert not has_data(session)
    session.sql("INSERT INTO a VALUES (3)")
    drain = "CREATE TEMPORARY TABLE drain AS SELECT id FROM s WHERE FALSE"
    assert run(session, drain, "INSERT INTO t VALUES (9)").error is None
    assert (has_data(session), ids(session, "t")) == (False, [9])


def test_a_retry_makes_temporary_objects_again_and_runs_nothing_twice(session: Session) -> None:
    statements = [
        "CREATE TEMPORARY TABLE b AS SELECT id FROM a",
        INTO_T,
        "UPDATE b SET id = id + 10",
        INTO_LATER,
        "DROP TABLE b",
        "INSERT INTO t SELECT 5",
    ]
    first = run(session, *statements)
    assert first.error is not None
    assert first.error.message.endswith(
        "a retry begins with statement 4. It makes temporary objects again before."
    )
    session.sql("CREATE TABLE later (id INT)")
    assert run(session, *statements, attempt=2).error is None
    assert (ids(session, "t"), ids(session, "later")) == ([1, 2, 5], [11, 12])


def test_a_retry_drops_no_table_that_a_temporary_one_has_hidden(session: Session) -> None:
    statements = [
        "CREATE TEMPORARY TABLE t AS SELECT 1 AS id",
        "INSERT INTO a SELECT id FROM t",
        "DROP TABLE t",
        "INSERT INTO later SELECT 1",
    ]
    assert run(session, *statements).finished == 3
    session.sql("CREATE TABLE later (id INT)")
    assert run(session, *statements, attempt=2).error is None
    assert (ids(session, "t"), ids(session, "a")) == ([], [1, 1, 2])


def test_what_follows_a_rollback_does_not_run_twice(session: Session) -> None:
    statements = [
        "BEGIN TRANSACTION",
        TAKE,
        "ROLLBACK",
        "INSERT INTO t VALUES (1)",
        "BEGIN TRANSACTION",
        "SELECT * FROM t",
        "COMMIT",
        "INSERT INTO t VALUES (2)",
        "INSERT INTO later VALUES (3)",
    ]
    assert run(session, *statements).retry_from == 8
    session.sql("CREATE TABLE later (id INT)")
    assert run(session, *statements, attempt=2).error is None
    assert (has_data(session), ids(session, "t")) == (True, [1, 2])


def test_files_are_not_purged_into_a_temporary_table_that_is_read_later(
    session: Session, lake: Lake
) -> None:
    file = lake.folder / "rows.csv"
    file.write_text("1\n")
    copy = f"COPY INTO b FROM '{file}' PURGE = TRUE"
    refused = run(session, "CREATE TEMPORARY TABLE b (id INT)", copy, INTO_T)
    assert refused.error is not None
    assert refused.error.code == "consumption-refused"
    assert file.exists()
    body = ["BEGIN TRANSACTION", copy, INTO_T, "COMMIT"]
    assert run(session, "CREATE TEMPORARY TABLE b (id INT)", *body).error is None
    assert (file.exists(), ids(session, "t")) == (False, [1])


def take_alone(own: Session) -> None:
    own.sql(TAKE)
    own.sql(INTO_T)


def take_in_a_transaction(own: Session) -> None:
    with own.transaction():
        own.sql(TAKE)
    own.sql(INTO_T)


def take_and_write_in_a_transaction(own: Session) -> None:
    with own.transaction():
        own.sql(TAKE)
        own.sql(INTO_T)


@pytest.mark.parametrize(
    ("function", "code"),
    [
        (take_alone, "consumption-refused"),
        (take_in_a_transaction, "consumption-refused"),
        (take_and_write_in_a_transaction, None),
    ],
)
def test_a_function_of_python_takes_rows_with_what_it_writes_of_them(
    session: Session, function: Callable[[Session], None], code: str | None
) -> None:
    register_function(core_of(session).database, make_task("t").name, function)
    outcome = run(session, "CALL SYSTEM$PYTHON_TASK('t')")
    assert (None if outcome.error is None else outcome.error.code) == code
    assert (has_data(session), ids(session, "t")) == ((True, []) if code else (False, [1, 2]))
