"""Random histories of graphs are as a small model of the contract says, on a simulated clock.

ICEMELT_TORTURE_SEED chooses others, ICEMELT_TORTURE_TASK_HISTORIES how many `make torture` runs.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pytest
from contract_model import BEGIN
from random_histories import SCHEDULES, run_history
from rotation import this_turn
from simulated_lake import SimulatedClock
from wall_clock_times import cron_times

from conftest import postgres_url
from icemelt.catalog.database import Database, open_database, sqlite_url
from icemelt.tasks.schedule import next_time, parse_schedule

SEED = os.environ.get("ICEMELT_TORTURE_SEED", str(this_turn()))
STEPS = 300
# no history begins after this many seconds
SECONDS = 10.0
TORTURE_HISTORIES = int(os.environ.get("ICEMELT_TORTURE_TASK_HISTORIES", "2000"))
DAY = 86_400_000


@contextmanager
def new_lake(url: str, folder: Path) -> Iterator[tuple[Database, SimulatedClock]]:
    clock = SimulatedClock(0)
    database = open_database(url, str(folder), clock=clock)
    try:
        yield database, clock
    finally:
        database.close()


def run_histories(folder: Path, count: int, seconds: float) -> Counter[str]:
    """Run histories until they are so many, or the time is over; return what was done."""
    done = Counter[str]()
    end = time.monotonic() + seconds
    for number in range(count):
        if time.monotonic() > end:
            break
        place = folder / str(number)
        place.mkdir()
        with new_lake(sqlite_url(place / "catalog.db"), place) as (database, clock):
            history = run_history(database, clock, f"{SEED} {number}", STEPS)
        done += history.counts
        done["days"] += history.days
        done["rows of the history"] += len(history.lake.model.history)
    return done


def test_random_histories_are_as_the_contract_says(tmp_path: Path) -> None:
    done = run_histories(tmp_path, 1_000, SECONDS)
    assert done["execute"]
    assert done["altered"]


@pytest.mark.slow
@pytest.mark.turns(24)
def test_random_histories_on_postgresql_are_as_the_contract_says(
    tmp_path: Path, postgres_server: str
) -> None:
    with new_lake(postgres_url(postgres_server), tmp_path) as (database, clock):
        run_history(database, clock, SEED, STEPS)


@pytest.mark.torture
def test_thousands_of_random_histories_are_as_the_contract_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = run_histories(tmp_path, TORTURE_HISTORIES, float("inf"))
    with capsys.disabled():
        print(f"\nseed {SEED}: {dict(done)}")  # noqa: T201


def test_a_cron_schedule_is_due_when_a_clock_on_the_wall_comes_to_its_times() -> None:
    """A year of two schedules, one of the list and one at random, is walked minute by minute."""
    random = Random(SEED)  # noqa: S311 - chance is what is wanted
    crons = [schedule for schedule in SCHEDULES if schedule.startswith("USING CRON")]
    for schedule in (random.choice(crons), _any_schedule(random)):
        *fields, zone = schedule.removeprefix("USING CRON ").split()
        expected = cron_times(" ".join(fields), zone, BEGIN)
        parsed = parse_schedule(schedule)
        moment, end = BEGIN, BEGIN + timedelta(days=365)
        found = []
        while (following := next_time(parsed, moment, BEGIN)) is not None and following <= end:
            found.append(_milliseconds(following))
            moment = following
        assert found == expected.times(_milliseconds(BEGIN), _milliseconds(end)), schedule


def _any_schedule(random: Random) -> str:
    minute = random.choice(["0", "30", "*/20", "5,35", "45-50"])
    hour = random.choice(["*", "0", "1-3", "2", "*/2", "23"])
    day = random.choice(["*", "*", "1", "L", "*/5", "28-31"])
    month = random.choice(["*", "*", "MAR,OCT", "3-11/2"])
    week = random.choice(["*", "*", "SUN", "5L", "MON-FRI", "*/3"])
    zone = random.choice(
        [
            "America/New_York",
            "America/St_Johns",
            "Australia/Lord_Howe",
            "Europe/Berlin",
            "Africa/Casablanca",
            "Pacific/Apia",
        ]
    )
    return f"USING CRON {minute} {hour} {day} {month} {week} {zone}"


def _milliseconds(moment: datetime) -> int:
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)
