"""A client whose tasks end Spark again and again waits, as one whose statements do."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from server.program import server
from server.test_fairness import Key
from server.test_java_death import MEMORY, Requests
from server.test_serving_tasks import LONG, Client
from server.test_strikes import GREEDY, refused_keys
from waiting import wait_until

import icemelt

PATIENCE = 180


@pytest.fixture
def lake(spark: SparkSession, tmp_path: Path) -> Path:
    with icemelt.connect(tmp_path, spark=spark, maintain_every=None) as session:
        session.sql("CREATE TABLE t (id INT)")
        session.sql("CREATE TASK own AS INSERT INTO t VALUES (1)")
    return tmp_path


def end_spark(requests: Requests, client: Client, task: str, *, is_killed: bool) -> None:
    """Have a task run until Spark ends under it, and wait for the next Spark."""
    before = client.states(task).count("FAILED")
    client.sql(f"EXECUTE TASK {task}")
    if is_killed:
        client.wait_for_state(task, "EXECUTING")
        os.kill(requests.running.java(), signal.SIGKILL)
    wait_until(lambda: client.states(task).count("FAILED") > before, PATIENCE)
    found = f"SELECT DISTINCT error_code FROM icemelt_task_runs WHERE task = '{task}'"
    assert client.registry(found) == [("spark-died",)]
    requests.wait_until_answered(time.monotonic())


def end_spark_until_refused(lake: Path, body: str, *, is_killed: bool) -> None:
    with server(lake, **MEMORY) as running:
        requests, client = Requests(running), Client(running, lake)
        killer = Key(lake, running, "killer")
        told = killer.submit(f"CREATE TASK deadly AS {body}", wait_seconds=60).json()
        assert told["status"] == "succeeded", told
        for _ in range(3):
            end_spark(requests, client, "deadly", is_killed=is_killed)
        assert refused_keys(requests) == "icemelt_refused_keys 1.0"
        assert killer.submit("SELECT 1").status_code == 429
        # the runs of the client's tasks wait for as long, and keep no others waiting
        client.sql("EXECUTE TASK deadly")
        client.sql("EXECUTE TASK own")
        client.wait_for_state("own", "SUCCEEDED")
        assert client.states("deadly")[-1] == "SCHEDULED"
        assert client.sql("SELECT id FROM t") == [[1]]


@pytest.mark.slow
def test_a_client_under_whose_tasks_spark_ends_three_times_waits(lake: Path) -> None:
    end_spark_until_refused(lake, f"INSERT INTO t SELECT s FROM ({LONG})", is_killed=True)


@pytest.mark.torture
def test_a_task_that_takes_all_memory_again_and_again_is_refused(lake: Path) -> None:
    end_spark_until_refused(lake, GREEDY, is_killed=False)
