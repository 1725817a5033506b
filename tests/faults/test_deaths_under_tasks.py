"""Java dies under ten running tasks: each run is done with its effect, or failed without it.

ICEMELT_TORTURE_TASK_DEATHS says how often `make torture` kills Java under each host.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cli.test_task_commands import scheduler
from pyspark.sql import SparkSession
from rotation import this_turn
from server.program import server
from session.task_runs import execute, wait_until_idle
from waiting import wait_until

import icemelt
from icemelt import Session
from icemelt.session.session import core_of

TASKS = tuple(f"t{number}" for number in range(10))
TORTURE_DEATHS = int(os.environ.get("ICEMELT_TORTURE_TASK_DEATHS", "20"))
SEED = os.environ.get("ICEMELT_TORTURE_SEED", str(this_turn()))
PATIENCE = 90
MEMORY = {"SPARK_DRIVER_MEMORY": "700m"}
RUN = "SYSTEM$TASK_RUNTIME_INFO('CURRENT_TASK_GRAPH_RUN_GROUP_ID')::INT"
# a second or two, of which Java may die at any moment
WORK = "(SELECT MAX(HASH(SEQ8())) AS h FROM TABLE(GENERATOR(ROWCOUNT => {rows})))"


@pytest.fixture
def session(spark: SparkSession, tmp_path: Path) -> Iterator[Session]:
    with icemelt.connect(tmp_path / "lake", spark=spark, maintain_every=None) as opened:
        opened.sql("CREATE TABLE ran (task VARCHAR, run INT)")
        for number, name in enumerate(TASKS):
            work = WORK.format(rows=1_500_000 * (number + 1))
            opened.sql(f"CREATE TASK {name} AS INSERT INTO ran SELECT '{name}', {RUN} FROM {work}")
        yield opened


@contextlib.contextmanager
def scheduling(lake: Path) -> Iterator[Callable[[], int]]:
    """Run `icemelt scheduler`; yield what finds its Java."""
    with scheduler(lake, "--parallel", "10") as running:
        yield running.java
        assert running.end() == 0


@contextlib.contextmanager
def serving(lake: Path) -> Iterator[Callable[[], int]]:
    """Run `icemelt serve`; yield what finds its Java."""
    with server(lake, **MEMORY) as running:
        yield running.java
        assert running.end(signal.SIGTERM) == 0


HOSTS = [scheduling, serving]


@pytest.mark.slow
@pytest.mark.parametrize("host", HOSTS)
def test_runs_under_which_java_dies_are_done_or_failed(
    session: Session, tmp_path: Path, host: Callable[..., contextlib.AbstractContextManager]
) -> None:
    with host(tmp_path / "lake") as java:
        kill_under_tasks(session, java, 1)


@pytest.mark.torture
@pytest.mark.parametrize("host", HOSTS)
def test_java_dies_under_tasks_again_and_again(
    session: Session,
    tmp_path: Path,
    host: Callable[..., contextlib.AbstractContextManager],
    capsys: pytest.CaptureFixture[str],
) -> None:
    for death in range(1, TORTURE_DEATHS + 1):
        # anew: a server runs one statement at a time of who was there at two deaths
        with host(tmp_path / "lake") as java:
            kill_under_tasks(session, java, death)
    ends = Counter(states(session).values())
    with capsys.disabled():
        print(f"\nseed {SEED}, {host.__name__}: {dict(ends)}")  # noqa: T201


def kill_under_tasks(session: Session, java: Callable[[], int], death: int) -> None:
    """Kill Java under the tasks, and check what became of their runs.

    Args:
        session: a session on the lake.
        java: finds the process.
        death: the number of the death, from 1.
    """
    chance = random.Random(f"{SEED} {death}")  # noqa: S311 - chance is what is wanted
    for name in TASKS:
        execute(session, name)
    wait_until(lambda: Counter(states(session).values())["EXECUTING"] >= 3, PATIENCE)
    time.sleep(chance.uniform(0, 2.5))
    os.kill(java(), signal.SIGKILL)
    for name in TASKS:
        wait_until_idle(session, name)
    check(session)
    # the same tasks in the next Spark
    for name in TASKS:
        execute(session, name)
    for name in TASKS:
        wait_until_idle(session, name)
    done = states(session)
    assert {done[name, 2 * death] for name in TASKS} == {"SUCCEEDED"}, errors(session)
    check(session)


def check(session: Session) -> None:
    """Check that a run has its effect once where it has succeeded, and else has failed without."""
    ended = states(session)
    assert set(ended.values()) <= {"SUCCEEDED", "FAILED"}
    assert errors(session) <= {"spark-died"}
    rows = session.sql("SELECT task, run, COUNT(*) FROM ran GROUP BY task, run").fetchall()
    succeeded = {key for key, state in ended.items() if state == "SUCCEEDED"}
    assert {(task, run): count for task, run, count in rows} == dict.fromkeys(succeeded, 1)


def states(session: Session) -> dict[tuple[str, int], str]:
    """Return the state of each run, by its task and its number."""
    with core_of(session).database.read() as connection:
        found = connection.exec_driver_sql("SELECT task, run_id, state FROM icemelt_task_runs")
        return {(task, run): state for task, run, state in found}


def errors(session: Session) -> set[str]:
    """Return the errors of the runs that have failed."""
    query = "SELECT error_code FROM icemelt_task_runs WHERE error_code IS NOT NULL"
    with core_of(session).database.read() as connection:
        return set(connection.exec_driver_sql(query).scalars())
