"""Requests that are well-formed and odd: each is answered as the reference says, by no 500."""

from __future__ import annotations

import contextlib
import itertools
import json
import socket
import time
from collections.abc import Iterator

import httpx
import pyarrow as pa
import pytest
from ingest.reaching import served
from server.test_channel_requests import ALWAYS, ARROW, PLACE, opened
from server.test_statements import holder

from conftest import Lake, postgres_url
from icemelt.ingest.answers import Append
from icemelt.ingest.client.segments import Segment, body_of
from icemelt.session.session import Session

# half of a character: JSON can say it, and no UTF-8 can
HALF = "\\ud800"
NAMES = ("\0", "a\0b", "\ud800", "\udfff", "\u202e", "\U0010ffff", "x" * 255, "%00", "..", "'")


@pytest.fixture
def client(session: Session) -> Iterator[httpx.Client]:
    with serving_table(session) as client:
        yield client


@contextlib.contextmanager
def serving_table(session: Session) -> Iterator[httpx.Client]:
    session.sql("CREATE TABLE t (id BIGINT, v VARCHAR)")
    with served(session, 0.1) as url, holder(session, url) as client:
        yield client


def told(answer: httpx.Response) -> dict[str, str]:
    """Return an error, of which all parts are there."""
    assert 400 <= answer.status_code < 500, answer.text
    found = answer.json()
    assert set(found) >= ALWAYS
    assert found["code"] != "internal"
    return dict(found)


def post(client: httpx.Client, path: str, body: str) -> httpx.Response:
    return client.post(path, content=body, headers={"Content-Type": "application/json"})


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/statements", f'{{"statement": "SELECT 1", "{HALF}": 1}}'),
        ("/v1/statements", f'{{"statement": "SELECT \'{HALF}\'"}}'),
        ("/v1/statements", '{"statement": "SELECT 1 -- \\u0000"}'),
        ("/v1/statements", '{"statement": "SELECT 1", "timeout_seconds": 1e300}'),
        ("/v1/statements", '{"statement": "SELECT 1", "timeout_seconds": Infinity}'),
        ("/v1/statements", '{"statement": "SELECT 1", "wait_seconds": NaN}'),
        ("/v1/channels/tokens", "[" * 100_000),
        ("/v1/channels/tokens", "1" * 5_000),
        ("/v1/channels/drop", '{"database": "\\u0000"}'),
        ("/v1/channels", "\xff"),
    ],
)
def test_bodies_that_say_what_cannot_be(client: httpx.Client, path: str, body: str) -> None:
    answer = post(client, path, body)
    assert told(answer)["hint"], answer.text


@pytest.mark.parametrize(
    ("statement", "parameters"),
    [
        ("SELECT ?", f'["{HALF}"]'),
        ("SELECT ?", f'[{{"{HALF}": 1}}]'),
        ("SELECT :a", f'{{"{HALF}": 1}}'),
        ("SELECT 1", f'{{"{HALF}": 1}}'),
        ("SELECT 1", '{"\\u0000": 1}'),
    ],
)
def test_parameters_that_are_no_text(client: httpx.Client, statement: str, parameters: str) -> None:
    body = f'{{"statement": "{statement}", "parameters": {parameters}}}'
    answer = post(client, "/v1/statements", body)
    assert answer.status_code == 200, answer.text
    assert answer.json()["error"]["code"] == "parameter", answer.text


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_names_of_odd_characters_are_names_of_nothing(
    lake: Lake, request: pytest.FixtureRequest, kind: str
) -> None:
    if kind == "postgres":
        lake.url = postgres_url(request.getfixturevalue("postgres_server"))
    with serving_table(lake.open()) as client:
        parts = ("database", "schema", "table", "name")
        for name, part in itertools.product(NAMES, parts):
            named = json.dumps({**PLACE, "name": "c", part: name})
            answers = [post(client, f"/v1/channels{path}", named) for path in ("", "/drop")]
            answers.append(post(client, "/v1/channels/tokens", f"[{named}]"))
            assert {each.status_code for each in answers} <= {200, 404, 422}, (part, name)
        for name in NAMES:
            standing = {"statement": "SELECT 1", "schema": name}
            answer = post(client, "/v1/statements", json.dumps(standing))
            assert "internal" not in answer.text
            assert answer.status_code in {200, 422}, answer.text
            sent = name.encode("utf-8", "surrogatepass")
            listed = client.get("/v1/channels", params={**PLACE, "schema": sent})
            assert listed.status_code in {404, 422}, listed.text
            assert told(client.get("/v1/statements/%00"))["code"]
        post(client, "/v1/channels", json.dumps({**PLACE, "name": "c", "offset_token": "1"}))
        answer = post(client, "/v1/channels/tokens", json.dumps([{**PLACE, "name": "c"}]))
        assert answer.json() == ["1"]


def test_what_a_client_tells_of_bad_rows_is_text(client: httpx.Client) -> None:
    path, handle = opened(client)
    rows = pa.table({"id": pa.array([1], "int64")})
    append = Append(1, rows, last_error="\u1234", bad_rows=1)
    body = body_of([Segment(path.rsplit("/", 1)[1], handle["client_sequencer"], append)])
    # as long as what it stands for
    halves = body.replace("\u1234".encode(), b"\xed\xa0\x80")
    headers = {"Content-Type": ARROW}
    assert told(client.post("/v1/rows", content=halves, headers=headers))["code"]
    assert client.get(path, params=handle).status_code == 200


@pytest.mark.parametrize("value", [f'"{HALF}"', f'{{"{HALF}": 1}}', f'["{HALF}"]'])
def test_rows_with_half_a_character(client: httpx.Client, value: str) -> None:
    path, handle = opened(client)
    bodies = (f'{{"id": {value}}}', f'{{"v": {value}}}', f'{{"{HALF}": {value}}}')
    for on_error in ("ABORT", "CONTINUE", "SKIP_BATCH"):
        for number, body in enumerate(bodies, 1):
            answer = client.post(
                f"{path}/rows",
                content=body,
                params={**handle, "number": number, "on_error": on_error},
            )
            assert answer.status_code < 500, answer.text
    assert client.get(path, params=handle).status_code == 200


def test_small_bodies_of_very_many_values_are_refused(client: httpx.Client) -> None:
    path, handle = opened(client)
    zeros = pa.table({"id": pa.array([0] * 1_000_000, "int64")})
    wide = pa.Table.from_arrays([zeros["id"]] * 40, [str(number) for number in range(40)])
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_stream(sink, wide.schema, options=options) as writer:
        writer.write_table(wide)
    packed = sink.getvalue().to_pybytes()
    lines = "".join(f'{{"k{number}": 1}}\n' for number in range(5_000)).encode()
    params = {**handle, "number": 1}
    headers = {"Content-Type": ARROW}
    answers = [
        client.post(f"{path}/rows", content=lines, params=params),
        client.post(f"{path}/rows", content=packed, params=params, headers=headers),
        client.post("/v1/rows", content=packed, headers=headers),
    ]
    assert [told(each)["code"] for each in answers] == ["malformed-rows"] * 3
    assert client.get(path, params=handle).json()["rows_waiting"] == 0


def test_who_goes_away_in_the_middle_is_no_bug(
    client: httpx.Client, caplog: pytest.LogCaptureFixture
) -> None:
    path, handle = opened(client)
    place = (client.base_url.host, client.base_url.port)
    head = f"Host: x\r\nAuthorization: {client.headers['Authorization']}\r\nContent-Length: 99"
    paths = (
        f"{path}/rows?number=1&client_sequencer={handle['client_sequencer']}",
        "/v1/rows",
        "/v1/statements",
        "/v1/channels",
        "/v1/channels/tokens",
    )
    for each in paths:
        with socket.create_connection(place) as connection:
            connection.sendall(f"POST {each} HTTP/1.1\r\n{head}\r\n\r\nhalf".encode())
            time.sleep(0.1)
    text = client.get("/metrics").text
    assert 'status="500"' not in text
    assert not [each for each in caplog.records if each.levelname == "ERROR"]
