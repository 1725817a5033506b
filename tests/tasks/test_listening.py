"""Schedulers hear of publications at once on PostgreSQL, and poll where they do not hear."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Self

import pytest
import sqlalchemy as sa
from registered_tasks import RegisteredTasks
from waiting import wait_until

from conftest import TestClock, postgres_url, sqlite_url
from icemelt.catalog.database import Database, open_database
from icemelt.catalog.listening import PublicationListener
from icemelt.catalog.publishing import next_commit


@pytest.fixture
def database(
    postgres_server: str, clock: TestClock, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Database]:
    opened = open_database(
        postgres_url(postgres_server), str(tmp_path_factory.mktemp("lake")), clock=clock
    )
    yield opened
    opened.close()


@pytest.fixture
def tasks(database: Database, clock: TestClock) -> RegisteredTasks:
    return RegisteredTasks(database, clock.time)


class Heard:
    """Counts the calls of a listener."""

    def __init__(self, database: Database) -> None:
        self.times: list[float] = []
        self.listener = PublicationListener(
            database, lambda: self.times.append(time.monotonic()), 0.1
        )

    def __enter__(self) -> Self:
        self.listener.start()
        wait_until(lambda: self.listener.is_listening and len(self.times) > 0, 10)
        time.sleep(0.2)
        self.times.clear()
        return self

    def __exit__(self, *_error: object) -> None:
        assert self.listener.stop(5)
        assert not self.listener.is_listening


def test_a_publication_is_heard_at_its_commit(database: Database, tasks: RegisteredTasks) -> None:
    with Heard(database) as heard:
        began = time.monotonic()
        tasks.create("one", options={"SCHEDULE": "1 HOUR"})
        wait_until(lambda: bool(heard.times), 5)
        assert heard.times[0] - began < 1


def tell_and_roll_back(database: Database) -> None:
    with database.write() as connection:
        next_commit(connection, 0)
        raise RuntimeError


def test_what_is_rolled_back_is_not_heard(database: Database) -> None:
    with Heard(database) as heard:
        with pytest.raises(RuntimeError):
            tell_and_roll_back(database)
        time.sleep(0.5)
        assert heard.times == []


def test_many_publications_are_heard_a_few_times(
    database: Database, tasks: RegisteredTasks
) -> None:
    with Heard(database) as heard:
        began = time.monotonic()
        for number in range(60):
            tasks.create(f"t{number}", options={"SCHEDULE": "1 HOUR"})
        seconds = time.monotonic() - began
        wait_until(lambda: bool(heard.times), 5)
        time.sleep(0.3)
        assert 1 <= len(heard.times) <= seconds / 0.1 + 3


def test_a_connection_that_was_cut_is_made_again(
    database: Database, tasks: RegisteredTasks
) -> None:
    with Heard(database) as heard:
        cut = sa.text(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND query LIKE 'LISTEN %'"
        )
        with database.read() as connection:
            assert connection.execute(cut).scalars().all() == [True]
        # the loss is told, and so is the new begin: what was published between is looked for
        wait_until(lambda: len(heard.times) >= 2 and heard.listener.is_listening, 15)
        heard.times.clear()
        tasks.create("one", options={"SCHEDULE": "1 HOUR"})
        wait_until(lambda: bool(heard.times), 5)


def test_on_sqlite_nothing_listens(tmp_path: Path) -> None:
    database = open_database(sqlite_url(tmp_path), str(tmp_path))
    before = threading.active_count()
    listener = PublicationListener(database, lambda: None, 0.1)
    listener.start()
    assert threading.active_count() == before
    assert not listener.is_listening
    assert listener.stop(1)
    database.close()
