"""Other engines' maintenance, with default arguments, beside a stream that lags."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from conftest import Lake
from icemelt import Session

TABLE = "table => 'main.public.t'"
FOUR_DAYS = 4 * 86_400
PROCEDURES = (
    "expire_snapshots",
    "remove_orphan_files",
    "rewrite_data_files",
    "rewrite_manifests",
    "rewrite_position_delete_files",
)


@pytest.fixture
def foreign(lake: Lake, session: Session) -> SparkSession:
    """Another engine, beside streams of every mode with versions unread."""
    session.sql("CREATE TABLE t (id INT)")
    for number in range(3):
        session.sql(f"INSERT INTO t VALUES ({number})")
    session.sql("CREATE STREAM standard ON TABLE t")
    session.sql("CREATE STREAM inserts ON TABLE t APPEND_ONLY = TRUE")
    session.sql("INSERT INTO t VALUES (3), (4)")
    session.sql("DELETE FROM t WHERE id IN (0, 4)")
    session.sql("INSERT INTO t VALUES (5)")
    return lake.foreign()


def changes(session: Session) -> list[list[tuple[object, ...]]]:
    query = "SELECT *, METADATA$ROW_ID FROM {}"
    return [
        sorted(session.sql(query.format(name)).fetchall(), key=repr)
        for name in ("standard", "inserts")
    ]


def test_no_procedure_with_default_arguments_breaks_a_stream(
    session: Session, foreign: SparkSession
) -> None:
    before = changes(session)
    for procedure in PROCEDURES:
        foreign.sql(f"CALL icemelt.system.{procedure}({TABLE})").collect()
        assert changes(session) == before, procedure
    stale = [row[10] for row in session.sql("SHOW STREAMS").fetchall()]
    assert stale == ["false", "false"]


def test_removing_old_orphans_leaves_what_a_stream_needs(
    lake: Lake, session: Session, foreign: SparkSession
) -> None:
    # two rows of one file, for the deletion of one of them is a file of its own
    session.sql("INSERT INTO t SELECT seq4() + 6 FROM TABLE(GENERATOR(ROWCOUNT => 4))")
    session.sql("DELETE FROM t WHERE id = 7")
    before = changes(session)
    [folder] = (lake.folder / "warehouse").glob("t-*")
    kept = sorted(each for each in folder.rglob("[!.]*") if each.is_file())
    orphans = [folder / "data" / f"{age}.parquet" for age in ("old", "young")]
    for orphan in orphans:
        shutil.copy(next(folder.glob("data/*.parquet")), orphan)
    for each in (*kept, orphans[0]):
        os.utime(each, (each.stat().st_atime, time.time() - FOUR_DAYS))
    removed = foreign.sql(f"CALL icemelt.system.remove_orphan_files({TABLE})").collect()
    assert [Path(row[0]).name for row in removed] == ["old.parquet"]
    assert [each.exists() for each in orphans] == [False, True]
    assert [each for each in kept if not each.exists()] == []
    assert {each.suffix for each in kept} >= {".parquet", ".puffin", ".avro", ".json"}
    assert changes(session) == before


def test_the_branch_goes_before_the_arguments_of_a_procedure(
    session: Session, foreign: SparkSession
) -> None:
    before = changes(session)
    arguments = f"{TABLE}, older_than => TIMESTAMP '2100-01-01 00:00:00', retain_last => 1"
    foreign.sql(f"CALL icemelt.system.expire_snapshots({arguments})").collect()
    assert changes(session) == before


def test_a_stream_on_another_engines_table_is_kept_too(lake: Lake, session: Session) -> None:
    foreign = lake.foreign()
    properties = (
        "TBLPROPERTIES ('format-version' = '3', 'history.expire.max-snapshot-age-ms' = '1')"
    )
    foreign.sql(f"CREATE TABLE icemelt.main.public.t (id INT) USING iceberg {properties}")
    foreign.sql("INSERT INTO icemelt.main.public.t VALUES (1)")
    session.sql("CREATE STREAM inserts ON TABLE t APPEND_ONLY = TRUE")
    foreign.sql("INSERT INTO icemelt.main.public.t VALUES (2)")
    foreign.sql("DELETE FROM icemelt.main.public.t WHERE id = 2")
    foreign.sql("INSERT INTO icemelt.main.public.t VALUES (3)")
    foreign.sql(f"CALL icemelt.system.expire_snapshots({TABLE})").collect()
    assert sorted(session.sql("SELECT id FROM inserts").fetchall()) == [(2,), (3,)]


def test_a_table_is_protected_before_its_first_row(lake: Lake, session: Session) -> None:
    session.sql("CREATE TABLE t (id INT)")
    session.sql("CREATE STREAM inserts ON TABLE t APPEND_ONLY = TRUE")
    session.sql("INSERT INTO t VALUES (1)")
    session.sql("DELETE FROM t WHERE id = 1")
    foreign = lake.foreign()
    older = "older_than => TIMESTAMP '2100-01-01 00:00:00'"
    foreign.sql(f"CALL icemelt.system.expire_snapshots({TABLE}, {older})").collect()
    assert session.sql("SELECT id FROM inserts").fetchall() == [(1,)]
