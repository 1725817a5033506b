"""Small queries take no Spark job, leave nothing behind, and end when they are cancelled."""

from __future__ import annotations

import threading
import time
from decimal import Decimal

import pyarrow.parquet as pq
import pytest

from conftest import Lake
from icemelt import Session
from icemelt.errors import StatementCancelled
from icemelt.spark_java import java_context, java_vm

SOON_SECONDS = 10
ROWS = "SELECT SEQ4() AS id, MOD(SEQ4(), 10) AS k FROM TABLE(GENERATOR(ROWCOUNT => {}))"


@pytest.fixture
def small(session: Session) -> Session:
    """Return a session that runs small queries in the driver, whatever the turn of the tests."""
    session.spark.conf.set("spark.icemelt.driverRuns", "true")
    session.sql(f"CREATE TABLE t AS {ROWS.format(1_000)}")
    session.sql("CREATE TABLE names (k INT, name VARCHAR)")
    session.sql("CREATE TABLE copy (id INT, k INT)")
    session.sql("INSERT INTO names VALUES (1, 'one'), (2, 'two')")
    session.sql("CREATE STREAM changed ON TABLE t")
    session.sql("UPDATE t SET k = 11 WHERE id < 3")
    return session


def jobs(session: Session) -> int:
    """Return how many jobs Spark has begun so far."""
    return int(java_context(session.spark).dagScheduler().numTotalJobs())


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("SELECT * FROM t WHERE id = 500", 1),
        ("SELECT * FROM t", 1_000),
        ("SELECT COUNT(*), SUM(id) FROM t", 1),
        ("SELECT k, COUNT(*) FROM t GROUP BY k ORDER BY k", 11),
        ("SELECT name, COUNT(*) FROM t JOIN names ON t.k = names.k GROUP BY name", 2),
        ("SELECT id FROM t QUALIFY ROW_NUMBER() OVER (PARTITION BY k ORDER BY id) = 1", 11),
        ("SELECT * FROM changed", 6),
        ("SELECT * FROM t ORDER BY id DESC LIMIT 3", 3),
        ("SELECT k FROM t EXCEPT SELECT k FROM names", 9),
    ],
)
def test_a_small_query_takes_no_job(small: Session, query: str, count: int) -> None:
    before = jobs(small)
    assert len(small.sql(query).fetchall()) == count
    assert jobs(small) == before


def test_few_rows_of_a_stream_are_inserted_without_a_job(small: Session) -> None:
    before = jobs(small)
    counts = small.sql("INSERT INTO copy SELECT id, k FROM changed WHERE metadata$isupdate")
    assert counts.rowcount == 6
    assert jobs(small) == before
    assert small.sql("SELECT COUNT(*) FROM changed").fetchall() == [(0,)]
    assert small.sql("SELECT COUNT(*), MIN(k) FROM copy").fetchall() == [(6, 0)]


@pytest.mark.parametrize("rows", [25_000, 60_000])
def test_what_is_not_small_is_left_to_a_job(small: Session, rows: int) -> None:
    small.sql(f"INSERT INTO t {ROWS.format(rows)}")
    before = jobs(small)
    assert small.sql("SELECT COUNT(*) FROM t WHERE MOD(id, 1000) = 999").fetchall() == [
        (1 + rows // 1_000,)
    ]
    assert jobs(small) > before


def test_what_metadata_leaves_of_a_large_table_is_small(small: Session) -> None:
    small.sql(f"INSERT INTO t {ROWS.format(60_000)}")
    before = jobs(small)
    assert small.sql("SELECT COUNT(*) FROM t WHERE k = 11").fetchall() == [(3,)]
    assert jobs(small) == before


def test_a_result_of_many_rows_is_left_to_a_job(small: Session) -> None:
    before = jobs(small)
    crossed = "SELECT a.id FROM t AS a JOIN t AS b ON a.k = b.k"
    assert len(small.sql(crossed).fetchall()) > 10_000
    assert jobs(small) > before


def test_large_values_are_left_to_a_job(small: Session) -> None:
    before = jobs(small)
    assert len(small.sql("SELECT id, REPEAT('x', 20000) AS v FROM t").fetchall()) == 1_000
    assert jobs(small) > before
    small.sql("CREATE TABLE texts AS SELECT id, RANDSTR(30000, RANDOM()) AS v FROM t")
    before = jobs(small)
    assert small.sql("SELECT SUM(LENGTH(v)) FROM texts").fetchall() == [(30_000_000,)]
    assert jobs(small) > before


def test_many_files_are_left_to_a_job(small: Session) -> None:
    with small.transaction() as transaction:
        many = small.spark.sql("SELECT id, 1L AS k FROM range(0, 120, 1, 120)")
        transaction.append(many, "copy")
    before = jobs(small)
    assert small.sql("SELECT SUM(id) FROM copy").fetchall() == [(7_140,)]
    assert jobs(small) > before


def test_numbers_of_sequences_are_not_taken_in_vain(small: Session) -> None:
    small.sql(f"CREATE TABLE many AS {ROWS.format(15_000)}")
    small.sql("CREATE TABLE numbered (n INT AUTOINCREMENT, id INT)")
    small.sql("INSERT INTO numbered (id) SELECT id FROM many")
    found = small.sql("SELECT MIN(n), MAX(n), COUNT(DISTINCT n) FROM numbered").fetchall()
    assert found == [(1, 15_000, 15_000)]


@pytest.mark.parametrize(
    ("kind", "rows"), [("FULL", 1_000_000), ("LEFT", 1_000_000), ("RIGHT", 1_000_000)]
)
def test_a_join_that_keeps_many_rows_of_few_takes_no_longer(
    small: Session, kind: str, rows: int
) -> None:
    small.sql(f"CREATE TABLE a AS SELECT id, 1 AS k FROM ({ROWS.format(1_000)})")
    many = "(SELECT a.id, b.id AS z FROM a JOIN a AS b ON a.k = b.k)"
    few = "(SELECT a.id FROM a JOIN a AS b ON a.id = b.id)"
    left, right = (few, many) if kind == "RIGHT" else (many, few)
    begun = time.monotonic()
    query = f"SELECT COUNT(*) FROM {left} x {kind} JOIN {right} y ON x.id = y.id"
    assert small.sql(query).fetchall() == [(rows,)]
    assert time.monotonic() - begun < SOON_SECONDS


def test_decimals_of_few_rows_are_stored_as_iceberg_stores_them(small: Session, lake: Lake) -> None:
    small.sql("CREATE TABLE prices (a NUMBER(9, 2), b NUMBER(18, 3), c NUMBER(38, 4))")
    small.sql("INSERT INTO prices SELECT id / 7, -id / 7, id FROM t WHERE id < 3")
    [file] = (lake.folder / "warehouse").glob("prices-*/data/*.parquet")
    kinds = [column.physical_type for column in pq.ParquetFile(file).schema]
    assert kinds == ["INT32", "INT64", "FIXED_LEN_BYTE_ARRAY"]
    least = small.sql("SELECT MIN(a), MIN(b), MAX(c) FROM prices WHERE b < -0.1").fetchall()
    assert least == [(Decimal("0.14"), Decimal("-0.286"), Decimal("2.0000"))]


def test_a_setting_leaves_all_to_jobs(small: Session) -> None:
    small.spark.conf.set("spark.icemelt.driverRuns", "false")
    before = jobs(small)
    assert small.sql("SELECT COUNT(*) FROM t").fetchall() == [(1_000,)]
    assert jobs(small) > before


def test_a_run_leaves_no_memory_and_no_task_behind(small: Session) -> None:
    vm = java_vm(small.spark)
    for _ in range(3):
        small.sql("SELECT k, COUNT(*) FROM t GROUP BY k ORDER BY k").fetchall()
    assert vm.org.apache.spark.TaskContext.get() is None
    memory = vm.org.apache.spark.SparkEnv.get().memoryManager()
    assert memory.getExecutionMemoryUsageForTask(-1_000_000) == 0
    assert memory.executionMemoryUsed() == 0


def test_a_run_ends_when_its_statement_is_cancelled(small: Session) -> None:
    small.sql(f"CREATE TABLE same AS SELECT 1 AS k FROM ({ROWS.format(6_000)})")
    endless = (
        "SELECT COUNT(*) FROM same AS a JOIN same AS b ON a.k = b.k JOIN same AS c ON a.k = c.k"
    )
    before = jobs(small)

    def cancel() -> None:
        time.sleep(0.5)
        small.cancel()

    thread = threading.Thread(target=cancel)
    query = small.sql(endless)
    begun = time.monotonic()
    thread.start()
    with pytest.raises(StatementCancelled):
        query.fetchall()
    thread.join()
    assert time.monotonic() - begun < SOON_SECONDS
    assert jobs(small) == before
    assert small.sql("SELECT COUNT(*) FROM names").fetchall() == [(2,)]
