"""COPY INTO a location with OVERWRITE replaces what this lake left there, however long ago."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conftest import DAY, ONE_DAY, Lake, TestClock
from icemelt import Session
from icemelt.catalog.edits import CommitRequest
from icemelt.catalog.publishing import publish
from icemelt.session.copy.unload_files import UnloadFolder
from icemelt.session.runtime.core import new_id
from icemelt.session.runtime.stores import hadoop_files
from icemelt.storage.places import ResolvedPath
from icemelt.transactions.external_effects import commit_if_published

pytestmark = pytest.mark.usefixtures("clock")
ONE = "(SELECT 1 AS one)"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "exports"


def test_folders_older_than_the_history_are_replaced(
    lake: Lake, session: Session, place: Path, clock: TestClock
) -> None:
    session.sql("CREATE TABLE t (id INT) DATA_RETENTION_TIME_IN_DAYS = 1")
    _unload(session, place)
    in_block = lake.open()
    in_block.sql("BEGIN")
    _unload(in_block, place)
    in_block.sql("COMMIT")
    clock.set(DAY + 15 * ONE_DAY)
    assert session.maintain().history_rows_pruned > 0
    # what the history remembers from now on does not matter to what it has lost
    session.sql("ALTER TABLE t SET DATA_RETENTION_TIME_IN_DAYS = 90")
    last = _unload(session, place, overwrite=True)
    assert _names(place) == [last]


def test_what_may_be_of_others_or_be_published_yet_stays(
    lake: Lake, session: Session, place: Path, tmp_path: Path, clock: TestClock
) -> None:
    other = Lake(lake.spark, f"{lake.url}-other", tmp_path / "other", clock)
    theirs = _unload(other.open(), place)
    of_no_lake, of_no_time, renamed = (_unload(session, place) for _ in range(3))
    _change_manifest(place / of_no_lake, "lake_id", None)
    _change_manifest(place / of_no_time, "started_at", None)
    _change_manifest(place / renamed, "statement_id", new_id())
    damaged, without = (_unload(session, place) for _ in range(2))
    (place / damaged / "_manifest.json").write_text('{"lake_id"')
    (place / without / "_manifest.json").unlink()
    slow = lake.open()
    slow.sql("BEGIN")
    unpublished = _unload(slow, place)
    # its keeper keeps it alive; its lapse is moved here, as the clock is ours
    with lake.database().write() as connection:
        connection.exec_driver_sql(f"UPDATE icemelt_leases SET expires_at = {DAY + 100 * ONE_DAY}")
    clock.set(DAY + 15 * ONE_DAY)
    assert session.maintain().history_rows_pruned > 0
    kept = {theirs, of_no_lake, of_no_time, renamed, damaged, without}
    young = lake.open()
    young.sql("BEGIN")
    also_unpublished = _unload(young, place)
    first = _unload(session, place, overwrite=True)
    assert set(_names(place)) == {*kept, unpublished, also_unpublished, first}
    slow.sql("COMMIT")
    young.sql("COMMIT")
    assert session.maintain().history_rows_pruned > 0
    second = _unload(session, place, overwrite=True)
    assert set(_names(place)) == {*kept, second}
    other.close()


def test_what_a_killed_transaction_left_is_replaced_when_it_is_old(
    lake: Lake, session: Session, place: Path, clock: TestClock
) -> None:
    dead = lake.open()
    dead.sql("BEGIN")
    left = _unload(dead, place)
    dead._core.settings.transaction._lease.end()  # its process is no more, nobody keeps it alive
    clock.set(DAY + 13 * ONE_DAY)
    assert session.maintain().transactions_closed == 1
    first = _unload(session, place, overwrite=True)
    assert set(_names(place)) == {left, first}
    clock.set(DAY + 15 * ONE_DAY)
    second = _unload(session, place, overwrite=True)
    assert _names(place) == [second]


@pytest.mark.parametrize("is_published", [True, False])
def test_an_interrupt_after_the_commit_loses_no_replacement(
    lake: Lake, session: Session, place: Path, *, is_published: bool
) -> None:
    for name in ("old", "new"):
        (place / name).mkdir(parents=True)
    database = lake.database()
    there = ResolvedPath(str(place), str(place), is_local=True, is_guarded=False)
    folder = UnloadFolder(hadoop_files(session._core.iceberg), there, "new", ("old",))
    commit = CommitRequest(new_id(), session._core.session_id, "tester", ())

    def interrupted() -> None:
        with commit_if_published(database, commit.transaction_id, [folder]):
            if is_published:
                publish(database, commit)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert [each.name for each in place.iterdir()] == ["new" if is_published else "old"]


def _unload(session: Session, place: Path, *, overwrite: bool = False) -> str:
    """Unload a row into a folder of its own; return its name."""
    rest = "OVERWRITE = TRUE" if overwrite else ""
    result = session.sql(f"COPY INTO '{place}' FROM {ONE} {rest}")
    return f"data_{result.statement_id}"


def _names(place: Path) -> list[str]:
    return [each.name for each in place.iterdir()]


def _change_manifest(folder: Path, key: str, value: str | None) -> None:
    """Change a manifest; without a value it is as those of a version that did not write it."""
    file = folder / "_manifest.json"
    manifest = json.loads(file.read_text())
    del manifest[key]
    file.write_text(json.dumps(manifest if value is None else {**manifest, key: value}))
