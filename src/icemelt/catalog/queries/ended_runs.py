"""The end of a run of a task, as the history of tasks has it."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from icemelt.catalog.model import task_runs
from icemelt.tasks.states import RunState

__all__ = ["EndedRun", "find_ended_run"]

# Building a statement takes SQLAlchemy longer than running it: every statement is built once.
_RUN = sa.select(
    task_runs.c.database_name,
    task_runs.c.schema_name,
    *(task_runs.c[name] for name in ("task", "state", "scheduled_at", "started_at")),
    *(task_runs.c[name] for name in ("completed_at", "error_code", "attempt")),
).where(
    task_runs.c.root_id == sa.bindparam("of_root"),
    task_runs.c.run_id == sa.bindparam("of_run", type_=sa.BigInteger),
    task_runs.c.task == sa.bindparam("of_task"),
    task_runs.c.attempt == sa.bindparam("of_attempt", type_=sa.Integer),
)


@dataclass(frozen=True, slots=True)
class EndedRun:
    """A run of a task that is over, with all times in milliseconds since 1970.

    Args:
        database: the database of the task.
        schema: the schema of the task.
        task: the name of the task.
        state: how the run ended.
        scheduled_at: when the run was to begin.
        started_at: when the run was claimed; None where its body never began.
        completed_at: when the run ended.
        error_code: why the run did not succeed; None after a success, and for a false WHEN.
        attempt: the number of the attempt.
    """

    database: str
    schema: str
    task: str
    state: RunState
    scheduled_at: int
    started_at: int | None
    completed_at: int
    error_code: str | None
    attempt: int


def find_ended_run(
    connection: sa.Connection, root_id: str, run_id: int, task: str, attempt: int
) -> EndedRun | None:
    """Return a run of a task that is over; None where it is not over, or forgotten.

    Args:
        connection: a connection to the catalog's database.
        root_id: the object id of the root.
        run_id: the id of the graph's run.
        task: the name of the task.
        attempt: the number of the attempt.
    """
    values = {"of_root": root_id, "of_run": run_id, "of_task": task, "of_attempt": attempt}
    row = connection.execute(_RUN, values).one_or_none()
    if row is None or row.completed_at is None:
        return None
    return EndedRun(
        row.database_name,
        row.schema_name,
        row.task,
        RunState(row.state),
        row.scheduled_at,
        row.started_at,
        row.completed_at,
        row.error_code,
        row.attempt,
    )
