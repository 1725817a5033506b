"""A task graph: tasks of one schema that run after each other, from one root.

A `GraphVersion` is a graph as it is when a run of it begins; a run keeps its version, whatever is
changed meanwhile. A graph that contradicts itself cannot be made.

>>> from icemelt.tasks.schedule import parse_schedule
>>> root = Task("load", "main.public", schedule=parse_schedule("10 MINUTES"), is_suspended=False)
>>> child = Task("clean", "main.public", predecessors=("load",), is_suspended=False)
>>> graph = GraphVersion(1, (root, child))
>>> graph.root.name, [task.name for task in graph.children("load")]
('load', ['clean'])
>>> GraphVersion(2, (replace(root, predecessors=("clean",), schedule=None), child))
Traceback (most recent call last):
icemelt.errors.DefinitionRefused: Tasks 'load', 'clean' run after each other in a circle.
Hint: ALTER TASK load REMOVE AFTER clean
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

from icemelt.errors import DefinitionRefused
from icemelt.names import identifier
from icemelt.tasks.schedule import Schedule
from icemelt.tasks.states import OverlapPolicy, SuspendedReason

__all__ = [
    "MOST_TASKS",
    "WEBHOOK_OPTIONS",
    "GraphVersion",
    "Task",
    "require_resumable",
    "select_graph",
    "split_graphs",
]

MOST_TASKS = 1_000
WEBHOOK_OPTIONS = ("ERROR_INTEGRATION", "SUCCESS_INTEGRATION")
_DEFAULT_TIMEOUT = timedelta(hours=1)
_DEFAULT_TRIGGER_INTERVAL = timedelta(seconds=30)
_DEFAULT_FAILURES = 10


@dataclass(frozen=True, slots=True)
class Task:
    """What a graph knows of a task. None is a setting that the task's definition does not have.

    Attributes:
        name: The task's name, as its predecessors and its finalizer name it.
        schema: The schema of the task.
        predecessors: The tasks of AFTER.
        finalizes: The root of FINALIZE.
        is_suspended: Whether the task is suspended, as new tasks are.
        suspended_reason: Why the task was suspended last.
        schedule: The schedule of SCHEDULE; of a root alone.
        condition: The text of WHEN.
        config: The JSON text of CONFIG; of a root alone.
        overlap_policy: OVERLAP_POLICY; of a root alone.
        auto_retry_attempts: TASK_AUTO_RETRY_ATTEMPTS; of a root alone.
        failures_to_suspend: SUSPEND_TASK_AFTER_NUM_FAILURES; 0 suspends never.
        timeout: USER_TASK_TIMEOUT_MS.
        trigger_interval: USER_TASK_MINIMUM_TRIGGER_INTERVAL_IN_SECONDS.
        object_id: The id of the task in the catalog.
        owner: The user who made the task.
        body: The text after AS.
        options: The other options of the definition, session parameters among them, with their
            values as written, in the order of their names.
        run_within: The places below which the body may read and write files; None for all.
        written_by: The user who wrote the body; None for the owner.
    """

    name: str
    schema: str
    predecessors: tuple[str, ...] = ()
    finalizes: str | None = None
    is_suspended: bool = True
    suspended_reason: SuspendedReason | None = None
    schedule: Schedule | None = None
    condition: str | None = None
    config: str | None = None
    overlap_policy: OverlapPolicy | None = None
    auto_retry_attempts: int | None = None
    failures_to_suspend: int = _DEFAULT_FAILURES
    timeout: timedelta = _DEFAULT_TIMEOUT
    trigger_interval: timedelta = _DEFAULT_TRIGGER_INTERVAL
    object_id: str = ""
    owner: str = ""
    body: str = ""
    options: tuple[tuple[str, str], ...] = ()
    run_within: tuple[str, ...] | None = None
    written_by: str | None = None

    @property
    def client(self) -> str | None:
        """The client of a server who wrote the body; None for who runs the lake."""
        return None if self.run_within is None else self.written_by or self.owner

    @property
    def is_triggered(self) -> bool:
        """Whether publications make the task run: it has a condition, and no schedule."""
        return self.condition is not None and self.schedule is None

    def option(self, name: str) -> str | None:
        """Return an option that is none of the fields, as written; None where the task has none."""
        return dict(self.options).get(name)

    @property
    def root_settings(self) -> dict[str, str]:
        """The clauses of the definition that only a root may have; each with how to unset it."""
        given = {
            "SCHEDULE": self.schedule,
            "CONFIG": self.config,
            "OVERLAP_POLICY": self.overlap_policy,
            "TASK_AUTO_RETRY_ATTEMPTS": self.auto_retry_attempts,
            **{name: self.option(name) for name in WEBHOOK_OPTIONS},
        }
        return {
            clause: f"{_alter(self.name)} UNSET {clause}"
            for clause, value in given.items()
            if value is not None
        }


@dataclass(frozen=True, slots=True)
class GraphVersion:
    """A graph with its number; each change of a task makes the next version.

    Attributes:
        number: GRAPH_VERSION in TASK_HISTORY.
        tasks: The tasks of the graph, its root and its finalizer included, in any order.

    Raises:
        DefinitionRefused: The tasks are no graph: there is a circle, a second root, a setting that
            only a root may have, or another of the cases of section 13 of the semantics.
    """

    number: int
    tasks: tuple[Task, ...]
    _by_name: Mapping[str, Task] = field(init=False, repr=False, compare=False)
    _children: Mapping[str, tuple[Task, ...]] = field(init=False, repr=False, compare=False)
    _root: Task = field(init=False, repr=False, compare=False)
    _finalizer: Task | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        by_name = {task.name: task for task in self.tasks}
        _validate_names(self.tasks, by_name)
        for task in self.tasks:
            _validate_links(task, by_name)
        _validate_no_circle(self.tasks, by_name)
        for task in self.tasks:
            _validate_settings(task)
        root = _validate_one_root(self.tasks)
        finalizer = _validate_finalizer(self.tasks, root)
        if len(self.tasks) > MOST_TASKS:
            raise DefinitionRefused(
                f"The graph of task {root.name!r} would have {len(self.tasks):,} tasks, "
                f"at most {MOST_TASKS:,} may be in one.",
                hint="Give some of the tasks a root of their own: CREATE TASK … SCHEDULE = …",
            )
        children: dict[str, list[Task]] = {name: [] for name in by_name}
        for task in self.tasks:
            for predecessor in task.predecessors:
                children[predecessor].append(task)
        set_field = object.__setattr__
        set_field(self, "_by_name", by_name)
        set_field(self, "_children", {name: tuple(found) for name, found in children.items()})
        set_field(self, "_root", root)
        set_field(self, "_finalizer", finalizer)

    @property
    def root(self) -> Task:
        """The task that has no predecessors and is no finalizer."""
        return self._root

    @property
    def finalizer(self) -> Task | None:
        """The task that runs last; None where the graph has none."""
        return self._finalizer

    @property
    def overlap_policy(self) -> OverlapPolicy:
        """What may begin while a run of the graph goes on."""
        return self._root.overlap_policy or OverlapPolicy.NO_OVERLAP

    def task(self, name: str) -> Task:
        """Return a task of the graph by its name."""
        return self._by_name[name]

    def children(self, name: str) -> tuple[Task, ...]:
        """Return the tasks that run after a task."""
        return self._children[name]

    def runs_as(self, other: GraphVersion) -> bool:
        """Tell whether two versions define the same runs.

        Whether the root is resumed is left out: so a graph that failures have suspended is not a
        changed one, and can be retried. So is why a task was suspended last.
        """
        return self._definition() == other._definition()

    def _definition(self) -> frozenset[Task]:
        root = replace(self._root, is_suspended=True)
        tasks = (root if task is self._root else task for task in self.tasks)
        return frozenset(replace(task, suspended_reason=None) for task in tasks)

    def suspend_root(self, reason: SuspendedReason) -> GraphVersion:
        """Return the next version, whose root is suspended."""
        root = replace(self._root, is_suspended=True, suspended_reason=reason)
        tasks = tuple(root if task is self._root else task for task in self.tasks)
        return GraphVersion(self.number + 1, tasks)


def require_resumable(task: Task) -> None:
    """Check that a task would ever run if it were resumed.

    Raises:
        DefinitionRefused: The task is a root with neither SCHEDULE nor WHEN.
    """
    is_root = not task.predecessors and task.finalizes is None
    if is_root and task.schedule is None and task.condition is None:
        raise DefinitionRefused(
            f"Task {task.name!r} has neither SCHEDULE nor WHEN: resumed, it would never run.",
            hint=f"{_alter(task.name)} SET SCHEDULE = '10 MINUTES', or EXECUTE TASK "
            f"{identifier(task.name)}",
        )


# ---------------------------------------------------------- graphs among the tasks of a schema


def select_graph(root: str, tasks: Iterable[Task]) -> tuple[Task, ...]:
    """Return the tasks of a root's graph out of the tasks of a schema, the root first.

    Shape: `load`, its children, their children, and so on; the finalizer of `load` last.
    """
    pool = tuple(tasks)
    names = _find_names_below(root, _find_children(pool))
    by_name = {task.name: task for task in pool}
    selected = {name: by_name[name] for name in names if name in by_name}
    selected |= {task.name: task for task in pool if task.finalizes == root}
    return tuple(selected.values())


def split_graphs(tasks: Mapping[str, Task]) -> dict[str, tuple[Task, ...]]:
    """Return the graphs of the tasks of a schema by the names of their roots, the root first.

    A task that runs after two roots, as the DROP of a task may leave it, is in no graph, nor are
    the tasks after it: the others of both graphs run without them.

    Args:
        tasks: the tasks by name.
    """
    pool = tuple(tasks.values())
    children = _find_children(pool)
    finalizers: dict[str, list[str]] = {}
    for task in pool:
        if task.finalizes is not None:
            finalizers.setdefault(task.finalizes, []).append(task.name)
    named = {
        task.name: _find_names_below(task.name, children) + finalizers.get(task.name, [])
        for task in pool
        if task.finalizes not in tasks and tasks.keys().isdisjoint(task.predecessors)
    }
    counts = Counter(name for names in named.values() for name in names)
    return {
        root: tuple(tasks[name] for name in names if counts[name] == 1)
        for root, names in named.items()
    }


def _find_children(tasks: Iterable[Task]) -> dict[str, list[str]]:
    """Return the names of the tasks that run directly after each task."""
    children: dict[str, list[str]] = {}
    for task in tasks:
        for predecessor in task.predecessors:
            children.setdefault(predecessor, []).append(task.name)
    return children


def _find_names_below(root: str, children: Mapping[str, Iterable[str]]) -> list[str]:
    """Return a name, those of its children, of their children, and so on, each once."""
    found = {root: None}
    front = [root]
    while front:
        below = dict.fromkeys(name for above in front for name in children.get(above, ()))
        front = [name for name in below if name not in found]
        found |= dict.fromkeys(front)
    return list(found)


# --------------------------------------------------------------------------------- validation


def _validate_names(tasks: Sequence[Task], by_name: Mapping[str, Task]) -> None:
    if not tasks:
        raise DefinitionRefused("A graph has a task.", hint="CREATE TASK name SCHEDULE = … AS …")
    if len(by_name) != len(tasks):
        names = [task.name for task in tasks]
        twice = next(name for name in names if names.count(name) > 1)
        raise DefinitionRefused(
            f"Task {twice!r} is in the graph twice.",
            hint=f"DROP TASK {identifier(twice)}, or use another name",
        )


def _validate_links(task: Task, by_name: Mapping[str, Task]) -> None:
    """Check the tasks that a task names."""
    above = (*task.predecessors, *((task.finalizes,) if task.finalizes is not None else ()))
    for name in above:
        if name not in by_name:
            raise DefinitionRefused(
                f"Task {task.name!r} runs after {name!r}, which does not exist.",
                hint=f"CREATE TASK {identifier(name)}, or {_alter(task.name)} REMOVE AFTER "
                f"{identifier(name)}",
            )
        if by_name[name].schema != task.schema:
            raise DefinitionRefused(
                f"Task {task.name!r} is in schema {task.schema!r}, and {name!r}, after which it "
                f"runs, in {by_name[name].schema!r}: a graph is in one schema.",
                hint=f"Create {identifier(task.name)} in {by_name[name].schema}.",
            )
        if by_name[name].finalizes is not None and task.finalizes is None:
            raise DefinitionRefused(
                f"Task {task.name!r} cannot run after {name!r}: a finalizer runs last.",
                hint=f"{_alter(task.name)} REMOVE AFTER {identifier(name)}",
            )
    if len(set(task.predecessors)) != len(task.predecessors):
        raise DefinitionRefused(
            f"Task {task.name!r} names a predecessor twice.",
            hint=f"Write AFTER {_write(dict.fromkeys(task.predecessors))}",
        )
    if task.finalizes is not None and task.predecessors:
        raise DefinitionRefused(
            f"Task {task.name!r} is the finalizer of {task.finalizes!r} and has predecessors: a "
            "finalizer runs after all tasks.",
            hint=f"{_alter(task.name)} REMOVE AFTER {_write(task.predecessors)}",
        )


def _validate_settings(task: Task) -> None:
    """Check that a child and a finalizer have no clause of roots."""
    is_root = not task.predecessors and task.finalizes is None
    if not is_root and (settings := task.root_settings):
        clause, unset = next(iter(settings.items()))
        kind = "the finalizer" if task.finalizes is not None else "a child"
        raise DefinitionRefused(
            f"Task {task.name!r} is {kind} in a graph and has {clause}: only the root has one.",
            hint=unset,
        )


def _validate_no_circle(tasks: Sequence[Task], by_name: Mapping[str, Task]) -> None:
    """Take away tasks that nothing is before, as long as there are some; the rest has a circle."""
    before = {task.name: set(task.predecessors) for task in tasks}
    after: dict[str, list[str]] = {}
    for task in tasks:
        for predecessor in task.predecessors:
            after.setdefault(predecessor, []).append(task.name)
    free = [name for name, names in before.items() if not names]
    while free:
        name = free.pop()
        del before[name]
        for child in after.get(name, ()):
            before[child].discard(name)
            if not before[child]:
                free.append(child)
    if not before:
        return
    path = [next(iter(before))]
    while path.count(path[-1]) == 1:
        path.append(next(name for name in by_name[path[-1]].predecessors if name in before))
    start = path.index(path[-1])
    circle = path[start:-1]
    names = ", ".join(f"{name!r}" for name in circle)
    raise DefinitionRefused(
        f"Tasks {names} run after each other in a circle."
        if len(circle) > 1
        else f"Task {names} runs after itself.",
        hint=f"{_alter(path[start])} REMOVE AFTER {identifier(path[start + 1])}",
    )


def _validate_one_root(tasks: Sequence[Task]) -> Task:
    roots = [task for task in tasks if not task.predecessors and task.finalizes is None]
    if len(roots) > 1:
        names = ", ".join(f"{task.name!r}" for task in roots)
        raise DefinitionRefused(
            f"The graph has {len(roots)} roots, {names}: one root says when a graph runs.",
            hint=f"{_alter(roots[1].name)} ADD AFTER {identifier(roots[0].name)}",
        )
    if not roots:
        finalizer = tasks[0]
        raise DefinitionRefused(
            f"Task {finalizer.name!r} finalizes {finalizer.finalizes!r}, which is no root.",
            hint=f"{_alter(finalizer.name)} UNSET FINALIZE",
        )
    return roots[0]


def _validate_finalizer(tasks: Sequence[Task], root: Task) -> Task | None:
    finalizers = [task for task in tasks if task.finalizes is not None]
    for finalizer in finalizers:
        if finalizer.finalizes != root.name:
            raise DefinitionRefused(
                f"Task {finalizer.name!r} finalizes {finalizer.finalizes!r}, which is not the root "
                "of its graph.",
                hint=f"{_alter(finalizer.name)} SET FINALIZE = {identifier(root.name)}",
            )
    if len(finalizers) > 1:
        names = ", ".join(f"{task.name!r}" for task in finalizers)
        raise DefinitionRefused(
            f"The graph of task {root.name!r} has {len(finalizers)} finalizers, {names}.",
            hint=f"{_alter(finalizers[1].name)} UNSET FINALIZE",
        )
    return finalizers[0] if finalizers else None


def _alter(name: str) -> str:
    return f"ALTER TASK {identifier(name)}"


def _write(names: Iterable[str]) -> str:
    return ", ".join(map(identifier, names))
