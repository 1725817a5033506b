"""Turns of schedulers on a simulated clock: what is due is done, whatever happens on the way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from contract_model import ModelTask
from simulated_lake import BodyPlan, SimulatedClock, SimulatedLake, SimulatedScheduler
from transactions.failpoints import at_sql

from icemelt.catalog.database import open_database, sqlite_url
from icemelt.errors import CatalogUnavailable
from icemelt.session.tasks.execution import ClaimedRun
from icemelt.session.tasks.turns import SchedulerOptions

NOON = 1_735_732_800_000  # 2025-01-01 12:00:00 UTC
SECOND = 1_000
OPTIONS = SchedulerOptions(lease_seconds=60)


@pytest.fixture
def lake(tmp_path: Path) -> Iterator[SimulatedLake]:
    clock = SimulatedClock(NOON)
    database = open_database(sqlite_url(tmp_path / "catalog.db"), str(tmp_path), clock=clock)
    yield SimulatedLake(database, clock)
    database.close()


MINUTE = 60 * SECOND


def succeed(_run: ClaimedRun) -> BodyPlan:
    return 0, "SUCCEEDED", None, None


def test_a_turn_that_fails_forgets_no_publication(lake: SimulatedLake) -> None:
    """Of two publications the registry takes one; the other root is told in the next turn."""
    lake.create(*(ModelTask(name, "", is_started=True, has_condition=True) for name in ("a", "b")))
    scheduler = SimulatedScheduler(lake, "scheduler", OPTIONS, succeed)
    scheduler.turn()
    lake.compare()
    failing = [False]

    def fail(_place: str) -> None:
        if failing[0]:
            raise CatalogUnavailable("The catalog is away.", hint="Wait.")

    at_sql(lake.database.engine, fail)
    for task in list(lake.model.tasks.values()):
        lake.publish_rows(task.id)
    failing[0] = True
    with pytest.raises(CatalogUnavailable):
        scheduler.turns.take()
    failing[0] = False
    lake.set_time(NOON + 30 * SECOND)
    scheduler.turn()
    scheduler.act()
    lake.compare()
    assert sorted(key[2] for key in lake.model.history) == ["a", "b"]


# ----------------------------------------------------------------------------------- clients


def ask_for_runs(lake: SimulatedLake, names: Sequence[str]) -> None:
    """Have tasks run once, one after the other; `ann-1` is of the client ann, `own` of none."""
    for name in names:
        client, _, number = name.partition("-")
        lake.create(ModelTask(name, "", client=client if number else None))
        lake.set_time(lake.now + 1)
        lake.execute(name, None)


def take_half_an_hour(_run: ClaimedRun) -> BodyPlan:
    return 30 * MINUTE, "SUCCEEDED", None, None


def open_scheduler(lake: SimulatedLake, parallel: int, further: int) -> SimulatedScheduler:
    options = SchedulerOptions(parallel, further, lease_seconds=3_600)
    return SimulatedScheduler(lake, "scheduler", options, take_half_an_hour)


def running(scheduler: SimulatedScheduler) -> list[str]:
    return sorted(body.run.task for body in scheduler.bodies)


def test_long_bodies_of_a_client_keep_no_other_client_waiting(lake: SimulatedLake) -> None:
    """A client fills the usual places; those beyond are for clients without a run."""
    scheduler = open_scheduler(lake, parallel=3, further=2)
    ask_for_runs(lake, ["ann-1", "ann-2", "ann-3", "ann-4"])
    scheduler.turn()
    assert running(scheduler) == ["ann-1", "ann-2", "ann-3"]
    lake.set_time(lake.now + MINUTE)
    ask_for_runs(lake, ["ann-5", "bob-1", "bob-2", "own", "eve-1"])
    scheduler.turn()
    assert running(scheduler) == ["ann-1", "ann-2", "ann-3", "bob-1", "own"]
    # the bodies of ann are over: eve is next, who has had no turn, and ann has no run again
    lake.set_time(lake.now + 29 * MINUTE)
    scheduler.act()
    scheduler.turn()
    assert running(scheduler) == ["ann-4", "bob-1", "eve-1", "own"]
    lake.set_time(lake.now + MINUTE)
    scheduler.act()
    scheduler.turn()
    assert running(scheduler) == ["ann-4", "bob-2", "eve-1"]
    lake.compare()


def test_a_client_that_is_alone_has_all_places(lake: SimulatedLake) -> None:
    scheduler = open_scheduler(lake, parallel=3, further=2)
    ask_for_runs(lake, ["a", "b", "c", "d"])
    scheduler.turn()
    assert running(scheduler) == ["a", "b", "c"]


def test_clients_take_turns_at_the_only_place(lake: SimulatedLake) -> None:
    """The older runs of ann do not go before those of others, nor do ann's many."""
    scheduler = open_scheduler(lake, parallel=1, further=0)
    order = []
    for step in range(8):
        if step == 0:
            ask_for_runs(lake, [f"ann-{number}" for number in range(5)])
        if step == 1:
            ask_for_runs(lake, ["bob-1", "bob-2", "eve-1"])
        scheduler.turn()
        order += running(scheduler)
        lake.set_time(lake.now + 30 * MINUTE)
        scheduler.act()
    clients = [name.partition("-")[0] for name in order]
    assert clients == ["ann", "bob", "eve", "ann", "bob", "ann", "ann", "ann"]
    lake.compare()


def test_a_run_is_of_who_wrote_the_body_that_it_has(lake: SimulatedLake) -> None:
    """The run that waits has the body of ann still; the next one has that of bob."""
    scheduler = open_scheduler(lake, parallel=1, further=0)
    ask_for_runs(lake, ["ann-1"])
    lake.tasks.alter("ann-1", body="SELECT 2", written_by="bob")
    clients = []
    for _ in range(2):
        scheduler.turn()
        clients += scheduler.turns.under_way.clients()
        lake.set_time(lake.now + 30 * MINUTE)
        scheduler.act()
        lake.execute("ann-1", None)
    assert clients == ["ann", "bob"]
