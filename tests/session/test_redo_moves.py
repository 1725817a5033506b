"""Redo logs over tables that go back and forth: each version is told as it alone was."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tables.foreign_writer import ForeignWriter

from conftest import Lake
from icemelt.errors import IcemeltError
from icemelt.session.session import Session

# tables of tests are so small that both ends would be read
pytestmark = pytest.mark.view_changes("INCREMENTAL")

_IMAGE = "METADATA$ACTION, METADATA$ISUPDATE, METADATA$ROW_ID"


def _restored(session: Session, *, forward: int) -> None:
    session.sql("RESTORE TABLE t TO VERSION AS OF 2")
    session.sql(f"RESTORE TABLE t TO VERSION AS OF {forward}")


def _updated(session: Session, _writer: ForeignWriter) -> None:
    session.sql("INSERT INTO t VALUES (1, 1)")
    session.sql("UPDATE t SET v = 9")
    _restored(session, forward=3)


def _appended(session: Session, _writer: ForeignWriter) -> None:
    session.sql("INSERT INTO t VALUES (1, 1)")
    session.sql("INSERT INTO t VALUES (2, 2)")
    session.sql("INSERT INTO t VALUES (3, 3)")
    _restored(session, forward=4)


def _in_a_transaction(session: Session, _writer: ForeignWriter) -> None:
    session.sql("INSERT INTO t VALUES (1, 1)")
    session.sql("INSERT INTO t VALUES (2, 2)")
    session.sql("RESTORE TABLE t TO VERSION AS OF 2")
    session.sql("BEGIN")
    session.sql("RESTORE TABLE t TO VERSION AS OF 3")
    session.sql("INSERT INTO t VALUES (5, 5)")
    session.sql("COMMIT")


def _by_another_engine(session: Session, writer: ForeignWriter) -> None:
    session.sql("INSERT INTO t VALUES (1, 1)")
    then = writer.table().currentSnapshot().snapshotId()
    session.sql("INSERT INTO t VALUES (2, 2)")
    last = writer.table().currentSnapshot().snapshotId()
    for snapshot_id in (then, last):
        writer.table().manageSnapshots().setCurrentSnapshot(snapshot_id).commit()
        session.sql("SELECT * FROM t").fetchall()


def _over_rows_without_ids(session: Session, writer: ForeignWriter) -> None:
    session.sql("INSERT INTO t VALUES (1, 1), (2, 2), (3, 3)")
    writer.overwrite_without_ids([{"id": 1, "v": 1}, {"id": 2, "v": 2}, {"id": 3, "v": 30}])
    session.sql("SELECT * FROM t").fetchall()
    _restored(session, forward=3)


_HISTORIES = (_updated, _appended, _in_a_transaction, _by_another_engine, _over_rows_without_ids)


@pytest.mark.slow
@pytest.mark.parametrize("history", _HISTORIES)
def test_each_version_is_told_as_the_changes_between_two_are(
    lake: Lake, history: Callable[[Session, ForeignWriter], None]
) -> None:
    session = lake.open()
    session.sql("CREATE TABLE t (id INT, v INT)")
    made = session.sql("CREATE VIEW w AS SELECT v, id FROM t WHERE v > 0").statement_id
    history(session, ForeignWriter(lake.foreign()))
    _compare(session, "t")
    log = f"CHANGES (INFORMATION => REDO_LOG) AT (STATEMENT => '{made}')"
    at_once = session.sql(f"SELECT * FROM w {log}").fetchall()
    session.sql("ALTER SESSION SET VIEW_CHANGES = BOTH_ENDS")
    assert sorted(at_once) == sorted(session.sql(f"SELECT * FROM w {log}").fetchall())


def _compare(session: Session, table: str) -> None:
    last = session.sql(f"DESC HISTORY {table}").fetchall()[0][0]
    log = session.sql(
        f"SELECT METADATA$COMMIT_VERSION, *, {_IMAGE} "
        f"FROM {table} CHANGES (INFORMATION => REDO_LOG) AT (VERSION => 1)"
    ).fetchall()
    told = []
    for version in range(2, last + 1):
        changes = f"CHANGES AT (VERSION => {version - 1}) END (VERSION => {version})"
        rows = session.sql(f"SELECT {version}, * FROM {table} {changes}").fetchall()
        told += [row[: 2 + 1 + 3] for row in rows]
    assert sorted(row[:6] for row in log) == sorted(told)


def test_a_way_over_rows_without_ids_compares_values(lake: Lake) -> None:
    session = lake.open()
    session.sql("CREATE TABLE t (id INT, v INT)")
    _over_rows_without_ids(session, ForeignWriter(lake.foreign()))
    changes = "SELECT id, v, METADATA$ACTION FROM t CHANGES AT (VERSION => {}) END (VERSION => {})"
    for start in (2, 4):
        found = session.sql(changes.format(start, start + 1)).fetchall()
        assert sorted(found) == [(3, 3, "DELETE"), (3, 30, "INSERT")]


def test_rows_that_came_back_were_not_inserted(session: Session) -> None:
    session.sql("CREATE TABLE t (id INT, v INT)")
    session.sql("INSERT INTO t VALUES (1, 1)")
    session.sql("INSERT INTO t VALUES (2, 2)")
    _restored(session, forward=3)
    for start, ids in ((4, []), (2, [2]), (1, [1, 2])):
        changes = f"CHANGES (INFORMATION => APPEND_ONLY) AT (VERSION => {start})"
        found = session.sql(f"SELECT id FROM t {changes} ORDER BY id").fetchall()
        assert [id_ for (id_,) in found] == ids
    newest = session.sql("DESC HISTORY t").to_pandas().iloc[0]
    assert newest["operation"] == "RESTORE"
    assert newest.isna()["rows_inserted"]


def test_rows_without_ids_are_not_netted_over_versions(lake: Lake) -> None:
    session = lake.open()
    writer = ForeignWriter(lake.foreign())
    session.sql("CREATE TABLE t (id INT, v INT)")
    session.sql("CREATE VIEW w AS SELECT v FROM t")
    session.sql("INSERT INTO t VALUES (7, 7), (7, 7), (1, 1)")
    for kept in (2, 1):
        writer.overwrite_without_ids([{"id": 7, "v": 7}, {"id": 1, "v": 1}][2 - kept :])
        session.sql("SELECT * FROM t").fetchall()
    query = "SELECT v, _change_type FROM {} CHANGES FROM {} WITH (deduplicationMode = '{}')"
    since = {"t": "VERSION 3", "w": "TIMESTAMP '2024-01-01 00:00:01'"}
    for source, start in since.items():
        with pytest.raises(IcemeltError, match="does not know which rows are one: snapshot"):
            session.sql(query.format(source, start, "netChanges")).fetchall()
    found = session.sql(query.format("t", "VERSION 3", "dropCarryovers")).fetchall()
    assert found == [(7, "delete")] * 2


def test_initial_rows_of_a_declared_key_have_the_ids_of_their_changes(session: Session) -> None:
    session.sql("CREATE TABLE t (id INT PRIMARY KEY RELY, v INT)")
    session.sql("INSERT INTO t VALUES (1, 1), (2, 2)")
    session.sql("CREATE STREAM s ON TABLE t REDO_LOG = TRUE SHOW_INITIAL_ROWS = TRUE")
    session.sql("UPDATE t SET v = 5 WHERE id = 1")
    assert session.sql(
        "SELECT id, count(*), count(DISTINCT METADATA$ROW_ID) FROM s GROUP BY id ORDER BY id"
    ).fetchall() == [(1, 3, 1), (2, 1, 1)]


def test_initial_rows_of_a_view_have_the_time_of_their_version(session: Session) -> None:
    session.sql("CREATE TABLE t (id INT)")
    session.sql("INSERT INTO t VALUES (1)")
    session.sql("CREATE VIEW w AS SELECT id FROM t")
    session.sql("CREATE TABLE other (id INT)")  # the lake's last commit before the stream
    session.sql("CREATE STREAM s ON VIEW w REDO_LOG = TRUE SHOW_INITIAL_ROWS = TRUE")
    [(time,)] = session.sql("SELECT METADATA$COMMIT_TIMESTAMP FROM s").fetchall()
    assert time == session.sql("SHOW TABLES LIKE 'other'").to_pandas()["created_on"].iloc[0]
