"""The laws of patterns: LIKE is what its definition says, and RE2's engines give one answer."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from icemelt.errors import QueryError
from icemelt.ingest.json_text import _validate_brackets
from icemelt.names import find_nearest
from icemelt.patterns import compile_matcher, is_like
from icemelt.session.runtime.spark_errors import _explain
from icemelt.session.runtime.storage_errors import _path
from icemelt.sql.spark.formats import is_number_format

TEXTS = st.text("abA\n🜁", max_size=12)
LIKES = st.text("abA%_\\\n🜁", max_size=8)
HOSTILE = 2_000_000

SUBJECTS = st.text("ab1.\n", max_size=8)

# simple and others: repeated groups, which java.util.regex is not asked for
ATOMS = st.sampled_from(["a", "b", "[ab]", "[^a]", ".", r"\d", r"\.", "^", "$", "1", "[a-c1]"])
EXPRESSIONS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map(lambda two: f"(?:{two[0]}|{two[1]})"),
        st.tuples(inner, st.sampled_from(["?", "*", "+", "*?", "{1,2}", "{2}"])).map(
            lambda two: f"(?:{two[0]}){two[1]}"
        ),
        st.tuples(ATOMS.filter(lambda atom: atom not in "^$"), st.sampled_from("?*+")).map("".join),
        inner.map(lambda one: f"({one})"),
    ),
    max_leaves=6,
)


def _slow_like(text: str, pattern: str, escape: str) -> bool:
    """The definition of LIKE: each % is tried with each length."""
    if not pattern:
        return not text
    first, rest = pattern[0], pattern[1:]
    if first == escape and rest:
        return text[:1].lower() == rest[0].lower() != "" and _slow_like(text[1:], rest[1:], escape)
    if first == "%":
        return any(_slow_like(text[at:], rest, escape) for at in range(len(text) + 1))
    fits = bool(text) and (first == "_" or text[0].lower() == first.lower())
    return fits and _slow_like(text[1:], rest, escape)


THREE = """struct(
    icemelt_regexp_like(_1, _2, ''),
    icemelt_regexp_substr(_1, _2, 1, 1, '', 0),
    icemelt_regexp_instr(_1, _2, 1, 1, 0, '', 0)
)"""


@settings(max_examples=500)
@given(TEXTS, LIKES, st.sampled_from(["", "\\"]))
@example("\\", "\\", "\\")
def test_like_is_what_it_is_defined_as(text: str, pattern: str, escape: str) -> None:
    assert is_like(text, pattern, escape=escape) == _slow_like(text, pattern, escape)


@settings(max_examples=3, suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(TEXTS, LIKES, st.booleans()), min_size=150, max_size=200))
def test_sparks_side_likes_the_same(
    with_functions: SparkSession, cases: list[tuple[str, str, bool]]
) -> None:
    rows = [
        (text, pattern, "i\\" if escaped else "i")
        for text, pattern, escaped in cases
        # Spark refuses an escape before another character
        if not escaped or re.fullmatch(r"(?:[^\\]|\\[\\%_])*", pattern, re.DOTALL)
    ]
    found = _computed(with_functions, "icemelt_like(_1, _2, _3)", rows)
    assert found == [_slow_like(text, pattern, way[1:]) for text, pattern, way in rows]


@settings(max_examples=3, suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(EXPRESSIONS, SUBJECTS), min_size=150, max_size=200))
def test_regular_expressions_match_as_pythons_do(
    with_functions: SparkSession, cases: list[tuple[str, str]]
) -> None:
    rows = [(text, pattern) for pattern, text in cases if _is_alike(pattern)]
    matches = [re.search(_python(pattern), text) for text, pattern in rows]
    wholes = [re.fullmatch(_python(pattern), text) is not None for text, pattern in rows]
    found = [tuple(row) for row in _computed(with_functions, THREE, rows)]
    assert found == [
        (whole, None, 0) if match is None else (whole, match.group(), match.start() + 1)
        for whole, match in zip(wholes, matches, strict=True)
    ]
    assert [compile_matcher(pattern)(text) for text, pattern in rows] == wholes


def _python(pattern: str) -> str:
    """$ is the end alone in RE2, and before a last line's end in Python."""
    return pattern.replace("$", r"\Z")


def _is_alike(pattern: str) -> bool:
    """Tell whether nothing that may be empty is repeated: there Python's choices are its own."""
    return not any(
        re.fullmatch(_python(group), "") or "^" in group or "$" in group
        for group in _repeated_groups(pattern)
    )


def _repeated_groups(pattern: str) -> list[str]:
    groups, open_at = [], []
    for at, character in enumerate(pattern):
        if character == "(" and pattern[at - 1 : at] != "\\":
            open_at.append(at)
        elif character == ")" and pattern[at - 1 : at] != "\\":
            begin = open_at.pop()
            if pattern[at + 1 : at + 2] in tuple("?*+{"):
                groups.append(pattern[begin : at + 1])
    return groups


def _computed(spark: SparkSession, expression: str, rows: list[tuple[str, ...]]) -> list[Any]:
    frame = spark.createDataFrame([(*row, at) for at, row in enumerate(rows)]).coalesce(1)
    at = frame.columns[-1]
    return [row[0] for row in frame.orderBy(at).selectExpr(expression).collect()] if rows else []


@pytest.mark.parametrize(
    "work",
    [
        lambda: is_like("a" * HOSTILE, "%a%a%a%a%a%b"),
        lambda: is_like("a" * 200, "%a" * 90 + "b"),
        lambda: compile_matcher("(a+)+b")("a" * HOSTILE),
        lambda: compile_matcher("(a|b)*" * 160)("ab" * 2000),
        lambda: _path("/" * HOSTILE),
        lambda: _path("a" * HOSTILE + ":/x"),
        lambda: _explain("", {}, "No such file or directory " + "/" * HOSTILE),
        lambda: _explain("", {}, "non-nullable field:\n" * (HOSTILE // 20)),
        lambda: _explain("", {}, "MALFORMED_RECORD_IN_PARSING detected in record parsing: " * 9999),
        lambda: _validate_brackets('"' + '\\"' * HOSTILE),
        lambda: is_number_format("0" * HOSTILE + "Z"),
        lambda: find_nearest("".join(map(chr, range(200, 400))) * 5000, ["x" * HOSTILE]),
    ],
)
def test_what_is_made_to_hurt_ends_at_once(work: Callable[[], object]) -> None:
    begin = time.process_time()
    work()
    assert time.process_time() - begin < 4


@pytest.mark.parametrize("pattern", ["(?=a)b", r"(a)\1", "(", "a{1001}", "a" * 1001, "\ud800"])
def test_what_re2_has_not_is_refused(pattern: str) -> None:
    with pytest.raises(QueryError):
        compile_matcher(pattern)


def test_a_file_whose_name_is_no_text_is_matched() -> None:
    assert compile_matcher(".*[.]csv")("a\udcff.csv")


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("x\nat file:/l/a b.parquet is", "file:/l/a b.parquet"),
        ("at /l/a.parquet.avro", "/l/a.parquet"),
        ("no /file of ours\ns3a://b/c.metadata.json", "s3a://b/c.metadata.json"),
        (": /x.orc", "/x.orc"),
        ("a.orc", None),
    ],
)
def test_a_file_is_found_in_a_text(text: str, path: str | None) -> None:
    assert _path(text) == path
