"""A server whose keys run what never ends: others are answered all the same."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from server.program import ICEMELT, Server, server
from server.test_serve import keys
from waiting import wait_until

import icemelt

pytestmark = pytest.mark.slow

# in one task, and in one for each core
ENDLESS = "SELECT count(*) FROM TABLE(GENERATOR(ROWCOUNT => 100000000000)) WHERE random() < 2"
WIDE = " UNION ALL ".join([ENDLESS] * 8)
BOMB = "SELECT REGEXP_LIKE(repeat(v, 60) || '!', '(a?){44}a{44}b') FROM bombs"


@pytest.fixture(scope="module")
def lake(spark: object, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fairness")
    with icemelt.connect(folder, maintain_every=None) as session:
        session.sql("CREATE TABLE small (id BIGINT, v VARCHAR)")
        session.sql("INSERT INTO small VALUES (1, 'a'), (2, 'b'), (3, NULL)")
        session.sql("CREATE TABLE bombs AS SELECT 'a' AS v")
    return folder


@pytest.fixture(scope="module")
def running(lake: Path) -> Iterator[Server]:
    with server(lake) as running:
        yield running


class Key:
    """A key of its own, and its client."""

    def __init__(self, lake: Path, running: Server, name: str, *options: str) -> None:
        made = keys(lake, "create", name, *options)
        assert made.returncode == 0, made.stderr
        text = made.stdout.strip()
        self.id = text.split("_")[1]
        headers = {"Authorization": f"Bearer {text}"}
        self.client = httpx.Client(base_url=running.url, headers=headers, timeout=90)

    def submit(self, statement: str, **more: Any) -> httpx.Response:
        return self.client.post("/v1/statements", json={"statement": statement, **more})

    def begin(self, statement: str, **more: Any) -> str:
        told = self.submit(statement, wait_seconds=0, **more).json()
        assert told["status"] in {"waiting", "running"}, told
        return str(told["statement_id"])

    def status(self, statement_id: str, wait_seconds: float = 0) -> dict[str, Any]:
        path = f"/v1/statements/{statement_id}"
        return dict(self.client.get(path, params={"wait_seconds": wait_seconds}).json())

    def cancel(self, statement_id: str) -> None:
        self.client.post(f"/v1/statements/{statement_id}/cancel")


def quickest(key: Key, statement: str, expected: list[list[Any]], times: int = 5) -> list[float]:
    """Return how long a statement takes, each time."""
    seconds = []
    for _ in range(times):
        began = time.monotonic()
        told = key.submit(statement, wait_seconds=60).json()
        seconds.append(time.monotonic() - began)
        assert (told["status"], told["data"]) == ("succeeded", expected), told
    return seconds


def test_others_are_answered_beside_what_never_ends(lake: Path, running: Server) -> None:
    quick = Key(lake, running, "quick")
    quickest(quick, "SELECT count(*) FROM small", [[3]], 3)
    others = [Key(lake, running, f"endless-{n}") for n in range(4)]
    begun = [
        (key, key.begin(text))
        for key, text in zip(others, (ENDLESS, WIDE, BOMB, BOMB), strict=True)
    ]
    time.sleep(5)
    ones = quickest(quick, "SELECT 1", [[1]])
    counts = quickest(quick, "SELECT count(*) FROM small", [[3]])
    for key, statement_id in begun[:2]:
        assert key.status(statement_id)["status"] == "running"
        key.cancel(statement_id)
    assert sorted(ones)[2] < 2
    assert sorted(counts)[2] < 5


def opened(key: Key, table: str) -> tuple[str, dict[str, int]]:
    """Open a channel of a table; return the path of the channel, and parameters for an append."""
    place = {"database": "main", "schema": "public", "table": table, "name": f"of {key.id}"}
    told = key.client.post("/v1/channels", json=place).json()
    sequencer = told["client_sequencer"]
    return f"/v1/channels/{told['channel_id']}", {"client_sequencer": sequencer, "number": 1}


@pytest.mark.parametrize(("table", "row"), [("variants", '{"v": [1]}'), ("logged", '{"n": "x"}')])
def test_rows_that_spark_writes_are_committed_beside_what_never_ends(
    lake: Path, running: Server, table: str, row: str
) -> None:
    with icemelt.connect(lake, maintain_every=None) as session:
        session.sql("CREATE TABLE IF NOT EXISTS variants (v VARIANT)")
        session.sql("CREATE TABLE IF NOT EXISTS logged (n BIGINT) ERROR_LOGGING = TRUE")
    other, writer = Key(lake, running, f"wide-{table}"), Key(lake, running, f"writes-{table}")
    begun = [other.begin(WIDE) for _ in range(2)]
    wait_until(lambda: {other.status(each)["status"] for each in begun} == {"running"}, 30)
    time.sleep(3)
    path, parameters = opened(writer, table)
    began = time.monotonic()
    headers = {"Content-Type": "application/x-ndjson"}
    more = {**parameters, "on_error": "CONTINUE"}
    taken = writer.client.post(f"{path}/rows", params=more, content=row, headers=headers)
    assert taken.status_code == 200, taken.text
    waiting = {**parameters, "wait_seconds": 30}
    told = writer.client.post(f"{path}/flush", params=waiting).json()
    assert told["committed"], told
    assert time.monotonic() - began < 20
    for each in begun:
        assert other.status(each)["status"] == "running"
        other.cancel(each)


def test_rows_of_a_key_wait_for_no_flush_of_another(lake: Path, running: Server) -> None:
    with icemelt.connect(lake, maintain_every=None) as session:
        session.sql("CREATE TABLE IF NOT EXISTS variants (v VARIANT)")
        for number in range(3):
            session.sql(f"CREATE TABLE many{number} (id BIGINT) PARTITION BY (id)")
    other, writer = Key(lake, running, "many-files"), Key(lake, running, "one-row")
    headers = {"Content-Type": "application/x-ndjson"}
    many = "\n".join(f'{{"id": {number}}}' for number in range(6_000))
    channels = [opened(other, f"many{number}") for number in range(3)]
    for path, parameters in channels:
        other.client.post(f"{path}/rows", params=parameters, content=many, headers=headers)
        other.client.post(f"{path}/flush", params={**parameters, "wait_seconds": 0})
    path, parameters = opened(writer, "variants")
    began = time.monotonic()
    writer.client.post(f"{path}/rows", params=parameters, content='{"v": 1}', headers=headers)
    told = writer.client.post(f"{path}/flush", params={**parameters, "wait_seconds": 30}).json()
    assert told["committed"], told
    seconds = time.monotonic() - began
    ends = [
        other.client.post(f"{path}/flush", params={**parameters, "wait_seconds": 0}).json()
        for path, parameters in channels
    ]
    # the row of one key is there before the many files of the other
    assert not all(end["committed"] for end in ends), seconds
    for path, parameters in channels:
        other.client.post(f"{path}/flush", params={**parameters, "wait_seconds": 60})


def test_others_are_answered_beside_long_texts(lake: Path, running: Server) -> None:
    quick, other = Key(lake, running, "quick-beside"), Key(lake, running, "verbose")
    quickest(quick, "SELECT 1", [[1]], 3)
    # each is read for seconds
    text = "SELECT " + "+".join(["1"] * 90_000)
    with ThreadPoolExecutor(20) as pool:
        begun = [pool.submit(other.submit, text, wait_seconds=0) for _ in range(20)]
        time.sleep(1)
        ones = quickest(quick, "SELECT 1", [[1]])
        answers = [each.result() for each in begun]
    assert sorted(ones)[2] < 2
    # too many are refused, and those taken are read one after the other
    assert {each.status_code for each in answers} == {202, 429}, answers
    taken = [each.json()["statement_id"] for each in answers if each.status_code == 202]
    assert "running" in {other.status(each)["status"] for each in taken}
    for each in taken:
        other.cancel(each)
    wait_until(lambda: not set(taken) & set(listed(lake)), 120)


def test_one_key_does_not_wait_for_its_own(lake: Path, running: Server) -> None:
    key = Key(lake, running, "both")
    endless = key.begin(WIDE)
    time.sleep(3)
    assert max(quickest(key, "SELECT count(*) FROM small", [[3]], 2)) < 20
    key.cancel(endless)


def statements(lake: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [*ICEMELT, "statements", *arguments, "--lake", str(lake)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def listed(lake: Path) -> dict[str, dict[str, Any]]:
    lines = statements(lake, "list", "--format", "json").stdout.splitlines()
    return {each["statement_id"]: each for each in map(json.loads, lines)}


def test_revocation_ends_what_a_key_runs(lake: Path, running: Server) -> None:
    key = Key(lake, running, "revoked")
    begun = [key.begin(ENDLESS) for _ in range(10)]
    with ThreadPoolExecutor(1) as pool:
        waits = pool.submit(key.client.get, f"/v1/statements/{begun[0]}?wait_seconds=60")
        time.sleep(3)
        assert set(begun) <= set(listed(lake))
        assert keys(lake, "revoke", key.id).returncode == 0
        began = time.monotonic()
        answer = waits.result()
        seconds = time.monotonic() - began
    assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized")
    assert seconds < 3
    assert key.client.get(f"/v1/statements/{begun[0]}").status_code == 401
    wait_until(lambda: not set(begun) & set(listed(lake)), 15)
    with icemelt.connect(lake, maintain_every=None) as session:
        told = [each for each in session.history() if each.user == "revoked"]
        # what waited has never run
        assert {each.status for each in told} == {"cancelled"}
        assert len(told) == 8


def test_the_operator_sees_and_cancels_anybodys(lake: Path, running: Server) -> None:
    key = Key(lake, running, "watched")
    assert statements(lake, "list", "--format", "csv").stdout.splitlines() == [
        "statement_id,user,key_id,status,submitted_on,started_on,text"
    ]
    begun = key.begin(ENDLESS)
    wait_until(lambda: begun in listed(lake), 15)
    told = listed(lake)[begun]
    assert (told["user"], told["key_id"], told["status"]) == ("watched", key.id, "running")
    assert told["text"] == ENDLESS
    assert statements(lake, "cancel", begun).returncode == 0
    ended = key.status(begun, 30)
    assert (ended["status"], ended["error"]["code"]) == ("cancelled", "statement-cancelled")
    assert "who runs the server" in ended["error"]["message"]
    wait_until(lambda: begun not in listed(lake), 15)
    again = statements(lake, "cancel", begun)
    assert again.returncode == 1
    assert begun in again.stderr
    assert "icemelt statements list" in again.stderr


def test_a_key_may_have_a_timeout_of_its_own(lake: Path, running: Server) -> None:
    key = Key(lake, running, "hurried", "--statement-timeout", "2")
    for more, seconds in (
        ({}, "2"),
        ({"timeout_seconds": 600}, "2"),
        ({"timeout_seconds": 1}, "1"),
    ):
        told = key.status(key.begin(ENDLESS, **more), 30)
        assert (told["status"], told["error"]["code"]) == ("cancelled", "statement-cancelled")
        assert f"it ran for {seconds} s" in told["error"]["message"]
    rows = keys(lake, "list", "--format", "json").stdout.splitlines()
    [row] = [row for row in map(json.loads, rows) if row["name"] == "hurried"]
    assert row["statement_timeout"] == 2.0


def java_of(process_id: int) -> int:
    """Return the process of Java that a server has started."""
    for status in Path("/proc").glob("[0-9]*/status"):
        with contextlib.suppress(OSError):
            text = status.read_text()
            if f"\nPPid:\t{process_id}\n" in text and text.startswith("Name:\tjava\n"):
                return int(status.parent.name)
    raise AssertionError(process_id)


def test_what_died_with_java_has_failed_also_after_a_restart(spark: object, tmp_path: Path) -> None:
    statement_id = str(uuid.uuid4())
    with server(tmp_path) as dying:
        headers = {"Authorization": f"Bearer {dying.key}"}
        body = {"statement": ENDLESS, "statement_id": statement_id, "wait_seconds": 0}
        path = f"/v1/statements/{statement_id}"
        with httpx.Client(base_url=dying.url, headers=headers, timeout=90) as client:
            client.post("/v1/statements", json=body)
            time.sleep(3)
            assert client.get(path).json()["status"] == "running"
            os.kill(java_of(dying.process.pid), signal.SIGKILL)
            told = client.get(path, params={"wait_seconds": 60}).json()
            assert (told["status"], told["error"]["code"]) == ("failed", "spark-died")
    with server(tmp_path) as running, httpx.Client(headers=headers, timeout=90) as client:
        body["wait_seconds"] = 60
        again = client.post(f"{running.url}/v1/statements", json=body).json()
        assert (again["status"], again["data"]) == ("failed", None)
        assert again["error"]["message"] == told["error"]["message"]
