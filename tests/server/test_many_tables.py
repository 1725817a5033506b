"""A key with channels of many tables takes no threads, and what it has is given back."""

from __future__ import annotations

import threading
import uuid

import httpx
import pytest
from ingest.reaching import served
from no_threads import no_more_threads
from server.test_channel_requests import NDJSON, key_of
from waiting import wait_until

from icemelt.catalog.keys import list_keys, revoke_key
from icemelt.server import revocations, thread_watch
from icemelt.session.session import Session

TABLES, SECONDS = 40, 60.0


def holder_of(session: Session, url: str, name: str) -> httpx.Client:
    headers = {"Authorization": f"Bearer {key_of(session, name)}"}
    return httpx.Client(base_url=url, headers=headers, timeout=SECONDS)


def open_channel(client: httpx.Client, table: str, name: str) -> httpx.Response:
    place = {"database": "main", "schema": "public", "table": table}
    return client.post("/v1/channels", json={**place, "name": name})


def append(client: httpx.Client, opened: httpx.Response) -> None:
    document = opened.json()
    answer = client.post(
        f"/v1/channels/{document['channel_id']}/rows",
        params={"client_sequencer": document["client_sequencer"], "number": 1},
        content=b'{"n": 1}',
        headers={"Content-Type": NDJSON},
    )
    assert answer.status_code == 200, answer.text


def metric(client: httpx.Client, name: str) -> float:
    lines = client.get("/metrics").text.splitlines()
    [value] = [line.split()[-1] for line in lines if line.startswith(f"{name} ")]
    return float(value)


def test_many_tables_have_no_threads_and_end_with_their_key(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(revocations, "_LOOK_SECONDS", 0.2)
    for number in range(TABLES + 1):
        session.sql(f"CREATE TABLE t{number} (n BIGINT)")
    with (
        served(session, 600, most_tables=TABLES) as url,
        holder_of(session, url, "ann") as ann,
        holder_of(session, url, "bob") as bob,
    ):
        before = threading.active_count()
        channels = [open_channel(ann, f"t{number}", "a") for number in range(TABLES)]
        for channel in channels:
            append(ann, channel)
        refused = open_channel(ann, f"t{TABLES}", "a")
        assert (refused.status_code, refused.json()["code"]) == (429, "too-many-channels")
        assert open_channel(ann, "t0", "another").status_code == 200
        append(bob, open_channel(bob, f"t{TABLES}", "b"))
        assert metric(bob, "icemelt_ingest_open_tables") == TABLES + 1
        assert threading.active_count() <= before
        with session._core.database.read() as connection:
            [key] = [key for key in list_keys(connection) if key.name == "ann"]
        assert revoke_key(session._core.database, key.key_id)
        # rows of ann wait for no lag any more, those of bob do
        wait_until(lambda: metric(bob, "icemelt_ingest_open_tables") == 1, SECONDS)
        assert metric(bob, "icemelt_ingest_open_channels") == 1
        tables = " UNION ALL ".join(f"SELECT n FROM t{number}" for number in range(TABLES + 1))
        counted = session.sql(f"SELECT count(*) FROM ({tables})").fetchall()
        assert counted == [(TABLES,)]
        assert threading.active_count() <= before


def submit(client: httpx.Client, statement_id: str) -> httpx.Response:
    wanted = {"statement": "SELECT 1 AS one", "statement_id": statement_id, "wait_seconds": 60}
    return client.post("/v1/statements", json=wanted)


def test_a_server_without_threads_says_so_takes_rows_and_goes_on_with_threads(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thread_watch, "_LOOK_SECONDS", 0.1)
    monkeypatch.setattr(thread_watch, "_LOOK_AGAIN_SECONDS", 0.1)
    monkeypatch.setattr(thread_watch, "_PATIENCE_SECONDS", 1.0)
    session.sql("CREATE TABLE t (n BIGINT)")
    with served(session, 0.1) as url, holder_of(session, url, "ann") as ann:
        assert submit(ann, str(uuid.uuid4())).json()["data"] == [[1]]
        # more than run at once: what one has taken is given back
        statements = [str(uuid.uuid4()) for _ in range(20)]
        with no_more_threads():
            for statement_id in statements:
                refused = submit(ann, statement_id)
                assert (refused.status_code, refused.json()["code"]) == (503, "no-threads")
                assert refused.headers["Retry-After"] == "1"
            append(ann, open_channel(ann, "t", "c"))
            wait_until(lambda: metric(ann, "icemelt_ingest_waiting_bytes") == 0, SECONDS)
            wait_until(lambda: ann.get("/livez").status_code == 503, SECONDS)
            for path in ("/livez", "/health"):
                told = ann.get(path)
                assert (told.status_code, told.json()["code"]) == (503, "no-threads")
        wait_until(lambda: ann.get("/livez").status_code == 200, SECONDS)
        assert ann.get("/health").status_code == 200
        for statement_id in statements:
            assert submit(ann, statement_id).json()["data"] == [[1]]
        assert metric(ann, 'icemelt_statements{status="running"}') == 0
        assert session.sql("SELECT count(*) FROM t").fetchall() == [(1,)]
