"""Keep the graphs that run what the tasks of a schema say, in the transaction that changes tasks.

A statement changes tasks; their graphs follow, whatever the statement was: each root whose graph
differs has the next version, a new root has a state, and of a root that is gone all runs are
cancelled and the state goes. Its history stays.
"""

from __future__ import annotations

from dataclasses import replace

import sqlalchemy as sa

from icemelt.catalog.connections import Clock
from icemelt.catalog.model import definitions, objects, task_graphs
from icemelt.catalog.task_records import TaskRecord
from icemelt.catalog.task_run_rows import find_last_numbers, write_run_rows
from icemelt.catalog.task_runs import apply_task_event
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
from icemelt.tasks.events import Decision, GraphChanged, RunRecorded, RunsCancelled
from icemelt.tasks.graph import GraphVersion, Task, find_root, select_graph
from icemelt.tasks.records import new_root_state
from icemelt.tasks.runs import apply_event

__all__ = ["add_missing_graphs", "find_schemas_of_tasks", "take_graphs", "write_graphs"]

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
_OBJECT = sa.select(objects.c.kind, objects.c.parent_id).where(
    objects.c.object_id == sa.bindparam("of_object")
)
_LIVE_SCHEMAS = sa.select(objects.c.object_id).where(
    sa.func.coalesce(objects.c.parent_id, "") == sa.bindparam("of_database"),
    objects.c.dropped_at.is_(None),
)
_SCHEMAS_OF_TASKS = (
    sa.select(objects.c.parent_id)
    .where(objects.c.kind == TaskRecord.kind, objects.c.dropped_at.is_(None))
    .distinct()
)


def find_schemas_of_tasks(connection: sa.Connection, object_id: str) -> list[str]:
    """Return the schemas whose tasks change with an object: a task, a schema or a database.

    Args:
        connection: a connection in a write transaction.
        object_id: the object id; the parts of a database are those that are live.
    """
    row = connection.execute(_OBJECT, {"of_object": object_id}).one()
    if row.kind == TaskRecord.kind:
        return [row.parent_id]
    if row.kind == "schema":
        return [object_id]
    if row.kind == "database":
        return [*connection.execute(_LIVE_SCHEMAS, {"of_database": object_id}).scalars()]
    return []


def take_graphs(connection: sa.Connection, schema_id: str) -> None:
    """Let no other transaction change the graphs of a schema before the commit.

    Who suspends a root takes its state before its task. So does who changes tasks, by this.
    """
    connection.execute(_TAKE_ROOTS, {"of_schema": schema_id})


def write_graphs(connection: sa.Connection, clock: Clock, schema_id: str) -> None:
    """Write the versions, the new states and the ends of graphs that differ from the tasks.

    Args:
        connection: a connection in a write transaction.
        clock: returns the database's time in milliseconds since 1970.
        schema_id: the object id of the schema, live or dropped.
    """
    graphs = _read_graphs(connection, schema_id)
    rows = connection.execute(_TAKE_ROOTS, {"of_schema": schema_id})
    digests = {row.root_id: row.digest for row in rows}
    for root_id in digests.keys() - graphs.keys():
        _end_graph(connection, clock, root_id)
    for root_id, graph in graphs.items():
        if root_id not in digests:
            _begin_graph(connection, clock, schema_id, graph)
        elif digests[root_id] != digest_tasks(encode_tasks(graph)):
            _change_graph(connection, clock, root_id, graph)


def add_missing_graphs(connection: sa.Connection, clock: Clock) -> None:
    """Write the graphs of all schemas: tasks that are older than the registry of runs have none."""
    for schema_id in connection.execute(_SCHEMAS_OF_TASKS).scalars().all():
        write_graphs(connection, clock, schema_id)


def _read_graphs(connection: sa.Connection, schema_id: str) -> dict[str, GraphVersion]:
    """Return the graphs of the live tasks of a schema by the object ids of their roots.

    Tasks that a DROP has left with two roots are no graph, and run no more.
    """
    tasks = {}
    for row in connection.execute(_LIVE_TASKS, {"of_schema": schema_id}):
        name = QualifiedName(row.database_name, row.schema_name, row.name)
        common = {key: getattr(row, key) for key in ("object_id", "owner", "comment", "created_at")}
        record = TaskRecord.from_definition(row.definition, None, name=name, **common)
        tasks[row.name] = record.in_graph
    members: dict[str, list[Task]] = {}
    for name, task in tasks.items():
        members.setdefault(find_root(name, tasks), []).append(task)
    graphs = {}
    for root, found in members.items():
        try:
            graph = GraphVersion(1, select_graph(root, found))
        except DefinitionRefused:
            continue
        graphs[graph.root.object_id] = graph
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
    connection: sa.Connection, clock: Clock, root_id: str, graph: GraphVersion
) -> None:
    row = take_root(connection, root_id)
    if row is not None:
        changed = replace(graph, number=row.state.graph.number + 1)
        apply_task_event(connection, clock, root_id, GraphChanged(changed))


def _end_graph(connection: sa.Connection, clock: Clock, root_id: str) -> None:
    """Cancel all runs of a root that is gone, those that begin meanwhile too; remove its state."""
    row = take_root(connection, root_id)
    if row is None:
        return
    state, now = row.state, time_of(max(clock(connection), row.seen_at))
    decisions: list[Decision] = []
    while tasks := {
        task_run.task
        for graph_run in state.active
        for task_run in graph_run.task_runs
        if task_run.state.is_open
    }:
        for task in sorted(tasks):
            state, more = apply_event(state, RunsCancelled(task), now)
            decisions += more
    recorded = [each for each in decisions if isinstance(each, RunRecorded)]
    write_run_rows(connection, root_id, graphs_of(row.state, state), recorded)
    remove_root_state(connection, root_id)
