"""Redo logs of views: queries of linear operators are told of all versions in one pass."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from icemelt.session.session import Session

# each is said in one pass, and version by version as views that join are
# tables of tests are so small that both ends would be read
pytestmark = pytest.mark.view_changes("INCREMENTAL")

_LINEAR = {
    "filter": "SELECT * FROM t WHERE v > 2",
    "project": "SELECT v % 2 AS parity, id + 1 AS next FROM t",
    "constant": "SELECT 1 AS one FROM t",
    "nothing": "SELECT id FROM t WHERE v < -100",
    "key": "SELECT id, v FROM k WHERE v <> 7",
    "union": "SELECT id, v FROM t WHERE v > 1 UNION ALL SELECT id, v FROM k",
    "twice": "SELECT id FROM t UNION ALL SELECT v FROM t UNION ALL SELECT 5",
    "nested": "SELECT w.x * 2 AS y FROM (SELECT v + id AS x FROM t WHERE id < 5) w WHERE w.x > 1",
    "exploded": "SELECT t.id, f.value FROM t, LATERAL FLATTEN(ARRAY_CONSTRUCT(v, v + 1)) f",
}

_MERGE = """
    MERGE INTO t USING k ON t.id = k.id WHEN MATCHED THEN UPDATE SET v = 9
    WHEN NOT MATCHED THEN INSERT VALUES (k.id, k.v)
"""


@pytest.fixture
def start(session: Session) -> str:
    session.sql("CREATE TABLE t (id INT, v INT)")
    session.sql("CREATE TABLE k (id INT PRIMARY KEY RELY, v INT)")
    for name, query in _LINEAR.items():
        session.sql(f'CREATE VIEW "{name}" AS {query}')
    session.sql("INSERT INTO t VALUES (1, 1), (2, 2), (3, 3)")
    return session.sql("INSERT INTO k VALUES (1, 7), (2, 8)").statement_id


def _log(session: Session, name: str, start: str) -> list[tuple]:
    text = f"SELECT * FROM \"{name}\" CHANGES (INFORMATION => REDO_LOG) AT (STATEMENT => '{start}')"
    return sorted(map(repr, session.sql(text).fetchall()))


@contextmanager
def _version_by_version(session: Session) -> Iterator[None]:
    session.sql("ALTER SESSION SET VIEW_CHANGES = BOTH_ENDS")
    yield
    session.sql("ALTER SESSION SET VIEW_CHANGES = INCREMENTAL")


def _change(session: Session) -> None:
    """Change the tables in each way there is, also so that rows come and go in one version."""
    for statement in (
        "INSERT INTO t VALUES (4, 4), (5, 5)",
        "UPDATE t SET v = v + 1 WHERE id < 3",
        "UPDATE t SET v = v",
        "UPDATE k SET v = 7 WHERE id = 2",
        "DELETE FROM t WHERE id = 3",
        "OPTIMIZE t",
        _MERGE,
        "BEGIN",
        "INSERT INTO t VALUES (6, 6)",
        "UPDATE t SET v = 7 WHERE id = 6",
        "DELETE FROM k WHERE id = 1",
        "COMMIT",
        "INSERT INTO k VALUES (1, 3)",
        "RESTORE TABLE t TO VERSION AS OF 3",
        "TRUNCATE TABLE t",
        "INSERT INTO t VALUES (1, 1)",
    ):
        session.sql(statement)


@pytest.mark.turns(8)
@pytest.mark.parametrize("name", _LINEAR)
def test_one_pass_tells_what_version_by_version_does(
    session: Session, start: str, name: str
) -> None:
    _change(session)
    at_once = _log(session, name, start)
    with _version_by_version(session):
        assert at_once == _log(session, name, start)
    assert bool(at_once) is (name != "nothing")


def test_one_pass_needs_as_many_jobs_for_many_versions_as_for_one(
    session: Session, start: str
) -> None:
    context = session.spark.sparkContext

    def jobs() -> int:
        before = context._jsc.sc().dagScheduler().nextJobId()
        _log(session, "filter", start)
        return context._jsc.sc().dagScheduler().nextJobId() - before

    session.sql("UPDATE t SET v = v + 1 WHERE id = 3")
    _log(session, "filter", start)
    of_one = jobs()
    for _ in range(8):
        session.sql("UPDATE t SET v = v + 1 WHERE id = 3")
    assert jobs() <= of_one + 1  # which version a row of a file is of is told by a join


def test_rows_of_a_declared_key_have_one_id_in_every_version(session: Session, start: str) -> None:
    session.sql("UPDATE k SET v = 9 WHERE id = 2")
    session.sql("INSERT INTO k VALUES (3, 1)")
    session.sql("DELETE FROM k WHERE id = 3")
    for source in ("k", '"key"'):
        text = f"SELECT id, METADATA$ROW_ID FROM {source} CHANGES (INFORMATION => {{}})"
        text += f" AT (STATEMENT => '{start}')"
        log = session.sql(text.format("REDO_LOG")).fetchall()
        assert len(log) == 4
        assert len(set(log)) == 2
        assert set(session.sql(text.format("DEFAULT")).fetchall()) <= set(log)


def test_where_no_table_has_changed_there_is_no_version(session: Session, start: str) -> None:
    session.sql("OPTIMIZE t")
    assert _log(session, "filter", start) == []


def test_explain_tells_whether_it_is_one_pass(session: Session, start: str) -> None:
    session.sql("UPDATE t SET v = v + 1 WHERE id = 3")
    session.sql("DELETE FROM t WHERE id = 1")
    session.sql("CREATE VIEW sums AS SELECT v, count(*) AS n FROM t GROUP BY v")

    def explained(name: str) -> list[str]:
        since = f"CHANGES (INFORMATION => REDO_LOG) AT (STATEMENT => '{start}')"
        rows = session.sql(f'EXPLAIN SELECT * FROM "{name}" {since}').fetchall()
        return "\n".join(text for (text,) in rows).splitlines()

    assert explained("filter")[:5] == [
        "Changes of main.public.filter",
        "  versions: 2",
        "  plan: all versions of its tables, in one pass",
        "  Changes of main.public.t",
        "    shape: MINIMIZE",
    ]
    assert explained("sums")[:3] == [
        "Changes of main.public.sums",
        "  versions: 2",
        "  plan: of each version the changes of the query, by itself",
    ]
