"""Ten thousand connections that say nothing or little, while one client works as if alone."""

from __future__ import annotations

import contextlib
import os
import resource
import socket
import sys
import time
from pathlib import Path

import httpx
import pytest
from server.program import Server, server
from server.test_serve import made

from icemelt.ingest import StreamingIngestClient

CONNECTIONS = int(os.environ.get("ICEMELT_TORTURE_CONNECTIONS", "10000"))
FILES = 400
COUNT = {"statement": "SELECT count(*) FROM t", "wait_seconds": 60}
HALVES = (b"", b"GET /health HTTP/1.1\r\n", b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")


@pytest.mark.torture
@pytest.mark.parametrize("files", [None, FILES])
def test_idle_connections_hold_up_nobody(spark: object, tmp_path: Path, files: int | None) -> None:
    """With few `files` the server runs out of them: it says so to who comes, and goes on."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    made(tmp_path)
    with server(tmp_path, "--max-client-lag", "0.2") as running:
        if files is not None:
            resource.prlimit(running.process.pid, resource.RLIMIT_NOFILE, (files, hard))
        with httpx.Client(timeout=60, base_url=running.url) as client:
            client.headers["Authorization"] = f"Bearer {running.key}"
            rows = [work(running, client) for _ in range(3)][-1]
            alone, before = timed(running, client), resident(running)
            assert_many(running, client, files)
            report(f"alone {alone}, resident {before} MiB, rows so far {rows + 1}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def assert_many(running: Server, client: httpx.Client, files: int | None) -> None:
    """Connect as often as is wished, and work meanwhile."""
    url, refused = httpx.URL(running.url), 0
    with contextlib.ExitStack() as stack:
        for number in range(CONNECTIONS):
            each = stack.enter_context(socket.create_connection((url.host, url.port or 80), 30))
            with contextlib.suppress(ConnectionError):
                each.sendall(HALVES[number % 3])
                refused += number % 100 == 0 and b" 503 " in answered(each)
        report(f"{open_files(running)} files open")
        report(f"{CONNECTIONS} connections, {timed(running, client)}, {resident(running)} MiB")
        assert (refused > 0) == (files is not None)
    for _ in range(2):
        work(running, client)


def answered(connection: socket.socket) -> bytes:
    connection.settimeout(0.2)
    try:
        return connection.recv(1_000)
    except TimeoutError:
        return b""
    finally:
        connection.settimeout(30)


def work(running: Server, client: httpx.Client) -> int:
    """Append a row and wait for its commit; return how many rows a query finds."""
    with StreamingIngestClient(running.url, running.key) as ingest:
        channel, _ = ingest.open_channel("c", "main", "public", "t")
        channel.append_row({"n": 1})
        channel.wait_for_flush(60)
    told = client.post("/v1/statements", json=COUNT).json()
    assert told["status"] == "succeeded", told
    return int(told["data"][0][0])


def timed(running: Server, client: httpx.Client) -> str:
    began = time.monotonic()
    work(running, client)
    middle = time.monotonic()
    for _ in range(100):
        assert client.get("/health").status_code == 200
    return f"row and query {middle - began:.2f} s, health {(time.monotonic() - middle) * 10:.1f} ms"


def open_files(running: Server) -> int:
    return len(list(Path(f"/proc/{running.process.pid}/fd").iterdir()))


def resident(running: Server) -> int:
    text = Path(f"/proc/{running.process.pid}/status").read_text()
    [line] = [each for each in text.splitlines() if each.startswith("VmRSS")]
    return int(line.split()[1]) >> 10


def report(line: str) -> None:
    sys.stderr.write(f"{line}\n")
