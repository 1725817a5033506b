"""Rows as clients send them: Python's mappings, Arrow, data frames, JSON."""

# ruff: noqa: DTZ001 - clocks without a zone are values too

from __future__ import annotations

import contextlib
import datetime as dt
import json
import math
import types
import uuid
from collections import ChainMap
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from value_strategies import json_texts, plain_texts

from icemelt.ingest.conversion.conversion import convert
from icemelt.ingest.errors import MalformedRows
from icemelt.ingest.rows.json_keys import has_few_nulls
from icemelt.ingest.rows.json_rows import fast_table, slow_rows
from icemelt.ingest.rows.rows import read_arrow, read_json, to_arrow, validate_table
from icemelt.schema import Column, Primitive

_EAST = dt.timezone(dt.timedelta(hours=7))


def _column(*values: Any) -> Any:
    return to_arrow([{"c": value} for value in values]).column("c")


def test_columns_are_the_keys_in_the_order_they_appear_and_a_missing_key_is_null() -> None:
    table = to_arrow([{"b": 1}, {}, {"a": 2, "b": None}])
    assert table.column_names == ["b", "a"]
    assert table.to_pylist() == [{"b": 1, "a": None}, {"b": None, "a": None}, {"b": None, "a": 2}]


@pytest.mark.parametrize("count", [0, 3])
def test_rows_without_keys_are_rows_all_the_same(count: int) -> None:
    rows = to_arrow([{}] * count)
    assert rows.num_rows == count
    converted = convert(rows, [Column("a", Primitive("int"))])
    assert converted.rows.to_pylist() == [{"a": None}] * count


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([True, None], pa.bool_()),
        ([1, 2], pa.int64()),
        ([2**64, 2**70], pa.decimal128(38, 0)),
        ([10**40], pa.decimal256(76, 0)),
        ([1.5], pa.float64()),
        ([Decimal("1.10"), Decimal("2.00")], pa.decimal128(38, 2)),
        ([b"a", bytearray(b"b")], pa.binary()),
        ([dt.date(2024, 1, 1)], pa.date32()),
        ([dt.datetime(2024, 1, 1)], pa.timestamp("us")),
        ([dt.datetime(2024, 1, 1, tzinfo=dt.UTC)], pa.timestamp("us", "UTC")),
        ([dt.datetime(2024, 1, 1, tzinfo=_EAST)], pa.timestamp("us", "+07:00")),
        ([dt.time(1)], pa.time64("us")),
        ([np.int32(1), np.int64(2)], pa.int64()),
        ([np.float32(0.5), float("nan")], pa.float64()),
        (
            [np.datetime64("2024-01-01T00:00:00.123456789"), np.datetime64("NaT", "ns")],
            pa.timestamp("us"),
        ),
        ([np.array([1, 2])], pa.list_(pa.int64())),
        ([(1, 2), [3]], pa.list_(pa.int64())),
        ([{"a": 1}, {"a": 2}], pa.struct([("a", pa.int64())])),
        ([pd.Timestamp("2024-01-01"), pd.NaT, pd.NA], pa.timestamp("us")),
        ([None], pa.null()),
    ],
)
def test_values_of_one_type_are_a_column_of_it(values: list[Any], kind: Any) -> None:
    assert _column(*values).type == kind


@pytest.mark.parametrize(
    "values",
    [
        [1, "a", True, None],
        [1, 2.5, 0.1, 1e300],
        [Decimal("1.10"), Decimal("1.1"), Decimal("1E-50")],
        [dt.date(2024, 1, 1), dt.datetime(2024, 1, 1, 1)],
        [b"\x0a", "x", None],
        [dt.datetime(2024, 1, 1, tzinfo=_EAST), dt.datetime(2024, 1, 1, tzinfo=dt.UTC)],
        [[b"a"], [1, b"a"], b"a"],
        [{"a": b"x"}, {"b": b"x"}, {"a": 1, "b": float("inf")}],
    ],
)
def test_of_several_types_each_value_keeps_its_own(values: list[Any]) -> None:
    column = _column(*values)
    assert pa.types.is_union(column.type)
    assert column.to_pylist() == values
    assert [type(each) for each in column.to_pylist()] == [type(each) for each in values]


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([{"a": 1}, {"b": 2}], ['{"a":1}', '{"b":2}']),
        ([[1, "x"], [2]], ['[1,"x"]', "[2]"]),
        ([[1], 1], ["[1]", 1]),
        ([{1: Decimal("0.10")}], ['{"1":0.10}']),
        ([uuid.UUID(int=1)], ["00000000-0000-0000-0000-000000000001"]),
        ([{}], ["{}"]),
        ([10**80], ["1" + "0" * 80]),
        ([Decimal("1E+90"), Decimal("NaN")], ["1" + "0" * 90, "NaN"]),
        ([dt.time(1, tzinfo=dt.UTC)], ["01:00:00+00:00"]),
    ],
)
def test_what_no_array_of_one_type_has_is_text(values: list[Any], texts: list[Any]) -> None:
    assert _column(*values).to_pylist() == texts


def test_values_of_more_types_than_a_union_has_keep_their_own() -> None:
    scales = [Decimal(1).scaleb(-scale) for scale in range(77)]
    offsets = [dt.timezone(dt.timedelta(minutes=each)) for each in range(-720, 720)]
    clocks = [dt.datetime(2024, 1, 1, tzinfo=each) for each in offsets]
    values = [*scales, None, *clocks, "x"]
    assert _column(*values).to_pylist() == values


def test_an_extension_that_is_not_known_is_refused_also_where_nothing_says_its_name() -> None:
    periods = pd.DataFrame({"v": pd.period_range("2024-01", periods=2, freq="M")})
    with pytest.raises(MalformedRows, match=r"'v' has values of type pandas\.period"):
        to_arrow(periods)
    named = pa.field("v", pa.int64(), metadata={"ARROW:extension:name": "x.y"})
    for field in (named, pa.field("l", pa.list_(named)), pa.field("o", pa.struct([named]))):
        with pytest.raises(MalformedRows, match=r"'v' has values of type x\.y"):
            validate_table(pa.schema([field]).empty_table())


def test_other_mappings_than_dicts_are_rows() -> None:
    rows = [types.MappingProxyType({"a": 1}), ChainMap({"a": 2}), {"a": 3}]
    assert to_arrow(iter(rows)).column("a").to_pylist() == [1, 2, 3]


def test_arrow_is_taken_as_it_is() -> None:
    batch = pa.record_batch({"a": [1, 2]})
    table = pa.Table.from_batches([batch])
    assert to_arrow(batch).equals(table)
    assert to_arrow(table).equals(table)


def test_data_frames_keep_digits_and_missing_values_are_null() -> None:
    frame = pd.DataFrame(
        {"a": [1, 2], "b": [None, "x"], "c": [[1], float("nan")], "d": [1.5, None]}
    )
    table = to_arrow(frame)
    assert table.column("b").to_pylist() == [None, "x"]
    assert table.column("c").to_pylist() == [[1], None]
    assert table.column("d").to_pylist() == [1.5, None]
    assert to_arrow(pd.DataFrame(index=[0, 1])).num_rows == 2


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([{"a": 1}, 5], "Row 1 is no mapping, found int"),
        ({"a": 1}, "Rows are an iterable of mappings, found dict"),
        (5, "Rows are an iterable of mappings, found int"),
        ([{1: 2}], "names of columns, found 1"),
        ([{"a": 1}, {"a": object()}], "Row 1 has a value of type object"),
        ([{"a": "x"}, {"a": "\ud800"}], "Row 1 has a value that no column takes: half of a surr"),
        ([{"\ud800": 1}], "half of a surrogate pair"),
    ],
)
def test_what_is_no_rows_is_refused(rows: Any, said: str) -> None:
    with pytest.raises(MalformedRows, match=said):
        to_arrow(rows)


def test_a_nest_too_deep_is_refused() -> None:
    value: Any = 1
    for _ in range(5000):
        value = [value]
    with pytest.raises(MalformedRows, match="more than 100 levels"):
        to_arrow([{"a": value}])


@pytest.mark.parametrize("body", [b"", b"\n", b"[]", b" [ ] "])
def test_a_body_without_rows_has_none(body: bytes) -> None:
    assert read_json(body).num_rows == 0


@pytest.mark.parametrize(
    ("body", "values"),
    [
        (b'{"a": "2024-01-01"}', ["2024-01-01"]),
        (b'{"a": null}\n{"a": "2024-01-01T00:00:00Z"}', [None, "2024-01-01T00:00:00Z"]),
        (b'{"a": 1}\r\n\r\n{"a": 2}\r\n', [1, 2]),
        (b'[{"a": 1}, {"b": 2}]', [1, None]),
        (b'\xef\xbb\xbf{"a": 1}', [1]),
        (b'{"a": 0.1}\n{"a": 0.30000000000000004}', [0.1, 0.30000000000000004]),
        (b'{"a": 12345678901234567890}', [Decimal(12345678901234567890)]),
        (b'{"a": 0.123456789012345678901234567891}', [Decimal("0.123456789012345678901234567891")]),
        (b'{"a": 1e400}\n{"a": 1}', ["1" + "0" * 400, 1]),
        (b'{"a": 1e-500}', ["1E-500"]),
        (b'{"a": 1}\n{"a": "x"}\n{"a": true}', [1, "x", True]),
        (b'{"a": [1]}\n{"a": {"b": 2}}', ["[1]", '{"b":2}']),
        (b'{"a": "\\ud83d\\ude00 \\u0000"}', ["\U0001f600 \x00"]),
    ],
)
def test_json_is_read_without_loss(body: bytes, values: list[Any]) -> None:
    assert read_json(body).column("a").to_pylist() == values


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"a": 1}\n{"a": }', "Line 2 is no JSON: Expecting value at column 7"),
        (b'{"a": 1}\n[1]', "Line 2 is no JSON object"),
        (b'{"a": 1}\n\n5', "Line 3 is no JSON object"),
        (b'[{"a": 1}, 5]', "Row 1 is no JSON object"),
        (b'[{"a": 1}', "The body is no JSON"),
        (b'{"a": 1, "a": 2}', "Line 1 is no JSON: the key 'a' is there twice"),
        (b'{"a": {"b": 1, "b": 2}}', "the key 'b' is there twice"),
        (b'{"a": NaN}', "JSON has no number NaN"),
        (b'{"a": 1}\n{"a": -Infinity}', "Line 2 is no JSON: JSON has no number -Infinity"),
        (b'{"a": 1}\n{"a": "\xff"}', "Line 2 is not UTF-8"),
        (b'{"a": "\\ud800"}', "half of a surrogate pair"),
        (b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}", "more than 100 levels"),
        (b"[" * 100_000, "more than 100 levels"),
        (b'{"a": 1} {"a": 2}', "Line 1 is no JSON: Extra data"),
        (b"{'a': 1}", "Line 1 is no JSON"),
        (b'{"a": 1e99999999999999999999}', "too large an exponent"),
        (b'{"a": ' + b"1" * 5000 + b"}", "Line 1 is no JSON"),
    ],
)
def test_what_is_no_json_of_rows_is_refused_with_its_place(body: bytes, said: str) -> None:
    with pytest.raises(MalformedRows, match=said):
        read_json(body)


_numbers = st.one_of(
    st.integers(-(2**70), 2**70).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.decimals(allow_nan=False, allow_infinity=False, places=3).map(str),
    st.sampled_from(["1.0", "-0", "1e5", "0.1234567890123456789", "9007199254740993.5", "1E-400"]),
)
_members = st.one_of(
    _numbers, _numbers, plain_texts.map(json.dumps), json_texts, st.sampled_from(["null", "true"])
)
_bodies = st.lists(st.dictionaries(st.sampled_from("ab"), _members, max_size=2), max_size=5).map(
    lambda rows: "\n".join(
        "{" + ",".join(f'"{key}": {value}' for key, value in row.items()) + "}" for row in rows
    ).encode()
)
_one_kind = st.one_of(
    st.sampled_from([_numbers, plain_texts.map(json.dumps)]).flatmap(
        lambda values: st.lists(values, max_size=5)
    )
).map(lambda values: "\n".join(f'{{"a": {value}}}' for value in values).encode())


@settings(max_examples=150)
@given(_bodies | _one_kind, st.sampled_from(["string", "double", "variant", "long"]))
@example(b'{"a": "NAN", "b": "sNaN"}', "string")
@example(b'{"a": "NAN", "b": "-nan"}', "double")
def test_the_fast_reader_says_what_the_slow_one_does(body: bytes, name: str) -> None:
    _say_the_same(body, name)


@settings(max_examples=150)
@given(_bodies | _one_kind, _bodies | _one_kind, st.sampled_from(["string", "double", "long"]))
def test_they_do_so_where_other_rows_come_late(first: bytes, late: bytes, name: str) -> None:
    _say_the_same(b"\n".join([*[first.partition(b"\n")[0] or b"{}"] * 60, late or b"{}"]), name)


def _say_the_same(body: bytes, name: str) -> None:
    fast = fast_table(body)
    if fast is None:
        return
    slow = to_arrow(slow_rows(body))
    columns = [Column(each, Primitive(name)) for each in "ab"]
    first, second = convert(fast, columns), convert(slow, columns)
    assert _numeric(first.rows.to_pylist()) == _numeric(second.rows.to_pylist())
    assert [each.row for each in first.errors] == [each.row for each in second.errors]


def _numeric(rows: list[dict[str, Any]]) -> list[list[Any]]:
    """Return numbers' texts as numbers: of one number there are several texts."""
    return [[_number(value) for value in row.values()] for row in rows]


def _number(value: Any) -> Any:
    try:
        number = Decimal(value) if isinstance(value, str) else value
    except ArithmeticError:
        return value
    # no NaN is equal to itself: a text stays one
    if isinstance(number, Decimal):
        return str(value) if number.is_nan() else number
    return "nan" if isinstance(number, float) and math.isnan(number) else number


def test_lines_of_flat_objects_are_read_fast() -> None:
    body = b'{"id": 1, "x": 0.8444218515250481, "at": "2024-01-01", "ok": true, "no": null}\n'
    assert fast_table(body * 100) is not None
    lines = (body * 100).splitlines()
    assert fast_table(b"[" + b", ".join(lines) + b"]").num_rows == 100


@pytest.mark.parametrize(
    "body",
    [
        b'[{"a": 1}{"a": 2}]',
        b'[{"a": 1},]',
        b'[{"a": 1}\n{"a": 2}]',
        b'[{"a": 1}, {"a": 2}',
        b'[{"a": 1}],[{"a": 2}]',
    ],
)
def test_an_array_that_is_none_is_not_read_as_lines(body: bytes) -> None:
    assert fast_table(body) is None
    with pytest.raises(MalformedRows):
        read_json(body)


def test_text_that_looks_like_the_end_of_an_object_is_left_as_it_is() -> None:
    rows = [{"a": "},{"}, {"a": "x} , {y"}]
    assert read_json(json.dumps(rows).encode()).to_pylist() == rows


def _lines(values: str, count: int) -> list[bytes]:
    return [f'{{"k{number}": {values}}}'.encode() for number in range(count)]


@pytest.mark.parametrize("value", ["1", "[1]", "1e40"])
@pytest.mark.parametrize("form", [b"%b", b"[%b]"])
def test_rows_that_have_no_key_in_common_are_refused_before_they_are_a_square(
    value: str, form: bytes
) -> None:
    between = b",\n" if form == b"[%b]" and value == "[1]" else b"," if form == b"[%b]" else b"\n"
    with pytest.raises(MalformedRows, match="3,000 rows of 3,000 keys") as caught:
        read_json(form % between.join(_lines(value, 3_000)))
    assert caught.value.hint == "Append at most 1,666 rows."
    assert read_json(form % between.join(_lines(value, 500))).shape == (500, 500)


@pytest.mark.parametrize("between", [b"", b" \t\r"])
def test_many_objects_on_a_line_are_refused_before_they_are_a_square(between: bytes) -> None:
    first = json.dumps({f"k{number}": number for number in range(500)}).encode()
    pool = pa.proxy_memory_pool(usual := pa.default_memory_pool())
    pa.set_memory_pool(pool)
    try:
        with pytest.raises(MalformedRows, match="Line 2 is no JSON: Extra data"):
            read_json(first + b"\n" + between.join([b"{}"] * 40_000))
    finally:
        pa.set_memory_pool(usual)
    assert pool.max_memory() < 20 << 20


def test_mappings_that_have_no_key_in_common_are_refused() -> None:
    with pytest.raises(MalformedRows, match="lack too many"):
        to_arrow([{str(number): number} for number in range(3_000)])


def test_rows_have_no_more_keys_than_a_table_has_columns() -> None:
    row = {str(number): number for number in range(10_001)}
    for rows in ([row], [row] * 2):
        with pytest.raises(MalformedRows, match="10,001 keys"):
            read_json("\n".join(map(json.dumps, rows)).encode())
    assert to_arrow([{name: row[name] for name in list(row)[:-1]}]).num_columns == 10_000


_odd_keys = st.sampled_from(
    ["a", "ab", "b", "", "ä", 'a"b', "a\\", "}{", '":', "a:", ":", ":a", ",", "\\u0061"]
)
_odd_rows = st.lists(st.dictionaries(_odd_keys, _odd_keys | st.integers(0, 9)), max_size=8)
_separators = st.sampled_from([(",", ":"), (", ", ": "), (" ,\t", "\t: ")])
_ways = st.fixed_dictionaries({"ensure_ascii": st.booleans(), "separators": _separators})


@settings(max_examples=200)
@given(_odd_rows, _ways)
def test_no_more_nulls_come_than_the_text_of_rows_tells(
    rows: list[dict[str, Any]], way: dict[str, Any]
) -> None:
    lines = [json.dumps(row, **way) for row in rows]
    keys = {key for row in rows for key in row}
    nulls = len(rows) * len(keys) - sum(map(len, rows))
    for body in ("\n".join(lines).encode(), f"[{','.join(lines)}]".encode()):
        assert not nulls or not has_few_nulls(body, nulls - 1, 20)
        assert has_few_nulls(body, 8 * len(body), len(body))


def test_rows_whose_keys_are_few_are_read_fast_also_where_some_come_late() -> None:
    lines = [b'{"id": 1, "x": "a{b", "at": "12:30"}'] * 10_000
    assert has_few_nulls(b"\n".join(lines), 100_000, 100)
    late = [*lines, *(b'{"k%d": 1}' % number for number in range(10))]
    assert has_few_nulls(b"\n".join(late), 1_000_000, 100)
    assert not has_few_nulls(b"\n".join(late), 100_000, 100)
    # a text that only looks like the end of a known key
    hidden = [*lines, *(b'{"%d\\"id": 1}' % number for number in range(200))]
    assert not has_few_nulls(b"\n".join(hidden), 1_000_000, 1_000)


def _stream(table: Any, compression: str | None = None, **custom: str) -> bytes:
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with pa.ipc.new_stream(sink, table.schema, options=options) as writer:
        for batch in table.to_batches():
            writer.write_batch(batch, custom_metadata={f"ARROW:{k}": v for k, v in custom.items()})
    found: bytes = sink.getvalue().to_pybytes()
    return found


def _wide(column: Any) -> Any:
    """Return a table of 320 MB that takes 8 MB."""
    return pa.Table.from_arrays([column] * 40, [str(number) for number in range(40)])


@pytest.mark.parametrize("compression", ["lz4", "zstd"])
def test_a_compressed_stream_is_read_unless_it_is_far_larger_then(compression: str) -> None:
    zeros = pa.array(np.zeros(1_000_000, np.int64))
    tables = (_wide(zeros), _wide(pa.DictionaryArray.from_arrays([0] * 3, zeros)))
    for table in tables:
        body = _stream(table, compression)
        assert len(body) < 2_000_000
        with pytest.raises(MalformedRows, match="compressed"):
            read_arrow(body)
    few = pa.table(
        {"a": ["x", None] * 1_000, "b": pa.array(["y", "y"] * 1_000).dictionary_encode()}
    )
    assert read_arrow(_stream(few, compression)).equals(few)
    with pytest.raises(MalformedRows, match=r"Arrow 0\.17"):
        read_arrow(_stream(few, experimental_compression=compression))


@pytest.mark.parametrize("compression", [None, "lz4", "zstd"])
def test_a_damaged_stream_is_read_or_refused(compression: str | None) -> None:
    table = pa.table({"a": ["x" * 100, None], "b": pa.array(["y", "y"]).dictionary_encode()})
    body = _stream(table, compression)
    for place in range(len(body)):
        for value in (0, 0x7F, 0xFF):
            with contextlib.suppress(MalformedRows):
                read_arrow(body[:place] + bytes([value]) + body[place + 1 :])


def test_a_stream_has_no_more_columns_than_a_table() -> None:
    table = pa.table({str(number): pa.nulls(1) for number in range(10_001)})
    with pytest.raises(MalformedRows, match="10,001 columns"):
        read_arrow(_stream(table))
