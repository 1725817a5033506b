"""A record of a CSV file ends with a line feed, a carriage return or both, also in one file."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from icemelt.session.session import Session

MIXED = '1,a\r\n2,"b\r\nb"\n3,c\r\r\n\n4,"d\nd"\r5,e'
WANTED = [(1, "a"), (2, "b\r\nb"), (3, "c"), (4, "d\nd"), (5, "e")]
QUOTED = "TYPE = CSV FIELD_OPTIONALLY_ENCLOSED_BY = '\"'"


@pytest.mark.parametrize("ending", ["", r"RECORD_DELIMITER = '\n'", r"RECORD_DELIMITER = '\r\n'"])
@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz"])
def test_a_file_with_ends_of_all_kinds_is_read(
    session: Session, tmp_path: Path, name: str, ending: str
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    data = MIXED.encode()
    (folder / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    options = f"{QUOTED} {ending}"
    session.sql("CREATE TABLE t (id INT, v VARCHAR)")
    session.sql(f"COPY INTO t FROM '{folder}' FILE_FORMAT = ({options})")
    assert session.sql("SELECT * FROM t ORDER BY id").fetchall() == WANTED
    session.sql(f"CREATE STAGE s URL = '{folder}'")
    session.sql(
        f"CREATE EXTERNAL TABLE e (id INT AS (VALUE:c1::INT)) LOCATION = @s "
        f"FILE_FORMAT = ({options})"
    )
    rows = session.sql("SELECT id, value:c2::VARCHAR FROM e ORDER BY id").fetchall()
    assert rows == WANTED


def test_another_end_is_the_only_one(session: Session, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"1,a\nb;2,c\r;3,d")
    session.sql("CREATE TABLE t (id INT, v VARCHAR)")
    session.sql(f"COPY INTO t FROM '{path}' FILE_FORMAT = (TYPE = CSV RECORD_DELIMITER = ';')")
    rows = session.sql("SELECT * FROM t ORDER BY id").fetchall()
    assert rows == [(1, "a\nb"), (2, "c\r"), (3, "d")]


def test_large_files_are_divided_between_records(session: Session, tmp_path: Path) -> None:
    lines = [f"{n},{'x' * (n % 50)}\\" for n in range(20_000)]
    text = "\n".join(f"{line}\nnext,{n}" for n, line in enumerate(lines)) + "\n"
    path = tmp_path / "a.csv"
    path.write_text(f"skipped\nid,v,n\n{text}")
    session.sql("CREATE TABLE t (id INT, v VARCHAR, n INT)")
    spark = session.spark
    spark.conf.set("spark.sql.files.maxPartitionBytes", "10000")
    try:
        session.sql(
            f"COPY INTO t FROM '{path}' FILE_FORMAT = (TYPE = CSV SKIP_HEADER = 2) "
            "ON_ERROR = CONTINUE"
        )
    finally:
        spark.conf.unset("spark.sql.files.maxPartitionBytes")
    query = "SELECT COUNT(*), COUNT(DISTINCT id), SUM(id - n), COUNT_IF(v LIKE '%\nnext') FROM t"
    assert session.sql(query).fetchall() == [(20_000, 20_000, 0, 20_000)]
