"""Running one writing statement: attempt, publish, rebase, and run again where a race was lost."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field, replace

from icemelt.catalog.database import Database
from icemelt.catalog.edits import Commit, Edit, MovePointer, VersionStats
from icemelt.catalog.publishing import Moved, Outcome, Published, Reserved, publish
from icemelt.catalog.reading import moment_of_transaction
from icemelt.catalog.records import Moment, StatementRecord, TableRecord
from icemelt.errors import CatalogUnavailable, Conflict
from icemelt.tables.iceberg import Iceberg
from icemelt.tables.metadata import TableMetadata
from icemelt.tables.rebase import Rebase, Refused, rebase
from icemelt.transactions.reservations import reserved
from icemelt.transactions.resolve import Resolver
from icemelt.transactions.stats import version_stats
from icemelt.transactions.workspace import Workspace, open_workspace

__all__ = ["Attempt", "Author", "Pending", "TableWrite", "Written", "run_statement"]

_OPTIMISTIC_ATTEMPTS = 3
_ATTEMPTS = 8
_WAIT_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class Author:
    """Who runs the statement, and how long it waits for others."""

    session_id: str
    user: str
    lock_timeout: float = 60.0


@dataclass(frozen=True, slots=True)
class TableWrite:
    """One table's change, made in the workspace and not published yet."""

    table: TableRecord
    base: TableMetadata
    mine: TableMetadata
    operation: str
    decided_on_absence: bool = False
    needs_all: bool = False
    rebased: TableMetadata | None = None
    effects: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """The table's full name."""
        return str(self.table.name)


@dataclass(frozen=True, slots=True)
class Pending:
    """What an attempt wants published; `statement` tells the history about it."""

    writes: tuple[TableWrite, ...]
    statement: Callable[[], StatementRecord]
    edits: tuple[Edit, ...] = ()


@dataclass(frozen=True, slots=True)
class Written:
    """A published statement; `moment` is None where there was nothing to publish."""

    moment: Moment | None
    attempts: int


@dataclass(frozen=True, slots=True)
class Attempt:
    """What one run of a statement works with."""

    workspace: Workspace
    transaction_id: str
    number: int


class _LostError(Exception):
    """The statement has to run again."""

    def __init__(self, write: TableWrite, reason: str) -> None:
        super().__init__(reason)
        self.write = write
        self.reason = reason


@dataclass(slots=True)
class _Run:
    database: Database
    iceberg: Iceberg
    resolver: Resolver
    author: Author
    transaction_id: str = field(default_factory=lambda: str(uuid.uuid4()))


def run_statement(
    resolver: Resolver, author: Author, work: Callable[[Attempt], Pending]
) -> Written:
    """Run a writing statement until it is published.

    `work` makes the change in the attempt's workspace; it is called again, on the newer state,
    where another transaction was first and the change cannot be re-applied.

    Raises:
        Conflict: others were first too often, or held the table for longer than the lock timeout.
    """
    run = _Run(resolver.database, resolver.iceberg, resolver, author)
    lost: _LostError | None = None
    with ExitStack() as held:
        for number in range(1, _ATTEMPTS + 1):
            if lost is not None and number == _OPTIMISTIC_ATTEMPTS + 1:
                table_ids = [lost.write.table.object_id]
                held.enter_context(reserved(run.database, table_ids, run.transaction_id))
            try:
                return Written(_attempt_once(run, work, number), number)
            except _LostError as error:
                lost = error
    raise Conflict(
        f"Table {lost.write.name!r} was changed by others {_ATTEMPTS} times while this "  # type: ignore[union-attr]
        f"{lost.write.operation} ran: {lost.reason}.",  # type: ignore[union-attr]
        hint="Nothing was changed. Run the statement again.",
    )


def _attempt_once(run: _Run, work: Callable[[Attempt], Pending], number: int) -> Moment | None:
    with open_workspace(run.iceberg) as workspace:
        pending = work(Attempt(workspace, run.transaction_id, number))
        return _publish(run, pending, workspace)


def _publish(run: _Run, pending: Pending, workspace: Workspace) -> Moment | None:
    writes = [write for write in pending.writes if write.mine.location != write.base.location]
    if not writes and not pending.edits:
        return None
    deadline = time.monotonic() + run.author.lock_timeout
    while True:
        outcome = _attempt(run, pending, writes)
        match outcome:
            case Published(moment):
                return moment
            case Moved(table_id):
                writes = [
                    _rebased(run, write, workspace) if write.table.object_id == table_id else write
                    for write in writes
                ]
            case Reserved(table_id):
                _wait(pending, table_id, deadline)


def _attempt(run: _Run, pending: Pending, writes: list[TableWrite]) -> Outcome:
    moves = [
        MovePointer(
            write.table.object_id,
            write.table.known,
            (write.rebased or write.mine).location,
            _stats(write),
        )
        for write in sorted(writes, key=lambda write: write.table.object_id)
    ]
    author = run.author
    commit = Commit(
        run.transaction_id,
        author.session_id,
        author.user,
        (*moves, *pending.edits),
        replace(pending.statement(), transaction_id=run.transaction_id),
    )
    try:
        return publish(run.database, commit)
    except CatalogUnavailable:
        # The reply to COMMIT may be lost while the commit is not: ask, never run it again.
        with run.database.read() as connection:
            moment = moment_of_transaction(connection, run.transaction_id)
        if moment is None:
            raise
        return Published(moment)


def _stats(write: TableWrite) -> VersionStats:
    stats = version_stats(write.base, write.mine, write.operation, write.effects)
    if write.rebased is None:
        return stats
    after = version_stats(write.base, write.rebased, write.operation, write.effects)
    last = after.snapshots[-1:]
    return replace(
        stats,
        snapshot_id=after.snapshot_id,
        snapshots=last,
        total_rows=after.total_rows,
        total_bytes=after.total_bytes,
    )


def _rebased(run: _Run, write: TableWrite, workspace: Workspace) -> TableWrite:
    state = run.resolver.resolve([write.table.name])
    table = state.tables.get(write.table.name)
    if table is None or table.object_id != write.table.object_id:
        raise _LostError(write, "the table was dropped or replaced")
    theirs = run.iceberg.metadata(table.known)
    states = Rebase(write.base, write.mine, theirs, write.decided_on_absence, write.needs_all)
    name = f"{table.object_id}-{uuid.uuid4().hex[:8]}"
    outcome = rebase(run.iceberg, states, workspace.namespace, name)
    if isinstance(outcome, Refused):
        raise _LostError(write, outcome.reason)
    return replace(write, table=table, rebased=outcome.metadata)


def _wait(pending: Pending, table_id: str, deadline: float) -> None:
    if time.monotonic() > deadline:
        names = [write.name for write in pending.writes if write.table.object_id == table_id]
        raise Conflict(
            f"Table {', '.join(names)!r} stayed reserved by another transaction.",
            hint="Nothing was changed. Run the statement again, or raise LOCK_TIMEOUT.",
        )
    time.sleep(_WAIT_SECONDS)  # the holder may be another process, and SQLite tells of no change
