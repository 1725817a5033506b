"""Subqueries as joins: what they are bound by, and what is read for it."""

from __future__ import annotations

import pytest

from icemelt.algebra.nodes import Distinct, Join, JoinKind, Relation, explain, leaves
from icemelt.schema import Primitive
from icemelt.sql.parse import lower

_LONG = Primitive("long")


def _lowered(query: str) -> Relation:
    return lower(query, lambda _: {"a": _LONG, "b": _LONG}).relation


def _of(kind: type, relation: Relation) -> list[Relation]:
    below = [found for each in relation.inputs for found in _of(kind, each)]
    return [relation, *below] if isinstance(relation, kind) else below


def _reads(relation: Relation) -> int:
    return len(list(leaves(relation)))


@pytest.mark.parametrize(
    "query",
    [
        "SELECT a, (SELECT COUNT(*) FROM t u WHERE u.a = t.a) AS n FROM t",
        "SELECT a FROM t WHERE EXISTS (SELECT 1 FROM t u WHERE u.a > t.a)",
        "SELECT a FROM t WHERE a NOT IN (SELECT b FROM t u WHERE u.a > t.a)",
        "SELECT t.a, q.b FROM t LEFT JOIN LATERAL (SELECT b FROM t u WHERE u.a > t.a) q",
        "SELECT t.a, u.b FROM t LEFT JOIN t u ON t.a = u.a AND u.b IN (SELECT b FROM t)",
    ],
)
def test_what_can_be_joined_as_it_is_reads_nothing_twice(query: str) -> None:
    relation = _lowered(query)
    assert not _of(Distinct, relation)
    assert _reads(relation) == query.count("FROM t") + query.count("JOIN t ")


@pytest.mark.parametrize(
    "query",
    [
        "SELECT a, (SELECT MAX(b) FROM t u WHERE u.a > t.a) AS m FROM t",
        "SELECT a FROM t WHERE b = 1 OR EXISTS (SELECT 1 FROM t u WHERE u.a > t.a)",
        "SELECT t.a FROM t, LATERAL (SELECT COUNT(*) AS n FROM t u WHERE u.a = t.a) q",
    ],
)
def test_others_are_run_for_the_values_around_them(query: str) -> None:
    relation = _lowered(query)
    assert any(isinstance(each, Join) and each.null_safe for each in _of(Join, relation))
    assert {explain(each) for each in _of(Distinct, relation)} == {
        "Distinct\n  Project (#0)\n    Scan __icemelt_0__(a, b)"
    }


def test_values_are_read_below_joins_that_keep_them() -> None:
    one = "(SELECT MAX(b) FROM t u WHERE u.a > {}.a)"
    several = ", ".join(f"{one.format('x')} + {number} AS m{number}" for number in range(6))
    relation = _lowered(f"SELECT {several} FROM t x, t y WHERE x.b > 1")
    for each in _of(Distinct, relation):
        assert _reads(each) == 1


def test_a_condition_on_a_lateral_join_holds_between_no_nulls() -> None:
    lateral = "LATERAL (SELECT COUNT(*) AS n, MAX(b) AS b FROM t u WHERE u.a > t.a) q"
    relation = _lowered(f"SELECT t.a FROM t, {lateral} WHERE t.b = q.b")
    (top,) = [
        each for each in _of(Join, relation) if isinstance(each, Join) and each.residual is not None
    ][:1]
    assert top.null_safe
    assert len(top.equalities) == 1
    assert str(top.residual) == "#1 = #3"


@pytest.mark.parametrize(
    ("condition", "kind"),
    [
        ("b < (SELECT 0.2 * AVG(b) FROM t u WHERE u.a = t.a)", JoinKind.INNER),
        ("b + 1 <> (SELECT MAX(b) FROM t u WHERE u.a = t.a)", JoinKind.INNER),
        ("b < (SELECT COUNT(*) FROM t u WHERE u.a = t.a)", JoinKind.LEFT),
        ("b < NVL((SELECT MAX(b) FROM t u WHERE u.a = t.a), 1)", JoinKind.LEFT),
        ("b = 1 OR b < (SELECT MAX(b) FROM t u WHERE u.a = t.a)", JoinKind.LEFT),
        ("(b < (SELECT MAX(b) FROM t u WHERE u.a = t.a)) IS NULL", JoinKind.LEFT),
        (
            "((SELECT MAX(b) FROM t u WHERE u.a = t.a) IN (SELECT b FROM t u)) = FALSE",
            JoinKind.LEFT,
        ),
    ],
)
def test_a_comparison_keeps_no_row_without_the_value(condition: str, kind: JoinKind) -> None:
    found = _of(Join, _lowered(f"SELECT a FROM t WHERE {condition}"))
    kinds = [each.kind for each in found if isinstance(each, Join) and each.equalities]
    assert kind in kinds
    assert (JoinKind.LEFT in kinds) == (kind is JoinKind.LEFT)
