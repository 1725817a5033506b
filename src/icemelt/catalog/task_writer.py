"""Compare the tasks of a schema, inside the SQL transaction of a publication."""

from __future__ import annotations

import sqlalchemy as sa

from icemelt.catalog.model import definitions, objects
from icemelt.catalog.outcomes import NotPublishedError, TableChanged
from icemelt.catalog.task_edits import RequireTasks, TaskPlace
from icemelt.catalog.task_graph_writer import take_graphs
from icemelt.catalog.task_records import TaskRecord

__all__ = ["require_tasks"]

_TASKS = (
    sa.select(objects.c.object_id, objects.c.name, definitions.c.definition)
    .join(definitions, definitions.c.object_id == objects.c.object_id)
    .where(
        # as the index of live objects has it
        sa.func.coalesce(objects.c.parent_id, "") == sa.bindparam("schema_id"),
        objects.c.kind == TaskRecord.kind,
        objects.c.dropped_at.is_(None),
    )
)


def require_tasks(connection: sa.Connection, edit: RequireTasks) -> None:
    """Compare the live tasks of a schema with those that a statement has checked.

    Raises:
        NotPublishedError: a task was made, dropped, or got another place meanwhile.
    """
    take_graphs(connection, edit.schema_id)
    rows = connection.execute(_TASKS, {"schema_id": edit.schema_id})
    places = {
        row.object_id: TaskPlace(
            row.name, tuple(row.definition["after"]), row.definition["finalizes"]
        )
        for row in rows
    }
    if places != edit.places:
        raise NotPublishedError(TableChanged(edit.schema_id))
