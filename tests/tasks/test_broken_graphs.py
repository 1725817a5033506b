"""A graph that cannot be read stops no other graph, and a statement can end it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from broken_graphs import ZONE, damage_state, move_to_mars
from contract_model import ModelTask
from registered_tasks import RegisteredTasks
from run_machine import LEASE
from simulated_lake import BodyPlan, SimulatedClock, SimulatedLake, SimulatedScheduler

from conftest import TestClock
from icemelt.catalog.database import Database, open_database, sqlite_url
from icemelt.catalog.model import task_graphs
from icemelt.observe.emitting import subscribe
from icemelt.observe.events import TaskGraphFailed
from icemelt.session.tasks.execution import ClaimedRun
from icemelt.session.tasks.turns import SchedulerOptions
from icemelt.tasks.errors import GraphUnreadable
from icemelt.tasks.events import ClaimGranted, RunClaimed, TaskExecuted, TimePassed

HOUR, SECOND = 3_600_000, 1_000
NOON = 1_735_732_800_000  # 2025-01-01 12:00:00 UTC
CRON = {"SCHEDULE": f"USING CRON 0 * * * * {ZONE}"}
HOURLY = {"SCHEDULE": "1 HOUR"}
DAMAGES = [move_to_mars, damage_state]
Damage = Callable[[Database, str], None]


# ------------------------------------------------------------------------------ statements


@pytest.fixture
def tasks(registry: Database, clock: TestClock) -> Iterator[RegisteredTasks]:
    clock.ticks = iter(lambda: 0, 1)  # it stands still
    return RegisteredTasks(registry, clock.time)


def roots(tasks: RegisteredTasks) -> set[str]:
    with tasks.database.read() as connection:
        found = set(connection.execute(sa.select(task_graphs.c.root_id)).scalars())
    return {name for name, object_id in tasks.ids.items() if object_id in found}


def make_two(tasks: RegisteredTasks, damage: Damage) -> str:
    """Make two roots, of which one has a run under way and one that waits, and is broken then."""
    broken = tasks.create("broken", options=CRON)
    tasks.create("good", options=HOURLY)
    tasks.apply("broken", TaskExecuted())
    tasks.apply("broken", RunClaimed(1, "broken", "server", LEASE))
    tasks.apply("broken", TaskExecuted())
    damage(tasks.database, broken)
    with pytest.raises(GraphUnreadable, match="The graph of root task 'broken' cannot be read"):
        tasks.state("broken")
    return broken


CANCELLED = [(1, "broken", 1, "CANCELLED"), (2, "broken", 1, "CANCELLED")]


@pytest.mark.parametrize("damage", DAMAGES)
def test_other_tasks_of_the_schema_are_made_altered_and_dropped(
    tasks: RegisteredTasks, damage: Damage
) -> None:
    broken = make_two(tasks, damage)
    tasks.create("new", options=HOURLY)
    tasks.alter("good", body="SELECT 2")
    assert tasks.state("good").graph.root.body == "SELECT 2"
    tasks.drop("good")
    # the broken one stays as it is: another machine may read it
    assert roots(tasks) == {"broken", "new"}
    assert tasks.states(broken) == [(1, "broken", 1, "EXECUTING"), (2, "broken", 1, "SCHEDULED")]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_broken_root_is_dropped(tasks: RegisteredTasks, damage: Damage) -> None:
    broken = make_two(tasks, damage)
    tasks.drop("broken")
    assert roots(tasks) == {"good"}
    assert tasks.states(broken) == CANCELLED


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_broken_root_is_altered_to_a_graph_that_can_be_read(
    tasks: RegisteredTasks, damage: Damage
) -> None:
    """Numbers go on after those of the history, so that no holder of before ends a new run."""
    broken = make_two(tasks, damage)
    tasks.alter("broken", options=HOURLY)
    assert tasks.states(broken) == CANCELLED
    tasks.apply("broken", TimePassed(), milliseconds=HOUR)
    [*_, granted] = tasks.apply("broken", RunClaimed(3, "broken", "server", LEASE))
    assert isinstance(granted, ClaimGranted)
    assert granted.claim.token == 2


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_broken_root_that_is_suspended_runs_no_more(
    tasks: RegisteredTasks, damage: Damage
) -> None:
    broken = make_two(tasks, damage)
    tasks.alter("broken", is_started=False)
    assert tasks.states(broken) == CANCELLED
    tasks.apply("broken", TimePassed(), milliseconds=HOUR)
    assert tasks.states(broken) == CANCELLED


def test_a_broken_option_of_a_child_stops_no_other_graph(tasks: RegisteredTasks) -> None:
    tasks.create("root", options=HOURLY)
    tasks.create("child", "root")
    tasks.create("good", options=HOURLY)
    tasks.alter("child", options={"USER_TASK_TIMEOUT_MS": "an hour"})
    assert tasks.state("root").graph.task("child").options == ()
    tasks.alter("good", body="SELECT 2")
    tasks.drop("child")
    assert [task.name for task in tasks.state("root").graph.tasks] == ["root"]


# ----------------------------------------------------------------------------------- turns


@pytest.fixture
def lake(tmp_path: Path) -> Iterator[SimulatedLake]:
    clock = SimulatedClock(NOON)
    database = open_database(sqlite_url(tmp_path / "catalog.db"), str(tmp_path), clock=clock)
    yield SimulatedLake(database, clock)
    database.close()


@pytest.fixture
def told() -> Iterator[list[TaskGraphFailed]]:
    taken: list[TaskGraphFailed] = []
    unsubscribe = subscribe(taken.append, TaskGraphFailed)  # type: ignore[arg-type]
    yield taken
    unsubscribe()


def take_a_day(_run: ClaimedRun) -> BodyPlan:
    return 24 * HOUR, "SUCCEEDED", None, None


def make_pair(lake: SimulatedLake, **task: object) -> tuple[str, str]:
    """Make two roots, and return their names: first the one that a turn comes to first."""
    lake.create(*(ModelTask(name, "", is_started=True, **task) for name in "ab"))  # type: ignore[arg-type]
    first, second = sorted("ab", key=lake.tasks.ids.__getitem__)
    return first, second


def take_turns(lake: SimulatedLake) -> list[str]:
    """Take a turn each second for two minutes; return the tasks whose runs are executed."""
    options = SchedulerOptions(lease_seconds=3_600)
    scheduler = SimulatedScheduler(lake, "scheduler", options, take_a_day)
    for _ in range(120):
        # no broken root has the next turn come at once
        assert scheduler.turns.take() > 0
        lake.set_time(lake.now + SECOND)
    return [body.run.task for body in scheduler.bodies]


@pytest.mark.parametrize("damage", DAMAGES)
def test_time_passes_for_others(
    lake: SimulatedLake, told: list[TaskGraphFailed], damage: Damage
) -> None:
    broken, good = make_pair(lake, options=tuple(CRON.items()))
    damage(lake.database, lake.tasks.ids[broken])
    lake.set_time(NOON + HOUR)
    assert take_turns(lake) == [good]
    [event] = told
    assert (event.root_id, event.action) == (lake.tasks.ids[broken], "pass time")
    assert event.error_code == "graph-unreadable"


def test_publications_are_told_to_others_and_conditions_looked_at(
    lake: SimulatedLake, told: list[TaskGraphFailed]
) -> None:
    broken, good = make_pair(lake, has_condition=True)
    for name in (broken, good):
        lake.publish_rows(lake.tasks.ids[name])
    damage_state(lake.database, lake.tasks.ids[broken])
    assert take_turns(lake) == [good]
    # nothing else is tried for a root that is left alone
    assert [(event.root_id, event.action) for event in told] == [
        (lake.tasks.ids[broken], "tell of publications")
    ]


@pytest.mark.parametrize("damage", DAMAGES)
def test_the_runs_of_others_are_claimed(
    lake: SimulatedLake, told: list[TaskGraphFailed], damage: Damage
) -> None:
    broken, good = make_pair(lake, options=tuple(CRON.items()))
    for name in (broken, good):
        lake.execute(name, None)
        lake.set_time(lake.now + 1)
    damage(lake.database, lake.tasks.ids[broken])
    assert take_turns(lake) == [good]
    assert [event.action for event in told] == ["claim a run"]


def test_a_root_that_is_mended_goes_on_within_a_minute(lake: SimulatedLake) -> None:
    broken, good = make_pair(lake, options=tuple(CRON.items()))
    move_to_mars(lake.database, lake.tasks.ids[broken])
    lake.set_time(NOON + HOUR)
    scheduler = SimulatedScheduler(lake, "scheduler", SchedulerOptions(), take_a_day)
    scheduler.turns.take()
    lake.tasks.alter(broken, options={"SCHEDULE": "10 SECONDS"})
    for _ in range(61):
        lake.set_time(lake.now + SECOND)
        scheduler.turns.take()
    assert sorted(body.run.task for body in scheduler.bodies) == sorted([broken, good])
