"""The change of the registry that keeps the tasks of a schema a graph."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["RequireTasks", "TaskPlace"]


@dataclass(frozen=True, slots=True)
class TaskPlace:
    """The place of a task in its graph.

    Args:
        name: the task's own name.
        after: the own names of the predecessors.
        finalizes: the own name of the root task that the task finalizes, None for none.
    """

    name: str
    after: tuple[str, ...] = ()
    finalizes: str | None = None


@dataclass(frozen=True, slots=True)
class RequireTasks:
    """Require that a schema has the tasks that a statement has checked, each at its place.

    Two statements that are right one by one may make a circle together. This comes before the edits
    of the statement, and changes nothing.

    Args:
        schema_id: the object id of the schema.
        places: the place of each live task of the schema, by object id.
    """

    schema_id: str
    places: Mapping[str, TaskPlace]
