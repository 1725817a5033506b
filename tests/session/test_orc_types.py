"""Each type that pyarrow writes to ORC files is read, or loaded, as what it means."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import orc

from icemelt.session.session import Session

NANOS = 1_714_979_289_123_456_789
WALL = "2024-05-06 07:08:09.123456"
INSTANT = f'"{WALL}+00:00"'
# the values, and what the file's column is as VARIANT, with its type
TYPES: dict[str, tuple[pa.Array, str, str]] = {
    "boolean": (pa.array([True, None]), "true", "BOOLEAN"),
    "int8": (pa.array([-128, None], pa.int8()), "-128", "INTEGER"),
    "int16": (pa.array([32767, None], pa.int16()), "32767", "INTEGER"),
    "int32": (pa.array([-(2**31), None], pa.int32()), "-2147483648", "INTEGER"),
    "int64": (pa.array([-(2**63), None]), "-9223372036854775808", "INTEGER"),
    "float": (pa.array([0.1, None], pa.float32()), "0.1", "DOUBLE"),
    "double": (pa.array([0.1, None]), "0.1", "DOUBLE"),
    "decimal9": (pa.array([Decimal("1234567.89"), None]), "1234567.89", "DECIMAL"),
    "decimal38": (
        pa.array([Decimal("9" * 30 + ".12345678"), None], pa.decimal128(38, 8)),
        "9" * 30 + ".12345678",
        "DECIMAL",
    ),
    "date": (pa.array([dt.date(1970, 1, 2), None]), '"1970-01-02"', "DATE"),
    "date before 1582": (pa.array([dt.date(1500, 1, 1), None]), '"1500-01-01"', "DATE"),
    "clock": (pa.array([NANOS // 1000, None], pa.timestamp("us")), f'"{WALL}"', "TIMESTAMP_NTZ"),
    "clock_ns": (pa.array([NANOS, None], pa.timestamp("ns")), f'"{WALL}"', "TIMESTAMP_NTZ"),
    "before_1970": (
        pa.array([-1_500_000, None], pa.timestamp("us")),
        '"1969-12-31 23:59:58.5"',
        "TIMESTAMP_NTZ",
    ),
    "instant": (
        pa.array([NANOS // 1000, None], pa.timestamp("us", "Europe/Paris")),
        INSTANT,
        "TIMESTAMP_LTZ",
    ),
    "text": (pa.array(["a", None]), '"a"', "VARCHAR"),
    "large text": (pa.array(["ü", None], pa.large_string()), '"ü"', "VARCHAR"),
    "dictionary": (pa.array(["x", None]).dictionary_encode(), '"x"', "VARCHAR"),
    "bytes": (pa.array([b"\x01\xff", None]), '"Af8="', "BINARY"),
    "fixed bytes": (pa.array([b"ab", None], pa.binary(2)), '"YWI="', "BINARY"),
    "list": (pa.array([[1, None], None]), "[1,null]", "ARRAY"),
    "clocks": (
        pa.array([[NANOS, None], None], pa.list_(pa.timestamp("ns"))),
        f'["{WALL}",null]',
        "ARRAY",
    ),
    "held": (
        pa.array([{"a": 1, "b": None}, None], pa.struct([("a", pa.int64()), ("b", pa.string())])),
        '{"a":1,"b":null}',
        "OBJECT",
    ),
    "map": (
        pa.array([[("k", 1)], None], pa.map_(pa.string(), pa.int64())),
        '{"k":1}',
        "OBJECT",
    ),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "in"
    made.mkdir()
    return made


@pytest.mark.parametrize("zone", ["UTC", "America/New_York"])
def test_each_type_is_read(session: Session, folder: Path, zone: str) -> None:
    table = pa.table({name: values for name, (values, *_) in TYPES.items()})
    orc.write_table(table, folder / "all.orc")
    session.sql(f"ALTER SESSION SET TIMEZONE = '{zone}'")
    session.sql(f"CREATE STAGE s URL = '{folder}' FILE_FORMAT = (TYPE = ORC)")
    columns = ", ".join(f'$1:"{name}", TYPEOF($1:"{name}")' for name in TYPES)
    row, nothing = session.sql(f"SELECT {columns} FROM @s").fetchall()
    found = dict(zip(TYPES, zip(row[::2], row[1::2], strict=True), strict=True))
    found["instant"] = (INSTANT, found["instant"][1]) if zone != "UTC" else found["instant"]
    assert found == {name: (text, kind) for name, (_, text, kind) in TYPES.items()}
    assert set(nothing) == {"null", "NULL_VALUE"}


def test_times_are_loaded_as_they_are_meant(session: Session, folder: Path) -> None:
    columns = {
        "clock": pa.array([NANOS // 1000], pa.timestamp("us")),
        "instant": pa.array([NANOS // 1000], pa.timestamp("us", "UTC")),
    }
    orc.write_table(pa.table(columns), folder / "a.orc")
    session.sql(f"CREATE STAGE s URL = '{folder}' FILE_FORMAT = (TYPE = ORC)")
    session.sql("CREATE FILE FORMAT f TYPE = ORC")
    files = "LOCATION => '@s', FILE_FORMAT => 'f'"
    schema = f"SELECT column_name, type FROM TABLE(INFER_SCHEMA({files}))"
    assert dict(session.sql(schema).fetchall()) == {
        "clock": "TIMESTAMP_NTZ",
        "instant": "TIMESTAMP_LTZ",
    }
    session.sql("CREATE TABLE t (clock TIMESTAMP, instant TIMESTAMP_LTZ)")
    session.sql("ALTER SESSION SET TIMEZONE = 'Asia/Tokyo'")
    session.sql("COPY INTO t FROM @s MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE")
    session.sql("ALTER SESSION SET TIMEZONE = 'UTC'")
    ((clock, instant),) = session.sql("SELECT clock, instant FROM t").fetchall()
    at = dt.datetime(2024, 5, 6, 7, 8, 9, 123456)  # noqa: DTZ001 - a wall clock
    assert clock == at
    assert instant == at.replace(tzinfo=dt.UTC)


def test_files_that_spark_has_written_keep_their_types(session: Session, folder: Path) -> None:
    query = """SELECT TIMESTAMP '2024-01-02 03:04:05' AS instant,
        TIMESTAMP_NTZ '2024-01-02 03:04:05' AS clock, CAST('a' AS CHAR(2)) AS c, 1Y AS tiny"""
    session.spark.sql(query).write.orc(f"{folder}/files")
    session.sql(f"CREATE STAGE s URL = '{folder}' FILE_FORMAT = (TYPE = ORC)")
    row = "TYPEOF($1:instant), TYPEOF($1:clock), $1:clock::VARCHAR, $1:tiny"
    assert session.sql(f"SELECT {row} FROM @s").fetchall() == [
        ("TIMESTAMP_LTZ", "TIMESTAMP_NTZ", "2024-01-02 03:04:05", "1")
    ]
