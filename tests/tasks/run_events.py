"""Random events of runs: each step says what kind of event comes, and how much later."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import hypothesis.strategies as st
from run_machine import HOURLY, LEASE

from icemelt.tasks.events import (
    ConditionLooked,
    DataPublished,
    Event,
    LeaseRenewed,
    RetryRequested,
    RunClaimed,
    RunEnded,
    RunsCancelled,
    TaskExecuted,
    TimePassed,
)
from icemelt.tasks.records import RootState, RunError
from icemelt.tasks.states import OverlapPolicy, RunState

# the roots of the graphs that are tried
ROOTS: tuple[dict[str, Any], ...] = (
    {"schedule": HOURLY, "failures_to_suspend": 2},
    {"schedule": HOURLY, "overlap_policy": OverlapPolicy.ALLOW_ALL_OVERLAP},
    {"schedule": HOURLY, "overlap_policy": OverlapPolicy.ALLOW_CHILD_OVERLAP},
    {"schedule": HOURLY, "auto_retry_attempts": 1, "config": '{"a": 1}'},
    {"condition": "SYSTEM$STREAM_HAS_DATA('s')", "trigger_interval": timedelta(seconds=5)},
)
# a step to each kind of event: those of holders are more likely
_KINDS = ("claim", "claim", "end", "end", "fail", "skip", "renew", "old", "cancel", "execute")
_KINDS += ("retry", "data", "look", "time", "lost")


@dataclass(frozen=True)
class Step:
    kind: str
    which: int
    seconds: float


steps = st.lists(
    st.builds(
        Step,
        kind=st.sampled_from(_KINDS),
        which=st.integers(0, 5),
        seconds=st.sampled_from([0, 0.001, 1, 20, 45, 1_800, 3_700, 90_000]),
    ),
    max_size=25,
)


def event_of(step: Step, state: RootState) -> Event:
    """Return the event of a step; nothing but time where no run fits."""
    match step.kind:
        case "execute":
            return TaskExecuted(None if step.which else '{"b": 2}')
        case "retry":
            return RetryRequested()
        case "data":
            return DataPublished()
        case "look":
            return ConditionLooked(step.which > 0, state.news)
        case "time":
            return TimePassed()
        case "lost":
            return RunClaimed(99, "nobody", "server", LEASE)
        case "cancel":
            return RunsCancelled(state.graph.tasks[step.which % len(state.graph.tasks)].name)
    of_state = RunState.SCHEDULED if step.kind == "claim" else RunState.EXECUTING
    found = list(_runs(state, of_state))
    return _event_of_holder(step, *found[step.which % len(found)]) if found else TimePassed()


def _event_of_holder(step: Step, run_id: int, task: str, token: int) -> Event:
    match step.kind:
        case "claim":
            return RunClaimed(run_id, task, f"server-{step.which}", LEASE, f"query-{step.which}")
        case "renew":
            return LeaseRenewed(run_id, task, token, LEASE)
        case "old":
            return RunEnded(run_id, task, token - 1, RunState.SUCCEEDED)
        case "fail":
            error = RunError("value-refused", "The value \0 is \ud800 no number.")
            has_begun = step.which % 2 == 0
            return RunEnded(run_id, task, token, RunState.FAILED, error, has_begun=has_begun)
        case "skip":
            return RunEnded(run_id, task, token, RunState.SKIPPED)
        case _:
            return RunEnded(run_id, task, token, RunState.SUCCEEDED, None, "'done'", "last")


def _runs(state: RootState, of_state: RunState) -> Iterator[tuple[int, str, int]]:
    for graph_run in state.active:
        for run in graph_run.task_runs:
            if run.state is of_state:
                yield graph_run.id, run.task, 0 if run.claim is None else run.claim.token
