"""Ctrl-C and `cancel`: the jobs end, nothing is kept, the history tells, the session goes on."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from waiting import wait_until

from conftest import Lake
from icemelt import Session
from icemelt.errors import StatementCancelled

NUMBERS = "(SELECT seq4() AS n FROM TABLE(GENERATOR(ROWCOUNT => 1000000)))"
# each row of the left side is a moment at which a task can be ended
LONG = f"SELECT SUM(a.n * b.n % 7) AS n FROM {NUMBERS} a CROSS JOIN {NUMBERS} b"
PATIENCE_SECONDS = 60


@pytest.fixture
def one(session: Session) -> Session:
    session.sql("CREATE TABLE t (n BIGINT)")
    session.sql("INSERT INTO t VALUES (1)")
    return session


@pytest.mark.parametrize(
    "statement",
    [
        f"INSERT INTO t {LONG}",
        f"CREATE OR REPLACE TABLE t AS {LONG}",
        f"MERGE INTO t USING ({LONG}) s ON t.n = s.n WHEN NOT MATCHED THEN INSERT VALUES (s.n)",
    ],
)
def test_control_c_leaves_nothing_of_a_writing_statement(one: Session, statement: str) -> None:
    commits = one.sql("DESC HISTORY t").fetchall()
    _when_a_job_runs(one, _press)
    with pytest.raises(KeyboardInterrupt):
        one.sql(statement)
    _is_idle(one)
    assert one.history(1)[0].status == "cancelled"
    assert one.sql("SELECT * FROM t").fetchall() == [(1,)]
    assert one.sql("DESC HISTORY t").fetchall() == commits
    one.sql("INSERT INTO t VALUES (2)")
    assert one.sql("SELECT count(*) FROM t").fetchall() == [(2,)]


def test_control_c_in_a_transaction_takes_only_the_statement_that_runs(
    lake: Lake, one: Session
) -> None:
    one.sql("BEGIN")
    one.sql("INSERT INTO t VALUES (2)")
    written = _data_files(lake)
    # the first row is in a file of its own long before the others are known
    few = NUMBERS.replace("1000000", "100000")
    slow = f"SELECT a.n FROM {NUMBERS} a CROSS JOIN {few} b WHERE a.n * b.n % 7 = 8"
    _when(lambda: _data_files(lake) > written, _press)
    with pytest.raises(KeyboardInterrupt):
        one.sql(f"INSERT INTO t SELECT 7 UNION ALL {slow}")
    _is_idle(one)
    assert _data_files(lake) > written
    assert sorted(one.sql("SELECT * FROM t").fetchall()) == [(1,), (2,)]
    one.sql("INSERT INTO t VALUES (3)")
    one.sql("COMMIT")
    assert sorted(lake.open().sql("SELECT * FROM t").fetchall()) == [(1,), (2,), (3,)]
    history = one.sql("DESC HISTORY t")
    commits = [
        dict(zip(history.columns, row, strict=True))["rows_inserted"] for row in history.fetchall()
    ]
    assert commits == [2, 1, None]


def test_control_c_ends_a_query_whose_rows_are_fetched(one: Session) -> None:
    result = one.sql(LONG)
    _when_a_job_runs(one, _press)
    with pytest.raises(KeyboardInterrupt):
        result.fetchall()
    _is_idle(one)
    assert one.sql("SELECT * FROM t").fetchall() == [(1,)]


def test_control_c_leaves_the_jobs_of_other_sessions_alone(lake: Lake, one: Session) -> None:
    other = lake.open()
    rows: list[object] = []
    slow = f"SELECT count(*) FROM {NUMBERS} a JOIN {NUMBERS} b ON a.n % 50000 = b.n % 50000"
    thread = threading.Thread(target=lambda: rows.extend(other.sql(slow).fetchall()))
    thread.start()
    wait_until(lambda: bool(other.running_jobs()), PATIENCE_SECONDS)
    _when_a_job_runs(one, _press)
    with pytest.raises(KeyboardInterrupt):
        one.sql(LONG).fetchall()
    thread.join(PATIENCE_SECONDS)
    assert rows == [(20_000_000,)]


def test_cancel_from_another_thread_is_told_as_such(one: Session) -> None:
    _when_a_job_runs(one, one.cancel)
    with pytest.raises(StatementCancelled):
        one.sql(f"INSERT INTO t {LONG}")
    _is_idle(one)
    [record] = one.history(1)
    assert (record.status, record.error_code) == ("cancelled", "statement-cancelled")
    assert one.sql("SELECT * FROM t").fetchall() == [(1,)]


def test_a_statement_cancelled_while_it_is_planned_starts_no_job(one: Session) -> None:
    ended = threading.Event()

    def cancel_at_once() -> None:
        while not ended.is_set():
            one.cancel()
            time.sleep(0.01)

    thread = threading.Thread(target=cancel_at_once)
    thread.start()
    with pytest.raises(StatementCancelled):
        one.sql(f"INSERT INTO t {LONG}")
    ended.set()
    thread.join()
    assert one.sql("SELECT * FROM t").fetchall() == [(1,)]


def _press() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def _when_a_job_runs(session: Session, act: Callable[[], None]) -> None:
    """Act once, when the session has a job that has run for a moment."""
    _when(lambda: bool(session.running_jobs()), act)


def _when(holds: Callable[[], bool], act: Callable[[], None]) -> None:
    def watch() -> None:
        wait_until(holds, PATIENCE_SECONDS)
        time.sleep(0.2)
        act()

    threading.Thread(target=watch, daemon=True).start()


def _data_files(lake: Lake) -> set[Path]:
    """Return the data files that are written to their end."""
    found = (lake.folder / "warehouse").glob("t-*/data/*.parquet")
    return {each for each in found if each.stat().st_size}


def _is_idle(session: Session) -> None:
    tracker = session.spark.sparkContext.statusTracker()
    wait_until(lambda: not tracker.getActiveJobsIds(), PATIENCE_SECONDS)
