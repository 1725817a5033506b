"""Connections that say little in many parts, or to nobody: the others are answered all the same."""

from __future__ import annotations

import contextlib
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from server.front import Front, front
from server.test_connections import rest

from icemelt.server import connections
from icemelt.server.pacing import Pace

CHUNKED = "Transfer-Encoding: chunked"
BYTES = b"1\r\na\r\n" * 10_000
WAIT_SECONDS, FLOODS = 1.5, 8
FLOOD = """
import socket
while True:
    try:
        with socket.create_connection({}) as connection:
            connection.sendall({})
            while True:
                connection.sendall({} * {})
    except OSError:
        pass
"""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Front]:
    with front(tmp_path) as server:
        yield server


@contextlib.contextmanager
def flooding(server: Front, head: bytes, more: bytes, times: int) -> Iterator[None]:
    """Have other processes say something, and more of it than can be heard, again and again."""
    place = server.url.host, server.url.port
    command = [sys.executable, "-c", FLOOD.format(place, head, more, times)]
    with contextlib.ExitStack() as stack:
        for _ in range(FLOODS):
            process = stack.enter_context(subprocess.Popen(command))
            stack.callback(process.kill)
        time.sleep(1)
        yield


@pytest.mark.turns(8)
@pytest.mark.parametrize("has_key", [False, True])
def test_chunks_of_a_byte_keep_nobody_waiting(server: Front, *, has_key: bool) -> None:
    key = server.key("bob") if has_key else "none"
    head = f"POST /v1/rows HTTP/1.1\r\nAuthorization: Bearer {key}\r\n{CHUNKED}\r\n\r\n"
    with flooding(server, head.encode(), b"1\r\na\r\n", 10_000):
        assert server.longest_wait(4) < WAIT_SECONDS


def test_heads_of_many_headers_keep_nobody_waiting(server: Front) -> None:
    head = b"GET /nothing HTTP/1.1\r\nHost: x\r\n" + b"a:\r\n" * 7_500 + b"\r\n"
    with flooding(server, b"", head, 20):
        assert server.longest_wait(4) < WAIT_SECONDS


def test_chunks_of_a_byte_are_all_taken(server: Front) -> None:
    """They are slower than others, and no less right."""
    with server.begin(server.key("ann"), "/v1/rows", CHUNKED, "Connection: close") as connection:
        connection.sendall(b"1\r\na\r\n" * 100_000 + b"0\r\n\r\n")
        assert rest(connection).endswith(b"\r\n\r\n100000")


def test_a_request_has_a_hundred_headers(server: Front) -> None:
    for count, status in ((97, b"200"), (200, b"400")):
        with server.connect() as connection:
            more = b"".join(b"A%d: b\r\n" % number for number in range(count))
            connection.sendall(
                b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" + more + b"\r\n"
            )
            answer = rest(connection)
            assert answer.split()[1] == status
            assert (b"at most 100 headers" in answer) == (count > 100)


def test_nobody_hears_the_rest_of_what_was_refused(server: Front) -> None:
    """The answer is read all the same, also by who sends its whole body first."""
    with server.begin("none", "/v1/rows", "Content-Length: 20000000") as connection:
        connection.sendall(b"x" * 20_000_000)
        answers = rest(connection)
    assert re.findall(rb"HTTP/1\.1 (\d+)", answers) == [b"401"]
    with httpx.Client(base_url=server.url) as stranger:
        assert stranger.post("/v1/rows", content=b"x" * 20_000_000).status_code == 401
        assert stranger.post("/v1/rows", content=b"x" * 100).status_code == 401


def test_who_goes_on_after_the_answer_is_cut_off(
    server: Front, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "_DEAF_SECONDS", 1.0)
    began = time.monotonic()
    with server.begin("none", "/v1/rows", CHUNKED) as connection:
        with contextlib.suppress(ConnectionError):
            while time.monotonic() - began < 20:
                connection.sendall(BYTES)
        assert time.monotonic() - began < 10


def test_an_answer_before_the_end_of_a_body_is_the_connection_s_last(server: Front) -> None:
    with server.begin("none", "/v1/rows", "Content-Length: 10") as connection:
        answer = rest(connection)
        assert b"401" in answer.split(b"\r\n")[0]
        assert b"connection: close" in answer
    with httpx.Client(base_url=server.url) as stranger:
        # whether a body comes together with its head or after it
        for size in (0, 10, 1_000, 100_000) * 5:
            assert stranger.post("/v1/rows", content=b"x" * size).status_code == 401
            assert stranger.get("/health").status_code == 200


def test_large_parts_wait_for_nobody() -> None:
    pace = Pace()
    assert pace.next(1_000_000, 6_000_000, now=1.0) == 11.0
    assert pace.next(100, 600, now=1.0) > 11.0
    assert pace.next(30, 600, now=2.0) == 2.0
    assert pace.next(1_000, 65_536, now=2.0) == 2.0
