"""Thousands of days of a graph under a simulated clock, with schedulers that die.

The checks know the rows of the history and when they were written, and nothing of the machine.
"""

from __future__ import annotations

import bisect
import heapq
import itertools
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from icemelt.errors import DefinitionRefused
from icemelt.tasks.events import (
    ClaimGranted,
    ConditionLooked,
    DataPublished,
    Event,
    GraphChanged,
    LeaseRenewed,
    RetryRequested,
    RunClaimed,
    RunEnded,
    RunRecorded,
    RunsCancelled,
    TaskExecuted,
    TimePassed,
)
from icemelt.tasks.graph import GraphVersion, Task
from icemelt.tasks.progress import is_attempt_over
from icemelt.tasks.records import RunError, new_root_state
from icemelt.tasks.runs import apply_event, is_look_due, next_scheduled_time, next_wake
from icemelt.tasks.schedule import Schedule, next_time, parse_schedule
from icemelt.tasks.states import OverlapPolicy, RunOrigin, RunState

START = datetime(2020, 1, 1, tzinfo=UTC)
LEASE = timedelta(seconds=60)
FOLLOWS = {
    None: {RunState.SCHEDULED, RunState.SKIPPED},
    # a queued run becomes one of the newest graph
    RunState.SCHEDULED: {RunState.SCHEDULED, RunState.EXECUTING, RunState.CANCELLED},
    RunState.EXECUTING: {
        RunState.SUCCEEDED,
        RunState.FAILED,
        RunState.SKIPPED,
        RunState.CANCELLED,
    },
    RunState.FAILED: {RunState.FAILED_AND_AUTO_SUSPENDED},
}


class Simulation:
    """A lake with two schedulers that want every run, and die in some of them."""

    def __init__(self, graph: GraphVersion, seed: int) -> None:
        self.state = new_root_state(graph, START)
        self.random = Random(seed)  # noqa: S311 - what is chosen is no secret
        self.now = START
        self.actions: list[tuple[datetime, int, Callable[[], None]]] = []
        self.numbers = itertools.count()
        self.rows: dict[tuple[int, str, int], RunRecorded] = {}
        self.spans: dict[int, list[datetime]] = {}
        self.tokens: list[int] = []

    def later(self, delay: timedelta, action: Callable[[], None]) -> None:
        heapq.heappush(self.actions, (self.now + delay, next(self.numbers), action))

    def apply(self, event: Event) -> None:
        self.state, decisions = apply_event(self.state, event, self.now)
        for decision in decisions:
            if isinstance(decision, RunRecorded):
                self.record(decision)
            elif isinstance(decision, ClaimGranted) and isinstance(event, RunClaimed):
                self.tokens.append(decision.claim.token)
                self.execute(event, decision.claim.token)

    def record(self, row: RunRecorded) -> None:
        run = row.task_run
        key = (row.run_id, run.task, run.attempt)
        before = self.rows.get(key)
        state_before = None if before is None else before.task_run.state
        assert run.state in FOLLOWS[state_before], (key, state_before, run.state)
        self.rows[key] = row
        self.spans.setdefault(row.run_id, [self.now, self.now])[1] = self.now
        if run.state is RunState.SCHEDULED:
            for holder in ("server-1", "server-2"):
                claim = RunClaimed(row.run_id, run.task, holder, LEASE)
                delay = timedelta(seconds=self.random.randint(0, 3))
                self.later(delay, lambda claim=claim: self.apply(claim))

    def execute(self, claim: RunClaimed, token: int) -> None:
        fate = self.random.random()
        if fate < 0.02:
            return  # killed: nothing is heard of the run any more
        duration = timedelta(seconds=self.random.choice([1, 20, 600, 4 * 3600, 9 * 3600]))
        self.apply(LeaseRenewed(claim.run_id, claim.task, token, duration + LEASE))
        if fate < 0.04:
            duration += 2 * LEASE  # stopped for a while, and wakes up too late
        state = self.random.choice([RunState.SUCCEEDED] * 12 + [RunState.FAILED, RunState.SKIPPED])
        error = RunError("value", "1/0") if state is RunState.FAILED else None
        end = RunEnded(claim.run_id, claim.task, token, state, error)
        self.later(duration, lambda: self.apply(end))

    def run_until(self, end: datetime) -> None:
        while True:
            wake = next_wake(self.state)
            action = self.actions[0][0] if self.actions else None
            moments = [moment for moment in (wake, action) if moment is not None]
            if not moments or min(moments) > end:
                break
            self.now = max(self.now, min(moments))
            if action is not None and action <= self.now:
                heapq.heappop(self.actions)[2]()
            else:
                self.apply(TimePassed())
        self.now = end

    def sleep_until(self, end: datetime) -> None:
        """All schedulers are down, and what they executed is lost."""
        self.actions.clear()
        self.now = end
        self.apply(TimePassed())
        # what was scheduled and not claimed is there for those who come
        for row in list(self.rows.values()):
            if row.task_run.state is RunState.SCHEDULED and not self.actions:
                claim = RunClaimed(row.run_id, row.task_run.task, "server-3", LEASE)
                self.later(timedelta(0), lambda claim=claim: self.apply(claim))


def times_between(schedule: Schedule, after: datetime, until: datetime) -> list[datetime]:
    result = []
    moment = next_time(schedule, after, START)
    while moment is not None and moment <= until:
        result.append(moment)
        moment = next_time(schedule, moment, START)
    return result


@pytest.mark.parametrize(
    ("text", "policy"),
    [
        ("USING CRON 30 2,8,14,20 * * * Europe/Berlin", OverlapPolicy.NO_OVERLAP),
        ("6 HOURS", OverlapPolicy.ALLOW_CHILD_OVERLAP),
        ("USING CRON 0 0 * * MON-FRI America/New_York", OverlapPolicy.ALLOW_ALL_OVERLAP),
    ],
)
def test_years_of_runs_keep_the_contract(text: str, policy: OverlapPolicy) -> None:
    simulation, expected = simulate_years(parse_schedule(text), policy)
    rows = simulation.rows
    roots = [row for (_, task, attempt), row in rows.items() if (task, attempt) == ("root", 1)]
    assert [row.task_run.scheduled_at for row in roots] == expected
    assert all(row.origin is RunOrigin.SCHEDULE for row in roots)
    assert simulation.tokens == sorted(set(simulation.tokens))
    assert all(attempt <= 2 for *_, attempt in rows)
    assert {row.task_run.state for row in roots} >= {RunState.SUCCEEDED, RunState.FAILED}
    open_rows = [row.run_id for row in rows.values() if row.task_run.state.is_open]
    assert set(open_rows) <= {run.id for run in simulation.state.active}
    check_overlaps(simulation, roots, policy)


def simulate_years(schedule: Schedule, policy: OverlapPolicy) -> tuple[Simulation, list[datetime]]:
    """Return what has happened, and the scheduled times that must have a row."""
    root = Task(
        *("root", "s"),
        is_suspended=False,
        schedule=schedule,
        overlap_policy=policy,
        auto_retry_attempts=1,
        failures_to_suspend=0,
        timeout=timedelta(hours=8),
    )
    children = (Task("a", "s", ("root",), is_suspended=False), Task("b", "s", ("root", "a")))
    last = Task("z", "s", finalizes="root", is_suspended=False)
    simulation = Simulation(GraphVersion(1, (root, *children, last)), seed=len(policy))
    expected: list[datetime] = []
    while simulation.now < START + timedelta(days=2_000):
        before = simulation.now
        simulation.run_until(before + timedelta(days=simulation.random.randint(1, 200)))
        expected += times_between(schedule, before, simulation.now)
        before = simulation.now
        simulation.sleep_until(before + timedelta(hours=simulation.random.randint(0, 100)))
        expected += times_between(schedule, before, simulation.now)[-1:]
    return simulation, expected


def check_overlaps(simulation: Simulation, roots: list[RunRecorded], policy: OverlapPolicy) -> None:
    """Check that runs overlap as the policy says, and that a skipped time has met a run."""
    skipped = {
        row.run_id
        for row in roots
        if (error := row.task_run.error) is not None and error.code == "run-unfinished"
    }
    ran = sorted(
        (span, run_id) for run_id, span in simulation.spans.items() if run_id not in skipped
    )
    overlaps = [
        second_id
        for (first, _), (second, second_id) in itertools.pairwise(ran)
        if second[0] < first[1]
    ]
    assert bool(overlaps) is (policy is not OverlapPolicy.NO_OVERLAP)
    assert bool(skipped) is (policy is not OverlapPolicy.ALLOW_ALL_OVERLAP)
    begins = [begin for (begin, _), _ in ran]
    for run_id in skipped:
        at = simulation.spans[run_id][0]
        near = ran[max(bisect.bisect_right(begins, at) - 20, 0) :][:40]
        assert any(begin <= at <= end for (begin, end), _ in near), run_id


# ------------------------------------------------------------------------------------ any events


RUN_IDS = st.integers(1, 12)
TASKS = st.sampled_from(["root", "a", "b", "z"])
TOKENS = st.integers(1, 25)
LEASES = st.integers(1, 9_000).map(lambda seconds: timedelta(seconds=seconds))
ENDS = st.sampled_from([RunState.SUCCEEDED, RunState.FAILED, RunState.SKIPPED])
LIVE = st.sampled_from(["claim", "claim", "end", "end", "suspend", "resume", "child", "policy"])
EVENTS = (
    LIVE
    | st.just(TimePassed())
    | st.just(TaskExecuted())
    | st.just(RetryRequested())
    | st.just(DataPublished())
    | st.builds(ConditionLooked, st.booleans(), st.integers(0, 20))
    | TASKS.map(RunsCancelled)
    | st.builds(RunClaimed, RUN_IDS, TASKS, st.just("other"), LEASES)
    | st.builds(LeaseRenewed, RUN_IDS, TASKS, TOKENS, LEASES)
    | st.builds(RunEnded, RUN_IDS, TASKS, TOKENS, ENDS)
)


class Anything(Simulation):
    """Applies any event, and keeps no promises to run anything."""

    def record(self, row: RunRecorded) -> None:
        super().record(row)
        self.actions.clear()

    def execute(self, claim: RunClaimed, token: int) -> None:
        pass

    def choose(self, event: Event | str) -> Event:
        graph = self.state.graph
        runs = [(run, task) for run in self.state.active for task in run.task_runs]
        match event:
            case "claim":
                waiting = [(r, t) for r, t in runs if t.state is RunState.SCHEDULED]
                if waiting:
                    return RunClaimed(waiting[0][0].id, waiting[0][1].task, "server", LEASE)
            case "end":
                held = [(r, t, t.claim) for r, t in runs if t.claim is not None]
                if held:
                    run, task, claim = held[-1]
                    end = self.random.choice([RunState.SUCCEEDED, RunState.FAILED])
                    return RunEnded(run.id, task.task, claim.token, end)
            case "suspend" | "resume":
                root = replace(graph.root, is_suspended=event == "suspend")
                return self.change(root)
            case "child":
                a = graph.task("a")
                return self.change(replace(a, is_suspended=not a.is_suspended))
            case "policy":
                policy = self.random.choice(list(OverlapPolicy))
                return self.change(replace(graph.root, overlap_policy=policy))
            case _:
                assert not isinstance(event, str)
                return event
        return TimePassed()

    def change(self, task: Task) -> Event:
        graph = self.state.graph
        tasks = tuple(task if each.name == task.name else each for each in graph.tasks)
        return GraphChanged(GraphVersion(graph.number + 1, tasks))


@given(
    st.sampled_from(["1 HOUR", "USING CRON */7 * * * * Europe/Berlin", None]),
    st.sampled_from(list(OverlapPolicy)),
    st.lists(st.tuples(EVENTS, st.integers(0, 3_000)), max_size=60),
)
@settings(max_examples=300, deadline=None)
def test_no_events_in_any_order_break_the_machine(
    text: str | None, policy: OverlapPolicy, events: list[tuple[Event | str, int]]
) -> None:
    root = Task(
        *("root", "s"),
        is_suspended=False,
        schedule=None if text is None else parse_schedule(text),
        condition="SYSTEM$STREAM_HAS_DATA('s')",
        overlap_policy=policy,
        auto_retry_attempts=1,
        failures_to_suspend=2,
    )
    children = [Task("a", "s", ("root",), is_suspended=False), Task("b", "s", ("root", "a"))]
    graph = (root, children[0], replace(children[1], is_suspended=False))
    simulation = Anything(GraphVersion(1, (*graph, Task("z", "s", finalizes="root"))), seed=0)
    for event, seconds in events:
        simulation.now += timedelta(seconds=seconds)
        try:
            simulation.apply(simulation.choose(event))
        except DefinitionRefused:
            assert event == RetryRequested()
            continue
        state = simulation.state
        assert not any(is_attempt_over(run.version, run.states) for run in state.active)
        assert state.queued is None or state.active
        assert simulation.tokens == sorted(set(simulation.tokens))
        wake = next_wake(state)
        assert wake is None or wake > simulation.now or is_look_due(state, simulation.now)
        scheduled = next_scheduled_time(state)
        assert scheduled is None or scheduled > simulation.now
        open_rows = {key for key, row in simulation.rows.items() if row.task_run.state.is_open}
        runs = (*state.active, *([] if state.queued is None else [state.queued]))
        assert open_rows == {
            (run.id, task.task, task.attempt)
            for run in runs
            for task in run.task_runs
            if task.state.is_open
        }
