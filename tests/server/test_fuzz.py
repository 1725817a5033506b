"""Requests made from the server's own description, right and wrong ones: it answers them all.

ICEMELT_FUZZ_EXAMPLES says how many of each operation, and has others made each time.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pyarrow as pa
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ingest.reaching import served
from schemathesis import APIOperation, Case, GenerationMode, Response
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from server.test_channel_requests import ALWAYS, PLACE
from server.test_statements import ended, holder, run

from conftest import Lake
from icemelt.ingest.answers import Append
from icemelt.ingest.client.segments import ARROW, Segment, body_of
from icemelt.session.session import Session

EXAMPLES = int(os.environ.get("ICEMELT_FUZZ_EXAMPLES", "12"))
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
# of a table and a channel that no request names
HIDDEN = "hidden_orchid"
# what only a trace, a statement of the catalog's, or Spark would say
INNER = ("site-packages", "Traceback", "internal error", "INTO icemelt_", "org.apache", "sqlite3")
STATEMENTS = (
    "SELECT * FROM t",
    "SELECT * FROM nothing",
    "SELECT * FROM hidden",
    "INSERT INTO t VALUES (7, 'f')",
    "SELECT nothing FROM t",
    "SELECT 1; SELECT 2",
    "SELECT ?",
    "BEGIN; DELETE FROM t; ROLLBACK",
)
ROWS = pa.table({"id": [1, 2], "v": ["a", None]})
JSON = (b'{"id": 1}', b'[{"id": 2, "v": "b"}]', b'{"id": "x"}', b'{"w": 1}', b"{", b"\xff", b"")


@schemathesis.serializer(ARROW)
def as_sent(_context: schemathesis.SerializationContext, value: Any) -> bytes:
    return value if isinstance(value, bytes) else repr(value).encode()


@dataclass
class Target:
    """A server, and what there is in it that requests may hit: a channel and a statement."""

    client: httpx.Client
    secrets: tuple[str, ...]
    ids: dict[str, Any] = field(default_factory=dict)
    handle: dict[str, int] = field(default_factory=dict)
    codes: set[int] = field(default_factory=set)

    def renew(self, name: str) -> None:
        """Have something to hit that no request before has closed, dropped or forgotten."""
        told = self.client.post("/v1/channels", json={**PLACE, "name": name}).json()
        made = run(self.client, "SELECT 1 AS one")
        self.ids = {"channel_id": told["channel_id"], "statement_id": made["statement_id"]}
        self.handle = {"client_sequencer": told["client_sequencer"]}

    def bodies(self) -> list[bytes]:
        """Return bodies of rows, whole ones and broken ones."""
        sink = io.BytesIO()
        with pa.ipc.new_stream(sink, ROWS.schema) as writer:
            writer.write_table(ROWS)
        whole = body_of([Segment(self.ids["channel_id"], 1, Append(1, ROWS))])
        flipped = [whole[:at] + b"\xff" + whole[at + 1 :] for at in range(8, len(whole), 29)]
        return [sink.getvalue(), whole, whole[:-40], *flipped, *JSON]

    def aim(self, case: Case, body: bytes, statement: str) -> None:
        """Have a request be one for what is there."""
        for name in set(self.ids) & set(case.path_parameters or {}):
            case.path_parameters[name] = self.ids[name]
        if isinstance(case.query, dict) and "client_sequencer" in case.query:
            case.query |= self.handle
        if case.operation.path.endswith("/rows"):
            case.body = body
        elif case.operation.path == "/v1/channels/flush" and isinstance(case.body, list):
            case.body.append({"channel_id": self.ids["channel_id"], **self.handle})
        elif isinstance(case.body, dict):
            real = {"statement": statement, **PLACE}
            case.body |= {name: real[name] for name in real if name in case.body}

    def check(self, case: Case, answer: Response) -> None:
        """Check that an answer is one that the reference knows, and tells nothing else."""
        self.codes.add(answer.status_code)
        case.validate_response(answer, checks=CHECKS)
        for secret in (*self.secrets, *INNER):
            assert secret not in answer.text, (secret, answer.text, case.as_curl_command())
        if answer.status_code >= 400:
            told = answer.json()
            assert set(told) in (ALWAYS, ALWAYS | {"errors"})
            assert all(told[name] for name in ALWAYS), answer.text


@pytest.fixture
def target(session: Session, lake: Lake) -> Iterator[Target]:
    session.sql("CREATE TABLE t (id BIGINT, v VARCHAR)")
    session.sql("INSERT INTO t VALUES (0, 'kept')")
    session.sql(f"CREATE TABLE {HIDDEN} (id BIGINT)")
    secrets = (HIDDEN, str(lake.folder), str(Path.cwd()), str(Path.home()))
    with served(session, 0.1) as url, holder(session, url) as client:
        client.post("/v1/channels", json={**PLACE, "table": HIDDEN, "name": HIDDEN})
        yield Target(client, secrets)


@pytest.mark.slow
def test_every_request_is_answered_as_described(session: Session, target: Target) -> None:
    schema = schemathesis.openapi.from_url(f"{target.client.base_url}/openapi.json")
    operations = [each.ok() for each in schema.get_all_operations()]
    assert len(operations) == 19
    for number, operation in enumerate(operations):
        target.renew(f"f{number}")
        ask(target, operation)
    assert target.codes >= {200, 204, 400, 401, 404, 409, 422}
    unused_methods(target, [each.path for each in operations])
    still_works(session, target)


def ask(target: Target, operation: APIOperation[Any, Any, Any]) -> None:
    """Send requests of an operation: as it is described, otherwise, and for what is there."""
    wrong = operation.as_strategy(generation_mode=GenerationMode.NEGATIVE)
    rightly = {"Authorization": target.client.headers["Authorization"]}

    @settings(
        max_examples=EXAMPLES,
        database=None,
        derandomize="ICEMELT_FUZZ_EXAMPLES" not in os.environ,
        suppress_health_check=list(HealthCheck),
    )
    @given(
        case=operation.as_strategy() | wrong,
        body=st.sampled_from(target.bodies()),
        statement=st.sampled_from(STATEMENTS),
        is_aimed=st.booleans(),
    )
    def answered(case: Case, body: bytes, statement: str, *, is_aimed: bool) -> None:
        if is_aimed:
            target.aim(case, body, statement)
        target.check(case, case.call(headers=rightly if is_aimed else None))

    answered()


def unused_methods(target: Target, paths: list[str]) -> None:
    for path in paths:
        # load balancers ask for the health by HEAD
        heads = () if path in {"/health", "/livez", "/readyz"} else ("HEAD",)
        for method in ("PUT", "PATCH", "OPTIONS", "TRACE", *heads):
            answer = target.client.request(method, path)
            assert answer.status_code == 405, (method, path, answer.text)
            assert method == "HEAD" or answer.json()["code"] == "http"


def still_works(session: Session, target: Target) -> None:
    """Check that the server takes rows and statements, and has kept what it had."""
    target.renew("last")
    path = f"/v1/channels/{target.ids['channel_id']}"
    rows = {**target.handle, "number": 1, "end_offset_token": "1"}
    answer = target.client.post(f"{path}/rows", content=b'{"id": -1}', params=rows)
    assert answer.status_code == 200, answer.text
    assert target.client.post(f"{path}/close", params=target.handle).status_code == 200
    told = ended(target.client, run(target.client, "SELECT id FROM t WHERE id < 1 ORDER BY id"))
    assert told["data"] == [[-1], [0]]
    assert session.sql("SELECT v FROM t WHERE id = 0").fetchall() == [("kept",)]
