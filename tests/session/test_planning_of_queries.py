"""Queries of many queries in WITH, and of views over one another: their rows, plans and changes."""

from __future__ import annotations

from typing import Any

import pytest

from icemelt import Session
from icemelt.errors import IcemeltError

LEVELS = (
    "SELECT * FROM {below} WHERE v > -{at}",
    "SELECT id, g, v + 1 AS v FROM {below}",
    "SELECT id, MAX(g) AS g, SUM(v) AS v FROM {below} GROUP BY id",
)
_ROWS = [(1, 1, 1), (2, 1, 2), (3, 2, 3)]


@pytest.fixture
def rows_of_t(session: Session) -> Session:
    """A session with a table t(id, g, v)."""
    session.sql("CREATE TABLE t (id INT, g INT, v INT)")
    session.sql("INSERT INTO t VALUES (1, 1, 1), (2, 1, 2), (3, 2, 3)")
    return session


def chain(number: int, levels: tuple[str, ...] = LEVELS) -> str:
    """Return a query of WITH queries, each over the one before."""
    above = [
        f"c{at} AS ({levels[at % len(levels)].format(below=f'c{at - 1}', at=at)})"
        for at in range(1, number + 1)
    ]
    return f"WITH {', '.join(['c0 AS (SELECT * FROM t)', *above])} SELECT * FROM c{number}"


def nested(number: int) -> str:
    """Return the query of `chain` without WITH."""
    text = "SELECT * FROM t"
    for at in range(1, number + 1):
        text = LEVELS[at % len(LEVELS)].format(below=f"({text})", at=at)
    return text


def twice(number: int, first: str = "SELECT * FROM t") -> str:
    """Return a query of WITH queries, each of which reads the one before twice."""
    above = [
        f"c{at} AS (SELECT a.id, b.g, a.v FROM c{at - 1} a JOIN c{at - 1} b ON a.id = b.id)"
        for at in range(1, number + 1)
    ]
    return f"WITH {', '.join([f'c0 AS ({first})', *above])} SELECT * FROM c{number}"


def rows(session: Session, query: str) -> list[tuple[Any, ...]]:
    return sorted(map(tuple, session.sql(query).fetchall()))


def temporary_views(session: Session) -> set[str]:
    return {table.name for table in session.spark.catalog.listTables() if table.isTemporary}


def test_forty_queries_have_the_rows_of_one_without_with(rows_of_t: Session) -> None:
    assert rows(rows_of_t, chain(40)) == rows(rows_of_t, nested(40))


def test_two_hundred_queries_over_one_another_are_planned(rows_of_t: Session) -> None:
    assert len(rows_of_t.sql(f"EXPLAIN {chain(200)}").fetchall()) > 200


def test_two_hundred_queries_over_one_another_run(rows_of_t: Session) -> None:
    # each group takes a page of memory in every task
    levels = (*LEVELS[:2] * 10, LEVELS[2])
    projections = sum(at % len(levels) % 2 == 1 for at in range(1, 201))
    assert rows(rows_of_t, chain(200, levels)) == [(i, g, v + projections) for i, g, v in _ROWS]


def test_queries_that_read_each_other_twice_are_computed_once(rows_of_t: Session) -> None:
    assert rows(rows_of_t, twice(60)) == _ROWS


def test_no_temporary_view_outlives_its_statement(rows_of_t: Session) -> None:
    before = temporary_views(rows_of_t)
    rows(rows_of_t, twice(20))
    rows_of_t.sql(f"EXPLAIN {twice(20)}").fetchall()
    with pytest.raises(IcemeltError, match="nowhere"):
        rows(rows_of_t, chain(20).replace("SELECT * FROM t", "SELECT id, g, nowhere AS v FROM t"))
    assert temporary_views(rows_of_t) == before


def test_a_filter_around_many_queries_leaves_files_out(rows_of_t: Session) -> None:
    rows_of_t.sql("INSERT INTO t VALUES (100, 1, 1)")
    filters = chain(40, ("SELECT id, g, v FROM {below} WHERE v > -{at}",))
    [plan] = [
        "\n".join(line for (line,) in rows_of_t.sql(f"EXPLAIN EXTENDED {text}").fetchall())
        for text in [f"{filters} WHERE id = 100"]
    ]
    assert "id = 100" in plan
    assert plan.count("BatchScan") == 1


def test_explain_shows_the_plan_of_rows_that_are_computed_once(rows_of_t: Session) -> None:
    lines = [line for (line,) in rows_of_t.sql(f"EXPLAIN EXTENDED {twice(12)}").fetchall()]
    named = [line for line in lines if line.startswith("Kept rows")]
    assert named == [f"Kept rows {number}" for number in range(1, len(named) + 1)]
    assert any("BatchScan" in line for line in lines[lines.index("Kept rows 1") :])
    assert len(lines) < 400


def test_two_readings_of_random_values_are_equal(rows_of_t: Session) -> None:
    drawn = twice(3, first="SELECT id, g, RANDOM() AS v FROM t")
    last = drawn.replace("SELECT * FROM c3", "SELECT COUNT(*) FROM c3 a JOIN c1 b USING (id) WHERE "
                         "a.v <> b.v")  # fmt: skip
    assert rows(rows_of_t, last) == [(0,)]


def test_a_query_with_two_columns_of_one_name_is_no_error(rows_of_t: Session) -> None:
    both = "d AS (SELECT a.*, b.id FROM t a JOIN t b ON a.id = b.id)"
    text = f"{chain(9)} WHERE EXISTS (SELECT 1 AS one FROM d)".replace("WITH", f"WITH {both},")
    assert len(rows(rows_of_t, text)) == 3


def test_the_error_of_a_stage_is_that_of_the_whole_query(rows_of_t: Session) -> None:
    with pytest.raises(IcemeltError, match="'missing' does not exist"):
        rows(rows_of_t, chain(9).replace("SELECT * FROM t", "SELECT t.*, missing FROM t"))


def test_statements_write_the_rows_of_many_queries(rows_of_t: Session) -> None:
    rows_of_t.sql(f"CREATE TABLE copy AS {chain(12)}")
    rows_of_t.sql(f"INSERT INTO copy {chain(12)}")
    assert rows(rows_of_t, "SELECT * FROM copy") == sorted(2 * rows(rows_of_t, chain(12)))


@pytest.mark.parametrize("text", [chain(40), twice(12), twice(40)])
def test_a_view_over_many_queries_has_their_rows_and_changes(rows_of_t: Session, text: str) -> None:
    session = rows_of_t
    session.sql(f"CREATE VIEW w AS {text}")
    session.sql("CREATE STREAM s ON VIEW w")
    before = rows(session, "SELECT * FROM w")
    assert before == rows(session, text)
    session.sql("INSERT INTO t VALUES (4, 2, 4)")
    session.sql("UPDATE t SET v = 20 WHERE id = 2")
    session.sql("DELETE FROM t WHERE id = 3")
    changes = session.sql("SELECT id, g, v, METADATA$ACTION FROM s").fetchall()
    after = rows(session, "SELECT * FROM w")
    assert after == rows(session, text)
    gained = sorted(tuple(row)[:3] for row in changes if row[3] == "INSERT")
    lost = sorted(tuple(row)[:3] for row in changes if row[3] == "DELETE")
    assert sorted([*before, *gained]) == sorted([*after, *lost])
    assert (len(gained), len(lost)) == (2, 2)


def test_views_that_read_each_other_twice_are_computed_once(rows_of_t: Session) -> None:
    session = rows_of_t
    below = "t"
    for at in range(14):
        session.sql(f"CREATE VIEW v{at} AS SELECT a.id, b.g, a.v FROM {below} a JOIN {below} b "
                    "ON a.id = b.id")  # fmt: skip
        below = f"v{at}"
    session.sql(f"CREATE STREAM s ON VIEW {below}")
    assert rows(session, f"SELECT * FROM {below}") == _ROWS
    session.sql("INSERT INTO t VALUES (4, 2, 4)")
    assert rows(session, "SELECT id, g, v, METADATA$ACTION FROM s") == [(4, 2, 4, "INSERT")]
    assert rows(session, f"SELECT COUNT(*) FROM {below} a JOIN {below} b USING (id)") == [(4,)]
