"""Each type that pyarrow writes to ORC files is read, or loaded, as what it means."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import orc
from session.typed_files import read_members

from icemelt.errors import NotYet
from icemelt.session.session import Session

NANOS = 1_714_979_289_123_456_789
WALL = "2024-05-06 07:08:09.123456"
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
    "clock": (
        pa.array([NANOS // 1000, None], pa.timestamp("us")),
        f'"{WALL}+00:00"',
        "TIMESTAMP_LTZ",
    ),
    "clock_ns": (pa.array([NANOS, None], pa.timestamp("ns")), f'"{WALL}+00:00"', "TIMESTAMP_LTZ"),
    "before_1970": (
        pa.array([-2_000_000, None], pa.timestamp("us")),
        '"1969-12-31 23:59:58+00:00"',
        "TIMESTAMP_LTZ",
    ),
    "text": (pa.array(["a", None]), '"a"', "VARCHAR"),
    "large text": (pa.array(["ü", None], pa.large_string()), '"ü"', "VARCHAR"),
    "bytes": (pa.array([b"\x01\xff", None]), '"Af8="', "BINARY"),
    "fixed bytes": (pa.array([b"ab", None], pa.binary(2)), '"YWI="', "BINARY"),
    "list": (pa.array([[1, None], None]), "[1,null]", "ARRAY"),
    "clocks": (
        pa.array([[NANOS, None], None], pa.list_(pa.timestamp("ns"))),
        f'["{WALL}+00:00",null]',
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


def test_each_type_is_read(session: Session, landing: Path) -> None:
    table = pa.table({name: values for name, (values, *_) in TYPES.items()})
    orc.write_table(table, landing / "all.orc")
    found, nothing = read_members(session, landing, "ORC", TYPES)
    assert found == {name: (text, kind) for name, (_, text, kind) in TYPES.items()}
    assert set(nothing.values()) == {("null", "NULL_VALUE")}


def test_clocks_are_loaded_as_they_are_meant(session: Session, landing: Path) -> None:
    orc.write_table(pa.table({"clock": pa.array([NANOS], pa.timestamp("ns"))}), landing / "a.orc")
    session.sql(f"CREATE STAGE s URL = '{landing}' FILE_FORMAT = (TYPE = ORC)")
    session.sql("CREATE TABLE t (clock TIMESTAMP)")
    session.sql("COPY INTO t FROM @s MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE")
    (row,) = session.sql("SELECT clock FROM t").fetchall()
    assert row == (dt.datetime(2024, 5, 6, 7, 8, 9, 123456),)  # noqa: DTZ001 - a wall clock


def test_a_type_that_spark_does_not_read_is_named(session: Session, landing: Path) -> None:
    instant = pa.array([NANOS // 1000], pa.timestamp("us", "UTC"))
    orc.write_table(pa.table({"at": instant}), landing / "a.orc")
    session.sql(f"CREATE STAGE s URL = '{landing}' FILE_FORMAT = (TYPE = ORC)")
    with pytest.raises(NotYet, match=r"a\.orc' has a column of the type TIMESTAMP WITH LOCAL"):
        session.sql("SELECT $1 FROM @s")


def test_files_of_several_schemas_are_loaded_together(session: Session, landing: Path) -> None:
    orc.write_table(pa.table({"id": [1], "a": ["x"]}), landing / "a.orc")
    orc.write_table(pa.table({"id": [2], "b": [1.5]}), landing / "b.orc")
    orc.write_table(pa.table({"id": ["3"]}), landing / "c.orc")
    session.sql("CREATE TABLE t (id INT, a VARCHAR, b FLOAT)")
    session.sql(
        f"COPY INTO t FROM '{landing}' FILE_FORMAT = (TYPE = ORC) "
        "MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE"
    )
    rows = session.sql("SELECT * FROM t ORDER BY id").fetchall()
    assert rows == [(1, "x", None), (2, None, 1.5), (3, None, None)]
    session.sql(f"CREATE STAGE s URL = '{landing}' FILE_FORMAT = (TYPE = ORC)")
    rows = session.sql("SELECT TO_JSON($1) FROM @s ORDER BY $1:id::INT").fetchall()
    assert rows == [('{"a":"x","id":1}',), ('{"b":1.5,"id":2}',), ('{"id":"3"}',)]


def test_files_that_spark_has_written_keep_their_types(session: Session, landing: Path) -> None:
    query = """SELECT TIMESTAMP '2024-01-02 03:04:05' AS instant,
        TIMESTAMP_NTZ '2024-01-02 03:04:05' AS clock, CAST('a' AS CHAR(2)) AS c, 1Y AS tiny"""
    session.spark.sql(query).write.orc(f"{landing}/files")
    session.sql(f"CREATE STAGE s URL = '{landing}' FILE_FORMAT = (TYPE = ORC)")
    row = "TYPEOF($1:instant), TYPEOF($1:clock), $1:clock::VARCHAR, $1:tiny"
    assert session.sql(f"SELECT {row} FROM @s").fetchall() == [
        ("TIMESTAMP_LTZ", "TIMESTAMP_NTZ", "2024-01-02 03:04:05", "1")
    ]
