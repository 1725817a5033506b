"""Which process does the background work of a lake: for each kind of work one at a time.

A process takes the lease of a kind before each turn of the work, and lets it expire after the turn.
The lease stays in the registry with the time at which the turn began: until a period has passed
nobody begins another turn, however many processes have a job for it.

| time | process A, each 60 s        | process B, each 60 s                        |
|------|-----------------------------|---------------------------------------------|
| 0    | begins, lists stages        |                                             |
| 20   |                             | begins nothing: A has begun 20 s ago        |
| 62   | is killed before            |                                             |
| 80   |                             | begins: the last turn began 80 s ago        |

A turn of a process that was killed counts as well; its lease expires. Nothing depends on the lease
but the work that is saved.
"""

from __future__ import annotations

from enum import StrEnum

from icemelt.catalog.database import Connection, Database
from icemelt.catalog.leases import (
    Claim,
    LeaseKind,
    find_leases_on,
    release_leases,
    renew_leases,
    take_leases,
)

__all__ = ["LEASE_SECONDS", "Work", "begin_work", "end_work", "give_up_work", "renew_work"]

# without a renewal for so long another process may begin
LEASE_SECONDS = 60.0
# turns of one process are a period and the time of the turn apart: a little less lets it go on
_PART_OF_PERIOD = 0.9


class Work(StrEnum):
    """The kinds of background work."""

    MAINTENANCE = "maintenance"
    REFRESH = "refresh"
    PIPES = "pipes"


def begin_work(database: Database, work: Work, holder: str, period: float) -> bool:
    """Take the lease of a kind of work for a turn; return False where it is not to be done now.

    Args:
        database: the catalog's database.
        work: the kind of work.
        holder: the id of the job that does the work.
        period: the seconds from one turn to the next.
    """
    with database.read() as connection:
        if not _may_begin(connection, database, work, period):
            return False
    with database.write_unordered() as connection:
        if not _may_begin(connection, database, work, period):
            return False
        claim = Claim(LeaseKind.WORK, [work.value], holder, LEASE_SECONDS)
        return take_leases(connection, database, claim) is not None


def renew_work(database: Database, holder: str) -> bool:
    """Renew the lease of a job under way; return False where it has expired."""
    return renew_leases(database, LeaseKind.WORK, holder, LEASE_SECONDS)


def end_work(database: Database, holder: str) -> None:
    """Let the lease of a job expire at the end of a turn; the time of the turn is kept."""
    renew_leases(database, LeaseKind.WORK, holder, 0)


def give_up_work(database: Database, holder: str) -> None:
    """Release the lease of a job whose turn broke off: the next turn may come soon."""
    with database.write_unordered() as connection:
        release_leases(connection, holder, LeaseKind.WORK)


def _may_begin(connection: Connection, database: Database, work: Work, period: float) -> bool:
    now = database.clock(connection)
    pause = int(period * 1000 * _PART_OF_PERIOD)
    return not any(
        # a turn that began later than now has a time of a later clock
        lease.is_live(now) or 0 <= now - lease.acquired_at < pause
        for lease in find_leases_on(connection, LeaseKind.WORK, [work.value])
    )
