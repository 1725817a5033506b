"""Of many that want to execute one run, one does; what many tell at once is all written."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from datetime import timedelta
from pathlib import Path
from threading import Barrier

import pytest
from registered_tasks import RegisteredTasks
from run_machine import LEASE

from conftest import TestClock
from icemelt.catalog.database import Database
from icemelt.catalog.task_edits import ApplyTaskEvent
from icemelt.catalog.task_runs import apply_task_event
from icemelt.errors import IcemeltError
from icemelt.tasks.errors import RunLost
from icemelt.tasks.events import (
    ClaimGranted,
    Decision,
    Event,
    RunClaimed,
    RunEnded,
    RunsCancelled,
    TaskExecuted,
    TimePassed,
)
from icemelt.tasks.states import RunState

_PROGRAM = Path(__file__).with_name("claim_runs.py")


@pytest.fixture
def tasks(registry: Database, clock: TestClock) -> RegisteredTasks:
    clock.set(int(time.time() * 1_000))
    return RegisteredTasks(registry, clock.time)


def at_once(*works: Callable[[], object]) -> list[object]:
    """Run all in threads that begin together; return what they return, or their errors."""
    barrier = Barrier(len(works))

    def begin(work: Callable[[], object]) -> object:
        barrier.wait()
        try:
            return work()
        except IcemeltError as error:
            return error

    with ThreadPoolExecutor(len(works)) as pool:
        return list(pool.map(begin, works))


def event(tasks: RegisteredTasks, root_id: str, of: Event) -> Callable[[], tuple[Decision, ...]]:
    def work() -> tuple[Decision, ...]:
        with tasks.database.write_unordered() as connection:
            return apply_task_event(connection, tasks.database.clock, root_id, of)

    return work


def test_one_of_many_threads_is_granted_a_claim(tasks: RegisteredTasks) -> None:
    root_id = tasks.create("root")
    for run_id in range(1, 6):
        tasks.apply("root", TaskExecuted())
        claims = [RunClaimed(run_id, "root", f"server-{n}", LEASE) for n in range(8)]
        answers = at_once(*(event(tasks, root_id, claim) for claim in claims))
        granted = [d for each in answers for d in each if isinstance(d, ClaimGranted)]  # type: ignore[attr-defined]
        assert len(granted) == 1
        [row] = [row for row in tasks.rows(root_id) if row["run_id"] == run_id]
        assert (row["holder"], row["token"]) == (granted[0].claim.holder, granted[0].claim.token)
        tasks.now = tasks.seen_at("root")
        ended = RunEnded(run_id, "root", granted[0].claim.token, RunState.SUCCEEDED)
        tasks.apply("root", ended)


def test_one_of_many_processes_is_granted_a_claim(tasks: RegisteredTasks) -> None:
    roots = [tasks.create(f"root{number}") for number in range(10)]
    for number in range(10):
        tasks.apply(f"root{number}", TaskExecuted())
    engine = tasks.database.engine
    url = engine.url.set(drivername=engine.dialect.name)
    command = [sys.executable, str(_PROGRAM), url.render_as_string(hide_password=False)]
    schedulers = [
        subprocess.Popen(
            [*command, tasks.database.warehouse, f"scheduler-{number}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(3)
    ]
    for scheduler in schedulers:
        assert scheduler.stdout is not None
        assert scheduler.stdout.readline() == "ready\n"
    for scheduler in schedulers:
        assert scheduler.stdin is not None
        scheduler.stdin.write("go\n")
        scheduler.stdin.flush()
    lines = [line for scheduler in schedulers for line in scheduler.communicate()[0].splitlines()]
    assert [scheduler.returncode for scheduler in schedulers] == [0, 0, 0]
    assert sorted(line.split()[0] for line in lines) == sorted(roots)


def test_a_run_is_cancelled_or_published_and_never_both(tasks: RegisteredTasks) -> None:
    root_id = tasks.create("root")
    for run_id in range(1, 9):
        made = tasks.make(f"made{run_id}", is_started=False)
        tasks.now = tasks.seen_at("root")
        tasks.apply("root", TaskExecuted())
        tasks.apply("root", RunClaimed(run_id, "root", "server", timedelta(days=1)))
        end = RunEnded(run_id, "root", run_id, RunState.SUCCEEDED)

        def publish(end: RunEnded = end, made: object = made) -> object:
            return tasks.publish(made, ApplyTaskEvent(root_id, end))  # type: ignore[arg-type]

        answers = at_once(publish, event(tasks, root_id, RunsCancelled("root")))
        [row] = [row for row in tasks.rows(root_id) if row["run_id"] == run_id]
        is_lost = isinstance(answers[0], RunLost)
        assert row["state"] == ("CANCELLED" if is_lost else "SUCCEEDED"), answers
        with pytest.raises(AssertionError) if is_lost else nullcontext():
            tasks.task(f"made{run_id}")


def test_statements_and_schedulers_change_a_root_at_once(tasks: RegisteredTasks) -> None:
    """A root that fails is suspended while statements alter it: nobody waits for ever."""
    options = {"SCHEDULE": "10 SECONDS", "SUSPEND_TASK_AFTER_NUM_FAILURES": "1"}
    root_id = tasks.create("root", options=options)

    def alter(body: str) -> Callable[[], object]:
        return lambda: tasks.publish(tasks.requirement, tasks.alteration("root", body=body))

    for number in range(8):
        tasks.now = tasks.seen_at("root")
        if not tasks.state("root").is_resumed:
            tasks.alter("root", is_started=True)
        tasks.apply("root", TimePassed(), milliseconds=10_001)
        [run] = tasks.state("root").active
        tasks.apply("root", RunClaimed(run.id, "root", "server", timedelta(days=1)))
        token = tasks.state("root").next_token - 1
        end = RunEnded(run.id, "root", token, RunState.FAILED)
        bodies = [alter(f"SELECT {number}{n}") for n in range(3)]
        answers = at_once(*bodies, event(tasks, root_id, end))
        assert not [each for each in answers if isinstance(each, IcemeltError)]
        assert tasks.task("root").in_graph == tasks.state("root").graph.root
        assert not tasks.state("root").is_resumed
