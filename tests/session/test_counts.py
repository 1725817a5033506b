"""What a statement counts follows its clauses, in its result and in the history."""

from __future__ import annotations

import pytest

from conftest import Lake
from icemelt.session.session import Session

INSERTED = "number of rows inserted"
UPDATED = "number of rows updated"
DELETED = "number of rows deleted"
INSERT = "WHEN NOT MATCHED THEN INSERT (k, v) VALUES (s.k, 0)"
UPDATE = "WHEN MATCHED THEN UPDATE SET v = 0"
DELETE = "WHEN MATCHED AND t.v = 10 THEN DELETE"


@pytest.fixture
def filled(session: Session) -> Session:
    session.sql("CREATE TABLE t (k INT, v INT)")
    session.sql("INSERT INTO t VALUES (1, 10), (2, 20), (3, 30)")
    return session


def test_a_merge_counts_what_its_clauses_do(filled: Session) -> None:
    cases = [
        (4, INSERT, {INSERTED: 1}),
        (4, INSERT, {INSERTED: 0}),
        (1, DELETE, {DELETED: 1}),
        (1, DELETE, {DELETED: 0}),
        (9, UPDATE, {UPDATED: 0}),
        (2, f"{DELETE} {UPDATE} {INSERT}", {INSERTED: 0, UPDATED: 1, DELETED: 0}),
    ]
    for key, clauses, counts in cases:
        found = filled.sql(f"MERGE INTO t USING (SELECT {key} AS k) s ON t.k = s.k {clauses}")
        assert dict(zip(found.columns, found.fetchall()[0], strict=True)) == counts
        assert found.rowcount == sum(counts.values())


def test_other_statements_count_in_columns_of_their_own(filled: Session) -> None:
    columns = {
        "INSERT INTO t SELECT * FROM t WHERE k = 9": (INSERTED,),
        "UPDATE t SET v = 1 WHERE k = 9": (UPDATED,),
        "DELETE FROM t WHERE k = 9": (DELETED,),
        "INSERT OVERWRITE INTO t SELECT * FROM t": (INSERTED, DELETED),
        "TRUNCATE TABLE t": (DELETED,),
    }
    assert {text: filled.sql(text).columns for text in columns} == columns


@pytest.mark.parametrize("mode", ["merge-on-read", "copy-on-write"])
def test_the_history_counts_a_merge_of_one_kind(filled: Session, lake: Lake, mode: str) -> None:
    modes = ", ".join(f"'write.{kind}.mode' = '{mode}'" for kind in ("delete", "merge"))
    lake.foreign().sql(f"ALTER TABLE icemelt.main.public.t SET TBLPROPERTIES ({modes})")
    filled.sql(f"MERGE INTO t USING (SELECT 1 AS k) s ON t.k = s.k {DELETE}")
    filled.sql(f"MERGE INTO t USING (SELECT 5 AS k) s ON t.k = s.k {INSERT}")
    history = filled.sql("DESC HISTORY t LIMIT 2")
    places = [history.columns.index(f"rows_{each}") for each in ("inserted", "updated", "deleted")]
    rows = [tuple(row[place] for place in places) for row in history.fetchall()]
    assert rows == [(1, 0, 0), (0, 0, 1)]
