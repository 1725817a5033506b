"""The page of metrics: fed by events, and by the registry."""

from __future__ import annotations

import httpx
from ingest.reaching import served

from icemelt.catalog.keys import create_key
from icemelt.ingest.client.client import StreamingIngestClient
from icemelt.session.session import Session


def page(url: str, key: str) -> dict[str, float]:
    """Return the values of the page by series, as it writes these."""
    answer = httpx.get(f"{url}/metrics", headers={"Authorization": f"Bearer {key}"}, timeout=60)
    assert answer.status_code == 200, answer.text
    lines = [line for line in answer.text.splitlines() if not line.startswith("#")]
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines)}


def test_the_page_tells_what_happened_and_how_far_streams_are_behind(session: Session) -> None:
    session.execute_script("CREATE TABLE t (id INT); CREATE STREAM s ON TABLE t")
    _, key = create_key(session._core.database, "prometheus")
    with served(session, 0.1) as url:
        before = page(url, key)
        assert before["icemelt_rebases_total"] == before["icemelt_ingest_commits_total"] == 0
        assert before['icemelt_stream_versions_behind{stream="main.public.s"}'] == 0
        with StreamingIngestClient(url, key) as client:
            channel, _ = client.open_channel("c", "main", "public", "t", on_error="SKIP_ROW")
            channel.append_rows([{"id": 1}, {"id": "no number"}, {"id": 3}], end_offset_token="3")
            channel.wait_for_flush(60)
        session.sql("SELECT 1 AS one").fetchall()
        after = page(url, key)
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
    # of the streams the page is some seconds old at most: the registry was asked just before
    assert after['icemelt_stream_seconds_to_stale{stream="main.public.s"}'] > 13 * 86_400
