"""Webhooks are delivered at least once, signed, and given up after a while; real HTTP servers."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
import webhook_victim
from receiver import Receiver, is_signed, receiving
from registered_tasks import RegisteredTasks
from waiting import wait_until

from conftest import TestClock
from icemelt.catalog.database import Database, system_clock
from icemelt.catalog.model import webhooks
from icemelt.catalog.queries.leftovers import prune_history
from icemelt.errors import ParameterError
from icemelt.observe.emitting import subscribe
from icemelt.observe.events import Event, WebhookEnded
from icemelt.session.tasks.webhooks import WebhookOptions, WebhookSender
from icemelt.tasks.events import ClaimGranted, RunClaimed, RunEnded, TaskExecuted
from icemelt.tasks.records import RunError
from icemelt.tasks.states import RunState

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
OTHER_SECRET = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
OPTIONS = WebhookOptions(
    secrets=SECRET, timeout_seconds=1, first_pause=0.1, longest_pause=0.4, look_seconds=0.05
)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as receiver:
        yield receiver


@pytest.fixture
def database(registry: Database) -> Database:
    return replace(registry, clock=system_clock)


@pytest.fixture
def tasks(database: Database) -> RegisteredTasks:
    return RegisteredTasks(database, int(time.time() * 1000))


def fail(tasks: RegisteredTasks, url: str) -> None:
    """Have the run of a task fail that tells the webhook of it."""
    if "load" not in tasks.ids:
        tasks.create("load", options={"ERROR_INTEGRATION": url}, condition="TRUE")
    end(tasks, "load", RunState.FAILED, RunError("query", "It went wrong: \0 \ud800 ü."))


def end(tasks: RegisteredTasks, root: str, state: RunState, error: RunError | None = None) -> None:
    tasks.now = max(tasks.now, int(time.time() * 1000))
    tasks.apply(root, TaskExecuted())
    run_task(tasks, root, root, state, error)


def run_task(
    tasks: RegisteredTasks, root: str, name: str, state: RunState, error: RunError | None = None
) -> None:
    run_id = tasks.state(root).active[-1].id
    claim = RunClaimed(run_id, name, "here", timedelta(minutes=5), "4f2e")
    granted = tasks.apply(root, claim)[-1]
    assert isinstance(granted, ClaimGranted)
    tasks.apply(root, RunEnded(run_id, name, granted.claim.token, state, error), milliseconds=250)


def rows(database: Database) -> list[Any]:
    with database.read() as connection:
        return list(connection.execute(sa.select(webhooks).order_by(webhooks.c.created_at)))


def is_over(database: Database) -> bool:
    return all(row.ended_at is not None for row in rows(database))


def send_all(database: Database, options: WebhookOptions = OPTIONS, seconds: float = 20) -> None:
    """Send webhooks until none is owed."""
    sender = WebhookSender(database, options)
    sender.start()
    try:
        wait_until(lambda: is_over(database), seconds)
    finally:
        assert sender.stop()


def test_a_failed_run_is_told_and_signed(
    tasks: RegisteredTasks, database: Database, receiver: Receiver
) -> None:
    fail(tasks, receiver.url)
    ended: list[Event] = []
    unsubscribe = subscribe(ended.append, WebhookEnded)
    send_all(database, replace(OPTIONS, secrets=f"{OTHER_SECRET} {SECRET}"))
    unsubscribe()
    [received] = receiver.received
    assert received.path == "/hooks?of=tests"
    assert received.headers["content-type"] == "application/json"
    assert is_signed(received, SECRET)
    assert is_signed(received, OTHER_SECRET)
    assert not is_signed(replace(received, body=received.body + b" "), SECRET)
    assert abs(int(received.headers["webhook-timestamp"]) - time.time()) < 60
    document = received.document
    [message] = document.pop("messages")
    assert document.pop("timestamp").endswith("Z")
    assert document == {
        "version": "1.0",
        "messageId": received.id,
        "messageType": "USER_TASK_FAILED",
        "accountName": "icemelt",
        "lakeId": database.lake_id,
        "taskName": "main.public.load",
        "taskId": tasks.ids["load"],
        "rootTaskName": "main.public.load",
        "rootTaskId": tasks.ids["load"],
    }
    times = [message.pop(name) for name in ("scheduledTime", "queryStartTime", "completedTime")]
    assert times == sorted(times)
    assert message.pop("runId") == times[0]
    assert message == {
        "graphRunGroupId": 1,
        "attemptNumber": 1,
        "scheduledFrom": "EXECUTE TASK",
        "queryId": "4f2e",
        "errorCode": "query",
        "errorMessage": "It went wrong: \0 \ud800 ü.",
    }
    assert ended == [WebhookEnded("main.public.load", "USER_TASK_FAILED", "127.0.0.1", 1)]


def test_a_graph_tells_each_failure_and_the_success_of_the_whole(
    tasks: RegisteredTasks, database: Database, receiver: Receiver
) -> None:
    both = {"ERROR_INTEGRATION": receiver.url, "SUCCESS_INTEGRATION": receiver.url}
    tasks.publish(
        tasks.make("root", options={**both, "TASK_AUTO_RETRY_ATTEMPTS": "1"}, condition="TRUE"),
        tasks.make("a", "root"),
        tasks.make("b", "root"),
    )
    end(tasks, "root", RunState.SUCCEEDED)
    error = RunError("query", "No.")
    run_task(tasks, "root", "a", RunState.FAILED, error)
    run_task(tasks, "root", "b", RunState.FAILED, error)
    # the second attempt
    run_task(tasks, "root", "a", RunState.SKIPPED)
    assert len(rows(database)) == 2
    run_task(tasks, "root", "b", RunState.SUCCEEDED)
    end(tasks, "root", RunState.SKIPPED)
    send_all(database)
    failed, succeeded = "USER_TASK_FAILED", "USER_TASK_SUCCEEDED"
    assert sorted(receiver.told) == [
        (failed, "main.public.a"),
        (failed, "main.public.b"),
        (succeeded, "main.public.root"),
    ]
    [success] = [each.document for each in receiver.received if succeeded in str(each.body)]
    # the root ran in the first attempt, and the graph ended after the second
    [message] = success["messages"]
    assert message["attemptNumber"] == 1
    assert message["errorCode"] is None
    assert message["completedTime"] > message["queryStartTime"]


def test_without_a_secret_there_is_no_signature(
    tasks: RegisteredTasks, database: Database, receiver: Receiver
) -> None:
    fail(tasks, receiver.url)
    send_all(database, replace(OPTIONS, secrets=None))
    assert "webhook-signature" not in receiver.received[0].headers


@pytest.mark.parametrize("secret", ["short", "whsec_dG9vIHNob3J0", f"{SECRET} no!base64", "ü"])
def test_a_bad_secret_is_refused_and_not_told(registry: Database, secret: str) -> None:
    with pytest.raises(ParameterError) as refused:
        WebhookSender(registry, WebhookOptions(secrets=secret))
    assert "openssl rand -base64 32" in str(refused.value)
    assert all(len(part) < 9 or part not in str(refused.value) for part in secret.split())
    assert secret not in repr(WebhookOptions(secrets=secret))


def test_what_fails_is_tried_again_under_its_id(
    tasks: RegisteredTasks, database: Database, receiver: Receiver
) -> None:
    receiver.answers = [500, 302, 404]
    # a redirect is not followed
    receiver.location = receiver.url + "&moved"
    fail(tasks, receiver.url)
    send_all(database)
    assert len(receiver.ids) == 4
    assert len({*receiver.ids}) == 1
    assert {received.path for received in receiver.received} == {"/hooks?of=tests"}
    assert all(is_signed(received, SECRET) for received in receiver.received)
    [row] = rows(database)
    assert (row.tries, row.next_at, row.last_error) == (4, None, None)


@pytest.mark.parametrize("answer", [0, -1])
def test_one_that_hangs_is_left_and_holds_up_nothing_for_long(
    tasks: RegisteredTasks, database: Database, receiver: Receiver, answer: int
) -> None:
    receiver.answers = [answer]
    began = time.monotonic()
    fail(tasks, receiver.url)
    fail(tasks, receiver.url)
    send_all(database)
    assert time.monotonic() - began < 10
    assert sorted(row.tries for row in rows(database)) == [1, 2]


def test_one_is_given_up_after_its_time_and_where_it_is_gone(
    tasks: RegisteredTasks, database: Database, receiver: Receiver
) -> None:
    ended: list[Event] = []
    unsubscribe = subscribe(ended.append, WebhookEnded)
    receiver.answers = [500] * 100
    fail(tasks, receiver.url)
    send_all(database, replace(OPTIONS, give_up_seconds=1))
    assert 2 < len(receiver.ids) < 30
    receiver.answers = [410]
    fail(tasks, receiver.url)
    send_all(database)
    unsubscribe()
    problems = [event.problem for event in ended if isinstance(event, WebhookEnded)]
    assert problems == ["status 500", "status 410"]
    assert [row.last_error for row in rows(database)] == problems


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:1/",
        "https://127.0.0.1:{port}/",
        "http://name.invalid/",
        "http://[::1/",
        "http://ü..example/",
    ],
)
def test_what_cannot_be_reached_breaks_nothing(
    tasks: RegisteredTasks, database: Database, receiver: Receiver, url: str
) -> None:
    port = receiver.url.split(":")[2].split("/")[0]
    fail(tasks, url.replace("{port}", port))
    send_all(database, replace(OPTIONS, give_up_seconds=0))
    [row] = rows(database)
    assert row.last_error


def test_proxies_and_passwords_of_the_environment_are_not_used(
    tasks: RegisteredTasks,
    database: Database,
    receiver: Receiver,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login ann password secret")
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    fail(tasks, receiver.url)
    send_all(database)
    assert "authorization" not in receiver.received[0].headers


def test_two_senders_send_each_once(
    tasks: RegisteredTasks, database: Database, receiver: Receiver
) -> None:
    for _ in range(20):
        fail(tasks, receiver.url)
    senders = [WebhookSender(database, replace(OPTIONS, at_once=3)) for _ in range(3)]
    for sender in senders:
        sender.start()
    wait_until(lambda: is_over(database), 30)
    assert all(sender.stop() for sender in senders)
    assert len(receiver.ids) == len({*receiver.ids}) == 20


def test_an_end_sends_what_is_owed(
    tasks: RegisteredTasks, database: Database, receiver: Receiver
) -> None:
    sender = WebhookSender(database, replace(OPTIONS, look_seconds=60))
    sender.start()
    time.sleep(0.3)
    fail(tasks, receiver.url)
    # the clock of these runs is a quarter of a second ahead
    time.sleep(0.3)
    assert receiver.ids == []
    assert sender.stop()
    assert len(receiver.ids) == 1


def test_an_end_waits_for_no_webhook_that_hangs(
    tasks: RegisteredTasks, database: Database, receiver: Receiver
) -> None:
    receiver.answers = [0, 0]
    fail(tasks, receiver.url)
    sender = WebhookSender(database, replace(OPTIONS, timeout_seconds=60))
    sender.start()
    wait_until(lambda: bool(receiver.ids), 10)
    # it is sent a last time, too
    fail(tasks, receiver.url)
    time.sleep(0.3)
    began = time.monotonic()
    assert sender.stop()
    assert time.monotonic() - began < 7
    assert [row.last_error for row in rows(database)] == ["no answer in time"] * 2


def test_a_sender_that_was_killed_while_it_sends_leaves_the_webhook_to_others(
    tasks: RegisteredTasks, database: Database, receiver: Receiver
) -> None:
    receiver.answers = [0]
    fail(tasks, receiver.url)
    url = database.engine.url.render_as_string(hide_password=False)
    command = [sys.executable, webhook_victim.__file__, url, database.warehouse]
    with subprocess.Popen(command) as victim:
        wait_until(lambda: bool(receiver.received), 30)
        victim.send_signal(signal.SIGKILL)
    assert not is_over(database)
    send_all(database)
    assert len(receiver.ids) == 2
    assert len({*receiver.ids}) == 1


def test_a_run_whose_end_is_rolled_back_tells_nothing(
    tasks: RegisteredTasks, database: Database, receiver: Receiver
) -> None:
    tasks.create("load", options={"SUCCESS_INTEGRATION": receiver.url}, condition="TRUE")
    tasks.apply("load", TaskExecuted())
    claim = RunClaimed(1, "load", "here", timedelta(minutes=5))
    tasks.apply("load", claim)
    late = RunEnded(1, "load", 99, RunState.SUCCEEDED)
    tasks.apply("load", late)
    assert rows(database) == []


def test_what_is_over_is_forgotten_with_the_history(
    registry: Database, clock: TestClock, receiver: Receiver
) -> None:
    tasks = RegisteredTasks(registry, clock.time)
    fail(tasks, receiver.url)
    fail(tasks, receiver.url)
    with registry.write() as connection:
        first = sa.select(sa.func.min(webhooks.c.webhook_id)).scalar_subquery()
        is_first = webhooks.c.webhook_id == first
        values = {"next_at": None, "ended_at": clock.time}
        connection.execute(webhooks.update().where(is_first).values(values))
    clock.set(clock.time + 400 * 86_400_000)
    prune_history(registry)
    # one that is owed stays
    [row] = rows(registry)
    assert row.ended_at is None
