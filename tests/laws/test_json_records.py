"""The law of JSON records: one pass over a record gives what its VARIANT gives, by members."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from pyspark.sql.types import BinaryType, StructField, StructType

from icemelt.quoting import quote, text_literal
from icemelt.schema import Column, DataType, DecimalType, ListType, Primitive
from icemelt.spark_sql.loading import (
    FileValue,
    Formats,
    SourceKind,
    json_value,
    loaded_value,
    member_value,
    read_members,
    refusal,
)

NUMBERS = st.one_of(
    st.integers(-(10**40), 10**40).map(str),
    st.sampled_from(
        [
            *("0", "-0", "-0.0", "0.0", "-0e0", "1.0", "1.5", "-2.5", "1e3", "1E-400", "-1e-400"),
            *("1e400", "2147483647", "2147483648", "-2147483648", "9223372036854775807"),
            *("9223372036854775808", "123456789012345678901234567890.123456789", "0.1", "9" * 38),
            *("01", "1.", ".5", "+1", "-", "NaN", "Infinity"),
        ]
    ),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
)
TEXTS = st.one_of(
    st.text('ab1.é🜁"\\\n', max_size=6).map(json.dumps),
    st.sampled_from(
        [
            '"2024-02-30"',
            '"2024-01-02"',
            '"2024-01-02T03:04:05.678"',
            '"2024-01-02T03:04:05+02:00"',
            '"2024-01-02 03:04:05Z"',
            '"true"',
            '"1"',
            r'"\ud800"',
            r'"\u0000"',
            "'a'",
            '"',
            '"\t"',
        ]
    ),
)
SCALARS = st.one_of(NUMBERS, TEXTS, st.sampled_from(["null", "true", "false", "nul", "TRUE"]))
NAMES = st.sampled_from(["a", "A", "b", "B", "unread", "é", "É"])
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda values: f"[{', '.join(values)}]"),
        st.lists(st.tuples(NAMES, inner), max_size=3).map(
            lambda pairs: "{" + ",".join(f'"{name}": {value}' for name, value in pairs) + "}"
        ),
    ),
    max_leaves=5,
)
OBJECTS = st.lists(st.tuples(NAMES, VALUES), max_size=4, unique_by=lambda pair: pair[0]).map(
    lambda pairs: "{" + ", ".join(f'"{name}":{value}' for name, value in pairs) + "}"
)
ENDS = st.sampled_from([""] * 12 + [" ", "}", ",", " 1", "] , [2", "\x00", "// no"])
STARTS = st.sampled_from([""] * 12 + [" ", "\ufeff", "\x00", "{", "["])
RECORDS = st.one_of(
    st.tuples(STARTS, st.one_of(OBJECTS, OBJECTS, VALUES), ENDS).map(
        lambda parts: "".join(parts).encode()
    ),
    st.tuples(OBJECTS, st.integers(0, 20), st.integers(0, 255)).map(
        lambda parts: (
            parts[0].encode()[: parts[1]] + bytes([parts[2]]) + parts[0].encode()[parts[1] :]
        )
    ),
)
TYPES: list[DataType] = [
    Primitive("int"),
    Primitive("long"),
    Primitive("double"),
    Primitive("boolean"),
    Primitive("string"),
    Primitive("string", 3),
    Primitive("float"),
    Primitive("date"),
    Primitive("timestamp"),
    Primitive("timestamptz"),
    Primitive("variant"),
    DecimalType(10, 2),
    DecimalType(30, 20),
    DecimalType(18, 0),
    ListType(Primitive("long")),
]


@settings(max_examples=3, suppress_health_check=list(HealthCheck))
@given(
    st.lists(RECORDS, min_size=150, max_size=250),
    st.sampled_from(["any", "exact"]),
    st.permutations(TYPES),
)
@example(
    [b'{"a": 1, "A": 2, "b": -0.0}', b'{"a": 1} ', b'{"a": 1}] , [2', b"{\x00", b""], "any", TYPES
)
def test_members_are_those_of_the_whole_record(
    with_functions: SparkSession, records: list[bytes], case: str, types: list[DataType]
) -> None:
    rows = [(bytearray(record),) for record in records]
    schema = StructType([StructField("given", BinaryType())])
    texts = with_functions.createDataFrame(rows, schema).selectExpr("CAST(given AS STRING) AS text")
    any_case = case == "any"
    for kind in types[:4]:
        columns = [Column("a", kind), Column("b", kind)]
        read = texts.selectExpr(
            "text", f"{read_members('text', columns, Formats(), any_case=any_case)} AS m"
        )
        whole = texts.selectExpr("text", f"{json_value('text')} AS document")
        split = whole.selectExpr("*", f"{_object_members('document')} AS entries")
        found = _loaded(
            read, columns, [member_value("m", at, kind, Formats()) for at in (0, 1)], "m.is_object"
        )
        expected = _loaded(
            split,
            columns,
            [
                FileValue(
                    _find_member("entries", column.name, any_case=any_case), SourceKind.VARIANT
                )
                for column in columns
            ],
            "CASE WHEN document IS NOT NULL THEN entries IS NOT NULL END",
        )
        assert found == expected, kind


@settings(max_examples=3, suppress_health_check=list(HealthCheck))
@given(st.lists(RECORDS, min_size=150, max_size=250))
@example(
    [
        b'{"a": 1}',
        b'{"a": 1} {"a": 2}',
        b"[1], [2]",
        b'{"a": 1, "a": 1}',
        b'{"x": {"a": 1, "a": 1}}',
    ]
)
def test_a_record_is_just_one_json_value(
    with_functions: SparkSession, records: list[bytes]
) -> None:
    texts = [record.decode(errors="replace") for record in records]
    frame = with_functions.createDataFrame([(text,) for text in texts], "text STRING")
    document = json_value("text")
    found = frame.selectExpr(f"{document} IS NOT NULL", f"to_json({document})").collect()
    assert [is_one for is_one, _ in found] == [_is_one(text) for text in texts]
    spark_reads = frame.selectExpr("to_json(try_parse_json(text))").collect()
    assert [made for is_one, made in found if is_one] == [
        row[0] for row, (is_one, _) in zip(spark_reads, found, strict=True) if is_one
    ]


def _loaded(
    frame: Any, columns: list[Column], values: list[FileValue], is_object: str
) -> list[tuple[Any, ...]]:
    """Return for each record whether it is an object, and its values and refusals as text."""
    made = [
        f"{loaded_value(column, value, Formats())} AS {quote(f'l{at}')}"
        for at, (column, value) in enumerate(zip(columns, values, strict=True))
    ]
    shown = [
        f"to_json(named_struct('v', l{at}, 'r', ({refusal(column, value, f'l{at}')})))"
        for at, (column, value) in enumerate(zip(columns, values, strict=True))
    ]
    rows = frame.selectExpr("*", *made).selectExpr(is_object, *shown).collect()
    return [tuple(row) for row in rows]


def _is_one(text: str) -> bool:
    def distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) < len(pairs):
            raise ValueError
        return dict(pairs)

    def refuse(name: str) -> None:
        raise ValueError(name)

    try:
        json.loads(text, object_pairs_hook=distinct, parse_constant=refuse)
    except ValueError:
        return False
    return True


def _object_members(document: str) -> str:
    """Return a JSON object's members as an array of (key, value), NULL where it is no object."""
    return f"map_entries(try_cast({document} AS MAP<STRING, VARIANT>))"


def _find_member(entries: str, name: str, *, any_case: bool) -> str:
    """Return the value of a member by name, NULL if there is none.

    Args:
        entries: the members, from `_object_members`.
        name: the member's name.
        any_case: whether the case of the name is ignored.
    """
    key = "lower(e.key)" if any_case else "e.key"
    wanted = text_literal(name.lower() if any_case else name)
    return f"get(filter({entries}, e -> {key} = {wanted}), 0).value"
