"""Lakes that moved, are too new, damaged or read-only; clocks that go back; killed writers."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from conftest import DAY, Lake, TestClock, sqlite_url
from icemelt import Session
from icemelt.catalog.database import open_database, system_clock
from icemelt.errors import FileDamaged, IcemeltError, LakeMoved

WRITER = """
import sys, icemelt
session = icemelt.connect(sys.argv[1], master="local[1]", memory="1g", maintain_every=None)
print("ready", flush=True)
number = 0
while True:
    session.sql("INSERT INTO t VALUES (:n, 'w'), (:n, 'w')", n=number)
    print(number, flush=True)
    number += 1
"""


def test_a_moved_lake_is_refused_by_name(tmp_path: Path) -> None:
    place = tmp_path / "lake"
    place.mkdir()
    open_database(sqlite_url(place), str(place / "warehouse")).close()
    moved = tmp_path / "moved"
    place.rename(moved)
    with pytest.raises(LakeMoved, match=re.escape(str(place))):
        open_database(sqlite_url(moved), str(moved / "warehouse"))


def test_a_clock_set_back_changes_no_order(spark: SparkSession, tmp_path: Path) -> None:
    clock = TestClock()
    lake = Lake(spark, sqlite_url(tmp_path), tmp_path, clock)
    session = lake.open()
    session.sql("CREATE TABLE t (id INT)")
    first = session.sql("INSERT INTO t VALUES (1)").statement_id
    clock.set(DAY - 3_600_000)
    session.sql("INSERT INTO t VALUES (2)")
    changes = session.sql(f"SELECT id FROM t CHANGES AT (STATEMENT => '{first}')")
    assert changes.fetchall() == [(2,)]
    times = [row[1] for row in session.sql("DESC HISTORY t").fetchall()]
    assert times == sorted(times, reverse=True)
    assert len(set(times)) == 3
    lake.close()


def test_a_missing_data_file_is_named_and_breaks_nothing_else(lake: Lake, session: Session) -> None:
    session.sql("CREATE TABLE t (id INT)")
    session.sql("INSERT INTO t VALUES (1)")
    session.sql("CREATE TABLE other (id INT)")
    session.sql("INSERT INTO other VALUES (2)")
    data = next((lake.folder / "warehouse").glob("t-*/data/*.parquet"))
    data.unlink()
    with pytest.raises(FileDamaged, match=re.escape(data.name)):
        session.sql("SELECT * FROM t").fetchall()
    assert session.sql("SELECT * FROM other").fetchall() == [(2,)]


@pytest.mark.parametrize("harm", ["missing", "empty", "damaged"])
@pytest.mark.parametrize("kind", ["*-m*.avro", "snap-*.avro", "*.metadata.json"])
def test_a_harmed_metadata_file_is_named_and_breaks_nothing_else(
    lake: Lake, session: Session, kind: str, harm: str
) -> None:
    session.sql("CREATE TABLE t (id INT)")
    first = session.sql("INSERT INTO t VALUES (1)").statement_id
    session.sql("DELETE FROM t")
    session.sql("INSERT INTO t VALUES (2)")
    session.sql("CREATE TABLE other (id INT)")
    files = list((lake.folder / "warehouse").glob(f"t-*/metadata/{kind}"))
    for file in files:
        _harm(file, harm)
    # another session remembers nothing of the files
    session = lake.open()
    for statement in (
        "SELECT * FROM t",
        f"SELECT * FROM t CHANGES AT (STATEMENT => '{first}')",
        f"SELECT * FROM t CHANGES (INFORMATION => APPEND_ONLY) AT (STATEMENT => '{first}')",
        f"SELECT * FROM t AT (STATEMENT => '{first}')",
        "DELETE FROM t",
        "UPDATE t SET id = 3",
    ):
        with pytest.raises(FileDamaged) as refused:
            session.sql(statement).fetchall()
        named = [file.name for file in files if file.name in refused.value.message]
        # Avro does not say in which file it met bytes that mean nothing
        assert named or (kind.endswith(".avro") and harm == "damaged"), (statement, refused.value)
        assert "backup" in refused.value.hint
    session.sql("INSERT INTO other VALUES (1)")
    assert session.sql("SELECT * FROM other").fetchall() == [(1,)]
    session.sql("DROP TABLE t")


def test_a_failed_statement_leaves_no_object(session: Session) -> None:
    with pytest.raises(IcemeltError):
        session.sql("CREATE TABLE t AS SELECT CAST('x' AS INT) AS id")
    with pytest.raises(IcemeltError):
        session.sql("SELECT * FROM t")
    session.sql("CREATE TABLE t (id INT)")
    session.sql("INSERT INTO t VALUES (1)")
    with pytest.raises(IcemeltError):
        session.sql("INSERT INTO t SELECT CAST(v AS INT) FROM (SELECT '2' AS v UNION SELECT 'x')")
    assert session.sql("SELECT * FROM t").fetchall() == [(1,)]


@pytest.mark.turns(8)
def test_a_killed_writer_leaves_all_of_a_statement_or_nothing(
    spark: SparkSession, tmp_path: Path
) -> None:
    folder = tmp_path / "lake"
    (folder / "warehouse").mkdir(parents=True)
    lake = Lake(spark, sqlite_url(folder), folder, system_clock)
    session = lake.open()
    session.sql("CREATE TABLE t (n INT, v VARCHAR)")
    command = [sys.executable, "-c", WRITER, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        while "1" not in writer.stdout.readline():
            pass
        time.sleep(0.3)
        writer.send_signal(signal.SIGKILL)
    rows = session.sql("SELECT n, count(*) FROM t GROUP BY n").fetchall()
    assert {count for _, count in rows} == {2}
    assert {0, 1} <= {n for n, _ in rows}
    session.sql("INSERT INTO t VALUES (-1, 'after'), (-1, 'after')")
    lake.close()
    shutil.rmtree(folder)


def _harm(file: Path, harm: str) -> None:
    match harm:
        case "missing":
            file.unlink()
        case "empty":
            file.write_bytes(b"")
        case _:
            content = bytearray(file.read_bytes())
            content[len(content) // 3 :: 3] = b"\xff" * len(content[len(content) // 3 :: 3])
            file.write_bytes(content)
    # the file system keeps sums beside the files that Hadoop wrote
    file.with_name(f".{file.name}.crc").unlink(missing_ok=True)
