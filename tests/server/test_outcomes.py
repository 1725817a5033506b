"""What is told of statements: a query that failed has failed for good, and results have bounds."""

from __future__ import annotations

import contextlib
import resource
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from ingest.reaching import served
from no_threads import no_more_threads
from server.test_statements import again, ended, holder, run
from waiting import wait_until

from icemelt.catalog.activity_records import KeyRecord
from icemelt.catalog.keys import create_key, revoke_key
from icemelt.engine.slots import TaskSlots
from icemelt.errors import NoThreads, ObjectExists, StatementCancelled, ValueRefused
from icemelt.server.failures import Busy, Gone
from icemelt.server.running import Statements
from icemelt.server.statement_limits import StatementLimits
from icemelt.server.submissions import Submission, SubmissionRun
from icemelt.session.hosting import open_guest
from icemelt.session.runtime.jobs import Jobs
from icemelt.session.session import Session
from icemelt.sql.parse import LONG_TEXT, wait_for_turn

BAD = "SELECT sum(CAST(v AS INT)) FROM t"
# Spark plans it for a while
DOUBLED = (
    "WITH c0 AS (SELECT 1 AS a), "
    + ", ".join(
        f"c{n} AS (SELECT * FROM c{n - 1} UNION ALL SELECT * FROM c{n - 1})" for n in range(1, 11)
    )
    + " SELECT count(*) FROM c10"
)
# icemelt reads it for a while, and refuses it at its end
SUM = "SELECT " + "+".join(["1"] * 90_000) + ", KURTOSIS(1)"


@pytest.fixture
def client(session: Session) -> Iterator[httpx.Client]:
    session.sql("CREATE TABLE t (id BIGINT, v VARCHAR)")
    session.sql("INSERT INTO t VALUES (1, 'a')")
    with served(session) as url, holder(session, url) as client:
        yield client


def status_of(session: Session, statement_id: str) -> tuple[str, str | None]:
    [found] = [each for each in session.history() if each.statement_id == statement_id]
    return found.status, found.error_code


@pytest.mark.parametrize("how", ["deleted", "restarted"])
def test_a_query_that_failed_is_not_told_as_succeeded(
    session: Session, client: httpx.Client, how: str
) -> None:
    statement_id = str(uuid.uuid4())
    told = run(client, BAD, statement_id=statement_id, wait_seconds=60)
    assert (told["status"], told["error"]["code"]) == ("failed", "value-refused")
    assert status_of(session, statement_id) == ("failed", "value-refused")
    message = told["error"]["message"]
    if how == "deleted":
        client.delete(f"/v1/statements/{statement_id}")
        told = run(client, BAD, statement_id=statement_id)
    else:
        with served(session) as url, again(client, url) as other:
            told = run(other, BAD, statement_id=statement_id)
    assert (told["status"], told["error"]["message"]) == ("failed", message)
    assert told["statements"][0]["status"] == "failed"


def test_a_query_that_gave_rows_is_told_as_such(session: Session, client: httpx.Client) -> None:
    statement_id = run(client, "SELECT id FROM t", wait_seconds=60)["statement_id"]
    assert status_of(session, statement_id) == ("succeeded", None)
    with served(session) as url, again(client, url) as other:
        told = run(other, "SELECT id FROM t", statement_id=statement_id)
        assert (told["status"], told["data"]) == ("succeeded", None)


def test_a_query_within_a_script_is_run_as_the_last_is(
    session: Session, client: httpx.Client
) -> None:
    told = run(client, f"SELECT id FROM t; {BAD}; INSERT INTO t VALUES (2, 'b')", wait_seconds=60)
    statuses = [each["status"] for each in told["statements"]]
    assert (told["status"], statuses) == ("failed", ["succeeded", "failed", "not run"])
    assert status_of(session, told["statements"][1]["statement_id"])[0] == "failed"
    assert session.sql("SELECT count(*) FROM t").fetchall() == [(1,)]


def test_a_session_notes_a_query_whose_rows_cannot_be_fetched(session: Session) -> None:
    session.sql("CREATE TABLE t (id BIGINT, v VARCHAR)")
    session.sql("INSERT INTO t VALUES (1, 'a')")
    result = session.sql(BAD)
    assert status_of(session, result.statement_id) == ("succeeded", None)
    with pytest.raises(ValueRefused):
        result.fetchall()
    assert status_of(session, result.statement_id) == ("failed", "value-refused")
    good = session.sql("SELECT id FROM t")
    assert good.head(1) == [(1,)]
    assert good.fetchall() == [(1,)]
    assert status_of(session, good.statement_id) == ("succeeded", None)


def test_a_fetch_that_was_cancelled_is_noted(session: Session) -> None:
    result = session.sql("SELECT count(*) AS n FROM TABLE(GENERATOR(ROWCOUNT => 100000000000))")
    threading.Timer(1, session.cancel).start()
    with pytest.raises(StatementCancelled):
        result.fetchall()
    assert status_of(session, result.statement_id) == ("cancelled", "statement-cancelled")


@pytest.mark.turns(8)
def test_a_submission_has_a_thousand_statements_at_most(client: httpx.Client) -> None:
    told = run(client, "COMMIT;" * 1000, wait_seconds=0)
    assert len(ended(client, told)["statements"]) == 1000
    began = time.process_time()
    answer = client.post("/v1/statements", json={"statement": "1;" * 200_000})
    assert (answer.status_code, answer.json()["code"]) == (413, "too-large")
    assert "200,000" in answer.json()["message"]
    assert time.process_time() - began < 15


@pytest.mark.parametrize(
    ("text", "given", "rows"),
    [
        ("SELECT ?", [[]], [[[]]]),
        ("SELECT ?", [[[]]], [[[[]]]]),
        ("SELECT array()", None, [[[]]]),
        ("SELECT map()", None, [[[]]]),
        ("SELECT array(map())", None, [[[[]]]]),
        ("SELECT struct(array()) AS s", None, [[{"col1": []}]]),
    ],
)
def test_what_is_empty_has_an_answer(
    client: httpx.Client, text: str, given: list[Any] | None, rows: list[Any]
) -> None:
    told = run(client, text, parameters=given, wait_seconds=60)
    assert (told["status"], told["data"]) == ("succeeded", rows), told


def test_names_of_keys_in_force_are_unique(session: Session) -> None:
    database = session._core.database
    first, _ = create_key(database, "twin")
    with pytest.raises(ObjectExists, match="twin"):
        create_key(database, "twin")
    assert revoke_key(database, first.key_id)
    create_key(database, "twin")


def test_a_later_key_of_the_name_reads_nothing_of_the_first(session: Session) -> None:
    database, statement_id = session._core.database, str(uuid.uuid4())
    first, text = create_key(database, "twin")
    with served(session) as url, httpx.Client(base_url=url, timeout=60) as client:
        client.headers["Authorization"] = f"Bearer {text}"
        run(client, "SELECT secret", statement_id=statement_id)
        client.delete(f"/v1/statements/{statement_id}")
        revoke_key(database, first.key_id)
        _, text = create_key(database, "twin")
        client.headers["Authorization"] = f"Bearer {text}"
        wanted = {"statement": "SELECT secret", "statement_id": statement_id}
        answer = client.post("/v1/statements", json=wanted)
    assert (answer.status_code, answer.json()["code"]) == (409, "object-exists")
    assert "secret" not in answer.text


@pytest.fixture
def bounded(session: Session, tmp_path: Path) -> Iterator[Callable[..., SubmissionRun]]:
    """Run statements of a key in a server's way, where results have 4 MiB, and 5 together."""
    key = KeyRecord("k", "ann", 0)
    folder = tmp_path / "pages"
    folder.mkdir()
    limits = StatementLimits(most_bytes=4 << 20, most_kept_bytes=5 << 20)

    def open_session(key: KeyRecord, pool: str) -> Session:
        return open_guest(session, key.name, (), key_id=key.key_id, pool=pool)

    database, slots = session._core.database, TaskSlots(session.spark)
    statements = Statements(open_session, database, str(folder), slots, limits)

    def submit(text: str, **more: Any) -> SubmissionRun:
        submitted = statements.submit(Submission(str(uuid.uuid4()), text, **more), key)
        wait_until(lambda: submitted.is_done, 120)
        return submitted

    yield submit
    statements.close()
    assert list(folder.iterdir()) == []


def wide(mebibytes: int) -> str:
    """Return a query whose rows have so many bytes, which do not get smaller on the disk."""
    value = " || ".join(["UUID_STRING()"] * 29)
    return f"SELECT {value} AS v FROM TABLE(GENERATOR(ROWCOUNT => {mebibytes * 1000}))"


@pytest.mark.slow
def test_a_result_has_so_many_bytes_at_most(
    session: Session, bounded: Callable[..., SubmissionRun]
) -> None:
    assert bounded(wide(3)).status == "succeeded"
    told = bounded(wide(5))
    assert told.error is not None
    assert (told.status, told.error.code) == ("failed", "not-yet")
    assert "4 MiB" in told.error.message
    assert status_of(session, told.submission.statement_id) == ("failed", "not-yet")
    assert bounded("SELECT repeat('a', 5000000) AS v").status == "failed"
    assert bounded("SHOW TABLES").status == "succeeded"


def test_the_oldest_results_are_given_up_for_later_ones(
    bounded: Callable[..., SubmissionRun],
) -> None:
    first, second, third = (bounded(wide(2)) for _ in range(3))
    for kept_one in (second, third):
        assert kept_one.pages is not None
        assert len(kept_one.pages.json(0)) > 1_000_000
    assert first.pages is not None
    with pytest.raises(Gone, match="for those of later statements"):
        first.pages.json(0)


def test_a_full_disk_is_told_as_such(bounded: Callable[..., SubmissionRun]) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, before[1]))
    try:
        told = bounded(wide(3))
        small = bounded("SELECT 1 AS one")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert told.error is not None
    assert (told.status, told.error.code) == ("failed", "file-refused")
    assert "/" not in told.error.message
    assert small.status == "succeeded"
    assert bounded(wide(3)).status == "succeeded"


def test_what_does_not_hear_a_cancel_is_answered(client: httpx.Client) -> None:
    began = time.monotonic()
    told = run(client, DOUBLED, timeout_seconds=1, wait_seconds=60)
    assert (told["status"], told["error"]["code"]) == ("cancelled", "statement-cancelled")
    assert time.monotonic() - began < 10
    assert run(client, "SELECT 1", wait_seconds=60)["data"] == [[1]]


@pytest.mark.slow
def test_a_write_that_was_told_as_cancelled_is_never_kept(
    session: Session, client: httpx.Client
) -> None:
    statement_id = str(uuid.uuid4())
    text = f"INSERT INTO t (id) {DOUBLED}"
    told = run(client, text, statement_id=statement_id, timeout_seconds=1, wait_seconds=60)
    assert told["status"] == "cancelled"
    wait_until(lambda: any(each.statement_id == statement_id for each in session.history()), 120)
    assert status_of(session, statement_id)[0] == "cancelled"
    assert session.sql("SELECT count(*) FROM t").fetchall() == [(1,)]


@pytest.mark.slow
def test_tasks_that_hear_no_cancel_are_noticed(session: Session) -> None:
    noticed, is_free = threading.Event(), threading.Event()
    slots = TaskSlots(session.spark, on_free=is_free.set, on_stuck=noticed.set, grace=1.0)
    pool = slots.take()
    assert pool is not None
    own = session.spark.newSession()
    jobs = Jobs(own, str(uuid.uuid4()), pool)
    # one call of Java that looks at no interrupt
    deaf = (
        "SELECT levenshtein(repeat('ab', 20000), repeat(cast(id AS STRING), 40000)) FROM range(1)"
    )

    def work() -> None:
        with pytest.raises(StatementCancelled), jobs.of("deaf"):
            own.sql(deaf).collect()

    thread = threading.Thread(target=work)
    thread.start()
    time.sleep(2)
    jobs.cancel()
    thread.join(10)
    assert not thread.is_alive()
    slots.give_back(pool)
    assert not is_free.is_set()
    assert noticed.wait(30)
    assert slots.stuck_tasks == 1
    # this one ends at last
    assert is_free.wait(120)
    assert slots.stuck_tasks == 0
    slots.close()


def statements_of(
    session: Session, folder: Path, slots: TaskSlots, before: Callable[[], object] = bool
) -> Statements:
    def open_session(key: KeyRecord, pool: str) -> Session:
        before()
        return open_guest(session, key.name, (), key_id=key.key_id, pool=pool)

    return Statements(open_session, session._core.database, str(folder), slots)


def test_a_wait_for_java_is_noticed_and_keeps_no_server_from_its_end(
    session: Session, tmp_path: Path
) -> None:
    key, _ = create_key(session._core.database, "ann")
    noticed = threading.Event()
    slots = TaskSlots(session.spark, on_stuck=noticed.set, grace=0.5)
    # as a planner that hears no cancel
    sleep = session.spark._jvm.java.lang.Thread.sleep
    statements = statements_of(session, tmp_path, slots, lambda: sleep(10_000))
    submitted = statements.submit(Submission(str(uuid.uuid4()), "SELECT 1", timeout=0.5), key)
    wait_until(lambda: submitted.is_done, 9)
    assert submitted.status == "cancelled"
    # it is listed, and counted, for as long as it has a thread
    assert statements._under_way() == [submitted]
    assert statements.counts()["running"] == 1
    assert noticed.wait(5)
    job = submitted.job
    assert job is not None
    began = time.monotonic()
    statements.close()
    assert time.monotonic() - began < 2
    assert job.is_alive()
    job.join(60)
    assert statements.counts()["running"] == 0


def test_what_icemelt_itself_reads_for_long_ends_no_spark(session: Session, tmp_path: Path) -> None:
    key, _ = create_key(session._core.database, "ann")
    noticed = threading.Event()
    slots = TaskSlots(session.spark, on_stuck=noticed.set, grace=0.01)
    statements = statements_of(session, tmp_path, slots)
    submitted = statements.submit(Submission(str(uuid.uuid4()), SUM), key)
    wait_until(lambda: submitted.started is not None, 60)
    time.sleep(0.2)
    statements.cancel(submitted)
    wait_until(lambda: submitted.job is None, 300)
    assert submitted.status in {"cancelled", "failed"}
    assert not noticed.is_set()
    statements.close()


def test_a_key_has_few_long_texts_read_at_once(session: Session, tmp_path: Path) -> None:
    key, _ = create_key(session._core.database, "ann")
    other, _ = create_key(session._core.database, "bob")
    statements = statements_of(session, tmp_path, TaskSlots(session.spark))
    long = "SELECT 1 -- " + "x" * LONG_TEXT
    with ThreadPoolExecutor(8) as pool, wait_for_turn(long):
        first = [
            pool.submit(statements.submit, Submission(str(uuid.uuid4()), long), key)
            for _ in range(2)
        ]
        wait_until(lambda: statements._long_texts._read._counts[key.key_id] == 2, 30)
        with pytest.raises(Busy, match="long statements"):
            statements.submit(Submission(str(uuid.uuid4()), long), key)
        # neither a short text nor another key waits for them
        short = statements.submit(Submission(str(uuid.uuid4()), "SELECT 1"), key)
        theirs = pool.submit(statements.submit, Submission(str(uuid.uuid4()), long), other)
        wait_until(lambda: short.is_done, 60)
        assert short.status == "succeeded"
    submitted = [*(each.result() for each in first), theirs.result()]
    wait_until(lambda: all(each.is_done for each in submitted), 60)
    assert {each.status for each in submitted} == {"succeeded"}
    statements.close()


def test_what_waits_goes_on_waiting_while_the_machine_has_no_thread(
    session: Session, tmp_path: Path
) -> None:
    statements = statements_of(session, tmp_path, TaskSlots(session.spark))
    key = KeyRecord("k", "ann", 0)
    with contextlib.ExitStack() as machine:
        # the end of the block begins the statements
        with statements.hold():
            texts = [f"SELECT {number}" for number in range(3)]
            submissions = [Submission(str(uuid.uuid4()), text) for text in texts]
            waiting = [statements.submit(submission, key) for submission in submissions]
            machine.enter_context(no_more_threads())
        time.sleep(1.5)
        assert [each.status for each in waiting] == ["waiting"] * 3
        with pytest.raises(NoThreads):
            statements.submit(Submission(str(uuid.uuid4()), "SELECT 4"), key)
    wait_until(lambda: all(each.is_done for each in waiting), 60)
    assert [each.status for each in waiting] == ["succeeded"] * 3
    statements.close()


def test_no_keys_together_keep_another_from_submitting(session: Session, tmp_path: Path) -> None:
    statements = statements_of(session, tmp_path, TaskSlots(session.spark))
    statements.limits = StatementLimits(waiting=4, by_key=True)
    keys = [KeyRecord(name, name, 0) for name in ("ann", "bob", "cay")]

    def submit(key: KeyRecord) -> SubmissionRun:
        return statements.submit(Submission(str(uuid.uuid4()), "SELECT 1"), key)

    with statements.hold():
        submitted = [submit(key) for key in keys[:2] for _ in range(2)]
        submitted.append(submit(keys[2]))
        for key in keys:
            with pytest.raises(Busy):
                submit(key)
    wait_until(lambda: all(each.is_done for each in submitted), 60)
    assert {each.status for each in submitted} == {"succeeded"}
    statements.close()
