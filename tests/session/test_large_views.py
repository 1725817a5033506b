"""Views of many joins and long lists: their changes are told, and nothing overflows."""

from __future__ import annotations

import pytest

from icemelt.session.session import Session

_MANY = 50


def _changes(session: Session, view: str, since: str, start: str = "SELECT *") -> list[tuple]:
    return session.sql(f"{start} FROM {view} CHANGES AT (STATEMENT => '{since}')").fetchall()


def _star(session: Session) -> None:
    """Make a view that joins rows to one table fifty times."""
    session.sql("CREATE TABLE facts (id INT, k INT)")
    session.sql("CREATE TABLE names (k INT, name VARCHAR)")
    session.sql("INSERT INTO names VALUES (1, 'one'), (2, 'two')")
    session.sql("INSERT INTO facts VALUES (1, 1), (2, 2)")
    joins = " ".join(f"JOIN names n{at} ON n{at}.k = f.k" for at in range(_MANY))
    session.sql(
        f"CREATE VIEW star AS SELECT f.id, n0.name, n{_MANY - 1}.name AS again FROM facts f {joins}"
    )


@pytest.mark.slow
def test_of_fifty_joins_with_one_table_that_changed_the_derivative_is_read(
    session: Session,
) -> None:
    _star(session)
    start = session.sql("INSERT INTO facts VALUES (3, 3)").statement_id
    session.sql("INSERT INTO facts VALUES (4, 2)")
    lines = [row[0] for row in _changes(session, "star", start, "EXPLAIN SELECT *")]
    assert lines[1] == "  plan: the query's derivative"
    assert [row[:4] for row in _changes(session, "star", start)] == [(4, "two", "two", "INSERT")]


@pytest.mark.slow
def test_past_the_planning_budget_both_ends_are_read_and_explain_says_so(session: Session) -> None:
    _star(session)
    start = session.sql("DELETE FROM facts WHERE id = 1").statement_id
    session.sql("UPDATE names SET name = 'TWO' WHERE k = 2")
    lines = [row[0] for row in _changes(session, "star", start, "EXPLAIN SELECT *")]
    assert lines[1:3] == [
        "  plan: both ends, subtracted",
        "    the derivative would take longer to plan",
    ]
    found = sorted(row[:5] for row in _changes(session, "star", start))
    assert found == [
        (2, "TWO", "TWO", "INSERT", True),
        (2, "two", "two", "DELETE", True),
    ]


def test_lists_of_ten_thousand_values(session: Session) -> None:
    session.sql("CREATE TABLE t (id INT, k INT)")
    values = ", ".join(str(at * 3) for at in range(10_000))
    session.sql(
        f"CREATE VIEW some AS SELECT k, count(*) AS n FROM t WHERE id IN ({values}) GROUP BY k"
    )
    start = session.sql("INSERT INTO t VALUES (0, 1), (1, 1), (29997, 2)").statement_id
    session.sql("INSERT INTO t VALUES (3, 1), (4, 1)")
    rows = [(1, 1, "DELETE", True), (1, 2, "INSERT", True)]
    assert sorted(row[:4] for row in _changes(session, "some", start)) == rows
    session.sql("CREATE STREAM s ON VIEW some")
    session.sql("DELETE FROM t WHERE id = 29997")
    assert [row[:3] for row in session.sql("SELECT * FROM s").fetchall()] == [(2, 1, "DELETE")]
