"""What load balancers ask without a key: whether the server answers, and nothing more."""

from __future__ import annotations

import httpx
from ingest.reaching import served

from icemelt.session.session import Session


def test_the_health_is_told_by_get_and_by_head_without_a_key(session: Session) -> None:
    with served(session) as url:
        got, headed = httpx.get(f"{url}/health"), httpx.head(f"{url}/health")
        refused = httpx.post(f"{url}/health")
    assert (got.status_code, got.json()) == (200, {"status": "ok"})
    assert (headed.status_code, headed.content) == (200, b"")
    assert headed.headers["content-length"] == str(len(got.content))
    assert refused.status_code == 405
