"""A session that runs statements for weeks: what it keeps of them does not grow."""

from __future__ import annotations

from pathlib import Path

import pytest

from icemelt.session.session import Session
from icemelt.tables import iceberg

_VERSIONS = 6


@pytest.fixture
def table(session: Session) -> Session:
    session.sql("CREATE TABLE t (id INT, v INT)")
    rows = ", ".join(f"({number}, 0)" for number in range(20))
    session.sql(f"INSERT INTO t VALUES {rows}")
    for number in range(2, _VERSIONS):
        session.sql(f"UPDATE t SET v = {number} WHERE id = {number}")
    return session


def scratch_of(session: Session) -> Path:
    return Path(session._core.relations.scratch.location.removeprefix("file:"))


def total_at(session: Session, version: int) -> int:
    row = session.sql(f"SELECT sum(v) FROM t AT (VERSION => {version})").fetchone()
    return int(row[0]) if row else -1


def expected(version: int) -> int:
    return sum(range(2, version))


@pytest.mark.parametrize("information", ["DEFAULT", "REDO_LOG"])
def test_vectors_of_a_change_query_go_with_it(table: Session, information: str) -> None:
    changes = f"CHANGES (INFORMATION => {information}) AT (VERSION => 2)"
    before = {*scratch_of(table).iterdir()}
    rows = table.sql(f"SELECT id FROM t {changes} WHERE METADATA$ACTION = 'INSERT'").fetchall()
    assert sorted(rows) == [(number,) for number in range(2, _VERSIONS)]
    assert {*scratch_of(table).iterdir()} == before


def test_states_that_were_read_long_ago_go(table: Session) -> None:
    written = table._core.relations._written
    assert total_at(table, 2) == expected(2)
    written.room = written._weight * 5 // 2
    for version in (3, 4, 5, 2, 5, 3):
        assert total_at(table, version) == expected(version)
        assert len([each for each in scratch_of(table).iterdir() if each.is_dir()]) <= 2


def test_tables_that_were_read_long_ago_are_forgotten(table: Session) -> None:
    table._core.iceberg._pins.room = 2
    for version in (2, 3, 4, 5, 2, 5):
        assert total_at(table, version) == expected(version)
    assert table.sql("SELECT sum(v) FROM t").fetchone() == (expected(_VERSIONS),)
    assert len(table._core.iceberg._names[iceberg._PINS,]) == 2
