"""Rows that Java cannot hold: they are written in slices, and end no channel but their own."""

from __future__ import annotations

import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from server.deadly_rows import DEADLY
from server.program import server
from server.test_java_death import MEMORY, WHERE, Requests

import icemelt
from icemelt.ingest import ChannelInvalid, StreamingIngestClient

HERE = Path(__file__).parent
SECONDS = 300


# as many appends of 57 MiB as one key may have waiting
NAMES = "abcd"


@pytest.mark.slow
def test_a_channel_whose_rows_kill_java_again_and_again_is_given_up_and_no_other(
    spark: object, tmp_path: Path
) -> None:
    with icemelt.connect(tmp_path, maintain_every=None) as session:
        # with a VARIANT: otherwise Arrow writes the rows, and Spark never has them
        session.sql("CREATE TABLE t (channel VARCHAR, n BIGINT, x VARIANT)")
    program = (sys.executable, str(HERE / "deadly_rows.py"))
    with server(tmp_path, "--max-client-lag", "2", program=program, **MEMORY) as running:
        with StreamingIngestClient(running.url, running.key, patience=SECONDS) as client:
            append_also_deadly_rows(client)
        assert running.end(signal.SIGTERM) == 0
    assert rows(tmp_path) == [
        *((name, number) for name in "abcd" for number in range(4)),
        ("mended", 0),
    ]


def append_also_deadly_rows(client: StreamingIngestClient) -> None:
    names = ["a", "b", DEADLY, "c", "d"]
    channels = {name: client.open_channel(name, *WHERE)[0] for name in names}
    for number in range(3):
        for name, channel in channels.items():
            channel.append_rows([{"channel": name, "n": number}], end_offset_token=str(number))
    with pytest.raises(ChannelInvalid, match="Spark died 3 times while append 1 of it"):
        channels.pop(DEADLY).wait_for_flush(SECONDS)
    for name, channel in channels.items():
        channel.append_row({"channel": name, "n": 3}, "3")
        channel.wait_for_flush(SECONDS)
        assert channel.get_latest_committed_offset_token() == "3"
    again, status = client.open_channel(DEADLY, *WHERE)
    assert status.latest_committed_offset_token is None
    again.append_row({"channel": "mended", "n": 0}, "0")
    again.wait_for_flush(SECONDS)


@pytest.mark.slow
def test_more_rows_than_java_holds_are_written_in_slices(spark: object, tmp_path: Path) -> None:
    with icemelt.connect(tmp_path, maintain_every=None) as session:
        session.sql("CREATE TABLE t (channel VARCHAR, n BIGINT, x VARIANT)")
    with server(tmp_path, "--max-client-lag", "600", SPARK_DRIVER_MEMORY="1g") as running:
        requests = Requests(running)
        java, handles = running.java(), {}
        for name in NAMES:
            told = requests.open(name)
            handle = {"client_sequencer": told["client_sequencer"]}
            path = f"/v1/channels/{told['channel_id']}"
            handles[path] = handle
            answer = requests.client.post(
                f"{path}/rows",
                params={**handle, "number": 1, "end_offset_token": "60"},
                content="".join(line(name, n) for n in range(60)),
                headers={"Content-Type": "application/x-ndjson"},
            )
            assert answer.status_code == 200, answer.text
        for path, handle in handles.items():
            assert committed(requests, path, handle)
        assert running.java() == java
        assert running.end(signal.SIGTERM) == 0
    assert rows(tmp_path) == [(name, number) for name in NAMES for number in range(60)]


def line(name: str, number: int) -> str:
    return f'{{"channel": "{name}", "n": {number}, "x": {{"k": "{"x" * 1_000_000}"}}}}\n'


def committed(requests: Requests, path: str, handle: dict[str, Any]) -> bool:
    ends = time.monotonic() + SECONDS
    while time.monotonic() < ends:
        params = {**handle, "wait_seconds": 30}
        told = requests.client.post(f"{path}/flush", params=params).json()
        if told["committed"]:
            return bool(told["status"]["latest_committed_offset_token"] == "60")
    return False


def rows(lake: Path) -> list[tuple[Any, ...]]:
    with icemelt.connect(lake, maintain_every=None) as session:
        found = session.sql("SELECT channel, n FROM t ORDER BY channel, _row_id").fetchall()
    return [*found]
