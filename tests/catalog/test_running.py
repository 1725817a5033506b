"""What servers tell the registry of their statements, on both kinds of catalogs."""

from __future__ import annotations

import threading
from concurrent.futures import Future

import pytest
import sqlalchemy as sa

from conftest import TestClock
from icemelt.catalog.activity_records import KeyRecord
from icemelt.catalog.database import Database
from icemelt.catalog.keys import create_key, list_keys, revoke_key
from icemelt.catalog.running import (
    RunningStatement,
    find_cancellations,
    list_running,
    report_running,
    request_cancel,
)
from icemelt.errors import ObjectExists

MINUTE = 60_000


@pytest.fixture
def database(registry: Database) -> Database:
    return registry


def statement(statement_id: str, key_id: str = "k", **more: object) -> RunningStatement:
    return RunningStatement(statement_id, key_id, "ann", "SELECT 1", 1, **more)  # type: ignore[arg-type]


def wishes(database: Database, server: str, *key_ids: str) -> tuple[set[str], set[str]]:
    with database.read() as connection:
        found = find_cancellations(connection, server, key_ids)
    return set(found.statement_ids), set(found.revoked)


def test_each_server_is_asked_for_its_own(database: Database) -> None:
    report_running(database, "one", [statement("a"), statement("b", started_at=2)])
    report_running(database, "two", [statement("c")])
    assert [(s.statement_id, s.status) for s in list_running(database)] == [
        ("a", "waiting"),
        ("b", "running"),
        ("c", "waiting"),
    ]
    assert request_cancel(database, "b")
    assert not request_cancel(database, "x")
    assert wishes(database, "one", "k") == ({"b"}, set())
    assert wishes(database, "two", "k") == (set(), set())
    # what was asked stays when the server tells the next
    report_running(database, "one", [statement("b", started_at=2), statement("d")])
    assert [(s.statement_id, s.status) for s in list_running(database)][:2] == [
        ("b", "cancelling"),
        ("c", "waiting"),
    ]
    report_running(database, "one", [])
    assert [s.statement_id for s in list_running(database)] == ["c"]


def test_a_server_that_was_killed_is_believed_for_a_minute(
    database: Database, clock: TestClock
) -> None:
    report_running(database, "one", [statement("a")])
    clock.set(clock.time + 2 * MINUTE)
    assert list_running(database) == []
    assert not request_cancel(database, "a")
    report_running(database, "two", [statement("b")])
    clock.set(clock.time - 2 * MINUTE)
    assert [s.statement_id for s in list_running(database)] == ["b"]


def test_keys_that_were_revoked_are_told(database: Database) -> None:
    first, _ = create_key(database, "first", 0.5)
    second, _ = create_key(database, "second")
    assert [key.statement_timeout for key in key_list_of(database)] == [0.5, None]
    assert revoke_key(database, first.key_id)
    assert wishes(database, "one", first.key_id, second.key_id) == (set(), {first.key_id})
    assert wishes(database, "one", second.key_id, "everybody") == (set(), set())


def key_list_of(database: Database) -> list[KeyRecord]:
    with database.read() as connection:
        return list_keys(connection)


def test_a_name_is_of_one_key_in_force(database: Database) -> None:
    first, _ = create_key(database, "ann")
    with pytest.raises(ObjectExists, match="ann"):
        create_key(database, "ann")
    assert revoke_key(database, first.key_id)
    create_key(database, "ann")


@pytest.mark.parametrize("moment", ["before the list is written", "before the list is committed"])
def test_a_cancel_requested_while_a_server_writes_its_list_is_heard(
    database: Database, moment: str
) -> None:
    report_running(database, "one", [statement("a"), statement("b")])
    requested: Future[bool] = Future()

    def request() -> None:
        requested.set_result(request_cancel(database, "a"))

    thread = threading.Thread(target=request)

    def start(*_: object) -> None:
        if thread.ident is None:
            thread.start()
            # on SQLite the request waits for the list
            thread.join(0.3)

    def start_at_write(_connection: object, _cursor: object, text: str, *_: object) -> None:
        if not text.startswith("SELECT") and "icemelt_running" in text:
            start()

    event, listener = {
        "before the list is written": ("before_cursor_execute", start_at_write),
        "before the list is committed": ("commit", start),
    }[moment]
    sa.event.listen(database.engine, event, listener)
    report_running(database, "one", [statement("a", started_at=2), statement("c")])
    sa.event.remove(database.engine, event, listener)
    thread.join()

    assert requested.result()
    assert wishes(database, "one") == ({"a"}, set())
    assert [(s.statement_id, s.status) for s in list_running(database)] == [
        ("a", "cancelling"),
        ("c", "waiting"),
    ]
