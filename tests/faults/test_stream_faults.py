"""Streams where the disk is full, the warehouse read-only, a file gone, the clock set back."""

from __future__ import annotations

import re
import select
import threading
import time
from pathlib import Path

import pytest
from processes import Answer, ProcessSession, limit_files, set_writable
from pyspark.sql import SparkSession
from waiting import wait_until

from conftest import DAY, Lake, TestClock, sqlite_url
from icemelt import Session
from icemelt.catalog.database import Database, system_clock
from icemelt.catalog.open_transactions import list_open_transactions, renew_transaction
from icemelt.catalog.queries.finding import find_streams
from icemelt.cli.findings import Level
from icemelt.cli.lake import Lake as NamedLake
from icemelt.cli.lake_checks import check_lake
from icemelt.errors import FileDamaged
from icemelt.transactions.keeping import LEASE_SECONDS

SETUP = (
    "CREATE TABLE t (id INT)",
    "CREATE TABLE sink (id INT)",
    "CREATE STREAM s ON TABLE t",
    "INSERT INTO t VALUES (1), (2)",
)
TAKE = "INSERT INTO sink SELECT id FROM s"
NUMBERS = "(SELECT seq4() AS n FROM TABLE(GENERATOR(ROWCOUNT => 50000)))"
# more than the limit lets a file have
TAKE_MANY = f"INSERT INTO sink SELECT s.id * 1000000 + g.n FROM s CROSS JOIN {NUMBERS} g"
SLOW = f"SELECT a.n * b.n % 7 AS n FROM {NUMBERS} a CROSS JOIN {NUMBERS} b"
HOUR = 3_600_000
PATIENCE_SECONDS = 60


@pytest.mark.slow
def test_places_that_cannot_be_written_leave_the_stream_where_it_is(
    spark: SparkSession, folder: Path
) -> None:
    with ProcessSession(folder, privileged=False) as session:
        _run(session, *SETUP)
        _a_full_disk_costs_a_statement_of_a_transaction(session)
        _a_full_catalog_costs_a_transaction(session, folder)
        _a_read_only_warehouse_costs_a_statement(session, folder)
        _doctor_finds_nothing(folder)
        _a_kill_leaves_the_folder_of_a_table(session, folder)
    lake = Lake(spark, sqlite_url(folder), folder, system_clock)
    own = lake.open()
    assert own.maintain().unregistered_tables_removed == 0
    assert own.maintain(safe_age=0).unregistered_tables_removed == 1
    assert list((folder / "warehouse").glob("killed-*")) == []
    assert own.sql("SELECT id FROM sink ORDER BY id").fetchall() == [(n,) for n in range(5)]
    assert own.sql("SELECT * FROM s").fetchall() == []
    lake.close()


def test_a_missing_data_file_stops_its_stream_until_it_is_back(
    lake: Lake, session: Session
) -> None:
    for statement in (*SETUP, "CREATE TABLE u (id INT)", "CREATE STREAM other ON TABLE u"):
        session.sql(statement)
    session.sql("INSERT INTO u VALUES (7)")
    data = next((lake.folder / "warehouse").glob("t-*/data/*.parquet"))
    away = data.rename(lake.folder / data.name)
    before = _frontiers(session)
    named = re.escape(data.name)
    with pytest.raises(FileDamaged, match=named) as refused:
        session.sql("SELECT * FROM s").fetchall()
    assert "backup" in refused.value.hint
    with pytest.raises(FileDamaged, match=named):
        session.sql(TAKE)
    session.sql("BEGIN")
    session.sql("INSERT INTO sink SELECT id FROM other")
    with pytest.raises(FileDamaged, match=named):
        session.sql(TAKE)
    session.sql("COMMIT")
    moved = {name for name, move in _frontiers(session).items() if move != before[name]}
    assert moved == {"other"}
    away.rename(data)
    assert session.sql("SELECT id FROM s ORDER BY id").fetchall() == [(1,), (2,)]
    session.sql(TAKE)
    assert session.sql("SELECT id FROM sink ORDER BY id").fetchall() == [(1,), (2,), (7,)]
    assert session.sql("SHOW LOCKS").fetchall() == []
    _doctor_finds_nothing(lake.folder)


def test_a_missing_metadata_file_makes_no_stream_stale(lake: Lake, session: Session) -> None:
    for statement in SETUP:
        session.sql(statement)
    manifests = list((lake.folder / "warehouse").glob("t-*/metadata/*-m*.avro"))
    away = [file.rename(lake.folder / file.name) for file in manifests]
    # another session remembers nothing of the files
    other = lake.open()
    with pytest.raises(FileDamaged, match=manifests[0].name) as refused:
        other.sql(TAKE)
    # a new stream would begin after the changes that a backup brings back
    assert "CREATE" not in refused.value.hint
    for file, place in zip(away, manifests, strict=True):
        file.rename(place)
    other.sql(TAKE)
    assert other.sql("SELECT id FROM sink ORDER BY id").fetchall() == [(1,), (2,)]


def test_a_clock_set_back_changes_no_transaction_and_no_order(lake: Lake, clock: TestClock) -> None:
    session, other = lake.open(), lake.open()
    for statement in SETUP:
        session.sql(statement)
    session.sql("BEGIN")
    session.sql(TAKE)
    clock.set(DAY - HOUR)
    other.sql("INSERT INTO t VALUES (3)")
    other.sql("BEGIN")
    assert session.sql("SELECT id FROM s").fetchall() == [(1,), (2,)]
    session.sql("INSERT INTO sink VALUES (0)")
    session.sql("COMMIT")
    assert _moved_at(session) >= DAY
    other.sql("ROLLBACK")
    first = _moved_at(session)
    other.sql(TAKE)
    assert _moved_at(session) > first
    assert session.sql("SELECT id FROM sink ORDER BY id").fetchall() == [(n,) for n in range(4)]
    for name in ("t", "sink"):
        times = [row[1] for row in session.sql(f"DESC HISTORY {name}").fetchall()]
        assert times == sorted(times, reverse=True)
        assert len(set(times)) == len(times) > 1
    _doctor_finds_nothing(lake.folder)


def test_a_dead_session_holds_a_lock_no_longer_where_the_clock_was_set_back(
    lake: Lake, clock: TestClock
) -> None:
    dead, living = lake.open(), lake.open()
    for statement in SETUP:
        living.sql(statement)
    dead.sql("BEGIN")
    dead.sql(TAKE)
    dead._core.settings.transaction._lease.end()  # its process is no more, nobody keeps it alive
    database = lake.database()
    holding = _open(database)
    clock.set(DAY - HOUR)
    living.sql(f"ALTER SESSION SET LOCK_TIMEOUT = {PATIENCE_SECONDS}")
    taking = threading.Thread(target=lambda: living.sql(TAKE))
    taking.start()
    wait_until(lambda: len(_open(database)) == 2, PATIENCE_SECONDS)
    clock.set(DAY - HOUR + 16_000)
    [waiting] = _open(database) - holding
    assert renew_transaction(database, waiting, LEASE_SECONDS)  # as its keeper does in time
    time.sleep(0.3)
    assert taking.is_alive(), "the lock of a session that may live was taken"
    clock.set(DAY - HOUR + 31_000)
    taking.join(PATIENCE_SECONDS / 2)
    assert not taking.is_alive(), "the lock lived as long as the clock was set back"
    assert living.sql("SELECT id FROM sink ORDER BY id").fetchall() == [(1,), (2,)]
    database.close()


def _a_full_disk_costs_a_statement_of_a_transaction(session: ProcessSession) -> None:
    _run(session, "BEGIN", "INSERT INTO sink VALUES (0)")
    assert session.java_id is not None
    before = limit_files(session.java_id, 4096)
    refused = session.sql(TAKE_MANY)
    limit_files(session.java_id, before)
    assert refused.code == "file-refused", refused
    assert "File too large" in refused.message
    assert "disk space" in refused.hint
    assert _rows(session, "SELECT id FROM sink") == [(0,)]
    assert _rows(session, "SELECT id FROM s ORDER BY id") == [(1,), (2,)]
    _run(session, TAKE, "COMMIT")
    assert _rows(session, "SELECT id FROM sink ORDER BY id") == [(0,), (1,), (2,)]
    assert _rows(session, "SELECT * FROM s") == []


def _a_full_catalog_costs_a_transaction(session: ProcessSession, folder: Path) -> None:
    _run(session, "INSERT INTO t VALUES (3)", "BEGIN", TAKE)
    before = limit_files(session.process.pid, (folder / "catalog.db-wal").stat().st_size)
    refused = session.sql("COMMIT")
    limit_files(session.process.pid, before)
    assert refused.code == "catalog-unavailable", refused
    assert refused.hint
    assert _rows(session, "SELECT count(*) FROM sink") == [(3,)]
    started = time.monotonic()
    _run(session, TAKE)
    assert time.monotonic() - started < 10, "the lock waited until it lapsed"
    assert _rows(session, "SELECT count(*) FROM sink") == [(4,)]
    assert _rows(session, "SHOW TRANSACTIONS") == []


def _a_read_only_warehouse_costs_a_statement(session: ProcessSession, folder: Path) -> None:
    _run(session, "INSERT INTO t VALUES (4)")
    set_writable(folder / "warehouse", writable=False)
    for statement in (TAKE, f"COPY INTO '{folder}/warehouse/out' FROM (SELECT id FROM s)"):
        refused = session.sql(statement)
        assert refused.code == "file-refused", refused
        assert "Permission denied" in refused.message
        assert refused.hint
        assert _rows(session, "SELECT id FROM s") == [(4,)]
    set_writable(folder / "warehouse", writable=True)
    _run(session, TAKE)
    assert _rows(session, "SELECT id FROM s") == []


def _a_kill_leaves_the_folder_of_a_table(session: ProcessSession, folder: Path) -> None:
    session.start(f"CREATE TABLE killed AS {SLOW}")
    wait_until(
        lambda: any((folder / "warehouse").glob("killed-*/metadata/*.json")), PATIENCE_SECONDS
    )
    time.sleep(1)
    assert session.process.stdout is not None
    assert select.select([session.process.stdout], [], [], 0)[0] == [], "it has ended already"
    session.kill()


def _run(session: ProcessSession, *statements: str) -> None:
    for statement in statements:
        answer = session.sql(statement)
        assert answer.code == "", (statement, answer)


def _rows(session: ProcessSession, query: str) -> list[tuple[object, ...]]:
    answer: Answer = session.sql(query)
    assert answer.code == "", (query, answer)
    return answer.rows


def _frontiers(session: Session) -> dict[str, int]:
    database = session._core.database
    with database.read() as connection:
        found = find_streams(connection, database)
    return {stream.name.name: stream.frontier.move_count for stream in found}


def _open(database: Database) -> set[str]:
    with database.read() as connection:
        return {each.transaction_id for each in list_open_transactions(connection)}


def _moved_at(session: Session) -> int:
    database = session._core.database
    with database.read() as connection:
        return find_streams(connection, database)[0].frontier.moved_at


def _doctor_finds_nothing(folder: Path) -> None:
    found = check_lake(NamedLake(str(folder)))
    assert [each for each in found if each.level is not Level.OK] == []
