"""Large answers that their clients do not read: a key has room for a few of them."""

from __future__ import annotations

import contextlib
import json
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pyarrow as pa
import pytest
from ingest.reaching import served
from server.test_statements import holder, run

from icemelt.ingest.client.segments import ARROW
from icemelt.server.pages import write_pages
from icemelt.session.session import Session

LARGE = f"SELECT '{'x' * 1_000}' || REPEAT('y', 7000000) AS v"


@pytest.fixture
def url(session: Session) -> Iterator[str]:
    with served(session, most_result_bytes=8 << 20) as url:
        yield url


def ask(client: httpx.Client, path: str, body: str | None = None) -> tuple[socket.socket, int]:
    """Ask for an answer, and read its status alone."""
    found = socket.socket()
    found.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    found.settimeout(60)
    found.connect((client.base_url.host, client.base_url.port))
    head = f"{path} HTTP/1.1\r\nHost: x\r\nAuthorization: {client.headers['Authorization']}\r\n"
    if body is None:
        found.sendall(f"GET {head}\r\n".encode())
    else:
        more = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}"
        found.sendall(f"POST {head}{more}".encode())
    return found, int(found.recv(12).split()[1])


def read_on(answer: socket.socket, count: int) -> None:
    while count > 0:
        count -= len(answer.recv(1 << 20))


def test_a_page_reserves_what_its_values_take_as_json(tmp_path: Path) -> None:
    many = pa.array([[True] * 2_000_000, [True]], pa.list_(pa.bool_()))
    objects = pa.array([{"a": 1}, {"a": 2}])
    rows = pa.table({"many": many, "objects": objects})
    pages = write_pages(f"{tmp_path}/a", rows, ("ARRAY", "OBJECT"))
    # a row alone may have more values than a page, and no other is in its page
    assert (pages.count, pages.largest < 300_000) == (2, True)
    assert 48_000_000 < pages.json_bytes[0] < 49_000_000
    assert 200 < pages.json_bytes[1] < 400
    assert pages.json(1) == b'[[[true],{"a":2}]]'
    wide = pa.table({f"c{number}": pa.array([True] * 10_000) for number in range(300)})
    assert write_pages(f"{tmp_path}/b", wide, ("BOOLEAN",) * 300).count == 4


def test_a_page_that_is_too_large_as_json_is_there_as_arrow(session: Session, url: str) -> None:
    with holder(session, url, "ann") as ann:
        told = run(ann, "SELECT ARRAY_REPEAT(TRUE, 500000) AS a", wait_seconds=60)
        assert (told["status"], told["rows"], told["data"]) == ("succeeded", 1, None)
        page = f"/v1/statements/{told['statement_id']}/pages/0"
        refused = ann.get(page)
        assert refused.json()["code"] == "not-yet"
        assert ARROW in refused.json()["hint"]
        answer = ann.get(page, headers={"Accept": ARROW})
        assert len(pa.ipc.open_stream(answer.content).read_all()["a"][0]) == 500_000


def test_a_key_has_room_for_a_few_unread_answers(session: Session, url: str) -> None:
    with contextlib.ExitStack() as stack:
        ann, bob = (stack.enter_context(holder(session, url, name)) for name in ("ann", "bob"))
        told = run(ann, LARGE, wait_seconds=60)
        assert len(told["data"][0][0]) == 7_001_000
        path = f"/v1/statements/{told['statement_id']}"
        page = f"{path}/pages/0"
        unread = [ask(ann, page) for _ in range(2)]
        for each, _ in unread:
            stack.callback(each.close)
        assert [status for _, status in unread] == [200, 200]
        refused = ann.get(page)
        assert (refused.status_code, refused.json()["code"]) == (429, "busy")
        assert "Retry-After" in refused.headers
        status = ann.get(path).json()
        assert (status["status"], status["rows"], status["data"]) == ("succeeded", 1, None)
        # what is small has room, and so has another key
        assert run(ann, "SELECT 1", wait_seconds=60)["data"] == [[1]]
        assert len(run(bob, LARGE, wait_seconds=60)["data"][0][0]) == 7_001_000
        read_on(unread[0][0], 7_001_000)
        assert wait_for_page(ann, page) > 7_000_000
        # one that goes away in the middle has read it, too
        unread[1][0].close()
        assert wait_for_page(ann, page, ARROW) > 7_000_000
        assert len(ann.get(path).json()["data"][0][0]) == 7_001_000


def test_tokens_of_many_channels_are_a_large_answer(session: Session, url: str) -> None:
    session.sql("CREATE TABLE t (id INT)")
    names = {"database": "main", "schema": "public", "table": "t", "name": "c"}
    with contextlib.ExitStack() as stack:
        ann, bob = (stack.enter_context(holder(session, url, name)) for name in ("ann", "bob"))
        ann.post("/v1/channels", json={**names, "offset_token": "\U00010000" * 4_096})
        # a few bytes of a request stand for a token each
        wanted = json.dumps([names] * 450)
        unread = [ask(ann, "/v1/channels/tokens", wanted) for _ in range(3)]
        for each, _ in unread:
            stack.callback(each.close)
        assert [status for _, status in unread] == [200, 200, 429]
        headers = {"Content-Type": "application/json"}
        answer = bob.post("/v1/channels/tokens", content=wanted, headers=headers)
        assert len(answer.json()) == 450
        [listed] = bob.get("/v1/channels", params=dict(list(names.items())[:3])).json()
        assert (listed["name"], len(listed["offset_token"])) == ("c", 4_096)


def wait_for_page(client: httpx.Client, page: str, kind: str = "application/json") -> int:
    ends = time.monotonic() + 30
    while True:
        answer = client.get(page, headers={"Accept": kind})
        if answer.status_code == 200:
            return len(answer.content)
        assert time.monotonic() < ends
        time.sleep(0.1)
