"""`icemelt scheduler` runs tasks, `icemelt tasks` lists and runs them: programs of their own."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from typer.testing import CliRunner
from waiting import wait_until

import icemelt
from icemelt.cli.main import app
from icemelt.session.hosting import open_guest

ICEMELT = (sys.executable, "-m", "icemelt")
MEMORY = {"SPARK_DRIVER_MEMORY": "700m"}
PATIENCE = 60


class Scheduler:
    """`icemelt scheduler` of a lake in a process of its own, and what it has written."""

    def __init__(self, lake: Path | str, *options: str) -> None:
        self.process = subprocess.Popen(
            [*ICEMELT, "scheduler", str(lake), *(options or ("--parallel", "2"))],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **MEMORY},
        )
        self.runs: list[dict[str, Any]] = []
        self.reader = threading.Thread(target=self._read)
        self.reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.runs.append(json.loads(line))

    def java(self) -> int:
        """Return the id of the Java process that Spark runs in."""
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
                if parent == self.process.pid and (folder / "comm").read_text() == "java\n":
                    return int(folder.name)
        raise AssertionError("the scheduler has no Java")

    def end(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(PATIENCE)
        self.reader.join()
        return code


@contextlib.contextmanager
def scheduler(lake: Path | str, *options: str) -> Iterator[Scheduler]:
    running = Scheduler(lake, *options)
    try:
        yield running
    finally:
        running.process.kill()
        running.process.wait()
        running.reader.join()
        if running.process.stdout is not None:
            running.process.stdout.close()


@pytest.fixture
def lake(spark: SparkSession, tmp_path: Path) -> Path:
    place = tmp_path / "lake"
    with icemelt.connect(place, spark=spark, maintain_every=None) as session:
        session.execute_script("""
            CREATE TABLE runs (at TIMESTAMP);
            CREATE TASK tick AS INSERT INTO runs SELECT CURRENT_TIMESTAMP;
            CREATE TASK after_tick AFTER tick AS DELETE FROM runs WHERE at IS NULL;
            CREATE TASK doomed SCHEDULE = '8 HOURS'
              AS INSERT INTO runs SELECT CAST('no time' AS TIMESTAMP);
            CREATE TASK idle WHEN 1 = 2 AS INSERT INTO runs SELECT CURRENT_TIMESTAMP;
        """)
        session.sql("ALTER TASK after_tick RESUME")
        session.sql("ALTER TASK doomed RESUME")
    return place


def called(*words: str) -> tuple[int, list[dict[str, Any]], str]:
    ended = CliRunner().invoke(app, list(words))
    return ended.exit_code, [json.loads(line) for line in ended.stdout.splitlines()], ended.stderr


def test_the_list_has_each_task_and_says_that_nobody_runs_them(lake: Path) -> None:
    code, rows, told = called("tasks", str(lake), "--format", "json")
    assert code == 0
    assert "No scheduler is alive: never seen. `icemelt scheduler` runs one." in told
    tasks = {row["name"].rpartition(".")[2]: row for row in rows}
    assert list(tasks) == ["after_tick", "doomed", "idle", "tick"]
    assert tasks["after_tick"]["schedule"] == "AFTER tick"
    assert tasks["doomed"]["schedule"] == "8 HOURS"
    assert tasks["doomed"]["next_on"] is not None
    assert tasks["idle"]["schedule"] == "WHEN 1 = 2"
    assert [tasks[name]["state"] for name in ("tick", "doomed")] == ["suspended", "started"]
    assert tasks["tick"]["last_state"] is None
    assert called("tasks", "list", str(lake), "--format", "json")[1] == rows


def test_watching_needs_a_terminal(lake: Path) -> None:
    code, rows, told = called("tasks", str(lake), "--watch")
    assert (code, rows) == (2, [])
    assert f"icemelt tasks {lake} --format json" in told


def test_a_mistyped_lake_is_told_and_not_made(tmp_path: Path) -> None:
    for words in (["scheduler"], ["tasks"], ["tasks", "run", "t"]):
        ended = CliRunner().invoke(app, [*words, str(tmp_path / "mistyped")])
        assert ended.exit_code == 1, ended.output
        assert "There is no lake at" in ended.output
    assert list(tmp_path.iterdir()) == []


def test_wrong_usage_is_told(tmp_path: Path) -> None:
    for wrong in (["--parallel", "0"], ["--lease", "0.5"], ["--lease", "7200"]):
        ended = CliRunner().invoke(app, ["scheduler", str(tmp_path), *wrong])
        assert ended.exit_code == 2, wrong


@pytest.mark.slow
def test_a_scheduler_runs_tasks_of_a_servers_clients_within_its_locations(
    lake: Path, tmp_path: Path, spark: SparkSession
) -> None:
    for name in ("in", "out"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.csv").write_text("2026-01-31 06:00:00\n")
    with icemelt.connect(lake, spark=spark, maintain_every=None) as host:
        with open_guest(host, "ann", [str(tmp_path / "in"), str(tmp_path / "out")]) as guest:
            for name in ("in", "out"):
                copy = f"COPY INTO runs FROM '{tmp_path / name}' FILE_FORMAT = (TYPE = CSV)"
                guest.sql(f"CREATE TASK copy_{name} AS {copy}")
        with scheduler(lake, "--location", str(tmp_path / "in")) as running:
            for name in ("in", "out"):
                called("tasks", "run", f"copy_{name}", str(lake), "--format", "json")
            assert running.end() == 0
    states = {run["task"]: (run["state"], run["error_code"]) for run in running.runs}
    assert states == {
        "main.public.copy_in": ("SUCCEEDED", None),
        "main.public.copy_out": ("FAILED", "file-refused"),
    }


@pytest.mark.slow
def test_a_scheduler_runs_tasks_tells_of_them_and_starts_spark_again(lake: Path) -> None:
    with scheduler(lake) as running:
        code, rows, _ = called("tasks", "run", "tick", str(lake), "--format", "json")
        assert code == 0
        assert [(row["name"], row["state"]) for row in rows] == [
            ("tick", "SUCCEEDED"),
            ("after_tick", "SUCCEEDED"),
        ]
        code, rows, _ = called("tasks", "run", "doomed", str(lake), "--format", "json")
        assert code == 1
        assert [row["state"] for row in rows] == ["FAILED"]
        assert rows[0]["error"]
        code, rows, _ = called("tasks", "run", "idle", str(lake), "--no-wait")
        assert (code, rows) == (0, [])
        wait_until(lambda: len(running.runs) == 4, PATIENCE)

        os.kill(running.java(), signal.SIGKILL)
        code, rows, _ = called("tasks", "run", "tick", str(lake), "--format", "json")
        if code:
            # claimed at the very moment of the death
            assert "spark-died" in rows[0]["error"]
            code, rows, _ = called("tasks", "run", "tick", str(lake), "--format", "json")
        assert code == 0, rows
        _, rows, told = called("tasks", str(lake), "--format", "json")
        assert "No scheduler" not in told
        assert {row["name"]: row["last_state"] for row in rows} == {
            "main.public.after_tick": "SUCCEEDED",
            "main.public.doomed": "FAILED",
            "main.public.idle": "SKIPPED",
            "main.public.tick": "SUCCEEDED",
        }
        assert running.end() == 0
    ends = [(run["task"].rpartition(".")[2], run["state"]) for run in running.runs]
    assert ends[:4] == [
        ("tick", "SUCCEEDED"),
        ("after_tick", "SUCCEEDED"),
        ("doomed", "FAILED"),
        ("idle", "SKIPPED"),
    ]
    assert all(run["seconds"] >= 0 and run["lateness"] >= 0 for run in running.runs[:3])
    assert "No scheduler is alive: last seen" in called("tasks", str(lake), "--format", "json")[2]
