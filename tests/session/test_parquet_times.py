"""Times of Parquet files as INT96 are wall clocks, whatever zone the session has."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from icemelt.session.session import Session

# an hour that New York's clocks leave out, one that they show twice, and a far one
WALL = [
    dt.datetime(2024, 3, 10, 2, 30),  # noqa: DTZ001 - a wall clock
    dt.datetime(2024, 11, 3, 1, 30),  # noqa: DTZ001 - a wall clock
    dt.datetime(3332, 12, 14, 11, 33, 10, 965000),  # noqa: DTZ001 - a wall clock
    None,
]
BY_NAME = "FILE_FORMAT = (TYPE = PARQUET) MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "in"
    made.mkdir()
    day = pa.array(WALL, pa.timestamp("us"))
    plain = pa.table({"id": [1, 2, 3, 4], "At": day, "all": [[each] for each in WALL]})
    pq.write_table(plain, made / "int96.parquet", use_deprecated_int96_timestamps=True)
    pq.write_table(plain, made / "plain.parquet")
    return made


@pytest.mark.parametrize("zone", ["UTC", "America/New_York", "Asia/Kolkata"])
def test_a_wall_clock_stays_what_it_is(session: Session, folder: Path, zone: str) -> None:
    session.sql(f"ALTER SESSION SET TIMEZONE = '{zone}'")
    session.sql('CREATE TABLE t (id INT, at TIMESTAMP_NTZ, "all" ARRAY(TIMESTAMP_NTZ))')
    session.sql(f"COPY INTO t FROM '{folder}' {BY_NAME}")
    found = session.sql('SELECT id, at, "all" FROM t ORDER BY id').fetchall()
    wanted = [(number, each, [each]) for number, each in enumerate(WALL, 1)]
    assert found == sorted([*wanted, *wanted], key=lambda row: row[0])


def test_an_instant_is_one_of_utc(session: Session, folder: Path) -> None:
    session.sql("ALTER SESSION SET TIMEZONE = 'America/New_York'")
    session.sql("CREATE TABLE t (id INT, at TIMESTAMP_LTZ)")
    session.sql(f"COPY INTO t FROM '{folder}' {BY_NAME} PATTERN = 'int96.*'")
    found = session.sql("SELECT at FROM t ORDER BY id").fetchall()
    assert found == [(each and each.replace(tzinfo=dt.UTC),) for each in WALL]


def test_whole_rows_become_variants(session: Session, folder: Path) -> None:
    session.sql("ALTER SESSION SET TIMEZONE = 'America/New_York'")
    session.sql("CREATE TABLE t (v VARIANT)")
    session.sql(f"COPY INTO t FROM '{folder}/int96.parquet' FILE_FORMAT = (TYPE = PARQUET)")
    found = session.sql(
        'SELECT TYPEOF(v:"At"), v:"At"::TIMESTAMP_NTZ, v:"all"[0]::TIMESTAMP_NTZ '
        "FROM t WHERE v:id = 1"
    )
    assert found.fetchall() == [("TIMESTAMP_NTZ", WALL[0], WALL[0])]
