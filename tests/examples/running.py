"""The programs of `examples`, each in a process of its own beside the server of a lake."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from ingest.served_lake import ServedLake

from icemelt.ingest import ChannelName, StreamingIngestClient

EXAMPLES = Path(__file__).parents[2] / "examples"
SECONDS = 60


def started(lake: ServedLake, name: str, *options: str) -> subprocess.Popen[bytes]:
    """Start an example; it finds the URL and the key in its environment."""
    environment = {**os.environ, "ICEMELT_URL": lake.url, "ICEMELT_KEY": lake.key}
    return subprocess.Popen([sys.executable, str(EXAMPLES / name), *options], env=environment)


@contextlib.contextmanager
def running(lake: ServedLake, name: str, *options: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run an example that goes on until it is killed, at the end of the block or in it."""
    process = started(lake, name, *options)
    try:
        yield process
    finally:
        process.kill()
        assert process.wait() == -9, "it ended by itself"


def wait_until(
    lake: ServedLake,
    channels: list[ChannelName],
    are_reached: Callable[[list[str | None]], bool],
) -> None:
    """Wait until the committed offset tokens of channels are what is waited for."""
    ends = time.monotonic() + SECONDS
    with StreamingIngestClient(lake.url, lake.key) as client:
        while not are_reached(found := client.get_latest_committed_offset_tokens(channels)):
            assert time.monotonic() < ends, found
            time.sleep(0.1)


def wait_for_more(lake: ServedLake, channels: list[ChannelName]) -> None:
    """Wait until each channel has committed more than it had."""
    before: list[str | None] = []

    def are_others(found: list[str | None]) -> bool:
        before[:] = before or found
        return all(old != new for old, new in zip(before, found, strict=True))

    wait_until(lake, channels, are_others)
