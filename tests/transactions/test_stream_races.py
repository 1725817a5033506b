"""Sessions consume one stream at once, while others write its source: each row arrives once."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from transactions.stream_racer import (
    CONSUME,
    SETUP,
    SETUP_ON_VIEW,
    everything_arrived_once,
    race,
)

from conftest import Lake, sqlite_url
from icemelt import Session
from icemelt.catalog.database import Database, system_clock
from icemelt.catalog.open_transactions import list_locks, list_open_transactions
from icemelt.catalog.queries.finding import find_streams
from icemelt.session.opening import open_session

# what each session shall do, and how long it may take on a busy machine
ENOUGH = 2
LONGEST_SECONDS = 150
MINUTES = float(os.environ.get("ICEMELT_TORTURE_MINUTES", "10"))
ROLES = ("writer", "alone", "alone", "transactions", "frames")
# eight that consume and four that write, in three processes
PROCESSES = (
    ("writer", "alone", "alone", "transactions"),
    ("writer", "alone", "transactions", "frames"),
    ("writer", "writer", "alone", "frames"),
)


@pytest.mark.slow
@pytest.mark.parametrize("setup", [SETUP, SETUP_ON_VIEW], ids=["table", "view"])
def test_threads_consume_each_row_once(
    lake: Lake, capsys: pytest.CaptureFixture[str], setup: Sequence[str]
) -> None:
    session = _prepared(lake, setup)
    sessions = [(role, lake.open(user=role)) for role in ROLES]
    with _frontier_watched(lake.database()) as seen:
        done = race(sessions, LONGEST_SECONDS, ENOUGH)
    with capsys.disabled():
        print(f"\n{dict(zip(ROLES, done, strict=True))}, {len(set(seen))} frontiers")  # noqa: T201
    assert min(done) >= ENOUGH, "a session has starved"
    everything_arrived_once(session, done[ROLES.index("writer")])


@pytest.mark.torture
def test_processes_consume_each_row_once(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "warehouse").mkdir()
    lake = Lake(spark, sqlite_url(tmp_path), tmp_path, system_clock)
    session = _prepared(lake)
    program = str(Path(__file__).with_name("stream_racer.py"))
    with _frontier_watched(lake.database()) as seen:
        running = [
            subprocess.Popen(
                [sys.executable, program, str(tmp_path), str(MINUTES * 60), *roles],
                stdout=subprocess.PIPE,
                text=True,
            )
            for roles in PROCESSES
        ]
        told = [process.communicate()[0] for process in running]
    assert [process.returncode for process in running] == [0, 0, 0]
    with capsys.disabled():
        print(f"\n{MINUTES:g} minutes: {told}, {len(set(seen))} frontiers")  # noqa: T201
    everything_arrived_once(session, None)
    lake.close()


def test_a_session_that_nobody_has_any_more_is_rolled_back(lake: Lake) -> None:
    session = _prepared(lake)
    database = lake.database()
    left = open_session(lake.spark, lake.database(), user="left")
    left.sql("BEGIN")
    left.sql(CONSUME)
    gone = weakref.ref(left._core.settings.transaction)
    # garbage is collected inside a write transaction: what it closes must not wait for that
    with database.write():
        started = time.monotonic()
        del left
        gc.collect()
        assert gone() is None
        assert time.monotonic() - started < 5
    deadline = time.monotonic() + 10
    while _open_and_locked(database) != (0, 0):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    session.sql(CONSUME)
    database.close()


def _prepared(lake: Lake, setup: Sequence[str] = SETUP) -> Session:
    session = lake.open()
    for statement in setup:
        session.sql(statement)
    return session


def _open_and_locked(database: Database) -> tuple[int, int]:
    with database.read() as connection:
        return len(list_open_transactions(connection)), len(list_locks(connection))


@contextmanager
def _frontier_watched(database: Database) -> Iterator[list[tuple[int, int]]]:
    """Note where the stream's frontier is, and check that it only rises."""
    stop, seen = threading.Event(), []

    def watch() -> None:
        while not stop.wait(0.05):
            with database.read() as connection:
                frontier = find_streams(connection, database)[0].frontier
            seen.append((frontier.move_count, frontier.commit_number))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield seen
    finally:
        stop.set()
        watcher.join()
        database.close()
    moves, commits = zip(*seen, strict=True)
    assert list(moves) == sorted(moves)
    assert list(commits) == sorted(commits)
