"""Why a transaction was not published: nothing was changed, whatever it is."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Ended", "EndedError", "GivesWay", "Locked", "Moved", "Overtaken", "Reserved"]


@dataclass(frozen=True, slots=True)
class Moved:
    """A table's pointer is no longer the transaction's base."""

    table_id: str


@dataclass(frozen=True, slots=True)
class Reserved:
    """Another transaction has reserved the table."""

    table_id: str


@dataclass(frozen=True, slots=True)
class Locked:
    """An open transaction holds the lock of the stream."""

    stream_id: str
    transaction_id: str


@dataclass(frozen=True, slots=True)
class Overtaken:
    """Another transaction was first to move the stream's frontier, or dropped the stream.

    Or it opened or dropped a channel that this one has rows of, or has committed them.
    """


@dataclass(frozen=True, slots=True)
class GivesWay:
    """A transaction of many statements is open, and would lose to a compaction."""

    transaction_id: str
    user: str


@dataclass(frozen=True, slots=True)
class Ended:
    """The open transaction was aborted by somebody, or (None) lapsed."""

    aborted_by: str | None


class EndedError(Exception):
    """Carries an outcome out of the SQL transaction, so that it rolls back."""

    def __init__(self, outcome: Moved | Reserved | Locked | Overtaken | GivesWay | Ended) -> None:
        super().__init__()
        self.outcome = outcome
