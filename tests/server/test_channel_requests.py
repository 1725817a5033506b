"""What the server answers to requests that the client would not send."""

from __future__ import annotations

import contextlib
import io
import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx
import pyarrow as pa
import pytest
from ingest.reaching import served

from icemelt.catalog.keys import create_key, list_keys, revoke_key
from icemelt.errors import ParameterError
from icemelt.ingest import IngestError, StreamingIngestClient
from icemelt.ingest.client.segments import ARROW
from icemelt.session.session import Session

ALWAYS = {"code", "errno", "sqlstate", "message", "hint"}
PLACE = {"database": "main", "schema": "public", "table": "t"}
NDJSON = "application/x-ndjson"


@pytest.fixture
def client(session: Session) -> Iterator[httpx.Client]:
    session.sql("CREATE TABLE t (id BIGINT NOT NULL, v VARCHAR(5))")
    with served(session, 0.1) as url, httpx.Client(base_url=url, timeout=60) as client:
        client.headers["Authorization"] = f"Bearer {key_of(session)}"
        yield client


def key_of(session: Session, name: str = "tests") -> str:
    return create_key(session._core.database, name)[1]


def opened(client: httpx.Client, name: str = "c") -> tuple[str, dict[str, int]]:
    answer = client.post("/v1/channels", json={**PLACE, "name": name}).json()
    return f"/v1/channels/{answer['channel_id']}", {"client_sequencer": answer["client_sequencer"]}


def append(
    client: httpx.Client, body: bytes, kind: str = NDJSON, number: int = 1, **query: str
) -> httpx.Response:
    path, handle = opened(client)
    parameters = {**handle, "number": number, **query}
    return client.post(
        f"{path}/rows", content=body, params=parameters, headers={"Content-Type": kind}
    )


def test_rows_come_as_lines_as_an_array_and_as_arrow(
    session: Session, client: httpx.Client
) -> None:
    path, handle = opened(client)
    sink = io.BytesIO()
    table = pa.table({"id": [5], "v": ["e"]})
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    bodies = (
        (NDJSON, b'{"id": 1, "v": "a"}\n{"id": "2"}\n'),
        ("application/json", b'[{"id": 3}, {"id": 4, "v": null}]'),
        (ARROW, sink.getvalue()),
    )
    for number, (kind, body) in enumerate(bodies, 1):
        query = {**handle, "number": number, "end_offset_token": str(number)}
        headers = {"Content-Type": kind}
        answer = client.post(f"{path}/rows", content=body, params=query, headers=headers)
        assert answer.status_code == 200, answer.text
    flushed = client.post(f"{path}/flush", params={**handle, "wait_seconds": 30}).json()
    assert flushed["committed"]
    assert flushed["status"]["latest_committed_offset_token"] == "3"
    rows = session.sql("SELECT * FROM t ORDER BY id").fetchall()
    assert rows == [(1, "a"), (2, None), (3, None), (4, None), (5, "e")]


def test_an_append_that_is_sent_again_is_not_taken_twice(
    session: Session, client: httpx.Client
) -> None:
    path, handle = opened(client)
    query = {**handle, "number": 1, "on_error": "CONTINUE"}
    body = b'{"id": 1}\n{"id": "x"}'
    answers = [client.post(f"{path}/rows", content=body, params=query).json() for _ in range(3)]
    assert answers[0] == answers[1] == answers[2]
    assert (answers[0]["rows"], answers[0]["bad_rows"]) == (1, 1)
    late = client.post(f"{path}/rows", content=body, params={**query, "number": 3})
    assert (late.status_code, late.json()["code"]) == (409, "ingest")
    client.post(f"{path}/close", params=handle)
    assert session.sql("SELECT * FROM t").fetchall() == [(1, None)]


def test_an_append_that_many_send_at_once_is_taken_once(
    session: Session, client: httpx.Client
) -> None:
    path, handle = opened(client)
    query = {**handle, "number": 1}
    body = b"\n".join(b'{"id": %d, "v": "abc"}' % number for number in range(20_000))
    headers = {"Content-Type": NDJSON}

    def append(_number: int) -> httpx.Response:
        return client.post(f"{path}/rows", content=body, params=query, headers=headers)

    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(append, range(20)))
    busy = [each for each in answers if each.status_code != 200]
    assert len(busy) < 20
    for each in busy:
        assert (each.status_code, each.json()["code"]) == (429, "ingest-busy")
        assert each.headers["Retry-After"] == "1"
    assert append(0).json() == {"rows": 20_000, "errors": [], "bad_rows": 0}
    assert client.post(f"{path}/close", params=handle).json() == {"closed": True}
    assert session.sql("SELECT count(*), count(DISTINCT id) FROM t").fetchall() == [
        (20_000, 20_000)
    ]


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer ice_1_2", "Basic YTpi", "Bearer \xff"])
def test_nobody_comes_in_without_a_key(client: httpx.Client, header: str) -> None:
    requests = (
        ("POST", "/v1/channels"),
        ("POST", "/v1/channels/x/rows?client_sequencer=1&number=1"),
        ("GET", "/v1/channels/x?client_sequencer=1"),
        ("POST", "/v1/channels/tokens"),
        ("POST", "/v1/channels/drop"),
    )
    del client.headers["Authorization"]
    headers = {"Authorization": header.encode("latin-1")} if header else {}
    for method, path in requests:
        answer = client.request(method, path, json={}, headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized"), path
    assert client.get("/health").json() == {"status": "ok"}


def test_a_revoked_key_is_refused_soon(session: Session, client: httpx.Client) -> None:
    database = session._core.database
    assert client.post("/v1/channels/tokens", json=[]).status_code == 200
    with database.read() as connection:
        [key] = list_keys(connection)
    assert revoke_key(database, key.key_id)
    assert not revoke_key(database, key.key_id)
    for _ in range(200):
        answer = client.post("/v1/channels/tokens", json=[])
        if answer.status_code == 401:
            return
        time.sleep(0.05)
    raise AssertionError(answer.text)


def test_another_key_cannot_use_the_handle_of_a_channel(
    session: Session, client: httpx.Client
) -> None:
    path, handle = opened(client)
    other = {"Authorization": f"Bearer {key_of(session, 'other')}"}
    for method, what in (("POST", "/rows"), ("POST", "/flush"), ("POST", "/close"), ("GET", "")):
        query = {**handle, "number": 1}
        answer = client.request(method, path + what, params=query, content=b"", headers=other)
        assert (answer.status_code, answer.json()["code"]) == (409, "channel-invalid"), what


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b'{"id": 1', NDJSON),
        (b"[1, 2]", "application/json"),
        (b"\xff\xfe", NDJSON),
        (b'{"id": 1, "id": 2}', NDJSON),
        (b"no arrow", ARROW),
        (b"ARROW1\0\0", ARROW),
        (b"[" * 100_000, "application/json"),
    ],
)
def test_broken_bodies_are_told_as_such(client: httpx.Client, body: bytes, kind: str) -> None:
    answer = append(client, body, kind)
    assert (answer.status_code, answer.json()["code"]) == (400, "malformed-rows"), answer.text
    assert answer.json()["hint"]


def test_bad_rows_are_told_by_row_and_column(client: httpx.Client) -> None:
    answer = append(client, b'{"id": 1}\n{"v": "too long", "w": 1}')
    assert answer.status_code == 422
    told = [(each["row"], each["column"]) for each in answer.json()["errors"]]
    assert told == [(1, "id"), (1, "v"), (1, "w")]


def test_a_body_that_is_too_large_is_not_read(session: Session) -> None:
    session.sql("CREATE TABLE t (id BIGINT)")
    with served(session, most_bytes=1 << 20) as url, httpx.Client(base_url=url) as client:
        client.headers["Authorization"] = f"Bearer {key_of(session)}"
        answer = append(client, b" " * (2 << 20))
        assert (answer.status_code, answer.json()["code"]) == (413, "too-large")
        assert append(client, b'{"id": 1}').status_code == 200


@pytest.mark.parametrize("name", ["a/b", "../x", "a\r\nX: 1", "", "n" * 256, "é'\"; DROP"])
def test_names_are_names_and_nothing_else(client: httpx.Client, name: str) -> None:
    answer = client.post("/v1/channels", json={**PLACE, "name": name})
    is_name = 0 < len(name) < 256 and "\r" not in name
    assert answer.status_code == (200 if is_name else 422), answer.text
    hidden = client.post("/v1/channels", json={**PLACE, "table": name, "name": "c"})
    assert hidden.status_code in {404, 422}
    assert "main.public.t'" not in hidden.text


def test_errors_are_json_and_name_what_to_do(client: httpx.Client) -> None:
    answers = (
        client.post("/v1/channels", content=b"{"),
        client.post("/v1/channels", json={**PLACE}),
        client.post("/v1/channels", json={**PLACE, "table": "nothing", "name": "c"}),
        client.get("/v1/nothing"),
        client.delete("/v1/channels"),
        client.get("/v1/channels/x", params={"client_sequencer": -1}),
        client.get("/v1/channels/x", params={"client_sequencer": 2**70}),
    )
    assert [each.status_code for each in answers] == [422, 422, 404, 404, 405, 422, 422]
    for answer in answers:
        assert set(json.loads(answer.text)) == ALWAYS
    document = client.get("/openapi.json").json()
    assert "/v1/channels/{channel_id}/rows" in document["paths"]


def test_a_number_is_not_used_for_other_rows(session: Session, client: httpx.Client) -> None:
    path, handle = opened(client)
    for query in ({"number": 1}, {"number": 1, "end_offset_token": "2"}):
        answers = [
            client.post(f"{path}/rows", content=body, params={**handle, **query})
            for body in (b'{"id": 1}', b'{"id": 1}\n{"id": 2}')
        ]
        codes = [answer.status_code for answer in answers]
        assert codes == ([200, 409] if "end_offset_token" not in query else [409, 409])
    client.post(f"{path}/close", params=handle)
    assert session.sql("SELECT id FROM t").fetchall() == [(1,)]


@pytest.mark.parametrize("scale", [-1_526_726_655, -100, 100])
def test_decimals_of_an_absurd_scale_are_refused(client: httpx.Client, scale: int) -> None:
    number = pa.py_buffer((1).to_bytes(16, "little"))
    array = pa.Array.from_buffers(pa.decimal128(2, scale), 1, [None, number])
    for values in (array, pa.ListArray.from_arrays([0, 1], array)):
        sink = io.BytesIO()
        table = pa.table({"id": values})
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
        answer = append(client, sink.getvalue(), ARROW)
        assert (answer.status_code, answer.json()["code"]) == (400, "malformed-rows")


def test_few_bytes_do_not_become_many_rows(client: httpx.Client) -> None:
    sink = io.BytesIO()
    table = pa.table({"id": pa.nulls(100_000_000)})
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    answer = append(client, sink.getvalue(), ARROW)
    assert (answer.status_code, answer.json()["code"]) == (400, "malformed-rows")


def test_nothing_is_read_of_who_has_no_key(session: Session, client: httpx.Client) -> None:
    del client.headers["Authorization"]

    def endless() -> Iterator[bytes]:
        for _ in range(10_000):
            yield b" " * 65_536

    with contextlib.suppress(httpx.WriteError):
        answer = client.post("/v1/channels/tokens", content=endless())
        assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized")
    assert client.post("/v1/channels", content=b"{").status_code == 401


def test_the_channels_of_a_table_are_listed(client: httpx.Client) -> None:
    for name in ("b", "a"):
        opened(client, name)
    listed = client.get("/v1/channels", params=PLACE).json()
    found = [(each["name"], each["client_sequencer"], each["offset_token"]) for each in listed]
    assert found == [("a", 1, None), ("b", 1, None)]
    assert client.get("/v1/channels", params={**PLACE, "table": "nope"}).status_code == 404


def test_the_client_tells_its_user_s_mistakes_at_once(session: Session) -> None:
    with pytest.raises(ParameterError, match="http://"):
        StreamingIngestClient("127.0.0.1:8787", "ice_1_2")
    with pytest.raises(ParameterError) as refused:
        StreamingIngestClient("http://127.0.0.1:8787", "ice_1 secret")
    assert "secret" not in str(refused.value)
    session.sql("CREATE TABLE t (id BIGINT)")
    with served(session) as url:
        began, key = time.monotonic(), key_of(session)
        wrong = StreamingIngestClient(url.replace("http", "https"), key)
        with pytest.raises(IngestError, match="https"):
            wrong.open_channel("c", "main", "public", "t")
        assert time.monotonic() - began < 10
        with StreamingIngestClient(url, f" {key}\n") as right:
            right.open_channel("c", "main", "public", "t")
