"""Locks, lapses and frontiers in the registry alone, two connections at once, on both catalogs."""

from __future__ import annotations

import contextlib
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from conftest import DAY, TestClock, postgres_url, sqlite_url
from icemelt.catalog.activity_records import OpenTransactionRecord
from icemelt.catalog.database import Database, open_database
from icemelt.catalog.defined_records import PipeRecord, StageRecord
from icemelt.catalog.edits import (
    CommitRequest,
    MakeDefined,
    MakeStream,
    MakeTable,
    MoveFrontier,
    MovePointer,
    SourcePosition,
    StreamPosition,
    VersionStats,
)
from icemelt.catalog.open_transactions import (
    LockAcquired,
    LockHeld,
    abort_transaction,
    acquire_lock,
    find_lock_holder,
    list_locks,
    list_open_transactions,
    open_transaction,
    renew_transaction,
    repin_transaction,
)
from icemelt.catalog.outcomes import Ended, TableReserved
from icemelt.catalog.publishing import Outcome, Published, publish
from icemelt.catalog.queries.finding import find_streams, read_state
from icemelt.catalog.queries.reading import container
from icemelt.catalog.records import StreamRecord
from icemelt.catalog.reserving import reserve_tables
from icemelt.errors import TransactionEnded
from icemelt.names import QualifiedName
from icemelt.transactions.keeping import take_lock

SECONDS = 30
HOUR = 3_600_000
PATIENCE_SECONDS = 20
STREAMS = ("s", "r")


@dataclass
class Registry:
    """A registry with one table and two streams on it; each database is a connection of its own."""

    url: str
    folder: Path
    clock: TestClock
    databases: list[Database] = field(default_factory=list)

    def open(self) -> Database:
        database = open_database(self.url, str(self.folder), clock=self.clock)
        self.databases.append(database)
        return database

    def begin(self, database: Database) -> str:
        wanted = OpenTransactionRecord(str(uuid.uuid4()), "session", "tester", None, 0, 0, 0)
        return open_transaction(database, wanted, SECONDS)[0].transaction_id


@pytest.fixture(params=["sqlite", "postgres"])
def registry(
    request: pytest.FixtureRequest, tmp_path: Path, clock: TestClock
) -> Iterator[Registry]:
    url = sqlite_url(tmp_path)
    if request.param == "postgres":
        url = postgres_url(request.getfixturevalue("postgres_server"))
    made = Registry(url, tmp_path, clock)
    make_table_and_streams(made.open())
    yield made
    for database in made.databases:
        database.close()


def test_of_two_that_take_a_lock_at_once_one_has_it(registry: Registry) -> None:
    first, second = registry.open(), registry.open()
    stream = _stream(first)
    for _ in range(10):
        ids = [registry.begin(first), registry.begin(second)]
        taken = _at_once(
            lambda ids=ids: acquire_lock(first, stream.object_id, ids[0]),
            lambda ids=ids: acquire_lock(second, stream.object_id, ids[1]),
        )
        assert sorted(type(each).__name__ for each in taken) == ["LockAcquired", "LockHeld"]
        for transaction_id in ids:
            abort_transaction(first, transaction_id, "tester")


def test_of_those_that_wait_for_a_lock_the_oldest_has_it_next(registry: Registry) -> None:
    database = registry.open()
    stream_id = _stream(database).object_id
    holding, older, younger = (registry.begin(database) for _ in range(3))
    assert isinstance(acquire_lock(database, stream_id, holding), LockAcquired)
    assert isinstance(acquire_lock(database, stream_id, younger), LockHeld)
    assert isinstance(acquire_lock(database, stream_id, older), LockHeld)
    abort_transaction(database, holding, "tester")
    refused = acquire_lock(database, stream_id, younger)
    assert isinstance(refused, LockHeld)
    assert (refused.by.transaction_id, refused.is_cycle) == (older, False)
    assert isinstance(acquire_lock(database, stream_id, older), LockAcquired)
    abort_transaction(database, older, "tester")
    assert isinstance(acquire_lock(database, stream_id, younger), LockAcquired)


def test_a_cycle_is_found_by_one_of_two_that_begin_to_wait_at_once(registry: Registry) -> None:
    first, second = registry.open(), registry.open()
    streams = [_stream(first, name).object_id for name in STREAMS]
    for _ in range(10):
        ids = [registry.begin(first), registry.begin(second)]
        assert isinstance(acquire_lock(first, streams[0], ids[0]), LockAcquired)
        assert isinstance(acquire_lock(second, streams[1], ids[1]), LockAcquired)
        waiting = _at_once(
            lambda ids=ids: acquire_lock(first, streams[1], ids[0]),
            lambda ids=ids: acquire_lock(second, streams[0], ids[1]),
        )
        assert sorted(each.is_cycle for each in waiting if isinstance(each, LockHeld)) == [
            False,
            True,
        ]
        for transaction_id in ids:
            abort_transaction(first, transaction_id, "tester")


def test_a_transaction_that_begins_during_a_move_finds_its_frontier(registry: Registry) -> None:
    first, second = registry.open(), registry.open()
    _move(first)
    wanted = OpenTransactionRecord(str(uuid.uuid4()), "session", "tester", None, 0, 0, 0)
    with _before_commit(first, lambda: open_transaction(second, wanted, SECONDS)) as begun:
        assert isinstance(_move(first), Published)
    _, moment = begun.result()
    with second.read() as connection:
        state = read_state(connection, second, [_name("s")], as_of=moment)
    assert state.streams[_name("s")].frontier.commit_number <= moment.commit_number


def test_a_transaction_that_is_being_published_is_not_aborted(registry: Registry) -> None:
    first, second = registry.open(), registry.open()
    transaction_id = registry.begin(first)
    taken = acquire_lock(first, _stream(first).object_id, transaction_id)
    assert isinstance(taken, LockAcquired)
    with _before_commit(
        first, lambda: abort_transaction(second, transaction_id, "tester")
    ) as aborted:
        assert isinstance(_move(first, transaction_id, taken.token), Published)
    assert aborted.result() is None


def test_reservations_taken_at_once_do_not_fail(registry: Registry) -> None:
    first, second = registry.open(), registry.open()
    table_id = _stream(first).source.object_id
    for number in range(10):
        registry.clock.set(registry.clock.time + 60_000)
        taken = _at_once(
            lambda n=number: reserve_tables(first, [table_id], f"a{n}"),
            lambda n=number: reserve_tables(second, [table_id], f"b{n}"),
        )
        assert sorted(taken) == [False, True]


def test_a_lapsed_holder_can_do_nothing_and_is_removed(registry: Registry) -> None:
    database = registry.open()
    stream_id = _stream(database).object_id
    lapsed = registry.begin(database)
    taken = acquire_lock(database, stream_id, lapsed)
    assert isinstance(taken, LockAcquired)
    registry.clock.set(registry.clock.time + SECONDS * 2000)
    assert not renew_transaction(database, lapsed, SECONDS)
    assert _move(database, lapsed, taken.token) == Ended(None)
    assert acquire_lock(database, stream_id, lapsed) == Ended(None)
    with database.read() as connection:
        assert find_lock_holder(connection, database.clock(connection), stream_id) is None
    following = registry.begin(database)
    with database.read() as connection:
        assert [each.transaction_id for each in list_open_transactions(connection)] == [following]
        assert list_locks(connection) == []
    for _ in range(3):
        _move(database)
    assert _moves(database) == [0, 1, 2, 3]
    repin_transaction(database, following)
    _move(database)
    assert _moves(database) == [3, 4]


def test_a_waiter_that_is_aborted_waits_no_more(registry: Registry) -> None:
    first, second = registry.open(), registry.open()
    stream_id = _stream(first).object_id
    holding, waiting = registry.begin(first), registry.begin(second)
    assert isinstance(acquire_lock(first, stream_id, holding), LockAcquired)
    with ThreadPoolExecutor(1) as pool:
        taking = pool.submit(take_lock, second, stream_id, waiting, PATIENCE_SECONDS)
        while _open(first)[waiting].waits_for is None:
            time.sleep(0.01)
        assert abort_transaction(first, waiting, "somebody") is not None
        with pytest.raises(TransactionEnded, match="aborted by 'somebody'"):
            taking.result(PATIENCE_SECONDS / 4)
    with first.read() as connection:
        assert (
            find_lock_holder(connection, first.clock(connection), stream_id)
            == _open(first)[holding]
        )


def test_a_clock_set_back_lets_nobody_live_longer(registry: Registry) -> None:
    database = registry.open()
    stream_id = _stream(database).object_id
    dead, living = registry.begin(database), registry.begin(database)
    assert isinstance(acquire_lock(database, stream_id, dead), LockAcquired)
    registry.clock.set(DAY - HOUR)
    waiting = registry.begin(database)
    held = acquire_lock(database, stream_id, waiting)
    assert isinstance(held, LockHeld)
    assert held.by.transaction_id == dead
    registry.clock.set(DAY - HOUR + SECONDS * 500)
    assert all(renew_transaction(database, each, SECONDS) for each in (living, waiting))
    registry.clock.set(DAY - HOUR + SECONDS * 1000 + 100)
    assert isinstance(acquire_lock(database, stream_id, waiting), LockAcquired)
    assert acquire_lock(database, stream_id, dead) == Ended(None)
    assert renew_transaction(database, living, SECONDS)


def test_a_clock_set_back_keeps_no_reservation(registry: Registry) -> None:
    database = registry.open()
    stream = _stream(database)
    reserve_tables(database, [stream.source.object_id], "dead")
    known = stream.source.known_location
    write = MovePointer(stream.source.object_id, known, "t/second", VersionStats(None, "INSERT"))
    commit = CommitRequest(str(uuid.uuid4()), "session", "tester", (write,))
    assert isinstance(publish(database, commit), TableReserved)
    registry.clock.set(DAY - HOUR)
    assert isinstance(publish(database, commit), Published)


def test_a_statement_that_locked_one_stream_may_move_another(registry: Registry) -> None:
    database = registry.open()
    transaction_id = registry.begin(database)
    streams = [_stream(database, name) for name in STREAMS]
    taken = acquire_lock(database, streams[0].object_id, transaction_id)
    assert isinstance(taken, LockAcquired)
    tokens = {streams[0].object_id: taken.token}
    edits = tuple(_edit(database, stream) for stream in streams)
    commit = CommitRequest(transaction_id, "session", "tester", edits, tokens=tokens)
    assert isinstance(publish(database, commit), Published)


@contextlib.contextmanager
def _before_commit(database: Database, work: Callable[[], Any]) -> Iterator[Future[Any]]:
    """Start work in a thread when the next write transaction is about to commit."""
    done: Future[Any] = Future()

    def run() -> None:
        done.set_result(work())

    thread = threading.Thread(target=run)

    def start(connection: sa.Connection) -> None:
        writes = connection.get_execution_options().get("icemelt_write", False)
        if writes and thread.ident is None:
            thread.start()
            thread.join(0.3)

    sa.event.listen(database.engine, "commit", start)
    yield done
    sa.event.remove(database.engine, "commit", start)
    thread.join()


def _at_once(*work: Callable[[], Any]) -> list[Any]:
    start = threading.Barrier(len(work))

    def run(each: Callable[[], Any]) -> Any:
        start.wait()
        return each()

    with ThreadPoolExecutor(len(work)) as pool:
        return list(pool.map(run, work))


def _move(database: Database, transaction_id: str = "", token: int = 0) -> Outcome:
    stream = _stream(database)
    tokens = {stream.object_id: token} if transaction_id else None
    edit = _edit(database, stream)
    identity = transaction_id or str(uuid.uuid4())
    return publish(database, CommitRequest(identity, "session", "tester", (edit,), tokens=tokens))


def _edit(database: Database, stream: StreamRecord) -> MoveFrontier:
    with database.read() as connection:
        last = database.read_lake(connection).last
    (source,) = stream.sources
    place = StreamPosition(
        (SourcePosition(source.record.object_id, source.version),), last.commit_number
    )
    return MoveFrontier(stream.object_id, stream.frontier.move_count, place)


def _moves(database: Database) -> list[int]:
    with database.read() as connection:
        query = "SELECT move FROM icemelt_frontiers WHERE stream_id = :id ORDER BY move"
        rows = connection.execute(sa.text(query), {"id": _stream(database).object_id})
        return [row[0] for row in rows]


def _open(database: Database) -> dict[str, OpenTransactionRecord]:
    with database.read() as connection:
        return {each.transaction_id: each for each in list_open_transactions(connection)}


def _name(name: str) -> QualifiedName:
    return QualifiedName("main", "public", name)


def _stream(database: Database, name: str = "s") -> StreamRecord:
    with database.read() as connection:
        found = find_streams(connection, database)
    return next(stream for stream in found if stream.name.name == name)


def make_table_and_streams(database: Database) -> None:
    """Make the table t with two streams, the table sink, and the stage landing."""
    with database.read() as connection:
        schema = container(connection, "main", "public")
    assert schema is not None
    tables = [
        MakeTable(
            object_id=str(uuid.uuid4()),
            parent_id=schema.object_id,
            name=_name(name),
            namespace="main.public",
            table_uuid=str(uuid.uuid4()),
            location=f"{name}/first",
            stats=VersionStats(None, "CREATE"),
        )
        for name in ("t", "sink", "piped")
    ]
    table_id = tables[0].object_id
    place = StreamPosition((SourcePosition(table_id, 1),), 1)
    streams = [
        MakeStream(str(uuid.uuid4()), schema.object_id, name, table_id, "table", "DEFAULT", place)
        for name in STREAMS
    ]
    definition = StageRecord("", _name("landing"), "", None, 0, has_directory=True).definition
    stage = MakeDefined(str(uuid.uuid4()), schema.object_id, "stage", "landing", definition)
    of_pipe = PipeRecord(
        "", _name("p"), "", None, 0, "COPY INTO piped FROM '/in'", (), ""
    ).definition
    pipe = MakeDefined(str(uuid.uuid4()), schema.object_id, "pipe", "p", of_pipe)
    for edit in (*tables, *streams, stage, pipe):
        publish(database, CommitRequest(str(uuid.uuid4()), "session", "tester", (edit,)))
