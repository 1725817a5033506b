"""`icemelt serve` and `icemelt keys` as programs: they are ended, killed, and started again."""

from __future__ import annotations

import itertools
import json
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from server.program import ICEMELT, SECONDS, server

import icemelt
from icemelt.ingest import Channel, IngestError, StreamingIngestClient

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
