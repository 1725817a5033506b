"""Run a lone writing statement: attempt, publish, and run again after a lost race."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from icemelt.catalog.database import Database
from icemelt.catalog.reserving import LEASE_SECONDS, release_tables, reserve_tables
from icemelt.errors import CatalogError, Conflict
from icemelt.jobs import Lease
from icemelt.observe.emitting import emit, tolerate
from icemelt.observe.events import StatementRerun
from icemelt.transactions.external_effects import commit_if_published
from icemelt.transactions.keeping import hold_locks
from icemelt.transactions.pauses import retry_lost_races
from icemelt.transactions.pending import Attempt, Author, FinishedStatement, Pending
from icemelt.transactions.publication import LostRaceError, Publication
from icemelt.transactions.resolver import Resolver
from icemelt.transactions.workspace import open_workspace

__all__ = ["hold_reservation", "run_statement"]

_OPTIMISTIC_ATTEMPTS = 3
_ATTEMPTS = 8
T = TypeVar("T")


def run_statement(
    resolver: Resolver, author: Author, work: Callable[[Attempt], Pending[T]]
) -> FinishedStatement[T]:
    """Run a writing statement until it is published.

    After a lost race without a sound rebase `work` runs again, on the newer state. From the fourth
    attempt on the statement first reserves the table, or locks the streams, of the last lost race.
    A stream locked by another transaction is locked from the next attempt on. Between attempts
    without a reservation is a pause of random length.

    Args:
        resolver: finds the tables of the session.
        author: the session, the user and the lock timeout.
        work: makes the change in the attempt's workspace.

    Raises:
        Conflict: other transactions were first too often, or held the table for longer than the
            lock timeout.
        LockTimeout: an open transaction held a stream's lock for longer than the lock timeout.
    """
    with ExitStack() as stack:
        transaction_id = str(uuid.uuid4())
        held = _HeldLeases(resolver.database, author, transaction_id, stack)
        race = _Race(resolver, author, transaction_id, held)
        # nobody waits for a statement that holds a reservation
        retrying = retry_lost_races(
            lambda error: isinstance(error, LostRaceError),
            _ATTEMPTS,
            author.raise_if_cancelled,
            waits=lambda: not held.table_ids,
        )
        try:
            return retrying(race.run, work)
        except LostRaceError as lost:
            what = "What the statement read" if lost.write is None else f"Table {lost.write.name!r}"
            raise Conflict(
                f"{what} was changed by others {_ATTEMPTS} times while it ran: {lost.reason}.",
                hint="Nothing was changed. Run the statement again.",
            ) from lost


@dataclass(slots=True)
class _Race:
    """The attempts at a lone statement: how many there were, and the race lost last."""

    resolver: Resolver
    author: Author
    transaction_id: str
    held: _HeldLeases
    number: int = 0
    lost: LostRaceError = field(default_factory=lambda: LostRaceError(""))

    def run(self, work: Callable[[Attempt], Pending[T]]) -> FinishedStatement[T]:
        """Run the next attempt.

        Raises:
            LostRaceError: another transaction was first.
        """
        self.number += 1
        if self.number > _OPTIMISTIC_ATTEMPTS or self.lost.is_locked:
            self.held.take_lost(self.lost)
        attempt = _StatementAttempt(
            self.resolver, self.author, self.transaction_id, self.number, self.held
        )
        try:
            return attempt.run(work)
        except LostRaceError as error:
            self.lost = error
            table = None if error.write is None else error.write.name
            emit(StatementRerun(self.transaction_id, self.number, table, error.reason))
            raise


@dataclass(slots=True)
class _HeldLeases:
    """What a statement holds to win the next race: reservations of tables, locks of streams."""

    database: Database
    author: Author
    transaction_id: str
    stack: ExitStack
    table_ids: set[str] = field(default_factory=set)
    tokens: dict[str, int] | None = None

    def take_lost(self, lost: LostRaceError) -> None:
        """Reserve the table, or lock the streams, of the race lost by the last attempt."""
        if lost.table_id:
            table_id = lost.table_id
            if table_id not in self.table_ids:
                self.table_ids.add(table_id)
                reservation = hold_reservation(
                    self.database, [table_id], self.transaction_id, self.author
                )
                self.stack.enter_context(reservation)
        elif self.tokens is None and lost.stream_ids:
            lock = hold_locks(self.database, lost.stream_ids, self.author, self.transaction_id)
            self.tokens = self.stack.enter_context(lock)


@dataclass(frozen=True, slots=True)
class _StatementAttempt:
    """One attempt at a lone statement: run in a new workspace, then publish."""

    resolver: Resolver
    author: Author
    transaction_id: str
    number: int
    held: _HeldLeases

    def run(self, work: Callable[[Attempt], Pending[T]]) -> FinishedStatement[T]:
        """Run `work` and publish the writes; commit or roll back the external effects."""
        with open_workspace(self.resolver.iceberg) as workspace:
            pending = work(Attempt(workspace, self.transaction_id, self.number))
            database = self.resolver.database
            with commit_if_published(database, self.transaction_id, pending.external_effects):
                if pending.is_empty:
                    return FinishedStatement(pending.outcome, None, self.number)
                moment = Publication(
                    self.resolver,
                    self.author,
                    workspace,
                    self.transaction_id,
                    pending.changed_tables,
                    pending.edits,
                    lambda: () if pending.statement is None else (pending.statement(),),
                    self.held.tokens,
                    is_reserved_by_caller=bool(self.held.table_ids),
                ).run()
                return FinishedStatement(pending.outcome, moment, self.number)


_PAUSE = 0.02
_ANYBODY = Author("", "")


@contextmanager
def hold_reservation(
    database: Database,
    table_ids: Sequence[str],
    transaction_id: str,
    author: Author = _ANYBODY,
) -> Iterator[None]:
    """Hold a reservation of tables, renewed for as long as the block runs.

    Where the database goes away the reservation expires. Nothing published under the reservation is
    lost. The block runs also if another transaction keeps its reservation for too long: the
    reservation is taken as soon as the tables are free. If the block runs for long, its author's
    reservation ends before.

    Args:
        database: the catalog's database.
        table_ids: the tables' object ids.
        transaction_id: the holder of the reservation.
        author: for how long to wait for other reservations, and to hold this one.
    """
    deadline = time.monotonic() + min(author.lock_timeout, LEASE_SECONDS)

    def reserve() -> bool:
        return reserve_tables(database, table_ids, transaction_id, author.next_id)

    # another transaction may hold a reservation for a short moment
    while not reserve() and time.monotonic() < deadline:
        author.raise_if_cancelled()
        time.sleep(_PAUSE)
    end = time.monotonic() + author.longest_reservation

    def renew() -> bool:
        if time.monotonic() >= end:
            release_tables(database, transaction_id)
            return False
        # a reservation lost to another transaction is taken again as soon as the table is free
        reserve()
        return True

    lease = Lease("icemelt-reservation", renew, LEASE_SECONDS)
    try:
        lease.keep()
        yield
    finally:
        lease.stop()
        with tolerate(CatalogError, to="release the reservation of a table"):
            release_tables(database, transaction_id)
