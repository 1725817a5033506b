"""How the rows of both ends of a table are told in one scan, and when they cannot be."""

from __future__ import annotations

import contextlib
from collections import Counter

import pytest

from conftest import Lake
from icemelt.errors import Conflict
from icemelt.names import ObjectName
from icemelt.session.session import Session
from icemelt.tables.scans import surviving_rows
from icemelt.tables.scans.change_scan import Interval, plan_changes
from icemelt.tables.scans.surviving_rows import SurvivingRows

FILLED = "INSERT INTO t SELECT seq4(), seq4() % 7 FROM TABLE(GENERATOR(ROWCOUNT => 100))"


@pytest.fixture
def table(session: Session) -> Session:
    """A table of one file and a view of it, changes of views read by both ends."""
    session.sql("CREATE TABLE t (a INT, b INT)")
    session.sql(FILLED)
    session.sql("CREATE VIEW v AS SELECT b, a FROM t")
    session.sql("ALTER SESSION SET VIEW_CHANGES = BOTH_ENDS")
    return session


def _told(session: Session, *statements: str) -> SurvivingRows | None:
    """Run statements; return how the rows of before and after are told, which are those of t."""
    core = session._core
    before = core.metadata(core.pinned(core.table(ObjectName(("t",)))))
    start = session.sql("SELECT 1").statement_id
    for statement in statements:
        session.sql(statement)
    metadata = core.metadata(core.pinned(core.table(ObjectName(("t",)))))
    interval = Interval(metadata, before.current_snapshot_id, metadata.current_snapshot_id)
    changes, expected = (
        session.sql(f"SELECT a, b, METADATA$ACTION, METADATA$ISUPDATE FROM {name} {at}").fetchall()
        for name in ("v", "t")
        for at in (f"CHANGES (INFORMATION => DEFAULT) AT (STATEMENT => '{start}')",)
    )
    assert Counter(changes) == Counter(expected)
    assert expected
    return plan_changes(core.iceberg, interval, core.relations.scratch).surviving


def test_rows_that_came_are_told_by_their_age(table: Session) -> None:
    told = _told(table, "INSERT INTO t VALUES (200, 1)")
    assert told is not None
    assert (told.deleted, told.elsewhere.files) == ({}, 0)


def test_the_first_deleted_rows_are_all_of_the_start(table: Session) -> None:
    changed = ("UPDATE t SET b = 9 WHERE a < 5", "DELETE FROM t WHERE a IN (3, 50)", FILLED)
    told = _told(table, *changed, "DELETE FROM t WHERE b = 2")
    assert told is not None
    assert (told.deleted, told.elsewhere.files) == (None, 0)


def test_later_ones_are_told_by_their_positions(table: Session) -> None:
    table.sql("DELETE FROM t WHERE a < 3")
    told = _told(table, "UPDATE t SET b = 9 WHERE a < 5", "DELETE FROM t WHERE a = 50")
    assert told is not None
    assert told.deleted is not None
    assert sum(map(len, told.deleted.values())) == 3
    assert told.elsewhere.files == 0


@pytest.mark.parametrize("most", ["_MOST_POSITIONS", "_MOST_COMPARED"])
def test_many_are_read_beside(table: Session, monkeypatch: pytest.MonkeyPatch, most: str) -> None:
    monkeypatch.setattr(surviving_rows, most, 2)
    table.sql("DELETE FROM t WHERE a < 3")
    told = _told(table, "DELETE FROM t WHERE a < 50")
    assert told is not None
    assert (told.deleted, told.elsewhere.files, told.elsewhere.rows) == ({}, 1, 47)


def test_so_are_whole_files(table: Session) -> None:
    table.sql("INSERT INTO t SELECT a + 1000, b FROM t")
    told = _told(table, "DELETE FROM t WHERE a >= 1000", "DELETE FROM t WHERE a = 7")
    assert told is not None
    assert (told.deleted, told.elsewhere.files) == (None, 1)


@pytest.mark.parametrize(
    "statement", ["OPTIMIZE t", "INSERT OVERWRITE INTO t SELECT a, b FROM t WHERE a < 80"]
)
def test_nothing_tells_it_of_rows_that_moved(table: Session, statement: str) -> None:
    told = _told(
        table, "DELETE FROM t WHERE a < 30", FILLED, statement, "DELETE FROM t WHERE a = 40"
    )
    assert told is None


def test_a_table_may_have_any_name(session: Session) -> None:
    session.sql("""CREATE TABLE "it's a \\ ""table" (a INT)""")
    session.sql("""CREATE VIEW v AS SELECT a FROM "it's a \\ ""table" """)
    session.sql("""INSERT INTO "it's a \\ ""table" VALUES (1), (2), (3), (4)""")
    session.sql("""DELETE FROM "it's a \\ ""table" WHERE a = 1""")
    session.sql("ALTER SESSION SET VIEW_CHANGES = BOTH_ENDS")
    start = session.sql("SELECT 1").statement_id
    session.sql("""DELETE FROM "it's a \\ ""table" WHERE a = 3""")
    found = session.sql(
        "SELECT a, METADATA$ACTION FROM v CHANGES (INFORMATION => DEFAULT) "
        f"AT (STATEMENT => '{start}')"
    )
    assert found.fetchall() == [(3, "DELETE")]


def test_columns_with_the_names_of_what_is_asked(lake: Lake, table: Session) -> None:
    foreign = lake.foreign()
    foreign.sql("ALTER TABLE icemelt.main.public.t ADD COLUMN _deleted INT")
    table.sql("DELETE FROM t WHERE a < 3")
    assert _told(table, "DELETE FROM t WHERE a = 50") is None


def test_a_compaction_of_what_came_and_went_leaves_nothing(session: Session) -> None:
    session.sql("CREATE TABLE t (a INT, b INT)")
    session.sql("INSERT INTO t VALUES (1, 1)")
    session.sql("INSERT INTO t VALUES (2, 2)")
    start = session.sql("SELECT 1").statement_id
    session.sql("INSERT INTO t SELECT a + 1000, b FROM t")
    session.sql("DELETE FROM t WHERE a >= 1000")
    session.sql("OPTIMIZE t")
    changes = f"SELECT * FROM t CHANGES (INFORMATION => DEFAULT) AT (STATEMENT => '{start}')"
    assert session.sql(changes).fetchall() == []


def test_what_went_before_and_after_a_compaction_is_told(table: Session) -> None:
    table.sql("CREATE OR REPLACE TABLE t (a INT, b INT) PARTITION BY (b)")
    for rows in ("(1, 1), (2, 1)", "(7, 2), (8, 2)", "(9, 3)", "(1000, 0), (1001, 0)"):
        table.sql(f"INSERT INTO t VALUES {rows}")
    table.sql("DELETE FROM t WHERE a = 1000")
    table.sql("DELETE FROM t WHERE a = 1001")
    _told(table, "DELETE FROM t WHERE b = 3", "OPTIMIZE t", "DELETE FROM t WHERE a = 7")


def test_a_transaction_does_not_copy_numbers_of_its_own(lake: Lake, table: Session) -> None:
    modes = ", ".join(
        f"'write.{what}.mode' = 'copy-on-write'" for what in ("delete", "update", "merge")
    )
    lake.foreign().sql(f"ALTER TABLE icemelt.main.public.t SET TBLPROPERTIES ({modes})")
    other = lake.open()
    table.sql("BEGIN")
    table.sql("INSERT INTO t VALUES (210, 0)")
    table.sql("INSERT INTO t VALUES (211, 0)")
    table.sql("UPDATE t SET b = 9 WHERE a = 1")
    table.sql("UPDATE t SET b = 8 WHERE a = 2")
    other.sql("INSERT INTO t VALUES (220, 0)")
    with contextlib.suppress(Conflict):
        table.sql("COMMIT")
    _told(table, "INSERT INTO t VALUES (230, 0)")
