"""Which values rows leave out is known of mappings and of JSON, and comes through one request."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from icemelt.ingest.answers import Append, OnError
from icemelt.ingest.client.segments import Segment, body_of, segments_of
from icemelt.ingest.column_documents import columns_of, to_documents
from icemelt.ingest.conversion.arrow_types import arrow_type
from icemelt.ingest.conversion.conversion import convert
from icemelt.ingest.conversion.rejects import rejects_of
from icemelt.ingest.errors import MalformedRows
from icemelt.ingest.left_out import find_defaulted, is_mark, split_marks
from icemelt.ingest.rows.arrow_stream import MOST_COLUMNS, read_stream
from icemelt.ingest.rows.json_rows import fast_table
from icemelt.ingest.rows.rows import read_arrow, read_json, to_arrow
from icemelt.ingest.writer.defaults import ConstantDefault, make_values
from icemelt.names import fold
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

_TEXT = Primitive("string")
_NAMES = ["a", "B", "é", "a b", "x.y", '"', "\\", ",", "", "source", "\n", "a/b", "😀"]
_SETTINGS = settings(max_examples=300, suppress_health_check=list(HealthCheck))
# texts that look like keys to who does not read the quotes
_VALUES = st.sampled_from(
    [
        None,
        None,
        1,
        2.5,
        True,
        "x",
        'a":null',
        '"a": null',
        '{"a":1',
        ',"a":',
        'a"',
        "\\",
        "é",
        "null",
    ]
)
_rows = st.lists(st.dictionaries(st.sampled_from(_NAMES), _VALUES, max_size=4), max_size=6)


def left_out(table: Any) -> list[set[str]]:
    """Return the columns that each row leaves out, by the marks."""
    plain, marks = split_marks(table)
    return [
        {name for name, mask in marks.items() if mask[row].as_py()} for row in range(plain.num_rows)
    ]


def expected(rows: list[dict[str, Any]]) -> list[set[str]]:
    keys = {key for row in rows for key in row}
    return [keys - row.keys() for row in rows]


@given(_rows, st.sampled_from(["[]", "lines"]), st.sampled_from(["ASCII", "UTF-8"]))
@_SETTINGS
def test_marks_tell_missing_keys_from_null(
    rows: list[dict[str, Any]], form: str, encoding: str
) -> None:
    texts = [json.dumps(row, ensure_ascii=encoding == "ASCII") for row in rows]
    body = f"[{', '.join(texts)}]" if form == "[]" else "\n".join(texts)
    defaulted = frozenset(map(fold, _NAMES))
    assert left_out(to_arrow(rows, defaulted)) == expected(rows)
    if rows:
        read = read_json(body.encode(), defaulted=defaulted)
        assert left_out(read) == expected(rows)
        assert split_marks(read)[0].to_pylist() == read_json(body.encode()).to_pylist()


def test_columns_without_a_default_have_no_marks() -> None:
    rows = [{"a": 1}, {"A": 2, "b": None}, {}]
    assert not any(map(is_mark, to_arrow(rows).schema))
    assert left_out(to_arrow(rows, {"a"})) == [{"A"}, {"a"}, {"a", "A"}]
    assert left_out(to_arrow(rows, {"b"})) == [{"b"}, set(), {"b"}]


@pytest.mark.parametrize(
    "lines",
    [
        ['{"a": 1}', '{"b": 2}'],
        ['{"a": 1}', '{"a" : null}', '{"b":2,\t"a":3}', "{}"],
        ['{"a": null, "b": "\\u00e9"}', '{"b": "x\\\\"}'],
        ['{"b": "a\\": null"}', '{"a": 1}', '{"a": null}'],
    ],
)
def test_arrows_reader_is_kept_for_flat_objects_with_missing_keys(lines: list[str]) -> None:
    body = "\n".join(lines).encode()
    table = fast_table(body, {"a"})
    assert table is not None
    wanted = [{"a"} - json.loads(line).keys() for line in lines]
    assert left_out(table) == wanted


def test_a_key_with_an_escape_is_read_by_python() -> None:
    body = b'{"\\u0061": null}\n{"b": 1}\n{"a": null}'
    assert fast_table(body, {"a"}) is None
    assert left_out(read_json(body, defaulted={"a"})) == [set(), {"a"}, set()]
    assert fast_table(body) is not None


def columns(*names: str, nullable: bool = True) -> list[Column]:
    return [Column("id", Primitive("long"), nullable=False)] + [
        Column(name, _TEXT, nullable=nullable, default="'d'") for name in names
    ]


def of_name(name: str, count: int) -> Any:
    return pa.array([f"default of {name}"] * count, pa.string())


def test_defaults_stand_where_rows_leave_a_column_out() -> None:
    rows = [{"id": 1}, {"id": 2, "a": "x"}, {"id": 3, "a": None}, {"id": 4, "A": "y"}]
    defaulted = find_defaulted(columns("a", "b"))
    converted = convert(to_arrow(rows, defaulted), columns("a", "b"), defaults=of_name)
    assert converted.rows.to_pylist() == [
        {"id": 1, "a": "default of a", "b": "default of b"},
        {"id": 2, "a": "x", "b": "default of b"},
        {"id": 3, "a": None, "b": "default of b"},
        {"id": 4, "a": "y", "b": "default of b"},
    ]
    strict = convert(to_arrow(rows, defaulted), columns("a", nullable=False), defaults=of_name)
    assert [(error.row, error.column) for error in strict.errors] == [(2, "a")]
    assert strict.rows["a"].to_pylist() == ["default of a", "x", "y"]


def test_a_default_of_null_is_refused_by_a_column_not_null() -> None:
    rows = to_arrow([{"id": 1}, {"id": 2, "a": "x"}], {"a"})
    nothing = convert(
        rows,
        columns("a", nullable=False),
        defaults=lambda _name, count: pa.nulls(count, pa.string()),
    )
    assert [(error.row, error.column) for error in nothing.errors] == [(0, "a")]
    plain = [columns()[0], Column("a", _TEXT, nullable=False, default="NULL")]
    assert find_defaulted(plain) == frozenset()
    assert [error.row for error in convert(rows.select(["id"]), plain).errors] == [0, 1]


def test_what_is_left_out_comes_through_a_request_of_many_appends() -> None:
    target = columns_of(to_documents(columns("a", "b", nullable=False)))
    appends = [
        [{"id": 1}, {"id": 2}],
        [{"id": 3, "a": "x"}],
        [{"id": 4, "a": "y"}, {"id": 5, "b": "z"}],
        [],
    ]
    segments = []
    for number, rows in enumerate(appends, 1):
        converted = convert(to_arrow(rows, find_defaulted(target)), target)
        assert converted.errors == ()
        segments.append(Segment("c", 1, Append(number, converted.rows)))
    received = segments_of(read_arrow(body_of(segments)))
    found = [
        convert(segment.append.rows, target, defaults=of_name).rows.to_pylist()
        for segment in received
    ]
    default = {"a": "default of a", "b": "default of b"}
    assert found == [[default | row for row in rows] for rows in appends]


def test_rows_without_any_value_come_through_a_request() -> None:
    target = [Column("a", _TEXT, default="'d'"), Column("b", _TEXT, default="'e'")]
    converted = convert(to_arrow([{}, {}], find_defaulted(target)), target)
    [segment] = segments_of(read_arrow(body_of([Segment("c", 1, Append(1, converted.rows))])))
    rows = convert(segment.append.rows, target, defaults=of_name).rows.to_pylist()
    assert rows == [{"a": "default of a", "b": "default of b"}] * 2


def test_a_row_passed_over_is_kept_as_it_came() -> None:
    target = columns("a")
    rows = to_arrow([{"id": "x"}, {"id": "y", "a": None}, {"id": 3}], find_defaulted(target))
    append = Append(1, rows, on_error=OnError.CONTINUE)
    rejects = rejects_of(append, convert(rows, target, defaults=of_name))
    assert [json.loads(reject.data) for reject in rejects] == [{"id": "x"}, {"id": "y", "a": None}]


def test_each_column_of_a_stream_may_have_a_mark() -> None:
    names = [f"c{number}" for number in range(MOST_COLUMNS)]
    rows = [dict.fromkeys(names, 1), {}]
    marked = to_arrow(rows, frozenset(names))
    assert read_stream(stream_of(marked)).num_columns == 2 * MOST_COLUMNS
    wide = stream_of(pa.table({f"c{number}": [1] for number in range(MOST_COLUMNS + 1)}))
    with pytest.raises(MalformedRows, match="10,001 columns"):
        read_stream(wide)


def stream_of(rows: Any) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema) as writer:
        writer.write_table(rows)
    return bytes(sink.getvalue().to_pybytes())


@pytest.mark.parametrize(
    ("data_type", "value"),
    [
        (ListType(Primitive("long")), [1, None]),
        (StructType((NestedField("x", Primitive("long")),)), {"x": 1}),
        (MapType(_TEXT, Primitive("long")), [("k", 1)]),
        (Primitive("binary"), b"\x00"),
        (DecimalType(4, 2), Decimal("1.50")),
    ],
    ids=str,
)
def test_values_of_any_type_are_filled_in(data_type: DataType, value: Any) -> None:
    target = [Column("id", Primitive("long")), Column("v", data_type, default="…")]
    default = ConstantDefault(pa.array([value], arrow_type(data_type)))
    rows = to_arrow([{"id": 1, "v": None}, {"id": 2}, {"id": 3}], {"v"})
    found = convert(rows, target, defaults=make_values({"v": default}, dt.datetime.now(dt.UTC)))
    assert found.rows["v"].to_pylist() == [None, value, value]


def test_few_bytes_stand_for_no_gigabytes_of_defaults() -> None:
    target = [Column("id", Primitive("long")), Column("v", _TEXT, default="…")]
    rows = pa.table({"id": range(20_000)})
    default = ConstantDefault(pa.array(["x" * 16_384]))
    with pytest.raises(MalformedRows, match="take more than 256 MiB: that of column 'v' has 16,3"):
        convert(rows, target, defaults=make_values({"v": default}, dt.datetime.now(dt.UTC)))
