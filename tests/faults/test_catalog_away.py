"""The server while its catalog is away: each request is answered 503, and clients go on after."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
import sqlalchemy as sa
from faults.postgres import Postgres
from ingest.reaching import served
from pyspark.sql import SparkSession
from server.test_channel_requests import ALWAYS, NDJSON, PLACE, key_of, opened
from server.test_statements import ended, run

from conftest import Lake, postgres_url
from icemelt.catalog import connections
from icemelt.catalog.database import system_clock
from icemelt.catalog.keys import revoke_key
from icemelt.ingest import StreamingIngestClient
from icemelt.server import state as server_state
from icemelt.session.session import Session

# long enough that what is remembered for a second is not remembered any more
AWAY_SECONDS = 6.0
ROWS = 500
WHERE = ("main", "public", "t")
ANY = "00000000-0000-0000-0000-000000000000"
HANDLE = "client_sequencer=1"
# each route that has to ask the catalog, also for who asks
ROUTES = (
    ("GET", "/metrics", None),
    ("POST", "/v1/statements", {"statement": "SELECT 1"}),
    ("GET", f"/v1/statements/{ANY}", None),
    ("GET", f"/v1/statements/{ANY}/pages/0", None),
    ("POST", f"/v1/statements/{ANY}/cancel", None),
    ("DELETE", f"/v1/statements/{ANY}", None),
    ("POST", "/v1/channels", {**PLACE, "name": "c"}),
    ("GET", "/v1/channels?database=main&schema=public&table=t", None),
    ("GET", f"/v1/channels/{ANY}?{HANDLE}", None),
    ("POST", f"/v1/channels/{ANY}/rows?{HANDLE}&number=1", None),
    ("POST", f"/v1/channels/{ANY}/flush?{HANDLE}", None),
    ("POST", f"/v1/channels/{ANY}/close?{HANDLE}", None),
    ("POST", "/v1/channels/flush", [{"channel_id": ANY, "client_sequencer": 1}]),
    ("POST", "/v1/channels/tokens", [{**PLACE, "name": "c"}]),
    ("POST", "/v1/channels/drop", {**PLACE, "name": "c"}),
    ("POST", "/v1/rows", None),
)


@pytest.fixture(scope="module")
def server() -> Iterator[Postgres]:
    made = Postgres()
    yield made
    made.close()


@pytest.fixture
def session(server: Postgres, spark: SparkSession, tmp_path: Path) -> Iterator[Session]:
    lake = Lake(spark, postgres_url(server.url), tmp_path, system_clock)
    opened = lake.open()
    opened.sql("CREATE TABLE t (n BIGINT)")
    yield opened
    lake.close()


def asked(client: httpx.Client, key: str) -> dict[str, httpx.Response]:
    """Ask all routes; return the answers that are no 503 as they should be."""
    wrong = {}
    for method, path, body in ROUTES:
        headers = {"Authorization": f"Bearer {key}"}
        answer = client.request(method, path, json=body, headers=headers)
        told = answer.json()
        is_right = (
            answer.status_code == 503
            and told["code"] == "catalog-unavailable"
            and "Retry-After" in answer.headers
            and set(told) == ALWAYS
        )
        if not is_right:
            wrong[f"{method} {path}"] = answer
    return wrong


def test_every_route_says_503_and_nobody_learns_where_the_catalog_is(
    server: Postgres, session: Session, caplog: pytest.LogCaptureFixture
) -> None:
    key = key_of(session)
    place = sa.make_url(server.url)
    secrets = [part for part in (str(place.port), place.host, server.folder) if part]
    with served(session) as url, httpx.Client(base_url=url, timeout=60) as client:
        server.stop()
        try:
            with caplog.at_level(logging.WARNING):
                # a key that was never seen can be told neither right nor wrong
                assert asked(client, key) == {}
                health = client.get("/health")
                texts = [client.get("/v1/statements/x").text, health.text]
                description = client.get("/openapi.json")
        finally:
            server.start()
        assert (health.status_code, health.headers["Retry-After"]) == (503, "1")
        assert (client.head("/health").status_code, client.get("/health").status_code) == (200, 200)
        assert description.status_code == 200
        assert not [text for text in texts for secret in secrets if secret in text]
        assert all(each.levelno < logging.ERROR for each in caplog.records)
        told = [each for each in caplog.records if "catalog is away" in each.getMessage()]
        # the reason is in the log, once in some seconds
        assert 1 <= len(told) <= 3
        client.headers["Authorization"] = f"Bearer {key}"
        done = ended(client, run(client, "SELECT 1"))
        assert (done["error"], done["data"]) == (None, [[1]])


def test_a_key_holds_while_nobody_can_revoke_it(
    server: Postgres, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served(session, lag=0.2) as url, httpx.Client(base_url=url, timeout=60) as client:
        key = key_of(session)
        client.headers["Authorization"] = f"Bearer {key}"
        path, handle = opened(client)
        server.stop()
        try:
            time.sleep(1.5)
            row = {"content": b'{"n": 1}', "headers": {"Content-Type": NDJSON}}
            taken = client.post(f"{path}/rows", params={**handle, "number": 1}, **row)
            other = client.get(path, params=handle, headers={"Authorization": "Bearer ice_0_0"})
            monkeypatch.setattr(server_state, "_REMEMBERED_AWAY_SECONDS", 1.0)
            late = client.get(path, params=handle)
        finally:
            server.start()
        assert (taken.status_code, other.status_code, late.status_code) == (200, 503, 503)
        assert client.post(f"{path}/close", params=handle).status_code == 200
        assert revoke_key(session._core.database, key.split("_")[1])
        time.sleep(1.5)
        assert client.get(path, params=handle).status_code == 401
    assert session.sql("SELECT n FROM t").fetchall() == [(1,)]


@pytest.mark.slow
def test_clients_append_through_an_outage_and_lose_and_double_nothing(
    server: Postgres, session: Session
) -> None:
    with (
        served(session, lag=0.2) as url,
        StreamingIngestClient(url, key_of(session)) as client,
        ThreadPoolExecutor(4) as threads,
    ):

        def append_steadily(name: str, start: int) -> None:
            """Append a row every 20 ms, and wait now and then."""
            channel, _ = client.open_channel(name, *WHERE)
            for number in range(ROWS):
                channel.append_row({"n": start + number}, str(number))
                if number % 50 == 0:
                    channel.get_channel_status()
                if number % 200 == 199:
                    channel.wait_for_flush(60)
                time.sleep(0.02)
            channel.wait_for_flush(60)
            assert channel.get_latest_committed_offset_token() == str(ROWS - 1)
            status = channel.get_channel_status()
            assert (status.is_valid, status.client_sequencer) == (True, 1)
            channel.close()

        running = [
            threads.submit(append_steadily, f"c{each}", 1_000_000 * each) for each in range(3)
        ]
        time.sleep(2)
        server.stop()
        time.sleep(AWAY_SECONDS)
        # one that is opened meanwhile waits, too
        late = threads.submit(append_steadily, "late", 3_000_000)
        server.start()
        for each in (*running, late):
            each.result(120)
    wanted = [1_000_000 * each + number for each in range(4) for number in range(ROWS)]
    assert [n for (n,) in session.sql("SELECT n FROM t ORDER BY n").fetchall()] == wanted


def test_a_catalog_of_sqlite_that_stays_locked(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "_BUSY_SECONDS", 1)
    lake = Lake(spark, f"sqlite:///{tmp_path}/catalog.db", tmp_path, system_clock)
    session = lake.open()
    session.sql("CREATE TABLE t (n BIGINT)")
    with served(session) as url, httpx.Client(base_url=url, timeout=60) as client:
        client.headers["Authorization"] = f"Bearer {key_of(session)}"
        with session._core.database.write():
            answer = client.post("/v1/channels", json={**PLACE, "name": "c"})
            told = answer.json()
            assert (answer.status_code, answer.headers["Retry-After"]) == (503, "1")
            assert (told["code"], str(tmp_path) in answer.text) == ("catalog-unavailable", False)
        assert opened(client)[1] == {"client_sequencer": 1}
    lake.close()
