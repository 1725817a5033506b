"""The tasks of a lake in numbers: runs under way, failures in a row, live schedulers."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from icemelt.catalog.database import Database
from icemelt.catalog.model import objects, task_graphs, task_runs
from icemelt.catalog.schedulers import find_schedulers
from icemelt.names import QualifiedName
from icemelt.tasks.states import RunState

__all__ = ["TaskNumbers", "read_task_numbers"]

_TASK, _SCHEMA, _DATABASE = (objects.alias(name) for name in ("task", "of_schema", "of_database"))
_FAILURES = task_graphs.c.state["failures"].as_integer()
_FAILING = (
    sa.select(_DATABASE.c.name, _SCHEMA.c.name, _TASK.c.name, _FAILURES)
    .select_from(task_graphs)
    .join(_TASK, _TASK.c.object_id == task_graphs.c.root_id)
    .join(_SCHEMA, _SCHEMA.c.object_id == task_graphs.c.schema_id)
    .join(_DATABASE, _DATABASE.c.object_id == _SCHEMA.c.parent_id)
    .where(_FAILURES > 0)
    .order_by(_FAILURES.desc(), task_graphs.c.root_id)
    .limit(sa.bindparam("most", type_=sa.Integer))
)
_UNDER_WAY = sa.select(sa.func.count()).where(task_runs.c.completed_at.is_(None))
_UNDER_WAY = _UNDER_WAY.where(task_runs.c.state == RunState.EXECUTING.value)


@dataclass(frozen=True, slots=True)
class TaskNumbers:
    """The tasks of a lake in numbers.

    Args:
        under_way: how many runs are executed now.
        schedulers: how many schedulers are alive.
        failures: how many runs of a root failed in a row, by its full name; roots without a failure
            are left out.
    """

    under_way: int
    schedulers: int
    failures: dict[str, int]


def read_task_numbers(connection: sa.Connection, database: Database, most: int) -> TaskNumbers:
    """Return the numbers of the tasks of a lake.

    Args:
        connection: a connection to the catalog's database.
        database: the catalog's database.
        most: how many failing roots are told at most, those with the most failures.
    """
    now = database.clock(connection)
    live = sum(scheduler.is_live(now) for scheduler in find_schedulers(connection))
    failing = connection.execute(_FAILING, {"most": most})
    failures = {str(QualifiedName(*row[:3])): int(row[3]) for row in failing}
    return TaskNumbers(connection.scalar(_UNDER_WAY) or 0, live, failures)
