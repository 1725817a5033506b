"""Runs that publications start, and graphs that change while they run."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from run_machine import HOURLY, NOON, Machine, machine, task

from icemelt.tasks.events import (
    ConditionLooked,
    DataPublished,
    RunEnded,
    TaskExecuted,
    TimePassed,
)
from icemelt.tasks.runs import is_look_due, next_wake
from icemelt.tasks.states import RunOrigin, RunState

# ------------------------------------------------------------------------------- triggered tasks


def triggered(**settings: Any) -> Machine:
    settings = {"condition": "SYSTEM$STREAM_HAS_DATA('s')", **settings}
    return machine(task("root", trigger_interval=timedelta(seconds=30), **settings))


def looked(m: Machine, *, is_true: bool) -> ConditionLooked:
    return ConditionLooked(is_true, m.state.news)


def test_a_publication_makes_a_triggered_task_look_once_in_its_interval() -> None:
    m = triggered()
    # data may have been there before RESUME
    assert is_look_due(m.state, m.now)
    assert next_wake(m.state) == NOON
    m.apply(looked(m, is_true=False))
    assert m.rows() == []
    assert next_wake(m.state) is None
    m.apply(DataPublished(), seconds=10)
    assert not is_look_due(m.state, m.now)
    assert next_wake(m.state) == NOON + timedelta(seconds=30)
    # a look before its time is none
    m.apply(looked(m, is_true=True))
    assert m.rows() == []
    m.apply(TimePassed(), seconds=20)
    assert is_look_due(m.state, m.now)
    m.apply(looked(m, is_true=True))
    assert m.rows() == [(1, "root", 1, "SCHEDULED")]
    assert m.history[1, "root", 1].origin is RunOrigin.TRIGGER


def test_a_run_that_ends_with_data_left_starts_the_next() -> None:
    m = triggered()
    m.apply(looked(m, is_true=True))
    m.apply(DataPublished())
    assert not is_look_due(m.state, m.now + timedelta(days=1))
    m.run("root")
    assert next_wake(m.state) == NOON + timedelta(seconds=30)
    m.apply(looked(m, is_true=True), seconds=28)
    m.run("root", RunState.SKIPPED)
    # another consumer was first: WHEN was false for the holder, and nobody looks again
    assert next_wake(m.state) is None
    assert m.rows() == [(1, "root", 1, "SUCCEEDED"), (2, "root", 1, "SKIPPED")]


def test_what_is_published_while_a_condition_is_looked_at_asks_for_another_look() -> None:
    """One scheduler finds no data, another one tells of new data before the first has said so."""
    m = triggered()
    look = looked(m, is_true=False)
    m.apply(DataPublished())
    m.apply(look)
    assert next_wake(m.state) == NOON + timedelta(seconds=30)
    m.apply(looked(m, is_true=True), seconds=30)
    assert m.rows() == [(1, "root", 1, "SCHEDULED")]


def test_failures_of_triggered_runs_suspend_and_stop_looking() -> None:
    m = triggered(failures_to_suspend=2)
    m.apply(looked(m, is_true=True))
    m.run("root", RunState.FAILED)
    m.apply(looked(m, is_true=True), seconds=30)
    m.run("root", RunState.FAILED)
    assert not m.state.is_resumed
    m.apply(DataPublished(), hours=1)
    assert not is_look_due(m.state, m.now)
    assert next_wake(m.state) is None


def test_a_scheduled_task_with_a_condition_is_not_triggered() -> None:
    m = triggered(schedule=HOURLY)
    m.apply(DataPublished())
    assert not is_look_due(m.state, m.now)
    m.apply(looked(m, is_true=True))
    assert m.rows() == []


# -------------------------------------------------------------------------------- graph versions


def test_a_run_under_way_keeps_its_graph() -> None:
    root = task("root", schedule=HOURLY)
    m = machine(root, task("a", "root"), task("b", "a"))
    m.apply(TimePassed(), hours=1)
    m.run("root")
    m.change(root, task("c", "root"))
    m.run("a")
    m.run("b")
    m.apply(TimePassed(), hours=1)
    m.run("root")
    m.run("c")
    assert [(row.graph_version, *key) for key, row in m.history.items()] == [
        (1, 1, "root", 1),
        (1, 1, "a", 1),
        (1, 1, "b", 1),
        (2, 2, "root", 1),
        (2, 2, "c", 1),
    ]


def test_a_suspended_root_ends_its_run_and_begins_no_other() -> None:
    root = task("root", schedule=HOURLY)
    m = machine(root, task("a", "root"))
    m.apply(TimePassed(), hours=1)
    token = m.claim("root")
    m.change(replace(root, is_suspended=True), task("a", "root"))
    m.apply(RunEnded(1, "root", token, RunState.SUCCEEDED))
    m.run("a")
    assert m.apply(TimePassed(), days=1) == []
    m.change(root, task("a", "root"))
    m.apply(TimePassed(), hours=1)
    m.change(replace(root, is_suspended=True), task("a", "root"))
    assert m.rows()[-1] == (2, "root", 1, "CANCELLED")
    assert m.state.active == ()
    # a run that a user asked for stays
    m.apply(TaskExecuted())
    m.change(root, task("a", "root"))
    m.change(replace(root, is_suspended=True), task("a", "root"))
    assert m.rows()[-1] == (3, "root", 1, "SCHEDULED")
