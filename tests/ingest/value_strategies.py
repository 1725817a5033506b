"""Random values of one kind, as an Arrow type keeps them, and random columns' types."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Context, Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa
from hypothesis import strategies as st

from icemelt.schema import DecimalType, Primitive

_WIDE = Context(prec=100)
ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata")
_EDGES = [0, 1, -1, 2**31 - 1, 2**31, -(2**31), -(2**31) - 1, 2**63 - 1, -(2**63)]
_EDGES += [2**53, 31_536_000_000, -31_536_000_000, 31_536_000_000_000, 31_536_000_000_000_000]
_DIGITS = st.text("0123456789", max_size=25)
_PADDING = st.sampled_from(["", "", "", " ", "\t "])

number_texts = st.builds(
    lambda sign, whole, point, part, exponent: f"{sign}{whole}{point}{part}{exponent}",
    st.sampled_from(["", "", "-", "+"]),
    st.one_of(_DIGITS, st.sampled_from(["0", "00012", "9" * 38, "1" + "0" * 40])),
    st.sampled_from(["", ".", "."]),
    st.one_of(_DIGITS, st.sampled_from(["5", "005", "9" * 45, "49999999999999999999"])),
    st.sampled_from(["", "", "", "e3", "E-4", "e+40", "e-45", "e400", "e1234567", "e"]),
)
_zones = st.one_of(
    st.sampled_from(["", "", "Z", "+02", "-07:00", "+0530", "+00:53:28", "+25:00", "+02:60", "z"]),
)
time_texts = st.builds(
    lambda moment, separator, shape, fraction, zone: (
        f"{moment.year:04}-{moment:%m-%d}"
        + (separator + moment.strftime(shape) + fraction + zone if shape else "")
    ),
    st.datetimes(),
    st.sampled_from(["T", " ", "  ", "t"]),
    st.sampled_from(["", "%H:%M", "%H:%M:%S", "%H:%M:%S", "%H"]),
    st.sampled_from(["", "", ".1", ".123456", ".123456789", ".999999999", ".1234567890", "."]),
    _zones,
)
odd_time_texts = st.sampled_from(
    [
        "2024-02-29",
        "2023-02-29",
        "1900-02-29",
        "2000-02-29T23:59",
        "2024-02-30",
        "2024-04-31",
        "0000-01-01",
        "0001-01-01",
        "9999-12-31T23:59:59.999999999",
        "9999-12-31T23:59-07:00",
        "0001-01-01T00:00+01:00",
        "2024-03-31 02:30",
        "2024-10-27 02:30:00",
        "2050-03-27T02:30",
        "2024-13-01",
        "2024-01-00",
        "2024-01-01T24:00",
        "2024-01-01T10:60",
        "24-1-1",
        "20240101",
    ]
)
word_texts = st.sampled_from(
    [
        "true",
        "T",
        "Yes",
        "y",
        "ON",
        "1",
        "FALSE",
        "f",
        "no",
        "N",
        "off",
        "0",
        "2",
        "maybe",
        "\u017f",
        "nan",
        "NaN",
        "inf",
        "-Infinity",
        "+INF",
        "infinit",
        "null",
        "",
        " ",
        "ab",
        "abc",
        "0xff",
        '{"a": 1}',
        "[1, 2",
        '"x"',
        "{a: 1}",
        '{"a": NaN}',
        "[]",
        "-0",
        "1.",
        "\u20ac\U0001f600",
    ]
)
plain_texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
_padded = st.builds(
    lambda before, text, after: before + text + after,
    _PADDING,
    st.one_of(number_texts, time_texts, odd_time_texts, word_texts),
    _PADDING,
)
json_texts = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text('aé\n"', max_size=4),
    lambda parts: st.lists(parts, max_size=3) | st.dictionaries(st.text("ab", max_size=2), parts),
    max_leaves=5,
).map(json.dumps)
texts = st.one_of(_padded, _padded, plain_texts, json_texts)
integers = st.one_of(
    st.sampled_from(_EDGES[:9]), st.integers(-(2**63), 2**63 - 1), st.integers(-9, 9)
)
instants = st.one_of(st.sampled_from(_EDGES), st.integers(-(2**63), 2**63 - 1))


def _decimals(precision: int, scale: int) -> Any:
    unscaled = st.one_of(
        st.integers(-(10**precision) + 1, 10**precision - 1),
        st.sampled_from([10**precision - 1, 0, 5, 1 - 10**precision]),
    )
    return unscaled.map(lambda each: Decimal(each).scaleb(-scale, _WIDE))


@st.composite
def decimal_arrays(draw: Any) -> tuple[Any, list[Any]]:
    precision = draw(st.sampled_from([1, 5, 18, 38, 60, 76]))
    scale = draw(st.integers(0, min(precision, 45)))
    kind = pa.decimal128 if precision <= 38 else pa.decimal256
    values = draw(_column(_decimals(precision, scale)))
    return pa.array(values, kind(precision, scale)), values


def _column(values: Any) -> Any:
    return st.lists(st.none() | values | values, max_size=12)


def _arrays(values: Any, kind: Any) -> Any:
    return _column(values).map(lambda drawn: (pa.array(drawn, kind), drawn))


_berlin = ZoneInfo("Europe/Berlin")
# not the first and last days: there a zone's clock may show another year
_aware = st.datetimes(dt.datetime(1, 1, 3), dt.datetime(9999, 12, 29)).map(  # noqa: DTZ001
    lambda wall: wall.replace(tzinfo=dt.UTC).astimezone(_berlin)
)
_doubles = st.one_of(
    st.floats(),
    st.floats(-1e6, 1e6).map(lambda each: round(each, 3)),
    integers.map(float),
    st.sampled_from([0.5, 1.5, -2.5, 2.675, 1e23, 1.2345678901234568e18, 0.49999999999999994]),
)
arrays = st.one_of(
    _arrays(texts, pa.string()),
    _arrays(texts, pa.string()),
    _arrays(number_texts, pa.string()),
    _arrays(time_texts | odd_time_texts, pa.string()),
    _arrays(integers, pa.int64()),
    _arrays(instants, pa.int64()).filter(lambda drawn: -(2**63) not in drawn[1]),
    _arrays(st.integers(0, 255), pa.uint8()),
    _arrays(_doubles, pa.float64()),
    _arrays(st.booleans(), pa.bool_()),
    _arrays(st.binary(max_size=5), pa.binary()),
    _arrays(st.dates(), pa.date32()),
    _arrays(st.datetimes(), pa.timestamp("us")),
    _arrays(_aware, pa.timestamp("us", "Europe/Berlin")),
    _arrays(st.times(), pa.time64("us")),
    decimal_arrays(),
)
decimal_types = st.one_of(
    st.sampled_from(
        [DecimalType(38, 0), DecimalType(38, 38), DecimalType(5, 2), DecimalType(1, 1)]
    ),
    st.integers(1, 38).flatmap(lambda p: st.integers(0, p).map(lambda s: DecimalType(p, s))),
)
data_types = st.one_of(
    st.sampled_from(
        [
            Primitive("int"),
            Primitive("long"),
            Primitive("float"),
            Primitive("double"),
            Primitive("boolean"),
            Primitive("binary"),
            Primitive("string"),
            Primitive("string", 6),
            Primitive("date"),
            Primitive("timestamp"),
            Primitive("timestamptz"),
            Primitive("variant"),
        ]
    ),
    decimal_types,
)
