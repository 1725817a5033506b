from __future__ import annotations

import datetime
import math
import re
import uuid
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from icemelt.errors import ParameterError
from icemelt.sql.parse import parse_statement
from icemelt.sql.statements import CreateTable, Insert, Select, Show

TEXT = st.text(st.characters(blacklist_categories=("Cs",)), max_size=20)
ESCAPE = re.compile(r"\\(u[0-9a-f]{4}|.)", re.DOTALL)


def bound(value: object) -> str:
    """The Spark SQL of a value, by position and by name alike."""
    by_name = query("SELECT :x AS x", {"x": value})
    assert query("SELECT ? AS x", [value]) == by_name
    return by_name.removeprefix("SELECT ").removesuffix(" AS `x`")


def query(text: str, parameters: Any) -> str:
    statement = parse_statement(text, parameters)
    assert isinstance(statement, Select)
    return statement.query.text


def spark_string(literal: str) -> str:
    """What Spark reads from a string literal: the inverse of what writes it."""
    assert literal[0] == literal[-1] == "'"
    body = literal[1:-1]
    assert not re.search(r"(?<!\\)(\\\\)*'", body), "a quote ends the literal"
    assert "${" not in body, "Spark would put a variable in"
    return ESCAPE.sub(lambda m: chr(int(m[1][1:], 16)) if len(m[1]) > 1 else m[1], body)


@given(TEXT)
def test_a_string_is_the_same_string_in_spark(value: str) -> None:
    assert spark_string(bound(value)) == value


@pytest.mark.parametrize(
    "value",
    ["", "'", "\\", "\\'", "a\nb", "${x}", "\\u0041", "'; DROP TABLE t; --", "__icemelt_0__"],
)
def test_hostile_strings_are_data(value: str) -> None:
    assert spark_string(bound(value)) == value


@given(st.integers(-(2**63) + 1, 2**63 - 1))
def test_integers_are_literals(value: int) -> None:
    assert bound(value) == (str(value) if value >= 0 else f"({value})")


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_are_doubles_to_the_last_digit(value: float) -> None:
    text = bound(value).removeprefix("CAST('").removesuffix("' AS DOUBLE)")
    assert float(text) == value
    assert math.copysign(1, float(text)) == math.copysign(1, value)


@given(
    st.decimals(
        allow_nan=False, allow_infinity=False, min_value=-(10**18), max_value=10**18, places=5
    )
)
def test_decimals_keep_digits_and_scale(value: Decimal) -> None:
    found = re.fullmatch(r"CAST\('([-0-9.]+)' AS DECIMAL\((\d+),(\d+)\)\)", bound(value))
    assert found
    assert Decimal(found[1]) == value
    precision, scale = int(found[2]), int(found[3])
    assert scale == 5
    assert len(value.as_tuple().digits) <= precision <= 38


@given(st.binary(max_size=20))
def test_bytes_are_binary(value: bytes) -> None:
    assert bytes.fromhex(bound(value).removeprefix("X'").removesuffix("'")) == value


@given(st.datetimes())
def test_a_naive_datetime_has_no_zone(value: datetime.datetime) -> None:
    text = bound(value).removeprefix("CAST('").removesuffix("' AS TIMESTAMP_NTZ)")
    assert datetime.datetime.fromisoformat(text) == value


INSTANTS = st.datetimes(
    min_value=datetime.datetime(2, 1, 1),  # noqa: DTZ001 - the zone is drawn beside it
    max_value=datetime.datetime(9998, 1, 1),  # noqa: DTZ001
)


@given(INSTANTS, st.integers(-14 * 60, 14 * 60))
def test_an_aware_datetime_is_an_instant(value: datetime.datetime, minutes: int) -> None:
    aware = value.replace(tzinfo=datetime.timezone(datetime.timedelta(minutes=minutes)))
    text = bound(aware).removeprefix("CAST('").removesuffix("' AS TIMESTAMP)")
    assert datetime.datetime.fromisoformat(text) == aware


@pytest.mark.parametrize(
    ("value", "sql"),
    [
        (None, "NULL"),
        (True, "TRUE"),
        (False, "FALSE"),
        (0, "0"),
        (-(2**63), "CAST(CAST('-9223372036854775808' AS DECIMAL(38,0)) AS BIGINT)"),
        (2**63, "CAST('9223372036854775808' AS DECIMAL(19,0))"),
        (math.nan, "CAST('NaN' AS DOUBLE)"),
        (math.inf, "CAST('Infinity' AS DOUBLE)"),
        (-math.inf, "CAST('-Infinity' AS DOUBLE)"),
        (-0.0, "CAST('-0.0' AS DOUBLE)"),
        (Decimal("1E+3"), "CAST('1000' AS DECIMAL(4,0))"),
        (Decimal("0.001"), "CAST('0.001' AS DECIMAL(3,3))"),
        (b"", "X''"),
        (datetime.date(2024, 1, 31), "CAST('2024-01-31' AS DATE)"),
        (uuid.UUID(int=0), "'00000000-0000-0000-0000-000000000000'"),
        ([1, None, 2], "array(1, NULL, 2)"),
        ([1, "a"], "array(CAST(1 AS VARIANT), CAST('a' AS VARIANT))"),
        ((), "array()"),
        (
            {"a": 1, "b": None},
            (
                "icemelt_object(array('a', 'b'), "
                "array(CAST(1 AS VARIANT), CAST(NULL AS VARIANT)), true)"
            ),
        ),
        ({}, "parse_json('{}')"),
        ({1: "x"}, "map_from_arrays(array(1), array('x'))"),
        (
            {"a": [{}]},
            "icemelt_object(array('a'), array(CAST(array(parse_json('{}')) AS VARIANT)), true)",
        ),
    ],
)
def test_each_type_has_its_literal(value: object, sql: str) -> None:
    assert bound(value) == sql


@pytest.mark.parametrize(
    ("text", "parameters", "named"),
    [
        ("SELECT ?", None, "'?'"),
        ("SELECT :a", None, "':a'"),
        ("SELECT :a", [1], "':a'"),
        ("SELECT ?", {"a": 1}, "'?'"),
        ("SELECT ?, ?", [1], "at least 2"),
        ("SELECT ?", [1, 2], "1 placeholders"),
        ("SELECT 1", [1], "0 placeholders"),
        ("SELECT :A", {"a": 1}, "'A'"),
        ("SELECT :a", {"a": 1, "b": 2}, "'b'"),
        ("SELECT ?", "x", "str"),
        ("SELECT ?", [object()], "Parameter 1"),
        ("SELECT :a", {"a": datetime.time(1)}, "Parameter 'a'"),
        ("SELECT ?", [Decimal("NaN")], "finite"),
        ("SELECT ?", [10**38], "39 digits"),
        ("SELECT ?", ["\ud800"], "surrogate"),
    ],
)
def test_what_does_not_fit_is_named(text: str, parameters: Any, named: str) -> None:
    with pytest.raises(ParameterError) as raised:
        parse_statement(text, parameters)
    assert named in raised.value.message


def test_a_name_may_stand_many_times_and_positions_are_kept() -> None:
    assert query("SELECT :a + :a AS x", {"a": 1}) == "SELECT 1L + 1L AS `x`"
    text = "SELECT f(?, x -> x > ?) AS y FROM t WHERE a BETWEEN ? AND ? LIMIT ?"
    assert query(text, [1, 2, 3, 4, 5]) == (
        "SELECT f(1, `x` -> `x` > 2) AS `y` FROM __icemelt_0__ AS `t` "
        "WHERE `a` BETWEEN 3 AND 4 LIMIT 5"
    )


def test_a_colon_after_a_value_is_a_path_and_no_parameter() -> None:
    text = query("SELECT v:a AS x, f(v:a, :a) AS y, :a:b AS z FROM t", {"a": "p"})
    assert text.count("'p'") == 2
    assert text.count("'$[0].a'") == 2
    assert text.endswith(" AS `z` FROM __icemelt_0__ AS `t`")


def test_marks_in_strings_and_comments_are_no_parameters() -> None:
    assert query("SELECT '?' AS a, ':x' AS b /* ? :x */", None) == "SELECT '?' AS `a`, ':x' AS `b`"


def test_parameters_stand_wherever_a_value_stands() -> None:
    statement = parse_statement("INSERT INTO t VALUES (?, DEFAULT), (?, ?)", [1, 2, "x"])
    assert isinstance(statement, Insert)
    assert statement.query.text == "SELECT 1, __icemelt_v0__ UNION ALL SELECT 2, 'x'"
    point = parse_statement("SELECT * FROM t AT (OFFSET => -:seconds)", {"seconds": 60})
    assert isinstance(point, Select)
    assert point.query.references[0].point is not None
    assert point.query.references[0].point.expression == "-60"
    assert parse_statement("SHOW TABLES LIKE :p LIMIT :n", {"p": "a%", "n": 3}) == Show(
        "TABLES", like="a%", limit=3
    )
    table = parse_statement("CREATE TABLE t (a INT DEFAULT ?) COMMENT = ?", [7, "it's"])
    assert isinstance(table, CreateTable)
    assert (table.columns[0].default, table.options) == ("7", {"COMMENT": "it's"})


@pytest.mark.parametrize("values", [5, {1, 2}, "text", iter([1])])
def test_what_is_no_list_or_mapping_is_refused(values: Any) -> None:
    with pytest.raises(ParameterError, match="Parameters are a list or a mapping"):
        query("SELECT ?", values)


@pytest.mark.parametrize(
    ("condition", "values", "sql"),
    [
        ("a IN (?)", [[1, 2, 3]], "`a` IN (1, 2, 3)"),
        ("a IN (?)", [(1,)], "`a` IN (1)"),
        ("a IN (?)", [[1, None]], "`a` IN (1, NULL)"),
        ("a IN (?)", [7], "`a` IN (7)"),
        ("NOT a IN (?)", [["x"]], "NOT `a` IN ('x')"),
        ("a NOT IN (?)", [["x", "y"]], "NOT `a` IN ('x', 'y')"),
        ("a IN (?)", [[]], "(FALSE AND `a` IS NULL)"),
        ("a NOT IN (?)", [[]], "NOT (FALSE AND `a` IS NULL)"),
        (
            "(a, b) IN (?)",
            [[(1, "x"), (2, "y")]],
            "((`a` = 1 AND `b` = 'x') OR (`a` = 2 AND `b` = 'y'))",
        ),
        ("(a, b) IN (?)", [[]], "(FALSE AND `a` IS NULL AND `b` IS NULL)"),
        ("a IN (:ids) AND b = :b", {"ids": [1, 2], "b": 3}, "`a` IN (1, 2) AND `b` = 3"),
        ("? IN (?)", [1, [1, 2]], "1 IN (1, 2)"),
        ("? IN (?)", [1, []], "(FALSE AND 1 IS NULL)"),
        ("a IN (?) OR b IN (?)", [[1], [2, 3]], "`a` IN (1) OR `b` IN (2, 3)"),
    ],
)
def test_a_list_alone_in_in_is_its_elements(condition: str, values: Any, sql: str) -> None:
    assert query(f"SELECT 1 FROM t WHERE {condition}", values).endswith(f" WHERE {sql}")


@given(st.sets(st.integers(0, 5)))
def test_a_set_is_a_list_in_any_order(values: set[int]) -> None:
    found = query("SELECT 1 FROM t WHERE a IN (?)", [values])
    assert set(map(int, re.findall(r"\d+", found.rpartition("WHERE")[2]))) == values


def test_a_list_elsewhere_is_an_array() -> None:
    assert query("SELECT 1 FROM t WHERE a = ?", [[1, 2]]).endswith("= array(1, 2)")
    assert query("SELECT 1 FROM t WHERE a IN (?, ?)", [[1], [2]]).endswith(
        "IN (array(1), array(2))"
    )
