"""Killed at any step of its body, a task's run has its success if and only if it has its effect.

ICEMELT_TORTURE_BODY_KILLS says at how many steps, 0 for all; the turn of the tests chooses others.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from rotation import this_turn
from session import body_victim
from session.body_edits import MARK, find_success, make_edits
from session.task_contexts import context_of, make_task

from conftest import Lake
from icemelt.catalog.edits import Options, SetObjectOptions
from icemelt.session.session import Session, core_of
from icemelt.session.tasks.running import run_task_body
from icemelt.tasks.states import RunState
from icemelt.transactions.pending import Pending

KILLS = int(os.environ.get("ICEMELT_TORTURE_BODY_KILLS", "2"))
PROGRAM = Path(body_victim.__file__)
ONE_STATEMENT = "INSERT INTO copy SELECT id FROM s"
ONE_TRANSACTION = (
    "BEGIN BEGIN TRANSACTION; DELETE FROM copy WHERE id < 0; INSERT INTO copy SELECT id FROM s; "
    "COMMIT; END"
)
TWO_TRANSACTIONS = "BEGIN INSERT INTO copy SELECT id FROM s; INSERT INTO other VALUES (1); END"
WITH_TEMPORARY = (
    "BEGIN CREATE TEMPORARY TABLE b AS SELECT 1 AS id; INSERT INTO copy SELECT id FROM s; "
    "INSERT INTO other SELECT id FROM b; DROP TABLE b; END"
)
THROUGH_TEMPORARY = (
    "BEGIN BEGIN TRANSACTION; CREATE TEMPORARY TABLE b AS SELECT id FROM s; "
    "INSERT INTO copy SELECT id FROM b; COMMIT; END"
)
AT_LEAST_ONCE = (TWO_TRANSACTIONS, WITH_TEMPORARY)


@pytest.mark.slow
@pytest.mark.parametrize(
    "body", [ONE_STATEMENT, ONE_TRANSACTION, THROUGH_TEMPORARY, *AT_LEAST_ONCE]
)
def test_killed_anywhere_a_run_is_done_with_its_effect_or_not_done(
    any_lake: Lake, body: str
) -> None:
    session = any_lake.open()
    for text in (
        f"CREATE SCHEMA {MARK}",
        "USE SCHEMA public",
        "CREATE TABLE t (id INT)",
        "CREATE TABLE copy (id INT)",
        "CREATE TABLE other (id INT)",
        "CREATE STREAM s ON TABLE t",
        "INSERT INTO t VALUES (0)",
    ):
        session.sql(text)
    told = kill(any_lake, 0, body, 0)
    assert told[-1] == {"state": "SUCCEEDED"}
    check(session, 0, body, "without a kill")
    steps = range(1, len(told))
    if KILLS:
        steps = sorted(random.Random(this_turn()).sample(steps, KILLS))  # noqa: S311 - chance
    for run_id, step in enumerate(steps, 1):
        forget_success(session)
        session.sql(f"INSERT INTO t VALUES ({run_id})")
        place = kill(any_lake, run_id, body, step)[-1]["step"]
        check(session, run_id, body, f"killed at step {step}, {place}")


def kill(lake: Lake, run_id: int, body: str, step: int) -> list[dict[str, Any]]:
    """Run the victim until it ends or kills itself; return what it told."""
    arguments = [lake.url, str(lake.folder / "warehouse"), str(run_id), body, str(step)]
    victim = subprocess.run(
        [sys.executable, str(PROGRAM), *arguments],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
        timeout=300,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    told = [json.loads(line) for line in victim.stdout.splitlines()]
    assert victim.returncode == (-signal.SIGKILL if step else 0), told[-3:]
    return told


def check(session: Session, run_id: int, body: str, story: str) -> None:
    """Check what is there after a kill; run the next attempt where the run is not done."""
    is_done = find_success(session) is not None
    copied = (run_id,) in session.sql("SELECT id FROM copy").fetchall()
    has_data = session.sql("SELECT SYSTEM$STREAM_HAS_DATA('s')").fetchall()[0][0]
    others = session.sql("SELECT COUNT(*) FROM other").fetchall()[0][0]
    assert copied is not has_data, story
    if body not in AT_LEAST_ONCE:
        assert copied is is_done, story
    elif body == TWO_TRANSACTIONS:
        # its second statement carries the success
        assert (others == run_id + 1) is is_done, story
        assert copied or not is_done, story
    if not is_done:
        context = context_of(make_task("t", body), run_id=run_id, attempt=2)
        outcome = run_task_body(core_of(session), context, make_edits(session))
        assert (outcome.state, outcome.is_success_published) == (RunState.SUCCEEDED, True), story
    rows = sorted(session.sql("SELECT id FROM copy").fetchall())
    assert rows == [(number,) for number in range(run_id + 1)], story
    if body in AT_LEAST_ONCE:
        assert len(session.sql("SELECT * FROM other").fetchall()) == run_id + 1, story


def forget_success(session: Session) -> None:
    schema = core_of(session).schema_of("main", MARK).object_id
    edit = SetObjectOptions(schema, Options())
    core_of(session).run_alone(lambda _attempt: Pending(None, None, edits=(edit,)))
