"""The record of a task."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from graphlib import TopologicalSorter
from typing import Any, ClassVar, Self

from icemelt.names import QualifiedName, fold
from icemelt.tasks.graph import Task, select_graph
from icemelt.tasks.schedule import parse_schedule
from icemelt.tasks.states import OverlapPolicy, SuspendedReason

__all__ = ["TaskRecord", "find_children", "find_dependents"]

# Snowflake, "CREATE TASK": 0 asks for the longest timeout
_LONGEST_TIMEOUT = timedelta(days=7)
# the options that a graph knows: the field of `Task`, and what reads the value
_GRAPH_OPTIONS: Mapping[str, tuple[str, Callable[[str], object]]] = {
    "CONFIG": ("config", str),
    "OVERLAP_POLICY": ("overlap_policy", OverlapPolicy),
    "SCHEDULE": ("schedule", parse_schedule),
    "SUSPEND_TASK_AFTER_NUM_FAILURES": ("failures_to_suspend", int),
    "TASK_AUTO_RETRY_ATTEMPTS": ("auto_retry_attempts", int),
    "USER_TASK_MINIMUM_TRIGGER_INTERVAL_IN_SECONDS": (
        "trigger_interval",
        lambda value: timedelta(seconds=int(value)),
    ),
    "USER_TASK_TIMEOUT_MS": (
        "timeout",
        lambda value: timedelta(milliseconds=int(value)) or _LONGEST_TIMEOUT,
    ),
}


@dataclass(frozen=True, slots=True)
class TaskRecord:
    """A task: a statement, or a block of statements, that runs at times or after other tasks.

    The tasks of a graph are in one schema, and know each other by their own names there.

    Args:
        object_id: the task's object id.
        name: the full name; short names in the body belong to the task's schema.
        owner: the user who made the task.
        comment: the comment, None without a comment.
        created_at: when the task was made.
        body: the text after AS.
        options: the values as written, by the options' upper-case names: `SCHEDULE`, `CONFIG`,
            `USER_TASK_TIMEOUT_MS`, parameters of sessions, and those of warehouses, which are kept
            and shown.
        after: the own names of the predecessors.
        finalizes: the own name of the root task whose graph the task finalizes, None for none.
        condition: the text after WHEN, None without a condition.
        is_started: whether the task runs; a new task is suspended.
        resumed_at: when the task was resumed last, in milliseconds since 1970; None for never.
        suspended_at: when the task was suspended last, likewise.
        suspended_reason: why the task was suspended last, in Snowflake's words; None for never.
        run_within: the places below which the body may read and write files, as the session might
            that wrote the body; None for all places.
        written_by: the user who wrote the body; None for the owner.
        dropped_at: when the task was dropped, None for a live task.
    """

    kind: ClassVar[str] = "task"

    object_id: str
    name: QualifiedName
    owner: str
    comment: str | None
    created_at: int
    body: str
    options: Mapping[str, str] = field(default_factory=dict, hash=False)
    after: tuple[str, ...] = ()
    finalizes: str | None = None
    condition: str | None = None
    is_started: bool = False
    resumed_at: int | None = None
    suspended_at: int | None = None
    suspended_reason: str | None = None
    run_within: tuple[str, ...] | None = None
    written_by: str | None = None
    dropped_at: int | None = None

    @property
    def author(self) -> str:
        """The user who wrote the body: as this user the body runs."""
        return self.written_by or self.owner

    @property
    def client(self) -> str | None:
        """The client of a server who wrote the body; None for who runs the lake."""
        return None if self.run_within is None else self.author

    @property
    def is_root(self) -> bool:
        """Whether the task starts a graph: it has no predecessors, and finalizes nothing."""
        return not self.after and self.finalizes is None

    @property
    def schedule(self) -> str | None:
        """The text of SCHEDULE, None without a schedule."""
        return self.options.get("SCHEDULE")

    @property
    def config(self) -> str | None:
        """The text of CONFIG, a JSON object; None without one."""
        return self.options.get("CONFIG")

    @property
    def overlap_policy(self) -> OverlapPolicy:
        """How runs of the graph may overlap."""
        return OverlapPolicy(self.options.get("OVERLAP_POLICY", OverlapPolicy.NO_OVERLAP))

    def is_after(self, name: str) -> bool:
        """Tell whether a task of the schema is a predecessor, by its own name in any case."""
        return fold(name) in map(fold, self.after)

    @property
    def node(self) -> Task:
        """The task as its place in the graph alone, whatever its options are."""
        return Task(
            self.name.name,
            self.name.namespace,
            self.after,
            self.finalizes,
            is_suspended=not self.is_started,
            object_id=self.object_id,
        )

    @property
    def in_graph(self) -> Task:
        """The task as its graph knows it; an option that it lacks has the default of `Task`.

        Raises:
            DefinitionRefused: this machine lacks the time zone of the schedule.
            ValueError: an option has a value that this icemelt does not know.
        """
        reason = self.suspended_reason
        settings: dict[str, Any] = {
            field_name: read(self.options[option])
            for option, (field_name, read) in _GRAPH_OPTIONS.items()
            if option in self.options
        }
        return Task(
            self.name.name,
            self.name.namespace,
            self.after,
            self.finalizes,
            is_suspended=not self.is_started,
            suspended_reason=None if reason is None else SuspendedReason(reason),
            condition=self.condition,
            object_id=self.object_id,
            owner=self.owner,
            body=self.body,
            options=tuple(
                sorted((k, v) for k, v in self.options.items() if k not in _GRAPH_OPTIONS)
            ),
            run_within=self.run_within,
            written_by=self.written_by,
            **settings,
        )

    def as_new(self, run_within: tuple[str, ...] | None, author: str) -> Self:
        """Return the task as its clone begins: suspended, as if it had never run.

        Args:
            run_within: the places below which the clone may read and write files.
            author: the user as whom the body of the clone runs.
        """
        return replace(
            self,
            is_started=False,
            resumed_at=None,
            suspended_at=None,
            suspended_reason=None,
            run_within=run_within,
            written_by=author,
        )

    @property
    def definition(self) -> Mapping[str, Any]:
        """The body, the options, the place in the graph and the state, as in the registry."""
        definition = {
            "body": self.body,
            "options": dict(self.options),
            "after": list(self.after),
            "finalizes": self.finalizes,
            "condition": self.condition,
            "is_started": self.is_started,
            "resumed_at": self.resumed_at,
            "suspended_at": self.suspended_at,
            "suspended_reason": self.suspended_reason,
            "run_within": None if self.run_within is None else list(self.run_within),
        }
        # a definition that is altered is compared with the one in the registry
        return (
            definition if self.written_by is None else {**definition, "written_by": self.written_by}
        )

    @classmethod
    def from_definition(
        cls, definition: Mapping[str, Any], session_id: str | None, **common: Any
    ) -> Self:
        """Return the task of a definition.

        Raises:
            ValueError: the object is temporary, as no task is.
        """
        if session_id is not None:
            raise ValueError(session_id)
        within = definition["run_within"]
        values = {
            **definition,
            "after": tuple(definition["after"]),
            "run_within": None if within is None else tuple(within),
        }
        return cls(**values, **common)


def find_children(tasks: Iterable[TaskRecord], task: TaskRecord) -> list[TaskRecord]:
    """Return the direct dependents of a task among the tasks of its schema, its finalizer last."""
    name = task.name.name
    listed = list(tasks)
    children = [other for other in listed if other.is_after(name)]
    finalizers = [
        other
        for other in listed
        if other.finalizes is not None and fold(other.finalizes) == fold(name)
    ]
    return [*children, *finalizers]


def find_dependents(tasks: Iterable[TaskRecord], task: TaskRecord) -> list[TaskRecord]:
    """Return a task and its dependents in its schema, a finalizer last.

    Each task comes after those that it runs after: in this order the tasks can be created.
    """
    records = {record.name.name: record for record in tasks}
    graph = select_graph(task.name.name, [record.node for record in records.values()])
    members = {member.name: member for member in graph}
    before = {name: members.keys() & member.predecessors for name, member in members.items()}
    depths: dict[str, int] = {}
    for name in TopologicalSorter(before).static_order():
        depths[name] = 1 + max((depths[above] for above in before[name]), default=0)
    # what finalizes the graph is after all of it, with no predecessor
    last = len(members) + 1
    return sorted(
        (records[name] for name in members),
        key=lambda record: last if record.finalizes is not None else depths[record.name.name],
    )
