"""A PostgreSQL that crashes under schedulers with running tasks: each effect is there once.

ICEMELT_TORTURE_TASK_OUTAGES says how often `make torture` restarts the database.
"""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from faults.postgres import Postgres
from pyspark.sql import SparkSession
from session.task_runs import root_id
from waiting import wait_until

from conftest import Lake, postgres_url
from icemelt import Session
from icemelt.catalog.database import system_clock
from icemelt.catalog.schedulers import tell_registry
from icemelt.catalog.task_runs import read_root_state
from icemelt.errors import CatalogError
from icemelt.session.session import core_of
from icemelt.session.tasks.hosts import SessionHost
from icemelt.session.tasks.scheduler import Scheduler, SchedulerOptions
from icemelt.tasks.events import TaskExecuted

TASKS = tuple(f"t{number}" for number in range(6))
OUTAGES, TORTURE_OUTAGES = 2, int(os.environ.get("ICEMELT_TORTURE_TASK_OUTAGES", "50"))
# runs that end between two restarts
BETWEEN = 12
PATIENCE = 60
OPTIONS = SchedulerOptions(parallel=3, poll_seconds=0.05, lease_seconds=5)
RUN = "SYSTEM$TASK_RUNTIME_INFO('CURRENT_TASK_GRAPH_RUN_GROUP_ID')::INT"


@pytest.fixture
def server() -> Iterator[Postgres]:
    made = Postgres()
    yield made
    made.close()


@pytest.fixture
def session(server: Postgres, spark: SparkSession, tmp_path: Path) -> Iterator[Session]:
    lake = Lake(spark, postgres_url(server.url), tmp_path, system_clock)
    session = lake.open()
    session.sql("CREATE TABLE ran (task VARCHAR, run INT)")
    for number, name in enumerate(TASKS):
        insert = f"INSERT INTO ran SELECT '{name}', {RUN}"
        # of two transactions: the second one has the effect that is counted
        body = f"BEGIN DELETE FROM ran WHERE run < 0; {insert}; END" if number % 3 == 2 else insert
        session.sql(f"CREATE TASK {name} TASK_AUTO_RETRY_ATTEMPTS = 20 AS {body}")
    with Scheduler(SessionHost(session), OPTIONS), Scheduler(SessionHost(lake.open()), OPTIONS):
        yield session
    lake.close()


@pytest.mark.slow
def test_restarts_under_tasks_double_and_lose_nothing(session: Session, server: Postgres) -> None:
    restart_under_tasks(session, server, OUTAGES)


@pytest.mark.torture
def test_many_restarts_under_tasks_double_and_lose_nothing(
    session: Session, server: Postgres, capsys: pytest.CaptureFixture[str]
) -> None:
    ends = restart_under_tasks(session, server, TORTURE_OUTAGES)
    with capsys.disabled():
        print(f"\n{TORTURE_OUTAGES} restarts: {dict(ends)}")  # noqa: T201


def restart_under_tasks(session: Session, server: Postgres, outages: int) -> Counter[str]:
    """Restart the database under runs, and check what became of them; return their attempts."""
    roots = [root_id(session, name) for name in TASKS]
    for _ in range(outages):
        run_on(session, roots, BETWEEN)
        server.restart()
        run_on(session, roots, BETWEEN)
    wait_until(lambda: not any(is_at_work(session, root) for root in roots), PATIENCE)
    rows = session.sql("SELECT task, run, COUNT(*) FROM ran GROUP BY task, run").fetchall()
    attempts = list_attempts(session)
    succeeded = Counter((task, run) for task, run, state, _ in attempts if state == "SUCCEEDED")
    assert {(task, run): count for task, run, count in rows} == succeeded
    # with their attempts no run is given up
    assert succeeded == Counter({(task, run) for task, run, *_ in attempts}), attempts
    return Counter(f"{state} {error or ''}" for _, _, state, error in attempts)


def run_on(session: Session, roots: list[str], count: int) -> None:
    """Have each task run whenever it does not, until so many runs more have succeeded."""
    wanted = None

    def is_done() -> bool:
        nonlocal wanted
        with contextlib.suppress(CatalogError):
            done = sum(state == "SUCCEEDED" for _, _, state, _ in list_attempts(session))
            wanted = done + count if wanted is None else wanted
            if done >= wanted:
                return True
            for root in roots:
                if not is_at_work(session, root):
                    tell_registry(core_of(session).database, root, TaskExecuted())
        return False

    wait_until(is_done, PATIENCE)


def is_at_work(session: Session, root: str) -> bool:
    """Tell whether a run of a root is not over."""
    with core_of(session).database.read() as connection:
        state = read_root_state(connection, root)
    return state is not None and bool(state.active or state.queued)


def list_attempts(session: Session) -> list[tuple[str, int, str, str | None]]:
    """Return the task, the number, the state and the error of each attempt of a run."""
    query = "SELECT task, run_id, state, error_code FROM icemelt_task_runs"
    with core_of(session).database.read() as connection:
        return [tuple(row) for row in connection.exec_driver_sql(query)]
