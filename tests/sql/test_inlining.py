"""Columns that repeat each other from query to query stand behind barriers, and no others do."""

from __future__ import annotations

import pytest
from sql.tables import columns_of

from icemelt.errors import NotYet
from icemelt.spark_sql.rendering import render_relation
from icemelt.sql.parse import lower, parse_statement
from icemelt.sql.statements import Insert, RowLevel, Select

BARRIER = "IF(spark_partition_id() >= 0"
CASE = "CASE WHEN id > 1 THEN id ELSE 0 END"


def nested(depth: int, value: str = "id + id", behind: str = "") -> str:
    query = "SELECT id FROM t"
    for at in range(depth):
        query = f"SELECT {value} AS id FROM ({query}) AS s{at}{behind}"
    return f"SELECT id FROM ({query}) AS z WHERE id > 1"


def chain(depth: int, value: str = CASE) -> str:
    steps = [f"c{at + 1} AS (SELECT {value} AS id FROM c{at})" for at in range(depth)]
    return f"WITH {', '.join(['c0 AS (SELECT id FROM t)', *steps])} SELECT id FROM c{depth}"


def text_of(query: str) -> str:
    match parse_statement(query, None, columns_of):
        case Select(query=read) | Insert(query=read):
            return read.text
        case RowLevel(text=text):
            return text
        case other:
            raise AssertionError(other)


@pytest.mark.parametrize("value", ["id + id", CASE, "NVL(id + id, 0)"])
def test_each_doubling_of_a_doubled_column_ends_at_a_barrier(value: str) -> None:
    for query in (nested, chain):
        counts = [text_of(query(depth, value)).count(BARRIER) for depth in (7, 8, 16, 30)]
        assert counts == [0, 1, 2, 3]


def test_a_column_that_is_named_once_in_each_query_has_no_barrier() -> None:
    assert BARRIER not in text_of(nested(40, "id + 1"))


def test_an_expression_that_is_written_out_has_no_barrier() -> None:
    whens = " ".join(f"WHEN id = {at} THEN 'n{at}'" for at in range(300))
    wide = f"SELECT CASE {whens} END AS name FROM t"
    assert BARRIER not in text_of(f"SELECT UPPER(name) AS u FROM ({wide}) q WHERE name = 'n1'")


def test_functions_count_as_often_as_their_text_names_the_argument() -> None:
    value = "RATIO_TO_REPORT(id) OVER ()"
    assert text_of(nested(30, value)).count(BARRIER) == 3


@pytest.mark.parametrize(
    "step",
    [
        "SELECT i + i AS i FROM (SELECT id FROM ({0}) q) q(i)",
        "SELECT id + id FROM ({0}) q UNION ALL SELECT 1 FROM u",
        "SELECT id + id AS id, b FROM (SELECT *, 1 AS b FROM ({0}) q) r",
        "SELECT DISTINCT x.id + x.id AS id FROM ({0}) x JOIN u ON x.id > u.id",
        "SELECT b + 1 AS id FROM (SELECT id AS a, a + a AS b FROM ({0}) q) r",
    ],
)
def test_weights_pass_through_aliases_stars_joins_and_set_operations(step: str) -> None:
    query = "SELECT id FROM t"
    for _ in range(12):
        query = (
            f"SELECT * FROM ({step.format(query)}) AS s(id)"
            if "b FROM" not in step
            else (f"SELECT id FROM ({step.format(query)}) AS s")
        )
    assert 1 <= text_of(query).count(BARRIER) <= 12


def test_a_condition_that_names_heavy_columns_often_gets_a_barrier() -> None:
    query = f"SELECT id FROM ({nested(6)}) y WHERE {' OR '.join(['id = 1'] * 10)}"
    assert text_of(query).count(BARRIER) == 1


def test_what_is_written_of_such_queries_has_barriers() -> None:
    assert BARRIER in text_of(f"INSERT INTO target (id) {nested(8)}")
    merge = f"MERGE INTO target USING ({nested(8)}) q ON target.id = q.id WHEN MATCHED THEN DELETE"
    assert BARRIER in text_of(merge)
    assert BARRIER in text_of(f"UPDATE target SET n = q.id FROM ({nested(8)}) q")


@pytest.mark.parametrize(
    "query",
    [
        f"DELETE FROM target USING ({nested(14)}) q WHERE target.id = q.id",
        f"DELETE FROM target WHERE id IN ({nested(14)})",
        f"SELECT q.id FROM u, LATERAL ({nested(14)}) q",
        nested(14, behind=" GROUP BY 1"),
    ],
)
def test_where_spark_takes_no_barrier_such_columns_are_refused(query: str) -> None:
    with pytest.raises(NotYet, match="its columns repeat each other"):
        parse_statement(query, None, columns_of)


def test_lateral_does_not_read_a_query_of_with_that_has_barriers() -> None:
    query = chain(14).replace(
        "SELECT id FROM c14", "SELECT q.id FROM u, LATERAL (SELECT * FROM c14) q"
    )
    with pytest.raises(NotYet, match="LATERAL reads a query of WITH"):
        parse_statement(query, None, columns_of)


@pytest.mark.parametrize("value", ["id + id", CASE])
def test_algebra_is_rendered_with_barriers(value: str) -> None:
    texts = [
        render_relation(lower(nested(depth, value), columns_of).relation, lambda _leaf: "t")
        for depth in (7, 16, 30)
    ]
    assert [text.count(BARRIER) for text in texts] == [0, 2, 3]
    assert len(texts[2]) < 3_000
