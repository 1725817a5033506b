"""The registry of runs does what the state machine of runs does, on every kind of catalog."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from registered_tasks import RegisteredTasks
from run_events import Step, event_of, steps
from run_machine import LEASE, Machine

from conftest import TestClock
from icemelt.catalog.database import Database
from icemelt.catalog.task_edits import ApplyTaskEvent
from icemelt.catalog.task_runs import (
    earliest_wake,
    find_claimable_runs,
    find_due_roots,
)
from icemelt.catalog.task_states import moment_of, time_of
from icemelt.errors import DefinitionRefused, ObjectNotFound
from icemelt.tasks.errors import RunLost
from icemelt.tasks.events import (
    ClaimGranted,
    ClaimRefused,
    GraphChanged,
    LeaseRenewed,
    RootSuspended,
    RunClaimed,
    RunEnded,
    TaskExecuted,
    TimePassed,
)
from icemelt.tasks.graph import GraphVersion, select_graph
from icemelt.tasks.records import new_root_state
from icemelt.tasks.runs import next_wake, wants_look
from icemelt.tasks.states import RunState, SuspendedReason

HOUR = 3_600_000
ROOTS: tuple[dict[str, Any], ...] = (
    {"SCHEDULE": "1 HOUR", "SUSPEND_TASK_AFTER_NUM_FAILURES": "2"},
    {"SCHEDULE": "1 HOUR", "OVERLAP_POLICY": "ALLOW_ALL_OVERLAP", "TIMEZONE": "UTC"},
    {"SCHEDULE": "1 HOUR", "OVERLAP_POLICY": "ALLOW_CHILD_OVERLAP"},
    {"SCHEDULE": "1 HOUR", "TASK_AUTO_RETRY_ATTEMPTS": "1", "CONFIG": '{"a": 1}'},
    {"USER_TASK_MINIMUM_TRIGGER_INTERVAL_IN_SECONDS": "5"},
)
NAMES = ("root", "a", "z")


@pytest.fixture
def tasks(registry: Database, clock: TestClock) -> Iterator[RegisteredTasks]:
    clock.ticks = iter(lambda: 0, 1)  # it stands still
    return RegisteredTasks(registry, clock.time)


def _make_graph(tasks: RegisteredTasks, options: dict[str, str]) -> str:
    condition = None if "SCHEDULE" in options else "SYSTEM$STREAM_HAS_DATA('s')"
    tasks.publish(
        tasks.make("root", options=options, condition=condition),
        tasks.make("a", "root"),
        tasks.make("z", finalizes="root"),
    )
    return tasks.ids["root"]


def _graph(tasks: RegisteredTasks, number: int) -> GraphVersion:
    return GraphVersion(number, select_graph("root", [tasks.task(name).in_graph for name in NAMES]))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(st.sampled_from(ROOTS), steps, st.integers(0, 24))
def test_the_registry_has_what_the_state_machine_says(
    tasks: RegisteredTasks,
    clock: TestClock,
    options: dict[str, str],
    taken: list[Step],
    altered: int,
) -> None:
    root_id = _make_graph(tasks, options)
    machine = Machine(new_root_state(_graph(tasks, 1), time_of(clock.time)), time_of(clock.time))
    for number, step in enumerate(taken):
        tasks.now += int(step.seconds * 1_000)
        if number == altered:
            _alter(tasks, clock, machine)
        event = event_of(step, machine.state)
        machine.now = time_of(tasks.now)
        try:
            expected = machine.apply(event)
        except DefinitionRefused as refused:
            with pytest.raises(DefinitionRefused, match=refused.message[:20]):
                tasks.apply("root", event)
        else:
            assert list(tasks.apply("root", event)) == expected
        _compare(tasks, machine)
    clock.set(tasks.now)
    clock.ticks = iter(lambda: 0, 1)
    tasks.drop(*NAMES)
    assert all(row["completed_at"] is not None for row in tasks.rows(root_id))


def _alter(tasks: RegisteredTasks, clock: TestClock, machine: Machine) -> None:
    """Suspend or resume the root by a statement; the next version is in its publication."""
    clock.set(tasks.now)
    clock.ticks = iter(lambda: 0, 1)
    is_started = tasks.task("root").is_started
    tasks.alter("root", is_started=not is_started, suspended_reason="USER_SUSPENDED")
    machine.now = time_of(tasks.now)
    graph = _graph(tasks, machine.state.graph.number + 1)
    machine.apply(GraphChanged(graph))


def _compare(tasks: RegisteredTasks, machine: Machine) -> None:
    assert tasks.state("root") == machine.state
    assert tasks.task("root").is_started is machine.state.is_resumed
    rows = {(row["run_id"], row["task"], row["attempt"]): row for row in tasks.rows(_root(tasks))}
    assert rows.keys() == machine.history.keys()
    for key, recorded in machine.history.items():
        run, row = recorded.task_run, rows[key]
        assert (row["state"], row["graph_version"]) == (run.state, recorded.graph_version)
        assert row["scheduled_at"] == moment_of(run.scheduled_at)
        assert row["run_scheduled_at"] == moment_of(recorded.scheduled_at)
        ends = (run.started_at, run.completed_at)
        assert (row["started_at"], row["completed_at"]) == tuple(
            None if at is None else moment_of(at) for at in ends
        )
        assert (row["origin"], row["config"]) == (recorded.origin, recorded.config)
        assert row["return_value"] == run.return_value
        assert row["query_id"] == run.query_id
        assert row["task_id"] == tasks.ids[run.task]
    queued = machine.state.queued
    claimable = {
        (run_id, task, attempt)
        for (run_id, task, attempt), recorded in machine.history.items()
        if recorded.task_run.state is RunState.SCHEDULED and (queued is None or queued.id != run_id)
    }
    wake = next_wake(machine.state)
    with tasks.database.read() as connection:
        found = find_claimable_runs(connection, 100)
        assert {(run.run_id, run.task, run.attempt) for run in found} == claimable
        assert earliest_wake(connection) == (None if wake is None else moment_of(wake))
        [due] = find_due_roots(connection, 2**60) if wake is not None else [None]
    assert due is None or due.wants_look is wants_look(machine.state)


def _root(tasks: RegisteredTasks) -> str:
    return tasks.ids["root"]


# ------------------------------------------------------------------------------- the clock


def test_time_does_not_go_back_when_the_clock_does(tasks: RegisteredTasks) -> None:
    root_id = _make_graph(tasks, ROOTS[0])
    tasks.apply("root", TimePassed(), milliseconds=HOUR)
    tasks.apply("root", RunClaimed(1, "root", "server", LEASE), milliseconds=10)
    tasks.now -= 10 * HOUR
    tasks.apply("root", RunEnded(1, "root", 1, RunState.SUCCEEDED))
    [root, child] = tasks.rows(root_id)[::-1]
    assert root["started_at"] == root["completed_at"] == child["scheduled_at"]
    assert root["completed_at"] == tasks.now + 10 * HOUR


def test_a_lease_that_a_later_clock_gave_ends_when_the_clock_has_passed_it(
    tasks: RegisteredTasks,
) -> None:
    root_id = _make_graph(tasks, ROOTS[0])
    tasks.apply("root", TimePassed(), milliseconds=HOUR)
    tasks.apply("root", RunClaimed(1, "root", "server", LEASE))
    tasks.now -= HOUR
    assert not tasks.apply("root", TimePassed(), milliseconds=HOUR)
    tasks.apply("root", TimePassed(), milliseconds=LEASE // timedelta(milliseconds=1))
    assert tasks.states(root_id) == [(1, "root", 1, "FAILED"), (1, "z", 1, "SCHEDULED")]


# -------------------------------------------------------------------------- publications


def test_the_end_of_a_run_is_published_with_its_body_or_not_at_all(
    tasks: RegisteredTasks, clock: TestClock
) -> None:
    root_id = _make_graph(tasks, ROOTS[0])
    tasks.apply("root", TimePassed(), milliseconds=HOUR)
    tasks.apply("root", RunClaimed(1, "root", "server", LEASE))
    clock.time = tasks.now + 1
    made = tasks.make("made", is_started=False)
    ended = ApplyTaskEvent(root_id, RunEnded(1, "root", 7, RunState.SUCCEEDED))
    with pytest.raises(RunLost, match="Run 1 of task 'root' is not its holder's any more"):
        tasks.publish(made, ended)
    with pytest.raises(AssertionError):
        tasks.task("made")
    tasks.publish(made, replace(ended, event=replace(ended.event, token=1)))
    assert tasks.task("made").name.name == "made"
    assert (1, "root", 1, "SUCCEEDED") in tasks.states(root_id)


def test_a_root_that_is_gone_refuses_its_holders(tasks: RegisteredTasks) -> None:
    root_id = _make_graph(tasks, ROOTS[0])
    tasks.apply("root", TimePassed(), milliseconds=HOUR)
    tasks.apply("root", RunClaimed(1, "root", "server", LEASE))
    tasks.drop(*NAMES)
    tasks.ids["root"] = root_id
    for event in (
        RunClaimed(1, "root", "server", LEASE),
        LeaseRenewed(1, "root", 1, LEASE),
        RunEnded(1, "root", 1, RunState.SUCCEEDED),
    ):
        assert tasks.apply("root", event) == (ClaimRefused(1, "root"),)
    assert tasks.apply("root", TimePassed()) == ()
    with pytest.raises(ObjectNotFound, match="is no root any more"):
        tasks.apply("root", TaskExecuted())
    with pytest.raises(RunLost):
        tasks.publish(ApplyTaskEvent(root_id, RunEnded(1, "root", 1, RunState.SUCCEEDED)))


def test_failures_suspend_the_task_of_the_root(tasks: RegisteredTasks) -> None:
    _make_graph(tasks, ROOTS[0])
    for run_id in (1, 2):
        tasks.apply("root", TimePassed(), milliseconds=HOUR)
        for task in ("root", "z"):
            granted = tasks.apply("root", RunClaimed(run_id, task, "server", LEASE))[-1]
            assert isinstance(granted, ClaimGranted)
            token = granted.claim.token
            decisions = tasks.apply("root", RunEnded(run_id, task, token, RunState.FAILED))
    assert RootSuspended(SuspendedReason.SUSPENDED_DUE_TO_ERRORS) in decisions
    task = tasks.task("root")
    assert (task.is_started, task.suspended_at) == (False, tasks.now)
    assert task.suspended_reason == "SUSPENDED_DUE_TO_ERRORS"
    number = tasks.state("root").graph.number
    # the state says so already: what comes next makes no version of it
    tasks.create("other", is_started=False)
    assert tasks.state("root").graph.number == number


def test_many_roots_get_their_turns(tasks: RegisteredTasks) -> None:
    tasks.create("busy", options={"SCHEDULE": "1 HOUR", "OVERLAP_POLICY": "ALLOW_ALL_OVERLAP"})
    tasks.create("calm", options={"SCHEDULE": "1 HOUR"})
    for _ in range(3):
        tasks.apply("busy", TimePassed(), milliseconds=HOUR)
    tasks.apply("calm", TimePassed())
    with tasks.database.read() as connection:
        found = find_claimable_runs(connection, 3)
    assert [(run.task, run.run_id) for run in found] == [("busy", 1), ("calm", 1), ("busy", 2)]


def test_the_runs_of_a_client_hide_those_of_no_other_client(tasks: RegisteredTasks) -> None:
    """One client has many roots with older runs; another one, and who runs the lake, have one."""
    hourly = {"SCHEDULE": "1 HOUR"}
    names = [f"busy{number:02}" for number in range(20)]
    for name in names:
        tasks.create(name, options=hourly, run_within=("/ann",), written_by="ann")
    tasks.create("calm", options=hourly, run_within=("/bob",), written_by="bob")
    tasks.create("own", options=hourly)
    tasks.now += HOUR
    for name in (*names, "calm", "own"):
        tasks.apply(name, TimePassed(), milliseconds=1)
    with tasks.database.read() as connection:
        found = find_claimable_runs(connection, 1)
        assert {run.client for run in found} == {"ann", "bob", None}
        more = find_claimable_runs(connection, 2)
        assert [run.client for run in more].count("ann") == 2
        others = find_claimable_runs(connection, 100, but_of=["ann", None])
        assert [run.task for run in others] == ["calm"]
        assert len(find_claimable_runs(connection, 100)) == 22


def test_an_event_reads_a_version_once(tasks: RegisteredTasks) -> None:
    """What only renews a lease writes no row of the history, and no version."""
    root_id = _make_graph(tasks, ROOTS[0])
    tasks.apply("root", TimePassed(), milliseconds=HOUR)
    tasks.apply("root", RunClaimed(1, "root", "server", LEASE))
    before = tasks.rows(root_id)
    assert isinstance(tasks.apply("root", LeaseRenewed(1, "root", 1, LEASE))[0], ClaimGranted)
    assert tasks.rows(root_id) == before
