"""Bytes that no library would send: no request is hidden in another, and none comes without a key.

The log stays short, whatever is sent.
"""

from __future__ import annotations

import contextlib
import logging
import re
import socket
import struct
from collections.abc import Iterator

import httpx
import pytest
from ingest.reaching import served
from server.test_connections import connected
from server.test_statements import holder

from icemelt.server import connections
from icemelt.server.quiet import QuietLog
from icemelt.session.session import Session

SILENCE_SECONDS = 1.0
# whoever runs it answers with its id
HIDDEN = "0f0f0f0f"
_INNER = f"GET /v1/statements/{HIDDEN} HTTP/1.1\r\nHost: x\r\nAuthorization: KEY\r\n\r\n"
_POST = "POST /v1/channels/tokens HTTP/1.1\r\nHost: x\r\nAuthorization: KEY\r\n"
_CHUNKED = "Transfer-Encoding: chunked\r\n"
_LENGTH = "Content-Length: 4\r\n"
_END = "0\r\n\r\n"

# what one server reads as one request, and another as two
SMUGGLED = {
    "length and chunks": f"{_POST}{_LENGTH}{_CHUNKED}\r\n{_END}{_INNER}",
    "chunks and length": f"{_POST}{_CHUNKED}{_LENGTH}\r\n{_END}{_INNER}",
    "chunks and no length": f"{_POST}{_CHUNKED}Content-Length: 0\r\n\r\n{_END}{_INNER}",
    "two lengths": f"{_POST}Content-Length: 0\r\nContent-Length: 4\r\n\r\n[]  {_INNER}",
    "two equal lengths": f"{_POST}{_LENGTH}{_LENGTH}\r\n[]  {_INNER}",
    "a list of lengths": f"{_POST}Content-Length: 4, 4\r\n\r\n[]  {_INNER}",
    "a length with a sign": f"{_POST}Content-Length: +4\r\n\r\n[]  {_INNER}",
    "a length below none": f"{_POST}Content-Length: -4\r\n\r\n{_INNER}",
    "a length in hexadecimal": f"{_POST}Content-Length: 0x4\r\n\r\n[]  {_INNER}",
    "a length of a fraction": f"{_POST}Content-Length: 4.0\r\n\r\n[]  {_INNER}",
    "a length with a word": f"{_POST}Content-Length: 4 4\r\n\r\n[]  {_INNER}",
    "a length that is empty": f"{_POST}Content-Length:\r\n\r\n{_INNER}",
    "a length beyond all": f"{_POST}Content-Length: 99999999999999999999\r\n\r\n{_INNER}",
    "a length with an underscore": f"{_POST}Content-Length: 0_4\r\n\r\n[]  {_INNER}",
    "chunked twice": f"{_POST}Transfer-Encoding: chunked, chunked\r\n\r\n{_END}{_INNER}",
    "chunked in two lines": f"{_POST}{_CHUNKED}{_CHUNKED}\r\n{_END}{_INNER}",
    "chunked, then plain": f"{_POST}Transfer-Encoding: chunked, identity\r\n\r\n{_END}{_INNER}",
    "an unknown coding": f"{_POST}Transfer-Encoding: xchunked\r\n\r\n{_END}{_INNER}",
    "a quoted coding": f'{_POST}Transfer-Encoding: "chunked"\r\n\r\n{_END}{_INNER}',
    "a coding before a tab": f"{_POST}Transfer-Encoding:\tchunked\r\n{_LENGTH}\r\n{_END}{_INNER}",
    "a coding of a vertical tab": f"{_POST}Transfer-Encoding:\x0bchunked\r\n\r\n{_END}{_INNER}",
    "a coding with a NUL": f"{_POST}Transfer-Encoding: chunked\0\r\n\r\n{_END}{_INNER}",
    "a blank before the colon": f"{_POST}Transfer-Encoding : chunked\r\n\r\n{_END}{_INNER}",
    "a blank before the name": f"{_POST} Transfer-Encoding: chunked\r\n\r\n{_END}{_INNER}",
    "a folded coding": f"{_POST}Transfer-Encoding:\r\n chunked\r\n\r\n{_END}{_INNER}",
    "a folded header": f"{_POST}A: b\r\n c: d\r\n{_LENGTH}\r\n[]  {_INNER}X",
    "a coding in 1.0": _POST.replace("1.1", "1.0") + f"{_CHUNKED}\r\n{_END}{_INNER}",
    "lines of line feeds": f"{_POST}{_LENGTH}".replace("\r\n", "\n") + f"\n[]  {_INNER}",
    "a head that ends in line feeds": f"{_POST}Content-Length: 0\n\n{_INNER}",
    "a line feed in a header": f"{_POST}A: b\n{_CHUNKED}\r\n{_END}{_INNER}",
    "a carriage return alone": f"{_POST}A: b\r{_CHUNKED}\r\n{_END}{_INNER}",
    "a NUL in a header": f"{_POST}A: b\0c\r\n\r\n{_INNER}",
    "a NUL in a name": f"{_POST}A\0b: c\r\n\r\n{_INNER}",
    "a name of no token": f"{_POST}A(b): c\r\n\r\n{_INNER}",
    "a header without a name": f"{_POST}: c\r\n\r\n{_INNER}",
    "a header without a colon": f"{_POST}Content-Length 4\r\n\r\n[]  {_INNER}",
    "a chunk with an extension of line feeds": f"{_POST}{_CHUNKED}\r\n2;a\n[]\r\n{_END}{_INNER}",
    "a chunk without its end": f"{_POST}{_CHUNKED}\r\n2\r\n[]{_END}{_INNER}",
    "a chunk of a sign": f"{_POST}{_CHUNKED}\r\n+2\r\n[]\r\n{_END}{_INNER}",
    "a chunk of 0x": f"{_POST}{_CHUNKED}\r\n0x2\r\n[]\r\n{_END}{_INNER}",
    "a chunk below none": f"{_POST}{_CHUNKED}\r\n-1\r\n{_INNER}",
    "a chunk beyond all": f"{_POST}{_CHUNKED}\r\nfffffffffffffffff\r\n{_INNER}",
    "a chunk that goes round": f"{_POST}{_CHUNKED}\r\n10000000000000002\r\n[]\r\n{_END}{_INNER}",
    "a chunk of a blank": f"{_POST}{_CHUNKED}\r\n2 2\r\n[]\r\n{_END}{_INNER}",
    "a chunk of line feeds": f"{_POST}{_CHUNKED}\r\n2\n[]\n0\n\n{_INNER}",
    "a trailer that folds": f"{_POST}{_CHUNKED}\r\n0\r\nA: b\r\n c\r\n d\0\r\n\r\n{_INNER}",
    "an address with a line's end": f"GET /health\r\n{_INNER}",
    "an address with a blank": f"GET /health x HTTP/1.1\r\nHost: x\r\n\r\n{_INNER}",
    "an address of bytes": f"GET /h\xff HTTP/1.1\r\nHost: x\r\n\r\n{_INNER}",
    "an address of NUL": f"GET /health\0 HTTP/1.1\r\nHost: x\r\n\r\n{_INNER}",
    "no version": f"GET /health\r\n\r\n{_INNER}",
    "a version of three parts": f"GET /health HTTP/1.1.1\r\nHost: x\r\n\r\n{_INNER}",
    "a version in small letters": f"GET /health http/1.1\r\nHost: x\r\n\r\n{_INNER}",
    "a version to come": f"GET /health HTTP/2.0\r\nHost: x\r\n\r\n{_INNER}",
    "the preface of HTTP/2": f"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n{_INNER}",
    "a method in small letters": f"get /health HTTP/1.1\r\nHost: x\r\n\r\n{_INNER}",
    "a method of no one": f"HACK /health HTTP/1.1\r\nHost: x\r\n\r\n{_INNER}",
    "a tunnel": f"CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n{_INNER}",
    "an upgrade to h2c": "GET /health HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\n"
    f"Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n\r\n{_INNER}",
    "an upgrade to a web socket": "GET /v1/rows HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\n"
    f"Upgrade: websocket\r\nSec-WebSocket-Key: x\r\nSec-WebSocket-Version: 13\r\n\r\n{_INNER}",
}
# no key, or not where keys are looked for
KEYLESS = {
    "none": "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n",
    "in the query": "GET /metrics?key=BARE HTTP/1.1\r\nHost: x\r\n\r\n",
    "as a token": "GET /metrics?access_token=BARE HTTP/1.1\r\nHost: x\r\n\r\n",
    "in a cookie": "GET /metrics HTTP/1.1\r\nHost: x\r\nCookie: Authorization=KEY\r\n\r\n",
    "as a user": "GET http://BARE@x/metrics HTTP/1.1\r\nHost: x\r\n\r\n",
    "by another scheme": "GET /metrics HTTP/1.1\r\nHost: x\r\nAuthorization: Basic BARE\r\n\r\n",
    "without a scheme": "GET /metrics HTTP/1.1\r\nHost: x\r\nAuthorization: BARE\r\n\r\n",
    "for a proxy": "GET /metrics HTTP/1.1\r\nHost: x\r\nProxy-Authorization: KEY\r\n\r\n",
    "behind a wrong one": "GET /metrics HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ice_0_0\r\n"
    "Authorization: KEY\r\n\r\n",
    "in a trailer": f"POST /v1/rows HTTP/1.1\r\nHost: x\r\n{_CHUNKED}\r\n0\r\nAuthorization: KEY"
    "\r\n\r\n",
    "a path through an open one": "GET /health/../metrics HTTP/1.1\r\nHost: x\r\n\r\n",
    "an escaped path through it": "GET /health/%2e%2e/metrics HTTP/1.1\r\nHost: x\r\n\r\n",
    "an escaped slash": "GET /health%2f..%2fmetrics HTTP/1.1\r\nHost: x\r\n\r\n",
    "two slashes": "GET //metrics HTTP/1.1\r\nHost: x\r\n\r\n",
    "capitals": "GET /METRICS HTTP/1.1\r\nHost: x\r\n\r\n",
    "a slash at the end": "GET /metrics/ HTTP/1.1\r\nHost: x\r\n\r\n",
    "a parameter of the path": "GET /metrics;/health HTTP/1.1\r\nHost: x\r\n\r\n",
    "an open path as a query": "GET /metrics?/health HTTP/1.1\r\nHost: x\r\n\r\n",
    "an open path as a fragment": "GET /metrics#/health HTTP/1.1\r\nHost: x\r\n\r\n",
    "an escaped NUL": "GET /metrics%00/health HTTP/1.1\r\nHost: x\r\n\r\n",
    "escapes of no text": "GET /%ff%fe HTTP/1.1\r\nHost: x\r\n\r\n",
    "escapes twice": "GET /%256detrics HTTP/1.1\r\nHost: x\r\n\r\n",
    "another path by a header": "GET /health HTTP/1.1\r\nHost: x\r\nX-Original-URL: /metrics\r\n"
    "X-Rewrite-URL: /metrics\r\n\r\n",
    "another method by a header": "GET /v1/rows HTTP/1.1\r\nHost: x\r\n"
    "X-HTTP-Method-Override: POST\r\n\r\n",
    "from this machine by a header": "GET /metrics HTTP/1.1\r\nHost: x\r\n"
    "X-Forwarded-For: 127.0.0.1\r\nForwarded: for=127.0.0.1\r\n\r\n",
    "all of the server": "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n",
    "a trace": "TRACE /metrics HTTP/1.1\r\nHost: x\r\n\r\n",
}
_STATUS = re.compile(rb"HTTP/1\.1 (\d{3}) ")


@pytest.fixture
def client(session: Session) -> Iterator[httpx.Client]:
    with served(session) as url, holder(session, url) as client:
        yield client


def sent(client: httpx.Client, text: str) -> bytes:
    """Send bytes on a connection of their own; return all that is answered."""
    key = client.headers["Authorization"]
    text = text.replace("KEY", key).replace("BARE", key.split()[1])
    with connected(client) as connection:
        with contextlib.suppress(ConnectionError):
            connection.sendall(text.encode("latin-1"))
        # one that goes on is silent then
        connection.settimeout(SILENCE_SECONDS)
        found = b""
        with contextlib.suppress(TimeoutError, ConnectionError):
            while part := connection.recv(65_536):
                found += part
        return found


def test_no_request_is_hidden_in_another(
    client: httpx.Client, caplog: pytest.LogCaptureFixture
) -> None:
    assert len(SMUGGLED) >= 60
    refused = 0
    for name, text in SMUGGLED.items():
        answers = sent(client, text)
        assert HIDDEN.encode() not in answers, name
        statuses = [int(each) for each in _STATUS.findall(answers)]
        assert all(status < 500 for status in statuses), (name, answers)
        refused += 400 in statuses
    # an upgrade that is not made is answered, and so are those that are plain to all
    assert refused >= len(SMUGGLED) - 8
    assert client.get("/health").status_code == 200
    assert [
        each for each in caplog.records if each.exc_info or each.levelno > logging.WARNING
    ] == []


def test_what_follows_a_whole_request_is_the_next_one(client: httpx.Client) -> None:
    """The hidden request is found where it may be: the test above would see it."""
    for whole in (f"{_LENGTH}\r\n[]  ", f"{_CHUNKED}\r\n2;a=b\r\n[]\r\n{_END}"):
        # a machine that is busy may take longer than the silence
        answers = (sent(client, f"{_POST}{whole}{_INNER}") for _ in range(20))
        assert any(HIDDEN.encode() in each for each in answers)


def test_nobody_comes_in_by_another_door(client: httpx.Client) -> None:
    assert len(SMUGGLED) + len(KEYLESS) >= 66
    for name, text in KEYLESS.items():
        answers = sent(client, text.replace("Host: x", "Host: x\r\nConnection: close"))
        statuses = {int(each) for each in _STATUS.findall(answers)}
        open_to_all = name == "another path by a header"
        assert statuses <= ({200} if open_to_all else {400, 401, 404, 405}), (name, answers)
        assert b"icemelt_ingest" not in answers, name


@pytest.mark.parametrize("size", [70_000, 300_000])
@pytest.mark.parametrize("what", ["GET /{} HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nA: {}\r\n\r\n"])
def test_a_head_has_a_limit_also_in_one_piece(client: httpx.Client, what: str, size: int) -> None:
    answers = sent(client, what.format("x" * size))
    if answers:
        # where it was still sending, a reset may come before the answer
        assert _STATUS.findall(answers) == [b"400"]
        assert b"at most 64 KiB" in answers


def test_a_head_of_many_headers_and_one_that_is_just_small_enough(client: httpx.Client) -> None:
    many = "".join(f"A{number}: {'x' * 90}\r\n" for number in range(700))
    assert _STATUS.findall(sent(client, f"GET /health HTTP/1.1\r\n{many}\r\n")) == [b"400"]
    small = f"GET /health?{'x' * 30_000} HTTP/1.1\r\nA: {'x' * 30_000}\r\n\r\n"
    assert _STATUS.findall(sent(client, small * 2)) == [b"200", b"200"]


def test_a_client_fills_no_log(client: httpx.Client, caplog: pytest.LogCaptureFixture) -> None:
    requests = b"GET /health HTTP/1.1\r\n\r\n" * 50
    for number in range(120):
        with connected(client) as connection, contextlib.suppress(ConnectionError):
            connection.sendall(b"x\r\n\r\n" if number % 3 == 0 else requests)
            if number % 2:
                # gone at once, before anything is answered
                linger = struct.pack("ii", 1, 0)
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    for number in range(60):
        sent(client, f"GET /health HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: a{number}\r\n\r\n")
        client.get("/metrics", headers={"Authorization": f"Bearer ice_{number}_x"})
    lines = [each.getMessage() for each in caplog.records if each.levelno >= logging.WARNING]
    # a line, and one more with a count where ten seconds have passed
    assert 1 <= len(lines) <= 20, lines
    assert sum(map(len, lines)) < 2_000
    assert not any(each.exc_info for each in caplog.records)


def test_a_quiet_log_counts_what_it_leaves_out(caplog: pytest.LogCaptureFixture) -> None:
    log = QuietLog(logging.getLogger("icemelt.server"), seconds=0.0)
    # with no seconds between, each line is a first one
    assert [log.note("10.0.0.1", "odd"), log.note("10.0.0.1", "odd")] == [True, True]
    log.seconds = 3_600.0
    assert not any(log.note("10.0.0.1", "odd") for _ in range(40))
    clients = [log.note(f"10.0.1.{number}", "odd") for number in range(250)]
    assert sum(clients) <= 100
    log.seconds = 0.0
    assert log.note("10.0.0.2", "odd")
    counted = [each.getMessage() for each in caplog.records if "left out" in each.getMessage()]
    assert len(counted) == 1
    assert re.match(r"1\d\d more lines", counted[0])


def test_connections_share_one_quiet_log() -> None:
    assert isinstance(connections._QUIET, QuietLog)
