"""Why an attempt did not publish a transaction; nothing was changed in any case."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "Ended",
    "ListingOvertaken",
    "NotPublishedError",
    "PositionConflict",
    "QueueOvertaken",
    "StreamLocked",
    "TableChanged",
    "TableReserved",
    "YieldedToTransaction",
]


@dataclass(frozen=True, slots=True)
class TableChanged:
    """A table's pointer has moved since the transaction started."""

    table_id: str


@dataclass(frozen=True, slots=True)
class TableReserved:
    """Another transaction has reserved the table."""

    table_id: str


@dataclass(frozen=True, slots=True)
class StreamLocked:
    """An open transaction holds the lock of the stream."""

    stream_id: str
    transaction_id: str


@dataclass(frozen=True, slots=True)
class PositionConflict:
    """Another transaction was first to move the stream's frontier, or dropped the stream.

    Or another session opened, dropped or wrote the channel whose rows are in the transaction.
    """


@dataclass(frozen=True, slots=True)
class ListingOvertaken:
    """Another transaction was first to list the stage, or dropped the stage."""


@dataclass(frozen=True, slots=True)
class QueueOvertaken:
    """Another transaction was first to load files of the pipe, or dropped the pipe."""


@dataclass(frozen=True, slots=True)
class YieldedToTransaction:
    """The compaction yields to an open transaction: the transaction would lose the race."""

    transaction_id: str
    user: str


@dataclass(frozen=True, slots=True)
class Ended:
    """The open transaction was aborted by a user, or (None) expired."""

    aborted_by: str | None


class NotPublishedError(Exception):
    """Ends the SQL transaction with a roll back, and carries the outcome to `publish`."""

    def __init__(
        self,
        outcome: TableChanged
        | TableReserved
        | StreamLocked
        | PositionConflict
        | ListingOvertaken
        | QueueOvertaken
        | YieldedToTransaction
        | Ended,
    ) -> None:
        super().__init__()
        self.outcome = outcome
