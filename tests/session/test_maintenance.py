"""Maintenance: what is needed stays, the rest goes, files are counted on disk."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import icemelt
from conftest import DAY, ONE_DAY, Lake, TestClock, sqlite_url
from icemelt import Session
from icemelt.catalog.database import system_clock
from icemelt.errors import SparkDied, ValueRefused
from icemelt.session import background_maintenance, maintenance
from icemelt.session.background_maintenance import start_background_maintenance
from icemelt.session.maintenance import Maintained
from icemelt.session.runtime.core import new_id
from icemelt.session.runtime.maintenance_runs import MaintenanceRuns
from icemelt.transactions import expiry

pytestmark = pytest.mark.usefixtures("clock")
Later = Callable[[int], None]
FAILING = "SELECT CAST(v AS INT) AS id FROM (SELECT '2' AS v UNION SELECT 'x')"


@pytest.fixture
def days(clock: TestClock) -> Later:
    def later(count: int) -> None:
        clock.set(clock.time + count * ONE_DAY)

    return later


def files(lake: Lake) -> list[Path]:
    return sorted((lake.folder / "warehouse").glob("*/data/[!.]*"))


def rows(session: Session, stream: str) -> list[tuple[object, ...]]:
    query = f"SELECT *, METADATA$ROW_ID FROM {stream}"
    return sorted(session.sql(query).fetchall(), key=repr)


def test_expiry_frees_what_nobody_needs(lake: Lake, session: Session, days: Later) -> None:
    session.sql("CREATE TABLE t (id INT)")
    for number in range(3):
        session.sql(f"INSERT OVERWRITE INTO t VALUES ({number})")
    assert len(files(lake)) == 3
    assert session.maintain() == Maintained()
    days(2)
    done = session.maintain()
    assert len(files(lake)) == 1
    assert (done.versions_expired, done.tables_compacted, done.skipped) == (3, 0, ())
    # two data files, two manifests for each overwrite but the last, and lists of manifests
    assert done.files_removed >= 2
    assert session.sql("SELECT id FROM t").fetchall() == [(2,)]
    assert len(session.sql("DESC HISTORY t").fetchall()) == 1
    assert session.maintain() == Maintained()


def test_what_another_engine_made_is_left_to_it(lake: Lake, session: Session, days: Later) -> None:
    foreign = lake.foreign()
    foreign.sql("CREATE TABLE icemelt.main.public.t (id INT) USING iceberg")
    for number in range(3):
        foreign.sql(f"INSERT OVERWRITE icemelt.main.public.t VALUES ({number})")
    assert session.sql("SELECT id FROM t").fetchall() == [(2,)]
    days(30)
    done = session.maintain()
    assert (done.versions_expired, done.files_removed, done.tables_compacted) == (0, 0, 0)
    assert foreign.sql("SELECT * FROM icemelt.main.public.t.snapshots").count() == 3


@pytest.mark.slow
def test_rows_of_streams_are_the_same_before_and_after(
    lake: Lake, session: Session, days: Later
) -> None:
    session.sql("CREATE TABLE t (id INT, v INT)")
    session.sql("INSERT INTO t SELECT id, 0 FROM VALUES (1), (2), (3), (4) AS given(id)")
    session.sql("INSERT INTO t VALUES (5, 0)")
    session.sql("CREATE STREAM standard ON TABLE t")
    session.sql("CREATE STREAM inserts ON TABLE t APPEND_ONLY = TRUE")
    session.sql("CREATE STREAM initial ON TABLE t SHOW_INITIAL_ROWS = TRUE")
    session.sql(
        "CREATE STREAM initial_inserts ON TABLE t APPEND_ONLY = TRUE SHOW_INITIAL_ROWS = TRUE"
    )
    session.sql("INSERT INTO t VALUES (6, 0), (7, 0)")
    session.sql("DELETE FROM t WHERE id IN (2, 6)")
    session.sql("UPDATE t SET v = 1 WHERE id IN (3, 7)")
    for number in range(8, 14):
        session.sql(f"INSERT INTO t VALUES ({number}, 0)")
    session.sql("DELETE FROM t WHERE id IN (5, 9)")
    names = ("standard", "inserts", "initial", "initial_inserts")
    before = {name: rows(session, name) for name in names}
    days(5)
    done = session.maintain()
    assert (done.versions_expired, done.tables_compacted) == (2, 1)
    assert {name: rows(session, name) for name in names} == before
    days(5)
    session.maintain()
    assert {name: rows(session, name) for name in names} == before
    for name in names:
        assert session.sql(f"DESCRIBE STREAM {name}").fetchall()[0][10] == "false"


def test_what_an_open_transaction_reads_stays(
    lake: Lake, session: Session, clock: TestClock
) -> None:
    session.sql(
        "CREATE TABLE t (id INT) "
        "DATA_RETENTION_TIME_IN_DAYS = 0 MAX_DATA_EXTENSION_TIME_IN_DAYS = 0"
    )
    session.sql("INSERT INTO t VALUES (1)")
    reader, maintainer = lake.open(), lake.open()
    clock.set(DAY + ONE_DAY)
    reader.sql("BEGIN")
    session.sql("INSERT OVERWRITE INTO t VALUES (2)")
    session.sql("INSERT OVERWRITE INTO t VALUES (3)")
    # the reader's keeper keeps it alive; its lapse is moved here, as the clock is ours
    with reader._core.database.write() as connection:
        connection.exec_driver_sql(f"UPDATE icemelt_leases SET expires_at = {10 * DAY}")
    clock.set(DAY + 3 * ONE_DAY)
    maintainer.maintain(safe_age=0)
    assert reader.sql("SELECT id FROM t").fetchall() == [(1,)]
    assert reader.sql("SELECT count(*) FROM t").fetchall() == [(1,)]
    assert len(files(lake)) == 3
    reader.sql("INSERT INTO t VALUES (4)")
    maintainer.maintain(safe_age=0)
    assert sorted(reader.sql("SELECT id FROM t").fetchall()) == [(1,), (4,)]
    reader.sql("ROLLBACK")
    maintainer.maintain(safe_age=0)
    assert session.sql("SELECT id FROM t").fetchall() == [(3,)]
    assert len(files(lake)) == 1


@pytest.mark.slow
def test_a_race_with_a_writer_loses_nothing(lake: Lake, session: Session, days: Later) -> None:
    session.sql("CREATE TABLE t (id INT)")
    session.sql("CREATE STREAM s ON TABLE t")
    for number in range(4):
        session.sql(f"INSERT INTO t VALUES ({number})")
        days(1)
    writer, has_run_often = lake.open(), threading.Event()

    def write() -> int:
        """Write while maintenance runs, and at least twelve times; return the number of rows."""
        number = 4
        while number < 16 or not has_run_often.is_set():
            writer.sql(f"INSERT INTO t VALUES ({number})")
            number += 1
        return number

    with ThreadPoolExecutor(1) as pool:
        written = pool.submit(write)
        for _ in range(3):
            session.maintain()
        has_run_often.set()
        while not written.done():
            session.maintain()
        count = written.result()
    session.maintain()
    assert sorted(session.sql("SELECT id FROM t").fetchall()) == [(each,) for each in range(count)]
    assert len(rows(session, "s")) == count


def test_consumption_commits_nothing_to_the_source(lake: Lake, session: Session) -> None:
    session.sql("CREATE TABLE t (id INT)")
    session.sql("CREATE TABLE copy (id INT)")
    session.sql("CREATE STREAM s ON TABLE t")
    session.sql("INSERT INTO t VALUES (1)")
    [folder] = (lake.folder / "warehouse").glob("t-*")
    before = sorted(folder.rglob("*"))
    session.sql("INSERT INTO copy SELECT id FROM s")
    assert sorted(folder.rglob("*")) == before
    assert len(session.sql("DESC HISTORY t").fetchall()) == 2


def test_leftovers_of_the_dead_go_and_those_of_the_living_stay(
    lake: Lake, session: Session, days: Later
) -> None:
    session.sql("CREATE TABLE t (id INT)")
    session.sql("CREATE STREAM s ON TABLE t")
    session.sql("INSERT INTO t VALUES (1)")
    dead, living = lake.open(), lake.open()
    for each in (dead, living):
        each.sql("CREATE TEMPORARY TABLE mine (id INT)")
        each.sql("INSERT INTO mine VALUES (1)")
    dead.sql("BEGIN")
    dead.sql("INSERT INTO t SELECT id FROM s")
    dead._core.settings.transaction._lease.end()  # its process is no more, nobody keeps it alive
    days(1)
    living.sql("SELECT * FROM mine").fetchall()
    days(1)
    living.sql("SELECT * FROM mine").fetchall()
    assert len(session.sql("SHOW LOCKS").fetchall()) == 1
    done = session.maintain()
    assert (done.transactions_closed, done.temporary_tables_removed) == (1, 1)
    assert session.sql("SHOW LOCKS").fetchall() == []
    assert session.sql("SHOW TRANSACTIONS").fetchall() == []
    assert living.sql("SELECT * FROM mine").fetchall() == [(1,)]
    assert len(list((lake.folder / "warehouse").glob("mine-*"))) == 1
    # what it had written and never published: young, and therefore left; then old
    assert len(list((lake.folder / "warehouse").glob("t-*/data/[!.]*"))) == 2
    session.maintain(safe_age=0)
    assert len(list((lake.folder / "warehouse").glob("t-*/data/[!.]*"))) == 1
    assert session.sql("SELECT * FROM t").fetchall() == [(1,)]
    assert session.sql("SELECT id FROM s").fetchall() == [(1,)]


def test_folders_of_tables_that_were_never_registered_go(
    lake: Lake, session: Session, clock: TestClock
) -> None:
    warehouse = lake.folder / "warehouse"
    with pytest.raises(ValueRefused):
        session.sql(f"CREATE TABLE failed AS {FAILING}")
    session.sql("BEGIN")
    session.sql("CREATE TABLE undone AS SELECT 1 AS id")
    session.sql("ROLLBACK")
    session.sql("CREATE TABLE dropped AS SELECT 2 AS id")
    session.sql("DROP TABLE dropped")
    other = Lake(lake.spark, f"{lake.url}-other", lake.folder, clock)
    other.open().sql("CREATE TABLE theirs (id INT)")
    (warehouse / f"empty-{new_id()}").mkdir()
    (warehouse / f"own-{new_id()}" / "data").mkdir(parents=True)
    before = {each.name for each in warehouse.iterdir()}
    assert len(before) == 6
    assert session.maintain().unregistered_tables_removed == 0
    done = session.maintain(safe_age=0)
    assert done.unregistered_tables_removed == 2
    assert done.files_removed > 2
    gone = before - {each.name for each in warehouse.iterdir()}
    assert sorted(name.split("-")[0] for name in gone) == ["failed", "undone"]
    session.sql("UNDROP TABLE dropped")
    assert session.sql("SELECT * FROM dropped").fetchall() == [(2,)]
    assert other.sessions[0].sql("SELECT * FROM theirs").fetchall() == []
    other.close()


def test_a_table_that_an_open_transaction_makes_stays(spark: SparkSession, tmp_path: Path) -> None:
    lake = Lake(spark, sqlite_url(tmp_path), tmp_path, system_clock)
    session, maintainer = lake.open(), lake.open()
    session.sql("BEGIN")
    session.sql("CREATE TABLE made AS SELECT 1 AS id")
    assert maintainer.maintain(safe_age=0).unregistered_tables_removed == 0
    session.sql("COMMIT")
    assert maintainer.sql("SELECT * FROM made").fetchall() == [(1,)]
    lake.close()


def test_dropped_objects_past_retention_lose_files_and_rows(
    lake: Lake, session: Session, days: Later
) -> None:
    session.sql("CREATE SCHEMA other")
    session.sql("USE SCHEMA main.public")
    session.sql("CREATE TABLE t (id INT)")
    session.sql("INSERT INTO t VALUES (1)")
    session.sql("CREATE STREAM s ON TABLE t")
    session.sql("DROP STREAM s")
    session.sql("DROP SCHEMA main.public CASCADE")
    assert session.maintain().objects_removed == 0
    session.sql("UNDROP SCHEMA main.public")
    assert session.sql("SELECT * FROM main.public.t").fetchall() == [(1,)]
    session.sql("DROP SCHEMA main.public CASCADE")
    days(2)
    done = session.maintain()
    assert done.objects_removed == 3
    assert done.files_removed > 0
    assert list((lake.folder / "warehouse").iterdir()) == []


def test_history_is_kept_as_long_as_any_point_may_be(
    lake: Lake, session: Session, days: Later
) -> None:
    session.sql("CREATE TABLE t (id INT)")
    session.sql("INSERT INTO t VALUES (1)")
    days(10)
    assert session.maintain().history_rows_pruned == 0
    days(10)
    done = session.maintain()
    assert done.history_rows_pruned > 0
    # a point in the quiet time is answered from the version that is current since
    point = session.sql("SELECT * FROM t AT (OFFSET => -864000)")
    assert point.fetchall() == [(1,)]


def test_it_runs_by_itself_until_the_session_is_closed(
    lake: Lake, session: Session, days: Later
) -> None:
    session.sql("CREATE TABLE t (id INT)")
    for number in range(3):
        session.sql(f"INSERT OVERWRITE INTO t VALUES ({number})")
    days(2)
    thread = start_background_maintenance(lake.database(), lake.open, session.ended, 0.1)
    deadline = time.monotonic() + 60
    while len(files(lake)) > 1 and time.monotonic() < deadline:
        time.sleep(0.1)
    assert len(files(lake)) == 1
    assert thread.is_alive()
    session.close()
    thread.join(60)
    assert not thread.is_alive()


def test_a_lake_is_maintained_by_itself_where_that_is_not_switched_off(
    spark: SparkSession, tmp_path: Path
) -> None:
    def threads() -> set[threading.Thread]:
        return {each for each in threading.enumerate() if each.name == "icemelt-maintenance"}

    before = threads()
    with icemelt.connect(tmp_path, spark=spark, maintain_every=None) as session:
        assert threads() == before
        session.sql("CREATE TABLE t AS SELECT seq4() AS id FROM TABLE(GENERATOR(ROWCOUNT => 4))")
        session.sql("DELETE FROM t WHERE id = 2")
        with icemelt.connect(tmp_path, spark=spark, maintain_every=0.1):
            [thread] = threads() - before
            operations = session.sql("DESC HISTORY t")
            deadline = time.monotonic() + 60
            while len(operations.fetchall()) < 3 and time.monotonic() < deadline:
                time.sleep(0.1)
                operations = session.sql("DESC HISTORY t")
        assert [row[5] for row in operations.fetchall()] == ["OPTIMIZE", "DELETE", "CREATE"]
        thread.join(60)
        assert not thread.is_alive()
        assert sorted(session.sql("SELECT id FROM t").fetchall()) == [(0,), (1,), (3,)]


def test_a_session_nobody_has_any_more_is_not_maintained_for(lake: Lake) -> None:
    session = lake.open()
    ended = session.ended
    lake.sessions.clear()
    del session
    gc.collect()
    assert ended.is_set()


def test_a_table_that_is_written_all_the_time_is_maintained(
    lake: Lake, session: Session, days: Later, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.sql("CREATE TABLE t (id INT)")
    session.sql("CREATE STREAM s ON TABLE t")
    for number in range(8):
        session.sql(f"INSERT INTO t VALUES ({number})")
    session.sql("INSERT INTO t SELECT id + 10 FROM s WHERE id = 0")
    days(2)
    writer = lake.open()

    def beside(work: Callable[..., object]) -> Callable[..., object]:
        def then_insert(*given: object) -> object:
            result = work(*given)
            writer.sql("INSERT INTO t VALUES (20), (21)")
            return result

        return then_insert

    for module, name in ((expiry, "expire_and_list_files"), (maintenance, "compact")):
        monkeypatch.setattr(module, name, beside(getattr(module, name)))
    done = session.maintain()
    assert (done.versions_expired, done.tables_compacted, done.skipped) == (8, 1, ())
    found = [row[0] for row in session.sql("SELECT id FROM t ORDER BY id").fetchall()]
    assert found == [*range(8), 10, 20, 20, 21, 21]
    unread = [row[0] for row in session.sql("SELECT id FROM s ORDER BY id").fetchall()]
    assert unread == [10, 20, 20, 21, 21]
    live = lake.foreign().sql("SELECT count(*) FROM icemelt.main.public.t.files").first()
    assert live is not None
    assert live[0] < 8


def test_a_table_under_which_spark_died_is_skipped_for_a_day(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1_000.0]
    runs = MaintenanceRuns(clock=lambda: now[0])
    monkeypatch.setattr(maintenance, "RUNS", runs)
    for name in ("a", "b"):
        session.sql(f"CREATE TABLE {name} (id INT)")
    expire, tried = maintenance.expire_versions, list[str]()

    def die_at_a(resolver: object, author: object, name: object) -> object:
        tried.append(str(name))
        if str(name).lower().endswith(".a"):
            raise SparkDied("Spark is gone.", hint="Start Spark anew.")
        return expire(resolver, author, name)  # type: ignore[arg-type]

    monkeypatch.setattr(maintenance, "expire_versions", die_at_a)
    with pytest.raises(SparkDied):
        session.maintain()
    assert runs.is_accused
    assert runs.judge_death("the next Spark")
    assert not runs.is_accused
    tried.clear()
    (skipped,) = session.maintain().skipped
    assert skipped.table.lower().endswith(".a")
    assert [name.lower()[-2:] for name in tried] == [".b"]
    now[0] += 86_400
    with pytest.raises(SparkDied):
        session.maintain()


def test_maintenance_goes_on_soon_after_spark_died(
    lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background_maintenance, "_AFTER_DEATH_SECONDS", 0.01)
    ended, opened = threading.Event(), list[float]()

    def open_dead() -> Session:
        opened.append(time.monotonic())
        if len(opened) > 2:
            ended.set()
        raise SparkDied("Spark is gone.", hint="Start Spark anew.")

    job = start_background_maintenance(lake.database(), open_dead, ended, 2)
    assert ended.wait(20)
    assert job.stop(30)
    assert opened[-1] - opened[0] < 1.5
