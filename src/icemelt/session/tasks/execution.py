"""Execute the run of a task that a scheduler has claimed: its condition, its body, its end."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field, replace
from datetime import timedelta

from icemelt.catalog.database import Database
from icemelt.catalog.queries.tasks import task_by_id
from icemelt.catalog.schedulers import tell_registry
from icemelt.catalog.task_edits import ApplyTaskEvent
from icemelt.catalog.task_ends import find_ends
from icemelt.catalog.task_records import TaskRecord
from icemelt.catalog.task_runs import read_root_state
from icemelt.catalog.task_telling import tell_of_runs
from icemelt.errors import IcemeltError
from icemelt.jobs import Lease
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.task_context import RunEdits, TaskContext
from icemelt.session.tasks.conditions import evaluate_condition
from icemelt.session.tasks.running import run_task_body
from icemelt.session.tasks.task_sessions import BodyStop
from icemelt.tasks.events import ClaimRefused, LeaseRenewed, RunEnded
from icemelt.tasks.graph import Task
from icemelt.tasks.records import RunError
from icemelt.tasks.states import RunState

__all__ = ["ClaimedRun", "RunExecution", "find_task_context"]

_LOGGER = logging.getLogger("icemelt.tasks")
_STOPPED = RunError("scheduler-stopped", "The scheduler that executed the run was stopped.")


@dataclass(frozen=True, slots=True)
class ClaimedRun:
    """A run that is this scheduler's to execute.

    Attributes:
        root_id: the object id of the root.
        run_id: the id of the graph's run.
        task: the name of the task.
        token: the fencing token of the claim.
        attempt: the number of the attempt.
        client: the client of a server who wrote the body; None for who runs the lake.
    """

    root_id: str
    run_id: int
    task: str
    token: int
    attempt: int
    client: str | None = None

    def __str__(self) -> str:
        return f"{self.run_id} of task {self.task!r}"


@dataclass(slots=True, eq=False)
class RunExecution:
    """One claimed run on its way: it renews the lease until the registry has the end.

    Attributes:
        core: the parts of the session that executes tasks.
        run: the run.
        lease: how long the claim lasts after each renewal.
    """

    core: Core
    run: ClaimedRun
    lease: timedelta
    _stop: BodyStop = field(default_factory=BodyStop)

    def stop(self) -> None:
        """Stop the body: its scheduler ends, or the run timed out, was cancelled, or is lost."""
        self._stop.stop()

    def execute(self) -> bool:
        """Execute the run up to its end in the registry.

        Returns:
            whether the end is that of the execution; else the run was cancelled, has timed out, or
            is lost.
        """
        name = f"icemelt-run-{self.run.token}"
        kept = Lease(name, self._renew, self.lease.total_seconds(), on_lost=self.stop).keep()
        try:
            end = self._run()
        finally:
            kept.end()
        return end if isinstance(end, bool) else self._apply(end)

    def _run(self) -> RunEnded | bool:
        """Run the condition and the body; return the end that the registry does not have yet.

        Returns:
            the end; True where a publication of the body has carried the success, False where the
            run was cancelled, timed out or lost before it began.
        """
        context = self._find_context()
        if context is None:
            return False
        try:
            if not evaluate_condition(self.core, context):
                return self._end(RunState.SKIPPED)
        except IcemeltError as error:
            end = self._end(RunState.FAILED, RunError(error.code, error.message))
            return replace(end, has_begun=False)
        outcome = run_task_body(self.core, context, self._edits(), self._stop)
        if outcome.is_success_published:
            return True
        told = _STOPPED if outcome.state is RunState.CANCELLED else outcome.error
        end = self._end(RunState.FAILED, told)
        return _tell_body(end, outcome.return_value, outcome.statement_id)

    def _find_context(self) -> TaskContext | None:
        run = self.run
        place = (run.root_id, run.run_id, run.task)
        return find_task_context(self.core.database, *place, token=run.token)

    def _edits(self) -> RunEdits:
        def success(
            return_value: str | None, statement_id: str | None
        ) -> tuple[ApplyTaskEvent, ...]:
            end = _tell_body(self._end(RunState.SUCCEEDED), return_value, statement_id)
            return (ApplyTaskEvent(self.run.root_id, end),)

        return RunEdits(success, (ApplyTaskEvent(self.run.root_id, self._renewal()),))

    def _end(self, state: RunState, error: RunError | None = None) -> RunEnded:
        return RunEnded(self.run.run_id, self.run.task, self.run.token, state, error)

    def _renewal(self) -> LeaseRenewed:
        return LeaseRenewed(self.run.run_id, self.run.task, self.run.token, self.lease)

    def _renew(self) -> bool:
        """Renew the lease; return False where the run is another's, or over."""
        return self._apply(self._renewal())

    def _apply(self, event: LeaseRenewed | RunEnded) -> bool:
        """Tell the registry; return whether the run was this scheduler's still."""
        decisions = tell_registry(self.core.database, self.run.root_id, event)
        tell_of_runs(self.core.database, find_ends(self.run.root_id, decisions, event))
        return not any(isinstance(decision, ClaimRefused) for decision in decisions)


def find_task_context(
    database: Database, root_id: str, run_id: int, task: str, *, token: int = 0
) -> TaskContext | None:
    """Return the context of a task as it is in a run of its graph; None where the run is over.

    Args:
        database: the catalog's database.
        root_id: the object id of the root.
        run_id: the id of the graph's run.
        task: the name of the task.
        token: the fencing token of the claim; 0 where nobody has claimed the run.
    """
    with database.read() as connection:
        state = read_root_state(connection, root_id)
        if state is None:
            return None
        graph_run = next((run for run in state.active if run.id == run_id), None)
        if graph_run is None:
            return None
        member = graph_run.version.task(task)
        record = task_by_id(connection, member.object_id)
    if record is None:
        return None
    record = _as_in_version(record, member)
    return TaskContext.of_run(record, root_id, graph_run, token, state.last_success)


def _tell_body(end: RunEnded, return_value: str | None, statement_id: str | None) -> RunEnded:
    """Return an end with what the body has set, and with the statement that ran last."""
    has_begun = statement_id is not None
    return replace(end, return_value=return_value, query_id=statement_id, has_begun=has_begun)


def _as_in_version(record: TaskRecord, task: Task) -> TaskRecord:
    """Return a task as it was in the version of its graph that runs."""
    return replace(
        record,
        owner=task.owner,
        body=task.body,
        options={**record.options, **dict(task.options)},
        after=task.predecessors,
        finalizes=task.finalizes,
        condition=task.condition,
        run_within=task.run_within,
        written_by=task.written_by,
    )
