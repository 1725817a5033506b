"""Errors over HTTP have the numbers and SQLSTATEs of their classes, and far dates are text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from ingest.reaching import served
from server.test_channel_requests import ALWAYS
from server.test_statements import holder, run

from icemelt.catalog.keys import create_key
from icemelt.errors import IcemeltError, ObjectNotFound
from icemelt.ingest import StreamingIngestClient
from icemelt.ingest.client.http import _error
from icemelt.ingest.errors import Unauthorized
from icemelt.session.session import Session


@pytest.fixture
def url(session: Session) -> Iterator[str]:
    session.sql("CREATE TABLE t (id BIGINT)")
    with served(session) as url:
        yield url


@pytest.fixture
def client(session: Session, url: str) -> Iterator[httpx.Client]:
    with holder(session, url) as client:
        yield client


def numbers(told: Any) -> tuple[str, int, str]:
    return told["code"], told["errno"], told["sqlstate"]


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("SELECT 1 / 0", ("query", 1204, "22012")),
        ("SELECT 'a'::INT", ("value-refused", 1501, "22018")),
        ("SELECT * FROM nothing", ("object-not-found", 1301, "42S02")),
        ("SELECT nothing FROM t", ("column-not-found", 1306, "42S22")),
        ("SELEC", ("sql-syntax", 1201, "42601")),
        ("CREATE TABLE t (id INT)", ("object-exists", 1302, "42710")),
    ],
)
def test_a_statement_tells_what_it_failed_with(
    client: httpx.Client, statement: str, expected: tuple[str, int, str]
) -> None:
    told = run(client, statement, wait_seconds=60)
    assert numbers(told["error"]) == expected


def test_a_request_that_is_refused_has_them_too(client: httpx.Client, url: str) -> None:
    assert numbers(client.get("/v1/statements/none").json()) == ("object-not-found", 1301, "42S02")
    assert numbers(client.post("/v1/statements", json={}).json()) == ("request", 1906, "22023")
    assert numbers(client.get("/nowhere").json()) == ("http", 1907, "08P01")
    assert numbers(httpx.get(f"{url}/metrics").json()) == ("unauthorized", 1810, "28000")
    described = client.get("/openapi.json").json()["components"]["schemas"]["Failure"]
    assert set(described["required"]) >= ALWAYS


def test_a_client_of_channels_raises_them(session: Session, url: str) -> None:
    _, key = create_key(session._core.database, "ben")
    with StreamingIngestClient(url, key) as client:
        with pytest.raises(ObjectNotFound) as refused:
            client.open_channel("c", "main", "public", "nothing")
        assert (refused.value.errno, refused.value.sqlstate) == (1301, "42S02")
    with (
        StreamingIngestClient(url, "ice_none") as stranger,
        pytest.raises(Unauthorized) as unknown,
    ):
        stranger.open_channel("c", "main", "public", "t")
    assert (unknown.value.errno, unknown.value.sqlstate) == (1810, "28000")


def test_a_client_tells_what_an_older_server_does_not() -> None:
    told = {"code": "object-not-found", "message": "There is none.", "hint": ""}
    error = _error(httpx.Response(404, json=told))
    assert isinstance(error, ObjectNotFound)
    assert error.sqlstate == "42S02"
    newer = _error(httpx.Response(400, json=told | {"code": "of-tomorrow", "sqlstate": "22012"}))
    assert isinstance(newer, IcemeltError)
    assert newer.sqlstate == "22012"


def test_dates_that_python_does_not_have_are_text(client: httpx.Client) -> None:
    far = "DATE '9999-12-31' + 400"
    told = run(
        client,
        f"SELECT {far} AS d, DATEADD(YEAR, 9000, '2020-01-01'::TIMESTAMP_NTZ) AS t, 1 AS n",
        wait_seconds=60,
    )
    assert told["status"] == "succeeded"
    assert told["data"] == [["10001-02-03", "11020-01-01T00:00:00.000000", 1]]
    # within an array or an object they are, too, beside values that Python has
    nested = run(
        client,
        f"SELECT [{far}, '2024-02-29'::DATE, NULL] AS a,"
        f" STRUCT({far}, '0001-01-01'::DATE - 1) AS o, MAP('k', {far}) AS m",
        wait_seconds=60,
    )
    row = [
        ["10001-02-03", "2024-02-29", None],
        {"col1": "10001-02-03", "col2": "0000-12-31"},
        {"k": "10001-02-03"},
    ]
    assert (nested["status"], nested["data"]) == ("succeeded", [row])
    page = client.get(f"/v1/statements/{nested['statement_id']}/pages/0")
    assert page.json() == [row]
