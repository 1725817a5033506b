"""Schedulers are killed, and stopped past their leases, at any step: a run has its effect once.

ICEMELT_TORTURE_SEED chooses other steps, ICEMELT_TORTURE_TASK_KILLS how many on each catalog in
`make torture`.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import pytest
import sqlalchemy as sa
from receiver import Receiver, receiving
from rotation import this_turn
from session import scheduler_victim
from session.scheduler_victim import LAPSE, LATEST_STEP
from transactions.registry_checks import nothing_is_half_written

from conftest import Lake
from icemelt import Session
from icemelt.catalog.model import webhooks
from icemelt.catalog.schedulers import tell_registry
from icemelt.catalog.task_runs import read_root_state
from icemelt.session.tasks.hosts import SessionHost
from icemelt.session.tasks.scheduler import Scheduler, SchedulerOptions
from icemelt.session.tasks.webhooks import WebhookOptions, WebhookSender
from icemelt.tasks.events import TaskExecuted

SEED = os.environ.get("ICEMELT_TORTURE_SEED", str(this_turn()))
KILLS = 10
TORTURE_KILLS = int(os.environ.get("ICEMELT_TORTURE_TASK_KILLS", "250"))
PATIENCE = 60
STOPPED = "a stop past the lease"
RUN = "SYSTEM$TASK_RUNTIME_INFO('CURRENT_TASK_GRAPH_RUN_GROUP_ID')::INT"
SETUP = (
    "CREATE TABLE source (id INT)",
    "CREATE STREAM news ON TABLE source",
    "CREATE TABLE copied (id INT)",
    "CREATE TABLE single (run INT)",
    "CREATE TABLE first (run INT)",
    "CREATE TABLE second (run INT)",
    "CREATE TABLE ends (run INT)",
    # one statement
    f"""CREATE TASK load TASK_AUTO_RETRY_ATTEMPTS = 5 ERROR_INTEGRATION = '{{url}}'
SUCCESS_INTEGRATION = '{{url}}' AS INSERT INTO single SELECT {RUN}""",
    # one statement that consumes a stream
    "CREATE TASK copy AFTER load AS INSERT INTO copied SELECT id FROM news",
    # one transaction
    f"""CREATE TASK both AFTER load AS BEGIN
BEGIN TRANSACTION; INSERT INTO first SELECT {RUN}; INSERT INTO second SELECT {RUN}; COMMIT;
END""",
    f"CREATE TASK finish FINALIZE = load AS INSERT INTO ends SELECT {RUN}",
    "ALTER TASK finish RESUME",
    "ALTER TASK copy RESUME",
    "ALTER TASK both RESUME",
)


@dataclass
class Killing:
    """The program that forks victims of one lake, and how many runs were asked for."""

    lake: Lake
    session: Session
    seed: str
    places: Counter[str]
    runs: int = 0
    rows: int = 0
    story: list[dict[str, Any]] = field(default_factory=list)
    root_id: str = ""

    def __post_init__(self) -> None:
        command = [sys.executable, scheduler_victim.__file__, self.lake.url]
        self.program = subprocess.Popen(
            [*command, str(self.lake.folder / "warehouse")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )

    def kill(self, number: int) -> None:
        """Ask for a run, and let a victim work on it until it is killed, or stopped and killed."""
        choose = random.Random(f"{self.seed} {number}")  # noqa: S311 - chance is what is wanted
        plan = {
            "step": choose.randint(1, LATEST_STEP),
            "is_stopped": choose.random() < 0.3,
            "seconds": 20,
        }
        self.story = [{"plan": plan}]
        self.session.sql(f"INSERT INTO source VALUES ({self.rows})")
        self.rows += 1
        self.execute()
        self.write(plan)
        told = self.hear("stopped", "end")
        if "stopped" in told:
            self.places[STOPPED] += 1
            # others take the run over, then the stopped one goes on
            self.finish()
            self.write({})
            told = self.hear("end")
        assert told == {"end": -signal.SIGKILL}, self.story

    def execute(self) -> None:
        """Have the graph run once."""
        tell_registry(self.session._core.database, self.root_id, TaskExecuted())
        self.runs += 1

    def finish(self) -> None:
        """Run what is left by a scheduler that lives."""
        options = SchedulerOptions(parallel=2, poll_seconds=0.05, lease_seconds=LAPSE)
        with Scheduler(SessionHost(self.session), options):
            end = time.monotonic() + PATIENCE
            while self.is_at_work():
                assert time.monotonic() < end, (self.story, self.history())
                time.sleep(0.05)

    def is_at_work(self) -> bool:
        """Tell whether a run of the graph is not over."""
        with self.session._core.database.read() as connection:
            state = read_root_state(connection, self.root_id)
        assert state is not None
        return bool(state.active) or state.queued is not None

    def history(self) -> list[tuple[Any, ...]]:
        """Return the rows of the history: run, task, attempt, state and error."""
        with self.session._core.database.read() as connection:
            rows = connection.exec_driver_sql(
                "SELECT run_id, task, attempt, state, error_code FROM icemelt_task_runs"
            )
            return [tuple(row) for row in rows]

    def write(self, plan: dict[str, Any]) -> None:
        assert self.program.stdin is not None
        self.program.stdin.write(json.dumps(plan) + "\n")
        self.program.stdin.flush()

    def hear(self, *words: str) -> dict[str, Any]:
        """Return the next answer of the program that has one of the words."""
        assert self.program.stdout is not None
        while True:
            told = json.loads(self.program.stdout.readline())
            self.story.append(told)
            if "place" in told:
                self.places[told["place"]] += 1
            if told.keys() & {*words}:
                return dict(told)

    def close(self) -> None:
        """End the program, and Java with it."""
        assert self.program.stdin is not None
        assert self.program.stdout is not None
        self.program.stdin.close()
        self.program.stdout.close()
        self.program.wait()


@pytest.mark.slow
def test_killed_schedulers_run_each_body_once(any_lake: Lake) -> None:
    kill_schedulers(any_lake, KILLS, Counter())


@pytest.mark.torture
def test_hundreds_of_killed_schedulers_run_each_body_once(
    any_lake: Lake, capsys: pytest.CaptureFixture[str]
) -> None:
    places, began = Counter[str](), time.monotonic()
    try:
        kill_schedulers(any_lake, TORTURE_KILLS, places)
    finally:
        stopped, seconds = places.pop(STOPPED, 0), time.monotonic() - began
        with capsys.disabled():
            print(  # noqa: T201
                f"\nseed {SEED}: {places.total()} kills, {stopped} of them after a stop past the "
                f"lease, at {len(places)} steps, in {seconds:.0f} s"
            )


def kill_schedulers(lake: Lake, wanted: int, places: Counter[str]) -> None:
    """Kill schedulers, and check what the next scheduler makes of what they leave."""
    with receiving() as receiver:
        _kill_schedulers(lake, receiver, wanted, places)


def _kill_schedulers(lake: Lake, receiver: Receiver, wanted: int, places: Counter[str]) -> None:
    session = lake.open()
    # its Spark starts meanwhile
    killing = Killing(lake, session, SEED, places)
    try:
        for statement in SETUP:
            session.sql(statement.replace("{url}", receiver.url))
        tasks = {row[1]: row[2] for row in session.sql("SHOW TASKS").fetchall()}
        killing.root_id = tasks["load"]
        for number in range(wanted):
            killing.kill(number)
            killing.finish()
            check(killing)
        check_webhooks(killing, receiver)
    finally:
        killing.close()


def check(killing: Killing) -> None:
    """Check that each run has its effect once where the history says so, and else not at all."""
    story = killing.story
    history = killing.history()
    for task, tables in (("load", ["single"]), ("both", ["first", "second"]), ("finish", ["ends"])):
        ended = Counter(run for run, name, _, state, _ in history if (name, state) == (task, DONE))
        # the finalizer runs after each attempt
        most = set(ended.values()) if task == "finish" else {1}
        assert set(ended.values()) <= most, (story, history)
        for table in tables:
            rows = killing.session.sql(f"SELECT run, COUNT(*) FROM {table} GROUP BY run").fetchall()
            assert dict(rows) == ended, (table, story, history)
    # five attempts more than there are kills: no run is given up
    done = {run for run, task, _, state, _ in history if (task, state) == ("load", DONE)}
    assert done == set(range(1, killing.runs + 1)), (story, history)
    copied = killing.session.sql("SELECT id, COUNT(*) FROM copied GROUP BY id").fetchall()
    assert dict(copied) == dict.fromkeys(range(killing.rows), 1), (story, history)
    with killing.session._core.database.read() as connection:
        nothing_is_half_written(connection)


def check_webhooks(killing: Killing, receiver: Receiver) -> None:
    """Check that each end was told, under one id each, whoever was killed before or after."""
    sender = WebhookSender(killing.session._core.database, WebhookOptions())
    sender.start()
    end = time.monotonic() + PATIENCE + WebhookOptions().claim_seconds
    try:
        while owed := _owed(killing):
            assert time.monotonic() < end, owed
            time.sleep(0.1)
    finally:
        sender.stop()
    told: dict[str, tuple[str, str, int, int]] = {}
    for received in receiver.received:
        document = received.document
        [message] = document["messages"]
        run = (message["graphRunGroupId"], message["attemptNumber"])
        told[received.id] = (document["messageType"], document["taskName"], *run)
    history = killing.history()
    failed = Counter(
        ("USER_TASK_FAILED", f"main.public.{task}", run, attempt)
        for run, task, attempt, state, _ in history
        if state == "FAILED"
    )
    counted = Counter(told.values())
    assert {key: times for key, times in counted.items() if key[0] == "USER_TASK_FAILED"} == failed
    succeeded = Counter(key[2] for key in counted.elements() if key[0] == "USER_TASK_SUCCEEDED")
    assert succeeded == Counter(range(1, killing.runs + 1))


def _owed(killing: Killing) -> list[Any]:
    with killing.session._core.database.read() as connection:
        is_owed = webhooks.c.next_at.is_not(None)
        return list(connection.execute(sa.select(webhooks).where(is_owed)))


DONE = "SUCCEEDED"
