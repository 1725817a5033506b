"""`icemelt serve` runs the tasks of its lake, beside the statements of clients."""

from __future__ import annotations

import os
import signal
import sqlite3
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
from server.program import SECONDS, Server, server
from waiting import wait_until

import icemelt

PATIENCE = 40
MEMORY = {"SPARK_DRIVER_MEMORY": "700m"}
# longer than the server waits for runs at its end
MANY = "(SELECT SEQ4() AS id FROM TABLE(GENERATOR(ROWCOUNT => 3000000)))"
LONG = f"SELECT SUM(a.id * b.id) AS s FROM {MANY} a CROSS JOIN {MANY} b"


class Client:
    """Statements of a server's client, and what the catalog's file says."""

    def __init__(self, running: Server, lake: Path) -> None:
        self.running, self.lake = running, lake
        headers = {"Authorization": f"Bearer {running.key}"}
        self.http = httpx.Client(base_url=running.url, headers=headers, timeout=SECONDS)

    def sql(self, statement: str) -> list[list[Any]]:
        body = {"statement": statement, "wait_seconds": 60}
        told = self.http.post("/v1/statements", json=body).json()
        assert told["status"] == "succeeded", told
        rows: list[list[Any]] = told["data"]
        return rows

    def registry(self, query: str) -> list[tuple[Any, ...]]:
        with sqlite3.connect(self.lake / "catalog.db", timeout=30) as connection:
            found = connection.execute(query).fetchall()
        connection.close()
        return found

    def states(self, task: str) -> list[str]:
        where = f"WHERE task = '{task}' ORDER BY run_id, attempt"
        return [row[0] for row in self.registry(f"SELECT state FROM icemelt_task_runs {where}")]

    def wait_for_state(self, task: str, state: str) -> None:
        wait_until(lambda: state in self.states(task), PATIENCE)

    def metrics(self) -> dict[str, float]:
        text = self.http.get("/metrics").text
        lines = (line.rpartition(" ") for line in text.splitlines() if not line.startswith("#"))
        return {name: float(value) for name, _, value in lines}


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    place = tmp_path / "lake"
    with icemelt.connect(place, maintain_every=None) as session:
        session.execute_script("""
            CREATE TABLE runs (at TIMESTAMP);
            CREATE TASK tick AS INSERT INTO runs SELECT CURRENT_TIMESTAMP;
            CREATE TASK doomed AS INSERT INTO runs SELECT CAST('no time' AS TIMESTAMP);
        """)
        session.sql(f"CREATE TASK long AS INSERT INTO runs SELECT CURRENT_TIMESTAMP FROM ({LONG})")
    return place


@pytest.mark.slow
def test_a_server_runs_tasks_tells_of_them_and_goes_on_after_the_death_of_spark(lake: Path) -> None:
    with server(lake, **MEMORY) as running:
        client = Client(running, lake)
        client.sql("EXECUTE TASK tick")
        client.wait_for_state("tick", "SUCCEEDED")
        assert client.sql("SELECT COUNT(*) FROM runs") == [[1]]
        client.sql("EXECUTE TASK doomed")
        client.wait_for_state("doomed", "FAILED")
        wait_until(
            lambda: 'icemelt_task_runs_ended_total{state="FAILED"}' in client.metrics(), PATIENCE
        )
        metrics = client.metrics()
        assert metrics['icemelt_task_runs_ended_total{state="SUCCEEDED"}'] == 1
        assert metrics["icemelt_task_run_seconds_count"] == 2
        assert metrics["icemelt_task_run_lateness_seconds_count"] == 2
        assert metrics["icemelt_task_runs_under_way"] == 0
        assert metrics["icemelt_schedulers"] == 1
        assert metrics["icemelt_scheduler_last_look_seconds"] < 5

        client.sql("EXECUTE TASK long")
        client.wait_for_state("long", "EXECUTING")
        # a guest is not kept waiting
        began = time.monotonic()
        assert client.sql("SELECT COUNT(*) FROM runs") == [[1]]
        assert time.monotonic() - began < 10
        os.kill(running.java(), signal.SIGKILL)
        client.wait_for_state("long", "FAILED")
        # the run's end is written before Java's process is gone, and until then all looks ready
        wait_until(lambda: client.metrics()["icemelt_spark_restarts_total"] == 1, PATIENCE)
        wait_until(lambda: client.http.get("/readyz").status_code == 200, PATIENCE)
        client.sql("EXECUTE TASK tick")
        wait_until(lambda: client.states("tick") == ["SUCCEEDED"] * 2, PATIENCE)
        assert client.sql("SELECT COUNT(*) FROM runs") == [[2]]
        assert running.end(signal.SIGTERM) == 0
        assert client.registry("SELECT life FROM icemelt_schedulers") == [(0,)]


@pytest.mark.slow
def test_the_end_of_a_server_stops_what_goes_on_too_long(lake: Path) -> None:
    with server(lake, **MEMORY) as running:
        client = Client(running, lake)
        client.sql("EXECUTE TASK long")
        client.wait_for_state("long", "EXECUTING")
        client.http.close()
        began = time.monotonic()
        assert running.end(signal.SIGTERM) == 0
        assert 9 < time.monotonic() - began < 40
        (row,) = client.registry("SELECT state, error_code FROM icemelt_task_runs")
        assert row == ("FAILED", "scheduler-stopped")


@pytest.mark.slow
def test_a_server_without_a_scheduler_runs_no_tasks(lake: Path) -> None:
    with server(lake, "--no-scheduler", **MEMORY) as running:
        client = Client(running, lake)
        client.sql("EXECUTE TASK tick")
        time.sleep(2)
        assert client.states("tick") == ["SCHEDULED"]
        assert client.metrics()["icemelt_schedulers"] == 0
        assert client.registry("SELECT * FROM icemelt_schedulers") == []
