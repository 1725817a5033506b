"""Which orders tell all rows apart, by the key a of a table t(a, b, c) or by groups."""

from __future__ import annotations

import pytest

from icemelt.algebra.uniqueness import is_unique
from icemelt.schema import Primitive
from icemelt.sql.parse import lower

_LONG = Primitive("long")


def _are_total(query: str) -> bool:
    found = lower(query, lambda _: {"a": _LONG, "b": _LONG, "c": _LONG})
    assert found.orderings
    return all(
        is_unique(each.relation, each.columns, lambda _, names: "a" in names)
        for each in found.orderings
    )


@pytest.mark.parametrize(
    "query",
    [
        "SELECT b FROM t ORDER BY c DESC NULLS LAST, a LIMIT 3 OFFSET 2",
        "SELECT TOP 3 a AS x FROM t WHERE b > 1 ORDER BY 1",
        "SELECT a FROM t ORDER BY t.a OFFSET 1 ROW FETCH NEXT 2 ROWS ONLY",
        "SELECT b FROM t ORDER BY a + b, a LIMIT 2",
        "SELECT b, SUM(a) AS s FROM t GROUP BY b ORDER BY SUM(a) DESC, b LIMIT 2",
        "SELECT b, c, SUM(a) AS s FROM t GROUP BY ALL ORDER BY s, c, b LIMIT 2",
        "SELECT COUNT(*) AS n FROM t ORDER BY n LIMIT 1",
        "SELECT DISTINCT b, c FROM t ORDER BY c, b LIMIT 2",
        "(SELECT b FROM t) UNION (SELECT c FROM t) ORDER BY 1 LIMIT 3",
        "SELECT b, a FROM t EXCEPT ALL SELECT b, c FROM t ORDER BY a LIMIT 3",
        "SELECT t.a FROM t JOIN t u ON t.b = u.a ORDER BY t.a LIMIT 2",
        "SELECT t.b FROM t JOIN t u ON t.b = u.a ORDER BY t.a LIMIT 2",
        "SELECT t.a, u.b FROM t LEFT JOIN t u ON t.b = u.b ORDER BY t.a, u.a LIMIT 2",
        "SELECT t.a, u.b FROM t RIGHT JOIN t u ON t.b = u.b ORDER BY t.a, u.a LIMIT 2",
        "SELECT a FROM t WHERE b IN (SELECT b FROM t ORDER BY a LIMIT 1)",
        "SELECT a, (SELECT u.b FROM t u WHERE u.b = t.b ORDER BY u.a LIMIT 1) AS f FROM t",
        "SELECT a FROM (SELECT a FROM t ORDER BY a LIMIT 5) ORDER BY a DESC LIMIT 2",
        "VALUES (1) ORDER BY 1 LIMIT 1",
    ],
)
def test_an_order_with_a_key_is_total(query: str) -> None:
    assert _are_total(query)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT b FROM t ORDER BY b LIMIT 3",
        "SELECT a + 1 AS a FROM t ORDER BY a LIMIT 3",
        "SELECT CAST(a AS INT) AS a FROM t ORDER BY a LIMIT 3",
        "SELECT b, SUM(a) AS s FROM t GROUP BY b ORDER BY s LIMIT 2",
        "SELECT b, c, SUM(a) AS s FROM t GROUP BY b, c ORDER BY s, b LIMIT 2",
        "SELECT b, c, SUM(a) AS s FROM t GROUP BY ROLLUP (b, c) ORDER BY b, c LIMIT 3",
        "(SELECT a FROM t) UNION ALL (SELECT a FROM t) ORDER BY 1 LIMIT 3",
        "SELECT t.a FROM t JOIN t u ON t.b = u.b ORDER BY t.a LIMIT 2",
        "SELECT t.a FROM t LEFT JOIN t u ON t.b = u.a ORDER BY u.a LIMIT 2",
        "SELECT t.a FROM t FULL JOIN t u ON t.a = u.a ORDER BY t.a, u.a LIMIT 2",
        "SELECT a FROM (SELECT a, b FROM t ORDER BY b LIMIT 5) ORDER BY a LIMIT 2",
        "VALUES (1), (2) ORDER BY 1 LIMIT 1",
    ],
)
def test_an_order_without_one_is_not_known_to_be_total(query: str) -> None:
    assert not _are_total(query)
