"""What TASK_HISTORY and the functions of graphs read, on every kind of catalog."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from registered_tasks import RegisteredTasks
from run_machine import LEASE

from conftest import ONE_DAY, TestClock
from icemelt.catalog.database import Database
from icemelt.catalog.queries.leftovers import prune_history
from icemelt.catalog.queries.task_history import (
    FoundGraphRun,
    FoundTaskRun,
    WantedRuns,
    find_complete_graphs,
    find_current_graphs,
    find_task_runs,
)
from icemelt.tasks.config import merge_config
from icemelt.tasks.events import ClaimGranted, RunClaimed, RunEnded, TaskExecuted, TimePassed
from icemelt.tasks.records import RunError
from icemelt.tasks.states import RunState

HOUR = 3_600_000


@pytest.fixture
def tasks(registry: Database, clock: TestClock) -> Iterator[RegisteredTasks]:
    clock.ticks = iter(lambda: 0, 1)  # it stands still
    return RegisteredTasks(registry, clock.time)


def run(
    tasks: RegisteredTasks,
    root: str,
    task: str,
    state: RunState = RunState.SUCCEEDED,
    error: RunError | None = None,
) -> None:
    run_id = tasks.state(root).active[-1].id
    claim = RunClaimed(run_id, task, "server", LEASE, "a query")
    granted = tasks.apply(root, claim, milliseconds=10)[-1]
    assert isinstance(granted, ClaimGranted)
    token = granted.claim.token
    tasks.apply(root, RunEnded(run_id, task, token, state, error), milliseconds=10)


def history(tasks: RegisteredTasks, **wanted: object) -> list[FoundTaskRun]:
    with tasks.database.read() as connection:
        return find_task_runs(connection, WantedRuns(**{"limit": 100, **wanted}))  # type: ignore[arg-type]


def complete(tasks: RegisteredTasks, **wanted: object) -> list[FoundGraphRun]:
    with tasks.database.read() as connection:
        return find_complete_graphs(connection, WantedRuns(**{"limit": 100, **wanted}))  # type: ignore[arg-type]


def current(tasks: RegisteredTasks, **wanted: object) -> list[FoundGraphRun]:
    with tasks.database.read() as connection:
        return find_current_graphs(connection, WantedRuns(**{"limit": 100, **wanted}))  # type: ignore[arg-type]


def _fail_and_succeed(tasks: RegisteredTasks) -> None:
    """Let a graph fail in two tasks and succeed in its second attempt; a skipped run follows."""
    options = {"SCHEDULE": "1 HOUR", "TASK_AUTO_RETRY_ATTEMPTS": "1"}
    tasks.create("load", options=options)
    tasks.create("a", "load")
    tasks.create("b", "load")
    tasks.apply("load", TimePassed(), milliseconds=HOUR)
    run(tasks, "load", "load")
    run(tasks, "load", "b", RunState.FAILED, RunError("value-refused", "b is wrong"))
    run(tasks, "load", "a", RunState.FAILED, RunError("conflict", "a is late"))
    run(tasks, "load", "a")
    run(tasks, "load", "b")
    tasks.apply("load", TimePassed(), milliseconds=HOUR)
    run(tasks, "load", "load", RunState.SKIPPED)


def test_each_attempt_of_each_task_is_a_row(tasks: RegisteredTasks) -> None:
    began = tasks.now
    _fail_and_succeed(tasks)
    rows = history(tasks)
    assert [(row.name, row.run_id, row.attempt, row.state) for row in rows] == [
        ("load", None, 1, "SCHEDULED"),
        ("load", 2, 1, "SKIPPED"),
        ("a", 1, 2, "SUCCEEDED"),
        ("b", 1, 2, "SUCCEEDED"),
        ("a", 1, 1, "FAILED"),
        ("b", 1, 1, "FAILED"),
        ("load", 1, 1, "SUCCEEDED"),
    ]
    assert [row.run_scheduled_at - began for row in rows] == [3 * HOUR, 2 * HOUR, *[HOUR] * 5]
    assert rows[5].error_message == "b is wrong"
    # a run whose condition was false has not begun
    assert (rows[1].started_at, rows[1].query_id, rows[2].query_id) == (None, None, "a query")
    assert [row.next_scheduled_at for row in rows[1:3]] == [began + 3 * HOUR, None]


def test_what_is_not_wanted_does_not_count_towards_the_limit(tasks: RegisteredTasks) -> None:
    _fail_and_succeed(tasks)
    assert [row.name for row in history(tasks, errors_only=True, limit=1)] == ["a"]
    assert [row.attempt for row in history(tasks, name="B", limit=1)] == [2]
    assert history(tasks, name="load", end=tasks.now, limit=1)[0].state == "SKIPPED"
    assert [row.state for row in history(tasks, start=tasks.now)] == ["SCHEDULED"]
    assert len(history(tasks, root_id=tasks.ids["load"])) == 7
    assert history(tasks, root_id=tasks.ids["a"]) == []


def test_each_attempt_of_a_graph_has_its_outcome(tasks: RegisteredTasks) -> None:
    _fail_and_succeed(tasks)
    [second, first] = complete(tasks)
    assert (first.state, first.error) == ("FAILED", ("b", "value-refused", "b is wrong"))
    assert (second.state, second.error, second.first.attempt) == ("SUCCEEDED", None, 2)
    assert first.started_at is not None
    assert second.completed_at == history(tasks, name="b")[0].completed_at
    assert complete(tasks, errors_only=True) == [first]
    assert complete(tasks, name="LOAD", limit=1) == [second]
    assert complete(tasks, name="a") == []


def test_a_graph_is_executing_until_its_last_task_has_ended(tasks: RegisteredTasks) -> None:
    tasks.create("load", is_started=False)
    tasks.create("after", "load")
    tasks.apply("load", TaskExecuted())
    assert [graph.state for graph in current(tasks)] == ["SCHEDULED"]
    run(tasks, "load", "load")
    assert [graph.state for graph in current(tasks)] == ["EXECUTING"]
    assert complete(tasks) == []
    run(tasks, "load", "after")
    assert current(tasks) == []
    assert [graph.state for graph in complete(tasks)] == ["SUCCEEDED"]


def test_runs_are_forgotten_with_the_statements(tasks: RegisteredTasks, clock: TestClock) -> None:
    _fail_and_succeed(tasks)
    tasks.apply("load", TimePassed(), milliseconds=HOUR)
    for days, rows in ((10, 8), (30, 2)):
        clock.time = tasks.now + days * ONE_DAY
        prune_history(tasks.database)
        # what is open, or is still to come, stays
        assert len(history(tasks)) == rows
    assert [row.state for row in history(tasks)] == ["SCHEDULED", "SCHEDULED"]


documents = st.recursive(
    st.none() | st.integers(-9, 9) | st.text(max_size=2),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("abc"), inner),
)
configs = st.dictionaries(st.sampled_from("abc"), documents)


@given(configs, configs)
def test_a_merged_config_has_each_path_of_both(
    own: dict[str, object], given_: dict[str, object]
) -> None:
    merged = json.loads(merge_config(json.dumps(own), json.dumps(given_)))

    def require(merged: object, own: object, given_: object) -> None:
        if not (isinstance(own, dict) and isinstance(given_, dict)):
            assert merged == given_
            return
        assert isinstance(merged, dict)
        assert merged.keys() == own.keys() | given_.keys()
        for name in merged:
            if name not in given_:
                assert merged[name] == own[name]
            elif name in own:
                require(merged[name], own[name], given_[name])
            else:
                assert merged[name] == given_[name]

    require(merged, own, given_)
