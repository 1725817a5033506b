"""A statement's unpublished writes and effects, as plain data."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from icemelt.catalog.activity_records import StatementRecord
from icemelt.catalog.edits import Edit, VersionStats
from icemelt.catalog.records import OPTIMIZE, Moment, TableRecord
from icemelt.tables.metadata.document import TableMetadata
from icemelt.transactions.external_effects import ExternalEffect
from icemelt.transactions.next_in_line import NextInLine
from icemelt.transactions.stats import version_stats
from icemelt.transactions.workspace import Workspace

__all__ = [
    "OPTIMIZE",
    "RESTORE",
    "Attempt",
    "Author",
    "FinishedStatement",
    "Pending",
    "TableWrite",
    "never_cancelled",
]

# the operation of a return to an earlier state
RESTORE = "RESTORE"
_OPERATION_LENGTH = 32
T_co = TypeVar("T_co", covariant=True)


def never_cancelled() -> None:
    """Return at once: the check of a statement that nobody cancels."""


@dataclass(frozen=True, slots=True)
class Author:
    """The session and the user of a statement.

    Args:
        session_id: the session's id.
        user: the user's name.
        lock_timeout: how many seconds the statement waits for locks and reservations.
        longest_reservation: how many seconds the statement, after lost races, keeps other writers
            out of a table.
        raise_if_cancelled: raises where the statement was cancelled; called in each wait.
        next_in_line: the place before the next reservation of a table that is waited for; None for
            statements.
    """

    session_id: str
    user: str
    lock_timeout: float = 60.0
    longest_reservation: float = math.inf
    raise_if_cancelled: Callable[[], None] = field(default=never_cancelled, compare=False)
    next_in_line: NextInLine | None = field(default=None, compare=False)

    @property
    def next_id(self) -> str:
        """The id under which the author is next at a table; empty for statements."""
        return "" if self.next_in_line is None else self.next_in_line.next_id


@dataclass(frozen=True, slots=True)
class Attempt:
    """The workspace and the ids for one run of a statement.

    Args:
        workspace: the private pointers of the tables.
        transaction_id: the transaction's id in the history, the same for all attempts.
        number: 1 for the first attempt.
    """

    workspace: Workspace
    transaction_id: str
    number: int


@dataclass(frozen=True, slots=True)
class TableWrite:
    """The change of one table, written in the workspace and not published yet.

    Args:
        table: the table as the statement found it.
        base: the metadata from which the statement, or the first of `earlier`, started.
        mine: the metadata written by the statement.
        operation: the operation for the table's history, such as INSERT.
        needs_phantom_check: whether the statement depends on rows not found, as MERGE does. A
            rebase then checks for such rows in the newer state.
        requires_whole_table: whether the statement depends on all rows of the table, and no rebase
            is sound after any change of rows.
        rebased: the metadata after a rebase onto a newer state, None without a rebase.
        effects: the kinds of changes that a MERGE may make: `inserted`, `updated`, `deleted`.
        statement_id: the statement in the history.
        earlier: the writes of the same transaction combined here, oldest first, every write with
            its own base and end.
    """

    table: TableRecord
    base: TableMetadata
    mine: TableMetadata
    operation: str
    needs_phantom_check: bool = False
    requires_whole_table: bool = False
    rebased: TableMetadata | None = None
    effects: frozenset[str] = frozenset()
    statement_id: str | None = None
    earlier: tuple[TableWrite, ...] = ()

    @property
    def name(self) -> str:
        """The table's full name."""
        return str(self.table.name)

    @property
    def stats(self) -> VersionStats:
        """The statistics of the version made by the write."""
        steps = self.earlier or (self,)
        step_stats = [version_stats(s.base, s.mine, s.operation, s.effects) for s in steps]
        end = version_stats(self.base, self.mine, self.operation, self.effects)
        stats = replace(
            end,
            operation=self.operation,
            inserted=_sum(step.inserted for step in step_stats),
            updated=_sum(step.updated for step in step_stats),
            deleted=_sum(step.deleted for step in step_stats),
            statement_id=self.statement_id,
        )
        if self.rebased is None:
            return stats
        after = version_stats(self.base, self.rebased, self.operation, self.effects)
        return replace(
            stats,
            snapshot_id=after.snapshot_id,
            snapshots=after.snapshots[-1:],
            total_rows=after.total_rows,
            total_bytes=after.total_bytes,
        )

    def followed_by(self, later: TableWrite) -> TableWrite:
        """Return this write and a later write of the same transaction, combined."""
        operations = dict.fromkeys((*self.operation.split("; "), later.operation))
        operation = "; ".join(operations)
        return replace(
            later,
            table=self.table,
            base=self.base,
            operation=operation if len(operation) <= _OPERATION_LENGTH else "TRANSACTION",
            needs_phantom_check=self.needs_phantom_check or later.needs_phantom_check,
            requires_whole_table=self.requires_whole_table or later.requires_whole_table,
            effects=self.effects | later.effects,
            earlier=(*(self.earlier or (self,)), later),
        )


@dataclass(frozen=True, slots=True)
class Pending(Generic[T_co]):
    """What an attempt of a statement wants published, and the statement's outcome once published.

    Args:
        outcome: the statement's answer to its caller: a message, counts of rows.
        statement: makes the statement's record for the history; None where there is no statement.
        writes: the changes of tables.
        edits: the changes of the registry.
        external_effects: effects outside of tables, such as files, kept or removed with the rest.
    """

    outcome: T_co
    statement: Callable[[], StatementRecord] | None
    writes: tuple[TableWrite, ...] = ()
    edits: tuple[Edit, ...] = ()
    external_effects: tuple[ExternalEffect, ...] = ()

    @property
    def changed_tables(self) -> list[TableWrite]:
        """The writes that have changed their tables."""
        return [write for write in self.writes if write.mine.location != write.base.location]

    @property
    def is_empty(self) -> bool:
        """Whether nothing is to be published."""
        return not self.edits and not self.changed_tables


@dataclass(frozen=True, slots=True)
class FinishedStatement(Generic[T_co]):
    """A finished statement, with the outcome of the published attempt.

    Args:
        outcome: the statement's answer to its caller.
        moment: when the statement was published; None where nothing was to be published, or not
            yet.
        attempts: how many times the statement ran.
        open: whether the statement waits for the COMMIT of its transaction.
    """

    outcome: T_co
    moment: Moment | None
    attempts: int
    open: bool = False

    @property
    def did_nothing(self) -> bool:
        """Whether the statement had nothing to publish."""
        return self.moment is None and not self.open


def _sum(counts: Iterable[int | None]) -> int | None:
    all_counts = list(counts)
    known = [count for count in all_counts if count is not None]
    return sum(known) if len(known) == len(all_counts) else None
