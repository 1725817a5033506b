"""The page of metrics: fed by events, and by the registry."""

from __future__ import annotations

import httpx
from ingest.reaching import served

from icemelt.catalog.keys import create_key
from icemelt.session.session import Session

PLACE = {"database": "main", "schema": "public", "table": "t", "name": "c"}
NDJSON = {"Content-Type": "application/x-ndjson"}


def page(client: httpx.Client) -> dict[str, float]:
    """Return the values of the page by series, as it writes these."""
    answer = client.get("/metrics")
    assert answer.status_code == 200, answer.text
    lines = [line for line in answer.text.splitlines() if not line.startswith("#")]
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines)}


def append(client: httpx.Client, body: bytes) -> None:
    """Append rows to a channel, and have them committed."""
    told = client.post("/v1/channels", json=PLACE).json()
    path = f"/v1/channels/{told['channel_id']}"
    query = {"client_sequencer": told["client_sequencer"], "number": 1, "on_error": "CONTINUE"}
    client.post(f"{path}/rows", content=body, params=query, headers=NDJSON).raise_for_status()
    flush = {"client_sequencer": told["client_sequencer"], "wait_seconds": 30}
    assert client.post(f"{path}/flush", params=flush).json()["committed"]


def test_the_page_tells_what_happened_and_how_far_streams_are_behind(session: Session) -> None:
    session.execute_script("CREATE TABLE t (id INT); CREATE STREAM s ON TABLE t")
    _, key = create_key(session._core.database, "prometheus")
    bearer = {"Authorization": f"Bearer {key}"}
    with (
        served(session, 0.1) as url,
        httpx.Client(base_url=url, headers=bearer, timeout=90) as client,
    ):
        before = page(client)
        assert before["icemelt_rebases_total"] == before["icemelt_ingest_commits_total"] == 0
        assert before['icemelt_stream_versions_behind{stream="main.public.s"}'] == 0
        append(client, b'{"id": 1}\n{"id": "x"}\n{"id": 3}')
        session.sql("SELECT 1 AS one").fetchall()
        after = page(client)
    assert after["icemelt_ingest_rows_appended_total"] == 2
    assert after["icemelt_ingest_rows_refused_total"] == 1
    assert after["icemelt_ingest_rows_committed_total"] == 2
    assert after["icemelt_ingest_failures_total"] == 0
    assert after["icemelt_ingest_commit_seconds_total"] > 0
    assert after['icemelt_publish_attempts_total{outcome="published"}'] >= 1
    assert after["icemelt_publish_seconds_count"] >= 1
    assert after['icemelt_statements_ended_total{kind="SELECT",status="succeeded"}'] == 1
    assert after['icemelt_statement_seconds_count{kind="SELECT"}'] == 1
    assert after["icemelt_fetch_seconds_count"] == 1
    assert after["icemelt_spark_restarts_total"] == 0
    assert after["icemelt_streams_known"] == after["icemelt_streams"] == 1
    # the registry is asked at most once in ten seconds
    assert after['icemelt_stream_seconds_to_stale{stream="main.public.s"}'] > 13 * 86_400
