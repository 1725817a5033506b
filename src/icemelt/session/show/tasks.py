"""SHOW TASKS and DESCRIBE TASK, and the rows of TASK_DEPENDENTS."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import partial

from icemelt.catalog.records import Wanted
from icemelt.catalog.task_records import TaskRecord
from icemelt.names import ObjectName, QualifiedName
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.result import LocalRows
from icemelt.session.runtime.scheduler_notice import note_absent_scheduler
from icemelt.session.runtime.task_webhooks import shown_webhook
from icemelt.session.show.show_scope import choose_records, find_scope
from icemelt.sql.dialect.written_names import full_name
from icemelt.sql.statements import Show
from icemelt.tasks.graph import WEBHOOK_OPTIONS
from icemelt.tasks.states import OverlapPolicy
from icemelt.times import as_datetime

__all__ = ["TASK_COLUMNS", "describe_task", "finalizers", "show_tasks", "task_row"]

TASK_COLUMNS = (
    "created_on",
    "name",
    "id",
    "database_name",
    "schema_name",
    "owner",
    "comment",
    "warehouse",
    "schedule",
    "predecessors",
    "state",
    "definition",
    "condition",
    "allow_overlapping_execution",
    "error_integration",
    "last_committed_on",
    "last_suspended_on",
    "owner_role_type",
    "config",
    "budget",
    "task_relations",
    "last_suspended_reason",
    "success_integration",
    "overlap_policy",
    "target_completion_interval",
)
_TERSE_COLUMNS = ("created_on", "name", "kind", "database_name", "schema_name", "schedule")
# the full names of finalizers by the folded full names of their root tasks
Finalizers = Mapping[QualifiedName, QualifiedName]


def show_tasks(core: Core, statement: Show) -> LocalRows:
    """Run SHOW TASKS: Snowflake's columns; TERSE has the schedule, too."""
    within = find_scope(core, statement).within
    wanted = Wanted(frozenset({TaskRecord.kind}), within)
    found = core.resolver.list_objects(wanted).of(TaskRecord)
    roots = [task for task in found if task.is_root or not statement.roots_only]
    listed = choose_records(roots, statement, lambda task: task.name.name)
    if any(task.is_started for task in listed):
        note_absent_scheduler(core)
    if statement.terse:
        return LocalRows(_TERSE_COLUMNS, tuple(map(_terse_row, listed)))
    last = finalizers(found)
    shown = partial(shown_webhook, core)
    return LocalRows(TASK_COLUMNS, tuple(task_row(task, last, shown) for task in listed))


def describe_task(core: Core, name: ObjectName) -> LocalRows:
    """Run DESCRIBE TASK: the task's row of SHOW TASKS."""
    task = core.object_of(TaskRecord, name)
    wanted = Wanted(frozenset({TaskRecord.kind}), (task.name.database, task.name.schema))
    last = finalizers(core.resolver.list_objects(wanted).of(TaskRecord))
    return LocalRows(TASK_COLUMNS, (task_row(task, last, partial(shown_webhook, core)),))


def finalizers(tasks: Iterable[TaskRecord]) -> Finalizers:
    """Return the finalizers among some tasks, by the folded full names of their root tasks."""
    return {
        _beside(task, task.finalizes).folded: task.name
        for task in tasks
        if task.finalizes is not None
    }


def task_row(
    task: TaskRecord, last: Finalizers, show_url: Callable[[str], str]
) -> tuple[object, ...]:
    """Return a task's row of SHOW TASKS.

    Args:
        task: the task.
        last: the finalizers of the schema, as `finalizers` gives them.
        show_url: returns the URL of a webhook as the row shows it.
    """
    predecessors = [full_name(_beside(task, name)) for name in task.after]
    policy = task.overlap_policy if task.is_root else None
    failures, successes = (_shown(task.options.get(name), show_url) for name in WEBHOOK_OPTIONS)
    return (
        as_datetime(task.created_at),
        task.name.name,
        task.object_id,
        task.name.database,
        task.name.schema,
        task.owner,
        task.comment or "",
        task.options.get("WAREHOUSE"),
        task.schedule,
        json.dumps(predecessors, ensure_ascii=False),
        "started" if task.is_started else "suspended",
        task.body,
        task.condition,
        None if policy is None else str(policy != OverlapPolicy.NO_OVERLAP).lower(),
        failures,
        None if task.resumed_at is None else as_datetime(task.resumed_at),
        None if task.suspended_at is None else as_datetime(task.suspended_at),
        "ROLE",
        task.config,
        None,
        _relations(task, predecessors, last),
        task.suspended_reason,
        successes,
        None if policy is None else policy.value,
        task.options.get("TARGET_COMPLETION_INTERVAL"),
    )


def _shown(url: str | None, show_url: Callable[[str], str]) -> str | None:
    return None if url is None else show_url(url)


def _relations(task: TaskRecord, predecessors: list[str], last: Finalizers) -> str:
    """Return the JSON document that says which tasks a task is bound to."""
    relations: dict[str, object] = {"Predecessors": predecessors}
    if task.finalizes is not None:
        relations["FinalizedRootTask"] = full_name(_beside(task, task.finalizes))
    finalizer = last.get(task.name.folded)
    if finalizer is not None:
        relations["FinalizerTask"] = full_name(finalizer)
    return json.dumps(relations, ensure_ascii=False)


def _terse_row(task: TaskRecord) -> tuple[object, ...]:
    place = (task.name.database, task.name.schema)
    return (as_datetime(task.created_at), task.name.name, None, *place, task.schedule)


def _beside(task: TaskRecord, name: str) -> QualifiedName:
    """Return the full name of another task of the schema, by its own name."""
    return QualifiedName(task.name.database, task.name.schema, name, task.name.space)
