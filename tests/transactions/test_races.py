"""Sessions that write one table at once: nothing is lost, no row id is given twice."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from waiting import wait_until

from conftest import Lake, TestClock
from icemelt import Session
from icemelt.catalog.database import Database
from icemelt.catalog.reserving import (
    LEASE_SECONDS,
    become_next,
    end_being_next,
    release_tables,
    reserve_tables,
)
from icemelt.errors import StatementCancelled
from icemelt.names import ObjectName, QualifiedName
from icemelt.session.dml.writing import compact, finish_write, open_target
from icemelt.session.hosting import open_guest
from icemelt.session.runtime.core import History, new_id
from icemelt.transactions import transaction
from icemelt.transactions.pending import Attempt, Author, Pending
from icemelt.transactions.transaction import run_statement


def test_appends_updates_a_merge_and_a_compaction_all_get_through(lake: Lake) -> None:
    first = lake.open()
    first.sql("CREATE TABLE t (id INT, v VARCHAR)")
    first.sql("INSERT INTO t SELECT seq4(), 'a' FROM TABLE(GENERATOR(ROWCOUNT => 50))")
    writers = [_appends, _updates, _merge, _compactions]
    sessions = [lake.open() for _ in writers]
    with ThreadPoolExecutor(len(writers)) as pool:
        running = [
            pool.submit(writer, session) for writer, session in zip(writers, sessions, strict=True)
        ]
        for each in running:
            each.result()
    assert first.sql("SELECT count(*), count(DISTINCT id) FROM t").fetchall() == [(66, 66)]
    assert first.sql("SELECT count(*) FROM t WHERE v = 'm'").fetchall() == [(20,)]
    assert first.sql("SELECT count(*) FROM t WHERE id >= 100").fetchall() == [(6,)]
    ids = lake.foreign().sql("SELECT count(DISTINCT _row_id) FROM icemelt.main.public.t")
    assert ids.first()[0] == 66


def test_a_compaction_of_files_with_deletions_gets_through_beside_an_append(lake: Lake) -> None:
    first, other = lake.open(), lake.open()
    first.sql("CREATE TABLE t (id INT)")
    for start in (0, 10):
        first.sql(f"INSERT INTO t SELECT seq4() + {start} FROM TABLE(GENERATOR(ROWCOUNT => 10))")
    deleted = first.sql("DELETE FROM t WHERE id IN (3, 13)").statement_id
    core = first._core
    attempts = []

    def compact_while_other_appends(attempt: Attempt) -> Pending:
        target = open_target(core, attempt, core.table(ObjectName(("t",))))
        compact(core, attempt, target)
        attempts.append(attempt.number)
        other.sql("INSERT INTO t VALUES (100)")
        return Pending(
            (finish_write(attempt, target, "OPTIMIZE"),),
            lambda: History(core, new_id(), "OPTIMIZE t", "OPTIMIZE", core.now())(0),
        )

    run_statement(core.newest, core.author, compact_while_other_appends)
    assert attempts == [1]
    assert first.sql("SELECT count(*), count(DISTINCT id) FROM t").fetchall() == [(19, 19)]
    changes = f"t CHANGES (INFORMATION => DEFAULT) AT (STATEMENT => '{deleted}')"
    assert first.sql(f"SELECT id, METADATA$ACTION FROM {changes}").fetchall() == [(100, "INSERT")]


def test_the_loser_of_a_race_for_one_row_runs_again_on_the_newer_state(lake: Lake) -> None:
    sessions = [lake.open() for _ in range(2)]
    sessions[0].sql("CREATE TABLE counter (n INT)")
    sessions[0].sql("INSERT INTO counter VALUES (0)")

    def count(session: Session) -> None:
        for _ in range(3):
            session.sql("UPDATE counter SET n = n + 1")

    _together([lambda s=session: count(s) for session in sessions])
    assert sessions[0].sql("SELECT n FROM counter").fetchall() == [(6,)]


def test_one_of_two_creations_of_a_name_wins(lake: Lake) -> None:
    sessions = [lake.open() for _ in range(2)]
    outcomes: list[str] = []

    def create(session: Session) -> None:
        try:
            session.sql("CREATE TABLE once (id INT)")
        except Exception as error:  # noqa: BLE001 - the kind of the error is the outcome
            outcomes.append(type(error).__name__)
        else:
            outcomes.append("created")

    _together([lambda s=session: create(s) for session in sessions])
    assert sorted(outcomes) == ["ObjectExists", "created"]


@pytest.mark.slow
def test_what_a_statement_reads_and_writes_is_of_one_moment(lake: Lake) -> None:
    """A row that comes while the first of two tables is written is not overwritten unread."""
    first, other = lake.open(), lake.open()
    first.execute_script("CREATE TABLE a (id INT); CREATE TABLE b AS SELECT 1 AS id")
    numbers = "(SELECT seq4() AS n FROM TABLE(GENERATOR(ROWCOUNT => 10000)))"
    slow = f"(SELECT MAX(x.n * y.n % 7) AS n FROM {numbers} x CROSS JOIN {numbers} y)"
    ended = threading.Event()

    def insert_between() -> None:
        while not first.running_jobs():
            assert not ended.wait(0.005)
        other.sql("INSERT INTO b VALUES (9)")

    with ThreadPoolExecutor(1) as pool:
        inserting = pool.submit(insert_between)
        first.sql(
            "INSERT OVERWRITE ALL INTO a VALUES (id) INTO b VALUES (id) "
            f"SELECT id FROM b CROSS JOIN {slow} s WHERE s.n > 0"
        )
        ended.set()
        inserting.result()
    assert first.sql("SELECT id FROM b ORDER BY id").fetchall() == [(1,), (9,)]


def test_restores_beside_inserts_leave_a_log_that_tells_each_state(lake: Lake) -> None:
    first, other = lake.open(), lake.open()
    first.sql("CREATE TABLE t (id INT)")
    first.sql("INSERT INTO t VALUES (1), (2)")  # version 2

    def restore() -> None:
        for _ in range(4):
            first.sql("RESTORE TABLE t TO VERSION AS OF 2")

    def insert() -> None:
        for number in range(6):
            other.sql("INSERT INTO t VALUES (:id)", id=100 + number)

    _together([restore, insert])
    [(last,)] = first.sql(
        "SELECT max(METADATA$COMMIT_VERSION) "
        "FROM t CHANGES (INFORMATION => REDO_LOG) AT (VERSION => 1)"
    ).fetchall()
    log = first.sql(
        "SELECT id, METADATA$ACTION, METADATA$COMMIT_VERSION "
        "FROM t CHANGES (INFORMATION => REDO_LOG) AT (VERSION => 1)"
    ).fetchall()
    rows: set[int] = set()
    for version in range(2, last + 1):
        of_version = [(id_, action) for id_, action, number in log if number == version]
        gone = {id_ for id_, action in of_version if action == "DELETE"}
        came = {id_ for id_, action in of_version if action == "INSERT"}
        assert gone <= rows
        assert not came & rows
        rows = rows - gone | came
        state = first.sql(f"SELECT id FROM t AT (VERSION => {version})").fetchall()
        assert sorted(state) == [(id_,) for id_ in sorted(rows)]
    assert {1, 2} <= rows


def _appends(session: Session) -> None:
    for number in range(6):
        session.sql("INSERT INTO t VALUES (:id, 'new')", id=100 + number)


def _updates(session: Session) -> None:
    for number in range(3):
        session.sql("UPDATE t SET v = 'u' WHERE id = :id", id=number)


def test_of_two_create_or_alter_at_once_one_makes_and_the_other_alters(lake: Lake) -> None:
    sessions = [lake.open(), lake.open()]
    for number in range(3):
        table, view = f"t{number}", f"v{number}"
        _each_runs(sessions, f"CREATE OR ALTER TABLE {table} (id INT, {{0}} INT)")
        # the second time both alter what is there
        _each_runs(sessions, f"CREATE OR ALTER TABLE {table} (id INT, {{0}} INT, more_{{0}} INT)")
        _each_runs(sessions, f"CREATE OR ALTER VIEW {view} AS SELECT id AS {{0}} FROM {table}")
        _each_runs(sessions, f"CREATE OR ALTER VIEW {view} AS SELECT id, id AS {{0}} FROM {table}")
        columns = [row[0] for row in sessions[0].sql(f"DESCRIBE TABLE {table}").fetchall()]
        assert columns in [["id", name, f"more_{name}"] for name in ("a", "b")]
        columns = [row[0] for row in sessions[0].sql(f"DESCRIBE VIEW {view}").fetchall()]
        assert columns in [["id", "a"], ["id", "b"]]
        assert sessions[1].sql(f"SELECT * FROM {view}").fetchall() == []


def test_of_two_create_if_not_exists_at_once_both_succeed(lake: Lake) -> None:
    sessions = [lake.open(), lake.open()]
    for number in range(3):
        _each_runs(sessions, f"CREATE TABLE IF NOT EXISTS t{number} ({{0}} INT)")
    assert len(sessions[0].sql("SHOW TABLES").fetchall()) == 3


def _each_runs(sessions: list[Session], statement: str) -> None:
    names = zip(sessions, ("a", "b"), strict=True)
    _together([partial(session.sql, statement.format(name)) for session, name in names])


def _merge(session: Session) -> None:
    session.sql(
        "MERGE INTO t USING (SELECT seq4() + 40 AS id FROM TABLE(GENERATOR(ROWCOUNT => 20))) s "
        "ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = 'm' "
        "WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, 'm')"
    )


def _compactions(session: Session) -> None:
    for _ in range(2):
        session.sql("OPTIMIZE t")


def _together(work: Sequence[Callable[[], object]]) -> None:
    start = threading.Barrier(len(work))

    def run(each: Callable[[], object]) -> None:
        start.wait()
        each()

    with ThreadPoolExecutor(len(work)) as pool:
        for running in [pool.submit(run, each) for each in work]:
            running.result()


@pytest.mark.parametrize("held", ["a reserved table", "a locked stream"])
def test_a_statement_that_waits_for_others_hears_a_cancel(lake: Lake, held: str) -> None:
    first, other = lake.open(), lake.open()
    first.execute_script(
        "CREATE TABLE t (id INT); CREATE TABLE copy (id INT);"
        "CREATE STREAM s ON TABLE t; INSERT INTO t VALUES (1)"
    )
    other.sql("ALTER SESSION SET LOCK_TIMEOUT = 2000000")
    if held == "a reserved table":
        copy = QualifiedName("main", "public", "copy")
        table = first._core.newest.resolve([copy]).tables[copy]
        assert reserve_tables(lake.database(), [table.object_id], "another")
    else:
        first.execute_script("BEGIN; INSERT INTO copy SELECT id FROM s")
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(other.sql, "INSERT INTO copy SELECT id FROM s")
        time.sleep(2)
        assert not waiting.done()
        other.cancel()
        with pytest.raises(StatementCancelled):
            waiting.result(5)
    assert first.sql("ROLLBACK").rowcount is None
    assert other.sql("SELECT count(*) FROM copy").fetchall() == [(0,)]


def test_a_reservation_ends_after_its_author_s_time(
    registry: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transaction, "LEASE_SECONDS", 0.3)
    author = Author("a session", "ann", longest_reservation=0.5)
    with transaction.hold_reservation(registry, ["t"], "first", author):
        assert not reserve_tables(registry, ["t"], "second")
        wait_until(lambda: reserve_tables(registry, ["t"], "second"), 10)
    assert reserve_tables(registry, ["t"], "second")
    assert not reserve_tables(registry, ["t"], "first")


def test_only_who_is_next_reserves_a_table(registry: Database, clock: TestClock) -> None:
    assert reserve_tables(registry, ["t", "u"], "first")
    assert become_next(registry, ["t"], "rows")
    assert not become_next(registry, ["t"], "other rows")
    # the holder goes on
    assert reserve_tables(registry, ["t", "u"], "first")
    release_tables(registry, "first")
    assert not reserve_tables(registry, ["t", "u"], "second")
    assert reserve_tables(registry, ["u"], "second")
    assert reserve_tables(registry, ["t"], "a transaction of the rows", "rows")
    release_tables(registry, "a transaction of the rows")
    assert not reserve_tables(registry, ["t"], "second")
    end_being_next(registry, "rows")
    assert reserve_tables(registry, ["t"], "second")
    # a place that nobody takes again ends by itself
    release_tables(registry, "second")
    assert become_next(registry, ["t"], "dead rows")
    assert not reserve_tables(registry, ["t"], "third")
    clock.set(clock.time + 1000 * LEASE_SECONDS + 1000)
    assert reserve_tables(registry, ["t"], "third")


def test_a_guest_s_reservation_ends_before_others_give_up(lake: Lake) -> None:
    session = lake.open()
    guest = open_guest(session, "ann", ())
    assert guest._core.author.longest_reservation < session._core.author.lock_timeout
