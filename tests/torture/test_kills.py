"""Writers killed at random moments: what was acknowledged is there once, the rest whole or not.

ICEMELT_TORTURE_MINUTES says how long, ICEMELT_TORTURE_SEED which moments.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from journal import Journal
from pyspark.sql import SparkSession

from conftest import Lake, sqlite_url
from icemelt import Session
from icemelt.catalog.database import system_clock

MINUTES = float(os.environ.get("ICEMELT_TORTURE_MINUTES", "60"))
SEED = os.environ.get("ICEMELT_TORTURE_SEED", str(time.time_ns()))
WRITERS = 2
# a statement publishes in some twenty steps
CHANCE = 0.01
LONGEST_SECONDS = 12
START_SECONDS = 180


@dataclass
class Writer:
    """A writer's process, and what it told."""

    name: str
    process: subprocess.Popen[str]
    journal: Journal = field(default_factory=Journal)
    is_ready: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self.listener = threading.Thread(target=self._listen, daemon=True)
        self.listener.start()

    def kill(self) -> bool:
        """Kill it, and hear the rest; tell whether it had killed itself before."""
        by_itself = self.process.poll() is not None
        self.process.send_signal(signal.SIGKILL)
        assert self.process.wait() == -signal.SIGKILL, "the writer failed"
        self.listener.join()
        return by_itself

    def _listen(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as lines:
            for line in lines:
                if line.endswith("\n"):
                    told = json.loads(line)
                    self.journal.hear(told)
                    self.is_ready.set()
        self.is_ready.set()


@dataclass
class Counts:
    """What a run did."""

    kills: int = 0
    in_publish: int = 0
    acknowledged: int = 0
    refused: int = 0
    kept: int = 0
    lost: int = 0
    commits: int = 0
    rows: int = 0


@pytest.mark.torture
def test_killed_writers_leave_every_statement_whole(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "warehouse").mkdir()
    lake = Lake(spark, sqlite_url(tmp_path), tmp_path, system_clock)
    session = lake.open()
    session.sql("CREATE TABLE t (writer VARCHAR, n INT, part INT, v INT)")
    session.sql("CREATE TABLE u (writer VARCHAR, n INT, part INT)")
    choose = random.Random(SEED)  # noqa: S311 - chance is what is wanted
    counts, checked = Counts(), 0
    deadline = time.monotonic() + MINUTES * 60
    names = (f"w{number}" for number in range(1_000_000))
    running = [_start(tmp_path, next(names), choose) for _ in range(WRITERS)]
    while time.monotonic() < deadline:
        victim = choose.choice(running)
        assert victim.is_ready.wait(START_SECONDS)
        time.sleep(choose.uniform(0, LONGEST_SECONDS))
        counts.in_publish += victim.kill()
        counts.kills += 1
        running[running.index(victim)] = _start(tmp_path, next(names), choose)
        _settle(session, victim, counts)
        checked = _commits_add_up(session, checked, counts)
        _row_ids_are_unique(lake, counts)
    for writer in running:
        writer.kill()
        _settle(session, writer, counts)
    _commits_add_up(session, checked, counts)
    lake.close()
    with capsys.disabled():
        print(f"\nseed {SEED}, {MINUTES:g} minutes: {counts}")  # noqa: T201 - the result


def _start(folder: Path, name: str, choose: random.Random) -> Writer:
    program = Path(__file__).with_name("writer.py")
    seed = str(choose.random())
    command = [sys.executable, str(program), str(folder), name, seed, str(CHANCE)]
    return Writer(name, subprocess.Popen(command, stdout=subprocess.PIPE, text=True))


def _settle(session: Session, writer: Writer, counts: Counts) -> None:
    name = writer.name
    in_t = session.sql("SELECT n, part, v FROM t WHERE writer = :name", name=name).fetchall()
    in_u = session.sql("SELECT n, part FROM u WHERE writer = :name", name=name).fetchall()
    kept = writer.journal.settle(Counter(in_t), Counter(in_u))
    counts.kept += kept is True
    counts.lost += kept is False
    counts.acknowledged += writer.journal.acknowledged
    counts.refused += writer.journal.refused


def _commits_add_up(session: Session, checked: int, counts: Counts) -> int:
    """Check old state + changes = new state for each commit on t after `checked`."""
    columns = "writer, n, part, v"
    history = session.sql("DESC HISTORY t")
    version, statement = (history.columns.index(c) for c in ("version", "statement_id"))
    versions = sorted((row[version], row[statement]) for row in history.fetchall())
    after = [each for each in versions if each[0] >= checked]
    for (_, start), (number, end) in itertools.pairwise(after):
        old, new = (
            Counter(session.sql(f"SELECT {columns} FROM t AT (STATEMENT => '{at}')").fetchall())
            for at in (start, end)
        )
        interval = f"AT (STATEMENT => '{start}') END (STATEMENT => '{end}')"
        changes = session.sql(f"SELECT METADATA$ACTION, {columns} FROM t CHANGES {interval}")
        for action, *row in changes.fetchall():
            old[tuple(row)] += 1 if action == "INSERT" else -1
        assert +old == new, number
        assert min(old.values(), default=0) >= 0, number
        counts.commits += 1
    return after[-1][0]


def _row_ids_are_unique(lake: Lake, counts: Counts) -> None:
    for table in ("t", "u"):
        found = f"SELECT count(*), count(DISTINCT _row_id) FROM icemelt.main.public.{table}"
        rows, ids = lake.foreign().sql(found).first()
        assert rows == ids, table
        counts.rows = max(counts.rows, rows)
