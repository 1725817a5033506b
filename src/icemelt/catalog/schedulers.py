"""The schedulers of a lake in the registry: who looks for tasks to run, and when it was seen last.

A scheduler tells every few seconds that it lives. The registry believes it for as long as the
scheduler says, by the database's clock. One that has ended stays, so that others can tell since
when nothing runs, until the history of statements forgets that time, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from icemelt.catalog.database import Connection, Database
from icemelt.catalog.model import schedulers
from icemelt.catalog.task_runs import apply_task_event
from icemelt.tasks.events import Decision, Event

__all__ = [
    "SchedulerName",
    "SchedulerRecord",
    "end_scheduler",
    "find_schedulers",
    "forget_schedulers",
    "last_seen",
    "report_scheduler",
    "tell_registry",
]


def _upsert(insert: Any) -> Any:
    new = insert.excluded
    changes = {name: new[name] for name in ("name", "host", "process_id", "seen_at", "life")}
    return insert.on_conflict_do_update(index_elements=["scheduler_id"], set_=changes)


_REPORTS: Mapping[str, Any] = {
    "sqlite": _upsert(sqlite.insert(schedulers)),
    "postgresql": _upsert(postgresql.insert(schedulers)),
}


@dataclass(frozen=True, slots=True)
class SchedulerName:
    """What a scheduler says of itself.

    Args:
        scheduler_id: the id of the scheduler, a new one for each start.
        name: the name for people, the holder of its claims.
        host: the name of the machine.
        process_id: the number of the process on the machine.
    """

    scheduler_id: str
    name: str
    host: str
    process_id: int


@dataclass(frozen=True, slots=True)
class SchedulerRecord:
    """A scheduler as it was seen last, with all times in milliseconds since 1970.

    Args:
        scheduler: what it says of itself.
        started_at: when it was seen first.
        seen_at: when it was seen last.
        life: for how long after that it counts as alive, in milliseconds; 0 once it has ended.
    """

    scheduler: SchedulerName
    started_at: int
    seen_at: int
    life: int

    def is_live(self, now: int) -> bool:
        """Tell whether the scheduler counts as alive at a time.

        One that was seen later than now was seen by a later clock, and does not count.

        >>> name = SchedulerName("id", "server-1", "host", 1)
        >>> record = SchedulerRecord(name, started_at=0, seen_at=1_000, life=30_000)
        >>> record.is_live(1_000), record.is_live(31_000), record.is_live(0)
        (True, False, False)
        """
        return self.seen_at <= now < self.seen_at + self.life


def report_scheduler(database: Database, scheduler: SchedulerName, seconds: float) -> int:
    """Tell that a scheduler lives; return the time of the report, in milliseconds since 1970.

    Args:
        database: the catalog's database.
        scheduler: what the scheduler says of itself.
        seconds: for how long it counts as alive without another report.
    """
    with database.write_unordered() as connection:
        now = database.clock(connection)
        values = {
            "scheduler_id": scheduler.scheduler_id,
            "name": scheduler.name,
            "host": scheduler.host,
            "process_id": scheduler.process_id,
            "started_at": now,
            "seen_at": now,
            "life": int(seconds * 1_000),
        }
        connection.execute(_REPORTS[connection.dialect.name], values)
        return now


def end_scheduler(database: Database, scheduler_id: str) -> None:
    """Tell that a scheduler has ended; it was seen last now."""
    with database.write_unordered() as connection:
        ended = {"seen_at": database.clock(connection), "life": 0}
        this = schedulers.c.scheduler_id == scheduler_id
        connection.execute(schedulers.update().where(this).values(ended))


def find_schedulers(connection: Connection) -> list[SchedulerRecord]:
    """Return the schedulers that the registry knows, live or not, the last seen first."""
    ordered = sa.select(schedulers).order_by(schedulers.c.seen_at.desc(), schedulers.c.scheduler_id)
    return [
        SchedulerRecord(
            SchedulerName(row.scheduler_id, row.name, row.host, row.process_id),
            row.started_at,
            row.seen_at,
            row.life,
        )
        for row in connection.execute(ordered)
    ]


def last_seen(found: Iterable[SchedulerRecord], now: int) -> int | None:
    """Return when the last scheduler was seen, where none is alive; 0 where none ever was.

    None where one is alive.

    Args:
        found: the schedulers.
        now: the database's clock.
    """
    listed = list(found)
    if any(record.is_live(now) for record in listed):
        return None
    return max((record.seen_at for record in listed), default=0)


def forget_schedulers(connection: Connection, before: int) -> int:
    """Remove the schedulers that were seen last before a time; return how many."""
    return connection.execute(schedulers.delete().where(schedulers.c.seen_at < before)).rowcount


def tell_registry(database: Database, root_id: str, event: Event) -> tuple[Decision, ...]:
    """Apply an event to the runs of a root in an SQL transaction of its own: as `apply_task_event`.

    Args:
        database: the catalog's database.
        root_id: the object id of the root.
        event: what has happened.
    """
    with database.write_unordered() as connection:
        return apply_task_event(connection, database.clock, root_id, event)
