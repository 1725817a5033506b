"""What a query may have and its changes not: each with its code, and a way out."""

from __future__ import annotations

import pytest

from icemelt.errors import Never, NotYet, UnsupportedError
from icemelt.schema import ListType, Primitive
from icemelt.sql.lowering.limits import require_total_orders
from icemelt.sql.lowering.reasons import UNSUPPORTED
from icemelt.sql.parse import lower

_LONG = Primitive("long")
_QUERIES = {
    "limit": [
        "SELECT a FROM t LIMIT 3",
        "SELECT TOP 3 a FROM t",
        "SELECT a FROM t ORDER BY a OFFSET 2",
        "SELECT a FROM (SELECT a FROM t FETCH FIRST 2 ROWS ONLY)",
        "SELECT a FROM t UNION ALL SELECT a FROM t LIMIT 1",
        "SELECT a FROM t WHERE a IN (SELECT a FROM t LIMIT 1)",
        "SELECT a FROM t ORDER BY a LIMIT 1 + 1",
        "SELECT a FROM t ORDER BY (SELECT MAX(b) FROM t), a LIMIT 1",
        "SELECT b, SUM(a) AS a FROM t GROUP BY b ORDER BY MAX(a), b LIMIT 1",
    ],
    "sample": [
        "SELECT a FROM t SAMPLE (10)",
        "SELECT a FROM (SELECT a FROM t) SAMPLE (10)",
        "SELECT t.a FROM (t JOIN t u ON t.a = u.a) SAMPLE (10)",
    ],
    "volatile": [
        "SELECT a, RANDOM() AS r FROM t",
        "SELECT a FROM t WHERE UUID_STRING() > 'a'",
        "SELECT a, CURRENT_TIMESTAMP() AS now FROM t",
        "SELECT a FROM t WHERE CURRENT_USER() = 'x'",
        "SELECT SHUFFLE(l) AS l FROM t",
    ],
    "recursion": ["WITH r AS (SELECT 1 AS a UNION ALL SELECT a + 1 FROM r) SELECT a FROM r"],
    "lateral": [
        "SELECT t.a, q.c FROM t RIGHT JOIN LATERAL (SELECT t.a + 1 AS c) q ON TRUE",
        "SELECT t.a, q.b FROM t JOIN LATERAL (SELECT a, b FROM t u WHERE u.b > t.b) q USING (a)",
        "SELECT t.a FROM t NATURAL JOIN LATERAL (SELECT u.a FROM t u WHERE u.b > t.b) q",
        "SELECT q.c FROM t LEFT JOIN LATERAL (SELECT t.a + 1 AS c) q ON q.c IN (SELECT b FROM t)",
    ],
    "pivot": [
        "SELECT * FROM t PIVOT (SUM(b) FOR a IN (1.5))",
        "SELECT * FROM t PIVOT (SUM(b), MAX(b) FOR a IN (1))",
    ],
    "unpivot": ["SELECT * FROM t UNPIVOT ((v, w) FOR n IN ((a, b)))"],
    "correlation": [
        "SELECT (WITH c AS (SELECT t.b) SELECT 1 WHERE EXISTS (SELECT b FROM c)) AS m FROM t",
    ],
    "subquery-in-join": [
        "SELECT t.a FROM t LEFT JOIN t u ON t.a = u.a AND u.b NOT IN (SELECT b FROM t)",
        "SELECT t.a FROM t LEFT JOIN t u ON u.a > 1 AND NOT (t.a = 1 OR t.b IN (SELECT a FROM t))",
        "SELECT t.a FROM t LEFT JOIN t u ON t.a = u.a AND (u.b IN (SELECT b FROM t)) = FALSE",
        "SELECT t.a FROM t FULL JOIN t u ON t.a + u.a IN (SELECT b FROM t)",
        "SELECT t.a FROM t LEFT JOIN t u ON EXISTS (SELECT 1 FROM t o WHERE o.a = t.a + u.b)",
        "SELECT t.a FROM t JOIN t u ON t.a = u.a AND (t.b NOT IN (SELECT b FROM t) OR u.b = 1)",
    ],
    "values": ["SELECT * FROM (VALUES ((SELECT 1))) AS q"],
    "sequence": [
        "SELECT f.seq FROM t, LATERAL FLATTEN(l) f",
        "SELECT * FROM t, LATERAL FLATTEN(l) f",
        "SELECT x.n FROM t LEFT JOIN LATERAL SPLIT_TO_TABLE(t.a::VARCHAR, ',') x (n, i, v)",
    ],
    "generator": ["SELECT 1 AS one FROM TABLE(GENERATOR(ROWCOUNT => 3))"],
}
# told where the session is known: a view of it has such a function, or another time zone
_ELSEWHERE = {"function"}


def _lower(query: str) -> None:
    """Lower a query over tables without keys."""
    found = lower(query, lambda _: {"a": _LONG, "b": _LONG, "l": ListType(_LONG)})
    require_total_orders(found.orderings, lambda *_: False)


@pytest.mark.parametrize(
    ("code", "query"), [(code, query) for code, several in _QUERIES.items() for query in several]
)
def test_part_of_a_query_is_refused_by_its_code(code: str, query: str) -> None:
    with pytest.raises(UnsupportedError) as refused:
        _lower(query)
    entry = UNSUPPORTED[code]
    assert f"({code})" in refused.value.message
    assert refused.value.reason == code
    assert refused.value.hint == entry.hint
    assert type(refused.value) is (Never if entry.never else NotYet)


def test_every_code_has_a_query() -> None:
    assert _QUERIES.keys() | _ELSEWHERE == UNSUPPORTED.keys()
