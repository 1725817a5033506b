"""Servers and clients that are killed: every row is there once, in the order of its channel.

Servers kill themselves at a step of an append's way, clients are killed at any moment.
ICEMELT_TORTURE_INGEST_KILLS says how many of `make torture` are, ICEMELT_TORTURE_SEED which.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from ingest.kill_server import Step
from ingest.served_lake import ServedLake
from pyspark.sql import SparkSession

HERE = Path(__file__).parent
NAMES = ("a", "b", "c")
# in one run of the test; each is a process to start
KILLS = 20
TORTURE_KILLS = int(os.environ.get("ICEMELT_TORTURE_INGEST_KILLS", "300"))
SEED = int(os.environ.get("ICEMELT_TORTURE_SEED", "5"))
STEPS = [step for step in Step if step is not Step.NEVER]
SECONDS = 300
# of so many kills one is of the client
CLIENTS = 4


@dataclass
class Run:
    """A lake that is served, killed and served again."""

    served: ServedLake
    choose: random.Random
    killed: Counter[str] = field(default_factory=Counter)

    def client(self, goal: int) -> subprocess.Popen[bytes]:
        more = [self.served.url, self.served.key, ",".join(NAMES), str(goal)]
        return subprocess.Popen([sys.executable, str(HERE / "kill_client.py"), *more])

    def perhaps_another(
        self, client: subprocess.Popen[bytes], goal: int
    ) -> subprocess.Popen[bytes]:
        """Kill the client now and then; return the one that goes on."""
        if self.choose.randrange(CLIENTS):
            return client
        time.sleep(self.choose.random())
        client.kill()
        client.wait()
        self.killed["client"] += 1
        return self.client(goal)

    def run(self, kills: int) -> int:
        """Kill so often; return how many rows each channel has at the end."""
        with self.served.server(Step.NEVER, 1):
            pass
        goal = 100_000
        client = self.client(goal)
        try:
            for _ in range(kills):
                step = self.choose.choice(STEPS)
                with self.served.server(step, self.choose.randint(1, 6)) as server:
                    client = self.perhaps_another(client, goal)
                    assert server.wait(SECONDS) == -9
                self.killed[step.name] += 1
        finally:
            client.kill()
            client.wait()
        with self.served.server(Step.NEVER, 1):
            goal = max(self.rows().values(), default=0) + 100
            assert self.client(goal).wait(SECONDS) == 0
        return goal

    def rows(self) -> Counter[str]:
        """Return how many rows each channel has, which are there once and in order."""
        with self.served.session() as session:
            rows = session.sql("SELECT channel, n FROM t ORDER BY _row_id").fetchall()
        found: Counter[str] = Counter()
        for channel, number in rows:
            assert number == found[channel], (channel, number, found)
            found[channel] += 1
        return found


def killed(spark: SparkSession, folder: Path, kills: int, seed: int) -> Run:
    run = Run(ServedLake(spark, folder), random.Random(seed))  # noqa: S311
    with run.served.session() as session:
        session.sql("CREATE TABLE t (channel VARCHAR, n BIGINT)")
    goal = run.run(kills)
    assert run.rows() == dict.fromkeys(NAMES, goal)
    told = f"seed {seed}: {goal} rows in each of {len(NAMES)} channels; killed: {run.killed}\n"
    sys.stdout.write(told)
    return run


@pytest.mark.slow
def test_killed_servers_and_clients_neither_lose_nor_double_rows(
    spark: SparkSession, tmp_path: Path
) -> None:
    run = killed(spark, tmp_path, KILLS, SEED)
    assert sum(run.killed.values()) >= KILLS


@pytest.mark.torture
def test_many_kills(spark: SparkSession, tmp_path: Path) -> None:
    killed(spark, tmp_path, TORTURE_KILLS, SEED)
