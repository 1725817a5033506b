"""Values as text: nothing is lost, nothing steers a terminal."""

from __future__ import annotations

import csv
import datetime as dt
import io
import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from icemelt.values import as_csv_line, as_json, as_text, is_number, make_unique, visible

MOMENT = dt.datetime(2024, 2, 29, 12, 30, 0, 5, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "NULL"),
        (True, "true"),
        (2**63, "9223372036854775808"),
        (0.1, "0.1"),
        (float("nan"), "NaN"),
        (float("-inf"), "-Infinity"),
        (Decimal("0.000000001"), "0.000000001"),
        (Decimal("1E+5"), "100000"),
        (b"\x00\xff", "00FF"),
        (dt.date(2024, 2, 29), "2024-02-29"),
        (MOMENT, "2024-02-29 12:30:00.000005+00:00"),
        (MOMENT.replace(microsecond=120_000), "2024-02-29 12:30:00.12+00:00"),
        (MOMENT.replace(microsecond=0, tzinfo=None), "2024-02-29 12:30:00"),
        ([1, None, "a"], '[1,null,"a"]'),
        ({"a": Decimal("1.50")}, '{"a":"1.50"}'),
        ([("k", 1)], '{"k":1}'),
        ("two\nlines\tand \x1b[2J", "two\\nlines\\tand \\x1b[2J"),
        ("abc\u202edef", "abc\\u202edef"),
    ],
)
def test_a_value_in_a_table_is_one_line(value: Any, text: str) -> None:
    assert as_text(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (1.5, "1.5"),
        (float("inf"), '"Infinity"'),
        (Decimal("12345678901234567890.123"), '"12345678901234567890.123"'),
        (MOMENT, '"2024-02-29T12:30:00.000005+00:00"'),
        ("é\n", '"é\\n"'),
        ([], "[]"),
        ([(1, [("x", None)])], '{"1":{"x":null}}'),
    ],
)
def test_json_keeps_types_and_digits(value: Any, text: str) -> None:
    assert as_json(value) == text


@given(st.lists(st.text(), min_size=2, max_size=5))
def test_csv_reads_back_as_it_was(values: list[str]) -> None:
    line = as_csv_line(values)

    assert list(csv.reader(io.StringIO(line + "\n", newline=""))) == [values]


def test_csv_tells_null_from_an_empty_string() -> None:
    assert as_csv_line([None, "", None]) == ',"",'


@given(st.text())
def test_no_text_reaches_the_terminal_with_control_characters(text: str) -> None:
    assert all(character.isprintable() or not character.isascii() for character in visible(text))


@given(st.dictionaries(st.text(), st.integers() | st.floats() | st.none()))
def test_json_is_always_json(document: dict[str, Any]) -> None:
    assert list(json.loads(as_json(document))) == list(document)


@given(st.lists(st.sampled_from(["a", "a_2", "b"])))
def test_names_in_json_are_unique_and_in_order(names: list[str]) -> None:
    made = make_unique(names)

    assert len(set(made)) == len(names)
    assert all(new.startswith(old) for new, old in zip(made, names, strict=True))


def test_numbers_are_numbers_and_truth_values_are_not() -> None:
    assert [is_number(value) for value in (1, 1.5, Decimal(1), True, "1", None)] == [
        True,
        True,
        True,
        False,
        False,
        False,
    ]
