"""The tasks of a schema as graphs: what a statement may make of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from icemelt.catalog.edits import Edit
from icemelt.catalog.records import Wanted
from icemelt.catalog.task_edits import RequireTasks, TaskPlace
from icemelt.catalog.task_records import TaskRecord, find_children, find_dependents
from icemelt.errors import DefinitionRefused, ObjectNotFound
from icemelt.names import ObjectName, QualifiedName, find_nearest, fold
from icemelt.session.ddl.lifecycle import redefine_object
from icemelt.session.ddl.task_options import validate_can_run, validate_task
from icemelt.session.runtime.core import Core

__all__ = ["BECAME_ROOT", "SchemaTasks", "find_tasks", "require_one_schema", "suspend"]

# Snowflake, "SHOW TASKS", last_suspended_reason
BECAME_ROOT = "CHILD_BECAME_ROOT"
_MOST_TASKS = 1_000


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

    def place(self, task: TaskRecord) -> SchemaTasks:
        """Return the tasks with a task made or altered, if the graphs may be so.

        Raises:
            DefinitionRefused: the task may not be at its place, or another task not behind it.
        """
        changed = replace(self, tasks={**self.tasks, fold(task.name.name): task})
        validate_task(task)
        if task.is_started:
            validate_can_run(task)
        changed.validate(task)
        return changed

    def validate(self, task: TaskRecord) -> None:
        """Require that a task is at a place in its graph where it may be.

        Raises:
            ObjectNotFound: a predecessor, or the task to finalize, does not exist.
            DefinitionRefused: the tasks would be behind themselves or too many, a finalizer would
                have a task behind it, or a graph two finalizers, or one of no root.
        """
        parents = [self.find(name) for name in task.after]
        for parent in parents:
            if parent.finalizes is not None:
                raise DefinitionRefused(
                    f"Task {str(parent.name)!r} is a finalizer: no task runs behind it.",
                    hint=f"Name another predecessor, or ALTER TASK {parent.name} UNSET FINALIZE.",
                )
        reached = self.dependents(task)
        behind = {each.object_id for each in reached}
        for parent in parents:
            if parent.object_id in behind:
                raise DefinitionRefused(
                    f"Task {str(task.name)!r} would run behind itself: {parent.name.name!r} runs "
                    "behind it already.",
                    hint=f"Leave {parent.name.name} out of AFTER.",
                )
        self._validate_finalizers(task)
        graph = {each.object_id for root in self._roots(task) for each in self.dependents(root)}
        if len(graph) > _MOST_TASKS:
            raise DefinitionRefused(
                f"A graph has up to {_MOST_TASKS:,} tasks, found {len(graph):,}.",
                hint="Split it: a task of its own with SYSTEM$STREAM_HAS_DATA in WHEN follows on.",
            )

    def _validate_finalizers(self, task: TaskRecord) -> None:
        """Require that a task and its root have one finalizer at most, and that it is last."""
        children = self.children(task)
        if task.finalizes is None:
            if not task.is_root and (of := [c for c in children if c.finalizes is not None]):
                raise DefinitionRefused(
                    f"Task {str(of[0].name)!r} finalizes task {str(task.name)!r}, which has to "
                    "be a root task.",
                    hint=f"ALTER TASK {of[0].name} UNSET FINALIZE",
                )
            return
        if children:
            raise DefinitionRefused(
                f"Task {str(task.name)!r} is a finalizer: no task runs behind it, as "
                f"{children[0].name.name!r} does.",
                hint=f"ALTER TASK {children[0].name} REMOVE AFTER {task.name.name}",
            )
        root = self.find(task.finalizes)
        if not root.is_root or root.object_id == task.object_id:
            raise DefinitionRefused(
                f"Task {str(root.name)!r} is no root task, and FINALIZE names one.",
                hint="SHOW TASKS ROOT ONLY lists the root tasks.",
            )
        others = [c for c in self.children(root) if c.finalizes is not None]
        others = [each for each in others if each.object_id != task.object_id]
        if others:
            raise DefinitionRefused(
                f"Task {str(root.name)!r} has a finalizer, {others[0].name.name!r}, and one is as "
                "many as may be.",
                hint=f"ALTER TASK {others[0].name} UNSET FINALIZE",
            )

    def _roots(self, task: TaskRecord) -> list[TaskRecord]:
        """Return the root tasks above a task; the graph has no cycle."""
        reached, pending = {task.object_id: task}, [task]
        for each in pending:
            above = each.after if each.finalizes is None else (each.finalizes,)
            for name in above:
                parent = self.find(name)
                if parent.object_id not in reached:
                    reached[parent.object_id] = parent
                    pending.append(parent)
        return [each for each in reached.values() if each.is_root]

    def without(self, gone: str) -> Iterator[TaskRecord]:
        """Yield the tasks that a task leaves behind, as they are without it.

        Args:
            gone: the own name of the task.
        """
        for task in self.tasks.values():
            if task.is_after(gone):
                after = tuple(name for name in task.after if fold(name) != fold(gone))
                yield self.settle(task, replace(task, after=after))
            elif task.finalizes is not None and fold(task.finalizes) == fold(gone):
                yield self.settle(task, replace(task, finalizes=None))

    def leave_behind(self, gone: str) -> tuple[Edit, ...]:
        """Return the edits of the tasks that a task leaves behind, by its own name."""
        return tuple(
            edit
            for task in self.without(gone)
            for edit in redefine_object(self.find(task.name.name), task)
        )

    def settle(self, before: TaskRecord, after: TaskRecord) -> TaskRecord:
        """Return a task after an alteration: a child that became a root is suspended."""
        if before.is_root or not after.is_root:
            return after
        return suspend(after, BECAME_ROOT, self.now)

    def children(self, task: TaskRecord) -> list[TaskRecord]:
        """Return the direct dependents of a task, its finalizer last."""
        return find_children(self.tasks.values(), task)

    def dependents(self, task: TaskRecord) -> list[TaskRecord]:
        """Return a task and all tasks behind it, each once, the nearest first."""
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


def suspend(task: TaskRecord, reason: str, now: int) -> TaskRecord:
    """Return a task as suspended.

    Args:
        task: the task.
        reason: why, in Snowflake's words.
        now: the time, in milliseconds since 1970.
    """
    return replace(task, is_started=False, suspended_at=now, suspended_reason=reason)
