"""Each task of a lake with its last run, its next time, and its failures in a row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from icemelt.catalog.model import task_graphs, task_runs
from icemelt.catalog.queries.tasks import find_live_tasks
from icemelt.catalog.task_records import TaskRecord
from icemelt.tasks.states import RunOrigin, RunState

__all__ = ["LastRun", "TaskOverview", "find_manual_run", "find_task_overviews", "read_graph_run"]

_RUN_COLUMNS = tuple(
    task_runs.c[name]
    for name in ("run_id", "task", "attempt", "state", "scheduled_at", "started_at")
) + tuple(task_runs.c[name] for name in ("completed_at", "error_code", "error_message"))
# Building a statement takes SQLAlchemy longer than running it: every statement is built once.
_LAST = (
    sa.select(*_RUN_COLUMNS)
    .where(
        task_runs.c.folded == sa.bindparam("of_name"),
        task_runs.c.task_id == sa.bindparam("of_task"),
        task_runs.c.state != RunState.SCHEDULED.value,
    )
    .order_by(task_runs.c.scheduled_at.desc(), task_runs.c.run_id.desc())
    .limit(1)
)
_GRAPHS = sa.select(
    task_graphs.c.root_id,
    task_graphs.c.next_scheduled_at,
    task_graphs.c.state["failures"].as_integer().label("failures"),
)
_MANUAL = sa.select(sa.func.max(task_runs.c.run_id)).where(
    task_runs.c.root_id == sa.bindparam("of_root"),
    task_runs.c.origin == RunOrigin.EXECUTE_TASK.value,
)
_OF_GRAPH = (
    sa.select(*_RUN_COLUMNS)
    .where(
        task_runs.c.root_id == sa.bindparam("of_root"),
        task_runs.c.run_id == sa.bindparam("of_run", type_=sa.BigInteger),
    )
    .order_by(task_runs.c.attempt, task_runs.c.scheduled_at, task_runs.c.task)
)


@dataclass(frozen=True, slots=True)
class LastRun:
    """A run of a task, with all times in milliseconds since 1970.

    Args:
        run_id: the id of the graph's run.
        task: the name of the task.
        attempt: the number of the attempt.
        state: the state of the run.
        scheduled_at: when the run was to begin.
        started_at: when the run was claimed; None where its body never began.
        completed_at: when the run ended; None where it goes on.
        error_code: why the run did not succeed.
        error_message: the same in words.
    """

    run_id: int
    task: str
    attempt: int
    state: RunState
    scheduled_at: int
    started_at: int | None
    completed_at: int | None
    error_code: str | None
    error_message: str | None

    @property
    def seconds(self) -> float | None:
        """How long the run took; None where it did not begin, or goes on."""
        if self.started_at is None or self.completed_at is None:
            return None
        return max(self.completed_at - self.started_at, 0) / 1000


@dataclass(frozen=True, slots=True)
class TaskOverview:
    """A task as `icemelt tasks` shows it.

    Args:
        task: the task.
        last: its last run; None where it never ran.
        next_at: the next time of its schedule, in milliseconds since 1970.
        failures: how many runs of a root failed in a row; None for other tasks.
    """

    task: TaskRecord
    last: LastRun | None
    next_at: int | None
    failures: int | None


def find_task_overviews(connection: sa.Connection) -> list[TaskOverview]:
    """Return all live tasks in the order of their names; temporary schemas have none."""
    graphs = {row.root_id: row for row in connection.execute(_GRAPHS)}
    found = []
    for task in sorted(find_live_tasks(connection), key=lambda each: str(each.name.folded)):
        values = {"of_name": task.name.folded.name, "of_task": task.object_id}
        row, graph = connection.execute(_LAST, values).one_or_none(), graphs.get(task.object_id)
        found.append(
            TaskOverview(
                task,
                None if row is None else _run(row),
                None if graph is None else graph.next_scheduled_at,
                None if graph is None else graph.failures,
            )
        )
    return found


def find_manual_run(connection: sa.Connection, root_id: str) -> int | None:
    """Return the id of the last run that EXECUTE TASK asked for; None where there is none."""
    found: int | None = connection.scalar(_MANUAL, {"of_root": root_id})
    return found


def read_graph_run(connection: sa.Connection, root_id: str, run_id: int) -> list[LastRun]:
    """Return the runs of all tasks in a run of a graph, the earliest first.

    Args:
        connection: a connection to the catalog's database.
        root_id: the object id of the root.
        run_id: the id of the graph's run.
    """
    rows = connection.execute(_OF_GRAPH, {"of_root": root_id, "of_run": run_id})
    return [_run(row) for row in rows]


def _run(row: Any) -> LastRun:
    values = row._asdict()
    return LastRun(**{**values, "state": RunState(row.state)})
