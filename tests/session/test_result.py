"""A result is fetched row by row, in parts, or whole, and shows itself without running anything."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from icemelt.session.session import Session

NUMBERS = "SELECT n FROM (VALUES (1), (2), (3), (4), (5)) AS v (n) ORDER BY n"
ALL = [(1,), (2,), (3,), (4,), (5,)]


def test_rows_are_fetched_one_after_the_other_to_the_end(session: Session) -> None:
    result = session.sql(NUMBERS)
    found = []
    while (row := result.fetchone()) is not None:
        found.append(row)
    assert found == ALL
    assert (result.fetchone(), result.fetchmany(3)) == (None, [])


def test_parts_go_on_from_one_another(session: Session) -> None:
    result = session.sql(NUMBERS)
    assert result.fetchmany() == [(1,)]
    assert result.fetchmany(2) == [(2,), (3,)]
    assert result.fetchone() == (4,)
    assert (result.fetchmany(0), result.fetchmany(9), result.fetchmany(9)) == ([], [(5,)], [])


def test_all_rows_are_there_whatever_was_fetched_before(session: Session) -> None:
    result = session.sql(NUMBERS)
    assert (result.head(2), result.fetchone()) == ([(1,), (2,)], (1,))
    assert (result.fetchall(), list(result), list(result)) == (ALL, ALL, ALL)
    assert (result.fetchone(), result.to_arrow().num_rows) == ((2,), 5)


def test_rows_of_show_and_of_what_statements_say_are_fetched_alike(session: Session) -> None:
    session.sql("CREATE TABLE a (n INT)")
    session.sql("CREATE TABLE b (n INT)")
    shown = session.sql("SHOW TERSE TABLES")
    assert [shown.fetchone(), shown.fetchone(), shown.fetchone()] == [*shown.fetchall(), None]


def test_a_result_describes_itself_without_running(session: Session) -> None:
    failing = session.sql("SELECT raise_error('it ran') AS a, 1::BIGINT AS b")
    assert repr(failing) == f"<Result (a, b) of statement {failing.statement_id!r}>"
    assert failing.description[1] == ("b", "BIGINT", None, None, None, None, None)
    assert [each[:2] for each in session.sql("SHOW TABLES").description][1][0] == "name"


@pytest.mark.parametrize(
    ("query", "parameters", "rows"),
    [
        ("SELECT ARRAY_CONSTRUCT()", None, [([],)]),
        ("SELECT [] AS a, 1 AS a", None, [([], 1)]),
        ("SELECT [[]]", None, [([[]],)]),
        ("SELECT [NULL]", None, [([None],)]),
        ("SELECT [] WHERE FALSE", None, []),
        ("SELECT ?", [[]], [([],)]),
        ("SELECT ?", [[[], [None]]], [([[], [None]],)]),
        ("SELECT :a", {"a": []}, [([],)]),
    ],
)
def test_arrays_without_a_type(
    session: Session, query: str, parameters: Any, rows: list[tuple[Any, ...]]
) -> None:
    result = session.sql(query, parameters)
    assert result.fetchall() == rows
    table = session.sql(query, parameters).to_arrow()
    assert isinstance(table, pa.Table)
    assert table.num_rows == len(rows)
    assert len(session.sql(query, parameters).to_pandas()) == len(rows)
