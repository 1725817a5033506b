"""RESULT_SCAN: whose rows are kept, up to which size, and never by a second run of a query."""

from __future__ import annotations

from pathlib import Path

import pytest

from icemelt.errors import ObjectNotFound, QueryError
from icemelt.session.runtime.kept_results import KeptResults
from icemelt.session.session import Session

SCAN = "SELECT * FROM TABLE(RESULT_SCAN(?))"
NAMES = "SELECT UUID_STRING() AS name FROM TABLE(GENERATOR(ROWCOUNT => 50))"


@pytest.fixture
def kept(session: Session) -> KeptResults:
    session._core.results.most_bytes = 100_000
    return session._core.results


def scan(session: Session, statement_id: str) -> list[tuple[object, ...]]:
    return sorted(session.sql(SCAN, [statement_id]).fetchall())


def test_rows_that_are_fetched_later_are_those_of_the_scan(session: Session) -> None:
    result = session.sql(NAMES)
    scanned = scan(session, result.statement_id)
    assert sorted(result.fetchall()) == scanned


def test_first_rows_of_a_volatile_query_are_not_computed_again(session: Session) -> None:
    result = session.sql(NAMES)
    result.head(3)
    with pytest.raises(QueryError, match="has a volatile function"):
        scan(session, result.statement_id)
    rows = result.fetchall()
    assert scan(session, result.statement_id) == sorted(rows)


def test_first_rows_are_enough_if_they_are_all(session: Session) -> None:
    result = session.sql(NAMES)
    rows = result.head(51)
    assert scan(session, result.statement_id) == sorted(rows)


def test_first_rows_of_a_query_that_is_not_volatile_are_its_beginning(session: Session) -> None:
    session.sql("CREATE TABLE t AS SELECT SEQ4() AS n FROM TABLE(GENERATOR(ROWCOUNT => 30))")
    result = session.sql("SELECT n FROM t ORDER BY n")
    assert result.head(2) == [(0,), (1,)]
    session.sql("DELETE FROM t")
    assert scan(session, result.statement_id) == [(n,) for n in range(30)]


@pytest.mark.parametrize("give_away", ["close", "to_spark", "to_reader"])
def test_rows_that_went_elsewhere_are_not_kept(session: Session, give_away: str) -> None:
    result = session.sql(NAMES)
    getattr(result, give_away)()
    with pytest.raises(ObjectNotFound, match="are not kept"):
        scan(session, result.statement_id)


def test_the_oldest_rows_give_way(session: Session, kept: KeptResults) -> None:
    wide = "SELECT REPEAT('x', 40000) AS v"
    ids = []
    for _ in range(3):
        result = session.sql(wide)
        result.fetchall()
        ids.append(result.statement_id)
    del result
    assert len(scan(session, ids[-1])) == 1
    with pytest.raises(ObjectNotFound, match="are not kept"):
        scan(session, ids[0])


def test_a_large_result_is_there_while_the_application_holds_it(
    session: Session, kept: KeptResults
) -> None:
    result = session.sql("SELECT REPEAT('x', 200000) AS v")
    rows = result.fetchall()
    assert scan(session, result.statement_id) == rows
    statement_id = result.statement_id
    del result
    with pytest.raises(ObjectNotFound, match="are not kept"):
        scan(session, statement_id)


def test_few_results_that_nobody_fetched_are_kept(session: Session) -> None:
    ids = [session.sql(f"SELECT {n} AS n").statement_id for n in range(11)]
    assert scan(session, ids[1]) == [(1,)]
    with pytest.raises(ObjectNotFound, match="are not kept"):
        scan(session, ids[0])


def test_a_listing_and_a_plan_are_results_too(session: Session, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("1\n")
    session.sql(f"CREATE STAGE s URL = '{tmp_path}'")
    listed = session.sql("LIST @s")
    assert scan(session, listed.statement_id) == listed.fetchall()
    explained = session.sql("EXPLAIN SELECT 1 AS one")
    columns = session.sql(SCAN, [explained.statement_id]).columns
    assert columns == explained.columns


def test_rows_keep_their_types(session: Session) -> None:
    result = session.sql(
        "SELECT 1::NUMBER(5, 2) AS d, '2024-01-31'::DATE AS day, TO_BINARY('FF', 'HEX') AS b, "
        "NULL AS n, '2024-01-31 12:30:00'::TIMESTAMP_NTZ AS at, ARRAY_CONSTRUCT(1) AS a, "
        "TRUE AS yes, 1.5::FLOAT AS f, OBJECT_CONSTRUCT('k', 1) AS o"
    )
    scanned = session.sql(SCAN, [result.statement_id])
    assert scanned.columns == result.columns
    assert scanned.fetchall() == result.fetchall()
    assert scanned.types == result.types
