"""Places that cannot be written, or are full: reads go on, writes are refused whole."""

from __future__ import annotations

from pathlib import Path

import pytest
import sqlalchemy as sa
from processes import Answer, ProcessSession, limit_files, set_writable
from pyspark.sql import SparkSession

from conftest import Lake, sqlite_url
from icemelt import Session
from icemelt.catalog.database import system_clock
from icemelt.errors import CatalogUnavailable

CHANGES = "SELECT id, METADATA$ACTION FROM t CHANGES AT (STATEMENT => '{}') ORDER BY id"
WRITES = [
    "INSERT INTO t VALUES (9)",
    "UPDATE t SET id = 9 WHERE id = 2",
    "DELETE FROM t WHERE id = 2",
    "TRUNCATE TABLE t",
    "MERGE INTO t USING (SELECT 9 AS id) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT VALUES (9)",
    "CREATE TABLE other (id INT)",
    "CREATE TABLE other AS SELECT 1 AS id",
    "ALTER TABLE t ADD COLUMN v INT",
]


@pytest.mark.slow
def test_a_read_only_warehouse_is_read_and_refuses_writes(folder: Path) -> None:
    with ProcessSession(folder, privileged=False) as session:
        first = _filled(session)
        set_writable(folder / "warehouse", writable=False)
        _reads(session, first)
        for statement in WRITES:
            refused = session.sql(statement)
            assert refused.code == "file-refused", (statement, refused)
            assert "Permission denied" in refused.message
            assert "nothing was changed" in refused.hint
            assert "java." not in refused.message
        _reads(session, first)
        assert [row[1] for row in session.sql("SHOW TABLES").rows] == ["t"]
        set_writable(folder / "warehouse", writable=True)
        assert session.sql(WRITES[0]).code == ""
        assert session.sql("SELECT * FROM t ORDER BY id").rows == [(2,), (3,), (9,)]


@pytest.mark.slow
def test_a_read_only_catalog_is_read_and_refuses_writes(spark: SparkSession, folder: Path) -> None:
    with ProcessSession(folder, privileged=False) as session:
        first = _filled(session)
        session.close()
    assert not (folder / "catalog.db-wal").exists()
    set_writable(folder, writable=False)
    with ProcessSession(folder, privileged=False) as session:
        _reads(session, first)
        assert session.sql("INSERT INTO t VALUES (9)").code == "file-refused"
        set_writable(folder / "warehouse", writable=True)
        for statement in WRITES:
            refused = session.sql(statement)
            assert refused.code == "catalog-read-only", (statement, refused)
            assert "Reading works" in refused.hint
        _reads(session, first)
    set_writable(folder, writable=True)
    lake = Lake(spark, sqlite_url(folder), folder, system_clock)
    here = lake.open()
    here.sql("INSERT INTO t VALUES (9)")
    assert here.sql("SELECT * FROM t ORDER BY id").fetchall() == [(2,), (3,), (9,)]
    lake.close()


@pytest.mark.slow
def test_a_full_warehouse_and_a_full_catalog_refuse_a_write_whole(folder: Path) -> None:
    with ProcessSession(folder) as session:
        first = _filled(session)
        assert session.java_id is not None
        before = limit_files(session.java_id, 4096)
        refused = session.sql(
            "INSERT INTO t SELECT seq4() FROM TABLE(GENERATOR(ROWCOUNT => 100000))"
        )
        assert refused.code == "file-refused", refused
        assert "File too large" in refused.message
        _reads(session, first)
        limit_files(session.java_id, before)
        before = limit_files(session.process.pid, (folder / "catalog.db-wal").stat().st_size)
        refused = session.sql("INSERT INTO t VALUES (9)")
        assert refused.code == "catalog-unavailable", refused
        limit_files(session.process.pid, before)
        _reads(session, first)
        assert session.sql("INSERT INTO t VALUES (9)").code == ""
        assert session.sql("SELECT * FROM t ORDER BY id").rows == [(2,), (3,), (9,)]


def test_a_catalog_that_cannot_grow_says_so(lake: Lake, session: Session) -> None:
    session.sql("CREATE TABLE t (id INT)")
    database = lake.database()
    with database.read() as connection:
        pages = connection.scalar(sa.text("PRAGMA page_count"))
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(CatalogUnavailable, match="full") as refused, database.write() as connection:
        connection.execute(sa.text("CREATE TABLE large AS SELECT zeroblob(1000000) AS v"))
    assert "disk space" in refused.value.hint
    database.close()
    session.sql("INSERT INTO t VALUES (1)")
    assert session.sql("SELECT * FROM t").fetchall() == [(1,)]


def _filled(session: ProcessSession) -> str:
    """Make a table with rows 2 and 3; return the statement that wrote 1 and 2."""
    session.sql("CREATE TABLE t (id INT)")
    first = session.sql("INSERT INTO t VALUES (1), (2)").statement_id
    session.sql("DELETE FROM t WHERE id = 1")
    assert session.sql("INSERT INTO t VALUES (3)").code == ""
    return first


def _reads(session: ProcessSession, first: str) -> None:
    assert _rows(session.sql("SELECT * FROM t ORDER BY id")) == [(2,), (3,)]
    assert _rows(session.sql(CHANGES.format(first))) == [(1, "DELETE"), (3, "INSERT")]
    at_first = f"SELECT * FROM t AT (STATEMENT => '{first}') ORDER BY id"
    assert _rows(session.sql(at_first)) == [(1,), (2,)]


def _rows(answer: Answer) -> list[tuple[object, ...]]:
    assert answer.code == "", answer
    return answer.rows
