"""Publish what a transaction wrote: once, on the newest state, or not at all.

A publication is optimistic. A statement runs on the table's newest version and writes to a private
pointer in its workspace. Publishing swaps the registry's pointer only where the registry still has
the pointer of the statement's start. Where another transaction was first, the statement's net
change is applied again to the newer version (a rebase), and published again.

Statements A and B insert rows into table `t`, which has the metadata file `v7`:

| step                           | pointer of `t` | outcome                              |
|--------------------------------|----------------|--------------------------------------|
| A and B start                  | v7             |                                      |
| A and B write `a8` and `b8`    | v7             | private, in two workspaces           |
| B attempts: v7 → b8            | b8             | `Published`                          |
| A attempts: v7 → a8            | b8             | `TableChanged("t")`: no longer at v7 |
| A rebases its rows onto b8: a9 | b8             | private; both statements' rows       |
| A attempts: b8 → a9            | a9             | `Published`                          |

Where a rebase would not be sound (A and B updated rows of one file, say) the attempt ends with
`LostRaceError`. A lone statement then runs again on `b8` (`transaction.py`). An open transaction
cannot run its statements again: the transaction is rolled back with a `Conflict` (`open.py`).

The other outcomes of an attempt:

* `TableReserved`: wait for the end of the reservation, and attempt again.
* `StreamLocked`: an open transaction waits for the stream's lock, and attempts again. A lone
  statement ends with `LostRaceError`, and runs again with the lock.
* `PositionConflict`: a stream's frontier or a channel has moved; end with `LostRaceError`.
* `ListingOvertaken`, `QueueOvertaken`: another has listed the stage, or loaded files of the pipe;
  end with `LostRaceError`.
* `YieldedToTransaction`: OPTIMIZE waits until no transaction is open.
* `Ended`: raise `TransactionEnded`.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from icemelt.catalog.activity_records import OpenTransactionRecord, StatementRecord
from icemelt.catalog.database import Database
from icemelt.catalog.edits import CommitRequest, Edit, MoveFrontier, MovePointer
from icemelt.catalog.open_transactions import find_ending, find_lock_holder
from icemelt.catalog.publishing import (
    Ended,
    ListingOvertaken,
    Outcome,
    PositionConflict,
    Published,
    QueueOvertaken,
    StreamLocked,
    TableChanged,
    TableReserved,
    YieldedToTransaction,
    find_publication,
    publish,
)
from icemelt.catalog.queries.finding import stream_name
from icemelt.catalog.queries.retention import live_transactions
from icemelt.catalog.records import Moment
from icemelt.catalog.reserving import is_reserved, release_tables, reserve_tables
from icemelt.errors import CatalogError, CatalogUnavailable, Conflict, LockTimeout, TransactionEnded
from icemelt.observe.emitting import emit, tolerate
from icemelt.observe.events import (
    CatalogErrorTolerated,
    LockAwaited,
    PublishAttempted,
    ReservationAwaited,
    TableRebased,
    TransactionPublished,
)
from icemelt.tables.writes.rebase import RebaseStates, Refused, rebase_changes
from icemelt.transactions.collapsing import shorten_log
from icemelt.transactions.pending import OPTIMIZE, Author, TableWrite, never_cancelled
from icemelt.transactions.resolver import Resolver
from icemelt.transactions.restarts import retry_until_available
from icemelt.transactions.workspace import Workspace

__all__ = [
    "LostRaceError",
    "Publication",
    "make_ended_error",
    "require_unlocked",
    "wait_for_holder",
    "wait_for_lock",
]

# the holder may be in another process, and SQLite has no notifications: poll
_WAIT_SECONDS, _LONG_SECONDS = 0.02, 0.5
# the outcomes' names in events; None is for an error
_OUTCOMES: dict[type[object], str] = {
    Published: "published",
    TableChanged: "moved",
    TableReserved: "reserved",
    StreamLocked: "locked",
    PositionConflict: "overtaken",
    ListingOvertaken: "overtaken",
    QueueOvertaken: "overtaken",
    YieldedToTransaction: "gives-way",
    Ended: "ended",
    type(None): "failed",
}


class LostRaceError(Exception):
    """Another transaction was first, and the change cannot be applied to the newer state.

    Args:
        reason: why, as a clause for messages and events.
        write: the change of the table whose race was lost; None for a stream or a channel.
        stream_ids: the streams read by the transaction, where a stream was the reason.
        is_locked: whether another transaction holds a stream's lock and is about to consume.
        table_id: a table that was only read, whose race was lost; empty for none.
    """

    def __init__(
        self,
        reason: str,
        write: TableWrite | None = None,
        stream_ids: tuple[str, ...] = (),
        *,
        is_locked: bool = False,
        table_id: str = "",
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.write = write
        self.stream_ids = stream_ids
        self.is_locked = is_locked
        self.table_id = table_id if write is None else write.table.object_id


@dataclass(slots=True)
class Publication:
    """One transaction on its way to be published.

    Args:
        resolver: finds the newest state of a table.
        author: the session, the user and the lock timeout.
        workspace: the private pointers of the tables, where a rebase writes too.
        transaction_id: the id of the transaction in the history.
        writes: the changes of tables, none published yet.
        edits: further changes of the registry, such as moves of frontiers.
        statements: makes the records for the history, after the last attempt's work.
        tokens: the fencing tokens of an open transaction's locks, by stream id; None for a lone
            statement.
        is_reserved_by_caller: whether the caller has reserved the tables already.
    """

    resolver: Resolver
    author: Author
    workspace: Workspace
    transaction_id: str
    writes: list[TableWrite]
    edits: Sequence[Edit]
    statements: Callable[[], Sequence[StatementRecord]]
    tokens: dict[str, int] | None = None
    is_reserved_by_caller: bool = False
    _deadline: float = field(default=0.0)
    _has_reservation: bool = field(default=False)
    _attempts: int = field(default=0)

    def run(self) -> Moment:
        """Publish the transaction; wait for reservations of tables and for locks of streams.

        Raises:
            LostRaceError: a table or a frontier has changed, and the transaction has to run again.
            LockTimeout: another transaction held a stream's lock for longer than the lock timeout.
            Conflict: a table stayed reserved, or OPTIMIZE met an open transaction, for longer than
                the lock timeout.
            TransactionEnded: the open transaction was aborted, or its lease has expired.
            StatementCancelled: the statement was cancelled in a wait; nothing was published.
        """
        began = time.monotonic()
        self._deadline = began + self.author.lock_timeout
        self.writes = [shorten_log(self.resolver, write) for write in self.writes]
        try:
            moment = self._run()
        finally:
            self._release_reservation()
        if self.author.next_in_line is not None:
            self.author.next_in_line.leave()
        counts = (len(self.writes), len(self.edits), self._attempts)
        seconds = time.monotonic() - began
        emit(TransactionPublished(self.transaction_id, moment.commit_number, *counts, seconds))
        return moment

    def _run(self) -> Moment:
        """Attempt until published, with a rebase or a wait between attempts."""
        while True:
            match self._attempt():
                case Published(moment):
                    return moment
                case TableChanged(table_id):
                    self._reapply(table_id)
                case TableReserved():
                    self._wait_until_unreserved()
                case StreamLocked(stream_id):
                    if self.tokens is None:
                        reason = "the stream is locked"
                        raise LostRaceError(reason, stream_ids=self._stream_ids, is_locked=True)
                    began, database = time.monotonic(), self.resolver.database
                    check = self.author.raise_if_cancelled
                    wait_for_lock(database, stream_id, self._deadline, self.transaction_id, check)
                    waited = time.monotonic() - began
                    emit(LockAwaited(self.transaction_id, stream_id, waited))
                case PositionConflict() | ListingOvertaken() | QueueOvertaken() as overtaken:
                    raise self._lost_race(overtaken)
                case YieldedToTransaction(transaction_id, user):
                    self._yield_to(transaction_id, user)
                case Ended(by):
                    raise make_ended_error(by)

    def _lost_race(
        self, overtaken: PositionConflict | ListingOvertaken | QueueOvertaken
    ) -> LostRaceError:
        """Return the error about a position, a listing or a queue for which another was first."""
        if isinstance(overtaken, ListingOvertaken):
            return LostRaceError("the stage was listed or dropped meanwhile")
        if isinstance(overtaken, QueueOvertaken):
            return LostRaceError("files of the pipe were loaded, or it was dropped meanwhile")
        what = "stream was consumed, moved" if self._stream_ids else "channel was opened"
        return LostRaceError(f"the {what} or dropped meanwhile", stream_ids=self._stream_ids)

    @property
    def _stream_ids(self) -> tuple[str, ...]:
        return tuple(edit.stream_id for edit in self.edits if isinstance(edit, MoveFrontier))

    def _attempt(self) -> Outcome:
        """Try to publish once, emit an event with the outcome, and return the outcome."""
        began, outcome = time.monotonic(), None
        self._attempts += 1
        try:
            outcome = self._publish()
        finally:
            name, seconds = _OUTCOMES[type(outcome)], time.monotonic() - began
            emit(PublishAttempted(self.transaction_id, name, seconds))
        return outcome

    def _publish(self) -> Outcome:
        """Publish all writes and edits once; return the outcome, despite a lost reply to COMMIT."""
        database = self.resolver.database
        moves = [
            MovePointer(
                write.table.object_id,
                write.table.known_location,
                (write.rebased or write.mine).location,
                write.stats,
                yields=write.operation == OPTIMIZE,
            )
            for write in sorted(self.writes, key=lambda write: write.table.object_id)
        ]
        commit = CommitRequest(
            self.transaction_id,
            self.author.session_id,
            self.author.user,
            (*moves, *self.edits),
            tuple(
                replace(statement, transaction_id=self.transaction_id)
                for statement in self.statements()
            ),
            self.tokens,
        )
        try:
            return publish(database, commit)
        except CatalogUnavailable as error:
            # The reply to COMMIT may be lost while the commit is not: ask, never publish again.
            moment = self._find_publication()
            if moment is None:
                raise
            emit(CatalogErrorTolerated("hear that it published", error.code, error.message))
            return Published(moment)

    def _find_publication(self) -> Moment | None:
        """Return the moment of publication, None for an unpublished transaction.

        Wait for a database server that is restarting.
        """
        try:
            return retry_until_available(
                lambda: find_publication(self.resolver.database, self.transaction_id)
            )
        except CatalogUnavailable as error:
            raise CatalogUnavailable(
                f"{error.message} Whether transaction {self.transaction_id} was published is not "
                "known.",
                hint="When the database is back, see session.history(): run again what is not "
                "there as succeeded.",
            ) from error

    def _reapply(self, table_id: str) -> None:
        """Apply the transaction's change of a table again, to the newer state of the table."""
        if table_id not in self._table_ids:
            reason = "a table that it read and replaces, or clones, was changed"
            raise LostRaceError(reason, table_id=table_id)
        self._reserve_tables()
        self.writes = [
            self._rebase_write(write) if write.table.object_id == table_id else write
            for write in self.writes
        ]

    def _rebase_write(self, write: TableWrite) -> TableWrite:
        """Return a write, applied again to the newest state of its table.

        Raises:
            LostRaceError: the table was dropped, or the rebase would not be sound.
        """
        state = self.resolver.resolve([write.table.name])
        table = state.tables.get(write.table.name)
        if table is None or table.object_id != write.table.object_id:
            raise LostRaceError("the table was dropped or replaced", write)
        began, iceberg = time.monotonic(), self.resolver.iceberg
        theirs = iceberg.metadata(table.known_location)
        base, mine = write.base, write.mine
        if write.rebased is not None:
            # start from the last rebase: earlier states need no second look
            base, mine = iceberg.metadata(write.table.known_location), write.rebased
        states = RebaseStates(
            base, mine, theirs, write.needs_phantom_check, write.requires_whole_table
        )
        name = f"{table.object_id}-{uuid.uuid4().hex[:8]}"
        outcome = rebase_changes(iceberg, states, self.workspace.namespace, name)
        if isinstance(outcome, Refused):
            raise LostRaceError(outcome.reason, write)
        emit(TableRebased(self.transaction_id, write.name, time.monotonic() - began))
        return replace(write, table=table, rebased=outcome.metadata)

    def _reserve_tables(self) -> None:
        """Reserve the tables before the first rebase, so that no transaction starves.

        Other transactions wait with their publications until the end of the reservation. This
        transaction waits for the end of reservations by other transactions. A transaction with
        locks on streams does not wait, and goes on without a reservation: the holder of the other
        reservation may wait for these locks.
        """
        if self.is_reserved_by_caller or self._has_reservation:
            return
        database, me = self.resolver.database, self.transaction_id
        while not reserve_tables(database, self._table_ids, me, self.author.next_id):
            if self.tokens:
                return
            self._wait_until_unreserved()
        self._has_reservation = True

    def _release_reservation(self) -> None:
        """Release the reservation; where the database is away, the reservation expires."""
        if self._has_reservation:
            with tolerate(CatalogError, to="release the reservation of a table"):
                release_tables(self.resolver.database, self.transaction_id)
            self._has_reservation = False

    def _wait_until_unreserved(self) -> None:
        """Wait until no other transaction has reserved a table of this transaction."""
        began, database = time.monotonic(), self.resolver.database
        names = tuple(write.name for write in self.writes)
        if self.author.next_in_line is not None:
            self.author.next_in_line.take(self._table_ids)
        is_free = False
        try:
            while not is_free:
                self._wait()
                with database.read() as connection:
                    others = is_reserved(connection, database, self._table_ids, self.transaction_id)
                is_free = not others
        finally:
            waited = time.monotonic() - began
            emit(ReservationAwaited(self.transaction_id, names, waited))

    def _yield_to(self, transaction_id: str, user: str) -> None:
        """Wait until no open transaction is left, and hold no reservation meanwhile.

        Args:
            transaction_id: an open transaction.
            user: the user of the open transaction.
        """
        self._release_reservation()
        database = self.resolver.database
        while True:
            if self.is_reserved_by_caller or time.monotonic() > self._deadline:
                raise Conflict(
                    f"OPTIMIZE gives way to transaction {transaction_id} of {user!r}, "
                    "which is open.",
                    hint="Nothing was changed. Run it when that has ended, or "
                    f"SELECT SYSTEM$ABORT_TRANSACTION('{transaction_id}')",
                )
            self.author.raise_if_cancelled()
            time.sleep(_WAIT_SECONDS)
            with database.read() as connection:
                if not live_transactions(connection, database):
                    return

    @property
    def _table_ids(self) -> list[str]:
        return [write.table.object_id for write in self.writes]

    def _wait(self) -> None:
        """Sleep before the next look at a reservation.

        Raises:
            Conflict: the lock timeout is over.
            StatementCancelled: the statement was cancelled.
        """
        if time.monotonic() > self._deadline:
            names = ", ".join(write.name for write in self.writes)
            what = f"Table {names!r}" if names else "A table that it clones"
            raise Conflict(
                f"{what} stayed reserved by another transaction.",
                hint="Nothing was changed. Run the statement again, or raise LOCK_TIMEOUT.",
            )
        self.author.raise_if_cancelled()
        # a publication that has waited longer polls more often, and so comes first
        waited = time.monotonic() - self._deadline + self.author.lock_timeout
        times = _LONG_SECONDS / max(waited, _WAIT_SECONDS)
        time.sleep(_WAIT_SECONDS * min(max(times, 0.25), 2))


def wait_for_lock(
    database: Database,
    stream_id: str,
    deadline: float,
    transaction_id: str,
    raise_if_cancelled: Callable[[], None] = never_cancelled,
) -> None:
    """Wait until no other transaction holds a stream's lock.

    Args:
        database: the catalog's database.
        stream_id: the stream's object id.
        deadline: in seconds of the monotonic clock.
        transaction_id: the transaction waiting for the lock.
        raise_if_cancelled: raises where the waiting statement was cancelled.

    Raises:
        LockTimeout: another transaction still holds the lock at the deadline.
        TransactionEnded: the waiting transaction was aborted, or its lease has expired.
    """
    while True:
        with database.read() as connection:
            now = database.clock(connection)
            ended = find_ending(connection, now, transaction_id)
            current = find_lock_holder(connection, now, stream_id)
        if ended is not None:
            raise make_ended_error(ended.aborted_by)
        if current is None or current.transaction_id == transaction_id:
            return
        wait_for_holder(database, stream_id, current, deadline, raise_if_cancelled)


def wait_for_holder(
    database: Database,
    stream_id: str,
    other: OpenTransactionRecord,
    deadline: float,
    raise_if_cancelled: Callable[[], None] = never_cancelled,
) -> None:
    """Sleep for a moment, for another transaction to release a stream's lock.

    Args:
        database: the catalog's database.
        stream_id: the stream's object id.
        other: the transaction with the lock.
        deadline: in seconds of the monotonic clock.
        raise_if_cancelled: raises where the waiting statement was cancelled.

    Raises:
        LockTimeout: the deadline is past.
    """
    raise_if_cancelled()
    if time.monotonic() > deadline:
        with database.read() as connection:
            name = str(stream_name(connection, stream_id))
        raise LockTimeout(
            f"Stream {name!r} is locked by transaction {other.transaction_id} of {other.user!r}; "
            "it was not free within LOCK_TIMEOUT.",
            hint="Run it again later, raise LOCK_TIMEOUT, or "
            f"SELECT SYSTEM$ABORT_TRANSACTION('{other.transaction_id}')",
        )
    time.sleep(_WAIT_SECONDS)


def require_unlocked(database: Database, stream_ids: Iterable[str], transaction_id: str) -> None:
    """Require free locks on the streams read by a lone statement.

    Args:
        database: the catalog's database.
        stream_ids: the streams read by the statement.
        transaction_id: the statement's own transaction, whose locks do not count.

    Raises:
        LostRaceError: another transaction holds a stream's lock; the stream's next rows are unknown
            yet.
    """
    wanted = tuple(stream_ids)
    if not wanted:
        return
    with database.read() as connection:
        now = database.clock(connection)
        for stream_id in wanted:
            current = find_lock_holder(connection, now, stream_id)
            if current is not None and current.transaction_id != transaction_id:
                raise LostRaceError("the stream is locked", stream_ids=wanted, is_locked=True)


def make_ended_error(aborted_by: str | None) -> TransactionEnded:
    """Return the error for an open transaction aborted by a user, or expired (None)."""
    how = "has lapsed: its session did not answer for too long"
    if aborted_by is not None:
        how = f"was aborted by {aborted_by!r}"
    return TransactionEnded(
        f"The transaction {how}. Nothing of it was kept.",
        hint="ROLLBACK leaves it; then BEGIN and run its statements again.",
    )
