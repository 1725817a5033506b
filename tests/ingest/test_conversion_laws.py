"""`convert` agrees with a slow oracle, and does not care how its input is cut or encoded."""

from __future__ import annotations

import itertools
import math
from enum import Enum
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from value_oracle import Refused, expected
from value_strategies import ZONES, arrays, data_types

from icemelt.ingest.conversion.conversion import ConvertedRows, arrow_schema, convert
from icemelt.ingest.json_text import to_json_text
from icemelt.ingest.rows.rows import to_arrow
from icemelt.schema import (
    Column,
    DataType,
    ListType,
    MapType,
    NestedField,
    Primitive,
    StructType,
)

pytestmark = pytest.mark.turns(4)

_SETTINGS = settings(max_examples=150, suppress_health_check=list(HealthCheck))


class Null(Enum):
    TAKEN = "NULL"
    REFUSED = "NOT NULL"


def _by_oracle(values: list[Any], column: Column, zone: str) -> tuple[list[Any], list[int]]:
    good, bad = [], []
    for row, value in enumerate(values):
        try:
            found = expected(value, column.type, zone)
        except Refused:
            bad.append(row)
            continue
        if found is None and not column.nullable:
            bad.append(row)
        else:
            good.append(found)
    return good, bad


def _alike(found: Any, wanted: Any) -> bool:
    if isinstance(found, float) and math.isnan(found):
        return math.isnan(wanted)
    return type(found) is type(wanted) and found == wanted


def _values(converted: ConvertedRows) -> list[Any]:
    values: list[Any] = converted.rows.column(0).to_pylist()
    return values


@_SETTINGS
@given(arrays, data_types, st.sampled_from(Null), st.sampled_from(ZONES))
def test_each_value_and_each_error_is_that_of_the_oracle(
    drawn: tuple[Any, list[Any]], data_type: DataType, null: Null, zone: str
) -> None:
    array, values = drawn
    column = Column("c", data_type, nullable=null is Null.TAKEN)
    good, bad = _by_oracle(values, column, zone)

    converted = convert(pa.table({"c": array}), [column], time_zone=zone)

    assert [error.row for error in converted.errors] == bad
    assert converted.bad_rows == len(bad)
    found = _values(converted)
    assert len(found) == len(good)
    assert all(map(_alike, found, good)), (found, good)
    assert converted.rows.schema.equals(arrow_schema([column]), check_metadata=True)
    converted.rows.validate(full=True)
    assert all(len(error.reason) <= 200 for error in converted.errors)


@_SETTINGS
@given(arrays, data_types, st.data())
def test_cutting_and_encoding_the_input_changes_nothing(
    drawn: tuple[Any, list[Any]], data_type: DataType, data: st.DataObject
) -> None:
    array, _ = drawn
    columns = [Column("c", data_type)]
    whole = convert(pa.table({"c": array}), columns)
    cuts = data.draw(st.lists(st.integers(0, len(array)), max_size=3).map(sorted))
    ends = [0, *cuts, len(array)]
    pieces = [array[start:end] for start, end in itertools.pairwise(ends)]
    chunked = pa.chunked_array(pieces, array.type)

    for other in (chunked, *_encodings(array)):
        again = convert(pa.table({"c": other}), columns)
        assert str(_values(again)) == str(_values(whole))
        assert again.errors == whole.errors


def _encodings(array: Any) -> list[Any]:
    longer = pa.concat_arrays([array, array])[len(array) :]
    found = [longer, array.dictionary_encode()]
    if pa.types.is_string(array.type):
        found += [array.cast(pa.large_string()), array.cast(pa.string_view())]
    if pa.types.is_binary(array.type):
        found += [array.cast(pa.large_binary()), array.cast(pa.binary_view())]
    return found


@_SETTINGS
@given(arrays, data_types, st.randoms(use_true_random=False))
def test_each_row_is_converted_as_it_would_be_alone(
    drawn: tuple[Any, list[Any]], data_type: DataType, random: Any
) -> None:
    array, _ = drawn
    columns = [Column("c", data_type)]
    order = list(range(len(array)))
    random.shuffle(order)
    converted = convert(pa.table({"c": array.take(pa.array(order, pa.int64()))}), columns)
    reasons = {error.row: error.reason for error in converted.errors}
    good = iter(_values(converted))
    for place, row in enumerate(order):
        alone = convert(pa.table({"c": array[row : row + 1]}), columns)
        if alone.errors:
            assert reasons[place] == alone.errors[0].reason
        else:
            assert str(next(good)) == str(_values(alone)[0])


@pytest.mark.parametrize("count", [0, 1])
def test_an_array_of_nulls_alone_goes_into_every_type(count: int) -> None:
    @given(data_types)
    def law(data_type: DataType) -> None:
        table = pa.table({"c": pa.nulls(count)})
        assert _values(convert(table, [Column("c", data_type)])) == [None] * count

    law()


_parts = st.recursive(
    st.none() | st.integers(-99, 99) | st.text("a1", max_size=2),
    lambda parts: st.lists(parts, max_size=3) | st.dictionaries(st.sampled_from("abAx"), parts),
    max_leaves=6,
)
_PAIR = StructType((NestedField("a", Primitive("int")), NestedField("b", Primitive("string"))))
_nested_types = st.sampled_from(
    [
        ListType(Primitive("int")),
        ListType(ListType(Primitive("string"))),
        ListType(_PAIR),
        MapType(Primitive("string"), Primitive("int")),
        MapType(Primitive("string"), ListType(Primitive("variant"))),
        _PAIR,
        Primitive("variant"),
        Primitive("string"),
    ]
)


@_SETTINGS
@given(st.lists(_parts, max_size=5), _nested_types)
def test_nested_values_are_read_as_their_json_text_is(values: list[Any], kind: DataType) -> None:
    values = [value for value in values if isinstance(value, list | dict)]
    columns = [Column("c", kind)]
    python = convert(to_arrow([{"c": value} for value in values]), columns)
    text = convert(pa.table({"c": pa.array(map(to_json_text, values), pa.string())}), columns)
    assert [error.row for error in python.errors] == [error.row for error in text.errors]
    assert _values(python) == _values(text)
    alone = [convert(to_arrow([{"c": value}]), columns) for value in values]
    assert [row for row, each in enumerate(alone) if each.errors] == [e.row for e in python.errors]
    assert [value for each in alone for value in _values(each)] == _values(python)


@pytest.mark.parametrize("wrap", [pa.list_, pa.large_list, lambda part: pa.list_(part, 1)])
@pytest.mark.parametrize(
    ("part", "value"),
    [
        (pa.null(), None),
        (pa.list_(pa.null()), [None, None]),
        (pa.list_(pa.list_(pa.null())), [[None, None], None]),
        (pa.map_(pa.string(), pa.list_(pa.null())), [("k", [None, None])]),
        (pa.struct({"a": pa.list_(pa.null())}), {"a": [None, None]}),
    ],
)
def test_parts_that_are_null_in_all_rows_are_taken(wrap: Any, part: Any, value: Any) -> None:
    def type_of(kind: Any) -> DataType:
        if pa.types.is_map(kind):
            return MapType(Primitive("string"), type_of(kind.item_type))
        if pa.types.is_list(kind):
            return ListType(type_of(kind.value_type))
        if pa.types.is_struct(kind):
            return StructType((NestedField("a", type_of(kind.field(0).type)),))
        return Primitive("string")

    columns = [Column("c", ListType(type_of(part))), Column("m", type_of(pa.map_("string", part)))]
    lists = pa.array([[value], None, [value]], wrap(part))
    maps = pa.array([[("k", value)], None, [("k", value)]], pa.map_(pa.string(), part))
    for start, end in itertools.combinations(range(4), 2):
        cut = pa.table({"c": lists[start:end], "m": maps[start:end]})
        converted = convert(cut, columns)
        converted.rows.validate(full=True)
        assert (converted.rows.to_pylist(), converted.errors) == (cut.to_pylist(), ())


@_SETTINGS
@given(arrays, data_types)
def test_what_is_converted_is_converted_to_itself(
    drawn: tuple[Any, list[Any]], data_type: DataType
) -> None:
    array, _ = drawn
    columns = [Column("c", data_type)]
    once = convert(pa.table({"c": array}), columns).rows
    again = convert(once, columns)
    assert not again.errors
    assert again.rows.equals(once) or str(again.rows.to_pylist()) == str(once.to_pylist())
