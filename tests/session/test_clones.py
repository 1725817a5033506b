"""Clones share files: none that a table names is removed, none that nobody names stays."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
import sqlalchemy as sa
from session.shared_files import find_lost_files, find_unnamed_files, named_files, present_files

from conftest import ONE_DAY, Lake, TestClock
from icemelt import Session
from icemelt.catalog.model import sharing
from icemelt.errors import Never, VersionExpired
from icemelt.transactions import expiry

pytestmark = pytest.mark.usefixtures("clock")
Later = Callable[[int], None]


@pytest.fixture
def days(clock: TestClock) -> Later:
    def later(count: int) -> None:
        clock.set(clock.time + count * ONE_DAY)

    return later


def rows(session: Session, table: str) -> list[tuple[object, ...]]:
    return sorted(session.sql(f"SELECT * FROM {table}").fetchall())


def metadata(session: Session, table: str) -> dict[str, object]:
    """Return the metadata file that other engines find."""
    query = sa.text("SELECT metadata_location FROM iceberg_tables WHERE table_name = :name")
    with session._core.database.read() as connection:
        location = connection.execute(query, {"name": table}).scalar_one()
    document: dict[str, object] = json.loads(Path(location).read_text())
    return document


def maintain_all(session: Session) -> None:
    """Maintain twice: the second run removes the metadata files that the first replaced."""
    for _ in range(2):
        assert session.maintain(safe_age=0).skipped == ()


def shared(session: Session) -> int:
    with session._core.database.read() as connection:
        return len(connection.execute(sa.select(sharing)).all())


def test_a_clone_copies_and_rewrites_no_file(lake: Lake, session: Session) -> None:
    session.sql("CREATE TABLE t (id INT)")
    for number in range(3):
        session.sql(f"INSERT INTO t VALUES ({number})")
    before = present_files(lake)
    session.sql("CREATE TABLE c CLONE t")
    added = present_files(lake) - before
    # the clone's first metadata file, and the source's with gc.enabled = false
    assert len(added) == 2
    assert all(name.endswith(".metadata.json") for name in added)
    session.sql("CREATE TABLE d CLONE t")
    assert len(present_files(lake) - before) == 3
    assert metadata(session, "t")["properties"]["gc.enabled"] == "false"  # type: ignore[index]
    assert metadata(session, "c")["properties"]["gc.enabled"] == "false"  # type: ignore[index]


def test_what_the_source_drops_and_expires_stays_for_the_clone(
    lake: Lake, session: Session, days: Later
) -> None:
    session.sql("CREATE TABLE t (id INT)")
    session.sql("INSERT INTO t VALUES (1), (2)")
    session.sql("CREATE TABLE c CLONE t")
    session.sql("INSERT OVERWRITE INTO t VALUES (3)")
    days(3)
    assert session.maintain(safe_age=0).versions_expired >= 1
    assert rows(session, "c") == [(1,), (2,)]
    session.sql("DROP TABLE t")
    days(3)
    assert session.maintain(safe_age=0).objects_removed == 1
    maintain_all(session)
    assert rows(session, "c") == [(1,), (2,)]
    assert find_lost_files(lake, session) == set()
    assert find_unnamed_files(lake, session) == set()


def test_what_the_clone_drops_and_expires_stays_for_the_source(
    lake: Lake, session: Session, days: Later
) -> None:
    session.sql("CREATE TABLE t (id INT)")
    session.sql("INSERT INTO t VALUES (1), (2)")
    session.sql("CREATE TABLE c CLONE t")
    session.sql("INSERT OVERWRITE INTO c VALUES (3)")
    days(3)
    session.maintain(safe_age=0)
    session.sql("DROP TABLE c")
    days(3)
    maintain_all(session)
    assert rows(session, "t") == [(1,), (2,)]
    assert find_lost_files(lake, session) == find_unnamed_files(lake, session) == set()
    # an ordinary table again
    assert shared(session) == 0
    assert "gc.enabled" not in metadata(session, "t")["properties"]  # type: ignore[operator]
    foreign = lake.foreign()
    foreign.sql("DROP TABLE icemelt.main.public.t").collect()
    assert session.sql("SHOW TABLES").fetchall() == []


def test_the_last_of_a_family_owns_the_files_left_by_others(
    lake: Lake, session: Session, days: Later
) -> None:
    session.sql("CREATE TABLE t (id INT)")
    session.sql("INSERT INTO t VALUES (1)")
    session.sql("CREATE OR REPLACE TABLE t CLONE t")
    session.sql("CREATE OR REPLACE TABLE t CLONE t")
    days(3)
    session.maintain(safe_age=0)
    # its rows are in the folder of a table that is gone
    assert rows(session, "t") == [(1,)]
    assert shared(session) == 2
    assert "gc.enabled" not in metadata(session, "t")["properties"]  # type: ignore[operator]
    maintain_all(session)
    session.sql("INSERT OVERWRITE INTO t VALUES (2)")
    days(3)
    maintain_all(session)
    assert rows(session, "t") == [(2,)]
    assert shared(session) == 0
    assert find_unnamed_files(lake, session) == set()
    assert len([*(lake.folder / "warehouse").iterdir()]) == 1


def test_a_dropped_clone_comes_back_with_its_files(
    lake: Lake, session: Session, days: Later
) -> None:
    session.sql("CREATE TABLE t (id INT) DATA_RETENTION_TIME_IN_DAYS = 0")
    session.sql("INSERT INTO t VALUES (1)")
    session.sql("CREATE TABLE c CLONE t")
    session.sql("ALTER TABLE c SET DATA_RETENTION_TIME_IN_DAYS = 30")
    session.sql("DROP TABLE c")
    session.sql("INSERT OVERWRITE INTO t VALUES (2)")
    days(5)
    session.maintain(safe_age=0)
    session.sql("UNDROP TABLE c")
    assert rows(session, "c") == [(1,)]
    assert find_lost_files(lake, session) == set()


def test_a_temporary_clone_leaves_the_source_as_it_was(
    lake: Lake, session: Session, days: Later
) -> None:
    session.sql("CREATE TABLE t (id INT)")
    session.sql("INSERT INTO t VALUES (1)")
    other = lake.open()
    other.sql("CREATE TEMPORARY TABLE c CLONE t")
    other.sql("CREATE TEMPORARY TABLE d CLONE c")
    other.sql("INSERT INTO c VALUES (2)")
    assert rows(other, "c") == [(1,), (2,)]
    other.close()
    assert rows(session, "t") == [(1,)]
    days(3)
    maintain_all(session)
    assert rows(session, "t") == [(1,)]
    assert shared(session) == 0
    assert find_unnamed_files(lake, session) == set()


def test_a_clone_made_while_the_source_expires_keeps_its_files(
    lake: Lake, session: Session, days: Later, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.sql("CREATE TABLE t (id INT)")
    session.sql("INSERT INTO t VALUES (1)")
    one = session.sql("SELECT LAST_QUERY_ID()").fetchall()[0][0]
    session.sql("INSERT OVERWRITE INTO t VALUES (2)")
    session.sql("INSERT OVERWRITE INTO t VALUES (3)")
    days(2)
    other, find = lake.open(), expiry.expire_and_list_files

    def beside(*arguments: object) -> list[str]:
        found = find(*arguments)  # type: ignore[arg-type]
        other.sql(f"CREATE TABLE c CLONE t AT (STATEMENT => '{one}')")
        return found

    monkeypatch.setattr(expiry, "expire_and_list_files", beside)
    session.maintain(safe_age=0)
    assert rows(session, "c") == [(1,)]
    assert rows(session, "t") == [(3,)]
    assert find_lost_files(lake, session) == find_unnamed_files(lake, session) == set()
    with pytest.raises(VersionExpired):
        session.sql(f"CREATE TABLE d CLONE t AT (STATEMENT => '{one}')")


def test_protection_that_another_engine_takes_away_comes_back(
    lake: Lake, session: Session, days: Later
) -> None:
    session.sql("CREATE TABLE t (id INT)")
    session.sql("INSERT INTO t VALUES (1)")
    session.sql("CREATE TABLE c CLONE t")
    foreign = lake.foreign()
    foreign.sql("ALTER TABLE icemelt.main.public.t SET TBLPROPERTIES ('gc.enabled' = 'true')")
    session.maintain(safe_age=0)
    assert metadata(session, "t")["properties"]["gc.enabled"] == "false"  # type: ignore[index]
    # its own files at one place alone, so that maintenance knows where they are
    foreign.sql(
        "ALTER TABLE icemelt.main.public.t SET TBLPROPERTIES ('write.data.path' = '/elsewhere')"
    )
    with pytest.raises(Never, match=r"write\.data\.path"):
        session.sql("CREATE TABLE d CLONE t")


def test_a_table_of_another_engine_is_never_cloned(lake: Lake, session: Session) -> None:
    lake.foreign().sql("CREATE TABLE icemelt.main.public.f (id INT) USING iceberg").collect()
    with pytest.raises(Never, match="another engine"):
        session.sql("CREATE TABLE c CLONE f")
    assert [row[1] for row in session.sql("SHOW TABLES").fetchall()] == ["f"]


def test_a_file_that_another_table_names_in_the_folder_stays(
    lake: Lake, session: Session, days: Later
) -> None:
    session.sql("CREATE TABLE t (id INT)")
    session.sql("INSERT INTO t VALUES (1)")
    session.sql("CREATE TABLE c CLONE t")
    with session._core.database.read() as connection:
        query = "SELECT metadata_location FROM iceberg_tables WHERE table_name = 'c'"
        location = connection.execute(sa.text(query)).scalar_one()
    foreign = lake.foreign()
    foreign.sql(
        "CALL icemelt.system.register_table(table => 'main.public.again', "
        f"metadata_file => '{location}')"
    ).collect()
    foreign.sql("INSERT INTO icemelt.main.public.again VALUES (2)").collect()
    days(3)
    skipped = session.maintain(safe_age=0).skipped
    assert [each.reason[:13] for each in skipped] == ["Table 'again'"]
    assert rows(session, "again") == [(1,), (2,)]


def test_the_java_library_drops_no_shared_table(lake: Lake, session: Session) -> None:
    session.sql("CREATE TABLE t (id INT)")
    session.sql("INSERT INTO t VALUES (1)")
    session.sql("CREATE TABLE c CLONE t")
    before = present_files(lake)
    spark = lake.foreign()
    spark.sql("SELECT * FROM icemelt.main.public.t").collect()
    java = spark._jsparkSession.sessionState().catalogManager().catalog("icemelt").icebergCatalog()
    parse = spark._jvm.org.apache.iceberg.catalog.TableIdentifier.parse
    for name in ("t", "c"):
        with pytest.raises(Exception, match="shares files with a clone"):
            java.dropTable(parse(f"main.public.{name}"), True)  # noqa: FBT003 - Java
    assert present_files(lake) == before
    assert rows(session, "t") == rows(session, "c") == [(1,)]
    assert named_files(session) <= before


def test_a_clone_is_made_while_others_write(lake: Lake, session: Session) -> None:
    session.sql("CREATE TABLE t (id INT)")
    session.sql("CREATE SCHEMA main.twins")
    session.sql("USE SCHEMA main.public")
    over = threading.Event()
    writer = lake.open()

    def write() -> None:
        for number in itertools.count():
            if over.is_set():
                return
            writer.sql(f"INSERT INTO t VALUES ({number})")

    thread = threading.Thread(target=write)
    thread.start()
    try:
        for number in range(8):
            session.sql(f"CREATE TABLE twins.c{number} CLONE t")
    finally:
        over.set()
        thread.join()
    for number in range(8):
        # what one writer committed before, and no more
        found = rows(session, f"twins.c{number}")
        assert found == [(each,) for each in range(len(found))]
    assert find_lost_files(lake, session) == set()


def test_an_expiry_that_another_engine_has_begun_takes_nothing_of_a_clone(
    lake: Lake, session: Session
) -> None:
    session.sql("CREATE TABLE t (id INT)")
    session.sql("INSERT INTO t VALUES (1)")
    one = session.sql("SELECT LAST_QUERY_ID()").fetchall()[0][0]
    session.sql("INSERT OVERWRITE INTO t VALUES (2)")
    foreign = lake.foreign()
    foreign.sql("SELECT * FROM icemelt.main.public.t").collect()
    java = foreign._jsparkSession.sessionState().catalogManager().catalog("icemelt")
    identifier = foreign._jvm.org.apache.iceberg.catalog.TableIdentifier.parse("main.public.t")
    begun = java.icebergCatalog().loadTable(identifier).expireSnapshots()
    session.sql(f"CREATE TABLE c CLONE t AT (STATEMENT => '{one}')")
    begun.expireOlderThan(2**62).retainLast(1).commit()
    assert rows(session, "c") == [(1,)]
    assert rows(session, "t") == [(2,)]
    assert find_lost_files(lake, session) == set()


@pytest.mark.parametrize("ending", ["COMMIT", "ROLLBACK"])
def test_a_temporary_clone_of_rows_not_committed_keeps_their_files_and_gives_own_ids(
    lake: Lake, session: Session, days: Later, ending: str
) -> None:
    session.sql("CREATE TABLE t (id INT)")
    session.sql("INSERT INTO t VALUES (1)")
    session.sql("ALTER TABLE t SET CHANGE_TRACKING = TRUE")
    session.sql("BEGIN")
    session.sql("INSERT INTO t VALUES (2)")
    session.sql("CREATE TEMPORARY TABLE c CLONE t")
    session.sql(ending)
    session.sql("INSERT INTO t VALUES (3)")
    days(2)
    session.sql("INSERT INTO t VALUES (4)")
    session.sql("DELETE FROM t WHERE id = 4")
    maintain_all(session)
    assert rows(session, "c") == [(1,), (2,)]
    assert rows(session, "t") == [(1,), (2,), (3,)][:: 1 if ending == "COMMIT" else 2]
    assert find_lost_files(lake, session) == set()
    ids = {}
    for table in ("t", "c"):
        session.sql(f"DELETE FROM {table}")
        changes = "CHANGES (INFORMATION => DEFAULT) BEFORE (STATEMENT => LAST_QUERY_ID())"
        read = session.sql(f"SELECT id, METADATA$ROW_ID FROM {table} {changes}").fetchall()
        ids[table] = {row_id: number for number, row_id in read}
    # only the row that was committed is one row in both
    both = ids["t"].keys() & ids["c"].keys()
    assert {ids["t"][row_id] for row_id in both} == {ids["c"][row_id] for row_id in both} == {1}
