"""Graphs that this machine cannot read, as a former icemelt or another machine may leave them."""

from __future__ import annotations

import json

import sqlalchemy as sa

from icemelt.catalog.database import Database
from icemelt.catalog.model import definitions, task_graph_versions, task_graphs
from icemelt.tasks.documents import digest_tasks

__all__ = ["ZONE", "damage_state", "move_to_mars"]

ZONE = "Europe/Berlin"


def move_to_mars(database: Database, root_id: str) -> None:
    """Put a zone that nobody knows in the place of `ZONE`, in a root's definition and graph."""
    of_root = task_graph_versions.c.root_id == root_id
    of_definition = definitions.c.object_id == root_id
    with database.write_unordered() as connection:
        definition = connection.scalar(sa.select(definitions.c.definition).where(of_definition))
        connection.execute(
            definitions.update().where(of_definition).values(definition=_on_mars(definition))
        )
        for number, tasks in connection.execute(
            sa.select(task_graph_versions.c.number, task_graph_versions.c.tasks).where(of_root)
        ).all():
            changed = _on_mars(tasks)
            digest = digest_tasks(changed)
            connection.execute(
                task_graph_versions.update()
                .where(of_root, task_graph_versions.c.number == number)
                .values(tasks=changed, digest=digest)
            )
            connection.execute(
                task_graphs.update()
                .where(task_graphs.c.root_id == root_id, task_graphs.c.graph_version == number)
                .values(digest=digest)
            )


def damage_state(database: Database, root_id: str) -> None:
    """Damage the document of a root's state."""
    with database.write_unordered() as connection:
        connection.execute(
            task_graphs.update().where(task_graphs.c.root_id == root_id).values(state={"graph": 1})
        )


def _on_mars(document: object) -> object:
    return json.loads(json.dumps(document).replace(ZONE, "Mars/Base"))
