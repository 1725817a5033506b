"""The relations of INFORMATION_SCHEMA in a query."""

from __future__ import annotations

from dataclasses import replace

from icemelt.catalog.records import InformationRecord
from icemelt.catalog.task_records import TaskRecord, find_children, find_dependents
from icemelt.engine.resources import StatementResources
from icemelt.errors import WrongObjectKind
from icemelt.session.queries.query_history import history_relation
from icemelt.session.queries.task_history import task_runs_relation
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.information_columns import TASK_DEPENDENTS, columns_of_relation
from icemelt.session.runtime.local_relation import local_relation
from icemelt.session.runtime.result_scan import result_relation
from icemelt.session.timeline.constants import evaluate_time
from icemelt.sql.statements import LoadInterval, TableReference, TaskDependents

__all__ = ["information_relation"]


def information_relation(
    core: Core,
    record: InformationRecord,
    reference: TableReference,
    resources: StatementResources,
) -> str:
    """Return the relation of the objects that a query reads as rows.

    Args:
        core: the session's parts.
        record: the relation of INFORMATION_SCHEMA, with the objects.
        reference: the place in the query.
        resources: gain the relation's view.

    Raises:
        ObjectNotFound: COPY_HISTORY names a table that does not exist, or TASK_DEPENDENTS a task.
        WrongObjectKind: the query asks for the relation at a point, or for changes of it.
    """
    if reference.point is not None or reference.changes is not None:
        raise WrongObjectKind(
            f"{str(record.name)!r} is a {record.kind}: it has no earlier states and no changes.",
            hint=f"SELECT * FROM {record.name} tells of the objects that there are.",
        )
    if reference.result is not None:
        return result_relation(core, reference.result, resources)
    if reference.statements is not None:
        return history_relation(core, reference.statements, resources)
    if reference.runs is not None:
        return task_runs_relation(core, reference.runs, resources)
    if reference.loads is not None:
        record = _choose_loads(core, record, reference.loads)
    if reference.tasks is not None:
        record = _choose_tasks(core, record, reference.tasks)
    columns = columns_of_relation(record.name.name)
    return local_relation(resources, columns, core.information(core, record))


def _choose_loads(core: Core, record: InformationRecord, loads: LoadInterval) -> InformationRecord:
    """Return the relation of COPY_HISTORY: the files loaded into one table within some time.

    Raises:
        ObjectNotFound: there is no such table.
    """
    table = core.full(loads.table)
    listing = record.listing
    if all(each.table.name.folded != table.folded for each in listing.tables):
        raise core.not_found("Table", table)
    start = evaluate_time(core, loads.start.expression, "START_TIME")
    end = None if loads.end is None else evaluate_time(core, loads.end.expression, "END_TIME")
    chosen = tuple(
        each
        for each in listing.loads
        if each.table.name.folded == table.folded
        and start <= each.loaded_at
        and (end is None or each.loaded_at <= end)
    )
    name = replace(record.name, name="copy_history")
    return InformationRecord(name, replace(listing, loads=chosen))


def _choose_tasks(
    core: Core, record: InformationRecord, wanted: TaskDependents
) -> InformationRecord:
    """Return the relation of TASK_DEPENDENTS: a task and its dependents.

    Raises:
        ObjectNotFound: there is no such task.
    """
    full = core.full(wanted.task).in_space_of(TaskRecord.kind)
    listing = record.listing
    root = next((t for t in listing.of(TaskRecord) if t.name.folded == full.folded), None)
    if root is None:
        raise core.not_found("Task", full)
    schema = root.name.namespace
    tasks = [task for task in listing.of(TaskRecord) if task.name.namespace == schema]
    chosen = [root, *find_children(tasks, root)]
    if wanted.is_recursive:
        chosen = find_dependents(tasks, root)
    name = replace(record.name, name=TASK_DEPENDENTS)
    return InformationRecord(name, replace(listing, defined=tuple(chosen)))
