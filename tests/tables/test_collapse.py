"""Old runs of appends leave the log of snapshots: whoever reads the table notices nothing."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import IllegalArgumentException
from pyspark.sql import SparkSession

from conftest import ONE_DAY, Lake, TestClock
from icemelt import Session
from icemelt.catalog import publishing
from icemelt.errors import DefinitionRefused, VersionExpired, WrongObjectKind
from icemelt.session.maintenance import maintain
from icemelt.transactions import collapsing, expiry, publication

TABLE = "icemelt.main.public.t"
HOUR = 3_600_000
LOG = "SNAPSHOT_LOG_TIME_IN_MINUTES"
FORMATS = ("DEFAULT", "APPEND_ONLY", "REDO_LOG")


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collapsing, "_AT_ONCE", 1)


@pytest.fixture
def twins(session: Session) -> Session:
    """Two tables that are written alike; of `t` what can leave the log does."""
    for name, minutes in (("t", 0), ("u", 1_000)):
        session.sql(f"CREATE TABLE {name} (id INT, v INT) {LOG} = {minutes}")
    return session


def append(session: Session, *values: int) -> None:
    for value in values:
        both(session, "INSERT INTO {} VALUES " + f"({value}, 0), ({value + 100}, 0)")


def both(session: Session, text: str) -> None:
    for name in "tu":
        session.sql(text.format(name))


def logged(lake: Lake, name: str = TABLE) -> list[Any]:
    return lake.foreign().sql(f"SELECT * FROM {name}.snapshots ORDER BY committed_at").collect()


def branches(lake: Lake) -> list[str]:
    found = lake.foreign().sql(f"SELECT name FROM {TABLE}.refs ORDER BY name").collect()
    return [row[0] for row in found]


def rows(session: Session, text: str) -> list[tuple[Any, ...]]:
    """Return rows in an order, without times, and of ids the part that tables have in common."""
    found = session.sql(text).fetchall()
    plain = [
        [str(value)[-16:] for value in row if not isinstance(value, datetime)] for row in found
    ]
    return sorted(map(tuple, plain))


def assert_same_changes(session: Session, *intervals: tuple[int, int]) -> None:
    for start, end in intervals:
        for information in FORMATS:
            text = (
                f"SELECT * FROM {{}} CHANGES (INFORMATION => {information}) "
                f"AT (VERSION => {start}) END (VERSION => {end})"
            )
            got, expected = (rows(session, text.format(name)) for name in "tu")
            assert got == expected, (information, start, end)


def test_every_version_stays_readable(lake: Lake, twins: Session) -> None:
    append(twins, 1, 2, 3, 4)
    both(twins, "DELETE FROM {} WHERE id = 2")
    append(twins, 5, 6, 7, 8)
    assert (len(logged(lake)), len(logged(lake, f"{TABLE[:-1]}u"))) == (4, 9)
    count = len(twins.sql("DESC HISTORY t").fetchall())
    for version in range(1, count + 1):
        at = f"SELECT * FROM {{}} AT (VERSION => {version})"
        assert rows(twins, at.format("t")) == rows(twins, at.format("u"))
    # inside a run, out of one and into another, and what is in none
    assert_same_changes(twins, (2, 4), (3, 8), (4, 10), (1, count), (6, 7), (9, count))


def test_streams_read_on_from_the_middle_of_a_run(lake: Lake, twins: Session) -> None:
    append(twins, 1, 2)
    for name in "tu":
        twins.sql(f"CREATE STREAM {name}_all ON TABLE {name}")
        twins.sql(f"CREATE STREAM {name}_new ON TABLE {name} APPEND_ONLY = TRUE")
    append(twins, 3, 4, 5, 6)
    both(twins, "UPDATE {} SET v = 1 WHERE id IN (1, 4)")
    append(twins, 7, 8, 9)
    assert len(logged(lake)) < 7
    stale = {row[1]: row[10] for row in twins.sql("SHOW STREAMS").fetchall()}
    assert set(stale.values()) == {"false"}
    for kind in ("all", "new"):
        got, expected = (rows(twins, f"SELECT * FROM {name}_{kind}") for name in "tu")
        assert got == expected
    twins.sql("CREATE TABLE copy AS SELECT id, v FROM t_all WHERE METADATA$ACTION = 'INSERT'")
    assert twins.sql("SELECT count(*) FROM t_all").fetchall() == [(0,)]


def test_a_table_goes_back_into_a_run(lake: Lake, twins: Session) -> None:
    append(twins, 1, 2, 3, 4, 5, 6)
    assert len(logged(lake)) < 4
    both(twins, "RESTORE TABLE {} TO VERSION AS OF 3")
    assert rows(twins, "SELECT id, v FROM t") == rows(twins, "SELECT id, v FROM u")
    append(twins, 7, 8, 9, 10)
    assert_same_changes(twins, (2, 8), (5, 8), (7, 8), (4, 11), (8, 12))


def test_what_expires_is_told_from_what_left_the_log(
    lake: Lake, twins: Session, clock: TestClock
) -> None:
    append(twins, 1, 2, 3, 4)
    both(twins, "DELETE FROM {} WHERE id = 2")
    clock.set(clock.time + 2 * ONE_DAY)
    append(twins, 5, 6, 7, 8)
    done = maintain(twins._core, safe_age=0)
    assert (done.versions_expired, done.skipped) == (10, ())
    assert [name.rstrip("0123456789") for name in branches(lake)] == ["icemelt-history-", "main"]
    assert_same_changes(twins, (6, 7), (6, 10), (8, 10))
    with pytest.raises(VersionExpired):
        twins.sql("SELECT * FROM t AT (VERSION => 4)")
    clock.set(clock.time + 2 * ONE_DAY)
    append(twins, 9)
    maintain(twins._core, safe_age=0)
    assert branches(lake) == ["main"]
    assert rows(twins, "SELECT id, v FROM t") == rows(twins, "SELECT id, v FROM u")


def test_an_open_transaction_sees_what_it_saw(lake: Lake, twins: Session) -> None:
    append(twins, 1, 2)
    with lake.open() as other:
        other.sql("BEGIN")
        assert other.sql("SELECT count(*) FROM t").fetchall() == [(4,)]
        append(twins, 3, 4, 5, 6, 7)
        maintain(twins._core, safe_age=0)
        assert other.sql("SELECT count(*) FROM t").fetchall() == [(4,)]
        other.sql("UPDATE t SET v = 5 WHERE id = 1")
        other.sql("COMMIT")
    assert twins.sql("SELECT count(*), sum(v) FROM t").fetchall() == [(14, 5)]


def test_a_writer_goes_on_from_a_snapshot_that_left_the_log(
    lake: Lake, twins: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    append(twins, 1, 2, 3)
    late = lake.open()
    began = late._core.newest.database

    def publish(*given: Any) -> Any:
        if given[0] is began:
            monkeypatch.setattr(publication, "publish", publishing.publish)
            append(twins, 4, 5, 6, 7)
        return publishing.publish(*given)

    monkeypatch.setattr(publication, "publish", publish)
    late.sql("UPDATE t SET v = 9 WHERE id = 2")
    late.sql("UPDATE u SET v = 9 WHERE id = 2")
    assert rows(twins, "SELECT id, v FROM t") == rows(twins, "SELECT id, v FROM u")
    assert_same_changes(twins, (3, 9), (5, 9))


@pytest.mark.turns(8)
def test_other_engines_break_nothing(lake: Lake, twins: Session) -> None:
    append(twins, 1, 2, 3)
    both(twins, "CREATE STREAM of_{0} ON TABLE {0}")
    both(twins, "DELETE FROM {} WHERE id = 2")
    append(twins, 4, 5, 6, 7)
    foreign = lake.foreign()
    for call in (
        f"expire_snapshots(table => '{TABLE[8:]}', older_than => now(), retain_last => 1)",
        f"remove_orphan_files(table => '{TABLE[8:]}')",
        f"rewrite_manifests('{TABLE[8:]}')",
        f"rewrite_data_files(table => '{TABLE[8:]}', options => map('min-input-files', '2'))",
    ):
        foreign.sql(f"CALL icemelt.system.{call}").collect()
    append(twins, 8, 9, 10, 11)
    text = "SELECT * FROM {} CHANGES (INFORMATION => {}) AT (VERSION => 2) END (VERSION => 9)"
    for information in FORMATS:
        got, expected = (rows(twins, text.format(name, information)) for name in "tu")
        assert got == expected, information


def test_other_engines_are_told_that_a_part_is_missing(lake: Lake, twins: Session) -> None:
    """Rows of snapshots that left the log are not left out of an incremental read in silence."""
    append(twins, 1, 2, 3)
    both(twins, "DELETE FROM {} WHERE id = 2")
    append(twins, 4, 5, 6, 7)
    foreign: SparkSession = lake.foreign()
    first, last = logged(lake)[1], logged(lake)[-1]
    assert first["operation"] == "delete"
    read = foreign.read.option("start-snapshot-id", first["snapshot_id"])
    read = read.option("end-snapshot-id", last["snapshot_id"])
    with pytest.raises(IllegalArgumentException, match="ancestor"):
        read.table(TABLE).collect()
    moment = logged(lake)[0]["committed_at"]
    with pytest.raises(Exception, match="older than"):
        foreign.sql(f"SELECT * FROM {TABLE} TIMESTAMP AS OF '{moment}'").collect()
    assert foreign.table(TABLE).count() == 13


def test_superseded_metadata_goes_and_what_may_be_read_stays(
    lake: Lake, twins: Session, clock: TestClock
) -> None:
    few = "SET TBLPROPERTIES ('write.metadata.previous-versions-max' = '1')"
    lake.foreign().sql(f"ALTER TABLE {TABLE} {few}")
    append(twins, 1, 2, 3, 4)
    clock.set(clock.time + 2 * HOUR)
    append(twins, 5, 6, 7, 8)
    [folder] = (lake.folder / "warehouse").glob("t-*")
    lists, documents = files(folder, "snap-*.avro"), files(folder, "*.metadata.json")
    maintain(twins._core)
    # of those of the first hour the last is kept, which was current an hour ago
    assert len(documents - files(folder, "*.metadata.json")) == 4
    assert files(folder, "snap-*.avro") >= lists
    maintain(twins._core, safe_age=0)
    assert len(files(folder, "snap-*.avro")) < len(lists)
    assert rows(twins, "SELECT id, v FROM t") == rows(twins, "SELECT id, v FROM u")
    assert_same_changes(twins, (2, 5), (3, 7))


def test_what_left_the_log_a_day_ago_may_still_be_read(
    lake: Lake, session: Session, clock: TestClock
) -> None:
    session.sql(f"CREATE TABLE t (id INT) {LOG} = 1000 DATA_RETENTION_TIME_IN_DAYS = 5")
    for hours in (2, 0, 0, 1):
        clock.set(clock.time + hours * HOUR)
        session.sql("INSERT INTO t VALUES (1)")
    [folder] = (lake.folder / "warehouse").glob("t-*")
    old = files(folder, "*.avro")
    for file in old:
        os.utime(file, (0, 0))
    clock.set(clock.time + 12 * HOUR)
    session.sql(f"ALTER TABLE t SET {LOG} = 0")
    session.sql("INSERT INTO t VALUES (1)")
    # of the old the last but one, and the last, which ALTER's version is at
    assert len(logged(lake)) == 3
    clock.set(clock.time + 13 * HOUR)
    maintain(session._core)
    assert files(folder, "*.avro") >= old
    clock.set(clock.time + ONE_DAY)
    maintain(session._core)
    assert len(old - files(folder, "*.avro")) == 2
    assert session.sql("SELECT count(*) FROM t AT (VERSION => 3)").fetchall() == [(2,)]


def files(folder: Path, pattern: str) -> set[Path]:
    return set((folder / "metadata").glob(pattern))


def test_what_a_transaction_made_itself_stays_until_it_is_recorded(twins: Session) -> None:
    append(twins, 1)
    for name in "tu":
        twins.sql(f"CREATE STREAM of_{name} ON TABLE {name} APPEND_ONLY = TRUE")
    with twins.transaction():
        append(twins, 2, 3, 4)
    append(twins, 5, 6)
    for text in ("SELECT * FROM of_{}", "SELECT id, v FROM {} AT (VERSION => 3)"):
        got, expected = (rows(twins, text.format(name)) for name in "tu")
        assert got == expected
    assert_same_changes(twins, (2, 3), (1, 4))


def test_a_version_that_made_no_snapshot_stays_readable(lake: Lake, twins: Session) -> None:
    append(twins, 1, 2, 3)
    for version in (3, 4):
        both(twins, f"RESTORE TABLE {{}} TO VERSION AS OF {version}")
    for name in "tu":
        twins.sql(f"CREATE STREAM of_{name} ON TABLE {name}")
    append(twins, 4, 5, 6)
    fresh = lake.open()
    for text in ("SELECT id, v FROM {} AT (VERSION => 6)", "SELECT * FROM of_{}"):
        got, expected = (rows(fresh, text.format(name)) for name in "tu")
        assert got == expected
    assert {row[10] for row in fresh.sql("SHOW STREAMS").fetchall()} == {"false"}


def test_what_other_engines_committed_stays(lake: Lake, session: Session) -> None:
    foreign = lake.foreign()
    foreign.sql(f"CREATE TABLE {TABLE} (id INT) USING iceberg TBLPROPERTIES ('format-version'='3')")
    for number in range(3):
        foreign.sql(f"INSERT INTO {TABLE} VALUES ({number})")
    theirs = {row["snapshot_id"] for row in logged(lake)}
    for number in range(3, 6):
        session.sql(f"INSERT INTO t VALUES ({number})")
    assert len(logged(lake)) == 6
    session.sql(f"ALTER TABLE t SET {LOG} = 0")
    for number in range(6, 9):
        session.sql(f"INSERT INTO t VALUES ({number})")
    left = {row["snapshot_id"] for row in logged(lake)}
    assert theirs <= left
    assert len(left) < 8
    assert session.sql("SELECT count(*) FROM t AT (VERSION => 4)").fetchall() == [(6,)]


@pytest.mark.parametrize("what", ["RESTORE", "transaction", "tag"])
def test_what_goes_back_while_files_are_found_keeps_them(
    lake: Lake, session: Session, clock: TestClock, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    session.sql(f"CREATE TABLE t (id INT) {LOG} = 0")
    for number in range(4):
        session.sql(f"INSERT INTO t VALUES ({number})")
    old = logged(lake)[-1]["snapshot_id"]
    session.sql("TRUNCATE TABLE t")
    clock.set(clock.time + 2 * ONE_DAY)
    session.sql("INSERT INTO t VALUES (9)")
    find = expiry.expire_and_list_files

    def beside(*given: Any) -> list[str]:
        files = find(*given)
        monkeypatch.setattr(expiry, "expire_and_list_files", find)
        if what == "tag":
            lake.foreign().sql(f"ALTER TABLE {TABLE} CREATE TAG keep AS OF VERSION {old}")
            return files
        with lake.open() as other:
            other.sql("BEGIN" if what == "transaction" else "SELECT 1")
            other.sql("RESTORE TABLE t TO VERSION AS OF 4")
            if what == "transaction":
                other.sql("INSERT INTO t VALUES (10)")
                other.sql("COMMIT")
        return files

    monkeypatch.setattr(expiry, "expire_and_list_files", beside)
    maintain(session._core, safe_age=0)
    assert expiry.expire_and_list_files is find
    expected = {"RESTORE": [0, 1, 2], "transaction": [0, 1, 2, 10], "tag": [9]}
    found = [row[0] for row in session.sql("SELECT id FROM t ORDER BY id").fetchall()]
    assert found == expected[what]
    session.sql("INSERT INTO t VALUES (11)")
    if what == "tag":
        tagged = lake.foreign().sql(f"SELECT count(*) FROM {TABLE} VERSION AS OF 'keep'").first()
        assert tagged is not None
        assert tagged[0] == 4


def test_how_long_the_log_is_can_be_said(lake: Lake, session: Session) -> None:
    session.sql("CREATE TABLE t (id INT)")
    for number in range(4):
        session.sql(f"INSERT INTO t VALUES ({number})")
    assert len(logged(lake)) == 4
    session.sql(f"ALTER TABLE t SET {LOG} = 0")
    session.sql("INSERT INTO t VALUES (4)")
    assert len(logged(lake)) == 3
    session.sql(f"ALTER TABLE t UNSET {LOG}")
    for number in range(5, 9):
        session.sql(f"INSERT INTO t VALUES ({number})")
    assert len(logged(lake)) == 7
    with pytest.raises(DefinitionRefused, match="whole number of minutes"):
        session.sql(f"ALTER TABLE t SET {LOG} = 'soon'")
    with pytest.raises(WrongObjectKind, match="parameter of tables"):
        session.sql(f"ALTER SCHEMA public SET {LOG} = 5")
