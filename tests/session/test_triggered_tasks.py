"""A triggered task wakes for each kind of stream, and for commits of another engine."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from session.task_runs import QUICK, history, wait_for

from conftest import Lake
from icemelt import Session
from icemelt.session.session import core_of
from icemelt.session.tasks.hosts import SessionHost
from icemelt.session.tasks.scheduler import Scheduler, SchedulerOptions
from icemelt.session.tasks.watching import PublicationWatch

OPTIONS = SchedulerOptions(parallel=3, poll_seconds=0.05, lease_seconds=20)


@pytest.fixture
def session(any_lake: Lake) -> Iterator[Session]:
    session = any_lake.open()
    session.sql("CREATE TABLE source (id INT)")
    with Scheduler(SessionHost(session), OPTIONS):
        yield session


def make_task(session: Session, name: str, stream: str, column: str = "id") -> None:
    """Make and resume a task that copies what a stream gives to a table of the task's name."""
    for text in (
        f"CREATE STREAM {name}_stream ON {stream}",
        f"CREATE TABLE {name} (v VARCHAR)",
        f"""CREATE TASK {name} {QUICK} WHEN SYSTEM$STREAM_HAS_DATA('{name}_stream')
AS INSERT INTO {name} SELECT {column} FROM {name}_stream""",
        f"ALTER TASK {name} RESUME",
    ):
        session.sql(text)


def copied(session: Session, name: str) -> list[str]:
    return sorted(row[0] for row in session.sql(f"SELECT v FROM {name}").fetchall())


def test_each_kind_of_stream_wakes_its_task(session: Session, tmp_path: Path) -> None:
    files = tmp_path / "files"
    files.mkdir()
    session.sql("CREATE VIEW seen AS SELECT id * 10 AS id FROM source WHERE id > 0")
    session.sql(f"CREATE STAGE files URL = '{files}' DIRECTORY = (ENABLE = TRUE)")
    session.sql(
        "CREATE EXTERNAL TABLE outside (id INT AS (value:c1::INT)) LOCATION = @files "
        "FILE_FORMAT = (TYPE = CSV)"
    )
    make_task(session, "of_table", "TABLE source")
    make_task(session, "of_inserts", "TABLE source APPEND_ONLY = TRUE")
    make_task(session, "of_view", "VIEW seen")
    make_task(session, "of_stage", "STAGE files", "relative_path")
    make_task(session, "of_outside", "EXTERNAL TABLE outside INSERT_ONLY = TRUE")
    for number in (1, 2):
        session.sql(f"INSERT INTO source VALUES ({number}), (-{number})")
        (files / f"{number}.csv").write_text(f"{number}00\n")
        session.sql("ALTER STAGE files REFRESH")
        session.sql("ALTER EXTERNAL TABLE outside REFRESH")
        for name in ("of_table", "of_inserts", "of_view", "of_stage", "of_outside"):
            wait_for(session, name, number)
    assert copied(session, "of_table") == copied(session, "of_inserts") == ["-1", "-2", "1", "2"]
    assert copied(session, "of_view") == ["10", "20"]
    assert copied(session, "of_stage") == ["1.csv", "2.csv"]
    assert copied(session, "of_outside") == ["100", "200"]
    # a compaction wakes nobody, a DELETE no stream of inserts
    session.sql("OPTIMIZE TABLE source")
    session.sql("DELETE FROM source WHERE id < 0")
    wait_for(session, "of_table", 3)
    time.sleep(1.5)
    for name, number in (("of_table", 3), ("of_inserts", 2), ("of_stage", 2), ("of_outside", 2)):
        assert [row[2] for row in history(session, name)].count("SUCCEEDED") == number, name


def test_a_commit_of_another_engine_wakes_a_task(lake: Lake) -> None:
    session = lake.open()
    session.sql("CREATE TABLE source (id INT)")
    session.sql("CREATE VIEW seen AS SELECT id * 10 AS id FROM source")
    session.sql("CREATE TABLE beside (id INT)")
    make_task(session, "of_table", "TABLE source")
    make_task(session, "of_view", "VIEW seen")
    foreign, host = lake.foreign(), SessionHost(session)
    host.facts.foreign_seconds = 1
    with Scheduler(host, OPTIONS):
        for number in (1, 2):
            foreign.sql("INSERT INTO icemelt.main.public.beside VALUES (7)")
            foreign.sql(f"INSERT INTO icemelt.main.public.source VALUES ({number})")
            wait_for(session, "of_table", number)
            wait_for(session, "of_view", number)
    assert copied(session, "of_table") == ["1", "2"]
    assert copied(session, "of_view") == ["10", "20"]


def test_only_tables_of_conditions_are_looked_at(lake: Lake) -> None:
    session = lake.open()
    for name in ("source", "beside"):
        session.sql(f"CREATE TABLE {name} (id INT)")
    make_task(session, "of_table", "TABLE source")
    core = core_of(session)
    watch = PublicationWatch(core)
    watch.adopt_foreign_commits(core)
    watch.find_news()
    foreign = lake.foreign()
    foreign.sql("INSERT INTO icemelt.main.public.beside VALUES (1)")
    watch.adopt_foreign_commits(core)
    assert watch.find_news() == set()
    foreign.sql("INSERT INTO icemelt.main.public.source VALUES (1)")
    assert watch.find_news() == set()
    watch.adopt_foreign_commits(core)
    assert len(watch.find_news()) == 1
    watch.adopt_foreign_commits(core)
    assert watch.find_news() == set()
