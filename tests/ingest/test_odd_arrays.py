"""Arrays of types, and of values, that hardly anyone sends: rows are refused, nothing breaks."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from icemelt.ingest.conversion.arrays import to_plain_array
from icemelt.ingest.conversion.conversion import convert
from icemelt.ingest.errors import MalformedRows
from icemelt.ingest.rows.memory_size import decoded_size
from icemelt.ingest.rows.rows import read_arrow
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
LEAST, MOST = -(2**63), 2**63 - 1
OBJECT = StructType((NestedField("a", P("int"), nullable=False),))
UNION = pa.UnionArray.from_dense(
    pa.array([0, 1, 2, 1], pa.int8()),
    pa.array([0, 0, 0, 1], pa.int32()),
    [pa.array([5]), pa.array(["a", "b"]), pa.nulls(1)],
)


class Strange(pa.ExtensionType):
    """Numbers that are something else, such as the months since 1970."""

    def __init__(self) -> None:
        super().__init__(pa.int64(), "test.strange")

    def __arrow_ext_serialize__(self) -> bytes:
        return b""


STRANGE = pa.ExtensionArray.from_storage(Strange(), pa.array([648, None]))
ARRAYS = [
    pa.array([dt.timedelta(1), None]),
    pa.array([pa.MonthDayNano([1, 2, 3])]),
    pa.array([LEAST, MOST], pa.timestamp("ns")),
    pa.array([LEAST, MOST], pa.timestamp("ns", "Europe/Berlin")),
    pa.array([LEAST, MOST], pa.timestamp("us")),
    pa.array([LEAST, MOST], pa.timestamp("s", "Asia/Tokyo")),
    pa.array([LEAST, MOST, 0]),
    pa.array([2**64 - 1, 0], pa.uint64()),
    pa.array([2**31 - 1, -(2**31)], pa.date32()),
    pa.array([86_400_000 * 10**9], pa.date64()),
    pa.array([1], pa.time64("ns")),
    pa.array([1], pa.time32("s")),
    pa.array([1.5, None], pa.float16()),
    pa.array([0.1, 3e38, float("nan")], pa.float32()),
    pa.array([Decimal(1200)], pa.decimal128(5, -2)),
    pa.array([Decimal("9" * 76)], pa.decimal256(76, 0)),
    pa.array([Decimal("0." + "9" * 38)], pa.decimal128(38, 38)),
    pa.array([b"1" * 16], pa.uuid()),
    pa.array([{"a": [{"b": b"x"}]}, None]),
    pa.array([{"a": float("nan")}]),
    pa.array([{}]),
    pa.array([{"a": 1, "A": 2}]),
    pa.array([[]]),
    pa.array([[None]]),
    pa.array([[dt.timedelta(1)]]),
    pa.array([[LEAST]], pa.list_(pa.timestamp("s"))),
    pa.array([[MOST]], pa.list_(pa.timestamp("ns"))),
    pa.array([[("a", 1), ("a", 2)]], pa.map_(pa.string(), pa.int64())),
    pa.array([["a"]], pa.list_(pa.dictionary(pa.int8(), pa.string()))),
    pa.array([[["1"]]], pa.large_list(pa.list_view(pa.string_view()))),
    pa.UnionArray.from_sparse(
        pa.array([0, 1], pa.int8()), [pa.array([1, 2]), pa.array(["a", "b"])]
    ),
    UNION,
    UNION[1:],
    pa.ListArray.from_arrays([0, 1, 4], UNION)[1:],
    pa.FixedSizeListArray.from_arrays(UNION, 2),
    pa.MapArray.from_arrays([0, 1, 4], ["a", "a", "b", "c"], UNION),
    pa.StructArray.from_arrays([UNION], ["a"], mask=pa.array([True, False, True, False])),
    pa.DictionaryArray.from_arrays([1, 0, None], UNION),
    pa.UnionArray.from_sparse(pa.array([0, 1, 0, 1], pa.int8()), [UNION, UNION])[1:],
    pa.UnionArray.from_dense(
        pa.array([0, 1], pa.int8()),
        pa.array([0, 0], pa.int32()),
        [pa.array(["a"], pa.string_view()), pa.array([[1]], pa.list_view(pa.int8()))],
    ),
    pa.array([0, 2, None], pa.int8()).cast(pa.bool8()),
    pa.array(["1", "x", None]).cast(pa.json_()),
    pa.ListArray.from_arrays([0, 1, 1], pa.array(["1"]).cast(pa.json_())),
    STRANGE,
    pa.ListArray.from_arrays([0, 1, 2], STRANGE),
    pa.array(["[[1],[2]]", '{"a":{"a":1}}', "null", "[null]", '"x"', "1", " {} "]),
    pa.chunked_array([], pa.int64()),
    pa.chunked_array([pa.array([1]), pa.array([], pa.int64())]),
]
TYPES = [
    *(P(name) for name in ("boolean", "int", "long", "float", "double", "string", "binary")),
    *(P(name) for name in ("date", "timestamp", "timestamptz", "variant")),
    P("string", 2),
    DecimalType(5, 0),
    DecimalType(38, 37),
    DecimalType(38, 38),
    ListType(P("int")),
    ListType(ListType(P("string"))),
    ListType(P("timestamp")),
    ListType(P("variant")),
    MapType(P("string"), P("int")),
    MapType(P("date"), P("variant")),
    OBJECT,
    StructType((NestedField("a", OBJECT, nullable=False),)),
]


@pytest.mark.parametrize("array", ARRAYS, ids=lambda array: str(array.type))
def test_each_row_of_any_array_is_kept_or_refused(array: Any) -> None:
    table = pa.table({"c": array})
    for data_type in TYPES:
        for column in (Column("c", data_type), Column("c", data_type, nullable=False)):
            converted = convert(table, [column], time_zone="Europe/Berlin")
            converted.rows.validate(full=True)
            assert len(converted.rows) + converted.bad_rows == len(array)


@pytest.mark.parametrize(
    ("data_type", "kept"),
    [
        (P("string"), ["0.1", "16777216"]),
        (DecimalType(10, 2), [Decimal("0.10"), Decimal("16777216.00")]),
        (P("long"), [0, 16777216]),
    ],
)
def test_a_number_of_32_bits_is_its_own_shortest_text(data_type: DataType, kept: list[Any]) -> None:
    table = pa.table({"c": pa.array([0.1, 16777216], pa.float32())})
    assert convert(table, [Column("c", data_type)]).rows.column("c").to_pylist() == kept


@pytest.mark.parametrize("array", ARRAYS, ids=lambda array: str(array.type))
def test_it_is_known_how_large_any_array_becomes(array: Any) -> None:
    for chunk in array.chunks if isinstance(array, pa.ChunkedArray) else [array]:
        offsets_and_bits = 16 + len(chunk)
        assert 2 * decoded_size(chunk) + offsets_and_bits >= to_plain_array(chunk).nbytes


MANY, LONG = 30_000, "x" * 10_000


def naming_one_text(count: int) -> Any:
    indices = pa.array([0] * count, pa.int8())
    return pa.DictionaryArray.from_arrays(indices, pa.array([LONG]))


def viewing_one_text(count: int) -> Any:
    view = len(LONG).to_bytes(4, "little") + LONG[:4].encode() + bytes(8)
    buffers = [None, pa.py_buffer(view * count), pa.py_buffer(LONG.encode())]
    return pa.Array.from_buffers(pa.string_view(), count, buffers)


def viewing_one_list(count: int) -> Any:
    starts, sizes = (pa.array([each] * count, pa.int32()) for each in (0, len(LONG)))
    return pa.ListViewArray.from_arrays(starts, sizes, pa.array(range(len(LONG))))


def lists_of_nothing(count: int) -> Any:
    kind = pa.list_(pa.null(), len(LONG))
    return pa.Array.from_buffers(kind, count, [None], children=[pa.nulls(count * len(LONG))])


@pytest.mark.parametrize(
    "array",
    [
        naming_one_text(MANY),
        pa.RunEndEncodedArray.from_arrays([MANY], [LONG]),
        viewing_one_text(MANY),
        viewing_one_list(MANY),
        lists_of_nothing(MANY),
        pa.ListArray.from_arrays([0, MANY], naming_one_text(MANY)),
        pa.StructArray.from_arrays([naming_one_text(MANY)], ["a"]),
    ],
    ids=lambda array: str(array.type),
)
def test_a_stream_that_names_few_values_far_too_often_is_refused(array: Any) -> None:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, pa.schema([("c", array.type)])) as writer:
        writer.write_table(pa.table({"c": array}))
    with pytest.raises(MalformedRows, match="names values so often"):
        read_arrow(sink.getvalue().to_pybytes())


def test_values_of_an_unknown_extension_are_not_those_they_are_kept_as() -> None:
    for data_type in TYPES:
        converted = convert(pa.table({"c": STRANGE}), [Column("c", data_type)])
        assert [error.row for error in converted.errors] == [0]


def test_known_extensions_are_what_they_say() -> None:
    flags = pa.array([0, 2, None], pa.int8()).cast(pa.bool8())
    converted = convert(pa.table({"c": flags}), [Column("c", P("string"))])
    assert converted.rows.column("c").to_pylist() == ["false", "true", None]
    lists = pa.ListArray.from_arrays([0, 3], flags)
    converted = convert(pa.table({"c": lists}), [Column("c", P("variant"))])
    assert converted.rows.column("c").to_pylist() == ["[false,true,null]"]
