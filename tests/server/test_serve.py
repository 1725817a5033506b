"""`icemelt serve` and `icemelt keys` as programs: they are ended, killed, and started again."""

from __future__ import annotations

import asyncio
import itertools
import json
import re
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from server.front import front
from server.program import ICEMELT, SECONDS, server

import icemelt
from icemelt.ingest import Channel, IngestError, StreamingIngestClient
from icemelt.server import run

ENDLESS = "SELECT count(*) FROM TABLE(GENERATOR(ROWCOUNT => 100000000000)) WHERE random() < 2"
WHERE = ("main", "public", "t")
# before a flush, and after it, when they wait or are being written
APPENDS = ((0, 5), (5, 60), (20, 150))


def made(lake: Path) -> None:
    with icemelt.connect(lake, maintain_every=None) as session:
        session.sql("CREATE TABLE t (n BIGINT)")


def numbers(lake: Path) -> list[int]:
    with icemelt.connect(lake, maintain_every=None) as session:
        return [n for (n,) in session.sql("SELECT n FROM t ORDER BY _row_id").fetchall()]


def keys(lake: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [*ICEMELT, "keys", *arguments, "--lake", str(lake)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def wait_until_sent(channel: Channel) -> None:
    """Wait until the server has taken what was appended; it may take its time to commit it."""
    ends = time.monotonic() + SECONDS
    while channel._link.sending.rows:  # type: ignore[attr-defined]
        assert time.monotonic() < ends
        time.sleep(0.01)


@pytest.mark.slow
def test_a_server_that_is_ended_commits_what_it_took(spark: object, tmp_path: Path) -> None:
    made(tmp_path)
    with server(tmp_path, "--max-client-lag", "600") as running:
        client = StreamingIngestClient(running.url, running.key)
        channel, _ = client.open_channel("c", *WHERE)
        channel.append_rows([{"n": number} for number in range(100)], end_offset_token="99")
        wait_until_sent(channel)
        assert channel.get_latest_committed_offset_token() is None
        assert running.end(signal.SIGTERM) == 0
    assert numbers(tmp_path) == list(range(100))


@pytest.mark.slow
def test_who_waits_for_a_statement_hears_that_the_server_ends(
    spark: object, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with server(tmp_path) as running, ThreadPoolExecutor() as pool:
        headers = {"Authorization": f"Bearer {running.key}"}
        with httpx.Client(base_url=running.url, headers=headers, timeout=SECONDS) as client:
            body = {"statement": ENDLESS, "wait_seconds": 40}
            waiting = pool.submit(client.post, "/v1/statements", json=body)
            time.sleep(3)
            assert running.end(signal.SIGTERM) == 0
            answer = waiting.result()
    assert answer.status_code == 200
    assert answer.json()["status"] == "cancelled"
    assert answer.json()["error"]["message"] == "The statement was cancelled: the server ends."
    assert "ASGI" not in capfd.readouterr().err


def test_a_request_that_the_end_cuts_short_is_answered_as_json(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "_GRACE_SECONDS", 1)
    with ThreadPoolExecutor() as pool:
        with front(tmp_path) as door:
            begun = threading.Event()

            @door.app.get("/v1/slow")
            async def wait() -> None:
                begun.set()
                await asyncio.sleep(SECONDS)

            waiting = pool.submit(door.client("ann").get, "/v1/slow")
            assert begun.wait(SECONDS)
        answer = waiting.result()
    assert (answer.status_code, answer.json()["code"]) == (503, "server-away")
    assert "Retry-After" in answer.headers


@pytest.mark.slow
def test_killed_servers_lose_nothing_that_was_committed(spark: object, tmp_path: Path) -> None:
    made(tmp_path)
    key = ""
    for before, after in APPENDS:
        with server(tmp_path, "--max-client-lag", "0.1") as running:
            key = running.key or key
            channel, numbers_left = go_on(StreamingIngestClient(running.url, key, patience=2))
            for first in itertools.islice(numbers_left, before):
                append(channel, first)
            if before:
                channel.wait_for_flush(SECONDS)
            for first in itertools.islice(numbers_left, after):
                append(channel, first)
            running.process.kill()
            append(channel, next(numbers_left))
            with pytest.raises(IngestError):
                channel.wait_for_flush(SECONDS)
    found = numbers(tmp_path)
    assert found == list(range(len(found)))
    assert len(found) >= 5 * sum(before for before, _ in APPENDS)
    assert [each["name"] for each in listed(tmp_path)] == ["first"]


def go_on(client: StreamingIngestClient) -> tuple[Channel, Iterator[int]]:
    """Open the channel; return it, and the first numbers of the appends that are left."""
    channel, status = client.open_channel("c", *WHERE)
    token = status.latest_committed_offset_token
    return channel, itertools.count(0 if token is None else int(token) + 1, 5)


def append(channel: Channel, first: int) -> None:
    rows = [{"n": number} for number in range(first, first + 5)]
    channel.append_rows(rows, end_offset_token=str(first + 4))


def listed(lake: Path) -> list[dict[str, object]]:
    lines = keys(lake, "list", "--format", "json").stdout.splitlines()
    return [json.loads(line) for line in lines]


def test_keys_are_made_listed_and_revoked(spark: object, tmp_path: Path) -> None:
    assert keys(tmp_path, "list").returncode == 1
    made(tmp_path)
    text = keys(tmp_path, "create", "loader").stdout.strip()
    assert re.fullmatch(r"ice_[0-9a-f]{12}_\S{43}", text)
    key_id = text.split("_")[1]
    [row] = listed(tmp_path)
    assert (row["key_id"], row["name"], row["revoked_on"]) == (key_id, "loader", None)
    assert keys(tmp_path, "revoke", key_id).returncode == 0
    again = keys(tmp_path, "revoke", key_id)
    assert (again.returncode, "icemelt keys list" in again.stderr) == (1, True)
    assert keys(tmp_path, "create", "a\nb").returncode == 1
