"""Whatever a client sends, the server keeps no more of it than it has bounds for."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pyarrow as pa
import pytest
from ingest.reaching import served
from server.test_statements import holder, run
from waiting import wait_until

from icemelt.catalog.activity_records import KeyRecord
from icemelt.catalog.keys import create_key
from icemelt.engine.slots import TaskSlots
from icemelt.errors import IcemeltError
from icemelt.ingest.answers import Append, Reject
from icemelt.ingest.client.segments import ARROW, Segment, body_of
from icemelt.server.failures import Busy
from icemelt.server.running import Statements
from icemelt.server.statement_limits import StatementLimits
from icemelt.server.submissions import Submission, SubmissionRun, parts_of
from icemelt.session.hosting import open_guest
from icemelt.session.session import Session

PLACE = {"database": "main", "schema": "public", "table": "t", "name": "c"}
LONG = "x" * 4_096


@pytest.fixture
def client(session: Session) -> Iterator[httpx.Client]:
    session.sql("CREATE TABLE t (id INT) ERROR_LOGGING = TRUE")
    with served(session, 0.1) as url, holder(session, url) as client:
        yield client


def opened(client: httpx.Client) -> tuple[str, int]:
    told = client.post("/v1/channels", json=PLACE).json()
    return told["channel_id"], told["client_sequencer"]


def send(client: httpx.Client, segments: list[Segment]) -> httpx.Response:
    return client.post(
        "/v1/rows", content=body_of(segments), headers={"Content-Type": ARROW}, timeout=60
    )


def status(client: httpx.Client, handle: tuple[str, int]) -> dict[str, Any]:
    params = {"client_sequencer": handle[1]}
    told: dict[str, Any] = client.get(f"/v1/channels/{handle[0]}", params=params).json()
    return told


def rejects(count: int, data: str = '{"id":"x"}') -> tuple[Reject, ...]:
    return tuple(Reject(row, "id", "It is none.", data) for row in range(count))


def test_both_tokens_of_a_segment_have_a_bound(client: httpx.Client) -> None:
    handle, rows = opened(client), pa.table({"id": pa.array([1], "int32")})
    for token in ("x" * 4_097, "x" * (1 << 20)):
        [failed] = send(client, [Segment(*handle, Append(1, rows, token, None))]).json()
        assert failed["code"] == "token-refused"
    assert send(client, [Segment(*handle, Append(1, rows, LONG, LONG))]).json() == [None]


@pytest.mark.slow
def test_rows_that_are_passed_over_have_a_bound(session: Session, client: httpx.Client) -> None:
    handle, rows = opened(client), pa.table({"id": pa.array([], "int32")})
    # each has both tokens in the error table, so a few bytes stand for eight thousand
    many = Append(1, rows, LONG, LONG, bad_rows=20_000, rejects=rejects(20_000))
    [failed] = send(client, [Segment(*handle, many)]).json()
    assert failed["code"] == "malformed-rows"
    assert "64 MiB" in failed["message"]
    very_many = Append(1, rows, bad_rows=200_000, rejects=rejects(200_000, "1"))
    answer = send(client, [Segment(*handle, very_many)])
    assert (answer.status_code, answer.json()["code"]) == (400, "malformed-rows")
    assert (status(client, handle)["rows_error"], status(client, handle)["rows_waiting"]) == (0, 0)
    # as many as a client lets pass
    taken = Append(1, rows, bad_rows=110_000, rejects=rejects(110_000, "1"))
    few = Append(2, rows, LONG, LONG, bad_rows=100, rejects=rejects(100))
    assert send(client, [Segment(*handle, each) for each in (taken, few)]).json() == [None, None]
    params = {"client_sequencer": handle[1], "wait_seconds": 30}
    assert client.post(f"/v1/channels/{handle[0]}/flush", params=params).json()["committed"]
    assert session.sql("SELECT count(*) FROM ERROR_TABLE(t)").fetchall() == [(110_100,)]


def test_bad_rows_of_a_small_body_have_a_bound(client: httpx.Client) -> None:
    handle = opened(client)
    tokens = {"start_offset_token": LONG, "end_offset_token": LONG}
    params = {"client_sequencer": handle[1], "number": 1, "on_error": "CONTINUE"}
    path = f"/v1/channels/{handle[0]}/rows"
    answer = client.post(path, params={**params, **tokens}, content=b'{"id":"x"}\n' * 50_000)
    assert (answer.status_code, answer.json()["code"]) == (400, "malformed-rows")
    assert "fewer rows" in answer.json()["hint"]
    answer = client.post(path, params={**params, **tokens}, content=b'{"id":"x"}\n' * 1_500)
    assert answer.json()["bad_rows"] == 1_500
    wide = json.dumps({"id": "x", "v" * 40_000: 1}).encode() + b"\n"
    params["number"] = 2
    answer = client.post(path, params=params, content=wide * 50)
    assert answer.json()["bad_rows"] == 50
    # each error has the name of its column
    assert len(answer.content) < 100_000


def test_a_last_error_has_a_bound(client: httpx.Client) -> None:
    handle, rows = opened(client), pa.table({"id": pa.array([1], "int32")})
    append = Append(1, rows, bad_rows=1, last_error="e" * (12 << 20))
    assert send(client, [Segment(*handle, append)]).json() == [None]
    assert status(client, handle)["last_error"] == "e" * 999 + "…"


def test_parameters_have_a_bound(client: httpx.Client) -> None:
    for given in ([{}] * 300_000, [[1] * 300_000], {str(n): 1 for n in range(300_000)}):
        wanted = {"statement": "SELECT 1", "parameters": given}
        answer = client.post("/v1/statements", json=wanted)
        assert (answer.status_code, answer.json()["code"]) == (413, "too-large"), answer.text
    told = run(client, "SELECT ?", parameters=["x" * 1_000_000], wait_seconds=60)
    assert len(told["data"][0][0]) == 1_000_000


def test_what_is_done_keeps_nothing_of_its_request() -> None:
    text = "SELECT " + "1 + " * 99_000 + "?"
    submission = Submission(str(uuid.uuid4()), text, ["x" * 1_000_000])
    submitted = SubmissionRun(submission, KeyRecord("k", "k", 0), parts_of(submission))
    submitted.end("failed", IcemeltError("m" * 1_000_000, hint="h" * 1_000_000))
    assert submitted.submission.parameters is None
    assert len(submitted.submission.text) == 1_000
    assert [part.text for part in submitted.parts] == [""]
    assert submitted.error is not None
    assert len(str(submitted.error)) < 20_000
    assert submitted.size < 20_000


@pytest.fixture
def statements(session: Session, tmp_path: Path) -> Iterator[Statements]:
    def open_session(key: KeyRecord, pool: str) -> Session:
        return open_guest(session, key.name, (), key_id=key.key_id, pool=pool)

    folder = tmp_path / "pages"
    folder.mkdir()
    limits = StatementLimits(most_waiting_bytes=1 << 20, most_done_bytes=20_000)
    slots = TaskSlots(session.spark)
    made = Statements(open_session, session._core.database, str(folder), slots, limits)
    yield made
    made.close()
    assert list(folder.iterdir()) == []


def test_the_outcomes_of_one_key_have_a_bound(session: Session, statements: Statements) -> None:
    ann, bob = (create_key(session._core.database, name)[0] for name in ("ann", "bob"))
    first = ended(statements.submit(Submission(str(uuid.uuid4()), "SELECT 0 AS n"), bob))
    done = [
        ended(statements.submit(Submission(str(uuid.uuid4()), f"SELECT {n} AS n"), ann))
        for n in range(20)
    ]
    kept = [statements.find(each.submission.statement_id, ann) for each in done]
    assert kept[-1] is done[-1]
    assert kept[:5] == [None] * 5
    assert sum(each.size for each in kept if each) < 30_000
    assert statements.find(first.submission.statement_id, bob) is first
    # it is not run again, whether its outcome is kept or not
    known = statements.submit(done[0].submission, ann)
    assert (known.status, known.pages) == ("succeeded", None)


def test_what_waits_of_one_key_has_a_bound(session: Session, statements: Statements) -> None:
    ann, _ = create_key(session._core.database, "ann")
    long = "SELECT COUNT_IF(SEQ8() % 7 = 3) FROM TABLE(GENERATOR(ROWCOUNT => 1000000000000))"
    given = ["x" * 600_000]
    first = statements.submit(Submission(str(uuid.uuid4()), f"{long} WHERE ? <> 'a'", given), ann)
    with pytest.raises(Busy, match="texts and parameters"):
        statements.submit(Submission(str(uuid.uuid4()), "SELECT ?", given), ann)
    small = statements.submit(Submission(str(uuid.uuid4()), "SELECT 1"), ann)
    statements.cancel(first)
    ended(first)
    ended(small)
    assert ended(statements.submit(Submission(str(uuid.uuid4()), "SELECT ?", given), ann)).pages


def ended(submitted: SubmissionRun) -> SubmissionRun:
    wait_until(lambda: submitted.is_done, 60)
    return submitted
