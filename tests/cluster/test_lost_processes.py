"""Executors, workers and drivers of a cluster are killed at work: nothing is lost or doubled."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from cluster.rounds import NEW, ROWS, SENT
from cluster.standalone import Cluster, start_cluster
from object_store import AWS_BUNDLE, SERVER, make_bucket, start_store, store_environment
from rotation import this_turn

_PROGRAM = Path(__file__).parent / "rounds.py"
_ROUNDS = int(os.environ.get("ICEMELT_TORTURE_ROUNDS", "10"))
# between two kills of executors or workers, and until the first driver is killed
_PAUSE_SECONDS = (8.0, 20.0)
_DRIVER_SECONDS = (30.0, 90.0)
# how many of these kills are a worker's
_WORKERS_SHARE = 0.2


@pytest.mark.torture
@pytest.mark.skipif(not SERVER.exists(), reason="make .venv-s3/.installed installs it")
def test_killed_processes_of_a_cluster_lose_and_double_nothing(tmp_path: Path) -> None:
    seed = int(os.environ.get("ICEMELT_TORTURE_SEED", this_turn()))
    print(f"ICEMELT_TORTURE_SEED={seed}")  # noqa: T201 - repeats the choices
    numbers = random.Random(seed)  # noqa: S311 - chance is wanted
    with start_store() as address:
        make_bucket(address, "lakes")
        store = store_environment(address)
        with start_cluster(tmp_path / "cluster", environment=store) as cluster:
            killed = numbers.uniform(*_DRIVER_SECONDS)
            answers, code = _run(tmp_path / "catalog.db", cluster, numbers, killed)
            if code:
                more, code = _run(tmp_path / "catalog.db", cluster, numbers)
                answers += more
        print(*answers, sep="\n")  # noqa: T201 - what failed and was done again
        assert code == 0
    _check(answers[-1])


def _check(end: dict[str, Any]) -> None:
    updates = ROWS // 10
    touched = updates * min(_ROUNDS, 10)
    [[count, distinct, total, _]] = end["t"]
    assert (count, distinct, total) == (touched, touched, updates * _ROUNDS)
    assert end["rows"] == [[ROWS + NEW * _ROUNDS] * 2]
    first, last = ROWS + NEW, ROWS + NEW * (_ROUNDS + 1) - 1
    assert end["copied"] == [[NEW * _ROUNDS, NEW * _ROUNDS, first, last]]
    assert end["sent"] == [[SENT * _ROUNDS, SENT * _ROUNDS, _ROUNDS]]
    assert end["locks"] == end["transactions"] == []
    assert end["swept"][1] == 0


def _run(
    catalog: Path, cluster: Cluster, numbers: random.Random, killed: float | None = None
) -> tuple[list[Any], int]:
    """Run the program, killed itself after so many seconds; return what it said, and its code."""
    command = [sys.executable, str(_PROGRAM), f"sqlite:///{catalog}", "s3://lakes/lake"]
    command += [AWS_BUNDLE, cluster.url, cluster.python, str(_ROUNDS)]
    said, log = cluster.folder / "driver.json", cluster.folder / "driver.log"
    with (
        said.open("w") as out,
        log.open("a") as errors,
        subprocess.Popen(
            command, env={**os.environ, **cluster.environment}, stdout=out, stderr=errors
        ) as driver,
    ):
        ends = threading.Timer(killed or 0, driver.kill)
        if killed is not None:
            ends.start()
        _kill_others(cluster, driver, said, numbers)
        ends.cancel()
    return [json.loads(line) for line in said.read_text().splitlines()], driver.returncode


def _kill_others(
    cluster: Cluster, driver: subprocess.Popen[bytes], said: Path, numbers: random.Random
) -> None:
    """Kill executors, and now and then a worker, until the rounds are done, or their driver is."""
    while str(_ROUNDS) not in said.read_text().splitlines():
        try:
            driver.wait(numbers.uniform(*_PAUSE_SECONDS))
        except subprocess.TimeoutExpired:
            if numbers.random() < _WORKERS_SHARE:
                cluster.replace_worker(numbers.randrange(2))
            else:
                cluster.kill_executor(numbers.randrange(2))
        else:
            return
    driver.wait()
