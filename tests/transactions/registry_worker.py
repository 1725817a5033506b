"""Workers on a registry alone that kill themselves: `python registry_worker.py URL WAREHOUSE`.

For each line of standard input, a JSON object with seeds and a time, it forks a worker per seed and
tells how they ended. A worker writes the source, clones it, consumes the stream, locks it, rolls
back, lists the files of a stage, queues files for a pipe, loads them by it and without it. At the
step that its seed has chosen it says where it is, and kills itself: before or after an SQL
statement of a write transaction, before or after an edit, before COMMIT, and after it.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import random
import signal
import sys
import traceback
import uuid
from dataclasses import dataclass, field, replace
from typing import Any

import sqlalchemy as sa
from failpoints import at_edits, at_sql

from icemelt.catalog.activity_records import OpenTransactionRecord
from icemelt.catalog.clone_edits import ShareFiles
from icemelt.catalog.database import Database, open_database
from icemelt.catalog.edits import (
    AddLoads,
    CommitRequest,
    Edit,
    LoadQueuedFiles,
    MakeTable,
    MoveFrontier,
    MovePointer,
    QueueFiles,
    SourcePosition,
    StreamPosition,
    VersionStats,
)
from icemelt.catalog.listing_edits import RegisterFiles
from icemelt.catalog.listing_records import FileChange, ListedFile
from icemelt.catalog.load_records import LoadRecord
from icemelt.catalog.open_transactions import (
    LockAcquired,
    acquire_lock,
    close_transaction,
    open_transaction,
)
from icemelt.catalog.pipe_records import QueuedFile
from icemelt.catalog.publishing import Outcome, Published, publish
from icemelt.catalog.queries.finding import read_state
from icemelt.catalog.queries.listings import last_listing, listed_files_at
from icemelt.catalog.queries.loads import list_loads, load_history
from icemelt.catalog.queries.pipes import read_queue
from icemelt.catalog.queries.reading import container
from icemelt.catalog.records import Moment, TableRecord
from icemelt.errors import LockTimeout, TransactionEnded
from icemelt.names import QualifiedName
from icemelt.transactions.keeping import LEASE_SECONDS, hold_locks
from icemelt.transactions.pending import Author

ACTIONS = 8
# an action takes some forty steps
LATEST_STEP = 260
SOURCE, SINK, STREAM, STAGE, PIPED, PIPE = (
    QualifiedName("main", "public", name) for name in ("t", "sink", "s", "landing", "piped", "p")
)
FILES = [f"{name}.csv" for name in "abcdefgh"]
AUTHOR = Author("session", "tester", lock_timeout=0.1)


@dataclass
class Clock:
    """A clock that stands, but for a millisecond at each reading."""

    time: int
    ticks: itertools.count[int] = field(default_factory=itertools.count)

    def __call__(self, _connection: sa.Connection) -> int:
        return self.time + next(self.ticks)


@dataclass
class Worker:
    """One process, on its way to the step where it ends."""

    database: Database
    choose: random.Random
    steps_left: int
    action: str = ""

    def work(self) -> None:
        """Do random actions."""
        at_sql(self.database.engine, self._step)
        at_edits(self._step)
        actions = (
            *(self.write, self.consume, self.consume, self.locked_consume, self.transaction),
            *(
                self.list_files,
                self.queue_files,
                self.load_queued,
                self.load_queued,
                self.copy_file,
                self.clone,
            ),
        )
        for _ in range(ACTIONS):
            chosen = self.choose.choice(actions)
            self.action = chosen.__name__
            with contextlib.suppress(LockTimeout, TransactionEnded):
                chosen()

    def write(self) -> None:
        """Write the source."""
        with self.database.read() as connection:
            table = read_state(connection, self.database, [SOURCE]).tables[SOURCE]
        rows = self.choose.randint(1, 9)
        location = f"{table.object_id}/{uuid.uuid4()}"
        stats = VersionStats(None, "INSERT", inserted=rows)
        self._publish(
            str(uuid.uuid4()),
            (MovePointer(table.object_id, table.known_location, location, stats),),
        )

    def clone(self) -> None:
        """Clone the source, whose pointer moves where it was not shared before."""
        with self.database.read() as connection:
            table = read_state(connection, self.database, [SOURCE]).tables[SOURCE]
            schema = container(connection, SOURCE.database, SOURCE.schema)
        assert schema is not None
        clone_id, kept = str(uuid.uuid4()), f"{table.object_id}/{uuid.uuid4()}"
        name = QualifiedName(SOURCE.database, SOURCE.schema, f"c{clone_id}")
        source = (table.object_id, table.known_location, kept, "/t")
        stats = VersionStats(None, "CLONE")
        made = MakeTable(
            clone_id, schema.object_id, name, name.namespace, clone_id, f"/{clone_id}", stats
        )
        self._publish(str(uuid.uuid4()), (ShareFiles(*source, clone_id, f"/{clone_id}"), made))

    def consume(self) -> None:
        """Consume the stream by a statement by itself."""
        self._publish(str(uuid.uuid4()), self._edits(None))

    def locked_consume(self) -> None:
        """Consume the stream as a statement does that has lost several races."""
        transaction_id = str(uuid.uuid4())
        with hold_locks(self.database, [self._stream_id()], AUTHOR, transaction_id) as tokens:
            self._publish(transaction_id, self._edits(None), tokens)

    def transaction(self) -> None:
        """Consume the stream in a transaction of many statements, or roll it back."""
        wanted = OpenTransactionRecord(str(uuid.uuid4()), "session", "tester", None, 0, 0, 0)
        record, moment = open_transaction(self.database, wanted, LEASE_SECONDS)
        stream_id = self._stream_id()
        taken = acquire_lock(self.database, stream_id, record.transaction_id)
        if isinstance(taken, LockAcquired) and self.choose.random() < 0.7:
            tokens = {stream_id: taken.token}
            outcome = self._publish(record.transaction_id, self._edits(moment), tokens)
            if isinstance(outcome, Published):
                return
        with self.database.write() as connection:
            close_transaction(connection, record.transaction_id)

    def list_files(self) -> None:
        """Register a listing of a stage that finds some files new, changed or gone."""
        with self.database.read() as connection:
            stage = read_state(connection, self.database, [STAGE]).objects[STAGE]
            base = last_listing(connection, stage.object_id)
            known = {each.path: each for each in listed_files_at(connection, stage.object_id, base)}
        found = {path: self.choose.randint(0, 3) for path in self.choose.sample(FILES, 4)}
        self._publish(
            str(uuid.uuid4()),
            (
                RegisterFiles(
                    stage.object_id,
                    base,
                    tuple(_file(path, size) for path, size in found.items() if path not in known),
                    tuple(
                        FileChange(
                            known[path], replace(_file(path, size), added_in=known[path].added_in)
                        )
                        for path, size in found.items()
                        if path in known and known[path].size != size
                    ),
                    tuple(file for path, file in known.items() if path not in found),
                ),
            ),
        )

    def queue_files(self) -> None:
        """Queue the files of the next numbers for a pipe."""
        with self.database.read() as connection:
            state = read_state(connection, self.database, [PIPED, PIPE])
            pipe_id = state.objects[PIPE].object_id
            numbers = [int(file.name) for file in read_queue(connection, pipe_id)]
            listed = list_loads(connection, [state.tables[PIPED]], state.moment, is_past=False)
            numbers += [int(each.load.path) for each in listed]
        first = max(numbers, default=0) + 1
        names = map(str, range(first, first + self.choose.randint(1, 3)))
        files = tuple(QueuedFile(name, name, 1, 1) for name in names)
        self._publish(str(uuid.uuid4()), (QueueFiles(pipe_id, files),))

    def load_queued(self) -> None:
        """Load a batch of the queue, without the files that were loaded meanwhile."""
        with self.database.read() as connection:
            state = read_state(connection, self.database, [PIPED, PIPE])
            pipe_id, table = state.objects[PIPE].object_id, state.tables[PIPED]
            batch = read_queue(connection, pipe_id)[:3]
            known = load_history(connection, table.object_id, [file.path for file in batch])
        loads = tuple(_load(file) for file in batch if file.path not in known)
        taken = LoadQueuedFiles(pipe_id, table.object_id, tuple(batch), loads)
        self._publish(str(uuid.uuid4()), (*self._piped(table, loads), taken))

    def copy_file(self) -> None:
        """Load a file of the queue as COPY INTO does, which knows of no queue."""
        with self.database.read() as connection:
            state = read_state(connection, self.database, [PIPED, PIPE])
            table = state.tables[PIPED]
            file = next(iter(read_queue(connection, state.objects[PIPE].object_id)), None)
            if file is None or load_history(connection, table.object_id, [file.path]):
                return
        loads = (_load(file),)
        edits = (*self._piped(table, loads), AddLoads(table.object_id, loads))
        self._publish(str(uuid.uuid4()), edits)

    def _piped(self, table: TableRecord, loads: tuple[LoadRecord, ...]) -> tuple[Edit, ...]:
        """Return the write of the rows of loaded files, one of each."""
        if not loads:
            return ()
        stats = VersionStats(None, "COPY", inserted=len(loads))
        location = f"piped/{uuid.uuid4()}"
        return (MovePointer(table.object_id, table.known_location, location, stats),)

    def _stream_id(self) -> str:
        with self.database.read() as connection:
            return read_state(connection, self.database, [STREAM]).streams[STREAM].object_id

    def _edits(self, moment: Moment | None) -> tuple[Edit, ...]:
        """Return the write of the sink, whose location says what it has taken, and the move."""
        names = [SINK, STREAM]
        with self.database.read() as connection:
            state = read_state(connection, self.database, names, as_of=moment)
        sink, stream = state.tables[SINK], state.streams[STREAM]
        start, end = stream.frontier.commit_number, state.moment.commit_number
        location = f"{start}-{end}/{uuid.uuid4()}"
        (source,) = stream.sources
        place = StreamPosition((SourcePosition(source.record.object_id, source.version),), end)
        return (
            MovePointer(
                sink.object_id, sink.known_location, location, VersionStats(None, "INSERT")
            ),
            MoveFrontier(stream.object_id, stream.frontier.move_count, place),
        )

    def _publish(
        self, transaction_id: str, edits: tuple[Edit, ...], tokens: dict[str, int] | None = None
    ) -> Outcome:
        commit = CommitRequest(transaction_id, "session", "tester", edits, tokens=tokens)
        return publish(self.database, commit)

    def _step(self, name: str) -> None:
        self.steps_left -= 1
        if self.steps_left == 0:
            _tell({"killed_at": f"{self.action}: {name}"})
            os.kill(os.getpid(), signal.SIGKILL)


def _load(file: QueuedFile) -> LoadRecord:
    return LoadRecord(file.path, file.size, file.modified_at, 1, 0, "LOADED")


def _file(path: str, size: int) -> ListedFile:
    return ListedFile(path, size, 0, "")


def _tell(value: dict[str, Any]) -> None:
    os.write(1, (json.dumps(value) + "\n").encode())


def _run(url: str, warehouse: str, seed: str, time: int) -> None:
    choose = random.Random(seed)  # noqa: S311 - chance is what is wanted
    database = open_database(url, warehouse, clock=Clock(time))
    Worker(database, choose, choose.randint(1, LATEST_STEP)).work()


def _fork(url: str, warehouse: str, seed: str, time: int) -> int:
    process_id = os.fork()
    if process_id == 0:
        status = 1
        try:
            _run(url, warehouse, seed, time)
            status = 0
        except BaseException:  # noqa: BLE001 - the server is told by the exit code
            traceback.print_exc()
        os._exit(status)
    return process_id


def main(url: str, warehouse: str) -> None:
    """Fork workers until standard input ends."""
    for line in sys.stdin:
        job = json.loads(line)
        children = [_fork(url, warehouse, seed, job["time"]) for seed in job["seeds"]]
        ends = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
        _tell({"ends": ends})


if __name__ == "__main__":
    main(*sys.argv[1:])
