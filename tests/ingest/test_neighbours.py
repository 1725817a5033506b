"""What becomes of a value does not depend on the values of other rows that are sent with it."""

# ruff: noqa: DTZ001 - clocks without a zone are values too

from __future__ import annotations

import datetime as dt
import functools
import json
from decimal import Decimal
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from value_oracle import Refused, expected
from value_strategies import data_types, instants, texts

from icemelt.ingest.conversion.conversion import convert
from icemelt.ingest.rows.rows import read_arrow, read_json, to_arrow, validate_table
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

P = Primitive
_SETTINGS = settings(max_examples=150, suppress_health_check=list(HealthCheck))
_EAST = dt.timezone(dt.timedelta(hours=7))
_zones = st.sampled_from(
    [
        None,
        dt.UTC,
        _EAST,
        ZoneInfo("Europe/Berlin"),
        ZoneInfo("America/New_York"),
        dt.timezone(dt.timedelta(hours=-3, minutes=-30)),
        dt.timezone(dt.timedelta(seconds=3208)),
    ]
)
_moments = st.datetimes(dt.datetime(1, 1, 3), dt.datetime(9999, 12, 29), timezones=_zones)
_decimals = st.one_of(
    st.decimals(allow_nan=False, allow_infinity=False, places=2),
    st.decimals(allow_nan=False, allow_infinity=False),
    st.sampled_from(["1.10", "1.1", "5", "1E+3", "0E+9", "1E-50", "1E+90"]).map(Decimal),
)
_scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-9, 9),
    instants,
    st.sampled_from([2**64, 10**40, 10**79, 10**80, -(10**90)]),
    st.floats(),
    st.sampled_from([0.0, 5.0, 1.5e9, 0.1]),
    _decimals,
    texts,
    st.binary(max_size=2),
    st.dates(),
    st.times(timezones=st.sampled_from([None, _EAST])),
    _moments,
)
_nested_values = st.recursive(
    _scalars,
    lambda parts: st.lists(parts, max_size=3) | st.dictionaries(st.sampled_from("abA"), parts),
    max_leaves=5,
)
_PAIR = StructType((NestedField("a", P("int")), NestedField("b", P("string"))))
_types = st.one_of(
    data_types,
    st.sampled_from([P("variant"), P("string"), ListType(P("variant")), _PAIR]),
    st.one_of(data_types.map(ListType), data_types.map(lambda each: MapType(P("string"), each))),
    data_types.map(lambda each: StructType((NestedField("a", each),))),
)


def _told(table: Any, data_type: DataType) -> tuple[list[Any], dict[int, str]]:
    """Return the values that are kept, and why the others are not."""
    converted = convert(table, [Column("c", data_type)], time_zone="Europe/Berlin")
    converted.rows.validate(full=True)
    reasons = {error.row: error.reason for error in converted.errors}
    return converted.rows.column(0).to_pylist(), reasons


def _alone(tables: list[Any], data_type: DataType) -> tuple[list[Any], dict[int, str]]:
    kept: list[Any] = []
    reasons: dict[int, str] = {}
    for row, table in enumerate(tables):
        values, errors = _told(table, data_type)
        kept += values
        reasons.update((row, reason) for reason in errors.values())
    return kept, reasons


def _sent(table: Any) -> Any:
    """Return a table as it is on the other side of a stream."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return validate_table(read_arrow(sink.getvalue().to_pybytes()))


@_SETTINGS
@given(st.lists(_scalars, max_size=6), data_types)
def test_each_value_of_a_mixed_column_is_what_it_is_alone(
    values: list[Any], data_type: DataType
) -> None:
    rows = [{"c": value} for value in values]
    table = to_arrow(rows)
    alone = _alone([to_arrow([row]) for row in rows], data_type)
    assert str(_told(table, data_type)) == str(alone)
    assert str(_told(_sent(table), data_type)) == str(alone)


@_SETTINGS
@given(st.lists(_nested_values, max_size=4), _types)
def test_each_nested_value_of_a_mixed_column_is_what_it_is_alone(
    values: list[Any], data_type: DataType
) -> None:
    rows = [{"c": value} for value in values]
    kept, reasons = _told(_sent(to_arrow(rows)), data_type)
    kept_alone, reasons_alone = _alone([to_arrow([row]) for row in rows], data_type)
    assert str(kept) == str(kept_alone)
    assert reasons.keys() == reasons_alone.keys()


def _nested_type(random: Random, depth: int = 0) -> DataType:
    kind = random.choice(["plain", "array", "map", "object"]) if depth < 3 else "plain"
    inside = functools.partial(_nested_type, random, depth + 1)
    match kind:
        case "array":
            return ListType(inside())
        case "map":
            return MapType(P(random.choice(["string", "int"])), inside())
        case "object":
            names = random.sample("abc", random.randint(1, 3))
            return StructType(tuple(NestedField(n, inside(), random.random() < 0.8) for n in names))
    return P(random.choice(["int", "string", "double"]))


_STRAYS = ["x", 1.5, True, [1], [], {"q": 1}, {"a": None}, {}]


def _near(random: Random, data_type: DataType) -> Any:
    """Return a value of a type; now and then NULL, or a value with a part of another type."""
    if random.random() < 0.15:
        return random.choice([None, None, *_STRAYS])
    inside = functools.partial(_near, random)
    match data_type:
        case ListType(element):
            return [inside(element) for _ in range(random.randint(0, 3))]
        case MapType(key, value):
            keys = "12" if key == P("int") else "kl"
            return {random.choice(keys): inside(value) for _ in range(random.randint(0, 3))}
        case StructType(fields):
            return {each.name: inside(each.type) for each in fields}
    return random.choice([1, 2, "7"] if data_type != P("string") else ["u", ""])


@_SETTINGS
@given(st.integers(0, 2**64))
def test_each_nested_value_is_what_it_is_alone(seed: int) -> None:
    random = Random(seed)  # noqa: S311
    data_type = _nested_type(random)
    texts = [json.dumps(_near(random, data_type)) for _ in range(random.randint(1, 6))]
    alone = _alone([pa.table({"c": [text]}) for text in texts], data_type)
    assert _told(pa.table({"c": texts}), data_type) == alone


_tokens = st.one_of(
    st.integers(-9, 9).map(str),
    st.integers(-9, 9).map(lambda each: f"{each}.0"),
    instants.map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.sampled_from(["-0", "-0.0", "1e5", "1E+3", "1704067200.5", "0.1234567890123456789"]),
    st.sampled_from(["9007199254740993", "9007199254740993.0", "1e400", "1e-400", "1.10"]),
)
_members = st.one_of(_tokens, _tokens, texts.map(json.dumps), st.sampled_from(["null", "true"]))
_lines = st.one_of(
    st.lists(_tokens, max_size=6),
    st.lists(_members, max_size=6),
    st.lists(_members | st.lists(_members, max_size=2).map(lambda each: f"[{','.join(each)}]")),
)


@_SETTINGS
@given(_lines, _types)
@example(
    [json.dumps('{"": false}'), json.dumps('{"": {"": null}}')], MapType(P("string"), P("int"))
)
@example([json.dumps('{"b": 2}'), json.dumps('{"b": {"": null}}')], _PAIR)
# of several bad parts the first is told, whatever the types of the parts of other rows
@example(
    [json.dumps('{"b": [1]}'), json.dumps('{"a": true, "b": [1]}')], MapType(P("string"), P("int"))
)
@example(["[[1]]", "[true, [1]]"], ListType(P("int")))
@example([json.dumps('{"x": 1}'), json.dumps('{"y": 1, "x": 2}')], _PAIR)
def test_each_value_of_json_is_what_it_is_alone(tokens: list[str], data_type: DataType) -> None:
    lines = [f'{{"c": {token}}}'.encode() for token in tokens]
    kept, reasons = _told(read_json(b"\n".join(lines)), data_type)
    kept_alone, reasons_alone = _alone([read_json(line) for line in lines], data_type)
    assert str(kept) == str(kept_alone)
    assert reasons == reasons_alone


@_SETTINGS
@given(st.lists(_scalars, max_size=6), data_types, st.sampled_from(["UTC", "Europe/Berlin"]))
def test_each_value_of_a_mixed_column_is_that_of_the_oracle(
    values: list[Any], data_type: DataType, zone: str
) -> None:
    # what has no type of Arrow's, and so is text, has no oracle
    values = [_as_arrow(value) for value in values if _has_type(value)]
    good, bad = [], []
    for row, value in enumerate(values):
        try:
            good.append(expected(value, data_type, zone))
        except Refused:
            bad.append(row)
    converted = convert(
        to_arrow([{"c": value} for value in values]), [Column("c", data_type)], time_zone=zone
    )
    assert [error.row for error in converted.errors] == bad
    assert str(converted.rows.column(0).to_pylist()) == str(
        pa.array(good, converted.rows.schema.field(0).type).to_pylist()
    )


def _as_arrow(value: Any) -> Any:
    """Return a whole number as a decimal where no integer of 64 bits is that large."""
    return Decimal(value) if isinstance(value, int) and not -(2**63) <= value < 2**63 else value


def _has_type(value: Any) -> bool:
    if isinstance(value, int | Decimal):
        number = Decimal(value)
        return number.adjusted() < 38 and int(number.as_tuple().exponent) in range(-37, 1)
    if isinstance(value, dt.datetime):
        return value.utcoffset() in {None, dt.timedelta(0), dt.timedelta(hours=7)}
    return not isinstance(value, dt.time) or value.tzinfo is None


@pytest.mark.parametrize(
    ("data_type", "values", "kept", "bad"),
    [
        (P("variant"), [dt.date(2024, 1, 1), 1], ['"2024-01-01"', "1"], []),
        (
            P("variant"),
            [dt.datetime(2024, 1, 1, tzinfo=_EAST), dt.datetime(2024, 1, 1, tzinfo=dt.UTC)],
            ['"2024-01-01T00:00:00+07:00"', '"2024-01-01T00:00:00+00:00"'],
            [],
        ),
        (P("variant"), [dt.time(1, tzinfo=_EAST)], ['"01:00:00+07:00"'], []),
        (P("string"), [b"ab", "x"], ["x"], [0]),
        (P("string"), [[b"ab"], [1, b"ab"], [float("nan"), "x"], [1, "x"]], ['[1,"x"]'], [0, 1, 2]),
        (P("binary"), [12, b"ab", 10**80, Decimal("1E+1")], [b"ab"], [0, 2, 3]),
        (P("boolean"), [2, True, "2", Decimal("1.5")], [True, True, True], [2]),
        (P("date"), [1.5e9, 1, 1.5], [dt.date(2017, 7, 14), dt.date(1970, 1, 1)], [2]),
        (P("timestamp"), [1, 2**70, "x"], [dt.datetime(1970, 1, 1, 0, 0, 1)], [1, 2]),
        (P("double"), [10**80, Decimal("NaN"), "x"], [1e80, float("nan")], [2]),
        (ListType(P("binary")), [["61", None], [b"a", 1]], [[b"a", None]], [1]),
        (ListType(P("variant")), [[0.0], [0.0, "x"], [1e16]], [["0"], ["0", '"x"'], ["1e+16"]], []),
        (ListType(P("string")), [[Decimal("1.10")], ["x"]], [["1.10"], ["x"]], []),
    ],
)
def test_values_of_several_types_are_each_taken_or_refused_as_such(
    data_type: DataType, values: list[Any], kept: list[Any], bad: list[int]
) -> None:
    found, reasons = _told(to_arrow([{"c": value} for value in values]), data_type)
    assert str(found) == str(kept)
    assert list(reasons) == bad


@pytest.mark.parametrize("name", ["date", "timestamp", "timestamptz"])
def test_a_whole_number_of_json_is_seconds_since_1970_with_and_without_a_point(name: str) -> None:
    bodies = [b'{"c": 1704067200}', b'{"c": 1704067200.0}', b'{"c": 1704067200.5}\n{"c": true}']
    assert _told(read_json(bodies[0]), P(name)) == _told(read_json(bodies[1]), P(name))
    kept, reasons = _told(read_json(b"\n".join(bodies)), P(name))
    assert (len(kept), list(reasons)) == (2, [2, 3])


def test_a_value_of_a_column_that_the_table_lacks_is_shown_as_what_it_is() -> None:
    converted = convert(to_arrow([{"x": 5}, {"x": None}, {"x": b"a"}]), [Column("c", P("int"))])
    assert [(error.row, error.reason) for error in converted.errors] == [
        (0, "The table has no column 'x', found a whole number: 5."),
        (2, "The table has no column 'x', found bytes 61."),
    ]
