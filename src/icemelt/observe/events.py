"""The events, as frozen records: what happened, to which object, and for how long.

An event has names, ids, counts, seconds and codes of errors. An event never has a row's values, the
text of a statement, a parameter, a key or a URL of the catalog: a subscriber may send events to
other systems.
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
    "TaskGraphFailed",
    "TaskRunEnded",
    "TaskRunSkipped",
    "TransactionPublished",
    "VersionsExpired",
    "WebhookEnded",
]

# the statement of this thread's events
CURRENT_STATEMENT: ContextVar[str | None] = ContextVar("icemelt statement", default=None)


@dataclass(frozen=True, slots=True)
class Event:
    """A record of something that happened.

    Attributes:
        room: where the event happened; names the logger `icemelt.<room>`.
        consequence: the level in the log: DEBUG for the usual, INFO for changes in the lake's
            upkeep, WARNING for an operator to look at, ERROR for a loss.
    """

    room: ClassVar[str] = "observe"
    consequence: ClassVar[int] = logging.DEBUG

    @property
    def level(self) -> int:
        """The event's level in the log, which may depend on the outcome."""
        return self.consequence

    @property
    def details(self) -> dict[str, Any]:
        """The event's fields, by name.

        >>> TableRebased("4f", "main.public.t", 0.1).details
        {'transaction_id': '4f', 'table': 'main.public.t', 'seconds': 0.1}
        """
        return {field.name: getattr(self, field.name) for field in fields(self)}


# ------------------------------------------------------------------------------- sessions


@dataclass(frozen=True, slots=True)
class StatementBegan(Event):
    """A session began a statement.

    All events of the same thread until `StatementEnded` belong to the statement.

    Args:
        statement_id: the statement's id.
        session_id: the session's id.
        kind: the statement's first word, `OTHER` for a word not known in SQL.
    """

    room: ClassVar[str] = "sessions"
    statement_id: str
    session_id: str
    kind: str


@dataclass(frozen=True, slots=True)
class QueryPlanned(Event):
    """Spark analysed a statement's query, after the changes in the query were planned."""

    room: ClassVar[str] = "sessions"
    seconds: float


@dataclass(frozen=True, slots=True)
class SparkJobRan(Event):
    """Spark ran a job for a statement.

    The event is emitted only with a subscriber: asking Spark for jobs costs milliseconds.

    Args:
        statement_id: the statement's id.
        job_id: Spark's number of the job.
        tasks: the number of tasks.
        status: Spark's status of the job.
        began_at: in seconds since 1970.
        seconds: how long the job ran.
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
    """Rows of a query were fetched, or (`error_code`) were not.

    Args:
        statement_id: the statement's id.
        seconds: how long the fetch took.
        error_code: the code of the error that ended it, None for none.
        is_whole: whether all rows were fetched at once; a query may be fetched in parts.
    """

    room: ClassVar[str] = "sessions"
    statement_id: str
    seconds: float
    error_code: str | None = None
    is_whole: bool = True


@dataclass(frozen=True, slots=True)
class StatementEnded(Event):
    """A statement ended; the rows of a query are fetched later."""

    room: ClassVar[str] = "sessions"
    statement_id: str
    session_id: str
    kind: str
    seconds: float
    error_code: str | None = None

    @property
    def level(self) -> int:
        """ERROR for a bug in icemelt, DEBUG for other errors, shown to the statement's author."""
        return logging.ERROR if self.error_code == InternalError.code else logging.DEBUG

    @property
    def status(self) -> str:
        """The outcome: `succeeded`, `failed` or `cancelled`."""
        if self.error_code is None:
            return "succeeded"
        return "cancelled" if self.error_code == StatementCancelled.code else "failed"


@dataclass(frozen=True, slots=True)
class ErrorTolerated(Event):
    """An error happened without effect on the request, such as a file not removed.

    Args:
        action: what was tried, such as "release a reservation".
        error_code: the code of the error.
        message: the error's message, possibly with names of files; traces and metrics have only the
            code.
        is_usual: whether the error needs nobody's attention.
    """

    room: ClassVar[str] = "sessions"
    action: str
    error_code: str
    message: str
    is_usual: bool = False


# --------------------------------------------------------------------------- transactions


@dataclass(frozen=True, slots=True)
class PublishAttempted(Event):
    """A transaction tried to publish.

    Args:
        transaction_id: the transaction's id.
        outcome: `published`, `moved` (another transaction changed a table), `reserved`, `locked`,
            `overtaken` (another session consumed a stream or opened a channel), `gives-way` (a
            compaction yields), `ended` or `failed`.
        seconds: how long the attempt took.
    """

    room: ClassVar[str] = "transactions"
    transaction_id: str
    outcome: str
    seconds: float


@dataclass(frozen=True, slots=True)
class TransactionPublished(Event):
    """A transaction became visible to everybody.

    Args:
        transaction_id: the transaction's id.
        commit_number: the commit number of the transaction.
        tables: the number of written tables.
        edits: the number of further changes of the registry.
        attempts: the number of attempts to publish.
        seconds: how long all attempts took, waits included.
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
    """A transaction's change of a table was applied again, to another transaction's state."""

    room: ClassVar[str] = "transactions"
    transaction_id: str
    table: str
    seconds: float


@dataclass(frozen=True, slots=True)
class StatementRerun(Event):
    """A statement lost a race and runs again, on the newer state.

    Args:
        transaction_id: the transaction's id.
        attempt: the number of the lost attempt.
        table: the table of the race, None for a stream or a channel.
        reason: why the change could not be applied to the newer state.
    """

    room: ClassVar[str] = "transactions"
    transaction_id: str
    attempt: int
    table: str | None
    reason: str


@dataclass(frozen=True, slots=True)
class ReservationAwaited(Event):
    """A transaction waited for tables reserved by other transactions after lost races."""

    room: ClassVar[str] = "transactions"
    transaction_id: str
    tables: tuple[str, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class LockAwaited(Event):
    """A transaction waited for a stream's lock, and got the lock (`error_code` None) or gave up."""

    room: ClassVar[str] = "transactions"
    transaction_id: str
    stream_id: str
    seconds: float
    error_code: str | None = None

    @property
    def level(self) -> int:
        """WARNING where the transaction gave up."""
        return logging.DEBUG if self.error_code is None else logging.WARNING


@dataclass(frozen=True, slots=True)
class LeaseLapsed(Event):
    """An open transaction of this process was not renewed in time, or was aborted.

    Nothing of the transaction can be published any more.
    """

    room: ClassVar[str] = "transactions"
    consequence: ClassVar[int] = logging.WARNING
    transaction_id: str


@dataclass(frozen=True, slots=True)
class LapsedLeasesRemoved(Event):
    """Expired transactions and reservations were removed, with their locks.

    Their processes died, or were cut off from the catalog.
    """

    room: ClassVar[str] = "transactions"
    consequence: ClassVar[int] = logging.INFO
    count: int


# -------------------------------------------------------------------------------- catalog


@dataclass(frozen=True, slots=True)
class ForeignCommitsAdopted(Event):
    """Commits of other engines on a table were adopted as versions."""

    room: ClassVar[str] = "catalog"
    consequence: ClassVar[int] = logging.INFO
    table: str
    versions: int


@dataclass(frozen=True, slots=True)
class ForeignTableAdopted(Event):
    """A table `created`, `renamed`, `replaced` or `dropped` by another engine was adopted."""

    room: ClassVar[str] = "catalog"
    consequence: ClassVar[int] = logging.INFO
    table: str
    change: str


@dataclass(frozen=True, slots=True)
class CatalogErrorTolerated(ErrorTolerated):
    """An error of the catalog's database happened without effect on the request."""

    room: ClassVar[str] = "catalog"

    @property
    def level(self) -> int:
        """WARNING; DEBUG for a usual error, or where this user may only read the catalog."""
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
    """Expired versions of a table were removed, with their files."""

    room: ClassVar[str] = "maintenance"
    consequence: ClassVar[int] = logging.INFO
    table: str
    versions: int
    files: int


@dataclass(frozen=True, slots=True)
class TableCompacted(Event):
    """Small files and deletion vectors of a table were rewritten in a separate transaction."""

    room: ClassVar[str] = "maintenance"
    consequence: ClassVar[int] = logging.INFO
    table: str
    files_rewritten: int
    files_written: int


# --------------------------------------------------------------------------------- ingest


@dataclass(frozen=True, slots=True)
class RowsAppended(Event):
    """A channel took rows, not yet committed; `refused` rows were not taken."""

    room: ClassVar[str] = "ingest"
    table: str
    rows: int
    refused: int


@dataclass(frozen=True, slots=True)
class RowsFlushed(Event):
    """Waiting rows of a table were committed."""

    room: ClassVar[str] = "ingest"
    table: str
    rows: int
    seconds: float


@dataclass(frozen=True, slots=True)
class FlushFailed(Event):
    """Waiting rows of a table were not committed.

    The writer's own line in the log has the reason, and whether the rows are tried again.

    Args:
        table: the table's full name.
        error_code: the code of the error.
        tries: the number of failed tries in a row.
    """

    room: ClassVar[str] = "ingest"
    table: str
    error_code: str
    tries: int


# ---------------------------------------------------------------------------------- tasks


@dataclass(frozen=True, slots=True)
class TaskRunEnded(Event):
    """A run of a task ended.

    Args:
        task: the task's full name.
        state: how: `SUCCEEDED`, `FAILED`, `FAILED_AND_AUTO_SUSPENDED` or `CANCELLED`.
        seconds: how long the run took, from its claim to its end.
        lateness: the seconds from the scheduled time to the claim.
        error_code: why the run did not succeed.
        attempt: the number of the attempt.
    """

    room: ClassVar[str] = "tasks"
    task: str
    state: str
    seconds: float
    lateness: float
    error_code: str | None = None
    attempt: int = 1

    @property
    def level(self) -> int:
        """WARNING for a failure."""
        return logging.WARNING if self.state.startswith("FAILED") else logging.DEBUG


@dataclass(frozen=True, slots=True)
class TaskRunSkipped(Event):
    """A run of a task was skipped.

    Args:
        task: the task's full name.
        reason: `condition-false` for a false WHEN, `run-unfinished` where the last run goes on.
    """

    room: ClassVar[str] = "tasks"
    task: str
    reason: str


@dataclass(frozen=True, slots=True)
class TaskGraphFailed(Event):
    """A scheduler leaves the graph of a root task alone for a while, for it fails.

    Args:
        root_id: the object id of the root.
        action: what failed, such as "pass time".
        error_code: the code of the error.
        message: the error's message; traces have only the code.
    """

    room: ClassVar[str] = "tasks"
    consequence: ClassVar[int] = logging.WARNING
    root_id: str
    action: str
    error_code: str
    message: str


@dataclass(frozen=True, slots=True)
class WebhookEnded(Event):
    """A webhook that tells of a run of a task was delivered, or given up.

    Args:
        task: the task's full name.
        message_type: `USER_TASK_FAILED` or `USER_TASK_SUCCEEDED`.
        host: the machine of its URL.
        tries: how often it was sent.
        problem: why the last try failed; None for a delivery.
    """

    room: ClassVar[str] = "tasks"
    task: str
    message_type: str
    host: str
    tries: int
    problem: str | None = None

    @property
    def level(self) -> int:
        """WARNING for one that was given up."""
        return logging.DEBUG if self.problem is None else logging.WARNING

    @property
    def outcome(self) -> str:
        """`delivered` or `given_up`."""
        return "delivered" if self.problem is None else "given_up"


# --------------------------------------------------------------------------------- server


@dataclass(frozen=True, slots=True)
class SparkReplaced(Event):
    """The server started a new Spark in place of a dead Spark."""

    room: ClassVar[str] = "server"
    consequence: ClassVar[int] = logging.WARNING
