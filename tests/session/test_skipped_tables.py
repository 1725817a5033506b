"""A table that cannot be maintained is named with the reason; all the others are maintained."""

from __future__ import annotations

import json
import logging
import threading
import time
from pathlib import Path

import pytest

from conftest import DAY, ONE_DAY, Lake, TestClock
from icemelt import Session
from icemelt.cli.formats import ReportFormat
from icemelt.cli.lake import Lake as NamedLake
from icemelt.cli.maintain_command import run_maintenance
from icemelt.errors import CatalogUnavailable, StatementCancelled
from icemelt.session.background_maintenance import start_background_maintenance
from icemelt.session.maintenance import Skipped
from icemelt.session.runtime.core import new_id
from icemelt.transactions.transaction import hold_reservation

pytestmark = pytest.mark.usefixtures("clock")
PATIENCE_SECONDS = 60
NAMES = ("a", "b", "c")


@pytest.fixture
def damaged(lake: Lake, session: Session, clock: TestClock) -> Session:
    """A lake of three tables with versions past retention; a file of the second is lost."""
    for name in NAMES:
        session.sql(f"CREATE TABLE {name} (id INT)")
        for number in range(3):
            session.sql(f"INSERT OVERWRITE INTO {name} VALUES ({number})")
    [first, *_] = sorted(_folder(lake, "b").glob("metadata/snap-*.avro"), key=_made)
    first.unlink()
    clock.set(DAY + 20 * ONE_DAY)
    return session


@pytest.mark.turns(8)
def test_a_missing_manifest_list_is_told_and_keeps_no_other_table(
    lake: Lake, damaged: Session
) -> None:
    done = damaged.maintain()
    [skipped] = done.skipped
    assert skipped.table == "main.public.b"
    assert "snap-" in skipped.reason
    assert "missing or damaged" in skipped.reason
    assert done.versions_expired == 6
    assert done.history_rows_pruned > 0
    assert [len(_data_files(lake, name)) for name in NAMES] == [1, 3, 1]
    again = damaged.maintain()
    assert [each.table for each in again.skipped] == ["main.public.b"]
    assert damaged.sql("SELECT id FROM b").fetchall() == [(2,)]


def test_what_was_done_to_a_table_before_it_failed_is_counted(
    lake: Lake, session: Session, clock: TestClock
) -> None:
    for name in ("t", "u"):
        session.sql(f"CREATE TABLE {name} (id INT)")
        for number in range(9):
            session.sql(f"INSERT INTO {name} VALUES ({number})")
    # another engine's word that Iceberg can make nothing of, but only when it compacts
    lake.foreign().sql(
        "ALTER TABLE icemelt.main.public.t"
        " SET TBLPROPERTIES ('write.target-file-size-bytes' = 'a lot')"
    )
    clock.set(DAY + 2 * ONE_DAY)
    done = session.maintain()
    [skipped] = done.skipped
    assert skipped.table == "main.public.t"
    assert "a lot" in skipped.reason
    assert (done.versions_expired, done.tables_compacted) == (18, 1)
    assert sorted(session.sql("SELECT id FROM t").fetchall()) == [(each,) for each in range(9)]


def test_a_table_that_another_writer_has_reserved_is_told(
    lake: Lake, session: Session, clock: TestClock
) -> None:
    session.sql("CREATE TABLE t (id INT)")
    session.sql("INSERT INTO t VALUES (1)")
    clock.set(DAY + 2 * ONE_DAY)
    table_id = _folder(lake, "t").name.removeprefix("t-")
    with hold_reservation(lake.database(), [table_id], new_id()):
        done = session.maintain()
    assert done.skipped == (Skipped("main.public.t", "Other writers were first each time."),)
    assert session.maintain().versions_expired == 1


def test_a_run_that_is_cancelled_skips_no_table_for_it(damaged: Session) -> None:
    ended = threading.Event()

    def cancel_at_once() -> None:
        while not ended.is_set():
            damaged.cancel()
            time.sleep(0.01)

    thread = threading.Thread(target=cancel_at_once)
    thread.start()
    with pytest.raises(StatementCancelled):
        damaged.maintain(safe_age=0)
    ended.set()
    thread.join()


@pytest.mark.slow
def test_the_command_prints_each_with_its_reason(
    lake: Lake, damaged: Session, capsys: pytest.CaptureFixture[str]
) -> None:
    named = NamedLake(str(lake.folder))
    assert run_maintenance(named, None, ReportFormat.TEXT) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("Table 'main.public.b' is left for the next time: File '")
    assert last.endswith("is missing or damaged.")
    assert run_maintenance(named, None, ReportFormat.JSON) == 0
    [document] = json.loads(capsys.readouterr().out)
    [skipped] = document["skipped"]
    assert skipped["table"] == "main.public.b"
    assert "missing or damaged" in skipped["reason"]


@pytest.mark.turns(8)
def test_the_regular_one_goes_on_and_logs_what_it_met(
    lake: Lake, damaged: Session, caplog: pytest.LogCaptureFixture
) -> None:
    failures: list[Exception] = [RuntimeError("no thread"), CatalogUnavailable("away", hint="")]

    def open_in_the_end() -> Session:
        if failures:
            raise failures.pop(0)
        return lake.open()

    with caplog.at_level(logging.INFO, logger="icemelt.maintenance"):
        thread = start_background_maintenance(lake.database(), open_in_the_end, damaged.ended, 0.1)
        deadline = time.monotonic() + PATIENCE_SECONDS
        while len(_messages(caplog)) < 3 and time.monotonic() < deadline:
            time.sleep(0.1)
        assert thread.is_alive()
        damaged.close()
        thread.join(PATIENCE_SECONDS)
    [unknown, known, skipped, *_] = _messages(caplog)
    assert unknown == ("ERROR", "Maintenance failed, and is tried again later.")
    assert known == ("INFO", "Maintenance failed, and is tried again later: away")
    assert skipped[1].startswith("Table 'main.public.b' is left for the next time: File '")
    assert len(_data_files(lake, "c")) == 1


def _messages(caplog: pytest.LogCaptureFixture) -> list[tuple[str, str]]:
    """Return what the thread says of its runs: what these did is told by events, as other lines."""
    return [
        (each.levelname, each.getMessage())
        for each in caplog.records
        if each.name == "icemelt.maintenance" and not hasattr(each, "icemelt_event")
    ]


def _folder(lake: Lake, table: str) -> Path:
    [found] = (lake.folder / "warehouse").glob(f"{table}-*")
    return found


def _data_files(lake: Lake, table: str) -> list[Path]:
    return list(_folder(lake, table).glob("data/[!.]*"))


def _made(file: Path) -> int:
    return file.stat().st_mtime_ns
