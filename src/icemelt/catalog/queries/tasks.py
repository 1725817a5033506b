"""Read tasks of all schemas, for a scheduler."""

from __future__ import annotations

import sqlalchemy as sa

from icemelt.catalog.queries.definitions import defined_by_id, defined_query, defined_record
from icemelt.catalog.queries.reading import table_row
from icemelt.catalog.task_records import TaskRecord

__all__ = ["find_live_tasks", "find_triggered_tasks", "task_by_id"]

_LIVE = defined_query().where(table_row.c.kind == TaskRecord.kind, table_row.c.dropped_at.is_(None))


def find_live_tasks(connection: sa.Connection) -> list[TaskRecord]:
    """Return the tasks of all schemas that were not dropped."""
    tasks = (defined_record(row) for row in connection.execute(_LIVE))
    return [task for task in tasks if isinstance(task, TaskRecord)]


def find_triggered_tasks(connection: sa.Connection) -> list[TaskRecord]:
    """Return the resumed root tasks that run when their conditions come true."""
    return [
        task
        for task in find_live_tasks(connection)
        if task.is_started and task.is_root and task.condition is not None and task.schedule is None
    ]


def task_by_id(connection: sa.Connection, object_id: str) -> TaskRecord | None:
    """Return the task of an id, live or dropped; None where there is none."""
    record = defined_by_id(connection, object_id)
    return record if isinstance(record, TaskRecord) else None
