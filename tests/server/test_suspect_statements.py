"""Suspects wait for each other, and for no longer than some seconds."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from server.test_statements import LONG
from waiting import wait_until

from icemelt.catalog.activity_records import KeyRecord
from icemelt.catalog.keys import create_key
from icemelt.engine.slots import TaskSlots
from icemelt.server import running
from icemelt.server.running import Statements
from icemelt.server.submissions import Submission, SubmissionRun
from icemelt.session.hosting import open_guest
from icemelt.session.session import Session


@pytest.fixture
def statements(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Statements]:
    monkeypatch.setattr(running, "_SUSPECT_SECONDS", 1.0)
    monkeypatch.setattr(running, "_LOOK_SECONDS", 0.1)

    def open_session(key: KeyRecord, pool: str) -> Session:
        return open_guest(session, key.name, (), key_id=key.key_id, pool=pool)

    slots = TaskSlots(session.spark)
    statements = Statements(open_session, session._core.database, str(tmp_path), slots)
    yield statements
    statements.close()


@pytest.fixture
def keys(session: Session, statements: Statements) -> list[KeyRecord]:
    """Return two keys with two strikes each."""
    keys = [create_key(session._core.database, name)[0] for name in ("ann", "bob")]
    for _ in range(2):
        statements.strikes.judge(keys)
    return keys


def submit(statements: Statements, key: KeyRecord, text: str) -> SubmissionRun:
    return statements.submit(Submission(str(uuid.uuid4()), text), key)


def test_a_long_statement_of_a_suspect_ends_for_another_suspect(
    statements: Statements, keys: list[KeyRecord]
) -> None:
    ann, bob = keys
    long = submit(statements, ann, LONG)
    time.sleep(2)
    # nobody waits for its end
    assert long.status == "running"
    short = submit(statements, bob, "SELECT 1")
    wait_until(lambda: short.is_done, 60)
    assert (short.status, long.status) == ("succeeded", "cancelled")
    assert "another such key waits" in str(long.error)


def test_no_statement_of_a_suspect_runs_beside_rows_of_one(
    session: Session, statements: Statements, keys: list[KeyRecord]
) -> None:
    innocent, _ = create_key(session._core.database, "cay")
    long = submit(statements, keys[0], LONG)
    with statements.hold_suspects():
        assert long.status == "cancelled"
        waits = submit(statements, keys[1], "SELECT 1")
        runs = submit(statements, innocent, "SELECT 1")
        wait_until(lambda: runs.is_done, 60)
        assert waits.status == "waiting"
    wait_until(lambda: waits.is_done, 60)
    assert waits.status == "succeeded"


def test_rows_hold_statements_for_some_seconds(
    statements: Statements, keys: list[KeyRecord], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "_LONGEST_HOLD_SECONDS", 0.5)
    with statements.hold():
        held = submit(statements, keys[0], "SELECT 1")
        assert held.status == "waiting"
        wait_until(lambda: held.is_done, 60)
    assert held.status == "succeeded"
