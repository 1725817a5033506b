"""JSON that means harm, at every place of every body: each is answered, and none by a 500."""

from __future__ import annotations

import json
from collections.abc import Iterator

import httpx
import pyarrow as pa
import pytest
from ingest.reaching import served
from server.test_channel_requests import ARROW, NDJSON, PLACE, opened
from server.test_odd_requests import post, told
from server.test_statements import ended, holder

from conftest import Lake, postgres_url
from icemelt.ingest.answers import Append
from icemelt.ingest.client.segments import Segment, body_of
from icemelt.session.session import Session

# each is JSON, or what Python's reader takes for it
VALUES = (
    "NaN",
    "-Infinity",
    "1e400",
    "1" * 5_000,
    "123456789012345678901234567890123456789012345",
    "-0.0",
    '"\\ud800"',
    '"\\udfff\\ud800x"',
    '"\\u0000"',
    '"\\u202e\\ufffe"',
    '"' + "x" * 70_000 + '"',
    '{"a": 1, "a": 2}',
    '{"\\ud800": {"\\ud800": ["\\ud800"]}}',
    '{"__proto__": {"__class__": "x"}, "$ref": "/etc/passwd"}',
    "[[], {}, [[]], null, true]",
    "[" * 20_000 + "]" * 20_000,
    '{"a":' * 5_000 + "1" + "}" * 5_000,
    '"2024-13-45T99:99:99Z"',
    "null",
    "1.0",
)
STATEMENTS = (
    '{"statement": "SELECT ?", "parameters": [VALUE]}',
    '{"statement": "SELECT :a", "parameters": {"a": VALUE}}',
    '{"statement": "SELECT 1", "parameters": VALUE, "wait_seconds": 0}',
    '{"statement": VALUE, "wait_seconds": 0}',
    '{"statement": "SHOW TABLES", "schema": VALUE}',
    '{"statement": "SHOW TABLES", "timezone": VALUE}',
    '{"statement": "SHOW TABLES", "statement_id": VALUE}',
    '{"statement": "SHOW TABLES", "timeout_seconds": VALUE}',
    '{"statement": "SHOW TABLES", "nothing": VALUE}',
    "VALUE",
)
_PLACE = json.dumps(PLACE)[1:-1]
_KEYS = ("database", "schema", "table", "name")
CHANNELS = (
    *(
        ("/v1/channels", json.dumps({**PLACE, "name": "c", key: "@"}).replace('"@"', "VALUE"))
        for key in _KEYS
    ),
    ("/v1/channels", f'{{{_PLACE}, "name": VALUE}}'),
    ("/v1/channels", f'{{{_PLACE}, "name": "d", "offset_token": VALUE}}'),
    ("/v1/channels/tokens", f'[{{{_PLACE}, "name": VALUE}}]'),
    ("/v1/channels/drop", f'{{{_PLACE}, "name": VALUE}}'),
    ("/v1/channels/flush", '[{"channel_id": VALUE, "client_sequencer": 1}]'),
    ("/v1/channels/flush", '[{"channel_id": "x", "client_sequencer": VALUE}]'),
    ("/v1/channels/flush", "VALUE"),
)
ONE_ROW = pa.table({"id": [1]})
ROWS = ('{"id": VALUE}', '{"v": VALUE}', '[{"id": 1, "v": VALUE}]', '{"o": VALUE}', "VALUE")


@pytest.fixture
def client(session: Session) -> Iterator[httpx.Client]:
    session.sql("CREATE TABLE t (id BIGINT, v VARCHAR, o VARIANT)")
    with served(session, 0.1) as url, holder(session, url) as client:
        yield client


def is_clean(answer: httpx.Response) -> bool:
    """Tell whether an answer is none of a bug's, and is itself JSON of whole characters."""
    found = json.loads(answer.content.decode())
    return answer.status_code < 500 and "internal error" not in json.dumps(found)


@pytest.mark.turns(8)
def test_statements(client: httpx.Client) -> None:
    attempts = [(body, value) for body in STATEMENTS for value in VALUES]
    assert len(attempts) >= 79
    for body, value in attempts:
        answer = post(client, "/v1/statements", body.replace("VALUE", value))
        assert is_clean(answer), (body, value[:40], answer.text[:300])
        if answer.status_code < 300:
            done = ended(client, answer.json())
            assert "internal error" not in json.dumps(done), (body, value[:40], done)


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_channels_and_rows(lake: Lake, request: pytest.FixtureRequest, kind: str) -> None:
    if kind == "postgres":
        lake.url = postgres_url(request.getfixturevalue("postgres_server"))
    session = lake.open()
    session.sql("CREATE TABLE t (id BIGINT, v VARCHAR, o VARIANT)")
    count = 0
    with served(session, 0.1) as url, holder(session, url) as client:
        for path, body in CHANNELS:
            for value in VALUES:
                answer = post(client, path, body.replace("VALUE", value))
                assert is_clean(answer), (path, body, value[:40], answer.text[:300])
                count += 1
        path, handle = opened(client, "rows")
        number = 1
        for body in ROWS:
            for value in VALUES:
                answer = client.post(
                    f"{path}/rows",
                    content=body.replace("VALUE", value),
                    params={**handle, "number": number, "on_error": "CONTINUE"},
                    headers={"Content-Type": NDJSON},
                )
                assert is_clean(answer), (body, value[:40], answer.text[:300])
                number += answer.status_code == 200
                count += 1
        assert count >= 82
        assert client.post(f"{path}/close", params=handle).status_code == 200


@pytest.mark.parametrize("value", [*VALUES, "[" * 100_000, '{"rows": 1}', "[1, 2]", "\xff"])
def test_what_says_whose_rows_are_sent(client: httpx.Client, value: str) -> None:
    path, handle = opened(client)
    segment = Segment(path.rsplit("/", 1)[1], handle["client_sequencer"], Append(1, ONE_ROW))
    whole = body_of([segment])
    with pa.ipc.open_stream(whole) as reader:
        table = reader.read_all()
    for part in (value, f"[{value}]", f'[{{"channel_id": {value}, "rows": 1}}]'):
        said = table.replace_schema_metadata({b"icemelt.segments": part.encode("latin-1")})
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, said.schema) as writer:
            writer.write_table(said)
        body = sink.getvalue().to_pybytes()
        answer = client.post("/v1/rows", content=body, headers={"Content-Type": ARROW})
        assert told(answer)["code"] == "malformed-rows"


def test_addresses_that_are_no_text(client: httpx.Client) -> None:
    path, handle = opened(client)
    rows = f"{path}/rows?client_sequencer={handle['client_sequencer']}&number=1"
    for bad in ("%FF", "%ED%A0%80", "%C3", "a%80b", "%F8%88%80%80%80"):
        for name in ("start_offset_token", "end_offset_token"):
            answer = client.post(f"{rows}&{name}={bad}", content=b'{"id": 1}')
            assert (answer.status_code, told(answer)["code"]) == (400, "bad-text"), bad
        for address in (f"/v1/channels/{bad}?client_sequencer=1", f"/v1/statements/{bad}"):
            assert told(client.get(address))["code"] == "bad-text"
        listed = f"/v1/channels?database=main&schema={bad}&table=t"
        assert told(client.get(listed))["code"] == "bad-text"
    answer = client.post(f"{rows}&end_offset_token=%C3%A9", content=b'{"id": 1}')
    assert answer.status_code == 200
    client.post(f"{path}/close", params=handle).raise_for_status()
    tokens = client.post("/v1/channels/tokens", json=[{**PLACE, "name": "c"}])
    assert tokens.json() == ["é"]


def test_a_channel_that_cannot_be(client: httpx.Client) -> None:
    answer = post(client, "/v1/channels/flush", '[{"channel_id":"\\ud800","client_sequencer":1}]')
    assert (answer.status_code, told(answer)["code"]) == (422, "request")
