"""Execute the run of a task that a scheduler has claimed: its condition, its body, its end."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field, replace
from datetime import timedelta

from icemelt.catalog.database import Database
from icemelt.catalog.queries.tasks import task_by_id
from icemelt.catalog.schedulers import tell_registry
from icemelt.catalog.task_edits import ApplyTaskEvent
from icemelt.catalog.task_records import TaskRecord
from icemelt.catalog.task_runs import read_root_state
from icemelt.errors import IcemeltError
from icemelt.jobs import Lease
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.task_context import RunEdits, TaskContext
from icemelt.session.tasks.conditions import evaluate_condition
from icemelt.session.tasks.running import run_task_body
from icemelt.session.tasks.task_sessions import BodyStop
from icemelt.tasks.events import ClaimGranted, LeaseRenewed, RunEnded
from icemelt.tasks.graph import Task
from icemelt.tasks.records import GraphRun, RunError
from icemelt.tasks.states import RunState

__all__ = ["ClaimedRun", "RunExecution", "find_task_run"]

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
    """

    root_id: str
    run_id: int
    task: str
    token: int

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

    def execute(self) -> None:
        """Execute the run up to its end in the registry."""
        name = f"icemelt-run-{self.run.token}"
        kept = Lease(name, self._renew, self.lease.total_seconds(), on_lost=self.stop).keep()
        try:
            end = self._run()
        finally:
            kept.end()
        if end is not None:
            self._apply(end)

    def _run(self) -> RunEnded | None:
        """Run the condition and the body; return the end that the registry does not have yet."""
        context = self._find_context()
        if context is None:
            # cancelled, timed out or lost before it began
            return None
        try:
            if not evaluate_condition(self.core, context):
                return self._end(RunState.SKIPPED)
        except IcemeltError as error:
            return self._end(RunState.FAILED, RunError(error.code, error.message))
        outcome = run_task_body(self.core, context, self._edits(), self._stop)
        if outcome.is_success_published:
            return None
        told = _STOPPED if outcome.state is RunState.CANCELLED else outcome.error
        return replace(self._end(RunState.FAILED, told), return_value=outcome.return_value)

    def _find_context(self) -> TaskContext | None:
        found = find_task_run(self.core.database, self.run.root_id, self.run.run_id, self.run.task)
        if found is None:
            return None
        task, graph_run = found
        return TaskContext.of_run(task, self.run.root_id, graph_run, self.run.token)

    def _edits(self) -> RunEdits:
        def success(return_value: str | None) -> tuple[ApplyTaskEvent, ...]:
            end = replace(self._end(RunState.SUCCEEDED), return_value=return_value)
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
        return any(isinstance(decision, ClaimGranted) for decision in decisions)


def find_task_run(
    database: Database, root_id: str, run_id: int, task: str
) -> tuple[TaskRecord, GraphRun] | None:
    """Return a task as it is in a run of its graph, and the graph's run; None where it is over.

    Args:
        database: the catalog's database.
        root_id: the object id of the root.
        run_id: the id of the graph's run.
        task: the name of the task.
    """
    with database.read() as connection:
        state = read_root_state(connection, root_id)
        runs = () if state is None else state.active
        graph_run = next((run for run in runs if run.id == run_id), None)
        if graph_run is None:
            return None
        member = graph_run.version.task(task)
        record = task_by_id(connection, member.object_id)
    return None if record is None else (_as_in_version(record, member), graph_run)


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
    )
