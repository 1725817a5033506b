"""RESULT_SCAN and QUERY_HISTORY on the server: a key's own results and statements alone."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from ingest.reaching import served

from icemelt.catalog.keys import create_key
from icemelt.session.session import Session


@pytest.fixture
def server(session: Session) -> Iterator[str]:
    session.sql("CREATE TABLE t (id INT, v VARIANT)")
    session.sql("INSERT INTO t SELECT 1, PARSE_JSON('{\"a\": 7}')")
    with served(session) as url:
        yield url


@pytest.fixture
def ann(session: Session, server: str) -> Iterator[httpx.Client]:
    with _holder(session, server, "ann") as client:
        yield client


@pytest.fixture
def bob(session: Session, server: str) -> Iterator[httpx.Client]:
    with _holder(session, server, "bob") as client:
        yield client


def _holder(session: Session, url: str, name: str) -> httpx.Client:
    _, key = create_key(session._core.database, name)
    return httpx.Client(base_url=url, timeout=60, headers={"Authorization": f"Bearer {key}"})


def run(client: httpx.Client, statement: str, **more: Any) -> dict[str, Any]:
    document = {"statement": statement, "wait_seconds": 60, **more}
    answer = client.post("/v1/statements", json=document)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def test_a_key_reads_the_result_of_an_earlier_statement(ann: httpx.Client) -> None:
    first = run(ann, "SELECT id, v, UUID_STRING() AS name FROM t")
    name = first["data"][0][2]
    run(ann, "DELETE FROM t")
    asked = f"SELECT id, v:a::INT, name FROM TABLE(RESULT_SCAN('{first['statement_id']}'))"
    assert run(ann, asked)["data"] == [[1, 7, name]]
    # the metadata of the file is the server's own
    path = f"/v1/statements/{first['statement_id']}/pages/0"
    page = ann.get(path, headers={"Accept": "application/vnd.apache.arrow.stream"})
    assert page.status_code == 200
    assert b"spark-schema" not in page.content


def test_a_script_reads_its_own_results(ann: httpx.Client) -> None:
    told = run(ann, 'SHOW TABLES; SELECT "name" FROM TABLE(RESULT_SCAN(LAST_QUERY_ID()))')
    assert told["data"] == [["t"]]
    shown, last = (each["statement_id"] for each in told["statements"])
    assert run(ann, f"SELECT * FROM TABLE(RESULT_SCAN('{last}'))")["data"] == [["t"]]
    lost = run(ann, f"SELECT * FROM TABLE(RESULT_SCAN('{shown}'))")
    assert "are not kept" in lost["error"]["message"]


def test_no_key_reads_the_result_of_another(ann: httpx.Client, bob: httpx.Client) -> None:
    first = run(ann, "SELECT 'secret' AS v")
    told = run(bob, f"SELECT * FROM TABLE(RESULT_SCAN('{first['statement_id']}'))")
    unknown = str(uuid.uuid4())
    expected = run(bob, f"SELECT * FROM TABLE(RESULT_SCAN('{unknown}'))")["error"]
    message = expected["message"].replace(unknown, first["statement_id"])
    assert told["error"]["message"] == message


def test_a_key_sees_its_own_statements_in_the_history(
    session: Session, ann: httpx.Client, bob: httpx.Client
) -> None:
    run(ann, "SELECT 'of ann' AS v")
    run(bob, "SELECT 'of bob' AS v")
    run(ann, "SELECT * FROM missing")
    asked = (
        "SELECT query_text, status, user_name FROM TABLE(INFORMATION_SCHEMA.{}) ORDER BY start_time"
    )
    expected = [
        ["SELECT 'of ann' AS v", "succeeded", "ann"],
        ["SELECT * FROM missing", "failed", "ann"],
    ]
    assert run(ann, asked.format("QUERY_HISTORY()"))["data"] == expected
    assert run(bob, asked.format("QUERY_HISTORY_BY_USER('ann')"))["data"] == []
    of_session = f"QUERY_HISTORY_BY_SESSION('{session.session_id}')"
    assert run(bob, asked.format(of_session))["data"] == []
    # who holds the catalog sees all
    texts = [row[0] for row in session.sql(asked.format("QUERY_HISTORY()")).fetchall()]
    assert {"SELECT 'of ann' AS v", "SELECT 'of bob' AS v"} <= set(texts)
