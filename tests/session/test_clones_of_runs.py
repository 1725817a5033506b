"""Clones of tables whose old appends have left the log, and of versions that have."""

from __future__ import annotations

import pytest
from session.shared_files import find_lost_files, find_unnamed_files

from conftest import ONE_DAY, Lake, TestClock
from icemelt import Session
from icemelt.transactions import collapsing


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collapsing, "_AT_ONCE", 1)


def append(session: Session, table: str, *values: int) -> None:
    for value in values:
        session.sql(f"INSERT INTO {table} VALUES ({value})")


def rows(session: Session, query: str) -> list[tuple[object, ...]]:
    return sorted(session.sql(query).fetchall())


def logged(lake: Lake, name: str) -> int:
    return lake.foreign().sql(f"SELECT * FROM icemelt.main.public.{name}.snapshots").count()


def row_ids(session: Session, table: str) -> dict[object, object]:
    session.sql(f"CREATE OR REPLACE STREAM probe ON TABLE {table} SHOW_INITIAL_ROWS = TRUE")
    return dict(session.sql("SELECT id, METADATA$ROW_ID FROM probe").fetchall())


@pytest.fixture
def table(session: Session) -> Session:
    """A table of a run of appends, a delete, and another run."""
    session.sql("CREATE TABLE t (id INT) SNAPSHOT_LOG_TIME_IN_MINUTES = 0")
    append(session, "t", 1, 2, 3, 4)
    session.sql("DELETE FROM t WHERE id = 2")
    append(session, "t", 5, 6, 7, 8)
    return session


def test_each_version_of_a_run_can_be_cloned(lake: Lake, table: Session, clock: TestClock) -> None:
    assert logged(lake, "t") < 9
    original = row_ids(table, "t")
    count = len(table.sql("DESC HISTORY t").fetchall())
    for version in range(1, count + 1):
        table.sql(f"CREATE TABLE c{version} CLONE t AT (VERSION => {version})")
        then = rows(table, f"SELECT id FROM t AT (VERSION => {version})")
        assert rows(table, f"SELECT id FROM c{version}") == then
        append(table, f"c{version}", 100)
        assert rows(table, f"SELECT id FROM c{version}") == [*then, (100,)]
        found = row_ids(table, f"c{version}")
        assert all(found[key] == original[key] for key in original.keys() & found.keys())
        assert found[100] not in original.values()
    table.sql("DROP STREAM probe")
    table.sql("DROP TABLE t")
    clock.set(clock.time + 30 * ONE_DAY)
    for _ in range(3):
        assert table.maintain(safe_age=0).skipped == ()
    assert rows(table, f"SELECT id FROM c{count}") == [(n,) for n in (1, 3, 4, 5, 6, 7, 8, 100)]
    assert find_lost_files(lake, table) == find_unnamed_files(lake, table) == set()


def test_the_clone_begins_a_run_of_its_own(lake: Lake, table: Session) -> None:
    table.sql("CREATE TABLE c CLONE t")
    table.sql("CREATE STREAM s ON TABLE c")
    append(table, "c", 11, 12, 13, 14, 15)
    assert logged(lake, "c") < 6
    first = [(number,) for number in (1, 3, 4, 5, 6, 7, 8)]
    assert rows(table, "SELECT id FROM c AT (VERSION => 1)") == first
    assert rows(table, "SELECT id FROM c AT (VERSION => 3)") == [*first, (11,), (12,)]
    assert rows(table, "SELECT id FROM s") == [(11,), (12,), (13,), (14,), (15,)]
    changes = "SELECT id FROM c CHANGES (INFORMATION => {}) AT (VERSION => 1) END (VERSION => 4)"
    for information in ("DEFAULT", "APPEND_ONLY", "REDO_LOG"):
        assert rows(table, changes.format(information)) == [(11,), (12,), (13,)]
    table.sql("RESTORE TABLE c TO VERSION AS OF 1")
    assert rows(table, "SELECT id FROM c") == first
    assert rows(table, "SELECT id FROM s") == []


def test_a_redo_log_of_a_view_begins_with_the_clone(table: Session) -> None:
    table.sql("CREATE TABLE made (id INT)")
    table.sql("CREATE VIEW v AS SELECT id FROM made")
    table.sql("CREATE STREAM s ON VIEW v")
    append(table, "made", 1)
    table.sql("CREATE TABLE c CLONE made")
    table.sql("CREATE VIEW w AS SELECT id FROM c")
    table.sql("CREATE STREAM r ON VIEW w REDO_LOG = TRUE")
    append(table, "c", 2, 3)
    assert rows(table, "SELECT id, METADATA$ACTION FROM r") == [(2, "INSERT"), (3, "INSERT")]
    assert rows(table, "SELECT id FROM s") == [(1,)]


def test_changes_with_commits_of_another_engine(lake: Lake, table: Session) -> None:
    table.sql("CREATE TABLE c CLONE t")
    table.sql("CREATE STREAM s ON TABLE c")
    foreign = lake.foreign()
    foreign.sql("INSERT INTO icemelt.main.public.c VALUES (20)").collect()
    foreign.sql("UPDATE icemelt.main.public.c SET id = 30 WHERE id = 3").collect()
    foreign.sql("CALL icemelt.system.rewrite_data_files('main.public.c')").collect()
    foreign.sql("CALL icemelt.system.rewrite_manifests('main.public.c')").collect()
    found = rows(table, "SELECT id, METADATA$ACTION, METADATA$ISUPDATE FROM s")
    assert found == [(3, "DELETE", True), (20, "INSERT", False), (30, "INSERT", True)]
    history = [row[5] for row in table.sql("DESC HISTORY c").fetchall()]
    assert history[-1] == "CLONE"
    assert sum(name.startswith("foreign") for name in history) == len(history) - 1
    before = row_ids(table, "t")
    after = row_ids(table, "c")
    assert all(after[key] == before[key] for key in (1, 4, 5, 6, 7, 8))
    assert after[30] == before[3]
