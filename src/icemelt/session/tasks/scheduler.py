"""Begin the runs of tasks that are due, and execute them; any number of schedulers share a lake.

A scheduler takes turns. In each it

1. asks what was published, and tells the roots whose conditions it can matter to;
2. takes the roots that are due: a time of their schedule, the end of a lease or of a timeout, a
   condition to look at;
3. claims as many runs as it has free threads, and executes each in one.

A turn without news is a few looks at indexes of the registry. What becomes of a run is decided by
`icemelt.tasks.runs` in an SQL transaction of the registry: two schedulers that look at once decide
once.
"""

from __future__ import annotations

import logging
import os
import socket
import threading
import time
import uuid
from dataclasses import dataclass
from datetime import timedelta
from typing import Self

from icemelt.catalog.queries.tasks import task_by_id
from icemelt.catalog.schedulers import SchedulerName, end_scheduler, report_scheduler, tell_registry
from icemelt.catalog.task_runs import (
    ClaimableRun,
    DueRoot,
    earliest_wake,
    find_claimable_runs,
    find_due_roots,
    read_root_state,
)
from icemelt.catalog.task_states import time_of
from icemelt.errors import CatalogError, IcemeltError
from icemelt.jobs import Job
from icemelt.jobs.thread_pool import ThreadPool
from icemelt.observe.emitting import tolerate
from icemelt.session.runtime.task_context import TaskContext
from icemelt.session.session import Session, core_of
from icemelt.session.tasks.conditions import evaluate_condition
from icemelt.session.tasks.execution import ClaimedRun, RunExecution, find_task_run
from icemelt.session.tasks.python_bodies import is_runnable_here
from icemelt.session.tasks.watching import PublicationWatch
from icemelt.tasks.events import (
    BodyStopped,
    ClaimGranted,
    ConditionLooked,
    DataPublished,
    Decision,
    Event,
    RunClaimed,
    TimePassed,
)
from icemelt.tasks.records import GraphRun, RootState
from icemelt.tasks.runs import is_look_due
from icemelt.tasks.states import RunOrigin

__all__ = ["Scheduler", "SchedulerOptions"]

_LOGGER = logging.getLogger("icemelt.tasks")
_NAME = "icemelt-scheduler"
# how often a scheduler tells that it lives, and for how long others believe it
_REPORT_SECONDS, _LIFE_SECONDS = 5.0, 15.0


@dataclass(frozen=True, slots=True)
class SchedulerOptions:
    """How a scheduler works.

    Attributes:
        parallel: how many runs it executes at once.
        poll_seconds: how long it waits between two looks at what was published.
        lease_seconds: after how long without a sign of life a run is another scheduler's.
        drain_seconds: how long runs under way may take when the scheduler stops; then they are
            stopped, and fail.
    """

    parallel: int = 4
    poll_seconds: float = 0.1
    lease_seconds: float = 30.0
    drain_seconds: float = 30.0


class Scheduler:
    """Runs the tasks of a lake in threads of this process; `Session.scheduler` has an example."""

    def __init__(self, host: Session, options: SchedulerOptions | None = None) -> None:
        """Prepare a scheduler.

        Args:
            host: the session whose Spark executes the bodies. It stays open, and is free for other
                statements.
            options: how the scheduler works.
        """
        scheduler_id, machine, process = str(uuid.uuid4()), socket.gethostname(), os.getpid()
        self.name = f"{machine}:{process}:{scheduler_id[:8]}"
        self._own = SchedulerName(scheduler_id, self.name, machine, process)
        self._reported_at = float("-inf")
        self._options = options or SchedulerOptions()
        self._core = core_of(host)
        self._watch = PublicationWatch(self._core)
        self._lock = threading.Lock()
        self._executions: dict[tuple[str, int], RunExecution] = {}
        self._is_draining = False
        self._pool: ThreadPool | None = None
        self._job = Job(
            _NAME,
            self._turn,
            every=self._options.poll_seconds,
            consequence="tasks wait until the next look",
            longest_pause=5.0,
        )

    def start(self) -> Self:
        """Start the threads.

        Raises:
            NoThreads: the machine gives the process no more threads.
        """
        self._pool = ThreadPool(self._options.parallel, f"{_NAME}-run")
        self._job.start()
        return self

    def wake(self) -> None:
        """Look at once."""
        self._job.wake()

    def stop(self) -> bool:
        """Claim no further run, and wait for those under way; stop them where they take too long.

        Returns:
            whether all threads have ended.
        """
        self._is_draining = True
        self._job.stop(self._options.drain_seconds)
        with tolerate(CatalogError, to="tell that a scheduler has ended"):
            end_scheduler(self._core.database, self._own.scheduler_id)
        pool = self._pool
        if pool is None or pool.stop(self._options.drain_seconds):
            return True
        with self._lock:
            executions = list(self._executions.values())
        for execution in executions:
            execution.stop()
        return pool.stop(self._options.drain_seconds)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_error: object) -> None:
        self.stop()

    @property
    def running(self) -> int:
        """How many runs it executes now."""
        with self._lock:
            return len(self._executions)

    # ------------------------------------------------------------------------------------- turns

    def _turn(self) -> float:
        """Take a turn; return the seconds until the next."""
        if time.monotonic() >= self._reported_at + _REPORT_SECONDS:
            report_scheduler(self._core.database, self._own, _LIFE_SECONDS)
            self._reported_at = time.monotonic()
        for root_id in self._watch.find_news():
            self._apply(root_id, DataPublished())
        with self._core.database.read() as connection:
            now = self._core.database.clock(connection)
            due = find_due_roots(connection, now)
        for root in due:
            self._take_due(root, now)
        free = self._options.parallel - self.running
        with self._core.database.read() as connection:
            claimable = find_claimable_runs(connection, free) if free else []
            wake, now = earliest_wake(connection), self._core.database.clock(connection)
        for run in claimable:
            self._claim(run)
        most = self._options.poll_seconds
        return most if wake is None else min(most, max(wake - now, 0) / 1000)

    def _take_due(self, root: DueRoot, now: int) -> None:
        """Let time pass for a root, and look at its condition where that is due."""
        self._apply(root.root_id, TimePassed())
        if not root.wants_look:
            return
        with self._core.database.read() as connection:
            state = read_root_state(connection, root.root_id)
        if state is not None and is_look_due(state, time_of(now)):
            self._apply(root.root_id, ConditionLooked(self._is_true(root.root_id, state)))

    def _is_true(self, root_id: str, state: RootState) -> bool:
        """Look at the condition of a triggered root; an error in it is a run that fails."""
        with self._core.database.read() as connection:
            task = task_by_id(connection, state.graph.root.object_id)
        if task is None:
            return False
        run = GraphRun(0, state.graph, RunOrigin.TRIGGER, time_of(0))
        try:
            return evaluate_condition(self._core, TaskContext.of_run(task, root_id, run, 0))
        except CatalogError:
            raise
        except IcemeltError as error:
            _LOGGER.info("The run of task %r tells of its condition: %s", task.name, error.message)
            return True

    # -------------------------------------------------------------------------------------- runs

    def _claim(self, run: ClaimableRun) -> None:
        """Claim a run, unless this process cannot run it or another scheduler has it."""
        if not self._can_run(run):
            return
        lease = timedelta(seconds=self._options.lease_seconds)
        claim = RunClaimed(run.run_id, run.task, self.name, lease)
        for decision in self._apply(run.root_id, claim):
            if isinstance(decision, ClaimGranted):
                claimed = ClaimedRun(run.root_id, run.run_id, run.task, decision.claim.token)
                self._begin(RunExecution(self._core, claimed, lease))

    def _can_run(self, run: ClaimableRun) -> bool:
        """Tell whether this process has what the body of a task needs: its functions of Python."""
        found = find_task_run(self._core.database, run.root_id, run.run_id, run.task)
        if found is None:
            return False
        try:
            return is_runnable_here(self._core, found[0])
        except CatalogError:
            raise
        except IcemeltError as error:
            _LOGGER.info("The run of task %r tells of its body: %s", run.task, error.message)
            return True

    def _begin(self, execution: RunExecution) -> None:
        key = (execution.run.root_id, execution.run.token)
        with self._lock:
            self._executions[key] = execution
        assert self._pool is not None  # noqa: S101 - turns are taken after the start
        self._pool.submit(self._execute, key, execution)

    def _execute(self, key: tuple[str, int], execution: RunExecution) -> None:
        try:
            execution.execute()
        except IcemeltError as error:
            _LOGGER.warning("Run %s ends with its lease: %s", execution.run, error.message)
        except Exception:
            _LOGGER.exception("Run %s ends with its lease.", execution.run)
        finally:
            with self._lock:
                del self._executions[key]
            if not self._is_draining:
                self._job.wake()

    def _apply(self, root_id: str, event: Event) -> tuple[Decision, ...]:
        """Apply an event in the registry, and stop the bodies of this scheduler that it stops."""
        decisions = tell_registry(self._core.database, root_id, event)
        for decision in decisions:
            if isinstance(decision, BodyStopped):
                with self._lock:
                    execution = self._executions.get((root_id, decision.token))
                if execution is not None:
                    execution.stop()
        return decisions
