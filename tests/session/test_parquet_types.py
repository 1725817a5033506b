"""Each type that pyarrow and pandas write to Parquet files is read, or loaded, as what it means."""

from __future__ import annotations

import datetime as dt
import uuid
from decimal import Decimal
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from session.typed_files import read_members

from icemelt.session.session import Session

NANOS = 1_714_979_289_123_456_789
UUID = uuid.UUID("15db3535-d9eb-4c9d-ba44-9e1da245672c")
WALL = "2024-05-06 07:08:09.123456"
# the values, and what the file's column is as VARIANT, with its type
TYPES: dict[str, tuple[pa.Array, str, str]] = {
    "boolean": (pa.array([True, None]), "true", "BOOLEAN"),
    "int8": (pa.array([-128, None], pa.int8()), "-128", "INTEGER"),
    "uint8": (pa.array([255, None], pa.uint8()), "255", "INTEGER"),
    "uint16": (pa.array([65535, None], pa.uint16()), "65535", "INTEGER"),
    "uint32": (pa.array([2**32 - 1, None], pa.uint32()), "4294967295", "INTEGER"),
    "uint64": (pa.array([2**64 - 1, None], pa.uint64()), "18446744073709551615", "INTEGER"),
    "int64": (pa.array([-(2**63), None]), "-9223372036854775808", "INTEGER"),
    "half": (pa.array([-0.1, None], pa.float32()).cast(pa.float16()), "-0.0999755859375", "DOUBLE"),
    "float": (pa.array([0.1, None], pa.float32()), "0.1", "DOUBLE"),
    "double": (pa.array([0.1, None]), "0.1", "DOUBLE"),
    "decimal9": (pa.array([Decimal("1234567.89"), None]), "1234567.89", "DECIMAL"),
    "decimal18": (pa.array([Decimal("-1.5"), None], pa.decimal128(18, 6)), "-1.5", "DECIMAL"),
    "decimal38": (
        pa.array([Decimal("9" * 30 + ".12345678"), None], pa.decimal128(38, 8)),
        "9" * 30 + ".12345678",
        "DECIMAL",
    ),
    "decimal76": (
        pa.array([Decimal("-1.5"), None], pa.decimal256(76, 10)),
        '"-1.5000000000"',
        "VARCHAR",
    ),
    "date": (pa.array([dt.date(1500, 1, 1), None]), '"1500-01-01"', "DATE"),
    "time_ms": (pa.array([dt.time(1, 2, 3), None], pa.time32("ms")), '"01:02:03"', "VARCHAR"),
    "time_us": (
        pa.array([dt.time(23, 59, 59, 4), None], pa.time64("us")),
        '"23:59:59.000004"',
        "VARCHAR",
    ),
    "time_ns": (pa.array([500_000_001, None], pa.time64("ns")), '"00:00:00.500000001"', "VARCHAR"),
    "clock_ms": (
        pa.array([NANOS // 10**6, None], pa.timestamp("ms")),
        f'"{WALL[:-3]}"',
        "TIMESTAMP_NTZ",
    ),
    "clock_us": (pa.array([NANOS // 1000, None], pa.timestamp("us")), f'"{WALL}"', "TIMESTAMP_NTZ"),
    "clock_ns": (pa.array([NANOS, None], pa.timestamp("ns")), f'"{WALL}"', "TIMESTAMP_NTZ"),
    "before_1970": (
        pa.array([-1, None], pa.timestamp("ns")),
        '"1969-12-31 23:59:59.999999"',
        "TIMESTAMP_NTZ",
    ),
    "instant_us": (
        pa.array([NANOS // 1000, None], pa.timestamp("us", "UTC")),
        f'"{WALL}+00:00"',
        "TIMESTAMP_LTZ",
    ),
    "instant_ns": (
        pa.array([NANOS, None], pa.timestamp("ns", "Europe/Paris")),
        f'"{WALL}+00:00"',
        "TIMESTAMP_LTZ",
    ),
    "text": (pa.array(["a", None], pa.large_string()), '"a"', "VARCHAR"),
    "dictionary": (pa.array(["x", None]).dictionary_encode(), '"x"', "VARCHAR"),
    "bytes": (pa.array([b"\x01\xff", None]), '"Af8="', "BINARY"),
    "fixed bytes": (pa.array([b"ab", None], pa.binary(2)), '"YWI="', "BINARY"),
    "uuid": (
        pa.ExtensionArray.from_storage(pa.uuid(), pa.array([UUID.bytes, None], pa.binary(16))),
        f'"{UUID}"',
        "VARCHAR",
    ),
    "list": (pa.array([[1, None], None]), "[1,null]", "ARRAY"),
    "times": (
        pa.array([[NANOS, None], None], pa.list_(pa.timestamp("ns"))),
        f'["{WALL}",null]',
        "ARRAY",
    ),
    "held": (
        pa.array(
            [{"a": 1, "at": dt.time(1)}, None],
            pa.struct([("a", pa.int64()), ("at", pa.time32("ms"))]),
        ),
        '{"a":1,"at":"01:00:00"}',
        "OBJECT",
    ),
    "map": (
        pa.array([[("k", NANOS)], None], pa.map_(pa.string(), pa.timestamp("ns"))),
        f'{{"k":"{WALL}"}}',
        "OBJECT",
    ),
}


# what makes Spark refuse a file
REFUSED = ("half", "decimal76", "time", "ns", "uuid", "1970", "held", "map")


@pytest.mark.parametrize("is_plain", [True, False])
def test_each_type_is_read(session: Session, landing: Path, *, is_plain: bool) -> None:
    chosen = {
        name: each
        for name, each in TYPES.items()
        if not (is_plain and any(part in name for part in REFUSED))
    }
    table = pa.table({name: values for name, (values, *_) in chosen.items()})
    pq.write_table(table, landing / "all.parquet")
    found, nothing = read_members(session, landing, "PARQUET", chosen)
    assert found == {name: (text, kind) for name, (_, text, kind) in chosen.items()}
    assert set(nothing.values()) == {("null", "NULL_VALUE")}


def test_files_of_pandas_are_loaded_with_the_columns_that_they_say(
    session: Session, landing: Path
) -> None:
    days = pd.to_datetime(["2024-01-01 00:00:00.123456789", None], format="ISO8601")
    pd.DataFrame(
        {
            "id": pd.array([1, 2], dtype="Int64"),
            "kind": pd.Categorical(["x", "y"]),
            "clock": days,
            "instant": days.tz_localize("Europe/Paris"),
        }
    ).to_parquet(landing / "a.parquet", index=False)
    session.sql(f"CREATE STAGE s URL = '{landing}' FILE_FORMAT = (TYPE = PARQUET)")
    session.sql("CREATE FILE FORMAT f TYPE = PARQUET")
    files = "LOCATION => '@s', FILE_FORMAT => 'f'"
    schema = f"SELECT column_name, type FROM TABLE(INFER_SCHEMA({files}))"
    assert dict(session.sql(schema).fetchall()) == {
        "id": "BIGINT",
        "kind": "VARCHAR",
        "clock": "TIMESTAMP_NTZ",
        "instant": "TIMESTAMP_LTZ",
    }
    session.sql("CREATE TABLE t (id INT, kind VARCHAR, clock TIMESTAMP, instant TIMESTAMP_LTZ)")
    session.sql("COPY INTO t FROM @s MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE")
    instant = dt.datetime(2024, 1, 1, 0, 0, 0, 123456, dt.timezone(dt.timedelta(hours=1)))
    clock = instant.replace(tzinfo=None)
    first, second = session.sql("SELECT * FROM t ORDER BY id").fetchall()
    assert first == (1, "x", clock, instant)
    assert second == (2, "y", None, None)


def test_files_that_store_one_column_in_several_ways_are_loaded_together(
    session: Session, landing: Path
) -> None:
    for unit, size in (("ms", 10**6), ("us", 10**3), ("ns", 1)):
        columns = {"unit": [unit], "at": pa.array([NANOS // size], pa.timestamp(unit))}
        pq.write_table(pa.table(columns), landing / f"{unit}.parquet")
    session.sql("CREATE TABLE t (unit VARCHAR, at TIMESTAMP)")
    session.sql(
        f"COPY INTO t FROM '{landing}' FILE_FORMAT = (TYPE = PARQUET) "
        "MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE"
    )
    text = "TO_CHAR(at, 'YYYY-MM-DD HH24:MI:SS.FF6')"
    rows = session.sql(f"SELECT unit, {text} FROM t ORDER BY unit").fetchall()
    assert rows == [("ms", f"{WALL[:-3]}000"), ("ns", WALL), ("us", WALL)]
    session.sql(f"CREATE STAGE s URL = '{landing}'")
    session.sql("""CREATE EXTERNAL TABLE e (at TIMESTAMP AS (value:at::TIMESTAMP))
        LOCATION = @s FILE_FORMAT = (TYPE = PARQUET)""")
    rows = session.sql(f"SELECT {text} FROM e ORDER BY 1").fetchall()
    assert rows == [(f"{WALL[:-3]}000",), (WALL,), (WALL,)]


def test_what_is_read_as_text_is_loaded_as_a_value_where_it_is_one(
    session: Session, landing: Path
) -> None:
    columns = {"id": [1, 2], "n": pa.array([Decimal("1.5"), 10**40], pa.decimal256(76, 2))}
    pq.write_table(pa.table(columns), landing / "a.parquet")
    session.sql("CREATE TABLE t (id INT, n NUMBER(38, 2))")
    copy = f"""COPY INTO t FROM '{landing}' FILE_FORMAT = (TYPE = PARQUET)
        MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE ON_ERROR = CONTINUE"""
    ((_, status, *_, said, line, _, column),) = session.sql(copy).fetchall()
    assert (status, line, column) == ("PARTIALLY_LOADED", 2, "n")
    assert str(10**40) in said
    assert session.sql("SELECT * FROM t").fetchall() == [(1, Decimal("1.50"))]


def test_an_interval_is_told_as_in_iso_8601(session: Session) -> None:
    stored = {
        (14, 2, 3004): "P1Y2M2DT3.004S",
        (0, 0, 0): "PT0S",
        (0, 1, 0): "P1D",
        (0, 0, 60_000): "PT1M",
        (2**32 - 1, 0, 0): "P357913941Y3M",
    }
    for parts, text in stored.items():
        written = b"".join(part.to_bytes(4, "little") for part in parts).hex()
        query = f"SELECT icemelt_parquet_interval(X'{written}')"
        assert session.spark.sql(query).collect()[0][0] == text
