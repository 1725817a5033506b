"""How MERGE, UPDATE and DELETE find the rows of their table, and what EXPLAIN tells of it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from icemelt import Session
from icemelt.errors import DuplicateMatch, NotYet, ValueRefused

MERGE = "MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = s.v"
WITH_INSERT = f"{MERGE} WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.v)"


@pytest.fixture
def tables(session: Session) -> Session:
    session.sql("ALTER SESSION UNSET MERGE_STRATEGY")
    session.sql("CREATE TABLE t (id BIGINT, v VARCHAR)")
    session.sql("INSERT INTO t SELECT seq8(), 'old' FROM TABLE(GENERATOR(ROWCOUNT => 200000))")
    session.sql("CREATE TABLE s (id INT, v VARCHAR)")
    session.sql("INSERT INTO s VALUES (5, 'a'), (199999, 'b'), (300000, 'c'), (NULL, 'd')")
    return session


def explained(session: Session, statement: str) -> list[str]:
    return [row[0] for row in session.sql(f"EXPLAIN {statement}").fetchall()]


def test_a_merge_by_keys_may_run_in_any_thread(tables: Session) -> None:
    tables.sql("ALTER SESSION SET MERGE_STRATEGY = KEYS")
    # of a new thread Spark knows no session
    with ThreadPoolExecutor(1) as threads:
        counts = threads.submit(lambda: tables.sql(WITH_INSERT).fetchall()).result()
    assert counts == [(2, 2)]


def test_a_large_table_is_merged_by_the_keys_of_its_source(tables: Session) -> None:
    way = "  rows found by: the keys of the source, t.id = s.id"
    lines = explained(tables, WITH_INSERT)
    assert lines[:3] == [
        "MERGE of main.public.t",
        way,
        "    chosen: if it has at most 50,000 rows; otherwise Spark's join",
    ]
    assert "Spark plan" in lines
    assert tables.sql("SELECT COUNT(*) FROM t WHERE v = 'old'").fetchall() == [(200_000,)]
    assert tables.sql(WITH_INSERT).fetchall() == [(2, 2)]
    assert tables.sql("SELECT id, v FROM t WHERE v <> 'old' ORDER BY v").fetchall() == [
        (5, "a"),
        (199_999, "b"),
        (300_000, "c"),
        (None, "d"),
    ]
    update = explained(tables, "UPDATE t SET v = s.v FROM s WHERE t.id = s.id")
    assert update[:2] == ["UPDATE of main.public.t", way]
    for condition in (
        "EXISTS (SELECT 1 FROM s WHERE s.v > 'a' AND t.id = s.id)",
        "v = 'old' AND id IN (SELECT id FROM s)",
    ):
        assert explained(tables, f"DELETE FROM t WHERE {condition}")[1].startswith(way[:40])
    assert tables.sql("DELETE FROM t WHERE id IN (SELECT id FROM s)").fetchall() == [(3,)]
    assert tables.sql("DELETE FROM t USING s WHERE t.id = s.id + 1").fetchall() == [(1,)]


def test_explain_tells_why_the_table_is_joined_as_a_whole(tables: Session) -> None:
    join = "  rows found by: Spark's join, or one pass over the table"
    all_rows = f"{MERGE} WHEN NOT MATCHED BY SOURCE THEN DELETE"
    no_keys = "    chosen: no equality tells keys, or rows without a match are wanted"
    assert explained(tables, all_rows)[1:3] == [join, no_keys]
    assert explained(tables, MERGE.replace("=", "<", 1))[1:3] == [join, no_keys]
    assert explained(tables, "DELETE FROM t WHERE v = 'x'")[1:3] == [join, no_keys]
    tables.sql("ALTER SESSION SET MERGE_STRATEGY = join")
    assert explained(tables, MERGE)[2] == "    chosen: MERGE_STRATEGY = JOIN"
    tables.sql("ALTER SESSION UNSET MERGE_STRATEGY")
    small = explained(
        tables, "MERGE INTO s USING t ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = t.v"
    )
    assert small[2] == "    chosen: the table has 4 rows, 200,000 are many"


def test_changes_of_a_stream_are_merged_and_told(tables: Session) -> None:
    tables.sql("CREATE STREAM of_s ON TABLE s")
    tables.sql("INSERT INTO s VALUES (7, 'e')")
    merge = WITH_INSERT.replace("USING s", "USING of_s AS s")
    lines = explained(tables, merge)
    assert lines[3:5] == ["Changes of main.public.of_s", "  shape: ADDED_ONLY"]
    assert tables.sql(merge).fetchall() == [(0, 1)]
    assert tables.sql("SELECT v FROM t WHERE id = 7").fetchall() == [("e",)]
    assert tables.sql(merge).fetchall() == [(0, 0)]


def test_a_source_that_is_too_large_is_joined(tables: Session) -> None:
    tables.sql("INSERT INTO s SELECT seq8(), 'n' FROM TABLE(GENERATOR(ROWCOUNT => 60000))")
    tables.sql("DELETE FROM s WHERE v IN ('a', 'b')")
    assert tables.sql(MERGE).fetchall() == [(60_000,)]
    assert tables.sql("SELECT COUNT(*) FROM t WHERE v = 'n'").fetchall() == [(60_000,)]


@pytest.mark.parametrize("width", [1_000, 5_000_000, 16_777_216])
def test_a_source_of_wide_rows_is_merged(tables: Session, width: int) -> None:
    tables.sql(f"UPDATE s SET v = REPEAT('x', {width})")
    tables.sql("ALTER SESSION SET MERGE_STRATEGY = KEYS")
    assert tables.sql(MERGE).fetchall() == [(2,)]
    assert tables.sql(f"SELECT COUNT(*) FROM t WHERE LENGTH(v) = {width}").fetchall() == [(2,)]


@pytest.mark.parametrize("many", [10, 25_000])
def test_two_source_rows_for_one_row_are_refused_by_keys_too(tables: Session, many: int) -> None:
    tables.sql(f"INSERT INTO s SELECT seq8(), 'n' FROM TABLE(GENERATOR(ROWCOUNT => {many}))")
    with pytest.raises(DuplicateMatch, match="Two source rows of the MERGE match one target row"):
        tables.sql(MERGE)
    assert tables.sql("SELECT COUNT(*) FROM t WHERE v = 'old'").fetchall() == [(200_000,)]


def test_a_strategy_that_is_not_known_and_other_statements(session: Session) -> None:
    with pytest.raises(ValueRefused, match="MERGE_STRATEGY is one of AUTO, KEYS, JOIN"):
        session.sql("ALTER SESSION SET MERGE_STRATEGY = 'hash'")
    with pytest.raises(NotYet, match="plans of queries, and of UPDATE, DELETE and MERGE"):
        session.sql("EXPLAIN CREATE TABLE t (id INT)")
