"""The history of tasks in the registry: a row for each attempt of a run to run a task."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from icemelt.catalog.model import objects, task_runs
from icemelt.catalog.task_ends import RunKey
from icemelt.catalog.task_states import moment_of
from icemelt.names import fold
from icemelt.tasks.events import RunRecorded
from icemelt.tasks.graph import GraphVersion
from icemelt.tasks.records import RunError
from icemelt.tasks.states import RunState

__all__ = ["cancel_open_rows", "find_last_numbers", "find_place", "write_run_rows"]

_KEY = ("root_id", "run_id", "task", "attempt")
# what a later event changes in a row; a row keeps its last holder
_CHANGES = (
    *("state", "scheduled_at", "started_at", "completed_at", "error_code", "error_message"),
    *("return_value", "query_id", "graph_version", "query_text", "condition_text"),
    *("config", "client"),
)


def _upsert(insert: Any) -> Any:
    """Return the statement that adds rows, or changes those that there are."""
    new = insert.excluded
    changes = {name: new[name] for name in _CHANGES}
    for name in ("holder", "token"):
        changes[name] = sa.func.coalesce(new[name], task_runs.c[name])
    return insert.on_conflict_do_update(index_elements=_KEY, set_=changes)


# Building a statement takes SQLAlchemy longer than running it: every statement is built once.
_UPSERTS: Mapping[str, Any] = {
    "sqlite": _upsert(sqlite.insert(task_runs)),
    "postgresql": _upsert(postgresql.insert(task_runs)),
}
_SCHEMA, _DATABASE = objects.alias("of_schema"), objects.alias("of_database")
_PLACE = (
    sa.select(_DATABASE.c.name.label("database_name"), _SCHEMA.c.name.label("schema_name"))
    .select_from(objects)
    .join(_SCHEMA, _SCHEMA.c.object_id == objects.c.parent_id)
    .join(_DATABASE, _DATABASE.c.object_id == _SCHEMA.c.parent_id)
    .where(objects.c.object_id == sa.bindparam("of_root"))
)
_LAST_NUMBERS = sa.select(
    sa.func.max(task_runs.c.run_id),
    sa.func.max(task_runs.c.graph_version),
    sa.func.max(task_runs.c.token),
).where(task_runs.c.root_id == sa.bindparam("of_root"))
_OPEN = sa.and_(
    task_runs.c.root_id == sa.bindparam("of_root"),
    # as the index has it
    task_runs.c.completed_at.is_(None),
)
_OPEN_KEYS = sa.select(*(task_runs.c[name] for name in _KEY)).where(_OPEN)
_CANCEL_OPEN = (
    task_runs.update()
    .where(_OPEN)
    .values(
        state=RunState.CANCELLED.value,
        completed_at=sa.bindparam("at", type_=sa.BigInteger),
        error_code=sa.bindparam("code"),
        error_message=sa.bindparam("message"),
    )
)


def write_run_rows(
    connection: sa.Connection,
    root_id: str,
    graphs: Mapping[int, GraphVersion],
    recorded: Iterable[RunRecorded],
) -> None:
    """Write the rows of an event into the history; of several for one run the last one counts.

    Args:
        connection: a connection in a write transaction.
        root_id: the object id of the root.
        graphs: the versions of the graph by number, of all rows.
        recorded: the rows, in the order of the decisions.
    """
    last = {(row.run_id, row.task_run.task, row.task_run.attempt): row for row in recorded}
    if not last:
        return
    place = find_place(connection, root_id)
    rows = [
        {"root_id": root_id, **place, **_values(row, graphs[row.graph_version])}
        for row in last.values()
    ]
    connection.execute(_UPSERTS[connection.dialect.name], rows)


def cancel_open_rows(
    connection: sa.Connection, root_id: str, reason: RunError, now: int
) -> list[RunKey]:
    """Cancel the open runs of a root whose state cannot be read; return the runs.

    Args:
        connection: a connection in a write transaction.
        root_id: the object id of the root.
        reason: why.
        now: the time, in milliseconds since 1970.
    """
    open_runs = connection.execute(_OPEN_KEYS, {"of_root": root_id}).all()
    told = {"code": reason.code, "message": reason.message}
    connection.execute(_CANCEL_OPEN, {"of_root": root_id, "at": now, **told})
    return [(row.root_id, row.run_id, row.task, row.attempt) for row in open_runs]


def find_place(connection: sa.Connection, root_id: str) -> dict[str, str]:
    """Return the names of the database and the schema of a root, as `database_name` and so on."""
    return connection.execute(_PLACE, {"of_root": root_id}).one()._asdict()


def find_last_numbers(connection: sa.Connection, root_id: str) -> tuple[int, int, int]:
    """Return the last run id, graph version and token of a root in the history; 0 for none."""
    run_id, version, token = connection.execute(_LAST_NUMBERS, {"of_root": root_id}).one()
    return run_id or 0, version or 0, token or 0


def _values(row: RunRecorded, graph: GraphVersion) -> dict[str, Any]:
    run, task = row.task_run, graph.task(row.task_run.task)
    claim, error = run.claim, run.error
    return {
        "run_id": row.run_id,
        "task": run.task,
        "attempt": run.attempt,
        "task_id": task.object_id,
        "folded": fold(run.task),
        "root_name": graph.root.name,
        "folded_root": fold(graph.root.name),
        "graph_version": row.graph_version,
        "origin": row.origin.value,
        "state": run.state.value,
        "run_scheduled_at": moment_of(row.scheduled_at),
        "scheduled_at": moment_of(run.scheduled_at),
        "started_at": None if run.started_at is None else moment_of(run.started_at),
        "completed_at": None if run.completed_at is None else moment_of(run.completed_at),
        "holder": None if claim is None else claim.holder,
        "token": None if claim is None else claim.token,
        "error_code": None if error is None else error.code,
        "error_message": None if error is None else _as_text(error.message),
        "return_value": None if run.return_value is None else _as_text(run.return_value),
        "query_id": run.query_id,
        "query_text": task.body,
        "condition_text": task.condition,
        "config": row.config,
        "client": task.client,
    }


def _as_text(value: str) -> str:
    """Return a text as every kind of catalog can keep it, whatever characters it has."""
    return value.replace("\0", "\ufffd").encode(errors="replace").decode()
