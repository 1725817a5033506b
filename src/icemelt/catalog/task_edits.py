"""The changes of the registry by tasks: what keeps a schema's tasks a graph, and their runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from icemelt.tasks.events import Event

__all__ = ["ApplyTaskEvent", "RequireTasks", "TaskPlace"]


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


@dataclass(frozen=True, slots=True)
class ApplyTaskEvent:
    """Apply an event to the runs of a root task, in the publication's own SQL transaction.

    The end of a run is published with what its body has written: where the run is not the holder's
    any more, nothing is published (`RunLost`).

    Args:
        root_id: the object id of the root.
        event: what has happened.
    """

    root_id: str
    event: Event
