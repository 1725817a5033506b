"""Begin the runs of tasks that are due, and execute them; any number of schedulers share a lake.

A scheduler takes turns (`TaskTurns`) in a thread of its own, and executes each run that it has
claimed in another one. A turn without news is a few looks at indexes of the registry. What becomes
of a run is decided by `icemelt.tasks.runs` in an SQL transaction of the registry: two schedulers
that look at once decide once. Further threads send webhooks, and listen for publications.
"""

from __future__ import annotations

import os
import socket
import time
import uuid
from collections.abc import Callable
from typing import Self

from icemelt.catalog.listening import PublicationListener
from icemelt.catalog.schedulers import SchedulerName, end_scheduler, report_scheduler
from icemelt.errors import CatalogError
from icemelt.jobs import Job
from icemelt.jobs.thread_pool import ThreadPool
from icemelt.observe.emitting import subscribe, tolerate
from icemelt.observe.events import Event, TransactionPublished
from icemelt.session.tasks.hosts import Execution, Place, TaskHost
from icemelt.session.tasks.turns import SchedulerOptions, TaskTurns
from icemelt.session.tasks.webhooks import WebhookSender

__all__ = ["Scheduler", "SchedulerOptions"]

_NAME = "icemelt-scheduler"
# how often a scheduler tells that it lives, and for how long others believe it
_REPORT_SECONDS, _LIFE_SECONDS = 5.0, 15.0
# how long runs that are stopped may take to end
_STOP_SECONDS = 10.0


class Scheduler:
    """Runs the tasks of a lake in threads of this process; `Session.scheduler` has an example."""

    def __init__(self, host: TaskHost, options: SchedulerOptions | None = None) -> None:
        """Prepare a scheduler.

        Args:
            host: gives the runs their places in Spark. It is closed at the end of the scheduler.
            options: how the scheduler works.

        Raises:
            ParameterError: a secret for webhooks is no secret.
        """
        scheduler_id, machine, process = str(uuid.uuid4()), socket.gethostname(), os.getpid()
        self.name = f"{machine}:{process}:{scheduler_id[:8]}"
        self._own = SchedulerName(scheduler_id, self.name, machine, process)
        # by the clock of this process, and what the database's showed less that
        self._reported_at = float("-inf")
        self._clock_offset = 0.0
        self._options = options or SchedulerOptions()
        self._host = host
        self._database = host.facts.database
        self._webhooks = WebhookSender(self._database, self._options.webhooks)
        self._looked_at: float | None = None
        self._has_stopped = False
        self._heard_at = float("-inf")
        self._unsubscribe: Callable[[], None] | None = None
        self._pool: ThreadPool | None = None
        self._job = Job(
            _NAME,
            self._turn,
            every=self._options.poll_seconds,
            consequence="tasks wait until the next look",
            longest_pause=5.0,
        )
        pause = self._options.poll_seconds
        self._listener = PublicationListener(self._database, self._job.wake, pause)
        self._turns = TaskTurns(
            host,
            self.name,
            self._options,
            self._begin,
            is_told=lambda: self._listener.is_listening,
            on_decisions=self._webhooks.wake,
        )

    def start(self) -> Self:
        """Start the threads.

        Raises:
            NoThreads: the machine gives the process no more threads.
        """
        threads = self._options.parallel + self._options.further
        self._pool = ThreadPool(threads, f"{_NAME}-run")
        self._webhooks.start()
        self._job.start()
        self._listener.start()
        self._unsubscribe = subscribe(self._hear, TransactionPublished)
        return self

    def wake(self) -> None:
        """Look at once."""
        self._job.wake()

    def drain(self) -> None:
        """Claim no further run; those under way go on."""
        self._turns.is_draining = True

    def stop(self, drain_seconds: float | None = None) -> bool:
        """Claim no further run, and wait for those under way; stop them where they take too long.

        Args:
            drain_seconds: how long they may take, None for as long as the options say.

        Returns:
            whether all threads have ended.
        """
        self.drain()
        if self._unsubscribe is not None:
            self._unsubscribe()
        seconds = self._options.drain_seconds if drain_seconds is None else drain_seconds
        if self._has_stopped:
            return True
        try:
            self._turns.under_way.wait(seconds)
        finally:
            # Ctrl-C ends the wait, too
            self._has_stopped = True
            self._turns.under_way.stop_all()
            self._turns.under_way.wait(_STOP_SECONDS)
            has_ended = self._job.stop(_STOP_SECONDS)
            has_ended &= self._listener.stop(_STOP_SECONDS)
            has_ended &= self._webhooks.stop()
            with tolerate(CatalogError, to="tell that a scheduler has ended"):
                end_scheduler(self._database, self._own.scheduler_id)
            if self._pool is not None:
                has_ended &= self._pool.stop(0 if self.running else _STOP_SECONDS)
            self._host.close()
        return has_ended

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_error: object) -> None:
        self.stop()

    @property
    def running(self) -> int:
        """How many runs it executes now."""
        return len(self._turns.under_way)

    @property
    def seconds_since_look(self) -> float | None:
        """How long ago it looked for runs; None before the first look."""
        looked_at = self._looked_at
        return None if looked_at is None else time.monotonic() - looked_at

    def _turn(self) -> float:
        """Take a turn; return the seconds until the next."""
        self._report()
        seconds = self._turns.take()
        self._looked_at = time.monotonic()
        return seconds

    def _hear(self, _published: Event) -> None:
        """Look at once for what this process has published; of many in a row, for the first."""
        now = time.monotonic()
        if now - self._heard_at >= self._options.poll_seconds:
            self._heard_at = now
            self._job.wake()

    def _report(self) -> None:
        """Tell others that the scheduler lives, every few seconds, and when the clock was set."""
        now = time.monotonic()
        if now - self._reported_at >= _REPORT_SECONDS or self._is_clock_set():
            reported = report_scheduler(self._database, self._own, _LIFE_SECONDS)
            self._reported_at, self._clock_offset = now, reported / 1_000 - now

    def _is_clock_set(self) -> bool:
        """Tell whether the database's clock went another way than this process's since a report.

        Others measure by that clock how long ago the scheduler was seen.
        """
        looked_at, seen_at = self._looked_at, self._turns.looked_at
        if looked_at is None or seen_at is None:
            return False
        return abs(seen_at / 1_000 - looked_at - self._clock_offset) > _LIFE_SECONDS / 2

    def _begin(self, execution: Execution, place: Place) -> None:
        assert self._pool is not None  # noqa: S101 - turns are taken after the start
        self._pool.submit(self._execute, execution, place)

    def _execute(self, execution: Execution, place: Place) -> None:
        try:
            self._turns.execute(execution, place)
        finally:
            self._job.wake()
