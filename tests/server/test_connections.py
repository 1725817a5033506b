"""Clients that are slow, silent, too many, or speak no HTTP: none of them holds up the others."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import threading
import time
from collections.abc import Iterator
from http.client import HTTPResponse

import httpx
import pytest
from ingest.reaching import served
from server.test_channel_requests import ALWAYS, NDJSON, opened
from server.test_odd_requests import post
from server.test_statements import holder, run

from icemelt.server import bodies, connections
from icemelt.session.session import Session

SECONDS = 20.0
# pages of a result that are larger than what the kernel keeps for a client
LARGE = "SELECT SEQ4() AS n, REPEAT('x', 1000) AS v FROM TABLE(GENERATOR(ROWCOUNT => 1000))"


@pytest.fixture
def client(session: Session) -> Iterator[httpx.Client]:
    session.sql("CREATE TABLE t (id BIGINT NOT NULL, v VARCHAR(5))")
    with served(session, 0.1) as url, holder(session, url) as client:
        yield client


@pytest.fixture
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for clients a second, and not half a minute."""
    monkeypatch.setattr(connections, "_HEAD_SECONDS", 1.0)
    monkeypatch.setattr(connections, "_UNREAD_SECONDS", 1.0)
    monkeypatch.setattr(bodies, "_SECONDS", 1.0)


def connected(client: httpx.Client) -> socket.socket:
    url = client.base_url
    return socket.create_connection((url.host, url.port or 80), timeout=SECONDS)


def head(client: httpx.Client, method: str, path: str, *more: str) -> bytes:
    key = f"Authorization: {client.headers['Authorization']}"
    return "\r\n".join((f"{method} {path} HTTP/1.1", "Host: x", key, *more, "", "")).encode()


def rest(connection: socket.socket) -> bytes:
    """Return what comes until the server closes the connection."""
    found = b""
    with contextlib.suppress(ConnectionResetError):
        while part := connection.recv(65_536):
            found += part
    return found


def next_answer(connection: socket.socket) -> httpx.Response:
    """Return the next answer, whole: its head and its body may come in parts."""
    found = HTTPResponse(connection)
    found.begin()
    return httpx.Response(found.status, content=found.read())


def told(answer: bytes) -> tuple[int, str]:
    """Return the status and the code of an error."""
    top, _, body = answer.partition(b"\r\n\r\n")
    found = json.loads(body)
    assert set(found) == ALWAYS
    return int(top.split()[1]), found["code"]


def trickle(connection: socket.socket, first: bytes) -> bytes:
    """Send something, and then a byte now and then until the server has enough."""
    connection.sendall(first)
    with contextlib.suppress(OSError):
        for _ in range(200):
            connection.sendall(b"x")
            time.sleep(0.1)
        raise AssertionError
    return rest(connection)


@pytest.mark.usefixtures("hurry")
def test_who_says_nothing_is_sent_away(client: httpx.Client) -> None:
    began = time.monotonic()
    with connected(client) as silent, connected(client) as slow:
        assert trickle(slow, b"GET /health HTTP/1.1\r\nA: ") == b""
        assert rest(silent) == b""
    with connected(client) as kept:
        kept.sendall(head(client, "GET", "/health"))
        # an answer, and the end of the connection a second later
        assert next_answer(kept).json() == {"status": "ok"}
        assert rest(kept) == b""
    assert time.monotonic() - began < SECONDS


@pytest.mark.usefixtures("hurry")
def test_a_connection_that_is_used_is_kept_however_short_its_requests(client: httpx.Client) -> None:
    with connected(client) as kept:
        for _ in range(50):
            kept.sendall(head(client, "GET", "/health"))
            assert next_answer(kept).json() == {"status": "ok"}
            time.sleep(0.1)


@pytest.mark.usefixtures("hurry")
def test_a_body_that_does_not_come_is_not_waited_for(client: httpx.Client) -> None:
    path, handle = opened(client)
    rows = f"{path}/rows?number=1&client_sequencer={handle['client_sequencer']}"
    for each in (rows, "/v1/rows", "/v1/statements", "/v1/channels/tokens"):
        with connected(client) as slow:
            first = head(client, "POST", each, "Content-Length: 1000", f"Content-Type: {NDJSON}")
            slow.sendall(first + b"{")
            assert told(rest(slow)) == (408, "http"), each
    with connected(client) as slow:
        # refused for its key, and then it goes on and on
        answer = trickle(slow, b"POST /v1/rows HTTP/1.1\r\nContent-Length: 1000000\r\n\r\n")
        assert answer == b"" or told(answer) == (401, "unauthorized")
    assert client.get(path, params=handle).json()["row_sequencer"] == 0


@pytest.mark.usefixtures("hurry")
def test_an_answer_that_nobody_reads_is_given_up(client: httpx.Client) -> None:
    page = f"/v1/statements/{run(client, LARGE)['statement_id']}"
    with connected(client) as deaf:
        deaf.sendall(head(client, "GET", page) * 20)
        for _ in range(20):
            assert client.get("/health").status_code == 200
            time.sleep(0.2)
        # what the kernel had taken, and then the end
        assert 0 < len(rest(deaf)) < 20 * len(client.get(page).content)


@pytest.mark.usefixtures("hurry")
def test_pages_are_sent_as_long_as_one_after_the_other_is_read(client: httpx.Client) -> None:
    page = f"/v1/statements/{run(client, LARGE)['statement_id']}"
    wanted = 20 * len(client.get(page).content)
    with connected(client) as slow:
        slow.sendall(head(client, "GET", page) * 20)
        read, began = 0, time.monotonic()
        while read < wanted:
            part = slow.recv(65_536)
            assert part
            read += len(part)
            # all of them in four seconds
            time.sleep(max(0.0, began + 4 * read / wanted - time.monotonic()))


@pytest.mark.usefixtures("hurry")
def test_a_page_is_sent_as_long_as_a_slow_line_reads_some_of_it(client: httpx.Client) -> None:
    row = "SELECT REPEAT('a', 16777216) AS a, REPEAT('b', 8000000) AS b"
    page = f"/v1/statements/{run(client, row)['statement_id']}/pages/0"
    slow = socket.socket()
    slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 64 << 10)
    slow.settimeout(SECONDS)
    slow.connect((client.base_url.host, client.base_url.port or 80))
    wanted, read, began = 24_777_216, 0, time.monotonic()
    with slow:
        slow.sendall(head(client, "GET", page))
        while read < wanted:
            part = slow.recv(65_536)
            assert part, (read, time.monotonic() - began)
            read += len(part)
            # all of it in six seconds
            time.sleep(max(0.0, began + 6 * read / wanted - time.monotonic()))


def test_others_are_served_while_many_are_slow(session: Session, client: httpx.Client) -> None:
    path, handle = opened(client)
    first = head(client, "POST", "/v1/rows", "Content-Length: 1000")
    with contextlib.ExitStack() as stack:
        for number in range(300):
            slow = stack.enter_context(connected(client))
            slow.sendall((b"", b"GET /", first + b"{")[number % 3])
        query = {**handle, "number": 1}
        client.post(f"{path}/rows", content=b'{"id": 1}', params=query).raise_for_status()
        client.post(f"{path}/close", params=handle).raise_for_status()
    assert session.sql("SELECT id FROM t").fetchall() == [(1,)]


@pytest.mark.parametrize(
    "said",
    [
        b"\x16\x03\x01\x02\x00\x01",
        b"GET / HTTP/9.9\r\n\r\n",
        b"SELECT 1;\r\n\r\n",
        b"GET /health HTTP/1.1\r\nA: " + b"x" * 300_000,
        b"GET /" + b"x" * 300_000,
        b"GET /health HTTP/1.1\r\n" + b"A: b\r\n" * 50_000,
        b"POST /v1/rows HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        b"POST /v1/rows HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n" + b"A: b\r\n" * 80_000,
    ],
)
def test_what_is_no_request_is_refused(client: httpx.Client, said: bytes) -> None:
    with connected(client) as connection:
        with contextlib.suppress(ConnectionError):
            connection.sendall(said)
        last = rest(connection).rpartition(b"HTTP/1.1 ")[2]
        # where it was still sending, a reset may come before the answer
        assert not last or told(b"HTTP/1.1 " + last) in {(400, "http"), (401, "unauthorized")}
    assert client.get("/health").status_code == 200


def test_requests_are_queued_up_to_some(client: httpx.Client) -> None:
    with connected(client) as connection:
        connection.sendall(b"GET /health HTTP/1.1\r\n\r\n" * 20 + b"GET / HTTP/1.0\r\n\r\n")
        assert rest(connection).count(b"HTTP/1.1 200 OK") == 20
    with connected(client) as connection:
        with contextlib.suppress(ConnectionError):
            connection.sendall(b"GET /health HTTP/1.1\r\n\r\n" * 10_000)
        assert rest(connection).count(b"HTTP/1.1 200 OK") < 1_000
    assert client.get("/health").status_code == 200


def test_bodies_of_all_requests_together_have_a_limit(
    client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bodies, "_MOST_BYTES", 5 << 20)
    more = ("Content-Length: 4000000", "Connection: close")
    first = head(client, "POST", "/v1/channels/tokens", *more)
    with contextlib.ExitStack() as stack:
        many = [stack.enter_context(connected(client)) for _ in range(2)]
        threads = [
            threading.Thread(target=each.sendall, args=(first + b" " * 3_000_000,)) for each in many
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        answers = []
        for each in many:
            each.settimeout(1)
            with contextlib.suppress(TimeoutError):
                answers.append(told(rest(each)))
        assert answers == [(429, "ingest-busy")]
    for _ in range(100):
        answer = post(client, "/v1/channels/tokens", " " * 3_000_000 + "[]")
        if answer.status_code == 200:
            return
        time.sleep(0.1)
    raise AssertionError(answer.text)


def test_who_finds_no_room_is_told_so(
    client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "_most_connections", lambda: 10)
    with contextlib.ExitStack() as stack:
        for _ in range(10):
            stack.enter_context(connected(client))
        time.sleep(0.5)
        with connected(client) as late:
            assert told(rest(late)) == (503, "busy")
        with contextlib.suppress(httpx.TransportError):
            fresh = httpx.get(client.base_url.join("/health"))
            assert (fresh.status_code, fresh.json()["code"]) == (503, "busy")
            assert fresh.headers["Retry-After"] == "1"
    for _ in range(100):
        with contextlib.suppress(httpx.TransportError):
            if client.get("/health").status_code == 200:
                return
        time.sleep(0.05)
    raise AssertionError


@pytest.mark.turns(8)
def test_many_may_wait_for_their_rows_at_once(client: httpx.Client) -> None:
    path, handle = opened(client)
    waiting = {**handle, "wait_seconds": 30}

    async def flushed() -> set[bool]:
        headers = {"Authorization": client.headers["Authorization"]}
        limits = httpx.Limits(max_connections=200)
        async with httpx.AsyncClient(
            base_url=client.base_url, headers=headers, limits=limits, timeout=SECONDS
        ) as many:
            requests = (many.post(f"{path}/flush", params=waiting) for _ in range(200))
            return {each.json()["committed"] for each in await asyncio.gather(*requests)}

    client.post(f"{path}/rows", content=b'{"id": 1}', params={**handle, "number": 1})
    assert asyncio.run(flushed()) == {True}
