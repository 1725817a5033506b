"""Each type that Avro's own writer and Spark write is read, or loaded, as what it means."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from session.typed_files import read_members

from icemelt.errors import LoadFailed, NotYet
from icemelt.session.files.parquet import typed_expected
from icemelt.session.session import Session
from icemelt.spark_java import java_vm
from icemelt.sql.statements import FileFormat

NANOS = 1_714_979_289_123_456_789
WALL = "2024-05-06 07:08:09.123456"
UUID = "15db3535-d9eb-4c9d-ba44-9e1da245672c"


def logical(stored: str, meaning: str, **more: int) -> dict[str, Any]:
    return {"type": stored, "logicalType": meaning, **more}


def held(name: str, **fields: Any) -> dict[str, Any]:
    listed = [{"name": field, "type": kind} for field, kind in fields.items()]
    return {"type": "record", "name": name, "fields": listed}


TIME_MS = logical("int", "time-millis")
DECIMAL = {
    "type": "fixed",
    "name": "wide",
    "size": 16,
    "logicalType": "decimal",
    "precision": 38,
    "scale": 2,
}
DURATION = {"type": "fixed", "name": "span", "size": 12, "logicalType": "duration"}
# the type, a value as Avro's JSON has it, and what the column is as VARIANT, with its type
TYPES: dict[str, tuple[Any, Any, str, str]] = {
    "boolean": ("boolean", True, "true", "BOOLEAN"),
    "int": ("int", -(2**31), "-2147483648", "INTEGER"),
    "long": ("long", 2**63 - 1, "9223372036854775807", "INTEGER"),
    "float": ("float", 0.1, "0.1", "DOUBLE"),
    "double": ("double", 0.1, "0.1", "DOUBLE"),
    "bytes": ("bytes", "\u0001\u00ff", '"Af8="', "BINARY"),
    "text": ("string", "ü", '"ü"', "VARCHAR"),
    "enum": ({"type": "enum", "name": "suit", "symbols": ["A", "B"]}, "B", '"B"', "VARCHAR"),
    "fixed": ({"type": "fixed", "name": "two", "size": 2}, "ab", '"YWI="', "BINARY"),
    "uuid": (logical("string", "uuid"), UUID, f'"{UUID}"', "VARCHAR"),
    "decimal": (
        logical("bytes", "decimal", precision=9, scale=2),
        "\u0001\u0000",
        "2.56",
        "DECIMAL",
    ),
    "decimal38": (DECIMAL, "\u00ff" * 16, "-0.01", "DECIMAL"),
    "date": (logical("int", "date"), -1, '"1969-12-31"', "DATE"),
    "time_ms": (TIME_MS, 3_723_004, '"01:02:03.004"', "VARCHAR"),
    "time_us": (
        logical("long", "time-micros"),
        86_399_000_004,
        '"23:59:59.000004"',
        "VARCHAR",
    ),
    "instant_ms": (
        logical("long", "timestamp-millis"),
        NANOS // 10**6,
        f'"{WALL[:-3]}+00:00"',
        "TIMESTAMP_LTZ",
    ),
    "instant_us": (
        logical("long", "timestamp-micros"),
        NANOS // 1000,
        f'"{WALL}+00:00"',
        "TIMESTAMP_LTZ",
    ),
    "instant_ns": (
        logical("long", "timestamp-nanos"),
        NANOS,
        f'"{WALL}+00:00"',
        "TIMESTAMP_LTZ",
    ),
    "clock_us": (
        logical("long", "local-timestamp-micros"),
        NANOS // 1000,
        f'"{WALL}"',
        "TIMESTAMP_NTZ",
    ),
    "clock_ns": (
        logical("long", "local-timestamp-nanos"),
        -1,
        '"1969-12-31 23:59:59.999999"',
        "TIMESTAMP_NTZ",
    ),
    "duration": (
        DURATION,
        "\u0001\u0000\u0000\u0000\u0002\u0000\u0000\u0000\u00b8\u000b\u0000\u0000",
        '"P1M2DT3S"',
        "VARCHAR",
    ),
    "list": (
        {"type": "array", "items": ["null", TIME_MS]},
        [{"int": 1000}, None],
        '["00:00:01",null]',
        "ARRAY",
    ),
    "map": ({"type": "map", "values": TIME_MS}, {"k": 60_000}, '{"k":"00:01:00"}', "OBJECT"),
    "held": (
        held("pair", at=TIME_MS, n=["null", "int"]),
        {"at": 0, "n": None},
        '{"at":"00:00:00","n":null}',
        "OBJECT",
    ),
    "int_or_long": (["int", "long"], {"long": 4}, "4", "INTEGER"),
    "text_or_time": (
        ["null", "string", TIME_MS],
        {"int": 1000},
        '{"member0":null,"member1":"00:00:01"}',
        "OBJECT",
    ),
}


def write(session: Session, path: Path, fields: dict[str, Any], rows: Sequence[Any]) -> None:
    """Write rows, given as Avro's JSON, by Avro's own writer."""
    vm = java_vm(session.spark)
    avro = vm.org.apache.avro
    schema = avro.Schema.Parser().parse(json.dumps(held("r", **fields)))
    writer = avro.file.DataFileWriter(avro.generic.GenericDatumWriter(schema))
    writer.create(schema, vm.java.io.File(str(path)))
    for row in rows:
        decoder = avro.io.DecoderFactory().jsonDecoder(schema, json.dumps(row))
        writer.append(avro.generic.GenericDatumReader(schema).read(None, decoder))
    writer.close()


def test_each_type_is_read(session: Session, landing: Path) -> None:
    fields = {name: kind for name, (kind, *_) in TYPES.items()}
    row = {name: value for name, (_, value, *_) in TYPES.items()}
    write(session, landing / "all.avro", fields, [row])
    (found,) = read_members(session, landing, "AVRO", TYPES)
    assert found == {name: (text, kind) for name, (*_, text, kind) in TYPES.items()}


def test_no_value_is_null_in_each_type(session: Session, landing: Path) -> None:
    unions = {name: kind for name, (kind, *_) in TYPES.items() if not isinstance(kind, list)}
    fields = {name: ["null", kind] for name, kind in unions.items()}
    write(session, landing / "all.avro", fields, [dict.fromkeys(fields)])
    (found,) = read_members(session, landing, "AVRO", fields)
    assert {kind for _, kind in found.values()} == {"NULL_VALUE"}


def test_one_column_stored_in_several_ways_is_loaded_as_one(
    session: Session, landing: Path
) -> None:
    for number, (unit, size) in enumerate((("millis", 10**6), ("micros", 10**3), ("nanos", 1))):
        fields = {"id": "int", "at": logical("long", f"local-timestamp-{unit}")}
        row = {"id": number, "at": NANOS // size}
        write(session, landing / f"{unit}.avro", fields, [row])
    write(session, landing / "plain.avro", {"id": "int", "at": "string"}, [{"id": 3, "at": WALL}])
    session.sql("CREATE TABLE t (id INT, at TIMESTAMP)")
    copy = f"""COPY INTO t FROM '{landing}' FILE_FORMAT = (TYPE = AVRO)
        MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE"""
    assert {row[1] for row in session.sql(copy).fetchall()} == {"LOADED"}
    at = dt.datetime(2024, 5, 6, 7, 8, 9, 123456)  # noqa: DTZ001 - a wall clock
    rows = session.sql("SELECT * FROM t ORDER BY id").fetchall()
    assert rows == [(0, at.replace(microsecond=123000)), (1, at), (2, at), (3, at)]
    session.sql(f"CREATE STAGE s URL = '{landing}'")
    session.sql("CREATE FILE FORMAT f TYPE = AVRO")
    schema = """SELECT type FROM TABLE(INFER_SCHEMA(LOCATION => '@s/nanos.avro',
        FILE_FORMAT => 'f')) WHERE column_name = 'at'"""
    assert session.sql(schema).fetchall() == [("TIMESTAMP_NTZ",)]


def test_what_is_no_value_of_its_column_is_refused_with_its_row(
    session: Session, landing: Path
) -> None:
    rows = [{"n": text} for text in ("1", "x", "3")]
    write(session, landing / "a.avro", {"n": "string"}, rows)
    session.sql("CREATE TABLE t (n INT)")
    copy = f"""COPY INTO t FROM '{landing}' FILE_FORMAT = (TYPE = AVRO)
        MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE"""
    with pytest.raises(LoadFailed, match=r"a\.avro"):
        session.sql(copy)
    ((_, status, parsed, loaded, *_),) = session.sql(f"{copy} ON_ERROR = CONTINUE").fetchall()
    assert (status, parsed, loaded) == ("PARTIALLY_LOADED", 3, 2)
    assert session.sql("SELECT n FROM t ORDER BY n").fetchall() == [(1,), (3,)]


def test_files_that_spark_has_written_are_rows_of_an_external_table(
    session: Session, landing: Path
) -> None:
    query = """SELECT id, TIMESTAMP '2024-01-02 03:04:05' AS instant, DATE '2024-01-02' AS day,
        array(id, NULL) AS many, named_struct('a', CAST(id AS DECIMAL(20, 3))) AS held
        FROM range(3)"""
    for codec in ("uncompressed", "deflate", "snappy", "zstandard"):
        files = session.spark.sql(query).write.format("avro").option("compression", codec)
        files.save(f"{landing}/{codec}")
    session.sql(f"CREATE STAGE s URL = '{landing}'")
    session.sql("""CREATE EXTERNAL TABLE e (id INT AS (value:id::INT),
        day DATE AS (value:day::DATE)) LOCATION = @s PATTERN = '.*[.]avro'
        FILE_FORMAT = (TYPE = AVRO)""")
    rows = session.sql("""SELECT id, day::VARCHAR, value:many, value:held.a::INT,
        value:instant::VARCHAR, COUNT(*) FROM e GROUP BY ALL ORDER BY id""").fetchall()
    assert rows == [
        (each, "2024-01-02", f"[{each},null]", each, "2024-01-02 03:04:05", 4) for each in range(3)
    ]


def test_a_spark_without_a_reader_of_avro_is_told_which_package_has_it(
    session: Session, landing: Path
) -> None:
    write(session, landing / "a.avro", {"n": "int"}, [{"n": 1}])
    with (
        pytest.raises(NotYet, match="no reader of Avro") as refused,
        typed_expected(session._core, FileFormat.AVRO, []),
    ):
        session.spark.read.format("avro2").load(str(landing))
    assert "org.apache.spark:spark-avro_2.13:" in str(refused.value)
