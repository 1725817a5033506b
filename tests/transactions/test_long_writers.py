"""Writers in other processes, and long statements beside steady appends: all get through."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from processes import ProcessSession
from pyspark.sql import SparkSession

from conftest import Lake, sqlite_url
from icemelt import Session
from icemelt.catalog.database import system_clock

PAUSE_SECONDS = 0.2
NUMBERS = "(SELECT seq4() AS n FROM TABLE(GENERATOR(ROWCOUNT => 400000)))"
# takes longer than the pause between two appends
SLOW = (
    f"SELECT 40 + count(*) % 2 AS id FROM {NUMBERS} a JOIN {NUMBERS} b ON a.n % 9000 = b.n % 9000"
)


@pytest.mark.slow
def test_two_processes_write_one_table(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "warehouse").mkdir()
    lake = Lake(spark, sqlite_url(tmp_path), tmp_path, system_clock)
    session = lake.open()
    session.sql("CREATE TABLE t (writer INT, n INT, v INT)")
    session.sql("CREATE TABLE counter (n INT)")
    session.sql("INSERT INTO counter VALUES (0)")
    with ProcessSession(tmp_path) as first, ProcessSession(tmp_path) as second:
        first.ready(), second.ready()
        with ThreadPoolExecutor(2) as pool:
            running = [pool.submit(_write, each, n) for n, each in enumerate((first, second))]
            for each in running:
                each.result()
    rows = session.sql("SELECT writer, n, v FROM t ORDER BY 1, 2").fetchall()
    assert rows == [(writer, n, int(n < 3)) for writer in (0, 1) for n in range(6)]
    assert session.sql("SELECT n FROM counter").fetchall() == [(6,)]
    ids = lake.foreign().sql("SELECT count(DISTINCT _row_id) FROM icemelt.main.public.t")
    assert ids.first()[0] == 12
    lake.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    "statement",
    [
        (
            f"MERGE INTO t USING ({SLOW}) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = 'm' "
            "WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, 'm')"
        ),
        f"INSERT OVERWRITE INTO t SELECT id, 'm' FROM ({SLOW})",
        "OPTIMIZE t",
    ],
    ids=["merge", "overwrite", "optimize"],
)
def test_a_long_statement_gets_through_beside_steady_appends(
    lake: Lake, session: Session, statement: str
) -> None:
    session.sql("CREATE TABLE t (id INT, v VARCHAR)")
    for number in range(4):
        session.sql("INSERT INTO t VALUES (:n, 'a')", n=number)
    appender, ended = lake.open(), threading.Event()
    with ThreadPoolExecutor(1) as pool:
        appending = pool.submit(_append, appender, ended)
        try:
            session.sql(statement)
        finally:
            ended.set()
        appended = appending.result()
    assert appended >= 2
    rows = session.sql("SELECT id, v FROM t").fetchall()
    new = [number for number, _ in rows if number >= 100]
    if "OVERWRITE" in statement:
        assert set(new) <= set(range(100, 100 + appended))
        assert (100 + appended - 1) in new or not new
    else:
        assert sorted(new) == list(range(100, 100 + appended))
        assert {(n, "a") for n in range(4)} <= set(rows)
    assert statement.startswith("OPTIMIZE") == ("m" not in {v for _, v in rows})
    ids = lake.foreign().sql("SELECT count(*), count(DISTINCT _row_id) FROM icemelt.main.public.t")
    assert ids.first()[0] == ids.first()[1] == len(rows)


def _write(session: ProcessSession, writer: int) -> None:
    for n in range(6):
        assert session.sql(f"INSERT INTO t VALUES ({writer}, {n}, 0)").code == ""
    for n in range(3):
        update = f"UPDATE t SET v = v + 1 WHERE writer = {writer} AND n = {n}"
        assert session.sql(update).code == ""
        assert session.sql("UPDATE counter SET n = n + 1").code == ""


def _append(session: Session, ended: threading.Event) -> int:
    """Append one row after the other until told to end; return how many."""
    number = 0
    while not ended.is_set() or number < 2:
        session.sql("INSERT INTO t VALUES (:id, 'new')", id=100 + number)
        number += 1
        time.sleep(PAUSE_SECONDS)
    return number
