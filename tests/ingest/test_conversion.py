"""Values of each of the types that clients send, into each type of column."""

# ruff: noqa: DTZ001, DTZ901 - clocks without a zone are values too

from __future__ import annotations

import datetime as dt
import subprocess
import sys
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from icemelt.errors import DefinitionRefused
from icemelt.ingest.conversion.conversion import LISTED_ERRORS, ConvertedRows, arrow_schema, convert
from icemelt.ingest.errors import MalformedRows
from icemelt.ingest.rows.rows import to_arrow
from icemelt.schema import (
    Column,
    DataType,
    DecimalType,
    ListType,
    MapType,
    NestedField,
    Primitive,
    StructType,
)

P = Primitive
BERLIN_DAY = dt.datetime(2013, 4, 28, 20, 57, 1)
PAIR = StructType((NestedField("a", P("int"), nullable=False), NestedField("b", P("string"))))


def _converted(values: Sequence[Any], data_type: DataType, zone: str = "UTC") -> ConvertedRows:
    return convert(
        to_arrow([{"c": value} for value in values]), [Column("c", data_type)], time_zone=zone
    )


def _good(values: Sequence[Any], data_type: DataType, zone: str = "UTC") -> list[Any]:
    converted = _converted(values, data_type, zone)
    assert not converted.errors, converted.errors
    found: list[Any] = converted.rows.column("c").to_pylist()
    return found


def _reason(value: Any, data_type: DataType) -> str:
    (error,) = _converted([value], data_type).errors
    assert (error.row, error.column) == (0, "c")
    return error.reason


@pytest.mark.parametrize(
    ("data_type", "value", "kept"),
    [
        (P("string"), "a", "a"),
        (P("string"), 7, "7"),
        (P("string"), 10**30, "1" + "0" * 30),
        (P("string"), True, "true"),
        (P("string"), 1.0, "1"),
        (P("string"), Decimal("1.10"), "1.10"),
        (P("string"), Decimal("0E-10"), "0.0000000000"),
        (P("string"), dt.date(2024, 1, 2), "2024-01-02"),
        (P("string"), BERLIN_DAY, "2013-04-28T20:57:01"),
        (P("string"), dt.time(20, 57), "20:57:00"),
        (P("binary"), b"\x00", b"\x00"),
        (P("binary"), "00fF", b"\x00\xff"),
        (P("binary"), "", b""),
        (P("long"), "12", 12),
        (P("long"), Decimal("1.5"), 2),
        (P("long"), -2.5, -3),
        (P("long"), 2**63 - 1, 2**63 - 1),
        (P("long"), "9223372036854775807.4", 2**63 - 1),
        (P("int"), " 1e3 ", 1000),
        (DecimalType(10, 2), "1.005", Decimal("1.01")),
        (DecimalType(10, 2), 2.675, Decimal("2.68")),
        (DecimalType(38, 0), "9" * 38, Decimal("9" * 38)),
        (DecimalType(38, 38), "1e-38", Decimal("1e-38")),
        (P("double"), "Infinity", float("inf")),
        (P("double"), Decimal("0.1"), 0.1),
        (P("float"), 0.5, 0.5),
        (P("boolean"), "ON", True),
        (P("boolean"), 0, False),
        (P("boolean"), 0.5, True),
        (P("date"), "2013-04-28", dt.date(2013, 4, 28)),
        (P("date"), "2013-04-28T20:57:01.123456789+07:00", dt.date(2013, 4, 28)),
        (P("date"), BERLIN_DAY, dt.date(2013, 4, 28)),
        (P("date"), -1, dt.date(1969, 12, 31)),
        (P("timestamp"), "2013-04-28T20:57:01", BERLIN_DAY),
        (P("timestamp"), "2013-04-28 20:57", BERLIN_DAY.replace(second=0)),
        (P("timestamp"), "2013-04-28T20:57:01-07:00", BERLIN_DAY),
        (P("timestamp"), "2013-04-28T20:57-07:00", BERLIN_DAY.replace(second=0)),
        (P("timestamp"), "2013-04-28T20:57:01.1234567", BERLIN_DAY.replace(microsecond=123456)),
        (P("timestamp"), 1_367_182_621, BERLIN_DAY),
        (P("timestamp"), "1367182621000", BERLIN_DAY),
        (P("timestamp"), 1_367_182_621_000_000, BERLIN_DAY),
        (P("timestamp"), 1_367_182_621_000_000_999, BERLIN_DAY),
        (P("timestamp"), dt.date(2013, 4, 28), dt.datetime(2013, 4, 28)),
        (P("timestamp"), "9999-12-31T23:59:59.999999999", dt.datetime.max),
        (
            P("timestamptz"),
            "2013-04-28T20:57:01+07:00",
            dt.datetime(2013, 4, 28, 13, 57, 1, tzinfo=dt.UTC),
        ),
        (P("variant"), '{"a": 1}', '{"a": 1}'),
        (P("variant"), Decimal("0.12345678901234567890"), "0.12345678901234567890"),
        (P("variant"), dt.date(2024, 1, 2), '"2024-01-02"'),
        (P("variant"), {"a": [1, "x"], "b": None}, '{"a":[1,"x"],"b":null}'),
        (P("variant"), [dt.date(2024, 1, 2)], '["2024-01-02"]'),
        (ListType(P("long")), [1, "2", None], [1, 2, None]),
        (ListType(P("long")), "[1, 2.5]", [1, 3]),
        (ListType(P("variant")), ["a", "b"], ['"a"', '"b"']),
        (ListType(P("variant")), ["a", 1], ['"a"', "1"]),
        (MapType(P("int"), P("string")), {"1": True, "2": None}, [(1, "true"), (2, None)]),
        (MapType(P("string"), P("date")), '{"x": "2024-01-02"}', [("x", dt.date(2024, 1, 2))]),
        (PAIR, {"A": 1.4, "b": 2}, {"a": 1, "b": "2"}),
        (PAIR, '{"a": "7"}', {"a": 7, "b": None}),
        (ListType(PAIR), [{"a": 1}, {"b": "x", "a": 2}], [{"a": 1, "b": None}, {"a": 2, "b": "x"}]),
    ],
)
def test_a_value_is_kept_as_its_column_s_type(data_type: DataType, value: Any, kept: Any) -> None:
    assert _good([value, None], data_type) == [kept, None]


@pytest.mark.parametrize(
    ("data_type", "value", "said"),
    [
        (P("string", 3), "abcd", "VARCHAR(3) takes at most that many characters, found 'abcd'."),
        (
            P("string"),
            b"a",
            "VARCHAR takes text, numbers, booleans, dates and times, found bytes 61.",
        ),
        (P("binary"), "abc", "two for each byte, found 'abc'."),
        (P("binary"), 1, "found a whole number: 1."),
        (P("int"), 2**31, "INT takes whole numbers from -2147483648 to 2147483647"),
        (P("int"), -(2**31) - 1, "found a whole number: -2147483649."),
        (P("long"), 2**63, "found a decimal: 9223372036854775808."),
        (P("long"), "9223372036854775807.5", "BIGINT takes whole numbers from"),
        (P("long"), True, "BIGINT takes numbers and their text, found a boolean: true."),
        (P("long"), float("nan"), "found a floating-point number: NaN."),
        (DecimalType(5, 2), "999.995", "takes numbers of at most 3 digits before the point"),
        (DecimalType(5, 2), "12,5", "NUMBER(5,2) takes numbers and their text, found '12,5'."),
        (P("float"), 1e300, "FLOAT takes numbers up to 3.4e38"),
        (P("double"), "1e400", "DOUBLE takes numbers up to 1.8e308, found '1e400'."),
        (P("boolean"), "2", "found '2'."),
        (P("date"), "2024-02-30", "in ISO text, found '2024-02-30'."),
        (P("date"), "0000-01-01", "DATE takes dates from 0001-01-01 to 9999-12-31"),
        (P("timestamp"), "2024-01-01T25:00", "TIMESTAMP_NTZ takes"),
        (P("timestamp"), 1.5, "found a floating-point number: 1.5."),
        (P("timestamptz"), "9999-12-31T23:59-07:00", "TIMESTAMP_LTZ takes"),
        (P("variant"), "{a: 1}", "VARIANT takes JSON text, found '{a: 1}'."),
        (P("variant"), '{"a": 1, "a": 2}', "VARIANT takes JSON text"),
        (P("variant"), float("inf"), "VARIANT takes finite numbers"),
        (P("variant"), b"a", "VARIANT takes JSON text, and values other than bytes"),
        (P("variant"), [b"a"], "values other than bytes"),
        (P("variant"), "[" * 200 + "]" * 200, "VARIANT takes JSON text"),
        (ListType(P("int")), [1, "x"], "INT takes numbers and their text, found 'x'."),
        (ListType(P("int")), "{}", "ARRAY(INT) takes nested values of that shape"),
        (ListType(P("int")), 5, "found a whole number: 5."),
        (MapType(P("int"), P("int")), '{"1": 1, "01": 2}', "A map has each key once"),
        (PAIR, {"b": "x"}, "Field 'a' takes no NULL"),
        (PAIR, {"a": 1, "c": "x"}, "The object has no field 'c', found 'x'."),
    ],
)
def test_what_does_not_fit_is_refused_with_what_was_expected(
    data_type: DataType, value: Any, said: str
) -> None:
    reason = _reason(value, data_type)
    assert said in reason
    assert len(reason) <= 200


def test_a_clock_without_a_zone_is_of_the_time_zone_of_the_call() -> None:
    texts = ["2024-07-01 12:00", "2024-10-27 02:30", "2024-03-31 02:30", "2060-07-01 12:00Z"]
    found = _good(texts, P("timestamptz"), "Europe/Berlin")
    assert [str(each) for each in found] == [
        "2024-07-01 10:00:00+00:00",
        "2024-10-27 00:30:00+00:00",
        "2024-03-31 00:59:59.999999+00:00",
        "2060-07-01 12:00:00+00:00",
    ]


def test_a_time_zone_that_is_none_is_an_error_of_the_call() -> None:
    with pytest.raises(MalformedRows, match="No time zone is called 'Mars'"):
        _converted([1], P("long"), "Mars")


def test_columns_are_found_by_name_whatever_its_case() -> None:
    table = pa.table({"NAME": ["a"], "ID": ["1"]})
    columns = [Column("id", P("long")), Column("name", P("string")), Column("more", P("date"))]
    assert convert(table, columns).rows.to_pylist() == [{"id": 1, "name": "a", "more": None}]


def test_a_column_that_the_table_lacks_is_an_error_of_each_row_with_a_value_there() -> None:
    table = pa.table({"amuont": [None, 5, None], "amount": [1, 2, 3]})
    converted = convert(table, [Column("amount", P("int"))])
    assert converted.rows.to_pylist() == [{"amount": 1}, {"amount": 3}]
    (error,) = converted.errors
    assert (error.row, error.column) == (1, "amuont")
    assert error.reason == (
        "The table has no column 'amuont' (did you mean 'amount'?), found a whole number: 5."
    )


@pytest.mark.parametrize("names", [["a", "A"], ["a", "a"], ["x", "X"]])
def test_two_columns_of_one_name_are_an_error_of_the_call(names: list[str]) -> None:
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=names)
    with pytest.raises(MalformedRows, match="are one by name"):
        convert(table, [Column("a", P("int"))])


def test_keys_that_differ_in_case_between_rows_are_one_column() -> None:
    columns = [Column("id", P("long"), nullable=False), Column("v", P("string"))]
    rows = to_arrow([{"id": 1, "V": "a"}, {"ID": "2", "v": 5}, {"Id": "x"}, {"v": "b"}])
    converted = convert(rows, columns)
    assert converted.rows.to_pylist() == [{"id": 1, "v": "a"}, {"id": 2, "v": "5"}]
    assert [(each.row, each.column, each.reason) for each in converted.errors] == [
        (2, "id", "BIGINT takes numbers and their text, found 'x'."),
        (3, "id", "A NOT NULL column takes no NULL."),
    ]


def test_a_row_with_values_under_both_spellings_is_an_error_of_the_call() -> None:
    rows = to_arrow([{"id": 1}, {"id": 2, "ID": "x"}])
    with pytest.raises(MalformedRows, match="are one by name") as refused:
        convert(rows, [Column("id", P("long"))])
    assert "Row 1 has a value in both" in str(refused.value)


def test_names_that_a_table_has_in_both_cases_are_told_apart() -> None:
    columns = [Column("a", P("int")), Column("A", P("int"))]
    assert convert(pa.table({"A": [1], "a": [2]}), columns).rows.to_pylist() == [{"a": 2, "A": 1}]


def test_null_in_a_not_null_column_is_an_error_and_what_is_refused_there_is_one_error() -> None:
    columns = [Column("id", P("int"), nullable=False), Column("v", P("int"))]
    converted = convert(pa.table({"id": ["1", None, "x"]}), columns)
    assert [(each.row, each.reason) for each in converted.errors] == [
        (1, "A NOT NULL column takes no NULL."),
        (2, "INT takes numbers and their text, found 'x'."),
    ]
    assert convert(pa.table({"v": [1, 2]}), columns).bad_rows == 2


def test_errors_come_by_row_and_then_by_column_of_the_table() -> None:
    table = pa.table({"b": ["x", "1", "y"], "a": ["1", "z", "w"]})
    converted = convert(table, [Column("a", P("int")), Column("b", P("int"))])
    assert [(each.row, each.column) for each in converted.errors] == [
        (0, "b"), (1, "a"), (2, "a"), (2, "b"),
    ]  # fmt: skip
    assert (converted.bad_rows, len(converted.rows)) == (3, 0)


def test_of_many_errors_the_first_are_listed_and_the_rest_counted() -> None:
    count = LISTED_ERRORS * 3
    table = pa.table({"a": ["x"] * count, "b": [[1, "y"] and ["y", "z"]] * count})
    converted = convert(table, [Column("a", P("int")), Column("b", ListType(P("int")))])
    assert converted.bad_rows == count
    assert [each.row for each in converted.errors] == [i // 2 for i in range(LISTED_ERRORS)]
    assert len(converted.errors) + converted.unlisted_errors == 2 * count


def test_a_long_value_is_shown_shortened() -> None:
    assert len(_reason("x" * 10_000, P("int"))) < 120


def test_text_has_at_most_16_mib_and_bytes_at_most_8() -> None:
    size = 16 * 1024 * 1024
    table = pa.table({"c": ["é" * (size // 2), "x" + "é" * (size // 2)]})
    assert [each.row for each in convert(table, [Column("c", P("string"))]).errors] == [1]
    table = pa.table({"c": [b"a" * (size // 2), b"a" * (size // 2 + 1)]})
    assert [each.row for each in convert(table, [Column("c", P("binary"))]).errors] == [1]


def test_what_has_the_right_types_is_not_copied() -> None:
    columns = [Column("a", P("long")), Column("b", P("string")), Column("c", ListType(P("int")))]
    columns += [
        Column("d", P("timestamptz")),
        Column("e", DecimalType(9, 2)),
        Column("f", P("date")),
    ]
    values = [[1], ["x"], [[1]], [dt.datetime.max.replace(tzinfo=dt.UTC)], [Decimal("1.10")]]
    values.append([dt.date.min])
    schema = arrow_schema(columns)
    table = pa.table(
        [pa.array(v, f.type) for v, f in zip(values, schema, strict=True)], schema=schema
    )
    rows = convert(table, columns).rows
    assert rows.equals(table)
    for name in table.column_names:
        before, after = table.column(name).chunk(0), rows.column(name).chunk(0)
        assert [b and b.address for b in before.buffers()] == [
            b and b.address for b in after.buffers()
        ]


def test_fields_carry_their_ids_and_whether_they_take_null() -> None:
    field = arrow_schema([Column("id", P("long"), nullable=False, field_id=7)]).field("id")
    assert field.metadata == {b"PARQUET:field_id": b"7"}
    assert not field.nullable
    assert arrow_schema([Column("id", P("long"))]).field("id").metadata is None


def test_a_type_that_rows_cannot_be_loaded_into_is_refused_at_once() -> None:
    with pytest.raises(DefinitionRefused, match="cannot be loaded into type TIME"):
        arrow_schema([Column("t", P("time"))])


@pytest.mark.parametrize(
    "array",
    [
        pa.array([dt.timedelta(1)]),
        pa.array([2**62], pa.timestamp("s")),
        pa.array([-(2**62)], pa.timestamp("ms", "UTC")),
        pa.array([2**31 - 1], pa.date32()),
        pa.array([[2**62]], pa.list_(pa.timestamp("s"))),
    ],
)
@pytest.mark.parametrize("name", ["date", "timestamp", "timestamptz"])
def test_times_out_of_all_years_are_errors_of_their_rows(array: Any, name: str) -> None:
    assert convert(pa.table({"c": array}), [Column("c", P(name))]).bad_rows == 1


def test_nested_arrow_is_read_whatever_its_encoding() -> None:
    kinds = [pa.list_(pa.int64(), 2), pa.large_list(pa.int64()), pa.list_view(pa.int64())]
    columns = [Column("c", ListType(P("string")))]
    for kind in kinds:
        array = pa.array([[9, 9], None, [1, 2], [3, None]], kind)[1:]
        found = convert(pa.table({"c": array}), columns).rows.column("c").to_pylist()
        assert found == [None, ["1", "2"], ["3", None]]
    maps = pa.array([[], None, [("1", 2)]], pa.map_(pa.string(), pa.int64()))[1:]
    columns = [Column("c", MapType(P("int"), P("double")))]
    found = convert(pa.table({"c": maps}), columns).rows.column("c").to_pylist()
    assert found == [None, [(1, 2.0)]]


def test_an_error_inside_an_array_points_at_the_row_of_the_array() -> None:
    table = pa.table({"c": [["1"], None, [], ["2", "x", "y"], ["3"]]})
    converted = convert(table, [Column("c", ListType(P("int")))])
    assert [(each.row, each.reason[-4:]) for each in converted.errors] == [(3, "'x'.")]
    assert converted.rows.column("c").to_pylist() == [[1], None, [], [3]]


def test_a_client_needs_neither_spark_nor_pandas() -> None:
    program = """
import sys
import datetime
class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"pyspark", "py4j", "pandas", "sqlalchemy", "sqlglot"}:
            raise ImportError(name)
sys.meta_path.insert(0, Blocker())
from icemelt.ingest.conversion.conversion import convert
from icemelt.ingest.rows.rows import read_json, to_arrow
from icemelt.schema import Column, Primitive
from icemelt.ingest import ServerAway, StreamingIngestClient
client = StreamingIngestClient("http://127.0.0.1:9", "ice_1_2", patience=0)
try:
    client.open_channel("c", "main", "public", "t")
except ServerAway as away:
    assert "127.0.0.1:9" in away.message
columns = [Column("a", Primitive("timestamp")), Column("b", Primitive("variant"))]
rows = to_arrow([{"a": datetime.datetime(2024, 1, 1), "b": {"x": 1}}])
assert not convert(rows, columns).errors
assert not convert(read_json(b'{"a": "2024-01-01", "b": 5}'), columns).errors
"""
    subprocess.run([sys.executable, "-c", program], check=True)
