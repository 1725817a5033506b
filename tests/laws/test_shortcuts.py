"""The law of shortcuts: what Java computes at once is what the long way gives."""

from __future__ import annotations

import json
import struct
from decimal import Decimal
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

_FEW = settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
_ZONE = "Europe/Berlin"
_DAYS = st.dates().map(str)
_TIMES = st.times().map(str)
_OFFSETS = st.sampled_from(
    ["", "", "Z", "+02:00", "-11:30", "+18:00", "+18:01", "+05:99", " Z", "+2", "+0200", "z"]
)
_MOMENTS = st.one_of(
    _DAYS,
    st.tuples(_DAYS, st.sampled_from("T  "), _TIMES, _OFFSETS).map("".join),
    st.tuples(
        _DAYS,
        st.sampled_from("T "),
        st.from_regex(r"[0-3][0-9]:[0-7][0-9]:[0-7][0-9]", fullmatch=True),
        st.from_regex(r"([.][0-9]{0,11})?", fullmatch=True),
    ).map("".join),
    st.from_regex(r"[0-9]{4}-[01][0-9]-[0-3][0-9]", fullmatch=True),
    st.text("0123456789-:. TZ+", max_size=25),
)
_ODD_MOMENTS = [
    *("0000-01-01", "0000-02-29", "1900-02-29", "2000-02-29", "2023-02-29", "2024-04-31"),
    *("2024-03-31T02:30:00", "2024-10-27 02:30:00", "9999-12-31T23:59:59.999999999", "1969-12-31"),
    *("2024-05-01T24:00:00", "2024-05-01T10:20", "2024-05-01 10:20:30.", " 2024-05-01", ""),
    *("2024-05-01T10:20:30,5", "2024/05/01", "20240501", "2024-5-1", "12345", "05/01/2024"),
    *("2024-05-01T10:20:30.1234567891", "2024-05-01-", "\uff12024-05-01", "2024-05-01\u00a0"),
]


@_FEW
@given(texts=st.lists(_MOMENTS, min_size=1, max_size=200))
@example(texts=_ODD_MOMENTS)
def test_a_moment_of_iso_is_what_a_pattern_finds(
    with_functions: SparkSession, texts: list[str]
) -> None:
    # the word in lower case takes the long way
    frame = with_functions.createDataFrame([(text,) for text in texts], "t STRING")
    read = frame.selectExpr(
        "t",
        *(
            f"unix_micros(icemelt_read_instant(t, '{word}', '{_ZONE}')) AS instant_{word}"
            for word in ("AUTO", "auto")
        ),
        *(
            f"CAST(icemelt_read_clock(t, '{word}') AS STRING) AS c_{word}"
            for word in ("AUTO", "auto")
        ),
        *(
            f"CAST(icemelt_read_date(t, '{word}') AS STRING) AS d_{word}"
            for word in ("AUTO", "auto")
        ),
        "CAST(CAST(icemelt_read_clock(t, 'auto') AS DATE) AS STRING) AS day",
    )
    for _, instant, long_instant, clock, long_clock, date, long_date, day in read.collect():
        assert (instant, clock, date, long_date) == (long_instant, long_clock, day, day)


_LONGS = st.one_of(
    st.integers(-(2**63), 2**63 - 1),
    st.integers(-1_000, 1_000),
    st.tuples(st.integers(-999, 999), st.integers(0, 15)).map(lambda of: of[0] * 10 ** of[1]),
)
_DOUBLES = st.one_of(
    # of the smallest numbers Java writes two digits, where Python writes one
    st.floats(allow_subnormal=False),
    st.floats(-1e6, 1e6),
    st.integers(-(10**6), 10**6).map(lambda number: number / 64),
)


@_FEW
@given(longs=st.lists(_LONGS, min_size=1), doubles=st.lists(_DOUBLES, min_size=1))
@example(
    longs=[-(2**63), 2**63 - 1, 0, 1, 9, 10, 99, 100, -100, 10**18, -(10**18), 2**53 + 1],
    doubles=[
        *(0.0, -0.0, 2.2250738585072014e-308, 1.7976931348623157e308, 1e23, 9007199254740993.0),
        *(0.1, 123456789012345678.0, 1e18, 1e19, 0.12345678901234567, float("nan"), 12.5),
    ],
)
def test_numbers_of_one_key_have_one_hash(
    with_functions: SparkSession, longs: list[int], doubles: list[float]
) -> None:
    as_variant = "CAST(n AS VARIANT)"
    fixed = [Decimal(number % 10**18).scaleb(-4) for number in longs]
    exact = [Decimal(repr(each)) for each in doubles if 1e-15 < abs(each) < 1e15]
    small = [Decimal(number).scaleb(-20) for number in longs]
    hashes: dict[bytes, set[int]] = {}
    for name, kind, numbers in (
        ("long", "BIGINT", longs),
        ("decimal", "DECIMAL(38, 0)", list(map(Decimal, longs))),
        ("decimal", "DECIMAL(18, 4)", fixed),
        ("decimal", "DECIMAL(38, 4)", fixed),
        ("decimal", "DECIMAL(38, 22)", [each for each in exact if each == round(each, 22)]),
        ("decimal", "DECIMAL(38, 20)", small),
        ("double", "DOUBLE", doubles),
        ("double", "DOUBLE", [float(each) for each in fixed]),
    ):
        frame = with_functions.createDataFrame([(number,) for number in numbers], f"n {kind}")
        read = frame.selectExpr(
            "n",
            f"icemelt_variant_key({as_variant}) AS key",
            f"icemelt_hash_of_{name}(n) AS typed",
            f"icemelt_hash_of_variant({as_variant}) AS hash",
        )
        for number, key, typed, hashed in read.collect():
            assert bytes(key) == number_key(number), number
            hashes.setdefault(bytes(key), set()).update((typed, hashed))
    assert all(len(each) == 1 for each in hashes.values())
    assert len(set().union(*hashes.values())) == len(hashes)


def number_key(number: float | Decimal) -> bytes:
    """Return the key of a number: the slow way, digit by digit."""
    if number != number:  # noqa: PLR0124 - a NaN
        return b"\x20\x06"
    if number in (float("inf"), float("-inf")):
        return b"\x20\x05" if number > 0 else b"\x20\x01"
    exact = Decimal(repr(number)) if isinstance(number, float) else Decimal(number)
    sign, digits, exponent = exact.as_tuple()
    assert isinstance(exponent, int)
    written = "".join(map(str, digits)).lstrip("0")
    if not written:
        return b"\x20\x03"
    before_point = len(written) + exponent
    written = written.rstrip("0")
    written += "0" * (len(written) % 2)
    pairs = [int(written[at : at + 2]) + 1 for at in range(0, len(written), 2)]
    body = struct.pack(">H", before_point + (1 << 15)) + bytes(pairs) + b"\0"
    flipped = bytes(each ^ 0xFF for each in body) if sign else body
    return b"\x20" + (b"\x02" if sign else b"\x04") + flipped


_TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=8) | st.sampled_from(
    ["", 'a"b', "\\", "\0\x01\x1f\x7f\x80", "/", "\u2028", "é😀", "a" * 100]
)
_SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.decimals(-1000, 1000, places=3).map(float),
    _TEXTS,
)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.sampled_from("abc") | _TEXTS, inner, max_size=4),
    ),
    max_leaves=10,
)
_TYPED = [
    "CAST('NaN' AS DOUBLE)",
    "CAST('-Infinity' AS FLOAT)",
    "1.5F",
    "-0.0D",
    "1e300D",
    "12.500BD",
    "X'00ff'",
    "DATE '2024-05-01'",
    "TIMESTAMP '2024-05-01 10:20:30.5Z'",
    "TIMESTAMP_NTZ '1900-01-01 00:00:00'",
]


@_FEW
@given(values=st.lists(_VALUES, min_size=1, max_size=40))
def test_a_variant_as_json_is_spark_s(with_functions: SparkSession, values: list[Any]) -> None:
    with_functions.conf.set("spark.sql.session.timeZone", _ZONE)
    texts = with_functions.createDataFrame([(json.dumps(value),) for value in values], "t STRING")
    variants = texts.selectExpr("parse_json(t) AS v")
    for typed in _TYPED:
        nested = (
            f"SELECT CAST(array({typed}) AS VARIANT) AS v UNION ALL SELECT CAST({typed} AS VARIANT)"
        )
        variants = variants.unionAll(with_functions.sql(nested))
    both = variants.selectExpr("icemelt_variant_json(v, current_timezone())", "to_json(v)")
    for found, expected in both.collect():
        assert found == expected
    with_functions.conf.set("spark.sql.session.timeZone", "UTC")


@_FEW
@given(pairs=st.lists(st.tuples(_VALUES, _VALUES | st.none()), min_size=1, max_size=20))
def test_objects_and_arrays_are_those_of_lambdas(
    with_functions: SparkSession, pairs: list[tuple[Any, Any]]
) -> None:
    rows = [
        (json.dumps(left), None if right is None else json.dumps(right)) for left, right in pairs
    ]
    variants = with_functions.createDataFrame(rows, "a STRING, b STRING").selectExpr(
        "parse_json(a) AS a", "parse_json(b) AS b"
    )
    entries, keep = "map('y', a, 'x', b)", "(k, v) -> v IS NOT NULL"
    both = variants.selectExpr(
        f"hex(icemelt_variant_bytes(to_variant_object(map_filter({entries}, {keep}))))",
        "hex(icemelt_variant_bytes(icemelt_object(array('y', 'x'), array(a, b), false)))",
        f"hex(icemelt_variant_bytes(to_variant_object({entries})))",
        "hex(icemelt_variant_bytes(icemelt_object(array('y', 'x'), array(a, b), true)))",
        "if(b IS NULL, NULL, exists(TRY_CAST(a AS ARRAY<VARIANT>), "
        "x -> icemelt_variant_key(x) = icemelt_variant_key(b)))",
        "icemelt_variant_contains(a, icemelt_variant_key(b))",
    )
    for present, found, all_of_them, kept, is_element, contains in both.collect():
        assert (found, kept, contains) == (present, all_of_them, is_element)
