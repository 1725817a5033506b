"""The tasks of a schema as graphs: what a statement may make of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from icemelt.catalog.edits import Edit
from icemelt.catalog.records import Wanted
from icemelt.catalog.task_edits import RequireTasks, TaskPlace
from icemelt.catalog.task_records import TaskRecord, find_children, find_dependents
from icemelt.errors import DefinitionRefused, ObjectNotFound
from icemelt.names import ObjectName, QualifiedName, find_nearest, fold, identifier
from icemelt.session.ddl.lifecycle import redefine_object
from icemelt.session.ddl.task_options import validate_can_run
from icemelt.session.runtime.core import Core
from icemelt.tasks.graph import GraphVersion, split_graphs
from icemelt.tasks.states import SuspendedReason

__all__ = ["SchemaTasks", "find_tasks", "find_tasks_around", "require_one_schema", "suspend"]


@dataclass(frozen=True, slots=True)
class SchemaTasks:
    """The live tasks of a schema at one moment.

    Args:
        schema_id: the object id of the schema.
        tasks: the tasks by folded own name.
        now: the time, in milliseconds since 1970.
    """

    schema_id: str
    tasks: Mapping[str, TaskRecord]
    now: int

    @property
    def requirement(self) -> RequireTasks:
        """The edit that lets a publication fail where the graphs have changed meanwhile."""
        places = {
            task.object_id: TaskPlace(task.name.name, task.after, task.finalizes)
            for task in self.tasks.values()
        }
        return RequireTasks(self.schema_id, places)

    def find(self, name: str) -> TaskRecord:
        """Return the task with an own name.

        Raises:
            ObjectNotFound: the schema has no such task.
        """
        found = self.tasks.get(fold(name))
        if found is not None:
            return found
        close = find_nearest(name, [task.name.name for task in self.tasks.values()])
        raise ObjectNotFound(
            f"Task {name!r} does not exist in the schema: the tasks of a graph are in one schema.",
            hint=f"Did you mean {close!r}?" if close else "SHOW TASKS lists the tasks.",
        )

    def spell(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return own names as the tasks are spelled, each once.

        Raises:
            ObjectNotFound: the schema has no such task.
        """
        return tuple(dict.fromkeys(self.find(name).name.name for name in names))

    def require_place(self, task: TaskRecord) -> None:
        """Require that a task, new or altered, can be at its place among the tasks.

        Raises:
            DefinitionRefused: the task may not be at its place, or a dependent not at its own.
        """
        if task.is_started:
            validate_can_run(task)
        try:
            replace(self, tasks={**self.tasks, fold(task.name.name): task}).require_graph(task)
        except DefinitionRefused as error:
            before = self.tasks.get(fold(task.name.name))
            is_new = before is None or before.object_id != task.object_id
            raise _as_of_statement(error, task, is_new=is_new) from error

    def require_graph(self, task: TaskRecord) -> None:
        """Require that a task, its predecessors and its dependents are one graph.

        Raises:
            DefinitionRefused: the tasks are no graph, as `GraphVersion` tells.
        """
        neighbours: dict[str, set[str]] = {}
        for other in self.tasks.values():
            own = other.name.name
            for name in (*other.after, *filter(None, [other.finalizes])):
                neighbours.setdefault(own, set()).add(name)
                neighbours.setdefault(name, set()).add(own)
        bound, pending = {task.name.name}, [task.name.name]
        for name in pending:
            more = neighbours.get(name, set()) - bound
            bound |= more
            pending += sorted(more)
        GraphVersion(0, tuple(self.find(name).in_graph for name in pending))

    def start(self, tasks: Iterable[TaskRecord]) -> list[TaskRecord]:
        """Return tasks of one graph as started; a task that is started already stays as it is.

        Raises:
            DefinitionRefused: nothing would start a task, or the tasks are no graph.
        """
        started = [
            task if task.is_started else replace(task, is_started=True, resumed_at=self.now)
            for task in tasks
        ]
        for task in started:
            validate_can_run(task)
        changed = {fold(task.name.name): task for task in started}
        replace(self, tasks={**self.tasks, **changed}).require_graph(started[0])
        return started

    def release_dependents(self, gone: str) -> tuple[Edit, ...]:
        """Return the edits of the children and the finalizer of a dropped task, by its own name."""
        return tuple(
            edit
            for task in self.tasks.values()
            for edit in redefine_object(task, self.settle(task, _without(task, gone)))
        )

    def find_new_roots(self, gone: str) -> list[TaskRecord]:
        """Return the tasks that nothing is before once a task of an own name is dropped."""
        left = [(task, _without(task, gone)) for task in self.tasks.values()]
        return [after for before, after in left if after.is_root and not before.is_root]

    def find_torn(self, gone: str) -> list[TaskRecord]:
        """Return the tasks that run after two roots once a task of an own name is dropped."""
        others = [task for task in self.tasks.values() if fold(task.name.name) != fold(gone)]
        running = _find_members(self.tasks.values())
        left = _find_members(_without(task, gone) for task in others)
        return [task for task in others if task.object_id in running - left]

    def find_root(self, task: TaskRecord) -> TaskRecord:
        """Return the first root above a task; the task itself where it is one."""
        while above := (*task.after, *filter(None, [task.finalizes])):
            task = self.find(above[0])
        return task

    def settle(self, before: TaskRecord, after: TaskRecord) -> TaskRecord:
        """Return a task after an alteration: one that became a root is suspended."""
        if before.is_root or not after.is_root:
            return after
        child, finalizer = SuspendedReason.CHILD_BECAME_ROOT, SuspendedReason.FINALIZER_BECAME_ROOT
        return suspend(after, finalizer if before.finalizes is not None else child, self.now)

    def children(self, task: TaskRecord) -> list[TaskRecord]:
        """Return the direct dependents of a task, its finalizer last."""
        return find_children(self.tasks.values(), task)

    def dependents(self, task: TaskRecord) -> list[TaskRecord]:
        """Return a task and its dependents, each task once, the nearest first."""
        return find_dependents(self.tasks.values(), task)


def find_tasks(core: Core, place: QualifiedName, schema_id: str) -> SchemaTasks:
    """Return the tasks of the schema of a full name, as of now.

    Args:
        core: the session's parts.
        place: a name in the schema.
        schema_id: the object id of the schema.
    """
    wanted = Wanted(frozenset({TaskRecord.kind}), (place.database, place.schema))
    listing = core.newest.list_objects(wanted)
    tasks = {fold(task.name.name): task for task in listing.of(TaskRecord)}
    return SchemaTasks(schema_id, tasks, listing.now)


def find_tasks_around(core: Core, name: QualifiedName) -> SchemaTasks:
    """Return the tasks of the schema of a task, by the task's full name, as of now."""
    schema_id = core.schema_of(name.database, name.schema).object_id
    return find_tasks(core, name, schema_id)


def require_one_schema(place: QualifiedName, names: Iterable[ObjectName]) -> tuple[str, ...]:
    """Return the own names of tasks of a graph; a short name belongs to the task's schema.

    Args:
        place: the full name of a task of the graph.
        names: the names of other tasks of the graph, as written.

    Raises:
        DefinitionRefused: a task is in another schema.
    """
    own = []
    for name in names:
        full = name.within(place.database, place.schema)
        if (full.folded.database, full.folded.schema) != (
            place.folded.database,
            place.folded.schema,
        ):
            raise DefinitionRefused(
                f"Task {str(full)!r} is in another schema than {str(place)!r}: the tasks of a "
                "graph are in one schema.",
                hint=f"CREATE TASK {place.database}.{place.schema}.{full.name} … makes it there.",
            )
        own.append(full.name)
    return tuple(own)


def suspend(task: TaskRecord, reason: SuspendedReason, now: int) -> TaskRecord:
    """Return a task as suspended.

    Args:
        task: the task.
        reason: why.
        now: the time, in milliseconds since 1970.
    """
    return replace(task, is_started=False, suspended_at=now, suspended_reason=reason.value)


def _as_of_statement(
    error: DefinitionRefused, task: TaskRecord, *, is_new: bool
) -> DefinitionRefused:
    """Return a graph's error with a hint that is true while the statement is refused.

    The hints of a graph alter its tasks. What the refused statement would have made is not there:
    neither a new task, nor a new predecessor of an old one.

    Args:
        error: the error.
        task: the task as the statement would have it.
        is_new: whether the statement makes the task.
    """
    change = error.hint.removeprefix(f"ALTER TASK {identifier(task.name.name)} ")
    verb, _, clause = change.partition(" ")
    if change == error.hint or not (is_new or verb == "REMOVE"):
        return error
    hint = f"Write {clause}." if verb in ("SET", "ADD") else f"Leave {clause} out."
    return DefinitionRefused(error.message, hint=hint)


def _find_members(tasks: Iterable[TaskRecord]) -> set[str]:
    """Return the object ids of the tasks that are in a graph."""
    graphs = split_graphs({task.name.name: task.node for task in tasks})
    return {task.object_id for graph in graphs.values() for task in graph}


def _without(task: TaskRecord, gone: str) -> TaskRecord:
    """Return a task that no longer runs after a dropped task, nor finalizes its graph."""
    after = tuple(name for name in task.after if fold(name) != fold(gone))
    is_finalizer = task.finalizes is not None and fold(task.finalizes) == fold(gone)
    return replace(task, after=after, finalizes=None if is_finalizer else task.finalizes)
