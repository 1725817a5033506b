"""`icemelt scheduler` is asked to end amid runs, `icemelt tasks` watches: on both catalogs."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import time
from collections import Counter

import pytest
from cli.test_task_commands import ICEMELT, PATIENCE, scheduler
from session.task_runs import execute
from session.test_scheduler import FOREVER
from typer.testing import CliRunner
from waiting import wait_until

from conftest import Lake
from icemelt import Session
from icemelt.catalog.queries.task_gauges import read_task_numbers
from icemelt.catalog.schedulers import SchedulerName, end_scheduler, report_scheduler
from icemelt.cli.main import app
from icemelt.session.session import core_of

TASKS = tuple(f"t{number}" for number in range(10))
RUN = "SYSTEM$TASK_RUNTIME_INFO('CURRENT_TASK_GRAPH_RUN_GROUP_ID')::INT"
CLEARED = b"\x1b[H\x1b[2J"


@pytest.fixture
def session(any_lake: Lake) -> Session:
    session = any_lake.open()
    session.sql("CREATE TABLE ran (task VARCHAR, run INT)")
    return session


def words_of(lake: Lake) -> list[str]:
    """Return how a lake is named on the command line."""
    if lake.url.startswith("sqlite"):
        return [str(lake.folder)]
    return ["--catalog", lake.url, "--warehouse", str(lake.folder / "warehouse")]


def runs(session: Session) -> list[tuple[str, int, str, str | None]]:
    query = "SELECT task, run_id, state, error_code FROM icemelt_task_runs"
    with core_of(session).database.read() as connection:
        return [tuple(row) for row in connection.exec_driver_sql(query)]


def count_states(session: Session) -> Counter[str]:
    return Counter(state for _, _, state, _ in runs(session))


@pytest.mark.slow
def test_at_sigterm_what_runs_ends_and_what_waits_stays(any_lake: Lake, session: Session) -> None:
    work = "(SELECT MAX(HASH(SEQ8())) AS h FROM TABLE(GENERATOR(ROWCOUNT => 20000000)))"
    for name in TASKS:
        session.sql(f"CREATE TASK {name} AS INSERT INTO ran SELECT '{name}', {RUN} FROM {work}")
    with scheduler(*words_of(any_lake), "--parallel", "5") as running:
        for name in TASKS:
            execute(session, name)
        wait_until(lambda: count_states(session)["EXECUTING"] >= 4, PATIENCE)
        assert running.end() == 0
    states = count_states(session)
    assert set(states) == {"SUCCEEDED", "SCHEDULED"}
    assert states["SUCCEEDED"] >= 5
    rows = session.sql("SELECT task, run FROM ran").fetchall()
    done = [(task, run) for task, run, state, _ in runs(session) if state == "SUCCEEDED"]
    assert sorted(rows) == sorted(done)
    assert sorted(told["state"] for told in running.runs) == ["SUCCEEDED"] * len(done)


@pytest.mark.slow
@pytest.mark.parametrize("second", [signal.SIGINT, signal.SIGTERM])
def test_at_a_second_signal_what_runs_is_stopped(
    any_lake: Lake, session: Session, second: signal.Signals
) -> None:
    for name in TASKS[:3]:
        session.sql(f"CREATE TASK {name} AS INSERT INTO ran SELECT 'x', COUNT(*) FROM ({FOREVER})")
        execute(session, name)
    with scheduler(*words_of(any_lake), "--parallel", "3") as running:
        wait_until(lambda: count_states(session)["EXECUTING"] == 3, PATIENCE)
        running.process.send_signal(signal.SIGINT)
        time.sleep(1)
        assert running.process.poll() is None
        began = time.monotonic()
        running.process.send_signal(second)
        assert running.process.wait(PATIENCE) == 0
        # thirty seconds without the second one
        assert time.monotonic() - began < 25
    errors = {(state, error) for _, _, state, error in runs(session)}
    assert errors == {("FAILED", "scheduler-stopped")}
    assert session.sql("SELECT * FROM ran").fetchall() == []


def test_the_tasks_of_each_catalog_are_listed_and_counted(any_lake: Lake, session: Session) -> None:
    session.sql("CREATE TASK one SCHEDULE = '1 HOUR' AS SELECT 1")
    session.sql("CREATE TASK two AFTER one AS SELECT 1")
    session.sql("ALTER TASK one RESUME")
    execute(session, "one")
    database = core_of(session).database
    for number in range(3):
        report_scheduler(database, SchedulerName(str(number), f"s{number}", "host", number), 60)
    end_scheduler(database, "1")
    ended = CliRunner().invoke(app, ["tasks", *words_of(any_lake), "--format", "json"])
    assert ended.exit_code == 0, ended.output
    assert "No scheduler is alive" not in ended.stderr
    rows = [json.loads(line) for line in ended.stdout.splitlines()]
    assert [(row["name"], row["state"], row["last_state"]) for row in rows] == [
        ("main.public.one", "started", None),
        ("main.public.two", "suspended", None),
    ]
    assert rows[0]["next_on"] is not None
    with database.read() as connection:
        numbers = read_task_numbers(connection, database, 10)
    assert (numbers.schedulers, numbers.under_way, numbers.failures) == (2, 0, {})


def test_watching_draws_the_list_again_and_again_until_control_c(
    any_lake: Lake, session: Session
) -> None:
    session.sql("CREATE TASK watched AS SELECT 1")
    ours, its = pty.openpty()
    command = [*ICEMELT, "tasks", *words_of(any_lake), "--watch"]
    environment = {**os.environ, "COLUMNS": "200"}
    with subprocess.Popen(
        command, stdin=its, stdout=its, stderr=its, env=environment, start_new_session=True
    ) as watching:
        os.close(its)
        drawn = b""
        while drawn.count(CLEARED) < 2:
            drawn += os.read(ours, 65_536)
        session.sql("CREATE TASK added AS SELECT 1")
        while b"added" not in drawn:
            drawn += os.read(ours, 65_536)
        watching.send_signal(signal.SIGINT)
        assert watching.wait(PATIENCE) == 130
        os.close(ours)
    first, second = drawn.split(CLEARED)[1:3]
    assert b"watched" in first
    assert b"No scheduler is alive" in first
    assert b"watched" in second
    assert b"Traceback" not in drawn
