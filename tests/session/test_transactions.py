"""Transactions of a session: how they begin, end, fail and are left behind."""

from __future__ import annotations

import gc
import threading

import pytest
from pyspark.sql import DataFrame

from conftest import Lake
from icemelt import Session
from icemelt.catalog.open_transactions import remove_expired_transactions
from icemelt.errors import (
    Conflict,
    Deadlock,
    LockTimeout,
    ObjectExists,
    QueryError,
    StreamBroken,
    TransactionEnded,
    ValueRefused,
)
from icemelt.session.transaction import Transaction


@pytest.fixture
def other(lake: Lake, session: Session) -> Session:
    session.execute_script(
        "CREATE TABLE t (id INT, v VARCHAR); CREATE TABLE sink (id INT, v VARCHAR);"
        "INSERT INTO t VALUES (1, 'a'), (2, 'b');"
        "CREATE STREAM s ON TABLE t SHOW_INITIAL_ROWS = TRUE"
    )
    return lake.open()


def count(session: Session, table: str) -> int:
    return int(session.sql(f"SELECT count(*) FROM {table}").fetchall()[0][0])


def test_without_autocommit_the_first_statement_begins(session: Session, other: Session) -> None:
    session.sql("ALTER SESSION SET AUTOCOMMIT = FALSE")
    assert not session.in_transaction
    begun = session.sql("INSERT INTO sink VALUES (1, 'x')")
    assert session.in_transaction
    assert "has begun" in (begun.notice or "")
    assert count(other, "sink") == 0
    session.sql("COMMIT")
    assert count(other, "sink") == 1


def test_a_taken_statement_id_keeps_no_transaction_from_its_end(
    session: Session, other: Session
) -> None:
    taken = session.sql("SELECT 1").statement_id
    with pytest.raises(ObjectExists, match=f"{taken}.* is taken"):
        session.run("SELECT 2", statement_id=taken)
    session.sql("BEGIN")
    session.run("INSERT INTO sink SELECT id, v FROM s", statement_id=taken)
    session.sql("ROLLBACK")
    # the lock of the stream is released
    other.sql("INSERT INTO sink SELECT id, v FROM s")
    assert count(session, "sink") == 2
    session.sql("BEGIN")
    session.run("INSERT INTO sink VALUES (3, 'c')", statement_id=taken)
    with pytest.raises(Conflict, match=f"{taken}.* is taken"):
        session.sql("COMMIT")
    assert count(session, "sink") == 2


def test_a_closed_session_and_a_forgotten_one_roll_back(lake: Lake, other: Session) -> None:
    closed = lake.open()
    closed.execute_script("BEGIN; INSERT INTO sink SELECT id, v FROM s")
    closed.close()
    lake.sessions.remove(closed)
    forgotten = lake.open()
    forgotten.execute_script("BEGIN; INSERT INTO sink SELECT id, v FROM s")
    lake.sessions.remove(forgotten)
    del closed, forgotten
    gc.collect()
    other.sql("ALTER SESSION SET LOCK_TIMEOUT = 10")
    other.sql("INSERT INTO sink SELECT id, v FROM s")
    assert count(other, "sink") == 2
    assert other.sql("SHOW TRANSACTIONS").fetchall() == []


def test_an_aborted_transaction_runs_nothing_until_it_is_left(
    session: Session, other: Session
) -> None:
    session.execute_script("BEGIN NAME mine; INSERT INTO sink SELECT id, v FROM s")
    [[transaction_id, *_]] = other.sql("SHOW TRANSACTIONS").fetchall()
    other.sql(f"SELECT SYSTEM$ABORT_TRANSACTION('{transaction_id}')")
    with pytest.raises(TransactionEnded, match="tester"):
        session.sql("INSERT INTO sink VALUES (9, 'x')")
    with pytest.raises(TransactionEnded):
        session.sql("COMMIT")
    assert count(session, "sink") == 0
    with pytest.raises(QueryError, match="not open"):
        other.sql(f"SELECT SYSTEM$ABORT_TRANSACTION('{transaction_id}')")


def test_who_aborted_a_transaction_is_told_for_an_hour(session: Session, other: Session) -> None:
    session.execute_script("BEGIN; INSERT INTO sink VALUES (1, 'x')")
    [[transaction_id, *_]] = other.sql("SHOW TRANSACTIONS").fetchall()
    other.sql(f"SELECT SYSTEM$ABORT_TRANSACTION('{transaction_id}')")
    database = other._core.database
    for minutes, told in ((1, "was aborted by 'tester'"), (90, "has lapsed")):
        with database.write() as connection:
            remove_expired_transactions(connection, database.clock(connection) + minutes * 60_000)
        with pytest.raises(TransactionEnded, match=told):
            session.sql("SELECT 1 FROM sink")


def test_what_a_block_gives_ends_with_it(session: Session, other: Session) -> None:
    rows = session.spark.createDataFrame([(9, "x")], "id int, v string")
    with session.transaction() as left:
        left.append(rows, "sink")
    with session.transaction() as rolled_back:
        session.sql("ROLLBACK")
        with pytest.raises(QueryError, match="over"):
            rolled_back.append(rows, "sink")
    for use in (
        lambda: left.append(rows, "sink"),
        lambda: left.overwrite(rows, "sink"),
        lambda: left.merge(rows, "sink", on="id", when_matched="update"),
        lambda: left.consume("s"),
    ):
        with pytest.raises(QueryError, match="over"):
            use()
    assert (count(session, "sink"), count(session, "s")) == (1, 2)


def test_a_block_is_not_committed_half_way(session: Session, other: Session) -> None:
    def carry_on() -> None:
        with session.transaction():
            session.sql("INSERT INTO sink SELECT id, v FROM s")
            session.sql("CREATE TABLE side (id INT)")

    with pytest.raises(QueryError, match="half-way"):
        carry_on()
    assert (count(session, "sink"), count(session, "s")) == (0, 2)
    session.sql("CREATE TABLE side (id INT)")


def test_changes_of_a_broken_stream_are_not_waited_for(session: Session, other: Session) -> None:
    def refuse(_rows: DataFrame, _transaction: Transaction) -> None:
        raise AssertionError

    session.sql("DROP TABLE t")
    with pytest.raises(StreamBroken):
        session.for_each_change("s", refuse)


def test_a_name_taken_meanwhile_is_a_conflict(session: Session, other: Session) -> None:
    session.execute_script("BEGIN; CREATE TABLE mine AS SELECT 1 AS id; DELETE FROM sink")
    other.sql("CREATE TABLE mine (id INT)")
    with pytest.raises(Conflict, match="rolled back"):
        session.sql("COMMIT")


def test_two_that_wait_for_each_other_are_told(session: Session, other: Session) -> None:
    session.sql("CREATE STREAM s2 ON TABLE t")
    session.execute_script("BEGIN; INSERT INTO sink SELECT id, v FROM s")
    other.execute_script("BEGIN; INSERT INTO sink SELECT id, v FROM s2")
    waiting = threading.Thread(target=session.sql, args=("INSERT INTO sink SELECT id, v FROM s2",))
    waiting.start()
    while "WAITING" not in {row[4] for row in other.sql("SHOW LOCKS").fetchall()}:
        assert waiting.is_alive()
    with pytest.raises(Deadlock, match=r"Stream '\w+\.\w+\.s' is locked by transaction"):
        other.sql("INSERT INTO sink SELECT id, v FROM s")
    other.sql("ROLLBACK")
    waiting.join()
    session.sql("COMMIT")
    assert count(session, "sink") == 2


def test_rows_inserted_and_updated_in_a_transaction_never_share_an_id(
    session: Session, other: Session, lake: Lake
) -> None:
    session.execute_script(
        "BEGIN; INSERT INTO t VALUES (3, 'c'); UPDATE t SET v = 'd' WHERE id = 3"
    )
    other.sql("INSERT INTO t VALUES (4, 'e')")
    with pytest.raises(Conflict, match="UPDATE t SET v = 'd'"):
        session.sql("COMMIT")
    assert not session.in_transaction
    session.execute_script(
        "BEGIN; INSERT INTO t VALUES (5, 'f'), (6, 'g'); DELETE FROM t WHERE id = 5;"
        "UPDATE t SET v = 'z' WHERE id = 1"
    )
    other.sql("INSERT INTO t VALUES (7, 'h')")
    session.sql("COMMIT")
    assert session.sql("SELECT id, v FROM t ORDER BY id").fetchall() == [
        (1, "z"),
        (2, "b"),
        (4, "e"),
        (6, "g"),
        (7, "h"),
    ]
    ids = lake.foreign().sql("SELECT count(DISTINCT _row_id) FROM icemelt.main.public.t")
    assert ids.first()[0] == 5


def test_other_engines_do_not_see_half_a_transaction(
    session: Session, other: Session, lake: Lake
) -> None:
    session.execute_script("BEGIN; INSERT INTO t VALUES (3, 'c'); INSERT INTO t VALUES (4, 'd')")
    foreign = lake.foreign()
    assert foreign.sql("SELECT * FROM icemelt.main.public.t").count() == 2
    session.sql("COMMIT")
    states = foreign.sql("SELECT DISTINCT snapshot_id FROM icemelt.main.public.t.history").collect()
    rows = [
        foreign.sql(f"SELECT * FROM icemelt.main.public.t VERSION AS OF {row[0]}").count()
        for row in states
    ]
    assert sorted(rows) == [2, 4]


def test_a_block_commits_at_its_end_and_rolls_back_on_an_error(
    session: Session, other: Session
) -> None:
    with session.transaction():
        session.sql("INSERT INTO sink VALUES (1, 'x')")
        assert count(other, "sink") == 0
        with pytest.raises(QueryError, match="open already"), session.transaction():
            pass
    assert count(other, "sink") == 1

    def append_and_fail() -> None:
        with session.transaction() as transaction:
            transaction.append(session.table("t"), "sink")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        append_and_fail()
    assert count(other, "sink") == 1
    assert not session.in_transaction


def test_data_frames_consume_append_merge_and_overwrite(session: Session, other: Session) -> None:
    with session.transaction() as transaction:
        rows = transaction.consume("s")
        assert transaction.append(rows.select("id", "v"), "sink") == 2
    assert session.table("s").count() == 0
    session.execute_script("UPDATE t SET v = 'c' WHERE id = 1; DELETE FROM t WHERE id = 2")
    with session.transaction() as transaction:
        changed = transaction.merge(
            transaction.consume("s").where(
                "NOT (`METADATA$ACTION` = 'DELETE' AND `METADATA$ISUPDATE`)"
            ),
            "sink",
            on="id",
            when_matched=[("source.METADATA$ACTION = 'DELETE'", "delete"), (None, "update")],
            when_not_matched="insert",
        )
        assert changed == 2
    assert other.sql("SELECT * FROM sink").fetchall() == [(1, "c")]
    with session.transaction() as transaction:
        assert transaction.overwrite(session.table("t").limit(0), "sink") == 0
    assert count(other, "sink") == 0
    with pytest.raises(ValueRefused, match="METADATA"), session.transaction() as transaction:
        transaction.append(session.table("s"), "sink")


def test_for_each_change_runs_where_there_are_changes(session: Session, other: Session) -> None:
    def copy(rows: DataFrame, transaction: Transaction) -> None:
        transaction.append(rows.select("id", "v"), "sink")

    assert session.for_each_change("s", copy) == 1
    assert session.for_each_change("s", copy) == 0
    stop = threading.Event()
    running = threading.Thread(
        target=session.for_each_change, args=("s", copy), kwargs={"every": 0.1, "stop": stop}
    )
    running.start()
    other.sql("INSERT INTO t VALUES (3, 'c')")
    while count(other, "sink") < 3:
        assert running.is_alive()
    stop.set()
    running.join()
    assert count(other, "sink") == 3


def test_a_lone_statement_waits_no_longer_than_the_lock_timeout(
    session: Session, other: Session
) -> None:
    session.execute_script("BEGIN; INSERT INTO sink SELECT id, v FROM s")
    other.sql("ALTER SESSION SET LOCK_TIMEOUT = 0")
    with pytest.raises(LockTimeout, match=r"(?s)Stream '\w+\.\w+\.s' is.*ABORT_TRANSACTION"):
        other.sql("INSERT INTO sink SELECT id, v FROM s")
    session.sql("ROLLBACK")
    other.sql("INSERT INTO sink SELECT id, v FROM s")
    assert count(other, "sink") == 2


def test_a_file_is_loaded_once_in_a_transaction(
    session: Session, other: Session, lake: Lake
) -> None:
    (lake.folder / "rows.csv").write_text("8,x\n9,y\n", encoding="utf-8")
    load = f"COPY INTO sink FROM '{lake.folder / 'rows.csv'}' FILE_FORMAT = (TYPE = CSV)"
    session.execute_script(f"BEGIN; {load}; {load}")
    assert count(session, "sink") == 2
    session.execute_script(f"TRUNCATE TABLE sink; {load}; COMMIT")
    assert count(other, "sink") == 2
