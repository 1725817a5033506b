"""Keep the graphs that run what the tasks of a schema say, in the transaction that changes tasks.

A statement changes tasks; their graphs follow, whatever the statement was: each root whose graph
differs has the next version, a new root has a state, and of a root that is gone all runs are
cancelled and the state goes. Its history stays.

A graph may be one that this machine cannot read: it lacks the time zone of the schedule, or a
document is damaged. Such a graph stays as it is, for others may read it, until a statement ends
what cannot be read, drops the root, or suspends it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import sqlalchemy as sa

from icemelt.catalog.connections import Clock
from icemelt.catalog.model import definitions, objects, task_graphs
from icemelt.catalog.task_edits import ApplyTaskEvent
from icemelt.catalog.task_ends import RunKey, find_ends
from icemelt.catalog.task_records import TaskRecord
from icemelt.catalog.task_run_rows import (
    cancel_open_rows,
    find_last_numbers,
    write_run_rows,
)
from icemelt.catalog.task_runs import apply_task_event, publish_task_event
from icemelt.catalog.task_states import (
    add_root_state,
    graphs_of,
    remove_root_state,
    take_root,
    time_of,
)
from icemelt.errors import DefinitionRefused
from icemelt.names import QualifiedName
from icemelt.tasks.documents import digest_tasks, encode_tasks
from icemelt.tasks.errors import GraphUnreadable
from icemelt.tasks.events import Decision, GraphChanged, RunRecorded, RunsCancelled
from icemelt.tasks.graph import GraphVersion, Task, split_graphs
from icemelt.tasks.records import RunError, new_root_state
from icemelt.tasks.runs import apply_event

__all__ = ["ChangedTasks", "add_missing_graphs", "take_graphs"]

_ROOT_GONE = RunError(
    "cancelled", "The root of the graph was dropped or replaced, or runs after another task now."
)
_UNREADABLE = RunError("cancelled", "The graph could not be read, and was dropped or changed.")
_SCHEMA, _DATABASE = objects.alias("of_schema"), objects.alias("of_database")
_LIVE_TASKS = (
    sa.select(
        *(objects.c[name] for name in ("object_id", "name", "owner", "comment", "created_at")),
        _SCHEMA.c.name.label("schema_name"),
        _DATABASE.c.name.label("database_name"),
        definitions.c.definition,
    )
    .select_from(objects)
    .join(definitions, definitions.c.object_id == objects.c.object_id)
    .join(_SCHEMA, _SCHEMA.c.object_id == objects.c.parent_id)
    .join(_DATABASE, _DATABASE.c.object_id == _SCHEMA.c.parent_id)
    .where(
        # as the index of live objects has it
        sa.func.coalesce(objects.c.parent_id, "") == sa.bindparam("of_schema"),
        objects.c.kind == TaskRecord.kind,
        objects.c.dropped_at.is_(None),
    )
    .order_by(objects.c.folded)
)
_ROOTS = (
    sa.select(task_graphs.c.root_id, task_graphs.c.digest)
    .where(task_graphs.c.schema_id == sa.bindparam("of_schema"))
    .order_by(task_graphs.c.root_id)
)
_TAKE_ROOTS = _ROOTS.with_for_update()
_CONTAINERS: sa.BindParameter[Any] = sa.bindparam("of_containers", expanding=True)
_LIVE_SCHEMAS = sa.select(objects.c.object_id).where(
    sa.func.coalesce(objects.c.parent_id, "").in_(_CONTAINERS), objects.c.dropped_at.is_(None)
)
_TASK = objects.alias("of_task")
_WITH_TASKS = sa.select(_TASK.c.parent_id).where(
    sa.or_(
        sa.func.coalesce(_TASK.c.parent_id, "").in_(_CONTAINERS),
        sa.func.coalesce(_TASK.c.parent_id, "").in_(_LIVE_SCHEMAS),
    ),
    _TASK.c.kind == TaskRecord.kind,
    _TASK.c.dropped_at.is_(None),
)
_WITH_GRAPHS = (
    sa.select(task_graphs.c.schema_id)
    .join(_SCHEMA, _SCHEMA.c.object_id == task_graphs.c.schema_id)
    .where(sa.or_(_SCHEMA.c.object_id.in_(_CONTAINERS), _SCHEMA.c.parent_id.in_(_CONTAINERS)))
)
_SCHEMAS_IN = _WITH_TASKS.union(_WITH_GRAPHS)
_SCHEMA_OF_TASK = sa.select(objects.c.parent_id).where(
    objects.c.object_id == sa.bindparam("of_object"), objects.c.kind == TaskRecord.kind
)
_SCHEMAS_OF_TASKS = (
    sa.select(objects.c.parent_id)
    .where(objects.c.kind == TaskRecord.kind, objects.c.dropped_at.is_(None))
    .distinct()
)


@dataclass(slots=True)
class ChangedTasks:
    """What a transaction has done to tasks: the schemas whose graphs are to be looked at.

    Args:
        schema_ids: the schemas of tasks that were made, altered, dropped or restored.
        container_ids: the schemas and databases that were dropped or restored.
        ends: the runs that the transaction has ended or skipped, to be told of after its commit.
    """

    schema_ids: set[str] = field(default_factory=set)
    container_ids: set[str] = field(default_factory=set)
    ends: list[RunKey] = field(default_factory=list)

    def note_object(self, kind: str, object_id: str, parent_id: str | None) -> None:
        """Note that an object was made, dropped or restored; other kinds than tasks count not.

        Args:
            kind: the kind of the object.
            object_id: the object id.
            parent_id: the id of the schema or database around it.
        """
        if kind == TaskRecord.kind and parent_id is not None:
            self.schema_ids.add(parent_id)
        elif kind in {"schema", "database"}:
            self.container_ids.add(object_id)

    def note_definition(self, connection: sa.Connection, object_id: str) -> None:
        """Note that an object has another definition."""
        schema_id = connection.scalar(_SCHEMA_OF_TASK, {"of_object": object_id})
        if schema_id is not None:
            self.schema_ids.add(schema_id)

    def apply_event(self, connection: sa.Connection, clock: Clock, edit: ApplyTaskEvent) -> None:
        """Apply the event of a publication, as `publish_task_event`."""
        decisions = publish_task_event(connection, clock, edit)
        self.ends += find_ends(edit.root_id, decisions, edit.event)

    def write_graphs(self, connection: sa.Connection, clock: Clock) -> None:
        """Write the graphs of all schemas that were noted.

        Args:
            connection: a connection in a write transaction.
            clock: returns the database's time in milliseconds since 1970.
        """
        found = set(self.schema_ids)
        if self.container_ids:
            values = {"of_containers": sorted(self.container_ids)}
            found |= set(connection.execute(_SCHEMAS_IN, values).scalars())
        for schema_id in sorted(found):
            self.ends += _write_graphs(connection, clock, schema_id)


def take_graphs(connection: sa.Connection, schema_id: str) -> None:
    """Let no other transaction change the graphs of a schema before the commit.

    Who suspends a root takes its state before its task. So does who changes tasks, by this.
    """
    connection.execute(_TAKE_ROOTS, {"of_schema": schema_id})


def add_missing_graphs(connection: sa.Connection, clock: Clock) -> None:
    """Write the graphs of all schemas: tasks that are older than the registry of runs have none."""
    for schema_id in connection.execute(_SCHEMAS_OF_TASKS).scalars().all():
        _write_graphs(connection, clock, schema_id)


def _write_graphs(connection: sa.Connection, clock: Clock, schema_id: str) -> list[RunKey]:
    """Write the versions, the new states and the ends of a schema's graphs that differ from tasks.

    Args:
        connection: a connection in a write transaction.
        clock: returns the database's time in milliseconds since 1970.
        schema_id: the object id of the schema, live or dropped.

    Returns:
        the runs that are over by that.
    """
    ends: list[RunKey] = []
    graphs = _read_graphs(connection, schema_id)
    rows = connection.execute(_TAKE_ROOTS, {"of_schema": schema_id})
    digests = {row.root_id: row.digest for row in rows}
    for root_id in digests.keys() - graphs.keys():
        ends += _end_graph(connection, clock, root_id)
    for root_id, graph in graphs.items():
        if graph is None:
            # what runs is a version of before, where one can read it
            continue
        if root_id not in digests:
            _begin_graph(connection, clock, schema_id, graph)
        elif digests[root_id] != digest_tasks(encode_tasks(graph)):
            ends += _change_graph(connection, clock, schema_id, graph)
    return ends


def _read_graphs(connection: sa.Connection, schema_id: str) -> dict[str, GraphVersion | None]:
    """Return the graphs of the live tasks of a schema by the object ids of their roots.

    A task that a DROP has left with two roots is in none, as `split_graphs` tells. None is a graph
    whose root is started, and which has an option that cannot be read here.
    """
    tasks, unreadable = dict[str, Task](), set[str]()
    for row in connection.execute(_LIVE_TASKS, {"of_schema": schema_id}):
        full = QualifiedName(row.database_name, row.schema_name, row.name)
        common = {key: getattr(row, key) for key in ("object_id", "owner", "comment", "created_at")}
        record = TaskRecord.from_definition(row.definition, None, name=full, **common)
        try:
            tasks[row.name] = record.in_graph
        except (DefinitionRefused, ValueError):
            tasks[row.name] = record.node
            unreadable.add(row.name)
    graphs: dict[str, GraphVersion | None] = {}
    for found in split_graphs(tasks).values():
        try:
            graph = GraphVersion(1, found)
        except DefinitionRefused:
            continue
        if unreadable.isdisjoint(task.name for task in graph.tasks):
            graphs[graph.root.object_id] = graph
        elif not graph.root.is_suspended:
            graphs[graph.root.object_id] = None
    return graphs


def _begin_graph(
    connection: sa.Connection, clock: Clock, schema_id: str, graph: GraphVersion
) -> None:
    """Add the state of a new root; numbers go on after those of its history, if it has one."""
    root_id = graph.root.object_id
    run_id, version, token = find_last_numbers(connection, root_id)
    now = clock(connection)
    state = new_root_state(replace(graph, number=version + 1), time_of(now))
    state = replace(state, next_run_id=run_id + 1, next_token=token + 1)
    add_root_state(connection, schema_id, root_id, state, now)


def _change_graph(
    connection: sa.Connection, clock: Clock, schema_id: str, graph: GraphVersion
) -> list[RunKey]:
    """Write the next version of a graph; one that cannot be read ends, and begins anew.

    Args:
        connection: a connection in a write transaction.
        clock: returns the database's time in milliseconds since 1970.
        schema_id: the object id of the schema.
        graph: the graph as the tasks say.

    Returns:
        the runs that are over by that.
    """
    root_id = graph.root.object_id
    try:
        row = take_root(connection, root_id)
    except GraphUnreadable:
        ends = _end_unreadable(connection, clock, root_id)
        _begin_graph(connection, clock, schema_id, graph)
        return ends
    if row is None:
        return []
    changed = replace(graph, number=row.state.graph.number + 1)
    return find_ends(root_id, apply_task_event(connection, clock, root_id, GraphChanged(changed)))


def _end_graph(connection: sa.Connection, clock: Clock, root_id: str) -> list[RunKey]:
    """Cancel all runs of a root that is gone, those that begin meanwhile too; remove its state."""
    try:
        row = take_root(connection, root_id)
    except GraphUnreadable:
        return _end_unreadable(connection, clock, root_id)
    if row is None:
        return []
    state, now = row.state, time_of(max(clock(connection), row.seen_at))
    decisions: list[Decision] = []
    while tasks := {
        task_run.task
        for graph_run in state.active
        for task_run in graph_run.task_runs
        if task_run.state.is_open
    }:
        for task in sorted(tasks):
            state, more = apply_event(state, RunsCancelled(task, _ROOT_GONE), now)
            decisions += more
    recorded = [each for each in decisions if isinstance(each, RunRecorded)]
    write_run_rows(connection, root_id, graphs_of(row.state, state), recorded)
    remove_root_state(connection, root_id)
    return find_ends(root_id, decisions)


def _end_unreadable(connection: sa.Connection, clock: Clock, root_id: str) -> list[RunKey]:
    """Cancel the open runs of a root as the history has them, and remove the root's state."""
    ends = cancel_open_rows(connection, root_id, _UNREADABLE, clock(connection))
    remove_root_state(connection, root_id)
    return ends
