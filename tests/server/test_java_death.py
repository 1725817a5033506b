"""Java dies under a server: it is told at once, Spark is started anew, and no row is lost.

ICEMELT_TORTURE_JAVA_KILLS says how often `make torture` kills it.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import signal
import statistics
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from server.program import SECONDS, Server, server

import icemelt
from icemelt.engine.start.jars import ensure_jars
from icemelt.ingest import Channel, StreamingIngestClient

WHERE = ("main", "public", "t")
CHANNELS = tuple(f"c{number}" for number in range(10))
KILLS, BEFORE_A_COMMIT = 20, 5
TORTURE_KILLS = int(os.environ.get("ICEMELT_TORTURE_JAVA_KILLS", "200"))
# Java hears the second one, and closes its sockets before it ends
SIGNALS = (signal.SIGKILL, signal.SIGTERM)
NOTICED_SECONDS, RECOVERED_SECONDS = 1.0, 15.0
MEMORY = {"SPARK_DRIVER_MEMORY": "700m"}


def made(lake: Path) -> None:
    with icemelt.connect(lake, maintain_every=None) as session:
        session.sql("CREATE TABLE t (channel VARCHAR, n BIGINT)")


@dataclass
class Requests:
    """Requests to a server under a key."""

    running: Server
    client: httpx.Client = field(init=False)

    def __post_init__(self) -> None:
        headers = {"Authorization": f"Bearer {self.running.key}"}
        self.client = httpx.Client(base_url=self.running.url, headers=headers, timeout=SECONDS)

    def sql(self, statement: str) -> dict[str, Any]:
        """Return what is told of a statement: a submission, or why it was not taken."""
        body = {"statement": statement, "wait_seconds": 60}
        told: dict[str, Any] = self.client.post("/v1/statements", json=body).json()
        return told

    def healths(self) -> set[int]:
        paths = ("/health", "/livez", "/readyz")
        return {httpx.get(self.running.url + path).status_code for path in paths}

    def open(self, name: str) -> dict[str, Any]:
        names = dict(zip(("database", "schema", "table"), WHERE, strict=True))
        opened: dict[str, Any] = self.client.post(
            "/v1/channels", json=names | {"name": name}
        ).json()
        return opened

    def append(self, channel: dict[str, Any], number: int) -> httpx.Response:
        return self.client.post(
            f"/v1/channels/{channel['channel_id']}/rows",
            params={"client_sequencer": channel["client_sequencer"], "number": number},
            content=f'{{"channel": "raw", "n": {number - 1}}}\n',
            headers={"Content-Type": "application/x-ndjson"},
        )

    def wait_until_noticed(self, since: float) -> None:
        while self.healths() != {503}:
            assert time.monotonic() - since < NOTICED_SECONDS
            time.sleep(0.02)

    def wait_until_answered(self, since: float) -> float:
        """Return after how many seconds a statement is answered."""
        while self.sql("SELECT 1").get("data") != [[1]]:
            assert time.monotonic() - since < SECONDS
            time.sleep(0.1)
        return time.monotonic() - since


@dataclass
class Load:
    """Ten channels of one client that append steadily, and are never opened again."""

    running: Server
    ended: threading.Event = field(default_factory=threading.Event)
    counts: dict[str, int] = field(default_factory=dict)
    failures: list[BaseException] = field(default_factory=list)
    opened: list[Channel] = field(default_factory=list)

    @contextlib.contextmanager
    def applied(self) -> Iterator[None]:
        client = StreamingIngestClient(self.running.url, self.running.key, patience=SECONDS)
        opened = self.opened = [client.open_channel(name, *WHERE)[0] for name in CHANNELS]

        def append_steadily() -> None:
            try:
                for number in itertools.count():
                    for channel, name in zip(opened, CHANNELS, strict=True):
                        row = {"channel": name, "n": number}
                        channel.append_rows([row], end_offset_token=str(number))
                        self.counts[name] = number + 1
                    if self.ended.wait(0.02):
                        return
            except BaseException as error:  # noqa: BLE001 - the test raises it
                self.failures.append(error)

        thread = threading.Thread(target=append_steadily)
        thread.start()
        try:
            yield
        finally:
            self.ended.set()
            thread.join()
        assert not self.failures
        client.wait_for_flush(SECONDS)
        tokens = {each.get_latest_committed_offset_token() for each in opened}
        assert tokens == {str(self.counts[CHANNELS[0]] - 1)}
        client.close()

    def wait_until_committed(self) -> None:
        """Wait until rows appended from now on are committed."""
        wanted = self.counts.get(CHANNELS[0], 0)
        self.opened[0].wait_for_commit(
            lambda token: token is not None and int(token) >= wanted, timeout_seconds=SECONDS
        )


def kill_java(running: Server, requests: Requests, load: Load, kills: int) -> list[float]:
    """Kill Java again and again; return how many seconds the server took to answer each time."""
    recovered = []
    for number in range(kills):
        os.kill(running.java(), SIGNALS[number % len(SIGNALS)])
        recovered.append(requests.wait_until_answered(time.monotonic()))
        # an append that never meets the server would end its client's patience
        if number % BEFORE_A_COMMIT == BEFORE_A_COMMIT - 1:
            load.wait_until_committed()
    return recovered


def kill_under_load(lake: Path, kills: int) -> tuple[float, list[float]]:
    """Return how many seconds the server took to start, and to answer again after each kill."""
    made(lake)
    began = time.monotonic()
    with server(lake, "--max-client-lag", "0.2", **MEMORY) as running:
        started = time.monotonic() - began
        requests, load = Requests(running), Load(running)
        with load.applied():
            recovered = kill_java(running, requests, load, kills)
        assert running.end(signal.SIGTERM) == 0
    with icemelt.connect(lake, maintain_every=None) as session:
        rows = session.sql("SELECT channel, n FROM t ORDER BY _row_id").fetchall()
    for name in CHANNELS:
        assert [n for channel, n in rows if channel == name] == list(range(load.counts[name]))
    return started, recovered


@pytest.mark.slow
@pytest.mark.turns(8)
def test_no_row_is_lost_or_doubled_where_java_is_killed_again_and_again(
    spark: object, tmp_path: Path
) -> None:
    started, recovered = kill_under_load(tmp_path, KILLS)
    # on a machine that is busy with others Spark alone takes longer
    assert statistics.median(recovered) <= max(RECOVERED_SECONDS, 2 * started)


@pytest.mark.torture
def test_many_kills_of_java(spark: object, tmp_path: Path) -> None:
    _, recovered = kill_under_load(tmp_path, TORTURE_KILLS)
    told = f"{len(recovered)} kills of Java: a statement is answered again after"
    sys.stdout.write(f"{told} {statistics.median(recovered):.1f} s, at most {max(recovered):.1f}\n")


@pytest.mark.slow
def test_a_death_is_noticed_within_a_second_and_no_row_is_taken_meanwhile(
    spark: object, tmp_path: Path
) -> None:
    made(tmp_path)
    with server(tmp_path, "--max-client-lag", "0.2", **MEMORY) as running:
        requests = Requests(running)
        channel = requests.open("raw")
        assert requests.append(channel, 1).status_code == 200
        assert requests.healths() == {200}
        killed = time.monotonic()
        os.kill(running.java(), signal.SIGKILL)
        requests.wait_until_noticed(killed)
        refused = requests.append(channel, 2)
        assert (refused.status_code, refused.json()["code"]) == (503, "server-away")
        assert "Retry-After" in refused.headers
        assert requests.sql("SELECT 1")["code"] == "spark-died"
        requests.wait_until_answered(killed)
        assert requests.healths() == {200}
        assert requests.append(channel, 2).status_code == 200
        running.end(signal.SIGTERM)
    with icemelt.connect(tmp_path, maintain_every=None) as session:
        assert session.sql("SELECT n FROM t ORDER BY n").fetchall() == [(0,), (1,)]


@pytest.mark.slow
def test_a_task_without_memory_ends_its_statement_and_not_the_server(
    spark: object, tmp_path: Path
) -> None:
    made(tmp_path)
    with server(tmp_path, **MEMORY) as running:
        requests = Requests(running)
        rows = "SELECT seq8() AS n FROM TABLE(GENERATOR(ROWCOUNT => 5000000))"
        greedy = f"SELECT ARRAY_SIZE(ARRAY_AGG(repeat('a', 10000) || n)) FROM ({rows})"
        assert requests.sql(greedy)["error"]["code"] == "spark-died"
        requests.wait_until_answered(time.monotonic())
        assert requests.sql("INSERT INTO t VALUES ('after', 1)")["status"] == "succeeded"


@pytest.mark.slow
def test_a_server_ends_with_a_code_where_spark_does_not_start_again(
    spark: object, tmp_path: Path
) -> None:
    jars, lake = tmp_path / "jars", tmp_path / "lake"
    jars.mkdir()
    for jar in ensure_jars():
        shutil.copy(jar, jars)
    with server(lake, ICEMELT_JARS=str(jars), **MEMORY) as running:
        shutil.rmtree(jars)
        os.kill(running.java(), signal.SIGKILL)
        assert running.process.wait(SECONDS) == 1


@pytest.mark.slow
def test_rows_that_wait_are_committed_where_java_dies_as_the_server_is_ended(
    spark: object, tmp_path: Path
) -> None:
    made(tmp_path)
    with server(tmp_path, "--max-client-lag", "600", **MEMORY) as running:
        requests = Requests(running)
        channel = requests.open("raw")
        for number in (1, 2, 3):
            assert requests.append(channel, number).status_code == 200
        os.kill(running.java(), signal.SIGKILL)
        assert running.end(signal.SIGTERM) == 0
    with icemelt.connect(tmp_path, maintain_every=None) as session:
        assert session.sql("SELECT n FROM t ORDER BY n").fetchall() == [(0,), (1,), (2,)]
