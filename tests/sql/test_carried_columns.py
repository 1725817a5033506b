"""Columns of outer rows that Spark does not reach: carried where that is right, else refused."""

from __future__ import annotations

import pytest

from icemelt.errors import NotYet
from icemelt.schema import Primitive
from icemelt.sql.parse import lower, parse_statement

_LONG = Primitive("long")
_FURTHER_OUT = "EXISTS (SELECT 1 FROM t o WHERE o.a > t.a)"


@pytest.mark.parametrize(
    ("query", "place"),
    [
        (
            f"SELECT a FROM t WHERE EXISTS (SELECT b FROM t u GROUP BY b HAVING {_FURTHER_OUT})",
            "above the groups",
        ),
        (
            "SELECT (SELECT COUNT(*) + (SELECT MAX(b) FROM t o WHERE o.a > t.a) FROM t u) FROM t",
            "above the groups",
        ),
        (
            f"SELECT a FROM t WHERE EXISTS (SELECT 1 FROM t u RIGHT JOIN t v ON {_FURTHER_OUT})",
            "RIGHT JOIN",
        ),
        (
            f"SELECT a FROM t WHERE EXISTS (SELECT {{*}} AS o FROM t u WHERE {_FURTHER_OUT})",
            "a star in a function",
        ),
        ("SELECT (SELECT SUM(t.a) FROM t u) FROM t", "of the query around it alone"),
    ],
)
def test_what_a_carrier_would_change_is_refused(query: str, place: str) -> None:
    with pytest.raises(NotYet) as refused:
        lower(query, lambda _: {"a": _LONG, "b": _LONG})
    assert place in refused.value.message
    assert refused.value.hint


@pytest.mark.parametrize(
    "query",
    [
        "SELECT a FROM t WHERE EXISTS (SELECT 1 FROM t u WHERE u.a = t.a)",
        "SELECT a FROM t WHERE EXISTS (SELECT u.a FROM t u GROUP BY u.a HAVING SUM(t.b) > 1)",
        "SELECT (SELECT SUM(u.b) FROM t u WHERE u.a = t.a) FROM t",
        "SELECT TRANSFORM(ARRAY_CONSTRUCT(1), a -> a + 1) FROM t",
    ],
)
def test_what_spark_reaches_has_no_carrier(query: str) -> None:
    statement = parse_statement(query, columns_of=lambda _: {"a": _LONG, "b": _LONG})
    assert "CROSS JOIN" not in str(statement)
