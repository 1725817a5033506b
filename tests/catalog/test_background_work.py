"""Of all processes with a lake open, one does each kind of background work in a period."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from conftest import sqlite_url
from icemelt.catalog.background_work import Work, begin_work, end_work, give_up_work, renew_work
from icemelt.catalog.database import Database, open_database
from icemelt.session.background_maintenance import _WorkTurns

PERIOD = 60.0


class Moment:
    """A clock of the database's that tests set, in milliseconds."""

    def __init__(self) -> None:
        self.now = 1_000_000

    def __call__(self, _connection: object) -> int:
        return self.now


@pytest.fixture
def moment() -> Moment:
    return Moment()


@pytest.fixture
def database(tmp_path: Path, moment: Moment) -> Iterator[Database]:
    opened = open_database(sqlite_url(tmp_path), str(tmp_path / "warehouse"), clock=moment)
    with closing(opened):
        yield opened


def test_a_turn_of_another_counts_for_nearly_a_period(database: Database, moment: Moment) -> None:
    assert begin_work(database, Work.PIPES, "a", PERIOD)
    assert not begin_work(database, Work.PIPES, "b", PERIOD)
    # another kind is another process's to do
    assert begin_work(database, Work.REFRESH, "b", PERIOD)
    end_work(database, "a")
    moment.now += 53_000
    assert not begin_work(database, Work.PIPES, "b", PERIOD)
    assert not begin_work(database, Work.PIPES, "a", PERIOD)
    # who works more often begins sooner
    assert begin_work(database, Work.PIPES, "c", 10)
    end_work(database, "c")
    moment.now += 55_000
    assert begin_work(database, Work.PIPES, "b", PERIOD)


def test_a_long_turn_keeps_others_out_as_long_as_it_is_renewed(
    database: Database, moment: Moment
) -> None:
    assert begin_work(database, Work.MAINTENANCE, "a", 1)
    for _ in range(5):
        moment.now += 50_000
        assert renew_work(database, "a")
        assert not begin_work(database, Work.MAINTENANCE, "b", 1)
    # killed: nobody renews it
    moment.now += 61_000
    assert begin_work(database, Work.MAINTENANCE, "b", 1)
    assert not renew_work(database, "a")


def test_a_turn_that_broke_off_is_repeated_soon(database: Database) -> None:
    assert begin_work(database, Work.MAINTENANCE, "a", 3600)
    give_up_work(database, "a")
    assert begin_work(database, Work.MAINTENANCE, "a", 3600)


def test_ten_jobs_do_the_work_of_one(tmp_path: Path) -> None:
    done: list[float] = []

    def work() -> None:
        done.append(time.monotonic())
        time.sleep(0.05)

    def take_turns(ended: threading.Event) -> None:
        url, warehouse = sqlite_url(tmp_path), str(tmp_path / "warehouse")
        with closing(open_database(url, warehouse)) as own:
            turns = _WorkTurns(own, Work.PIPES, 1.0)
            while not ended.wait(0.1):
                turns.take(work)

    open_database(sqlite_url(tmp_path), str(tmp_path / "warehouse")).close()
    ended = threading.Event()
    threads = [threading.Thread(target=take_turns, args=(ended,)) for _ in range(10)]
    for thread in threads:
        thread.start()
    time.sleep(3.5)
    ended.set()
    for thread in threads:
        thread.join()
    assert 2 <= len(done) <= 4
    assert all(later - sooner > 0.85 for sooner, later in itertools.pairwise(done))
