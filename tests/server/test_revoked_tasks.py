"""Tasks of a server's guests end with the guest's key."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from server.guests import HostAndGuest, open_host_and_guest
from session.body_edits import MARK, make_edits
from session.task_contexts import context_of, find_task
from waiting import wait_until

from icemelt.catalog.keys import create_key, revoke_key
from icemelt.session.session import Session, core_of
from icemelt.session.tasks.authors import find_revocation
from icemelt.session.tasks.running import BodyOutcome, run_task_body
from icemelt.tasks.states import RunState

PATIENCE = 60
# a run's id is a part of the ids of its statements, each of which the history accepts once
RUN_IDS = itertools.count(1)
SLOW = "INSERT INTO t SELECT COUNT(*) FROM TABLE(GENERATOR(ROWCOUNT => 1000000000000))"
ENDED = "SELECT state, error_code FROM TABLE(INFORMATION_SCHEMA.TASK_HISTORY(TASK_NAME => '{}'))"


@pytest.fixture
def server(session: Session, tmp_path: Path) -> Iterator[HostAndGuest]:
    with open_host_and_guest(session, tmp_path) as opened:
        opened.host.sql(f"CREATE SCHEMA {MARK}")
        opened.host.sql("USE SCHEMA public")
        opened.host.sql("CREATE TABLE t (id INT)")
        yield opened


@pytest.fixture
def revoke(server: HostAndGuest) -> Callable[[], None]:
    """Make a key of the guest; calling the fixture's value revokes it."""
    database = core_of(server.host).database
    key, _ = create_key(database, "ann")

    def revoke_it() -> None:
        assert revoke_key(database, key.key_id)

    return revoke_it


def run(server: HostAndGuest, name: str) -> BodyOutcome:
    """Run the body of a task as a scheduler of the host does."""
    context = context_of(find_task(server.host, name), run_id=next(RUN_IDS))
    return run_task_body(core_of(server.host), context, make_edits(server.host))


def test_a_body_of_a_revoked_key_does_not_run(
    server: HostAndGuest, revoke: Callable[[], None]
) -> None:
    server.guest.sql("CREATE TASK own AS INSERT INTO t VALUES (1)")
    server.host.sql("CREATE TASK theirs AS INSERT INTO t VALUES (2)")
    assert run(server, "own").state is RunState.SUCCEEDED
    revoke()
    outcome = run(server, "own")
    assert (outcome.state, outcome.statement_id) == (RunState.FAILED, None)
    assert outcome.error is not None
    assert outcome.error.code == "key-revoked"
    assert "the key of client 'ann', who wrote it, is revoked" in outcome.error.message
    assert "MODIFY AS" in outcome.error.message
    assert run(server, "theirs").state is RunState.SUCCEEDED
    assert server.host.sql("SELECT id FROM t ORDER BY id").fetchall() == [(1,), (2,)]


def test_who_runs_the_server_takes_a_task_of_a_revoked_key_over(
    server: HostAndGuest, revoke: Callable[[], None]
) -> None:
    server.guest.sql("CREATE TASK one AS SELECT 1")
    server.guest.sql("CREATE TASK two AS SELECT 1")
    revoke()
    server.host.sql("ALTER TASK one MODIFY AS SELECT 2")
    server.host.sql("CREATE OR REPLACE TASK two AS SELECT 2")
    assert [run(server, name).state for name in ("one", "two")] == [RunState.SUCCEEDED] * 2


def test_a_new_key_of_the_same_name_has_the_tasks_run_again(
    server: HostAndGuest, revoke: Callable[[], None]
) -> None:
    server.guest.sql("CREATE TASK own AS SELECT 1")
    revoke()
    assert find_revocation(core_of(server.host).database, find_task(server.host, "own"))
    create_key(core_of(server.host).database, "ann")
    assert run(server, "own").state is RunState.SUCCEEDED


def test_a_body_that_runs_is_stopped_soon_after_its_key_is_revoked(
    server: HostAndGuest, revoke: Callable[[], None]
) -> None:
    server.guest.sql(f"CREATE TASK own AS {SLOW}")
    outcomes: list[tuple[BodyOutcome, float]] = []
    thread = threading.Thread(
        target=lambda: outcomes.append((run(server, "own"), time.monotonic()))
    )
    thread.start()
    tracker = server.host.spark.sparkContext.statusTracker()
    wait_until(lambda: bool(tracker.getActiveJobsIds()), PATIENCE)
    began = time.monotonic()
    revoke()
    thread.join(PATIENCE)
    [(outcome, ended)] = outcomes
    assert outcome.error is not None
    assert (outcome.state, outcome.error.code) == (RunState.FAILED, "key-revoked")
    # a look each second, and the time that Spark takes to cancel
    assert ended - began < 4
    assert server.host.sql("SELECT COUNT(*) FROM t").fetchall() == [(0,)]
    wait_until(lambda: "icemelt-author" not in {t.name for t in threading.enumerate()}, PATIENCE)


def test_a_scheduler_tells_that_the_key_is_revoked(
    server: HostAndGuest, revoke: Callable[[], None]
) -> None:
    server.guest.sql("CREATE TASK own AS INSERT INTO t VALUES (1)")
    server.guest.sql("EXECUTE TASK own")
    revoke()
    with server.host.scheduler(parallel=1):
        wait_until(
            lambda: server.host.sql(ENDED.format("own")).fetchall() == [("FAILED", "key-revoked")],
            PATIENCE,
        )
    assert server.host.sql("SELECT COUNT(*) FROM t").fetchall() == [(0,)]
