"""SQL over HTTP: submitted, polled, fetched, cancelled, and never run twice."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, cast

import httpx
import pyarrow as pa
import pytest
from ingest.reaching import served
from waiting import wait_until

from icemelt.catalog.activity_records import KeyRecord
from icemelt.catalog.keys import create_key
from icemelt.engine.slots import TaskSlots
from icemelt.engine.vitals import Ending, waits_for_java
from icemelt.ingest.client.segments import ARROW
from icemelt.jobs import do_once
from icemelt.server.running import Statements
from icemelt.server.submissions import Submission, SubmissionRun, parts_of
from icemelt.session.session import Session

MANY = "SELECT SEQ4() AS n, 'some text' AS v FROM TABLE(GENERATOR(ROWCOUNT => 200000))"
# Spark counts for minutes
LONG = "SELECT COUNT_IF(SEQ8() % 7 = 3) FROM TABLE(GENERATOR(ROWCOUNT => 1000000000000))"


@pytest.fixture
def client(session: Session) -> Iterator[httpx.Client]:
    session.sql("CREATE TABLE t (id BIGINT, v VARCHAR)")
    with served(session) as url, holder(session, url) as client:
        yield client


def holder(session: Session, url: str, name: str = "ann") -> httpx.Client:
    _, key = create_key(session._core.database, name)
    return httpx.Client(base_url=url, timeout=60, headers={"Authorization": f"Bearer {key}"})


def again(client: httpx.Client, url: str) -> httpx.Client:
    """Return the same key's client of another server, as after a restart."""
    return httpx.Client(base_url=url, timeout=60, headers=client.headers)


def run(client: httpx.Client, statement: str, **more: Any) -> dict[str, Any]:
    answer = client.post("/v1/statements", json={"statement": statement, **more})
    assert answer.status_code in {200, 202}, answer.text
    return dict(answer.json())


def ended(client: httpx.Client, told: dict[str, Any]) -> dict[str, Any]:
    path = f"/v1/statements/{told['statement_id']}"
    for _ in range(10):
        answer = client.get(path, params={"wait_seconds": 30})
        if answer.status_code == 200:
            return dict(answer.json())
    raise AssertionError(answer.text)


def count(session: Session) -> int:
    [(found,)] = session.sql("SELECT count(*) FROM t").fetchall()
    return int(found)


def test_rows_come_with_their_columns(client: httpx.Client) -> None:
    assert run(client, "INSERT INTO t VALUES (1, 'a'), (2, NULL)")["statements"][0]["rowcount"] == 2
    told = run(client, "SELECT id, v, id / 2 AS h, DATE '2024-02-29' AS d FROM t ORDER BY id")
    assert [(each["name"], each["type"]) for each in told["columns"]] == [
        ("id", "BIGINT"),
        ("v", "VARCHAR"),
        ("h", "NUMBER(38,6)"),
        ("d", "DATE"),
    ]
    assert told["data"] == [[1, "a", "0.500000", "2024-02-29"], [2, None, "1.000000", "2024-02-29"]]
    assert (told["status"], told["rows"], told["pages"]) == ("succeeded", 2, 1)
    assert run(client, "SELECT * FROM t WHERE v = :v", parameters={"v": "a"})["data"] == [[1, "a"]]
    assert run(client, "SELECT * FROM t WHERE false")["data"] == []
    assert run(client, "SELECT NULL AS n")["columns"] == [{"name": "n", "type": "VARCHAR"}]
    assert run(client, "SHOW TABLES")["rows"] == 1


def test_a_statement_stands_where_the_request_says(session: Session, client: httpx.Client) -> None:
    session.sql("CREATE SCHEMA other")
    session.sql("CREATE TABLE other.t AS SELECT 7 AS id")
    assert run(client, "SELECT id FROM t", schema="other")["data"] == [[7]]
    text = "SELECT CURRENT_USER, HOUR(TO_TIMESTAMP_LTZ('2024-01-01 00:00:00 +0000'))"
    assert run(client, text, timezone="Asia/Tokyo")["data"] == [["ann", 9]]
    assert run(client, "SELECT id FROM t", schema="nothing")["error"]["code"] == "object-not-found"
    assert run(client, "SELECT 1", timezone="Mars")["error"]["code"] == "value-refused"
    # nothing of that is left for the next
    assert run(client, "SELECT CURRENT_SCHEMA()")["data"] == [["public"]]


def test_many_rows_are_fetched_in_pages(client: httpx.Client) -> None:
    told = ended(client, run(client, MANY, wait_seconds=0))
    assert told["rows"] == 200_000
    path = f"/v1/statements/{told['statement_id']}/pages"
    pages = [client.get(f"{path}/{page}").json() for page in range(told["pages"])]
    assert told["data"] == pages[0]
    assert sorted(n for page in pages for n, _ in page) == list(range(200_000))
    headers = {"Accept": ARROW}
    bodies = [client.get(f"{path}/{n}", headers=headers).content for n in range(told["pages"])]
    tables = [pa.ipc.open_stream(body).read_all() for body in bodies]
    assert sorted(pa.concat_tables(tables)["n"].to_pylist()) == list(range(200_000))
    assert client.get(f"{path}/{told['pages']}").status_code == 404


def test_a_script_runs_in_one_session(session: Session, client: httpx.Client) -> None:
    told = run(client, "BEGIN; INSERT INTO t VALUES (1, 'a'); COMMIT; SELECT count(*) FROM t")
    assert [each["status"] for each in told["statements"]] == ["succeeded"] * 4
    assert told["data"] == [[1]]
    told = run(client, "BEGIN; INSERT INTO t VALUES (2, 'b'); SELECT nothing FROM t; COMMIT")
    statuses = [each["status"] for each in told["statements"]]
    assert statuses == ["succeeded", "rolled back", "failed", "not run"]
    assert told["error"]["code"] == "column-not-found"
    told = run(client, "BEGIN; INSERT INTO t VALUES (2, 'b')")
    assert told["status"] == "failed"
    assert "COMMIT" in told["error"]["hint"]
    assert count(session) == 1
    answer = client.post(
        "/v1/statements", json={"statement": "SELECT ?; SELECT 1", "parameters": [1]}
    )
    assert (answer.status_code, answer.json()["code"]) == (400, "not-yet")


def test_variables_and_notices_are_those_of_a_script(client: httpx.Client) -> None:
    script = "USE WAREHOUSE w; SET n = 41; SELECT $n + 1 AS next, CURRENT_WAREHOUSE() AS name"
    told = ended(client, run(client, script))
    assert [part["notice"] is not None for part in told["statements"]] == [True, False, False]
    assert told["data"] == [[42, "w"]]
    told = ended(client, run(client, "SELECT $n"))
    assert told["error"]["code"] == "query"


def test_what_fails_is_told_and_harms_nothing_else(client: httpx.Client) -> None:
    for statement, code in (
        ("SELECT nothing", "column-not-found"),
        ("SELECT * FROM nothing", "object-not-found"),
        ("SELEC 1", "sql-syntax"),
        (";;", "sql-syntax"),
        ("SELECT 1/0", "query"),
    ):
        told = run(client, statement)
        assert (told["status"], told["error"]["code"]) == ("failed", code)
        assert told["error"]["hint"]
    assert run(client, "SELECT 1")["data"] == [[1]]


def test_the_same_id_is_never_run_twice(session: Session, client: httpx.Client) -> None:
    wanted = {"statement": "INSERT INTO t VALUES (1, 'a')", "statement_id": str(uuid.uuid4())}
    answers: list[dict[str, Any]] = []
    together = threading.Barrier(4)

    def submit() -> None:
        together.wait()
        answers.append(client.post("/v1/statements", json=wanted).json())

    threads = [threading.Thread(target=submit) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers[0] == answers[1] == answers[2] == answers[3]
    assert count(session) == 1
    # another server of the lake, as after a restart
    with served(session) as url, again(client, url) as other:
        told = other.post("/v1/statements", json=wanted).json()
        assert (told["status"], told["statements"][0]["rowcount"]) == ("succeeded", 1)
        gone = other.get(f"/v1/statements/{wanted['statement_id']}/pages/0")
        assert (gone.status_code, gone.json()["code"]) == (410, "gone")
    assert count(session) == 1


def test_a_script_that_was_cut_off_tells_what_of_it_ran(
    session: Session, client: httpx.Client
) -> None:
    script = "INSERT INTO t VALUES (1, 'a'); INSERT INTO nothing VALUES (1); SELECT 1"
    statement_id = str(uuid.uuid4())
    assert run(client, script, statement_id=statement_id)["status"] == "failed"
    with served(session) as url, again(client, url) as other:
        told = run(other, script, statement_id=statement_id)
    assert told["status"] == "failed"
    assert "nothing" in told["error"]["message"]
    statuses = [each["status"] for each in told["statements"]]
    assert statuses == ["succeeded", "failed", "not run"]
    assert count(session) == 1


def test_no_key_takes_the_ids_of_another_key_s_script(
    session: Session, client: httpx.Client
) -> None:
    script = "INSERT INTO t VALUES (1, 'a'); SELECT 1; INSERT INTO t VALUES (2, 'b')"
    statement_id = str(uuid.uuid4())
    # all computed from the first id, which DESCRIBE HISTORY shows
    first, *later = [part.statement_id for part in parts_of(Submission(statement_id, script))]
    assert first == statement_id
    with holder(session, str(client.base_url), "bob") as bob:
        for taken in later:
            wanted = {"statement": "SELECT 1", "statement_id": taken}
            answer = bob.post("/v1/statements", json=wanted)
            assert (answer.status_code, answer.json()["code"]) == (422, "request")
            assert "uuid.uuid4()" in answer.json()["message"]
    told = ended(client, run(client, script, statement_id=statement_id))
    assert (told["status"], told["error"]) == ("succeeded", None)
    assert [each["statement_id"] for each in told["statements"]] == [first, *later]
    with served(session) as url, again(client, url) as other:
        known = run(other, script, statement_id=statement_id)
    assert (known["status"], known["statements"]) == ("succeeded", told["statements"])
    assert count(session) == 2


def test_another_key_sees_nothing_of_a_statement(session: Session, client: httpx.Client) -> None:
    statement_id = run(client, "SELECT 1")["statement_id"]
    url = str(client.base_url)
    with holder(session, url, "eve") as eve:
        path = f"/v1/statements/{statement_id}"
        assert eve.get(path).status_code == 404
        assert eve.get(f"{path}/pages/0").status_code == 404
        assert eve.post(f"{path}/cancel").status_code == 404
        assert eve.delete(path).status_code == 404
        taken = eve.post(
            "/v1/statements", json={"statement": "SELECT 1", "statement_id": statement_id}
        )
        assert (taken.status_code, taken.json()["code"]) == (409, "object-exists")
    assert client.delete(f"/v1/statements/{statement_id}").status_code == 204
    assert client.get(f"/v1/statements/{statement_id}").status_code == 404


@pytest.mark.parametrize("how", ["cancel", "timeout"])
def test_a_statement_is_cancelled(client: httpx.Client, how: str) -> None:
    more = {"timeout_seconds": 1} if how == "timeout" else {}
    told = run(client, LONG, wait_seconds=0.5, **more)
    assert told["status"] == "running"
    if how == "cancel":
        client.post(f"/v1/statements/{told['statement_id']}/cancel")
    told = ended(client, told)
    assert (told["status"], told["error"]["code"]) == ("cancelled", "statement-cancelled")
    assert run(client, "SELECT 1")["status"] == "succeeded"


HOSTILE = (
    # a match that begins anywhere and reads to the end: the square of the length, also in RE2
    "SELECT REGEXP_COUNT(repeat('a', 3000000 + id), '(a.*b|a)') FROM t",
    "SELECT repeat('a', 4000000 + id) LIKE '%_' || repeat('a', 100000) || 'b%' FROM t",
)
AT_ONCE = (
    "REGEXP_LIKE(repeat('a', 60 + id) || '!', '(a?){44}a{44}b')",
    "REGEXP_LIKE(repeat('a', 50000 + id), '(a+)+b')",
    # Java's own needs the stack that Spark dies of
    "NOT REGEXP_LIKE(repeat('ab', 50000 + id), '(a|b)*')",
    "repeat('a', 100000 + id) LIKE '%a%a%a%a%a%b'",
    "repeat('a', 100000 + id) LIKE ANY ('%a_a_a_a_a_b%', 'b_')",
    "REGEXP_INSTR(repeat('a', 50000 + id), '(a*)*(a*)*b') > 0",
    "REGEXP_REPLACE(repeat('a', 50000 + id), '(x+x+)+y', '') = ''",
)


@pytest.mark.parametrize("expression", AT_ONCE)
def test_a_pattern_that_is_made_to_hurt_ends_at_once(session: Session, expression: str) -> None:
    session.sql("CREATE TABLE t (id BIGINT)")
    session.sql("INSERT INTO t VALUES (1), (2)")
    session.sql("SELECT count(*) FROM t").fetchall()
    begin = time.monotonic()
    assert session.sql(f"SELECT count(*) FROM t WHERE {expression}").fetchall() == [(0,)]
    assert time.monotonic() - begin < 30


@pytest.mark.parametrize("statement", HOSTILE)
def test_matching_hears_that_it_is_cancelled_and_leaves_the_cores(
    client: httpx.Client, statement: str
) -> None:
    run(client, "INSERT INTO t (id) VALUES (1)")
    run(client, "INSERT INTO t (id) VALUES (2)")
    told = [run(client, statement, wait_seconds=0.5, timeout_seconds=2) for _ in range(2)]
    assert [each["status"] for each in told] == ["running", "running"]
    assert {ended(client, each)["status"] for each in told} == {"cancelled"}
    begin = time.monotonic()
    assert run(client, "SELECT count(*) FROM t", wait_seconds=30)["status"] == "succeeded"
    assert time.monotonic() - begin < 30


def test_what_is_forgotten_while_it_runs_leaves_no_rows(session: Session, tmp_path: Path) -> None:
    key, _ = create_key(session._core.database, "ann")
    at_work, goes_on = threading.Event(), threading.Event()

    def open_slowly(*_: object) -> Session:
        at_work.set()
        assert goes_on.wait(30)
        return session

    pages = tmp_path / "pages"
    pages.mkdir()
    slots = TaskSlots(session.spark)
    statements = Statements(open_slowly, session._core.database, str(pages), slots)
    submitted = statements.submit(Submission(str(uuid.uuid4()), "SELECT 1 AS one"), key)
    assert at_work.wait(30)
    statements.forget(submitted)
    goes_on.set()
    statements.close()
    assert submitted.pages is not None
    assert (submitted.status, submitted.pages.rows) == ("succeeded", 1)
    assert list(pages.iterdir()) == []


def test_no_statement_begins_while_rows_are_written_that_may_end_spark(
    session: Session, tmp_path: Path
) -> None:
    key, _ = create_key(session._core.database, "ann")
    slots = TaskSlots(session.spark)
    statements = Statements(lambda *_: session, session._core.database, str(tmp_path), slots)
    with statements.hold():
        submitted = statements.submit(Submission(str(uuid.uuid4()), "SELECT 1 AS one"), key)
        time.sleep(0.3)
        assert submitted.status == "waiting"
        assert not statements.had_statements_at_death()
    wait_until(lambda: submitted.is_done, 60)
    submitted.spark = statements.strikes.number
    statements._running.add(submitted)
    # the thread of a statement that ran has not noticed the end yet, and then has
    assert statements.had_statements_at_death()
    assert not statements.had_statements_at_death(beside=1)
    statements._running.clear()
    statements.strikes.note_lost(key, statements.strikes.number)
    assert statements.had_statements_at_death()
    statements.judge(Ending.BY_ITSELF)
    assert not statements.had_statements_at_death()
    statements.close()


class Deaf:
    """Stands for a session whose Java answers nothing for a while."""

    publishes_nothing = True

    def __init__(self) -> None:
        self.answers = threading.Event()
        self.heard = threading.Event()

    def cancel(self, *, for_good: bool) -> None:
        assert for_good
        assert self.answers.wait(60)
        self.heard.set()


def refuse_to_wait(
    statements: Statements, running: SubmissionRun, sleep: Callable[[], object]
) -> None:
    """Cancel a statement whose job is in a call of Java, and end Spark for it."""
    job = running.job = do_once("in-java", sleep).start()
    begin = time.monotonic()
    statements.cancel(running)
    assert time.monotonic() - begin < 1
    wait_until(lambda: waits_for_java(job.thread_id), 20)
    statements._end_stuck_planning(running)
    wait_until(lambda: running.is_done, 20)


def test_a_statement_that_java_does_not_let_go_blames_all_that_run_beside_it(
    session: Session, tmp_path: Path
) -> None:
    """Whose statement has taken the memory, or the cores, is not known then."""
    database, deaf = session._core.database, Deaf()
    statements = Statements(lambda *_: session, database, str(tmp_path), TaskSlots(session.spark))
    ended: list[int] = []
    statements.slots.on_stuck = lambda: ended.append(1)
    java = session.spark.sparkContext._jvm.java.lang.Thread
    for _ in range(2):
        for name in ("ann", "bob"):
            submission = Submission(str(uuid.uuid4()), "SELECT 1")
            running = SubmissionRun(submission, KeyRecord(name, name, 0), [], status="running")
            running.spark, running.session = statements.strikes.number, cast("Session", deaf)
            statements._running.add(running)
            if name == "bob":
                refuse_to_wait(statements, running, partial(java.sleep, 3_000))
        statements.judge(Ending.BY_ITSELF)
        statements._running.clear()
    assert ended == [1, 1]
    assert statements.strikes.is_suspect("ann")
    assert statements.strikes.is_suspect("bob")
    deaf.answers.set()
    assert deaf.heard.wait(20)
    statements.close()


def test_what_waits_is_cancelled_and_too_many_are_refused(session: Session) -> None:
    with served(session) as url, holder(session, url) as client:
        submitted = [run(client, LONG, wait_seconds=0) for _ in range(9)]
        answer = client.post(f"/v1/statements/{submitted[-1]['statement_id']}/cancel")
        assert answer.json()["statements"][0]["status"] == "not run"
        for told in submitted[:-1]:
            client.post(f"/v1/statements/{told['statement_id']}/cancel")
        assert {ended(client, told)["status"] for told in submitted} == {"cancelled"}


@pytest.mark.parametrize(
    "body",
    [
        {"statement": ""},
        {"statement": 1},
        {},
        {"statement": "SELECT 1", "statement_id": "x"},
        {"statement": "SELECT 1", "wait_seconds": 10**9},
        {"statement": "SELECT 1", "timeout_seconds": 0},
        {"statement": "SELECT 1", "wait": 1},
        {"statement": "SELECT ?", "parameters": "x"},
    ],
)
def test_broken_requests_are_told_as_such(client: httpx.Client, body: dict[str, Any]) -> None:
    answer = client.post("/v1/statements", json=body)
    assert (answer.status_code, answer.json()["code"]) == (422, "request"), answer.text


def test_the_server_tells_of_itself_in_numbers(client: httpx.Client) -> None:
    run(client, "SELECT 1")
    text = client.get("/metrics").text
    assert 'icemelt_statements{status="succeeded"} 1.0' in text
    wanted = 'icemelt_http_requests_total{method="POST",route="/v1/statements",status="200"} 1.0'
    assert wanted in text
    del client.headers["Authorization"]
    assert client.get("/metrics").status_code == 401
    assert client.post("/v1/statements", json={"statement": "SELECT 1"}).status_code == 401


def test_a_slow_catalog_keeps_nobody_else_waiting(
    client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = run(client, "SELECT 1", wait_seconds=30)
    asked, goes_on, look_up = threading.Event(), threading.Event(), Statements._look_up

    def slowly(statements: Statements, submitted: SubmissionRun) -> Any:
        asked.set()
        assert goes_on.wait(30)
        return look_up(statements, submitted)

    monkeypatch.setattr(Statements, "_look_up", slowly)
    with ThreadPoolExecutor(1) as pool:
        second = pool.submit(run, client, "SELECT 2", wait_seconds=30)
        assert asked.wait(20)
        assert ended(client, first) == first
        assert client.get("/health", timeout=10).json() == {"status": "ok"}
        assert not second.done()
        goes_on.set()
        assert second.result()["data"] == [[2]]
