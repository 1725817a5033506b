"""What a statement has written and not published yet, as plain data."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from icemelt.catalog.edits import Edit, VersionStats
from icemelt.catalog.records import OPTIMIZE, Moment, StatementRecord, TableRecord
from icemelt.tables.metadata.document import TableMetadata
from icemelt.transactions.outside import Outside
from icemelt.transactions.stats import version_stats
from icemelt.transactions.workspace import Workspace

__all__ = ["OPTIMIZE", "RESTORE", "Attempt", "Author", "Pending", "TableWrite", "Written"]

# what goes back to an earlier state
RESTORE = "RESTORE"
_OPERATION_LENGTH = 32
T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Author:
    """Who runs the statement, and how long it waits for others."""

    session_id: str
    user: str
    lock_timeout: float = 60.0


@dataclass(frozen=True, slots=True)
class Attempt:
    """What one run of a statement works with."""

    workspace: Workspace
    transaction_id: str
    number: int


@dataclass(frozen=True, slots=True)
class TableWrite:
    """One table's change, made in the workspace and not published yet.

    `earlier` are the writes of the same transaction that this one goes on from, each with its own
    base and end; `base` is then the first one's.
    """

    table: TableRecord
    base: TableMetadata
    mine: TableMetadata
    operation: str
    decided_on_absence: bool = False
    needs_all: bool = False
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
        """The version that the write makes."""
        steps = self.earlier or (self,)
        found = [version_stats(s.base, s.mine, s.operation, s.effects) for s in steps]
        end = version_stats(self.base, self.mine, self.operation, self.effects)
        stats = replace(
            end,
            operation=self.operation,
            inserted=_sum(each.inserted for each in found),
            updated=_sum(each.updated for each in found),
            deleted=_sum(each.deleted for each in found),
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
        """Return this write and a later one of the same transaction as one."""
        operations = dict.fromkeys((*self.operation.split("; "), later.operation))
        operation = "; ".join(operations)
        return replace(
            later,
            table=self.table,
            base=self.base,
            operation=operation if len(operation) <= _OPERATION_LENGTH else "TRANSACTION",
            decided_on_absence=self.decided_on_absence or later.decided_on_absence,
            needs_all=self.needs_all or later.needs_all,
            effects=self.effects | later.effects,
            earlier=(*(self.earlier or (self,)), later),
        )


@dataclass(frozen=True, slots=True)
class Pending(Generic[T_co]):
    """What an attempt of a statement wants published, and the statement's outcome if it is.

    Args:
        outcome: what the statement tells its caller: a message, counts of rows.
        statement: makes the statement's record for the history; None for what is no statement.
        writes: the changes of tables.
        edits: the changes of the registry.
        outside: files and the like that were made, which are kept or taken back with the rest.
    """

    outcome: T_co
    statement: Callable[[], StatementRecord] | None
    writes: tuple[TableWrite, ...] = ()
    edits: tuple[Edit, ...] = ()
    outside: tuple[Outside, ...] = ()


@dataclass(frozen=True, slots=True)
class Written(Generic[T_co]):
    """A statement that is done, with the outcome of the attempt that was published.

    Args:
        outcome: what the statement tells its caller.
        moment: when it was published; None where nothing is published by it, or not yet.
        attempts: how many times it ran.
        open: whether it waits for its transaction's COMMIT.
    """

    outcome: T_co
    moment: Moment | None
    attempts: int
    open: bool = False

    @property
    def did_nothing(self) -> bool:
        """Whether there was nothing to publish."""
        return self.moment is None and not self.open


def _sum(counts: Iterable[int | None]) -> int | None:
    found = list(counts)
    known = [count for count in found if count is not None]
    return sum(known) if len(known) == len(found) else None
