"""Killed at any step of a clone, a DROP or maintenance, no table loses a file of another's.

ICEMELT_TORTURE_SEED chooses other steps, ICEMELT_TORTURE_CLONE_KILLS how many.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from rotation import this_turn
from session import clone_victim
from session.shared_files import find_lost_files, find_unnamed_files

from conftest import Lake
from icemelt import Session
from icemelt.catalog.queries import retention

SEED = os.environ.get("ICEMELT_TORTURE_SEED", str(this_turn()))
KILLS = int(os.environ.get("ICEMELT_TORTURE_CLONE_KILLS", "3"))
LATEST_STEP = 900
PROGRAM = Path(clone_victim.__file__)
ROWS = [(number,) for number in range(5)]


@pytest.mark.slow
def test_killed_anywhere_every_table_has_its_files(
    lake: Lake, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "GRACE", clone_victim.GRACE)
    session.sql("ALTER SCHEMA main.public SET DATA_RETENTION_TIME_IN_DAYS = 0")
    session.sql("CREATE TABLE t (id INT)")
    session.sql("INSERT INTO t SELECT id FROM VALUES (0), (1), (2) AS given(id)")
    session.sql("INSERT INTO t VALUES (3), (4), (5)")
    session.sql("DELETE FROM t WHERE id = 5")
    session.sql("CREATE TABLE w CLONE t")
    choose = random.Random(SEED)  # noqa: S311 - chance is what is wanted
    for number in range(KILLS):
        step = choose.randrange(1, LATEST_STEP)
        story = kill(lake, f"{SEED} {number}", step)
        check(lake, session, f"seed {SEED}, step {step}: {story}")
    for _ in range(3):
        assert session.maintain(safe_age=0).skipped == ()
    check(lake, session, f"seed {SEED}, after maintenance")
    assert find_unnamed_files(lake, session) == set()


def kill(lake: Lake, seed: str, step: int) -> str:
    """Run the victim until it kills itself; return what it did."""
    command = [sys.executable, str(PROGRAM), str(lake.folder), seed, str(step)]
    paths = os.pathsep.join(sys.path)
    victim = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
        timeout=600,
        env={**os.environ, "PYTHONPATH": paths},
    )
    told = [json.loads(line) for line in victim.stdout.splitlines()]
    assert victim.returncode == -signal.SIGKILL, told[-3:]
    assert "killed_at" in told[-1], told[-3:]
    assert any("done" in each for each in told) or step < 100, told[-3:]
    return "; ".join(" ".join(map(str, each.values())) for each in told)


def check(lake: Lake, session: Session, story: str) -> None:
    assert find_lost_files(lake, session) == set(), story
    tables = session.sql("SHOW TABLES IN DATABASE main").fetchall()
    assert {"t", "w"} <= {row[1] for row in tables}, story
    for row in tables:
        found = sorted(session.sql(f"SELECT id FROM main.{row[3]}.{row[1]}").fetchall())
        assert row[1] == "w" or found == ROWS, f"{row[1]}: {story}"
