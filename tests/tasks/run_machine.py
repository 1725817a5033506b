"""A graph under a clock that a test sets, for tests of runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from icemelt.tasks.events import (
    ClaimGranted,
    Decision,
    Event,
    GraphChanged,
    RunClaimed,
    RunEnded,
    RunRecorded,
    TimePassed,
)
from icemelt.tasks.graph import GraphVersion, Task
from icemelt.tasks.records import RootState, TaskRun, new_root_state
from icemelt.tasks.runs import apply_event
from icemelt.tasks.schedule import parse_schedule
from icemelt.tasks.states import RunState

NOON = datetime(2025, 1, 1, 12, tzinfo=UTC)
LEASE = timedelta(seconds=30)
HOURLY = parse_schedule("1 HOUR")


def task(name: str, *after: str, **settings: Any) -> Task:
    return Task(name, "main.public", after, **{"is_suspended": False, **settings})


@dataclass
class Machine:
    """A graph under a clock that the test sets, with its history as TASK_HISTORY has it."""

    state: RootState
    now: datetime = NOON
    history: dict[tuple[int, str, int], RunRecorded] = field(default_factory=dict)

    def apply(self, event: Event, **later: float) -> list[Decision]:
        self.now += timedelta(**later)
        self.state, decisions = apply_event(self.state, event, self.now)
        for decision in decisions:
            if isinstance(decision, RunRecorded):
                row = decision.task_run
                self.history[decision.run_id, row.task, row.attempt] = decision
        return list(decisions)

    def claim(self, task: str, run_id: int | None = None, **later: float) -> int:
        run_id = self.state.active[-1].id if run_id is None else run_id
        granted = self.apply(RunClaimed(run_id, task, "server", LEASE), **later)[-1]
        assert isinstance(granted, ClaimGranted)
        return granted.claim.token

    def run(
        self, task: str, state: RunState = RunState.SUCCEEDED, run_id: int | None = None
    ) -> list[Decision]:
        run_id = self.state.active[-1].id if run_id is None else run_id
        token = self.claim(task, run_id, seconds=1)
        return self.apply(RunEnded(run_id, task, token, state), seconds=1)

    def rows(self) -> list[tuple[int, str, int, str]]:
        return [(*key, row.task_run.state.value) for key, row in self.history.items()]

    def row(self, run_id: int, task: str, attempt: int = 1) -> TaskRun:
        return self.history[run_id, task, attempt].task_run

    def change(self, *tasks: Task, **later: float) -> list[Decision]:
        return self.apply(GraphChanged(GraphVersion(self.state.graph.number + 1, tasks)), **later)


def machine(*tasks: Task) -> Machine:
    return Machine(new_root_state(GraphVersion(1, tasks), NOON))


def fail_hourly(m: Machine, task: str = "root") -> list[Decision]:
    m.apply(TimePassed(), hours=1)
    if task != "root":
        m.run("root")
    return m.run(task, RunState.FAILED)
