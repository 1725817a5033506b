"""Emit an event for each run of a task that has ended, or was skipped."""

from __future__ import annotations

from collections.abc import Iterable

from icemelt.catalog.database import Database
from icemelt.catalog.queries.ended_runs import EndedRun, find_ended_run
from icemelt.catalog.task_ends import RunKey
from icemelt.errors import CatalogError
from icemelt.names import QualifiedName
from icemelt.observe.emitting import emit, tolerate
from icemelt.observe.events import TaskRunEnded, TaskRunSkipped
from icemelt.tasks.states import RunState

__all__ = ["tell_of_run", "tell_of_runs"]

# the reason of a run whose WHEN was false, which is no error
_CONDITION_FALSE = "condition-false"


def tell_of_runs(database: Database, runs: Iterable[RunKey]) -> None:
    """Emit events for runs that are over, as the history has them."""
    for run in runs:
        tell_of_run(database, run)


def tell_of_run(database: Database, run: RunKey, *, only_cancelled: bool = False) -> None:
    """Emit an event for a run that is over, as the history has it.

    Args:
        database: the catalog's database.
        run: the object id of the root, the id of the graph's run, the name of the task, and the
            number of the attempt.
        only_cancelled: whether the event is emitted only for a run that was cancelled.
    """
    found = None
    tolerating = tolerate(CatalogError, to="tell of the end of a task's run")
    with tolerating, database.read() as connection:
        found = find_ended_run(connection, *run)
    if found is None or (only_cancelled and found.state is not RunState.CANCELLED):
        return
    emit(_event_of(found))


def _event_of(run: EndedRun) -> TaskRunEnded | TaskRunSkipped:
    task = str(QualifiedName(run.database, run.schema, run.task))
    if run.state is RunState.SKIPPED:
        return TaskRunSkipped(task, run.error_code or _CONDITION_FALSE)
    began = run.completed_at if run.started_at is None else run.started_at
    return TaskRunEnded(
        task,
        run.state.value,
        seconds=max(run.completed_at - began, 0) / 1000,
        lateness=max(began - run.scheduled_at, 0) / 1000,
        error_code=run.error_code,
        attempt=run.attempt,
    )
