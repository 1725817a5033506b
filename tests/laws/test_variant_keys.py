"""The law of variants' keys: they are equal and ordered as the contents are, and read back."""

from __future__ import annotations

import functools
import json
from decimal import Decimal
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

_NUMBERS = st.one_of(
    st.integers(-200, 200),
    st.integers(-(10**37), 10**37),
    st.decimals(-1000, 1000, places=3),
    st.decimals(allow_nan=False, allow_infinity=False, places=20, min_value=-1, max_value=1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.integers(-400, 400).map(lambda number: number / 4),
)
_TEXTS = st.one_of(
    st.sampled_from(
        ["", "a", "ab", "b", "\0", "a\0", "a\0b", "é", "€", "\uffff", "😀", "1", "null"]
    ),
    st.text(st.characters(exclude_categories=("Cs",)), max_size=5),
)
_LEAVES = st.one_of(st.none(), st.booleans(), _NUMBERS, _TEXTS)
_VALUES = st.recursive(
    _LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from("abcd") | _TEXTS, inner, max_size=3),
    ),
    max_leaves=6,
)
_SAME = [
    6.020463578104318e16,
    2e-3,
    1,
    1.0,
    Decimal("1.00"),
    10_000_000,
    1e7,
    10**20,
    1e20,
    0,
    -0.0,
    0.1,
    Decimal("0.1"),
]


def write_json(value: Any) -> str:
    match value:
        case dict():
            fields = (f"{json.dumps(name)}: {write_json(each)}" for name, each in value.items())
            return f"{{{', '.join(fields)}}}"
        case list():
            return f"[{', '.join(map(write_json, value))}]"
        case Decimal():
            return f"{value:f}"
        case _:
            return json.dumps(value)


def compare(left: Any, right: Any) -> int:
    """Return -1, 0 or 1 for the order of two contents: the slow way, value by value."""
    kinds = kind(left), kind(right)
    if kinds[0] != kinds[1]:
        return -1 if kinds[0] < kinds[1] else 1
    match left:
        case None:
            return 0
        case str():
            return _sign(left.encode(), right.encode())
        case list():
            return compare_all(left, right)
        case dict():
            sides = (
                sorted(side.items(), key=lambda field: utf_16(field[0])) for side in (left, right)
            )
            return compare_all(*([part for field in side for part in field] for side in sides))
        case _:
            return _sign(number(left), number(right))


def compare_all(left: list[Any], right: list[Any]) -> int:
    for pair in zip(left, right, strict=False):
        if found := compare(*pair):
            return found
    return _sign(len(left), len(right))


def kind(value: Any) -> int:
    kinds: tuple[Any, ...] = (bool, (int, float, Decimal), str, list, dict)
    return next((at for at, each in enumerate(kinds) if isinstance(value, each)), len(kinds))


def number(value: Any) -> Decimal:
    return Decimal(repr(value)) if isinstance(value, float) else Decimal(value)


def utf_16(name: str) -> bytes:
    return name.encode("utf-16-be")


def _sign(left: Any, right: Any) -> int:
    return int(left > right) - int(left < right)


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(values=st.lists(_VALUES, min_size=1, max_size=60))
@example(values=_SAME)
def test_keys_are_equal_and_ordered_as_the_contents_are(
    with_functions: SparkSession, values: list[Any]
) -> None:
    rows = [(at, write_json(value)) for at, value in enumerate(values)]
    keyed = with_functions.createDataFrame(rows, "at INT, text STRING").selectExpr(
        "at", "icemelt_variant_key(parse_json(text)) AS key"
    )
    found = keyed.selectExpr(
        "at",
        "dense_rank() OVER (ORDER BY key) AS rank",
        "to_json(icemelt_variant_of_key(key)) AS text",
        "key = icemelt_variant_key(icemelt_variant_of_key(key)) AS is_kept",
    ).collect()
    in_order = sorted(values, key=functools.cmp_to_key(compare))
    for row in found:
        value = values[row["at"]]
        ranks = [each for each in in_order if compare(each, value) < 0]
        assert row["rank"] == 1 + _count_distinct(ranks), value
        assert compare(json.loads(row["text"], parse_float=Decimal), value) == 0
        assert row["is_kept"]


def _count_distinct(in_order: list[Any]) -> int:
    return sum(at == 0 or compare(in_order[at - 1], each) != 0 for at, each in enumerate(in_order))
