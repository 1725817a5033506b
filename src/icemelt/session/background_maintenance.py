"""In the background while a session lives: maintenance, directory tables, and pipes.

Of all processes that have a lake open, one does each of these in a period
(`icemelt.catalog.background_work`).
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from icemelt.catalog.background_work import (
    LEASE_SECONDS,
    Work,
    begin_work,
    end_work,
    give_up_work,
    renew_work,
)
from icemelt.catalog.database import Database
from icemelt.catalog.queries.finding import find_refreshing
from icemelt.errors import CatalogError, IcemeltError, SparkDied
from icemelt.jobs import Job, Lease
from icemelt.observe.emitting import tolerate
from icemelt.session.ddl.pipes import find_due_pipes
from icemelt.session.runtime.core import new_id
from icemelt.session.runtime.spark_errors import translated
from icemelt.session.session import Session

__all__ = [
    "HOUR",
    "REFRESH_SECONDS",
    "start_background_maintenance",
    "start_background_pipes",
    "start_background_refresh",
]

HOUR = 3600.0
# the time between two listings of a stage with AUTO_REFRESH, and two runs of a pipe
REFRESH_SECONDS = 60.0
# a new Spark is there by then; the tables behind the one under which Spark died wait no hour
_AFTER_DEATH_SECONDS = 60.0
_log = logging.getLogger("icemelt.maintenance")


def start_background_maintenance(
    database: Database,
    open_session: Callable[[], Session],
    ended: threading.Event,
    seconds: float,
) -> Job:
    """Start a job that maintains a lake again and again until an event is set; return the job.

    Every run opens a session and closes the session at the end. A failed run is logged, with the
    skipped tables, and the next run makes up for the failure. After a death of Spark the next run
    follows soon, and skips the table under which Spark died.

    Args:
        database: the catalog's database.
        open_session: opens a session of the lake for one run.
        ended: the event that ends the job: the end of the first session.
        seconds: the time between two runs, and before the first.
    """
    turns = _WorkTurns(database, Work.MAINTENANCE, seconds)

    def run() -> float | None:
        # the next run comes after a period: an immediate retry would meet the same failure
        try:
            turns.take(lambda: _maintain(open_session))
        except SparkDied as error:
            _log.info("Maintenance lost Spark, and is tried again soon: %s", error.message)
            return min(seconds, _AFTER_DEATH_SECONDS)
        except IcemeltError as error:
            _log.info("Maintenance failed, and is tried again later: %s", error.message)
        except Exception:  # noqa: BLE001 - a bug must not end the job either
            _log.exception("Maintenance failed, and is tried again later.")
        return None

    return Job("icemelt-maintenance", run, every=seconds, delay=seconds, until=ended).start()


@dataclass(frozen=True, slots=True)
class _WorkTurns:
    """Does a kind of work, unless another process does it, or has begun within the period.

    Attributes:
        database: the catalog's database.
        work: the kind of work.
        period: the seconds from one turn to the next.
    """

    database: Database
    work: Work
    period: float
    _holder: str = field(default_factory=new_id)

    def take(self, do: Callable[[], object]) -> None:
        """Take a turn, if it is this process's; the lease is kept until the end of the turn.

        Raises:
            CatalogError: the catalog cannot be asked.
            SparkDied: Spark ended; the turn counts for nothing, and may be repeated soon.
            IcemeltError: the work failed.
        """
        if not begin_work(self.database, self.work, self._holder, self.period):
            return
        renew = partial(renew_work, self.database, self._holder)
        kept = Lease(f"icemelt-{self.work}-lease", renew, LEASE_SECONDS).keep()
        finish = end_work
        try:
            do()
        except SparkDied:
            finish = give_up_work
            raise
        finally:
            kept.stop()
            with tolerate(CatalogError, to="end the lease of background work"):
                finish(self.database, self._holder)


def _maintain(open_session: Callable[[], Session]) -> None:
    with open_session() as session, translated(session.spark):
        for skipped in session.maintain().skipped:
            _log.info("Table %r is left for the next time: %s", skipped.table, skipped.reason)


def start_background_refresh(
    database: Database,
    open_session: Callable[[], Session],
    ended: threading.Event,
    seconds: float,
) -> Job:
    """Start a job that lists what has AUTO_REFRESH again and again; return the job.

    A run without such stages and external tables is one query of the catalog.

    Args:
        database: the catalog's database.
        open_session: opens a session of the lake for one run.
        ended: the event that ends the job: the end of the first session.
        seconds: the time between two runs, and before the first.
    """
    turns = _WorkTurns(database, Work.REFRESH, seconds)

    def refresh() -> None:
        with database.read() as connection:
            owners = find_refreshing(connection)
        if owners:
            turns.take(lambda: _refresh(open_session))

    return _start("icemelt-refresh", "Directory tables were not refreshed", refresh, ended, seconds)


def start_background_pipes(
    database: Database,
    open_session: Callable[[], Session],
    ended: threading.Event,
    seconds: float,
) -> Job:
    """Start a job that runs the pipes with AUTO_INGEST again and again; return the job.

    A run without such pipes, and without queued files, is two queries of the catalog.

    Args:
        database: the catalog's database.
        open_session: opens a session of the lake for one run.
        ended: the event that ends the job: the end of the first session.
        seconds: the time between two runs, and before the first.
    """
    turns = _WorkTurns(database, Work.PIPES, seconds)

    def run() -> None:
        if find_due_pipes(database):
            turns.take(lambda: _run_pipes(open_session))

    return _start("icemelt-pipes", "Pipes did not run", run, ended, seconds)


def _start(
    name: str, failed: str, work: Callable[[], None], ended: threading.Event, seconds: float
) -> Job:
    """Start a job that works again and again, also after a failure.

    Args:
        name: the job's name.
        failed: what did not happen, for the log.
        work: works once.
        ended: the event that ends the job.
        seconds: the time between two runs, and before the first.
    """

    def run() -> None:
        # the next run comes after a period: an immediate retry would meet the same failure
        try:
            work()
        except IcemeltError as error:
            _log.info("%s, which is tried again: %s", failed, error.message)
        except Exception:  # noqa: BLE001 - a bug must not end the job either
            _log.exception("%s, which is tried again.", failed)

    return Job(name, run, every=seconds, delay=seconds, until=ended).start()


def _run_pipes(open_session: Callable[[], Session]) -> None:
    with open_session() as session, translated(session.spark):
        for pipe, count in session.run_pipes().items():
            if count:
                _log.info("Pipe %r: %d files were loaded.", pipe, count)


def _refresh(open_session: Callable[[], Session]) -> None:
    with open_session() as session, translated(session.spark):
        for owner, count in session.refresh_files().items():
            if count:
                _log.info("The files of %r: %d differ.", owner, count)
