"""CREATE, ALTER, DROP and UNDROP TASK, and clones of a task."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from icemelt.catalog.edits import DropObject, Edit, RestoreObject
from icemelt.catalog.queries.definitions import defined_by_id
from icemelt.catalog.records import SchemaObject
from icemelt.catalog.task_records import TaskRecord
from icemelt.errors import Never, ObjectNotFound
from icemelt.names import fold
from icemelt.session.ddl.lifecycle import (
    DONE,
    AlterPlan,
    CreatePlace,
    CreatePlan,
    alter_object,
    create_object,
    describe_alteration,
    drop_object,
    make_defined,
    redefine_object,
    undrop_object,
)
from icemelt.session.ddl.task_graphs import (
    SchemaTasks,
    find_tasks,
    find_tasks_around,
    require_one_schema,
    suspend,
)
from icemelt.session.ddl.task_options import refuse_python, validate_task_options
from icemelt.session.runtime.core import Core, History, new_id
from icemelt.session.runtime.result import LocalRows
from icemelt.session.runtime.scheduler_notice import note_absent_scheduler
from icemelt.session.runtime.stores import hadoop_locations
from icemelt.session.runtime.task_webhooks import (
    describe_left_out,
    keep_webhooks,
    refuse_webhooks,
)
from icemelt.sql import statements as s
from icemelt.sql.dialect.written_names import written_name
from icemelt.tasks.states import SuspendedReason
from icemelt.transactions.pending import Attempt, Pending

__all__ = [
    "alter_task",
    "clone_task",
    "create_task",
    "drop_task",
    "enable_tasks",
    "undrop_task",
]


def create_task(core: Core, statement: s.CreateTask, history: History) -> str:
    """Run CREATE TASK. A new task is suspended; CREATE OR ALTER keeps the state of the task.

    Args:
        core: the session's parts.
        statement: the parsed statement.
        history: makes the statement's record in the history.

    Raises:
        ObjectExists: the schema has a task of the name.
        ObjectNotFound: a predecessor, or the task to finalize, does not exist.
        DefinitionRefused: an option has a bad value, or the graph would have a circle, two
            finalizers, or tasks of two schemas.
    """
    new = _read_task(core, statement)

    def make(_attempt: Attempt, at: CreatePlace) -> CreatePlan:
        tasks = find_tasks(core, new.name, at.schema_id)
        task = keep_webhooks(core, at.replaced, replace(new, object_id=new_id()))
        task = _spell(tasks, task)
        tasks.require_place(task)
        return CreatePlan((make_defined(task, at.schema_id),), first=(tasks.requirement,))

    def alter(_attempt: Attempt, found: TaskRecord) -> AlterPlan:
        tasks = find_tasks_around(core, found.name)
        is_same_body = found.body == new.body
        wanted = replace(
            found,
            body=new.body,
            options=new.options,
            after=new.after,
            finalizes=new.finalizes,
            condition=new.condition,
            comment=new.comment,
            run_within=found.run_within if is_same_body else new.run_within,
            written_by=found.written_by if is_same_body else new.written_by,
        )
        wanted = keep_webhooks(core, found, wanted)
        edits = _redefine(tasks, found, _spell(tasks, wanted))
        return AlterPlan(describe_alteration(found.name, found.kind, is_altered=bool(edits)), edits)

    return create_object(core, statement, history, TaskRecord, make, alter)


def alter_task(core: Core, statement: s.AlterTask, history: History) -> str:
    """Run ALTER TASK. The root task of the graph may be started.

    Args:
        core: the session's parts.
        statement: the parsed statement.
        history: makes the statement's record in the history.

    Raises:
        ObjectNotFound: there is no such task, or no such predecessor.
        DefinitionRefused: an option has a bad value, nothing would start the task that is to be
            started, or the graph would not be one.
    """
    if isinstance(statement.action, s.SetTask):
        refuse_webhooks(core, statement.action.options)
        validate_task_options(statement.action.options)
    if isinstance(statement.action, s.UnsetTask):
        refuse_webhooks(core, statement.action.options)
    if isinstance(statement.action, s.ModifyBody) and core.is_guest:
        refuse_python(statement.action.body.text)

    def alter(_attempt: Attempt, found: TaskRecord) -> AlterPlan:
        tasks = find_tasks_around(core, found.name)
        wanted = _apply(core, tasks, found, statement.action)
        edits = _redefine(tasks, found, _spell(tasks, wanted))
        if wanted.is_started and not found.is_started:
            note_absent_scheduler(core)
        return AlterPlan(DONE, edits)

    return alter_object(core, statement, history, TaskRecord, alter)


def drop_task(core: Core, statement: s.Drop, history: History) -> str:
    """Run DROP TASK: its children lose a predecessor, and without one are suspended roots.

    Args:
        core: the session's parts.
        statement: the parsed statement.
        history: makes the statement's record in the history.

    Raises:
        ObjectNotFound: there is no such task.
    """

    def plan(found: SchemaObject) -> tuple[Edit, ...]:
        tasks = find_tasks_around(core, found.name)
        released = tasks.release_dependents(found.name.name)
        _note_new_roots(core, tasks, found)
        return (tasks.requirement, *released, DropObject(found.object_id))

    return drop_object(core, statement, history, plan)


def undrop_task(core: Core, statement: s.Undrop, history: History) -> str:
    """Run UNDROP TASK: the task is suspended, after those predecessors that there are.

    Args:
        core: the session's parts.
        statement: the parsed statement.
        history: makes the statement's record in the history.

    Raises:
        ObjectExists: the schema has a task of the name again.
        ObjectNotFound: no task of the name was dropped.
    """

    def plan(at: CreatePlace, task_id: str) -> tuple[Edit, ...]:
        tasks = find_tasks(core, at.name, at.schema_id)
        with core.database.read() as connection:
            found = defined_by_id(connection, task_id)
        if not isinstance(found, TaskRecord):
            raise ObjectNotFound(
                f"Task {str(at.name)!r} is not among the dropped ones any more.",
                hint=f"CREATE TASK {at.name} … AS … makes it anew.",
            )
        wanted = _restored(tasks, found)
        tasks.require_place(wanted)
        return (tasks.requirement, RestoreObject(task_id), *redefine_object(found, wanted))

    return undrop_object(core, statement, history, plan)


def clone_task(core: Core, statement: s.CreateClone, history: History) -> str:
    """Run CREATE TASK … CLONE: a suspended task with the source's options, body and predecessors.

    Args:
        core: the session's parts.
        statement: the parsed statement.
        history: makes the statement's record in the history.

    Raises:
        ObjectExists: the schema has a task of the name.
        ObjectNotFound: there is no source, or the clone's schema lacks a predecessor.
        Never: the statement has AT or BEFORE.
    """
    if statement.point is not None:
        hint = f"CREATE TASK {statement.name} CLONE {statement.source}"
        raise Never("A task has no history to clone from.", hint=hint)
    _, place = core.place_of(core.full(statement.name).in_space_of(TaskRecord.kind))

    def make(_attempt: Attempt, at: CreatePlace) -> CreatePlan:
        source = core.object_of(TaskRecord, statement.source)
        within = source.run_within
        if core.is_guest:
            within = core.reach.narrow(within, hadoop_locations(core.iceberg)).locations
        author = core.user if core.is_guest else source.author
        tasks = find_tasks(core, place, at.schema_id)
        task = replace(source.as_new(within, author), object_id=new_id(), name=place)
        task = keep_webhooks(core, at.replaced, task)
        if notice := describe_left_out(core, source):
            core.scope.notices[source.object_id] = notice
        task = _spell(tasks, task)
        tasks.require_place(task)
        return CreatePlan((make_defined(task, at.schema_id),), first=(tasks.requirement,))

    def alter(_attempt: Attempt, _found: TaskRecord) -> AlterPlan:
        return AlterPlan(DONE)  # CREATE OR ALTER … CLONE is no statement

    return create_object(core, statement, history, TaskRecord, make, alter)


def enable_tasks(core: Core, statement: s.EnableTasks, history: History) -> LocalRows:
    """Run SYSTEM$TASK_DEPENDENTS_ENABLE: resume a task and its dependents, in one commit.

    Args:
        core: the session's parts.
        statement: the parsed statement.
        history: makes the statement's record in the history.

    Raises:
        ObjectNotFound: there is no such task.
        DefinitionRefused: nothing would start the task.
    """
    name = written_name(statement.name)

    def work(_attempt: Attempt) -> Pending[None]:
        found = core.object_of(TaskRecord, name)
        tasks = find_tasks_around(core, found.name)
        edits: list[Edit] = [tasks.requirement]
        graph = tasks.dependents(found)
        for task, started in zip(graph, tasks.start(graph), strict=True):
            edits += redefine_object(task, started)
        note_absent_scheduler(core)
        return Pending(None, lambda: history(0), edits=tuple(edits))

    core.outcome(work, history)
    return LocalRows((statement.column,), ((True,),))


def _read_task(core: Core, statement: s.CreateTask) -> TaskRecord:
    """Return the task of a CREATE TASK, without an object id.

    Raises:
        DefinitionRefused: an option has a bad value, or another task of the graph is in another
            schema.
    """
    refuse_webhooks(core, statement.options)
    validate_task_options(statement.options)
    if core.is_guest:
        refuse_python(statement.body.text)
    _, place = core.place_of(core.full(statement.name).in_space_of(TaskRecord.kind))
    finalized = () if statement.finalizes is None else (statement.finalizes,)
    return TaskRecord(
        "",
        place,
        core.user,
        statement.comment,
        0,
        statement.body.text,
        dict(statement.options),
        require_one_schema(place, statement.after),
        next(iter(require_one_schema(place, finalized)), None),
        statement.condition,
        run_within=core.reach.locations,
        written_by=core.user,
    )


def _apply(core: Core, tasks: SchemaTasks, task: TaskRecord, action: s.TaskAction) -> TaskRecord:
    """Return a task as an action of ALTER TASK makes it.

    Args:
        core: the session's parts.
        tasks: the tasks of the schema.
        task: the task.
        action: the action.
    """
    match action:
        case s.ResumeTask():
            return tasks.start([task])[0]
        case s.SuspendTask():
            return (
                suspend(task, SuspendedReason.USER_SUSPENDED, tasks.now)
                if task.is_started
                else task
            )
        case s.SetTask(options, comment):
            comment = task.comment if comment is None else comment or None
            return replace(task, options={**task.options, **options}, comment=comment)
        case s.UnsetTask(names):
            options = {name: value for name, value in task.options.items() if name not in names}
            comment = None if "COMMENT" in names else task.comment
            return replace(task, options=options, comment=comment)
        case s.ModifyBody(body):
            return replace(
                task, body=body.text, run_within=core.reach.locations, written_by=core.user
            )
        case s.ModifyCondition(condition):
            return replace(task, condition=condition)
    return _move(tasks, task, action)


def _move(
    tasks: SchemaTasks,
    task: TaskRecord,
    action: s.AddPredecessors | s.RemovePredecessors | s.SetFinalize,
) -> TaskRecord:
    """Return a task at its new place in the graph.

    Raises:
        ObjectNotFound: a task to remove is no predecessor.
    """
    match action:
        case s.AddPredecessors(names):
            return replace(task, after=(*task.after, *require_one_schema(task.name, names)))
        case s.RemovePredecessors(names):
            gone = require_one_schema(task.name, names)
            for name in gone:
                if not task.is_after(name):
                    listed = ", ".join(task.after)
                    raise ObjectNotFound(
                        f"Task {name!r} is no predecessor of task {str(task.name)!r}.",
                        hint=f"Its predecessors are {listed}." if listed else "It is a root task.",
                    )
            folded = set(map(fold, gone))
            after = tuple(name for name in task.after if fold(name) not in folded)
            return tasks.settle(task, replace(task, after=after))
        case s.SetFinalize(None):
            return tasks.settle(task, replace(task, finalizes=None))
        case s.SetFinalize(root):
            [finalizes] = require_one_schema(task.name, () if root is None else (root,))
            return replace(task, finalizes=finalizes)
    assert_never(action)


def _spell(tasks: SchemaTasks, task: TaskRecord) -> TaskRecord:
    """Return a task with the names of others as these are spelled.

    Raises:
        ObjectNotFound: the schema has no such task.
    """
    finalizes = None if task.finalizes is None else tasks.find(task.finalizes).name.name
    return replace(task, after=tasks.spell(task.after), finalizes=finalizes)


def _note_new_roots(core: Core, tasks: SchemaTasks, gone: SchemaObject) -> None:
    """Note what runs after no other task once one is dropped, and is suspended, or after two roots.

    Args:
        core: the session's parts.
        tasks: the tasks of the schema before.
        gone: the dropped task.
    """
    said = []
    if roots := [repr(task.name.name) for task in tasks.find_new_roots(gone.name.name)]:
        are = "Task {} is a suspended root" if len(roots) == 1 else "Tasks {} are suspended roots"
        said.append(are.format(", ".join(sorted(roots))) + " now: no other is before.")
    if torn := [repr(task.name.name) for task in tasks.find_torn(gone.name.name)]:
        runs = "Task {} is" if len(torn) == 1 else "Tasks {} are"
        said.append(
            runs.format(", ".join(sorted(torn)))
            + " after two roots now, and not run before ALTER TASK … REMOVE AFTER leaves one."
        )
    if said:
        core.scope.notices[gone.object_id] = " ".join(said)


def _restored(tasks: SchemaTasks, task: TaskRecord) -> TaskRecord:
    """Return a dropped task as it is restored: suspended, and at the place that there is."""
    after = tasks.spell(name for name in task.after if fold(name) in tasks.tasks)
    root = None if task.finalizes is None else tasks.tasks.get(fold(task.finalizes))
    finalizes = None
    if root is not None and all(other.finalizes is None for other in tasks.children(root)):
        finalizes = root.name.name
    restored = replace(task, after=after, finalizes=finalizes)
    restored = tasks.settle(task, restored)
    return (
        suspend(restored, SuspendedReason.USER_SUSPENDED, tasks.now)
        if restored.is_started
        else restored
    )


def _redefine(tasks: SchemaTasks, before: TaskRecord, after: TaskRecord) -> tuple[Edit, ...]:
    """Return the edits that alter a task, none without a change.

    Raises:
        DefinitionRefused: the task may not be started, or not be at its place. A graph that the
            DROP of a task has left with two roots stops no other change.
    """
    edits = redefine_object(before, after)
    suspended = suspend(before, SuspendedReason.USER_SUSPENDED, tasks.now)
    if after not in {before, suspended} and after != replace(before, comment=after.comment):
        tasks.require_place(after)
    return (tasks.requirement, *edits) if edits else ()
