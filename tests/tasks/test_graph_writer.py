"""Publications that change tasks make the versions of their graphs, and end those that go."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import sqlalchemy as sa
from registered_tasks import RegisteredTasks
from run_machine import LEASE

from conftest import TestClock
from icemelt.catalog.database import Database
from icemelt.catalog.edits import DropObject, RestoreObject
from icemelt.catalog.model import task_graph_versions, task_graphs
from icemelt.catalog.publishing import Published
from icemelt.catalog.task_graph_writer import add_missing_graphs
from icemelt.tasks.events import RetryRequested, RunClaimed, RunEnded, TaskExecuted, TimePassed
from icemelt.tasks.states import RunState

HOUR = 3_600_000
HOURLY = {"SCHEDULE": "1 HOUR"}


@pytest.fixture
def tasks(registry: Database, clock: TestClock) -> Iterator[RegisteredTasks]:
    clock.ticks = iter(lambda: 0, 1)  # it stands still
    return RegisteredTasks(registry, clock.time)


def numbers(tasks: RegisteredTasks) -> list[int]:
    query = sa.select(task_graph_versions.c.number).order_by(task_graph_versions.c.number)
    with tasks.database.read() as connection:
        return list(connection.execute(query).scalars())


def roots(tasks: RegisteredTasks) -> set[str]:
    with tasks.database.read() as connection:
        found = set(connection.execute(sa.select(task_graphs.c.root_id)).scalars())
    return {name for name, object_id in tasks.ids.items() if object_id in found}


def test_each_change_of_a_graph_is_a_version_of_its_root(tasks: RegisteredTasks) -> None:
    tasks.create("root", options=HOURLY, is_started=False)
    tasks.create("other", options=HOURLY, is_started=False)
    tasks.create("child", "root")
    assert roots(tasks) == {"root", "other"}
    assert (tasks.state("root").graph.number, tasks.state("other").graph.number) == (2, 1)
    tasks.alter("child", body="SELECT 2")
    graph = tasks.state("root").graph
    assert (graph.number, graph.task("child").body) == (3, "SELECT 2")
    tasks.alter("child", comment="no graph knows of it")
    assert tasks.state("root").graph.number == 3
    # what no run needs is gone
    assert numbers(tasks) == [1, 3]


def test_a_run_keeps_its_version(tasks: RegisteredTasks) -> None:
    root_id = tasks.create("root", options=HOURLY)
    tasks.apply("root", TimePassed(), milliseconds=HOUR)
    tasks.alter("root", body="SELECT 2")
    tasks.alter("root", body="SELECT 3")
    [run] = tasks.state("root").active
    assert (run.version.number, run.version.root.body) == (1, "SELECT 1")
    assert numbers(tasks) == [1, 3]
    tasks.apply("root", RunClaimed(1, "root", "server", LEASE))
    tasks.apply("root", RunEnded(1, "root", 1, RunState.SUCCEEDED))
    tasks.apply("root", TimePassed(), milliseconds=HOUR)
    assert [row["query_text"] for row in tasks.rows(root_id)] == ["SELECT 1", "SELECT 3"]


def test_a_changed_body_is_a_changed_graph(tasks: RegisteredTasks) -> None:
    tasks.create("root", options=HOURLY)
    tasks.apply("root", TimePassed(), milliseconds=HOUR)
    tasks.apply("root", RunClaimed(1, "root", "server", LEASE))
    tasks.apply("root", RunEnded(1, "root", 1, RunState.FAILED))
    tasks.alter("root", body="SELECT 2")
    with pytest.raises(Exception, match="was changed after its last run"):
        tasks.apply("root", RetryRequested())


def test_a_resumed_root_counts_from_its_resumption(
    tasks: RegisteredTasks, clock: TestClock
) -> None:
    tasks.create("root", options=HOURLY, is_started=False)
    clock.time += 5 * HOUR
    tasks.alter("root", is_started=True)
    state = tasks.state("root")
    assert state.anchor == state.handled_until
    with tasks.database.read() as connection:
        wake = connection.scalar(sa.select(task_graphs.c.next_wake))
    assert wake == clock.time + HOUR


def test_a_dropped_root_cancels_its_runs_and_keeps_its_history(tasks: RegisteredTasks) -> None:
    root_id = tasks.create("root", options={**HOURLY, "OVERLAP_POLICY": "NO_OVERLAP"})
    tasks.create("child", "root")
    tasks.create("last", finalizes="root")
    tasks.apply("root", TimePassed(), milliseconds=HOUR)
    tasks.apply("root", RunClaimed(1, "root", "server", LEASE))
    tasks.apply("root", RunEnded(1, "root", 1, RunState.SUCCEEDED))
    tasks.apply("root", RunClaimed(1, "child", "server", LEASE))
    tasks.apply("root", TaskExecuted())
    tasks.drop("root", "child", "last")
    assert roots(tasks) == set()
    assert numbers(tasks) == []
    assert tasks.states(root_id) == [
        (1, "child", 1, "CANCELLED"),
        (1, "last", 1, "CANCELLED"),
        (1, "root", 1, "SUCCEEDED"),
        (2, "last", 1, "CANCELLED"),
        (2, "root", 1, "CANCELLED"),
    ]


def test_a_restored_root_goes_on_after_its_history(
    tasks: RegisteredTasks, clock: TestClock
) -> None:
    root_id = tasks.create("root", options=HOURLY)
    tasks.apply("root", TimePassed(), milliseconds=HOUR)
    tasks.apply("root", RunClaimed(1, "root", "server", LEASE))
    clock.time = tasks.now
    tasks.drop("root")
    assert isinstance(tasks.publish(RestoreObject(root_id)), Published)
    tasks.ids["root"] = root_id
    state = tasks.state("root")
    assert (state.graph.number, state.next_run_id, state.next_token) == (2, 2, 2)
    tasks.apply("root", TaskExecuted())
    assert [row[:1] for row in tasks.states(root_id)] == [(1,), (2,)]


def test_a_child_that_becomes_a_root_has_a_state_of_its_own(tasks: RegisteredTasks) -> None:
    tasks.create("root", options=HOURLY)
    tasks.create("child", "root")
    tasks.alter("child", after=(), is_started=False)
    assert roots(tasks) == {"root", "child"}
    assert [task.name for task in tasks.state("root").graph.tasks] == ["root"]
    tasks.alter("child", after=("root",))
    assert roots(tasks) == {"root"}


@pytest.mark.parametrize("kind", ["schema", "database"])
def test_the_tasks_of_a_dropped_schema_run_no_more(tasks: RegisteredTasks, kind: str) -> None:
    root_id = tasks.create("root", options=HOURLY)
    tasks.apply("root", TimePassed(), milliseconds=HOUR)
    container = tasks.schema_id if kind == "schema" else tasks.database_id
    tasks.publish(DropObject(container))
    assert roots(tasks) == set()
    assert tasks.states(root_id) == [(1, "root", 1, "CANCELLED")]
    tasks.publish(RestoreObject(container))
    assert roots(tasks) == {"root"}
    assert tasks.state("root").is_resumed


def test_a_task_after_two_roots_does_not_run_and_the_others_do(tasks: RegisteredTasks) -> None:
    """A DROP of a root may leave a task after two others."""
    tasks.create("root", options=HOURLY, is_started=False)
    tasks.create("a", "root", is_started=False)
    tasks.create("b", "root", is_started=False)
    tasks.create("both", "a", "b", is_started=False)
    tasks.publish(
        tasks.alteration("a", after=()),
        tasks.alteration("b", after=()),
        DropObject(tasks.ids["root"]),
    )
    assert roots(tasks) == {"a", "b"}
    assert [task.name for task in tasks.state("a").graph.tasks] == ["a"]
    tasks.alter("both", after=("a",))
    assert roots(tasks) == {"a", "b"}
    assert [task.name for task in tasks.state("a").graph.tasks] == ["a", "both"]


def test_tasks_older_than_the_registry_of_runs_get_their_graphs(
    tasks: RegisteredTasks, clock: TestClock
) -> None:
    tasks.publish(tasks.make("root", options=HOURLY), tasks.make("child", "root"))
    before = tasks.state("root")
    with tasks.database.write() as connection:
        connection.execute(task_graphs.delete())
        connection.execute(task_graph_versions.delete())
        add_missing_graphs(connection, clock)
    assert tasks.state("root") == before


def test_a_version_that_was_rolled_back_is_not_taken_for_a_later_one(
    tasks: RegisteredTasks,
) -> None:
    tasks.create("root", options=HOURLY)
    edits = (tasks.alteration("root", body="SELECT 2"), tasks.make("root"))
    with pytest.raises(Exception, match="of that name was made meanwhile"):
        tasks.publish(*edits)
    tasks.ids["root"] = edits[0].object_id
    tasks.alter("root", body="SELECT 3")
    assert tasks.state("root").graph.root.body == "SELECT 3"
