"""The events, as frozen records: what happened, to which object, how long it took.

An event has names, ids, counts, seconds and codes of errors. It never has a row's values, the text
of a statement, a parameter, a key or a URL of the catalog: whoever takes events may send them on.
"""

from __future__ import annotations

import logging
from contextvars import ContextVar
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from icemelt.errors import CatalogReadOnly, InternalError, StatementCancelled

__all__ = [
    "CURRENT_STATEMENT",
    "CatalogErrorTolerated",
    "ErrorTolerated",
    "Event",
    "FlushFailed",
    "ForeignCommitsAdopted",
    "ForeignTableAdopted",
    "LapsedLeasesRemoved",
    "LeaseLapsed",
    "LockAwaited",
    "LogCollapsed",
    "PublishAttempted",
    "QueryPlanned",
    "ReservationAwaited",
    "RowsAppended",
    "RowsFetched",
    "RowsFlushed",
    "SparkJobRan",
    "SparkReplaced",
    "StatementBegan",
    "StatementEnded",
    "StatementRerun",
    "TableCompacted",
    "TableRebased",
    "TransactionPublished",
    "VersionsExpired",
]

# the statement that the events of this thread belong to
CURRENT_STATEMENT: ContextVar[str | None] = ContextVar("icemelt statement", default=None)


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened; `room` is where, and names the logger `icemelt.<room>`.

    Its `consequence` is the level of its line in the log: DEBUG for what is usual, INFO for what
    changes the lake's upkeep, WARNING for what an operator should look at, ERROR for what is lost.
    """

    room: ClassVar[str] = "observe"
    consequence: ClassVar[int] = logging.DEBUG

    @property
    def level(self) -> int:
        """The level of this event, which may depend on how it went."""
        return self.consequence

    @property
    def details(self) -> dict[str, Any]:
        """What it says, by name.

        >>> TableRebased("4f", "main.public.t", 0.1).details
        {'transaction_id': '4f', 'table': 'main.public.t', 'seconds': 0.1}
        """
        return {field.name: getattr(self, field.name) for field in fields(self)}


# ------------------------------------------------------------------------------- sessions


@dataclass(frozen=True, slots=True)
class StatementBegan(Event):
    """A session began a statement; `kind` is its first word, `OTHER` for one that is none of SQL's.

    The events of its thread until `StatementEnded` are its own.
    """

    room: ClassVar[str] = "sessions"
    statement_id: str
    session_id: str
    kind: str


@dataclass(frozen=True, slots=True)
class QueryPlanned(Event):
    """A statement's query was analysed by Spark, the changes that it reads were planned before."""

    room: ClassVar[str] = "sessions"
    seconds: float


@dataclass(frozen=True, slots=True)
class SparkJobRan(Event):
    """Spark ran a job for a statement; `began_at` is seconds since 1970, `status` is Spark's.

    It is emitted only where somebody takes it: to ask Spark for its jobs costs milliseconds.
    """

    room: ClassVar[str] = "sessions"
    statement_id: str
    job_id: int
    tasks: int
    status: str
    began_at: float
    seconds: float


@dataclass(frozen=True, slots=True)
class RowsFetched(Event):
    """Rows of a query were fetched, or (`error_code`) were not; a query may be fetched in parts."""

    room: ClassVar[str] = "sessions"
    statement_id: str
    seconds: float
    error_code: str | None = None


@dataclass(frozen=True, slots=True)
class StatementEnded(Event):
    """A statement ended; of a query its rows are fetched later."""

    room: ClassVar[str] = "sessions"
    statement_id: str
    session_id: str
    kind: str
    seconds: float
    error_code: str | None = None

    @property
    def level(self) -> int:
        """ERROR for a bug in icemelt; other errors are for whoever wrote the statement."""
        return logging.ERROR if self.error_code == InternalError.code else logging.DEBUG

    @property
    def status(self) -> str:
        """How it ended: `succeeded`, `failed` or `cancelled`."""
        if self.error_code is None:
            return "succeeded"
        return "cancelled" if self.error_code == StatementCancelled.code else "failed"


@dataclass(frozen=True, slots=True)
class ErrorTolerated(Event):
    """An error that changed nothing of what was asked for, as where a file could not be removed.

    `message` is the error's own, and may name a file: traces and metrics have the code alone.
    """

    room: ClassVar[str] = "sessions"
    action: str
    error_code: str
    message: str
    is_usual: bool = False


# --------------------------------------------------------------------------- transactions


@dataclass(frozen=True, slots=True)
class PublishAttempted(Event):
    """A transaction was published, or was not, as `outcome` says.

    It is `published`, `moved` (another changed a table), `reserved`, `locked`, `overtaken` (another
    consumed a stream or opened a channel), `gives-way` (of a compaction), `ended` or `failed`.
    """

    room: ClassVar[str] = "transactions"
    transaction_id: str
    outcome: str
    seconds: float


@dataclass(frozen=True, slots=True)
class TransactionPublished(Event):
    """A transaction is visible to everybody: how many tables it wrote, how many edits came along.

    `seconds` is how long all its attempts took, waiting included.
    """

    room: ClassVar[str] = "transactions"
    transaction_id: str
    commit_number: int
    tables: int
    edits: int
    attempts: int
    seconds: float


@dataclass(frozen=True, slots=True)
class TableRebased(Event):
    """What a transaction wrote to a table was re-applied to the state that another one left."""

    room: ClassVar[str] = "transactions"
    transaction_id: str
    table: str
    seconds: float


@dataclass(frozen=True, slots=True)
class StatementRerun(Event):
    """A statement lost a race and runs again, on the newer state; `attempt` is the one that lost.

    `table` is None where it lost a stream or a channel.
    """

    room: ClassVar[str] = "transactions"
    transaction_id: str
    attempt: int
    table: str | None
    reason: str


@dataclass(frozen=True, slots=True)
class ReservationAwaited(Event):
    """A transaction waited for others that had reserved one of its tables after a lost race."""

    room: ClassVar[str] = "transactions"
    transaction_id: str
    tables: tuple[str, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class LockAwaited(Event):
    """A transaction waited for a stream's lock, and has it (`error_code` None), or gave up."""

    room: ClassVar[str] = "transactions"
    transaction_id: str
    stream_id: str
    seconds: float
    error_code: str | None = None

    @property
    def level(self) -> int:
        """WARNING where the lock was not to be had."""
        return logging.DEBUG if self.error_code is None else logging.WARNING


@dataclass(frozen=True, slots=True)
class LeaseLapsed(Event):
    """An open transaction of this process was not extended in time, or was aborted.

    Nothing of it can be published any more.
    """

    room: ClassVar[str] = "transactions"
    consequence: ClassVar[int] = logging.WARNING
    transaction_id: str


@dataclass(frozen=True, slots=True)
class LapsedLeasesRemoved(Event):
    """Transactions and reservations that nobody extended were removed, with their locks.

    Their processes died, or were cut off from the catalog.
    """

    room: ClassVar[str] = "transactions"
    consequence: ClassVar[int] = logging.INFO
    count: int


# -------------------------------------------------------------------------------- catalog


@dataclass(frozen=True, slots=True)
class ForeignCommitsAdopted(Event):
    """What other engines committed to a table became versions of it."""

    room: ClassVar[str] = "catalog"
    consequence: ClassVar[int] = logging.INFO
    table: str
    versions: int


@dataclass(frozen=True, slots=True)
class ForeignTableAdopted(Event):
    """Another engine `created`, `renamed`, `replaced` or `dropped` a table, and so did the lake."""

    room: ClassVar[str] = "catalog"
    consequence: ClassVar[int] = logging.INFO
    table: str
    change: str


@dataclass(frozen=True, slots=True)
class CatalogErrorTolerated(ErrorTolerated):
    """An error of the catalog's database that changed nothing of what was asked for."""

    room: ClassVar[str] = "catalog"

    @property
    def level(self) -> int:
        """WARNING, but where it is usual, or the catalog is one that this user may only read."""
        is_usual = self.is_usual or self.error_code == CatalogReadOnly.code
        return logging.DEBUG if is_usual else logging.WARNING


# ---------------------------------------------------------------------------- maintenance


@dataclass(frozen=True, slots=True)
class LogCollapsed(Event):
    """Snapshots of old runs of appends left the log of a table with a commit."""

    room: ClassVar[str] = "maintenance"
    consequence: ClassVar[int] = logging.INFO
    table: str
    snapshots: int


@dataclass(frozen=True, slots=True)
class VersionsExpired(Event):
    """Versions of a table that nobody may read any more went, and files with them."""

    room: ClassVar[str] = "maintenance"
    consequence: ClassVar[int] = logging.INFO
    table: str
    versions: int
    files: int


@dataclass(frozen=True, slots=True)
class TableCompacted(Event):
    """Small files and deletion vectors of a table were rewritten, in a transaction of its own."""

    room: ClassVar[str] = "maintenance"
    consequence: ClassVar[int] = logging.INFO
    table: str
    files_rewritten: int
    files_written: int


# --------------------------------------------------------------------------------- ingest


@dataclass(frozen=True, slots=True)
class RowsAppended(Event):
    """A channel took rows, which wait to be committed; `refused` ones it did not take."""

    room: ClassVar[str] = "ingest"
    table: str
    rows: int
    refused: int


@dataclass(frozen=True, slots=True)
class RowsFlushed(Event):
    """Rows that waited for a table were committed."""

    room: ClassVar[str] = "ingest"
    table: str
    rows: int
    seconds: float


@dataclass(frozen=True, slots=True)
class FlushFailed(Event):
    """Rows that wait for a table were not committed; `tries` failed one after the other.

    The writer's own line in the log has the reason, and whether the rows are tried again.
    """

    room: ClassVar[str] = "ingest"
    table: str
    error_code: str
    tries: int


# --------------------------------------------------------------------------------- server


@dataclass(frozen=True, slots=True)
class SparkReplaced(Event):
    """The server started another Spark in place of one that was gone."""

    room: ClassVar[str] = "server"
    consequence: ClassVar[int] = logging.WARNING
