"""The history of tasks as TASK_HISTORY and the functions of graphs read it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from icemelt.catalog.batches import split_values
from icemelt.catalog.model import definitions, objects, task_graphs, task_runs
from icemelt.catalog.queries.query_history import LONGEST_TEXT
from icemelt.names import fold
from icemelt.tasks.states import RunOrigin, RunState

__all__ = [
    "FoundGraphRun",
    "FoundTaskRun",
    "WantedRuns",
    "find_complete_graphs",
    "find_current_graphs",
    "find_task_runs",
]

_FAILURES = (RunState.FAILED, RunState.FAILED_AND_AUTO_SUSPENDED)
_FAILED = task_runs.c.state.in_([state.value for state in _FAILURES])
_CANCELLED = task_runs.c.state == RunState.CANCELLED.value
_KEY = (task_runs.c.root_id, task_runs.c.run_id, task_runs.c.attempt)


@dataclass(frozen=True, slots=True)
class WantedRuns:
    """Which runs of the history are read: the last ones, `limit` at most.

    Args:
        limit: how many rows are read at most.
        start: the earliest scheduled time, in milliseconds since 1970; None for no bound.
        end: the latest scheduled time, in milliseconds since 1970; None for no bound.
        name: the own name of the task, of the root for graphs, in any case; None for all.
        root_id: the object id of the root, None for all.
        errors_only: whether only runs that failed or were cancelled are read.
    """

    limit: int
    start: int | None = None
    end: int | None = None
    name: str | None = None
    root_id: str | None = None
    errors_only: bool = False


@dataclass(frozen=True, slots=True)
class FoundTaskRun:
    """A row of TASK_HISTORY, with all times in milliseconds since 1970.

    A next time of a schedule has no run id yet.
    """

    name: str
    database_name: str
    schema_name: str
    query_text: str
    condition_text: str | None
    state: str
    scheduled_at: int
    run_scheduled_at: int
    root_id: str
    graph_version: int
    origin: str
    config: str | None
    next_scheduled_at: int | None
    run_id: int | None = None
    attempt: int = 1
    query_id: str | None = None
    started_at: int | None = None
    completed_at: int | None = None
    error_code: str | None = None
    error_message: str | None = None
    return_value: str | None = None


@dataclass(frozen=True, slots=True)
class FoundGraphRun:
    """A row of CURRENT_TASK_GRAPHS or COMPLETE_TASK_GRAPHS, with times as in `FoundTaskRun`.

    Args:
        first: the first task of the attempt; its name is the root's.
        state: the state of the attempt.
        started_at: when the first of its tasks began.
        completed_at: when the last of its tasks ended; None where some are to end.
        error: the first task that failed: its name, the error's code and the error's message.
    """

    first: FoundTaskRun
    state: str
    started_at: int | None
    completed_at: int | None
    error: tuple[str, str | None, str | None] | None = None


def find_task_runs(connection: sa.Connection, wanted: WantedRuns) -> list[FoundTaskRun]:
    """Return runs of tasks, the last scheduled first, with the next times of schedules.

    Args:
        connection: a connection to the catalog's database.
        wanted: which runs.
    """
    query = (
        sa.select(*_columns())
        .join(task_graphs, task_graphs.c.root_id == task_runs.c.root_id, isouter=True)
        .where(*_conditions(wanted))
        .order_by(
            task_runs.c.scheduled_at.desc(),
            task_runs.c.run_id.desc(),
            task_runs.c.attempt.desc(),
            task_runs.c.task,
        )
        .limit(wanted.limit)
    )
    found = [FoundTaskRun(**row._asdict()) for row in connection.execute(query)]
    if not wanted.errors_only:
        found += _find_next_times(connection, wanted)
    found.sort(key=lambda run: run.scheduled_at, reverse=True)
    return found[: wanted.limit]


def find_current_graphs(connection: sa.Connection, wanted: WantedRuns) -> list[FoundGraphRun]:
    """Return the runs of graphs that are not over, and the next times, the last scheduled first.

    Args:
        connection: a connection to the catalog's database.
        wanted: which graphs.
    """
    is_open = sa.select(*_KEY).where(task_runs.c.completed_at.is_(None))
    query = (
        _group(wanted)
        .where(sa.tuple_(*_KEY).in_(is_open))
        .order_by(sa.func.min(task_runs.c.run_scheduled_at).desc(), task_runs.c.root_id)
        .limit(wanted.limit)
    )
    found = _read_graphs(connection, query)
    for run in _find_next_times(connection, wanted):
        found.append(FoundGraphRun(run, run.state, None, None))
    found.sort(key=lambda run: run.first.run_scheduled_at, reverse=True)
    return found[: wanted.limit]


def find_complete_graphs(connection: sa.Connection, wanted: WantedRuns) -> list[FoundGraphRun]:
    """Return the attempts of runs of graphs that are over, the last to end first.

    One whose root was skipped has no row.

    Args:
        connection: a connection to the catalog's database.
        wanted: which graphs.
    """
    is_root = task_runs.c.task == task_runs.c.root_name
    skipped = sa.and_(is_root, task_runs.c.state == RunState.SKIPPED.value)
    ended = sa.func.max(task_runs.c.completed_at)
    query = _group(wanted).having(
        sa.func.count() == sa.func.count(task_runs.c.completed_at), _count(skipped) == 0
    )
    if wanted.errors_only:
        query = query.having(_count(sa.or_(_FAILED, _CANCELLED)) > 0)
    ordered = query.order_by(ended.desc(), task_runs.c.root_id, task_runs.c.run_id.desc())
    return _read_graphs(connection, ordered.limit(wanted.limit))


def _columns() -> Iterator[sa.ColumnElement[Any]]:
    same = (
        *("database_name", "schema_name", "condition_text", "state", "scheduled_at", "root_id"),
        *("run_scheduled_at", "graph_version", "origin", "config", "run_id", "attempt"),
        *("query_id", "started_at", "completed_at", "error_code", "return_value"),
    )
    yield task_runs.c.task.label("name")
    yield from (task_runs.c[name] for name in same)
    yield from (
        sa.func.substr(task_runs.c[name], 1, LONGEST_TEXT).label(name)
        for name in ("query_text", "error_message")
    )
    yield _next_of_root()


def _next_of_root() -> sa.ColumnElement[Any]:
    """Return the next time of a root; children have none of their own."""
    is_root = task_runs.c.task == task_runs.c.root_name
    return sa.case((is_root, task_graphs.c.next_scheduled_at)).label("next_scheduled_at")


def _conditions(wanted: WantedRuns) -> Iterator[sa.ColumnElement[bool]]:
    if wanted.start is not None:
        yield task_runs.c.scheduled_at >= wanted.start
    if wanted.end is not None:
        yield task_runs.c.scheduled_at <= wanted.end
    if wanted.name is not None:
        yield task_runs.c.folded == fold(wanted.name)
    if wanted.root_id is not None:
        yield task_runs.c.root_id == wanted.root_id
    if wanted.errors_only:
        yield sa.or_(_FAILED, _CANCELLED)


# --------------------------------------------------------------------------------- next times


def _find_next_times(connection: sa.Connection, wanted: WantedRuns) -> list[FoundTaskRun]:
    """Return the next times of the schedules of resumed roots, as runs that are scheduled."""
    schema, database = objects.alias("of_schema"), objects.alias("of_database")
    at = task_graphs.c.next_scheduled_at
    query = (
        sa.select(
            *(task_graphs.c[name] for name in ("root_id", "graph_version", "next_scheduled_at")),
            objects.c.name,
            schema.c.name.label("schema_name"),
            database.c.name.label("database_name"),
            definitions.c.definition,
        )
        .join(objects, objects.c.object_id == task_graphs.c.root_id)
        .join(definitions, definitions.c.object_id == objects.c.object_id)
        .join(schema, schema.c.object_id == objects.c.parent_id)
        .join(database, database.c.object_id == schema.c.parent_id)
        .where(at.is_not(None))
        .order_by(at.desc())
        .limit(wanted.limit)
    )
    if wanted.start is not None:
        query = query.where(at >= wanted.start)
    if wanted.end is not None:
        query = query.where(at <= wanted.end)
    if wanted.name is not None:
        query = query.where(objects.c.folded == fold(wanted.name))
    if wanted.root_id is not None:
        query = query.where(task_graphs.c.root_id == wanted.root_id)
    return [_next_run(row) for row in connection.execute(query)]


def _next_run(row: Any) -> FoundTaskRun:
    return FoundTaskRun(
        row.name,
        row.database_name,
        row.schema_name,
        row.definition["body"][:LONGEST_TEXT],
        row.definition["condition"],
        RunState.SCHEDULED.value,
        row.next_scheduled_at,
        row.next_scheduled_at,
        row.root_id,
        row.graph_version,
        RunOrigin.SCHEDULE.value,
        row.definition["options"].get("CONFIG"),
        None,
    )


# ------------------------------------------------------------------------------------- graphs


def _count(condition: sa.ColumnElement[bool]) -> sa.ColumnElement[int]:
    return sa.func.count(sa.case((condition, 1)))


def _group(wanted: WantedRuns) -> sa.Select[Any]:
    """Return the query of the attempts of runs of graphs, a row for each."""
    same = ("root_name", "database_name", "schema_name", "graph_version", "origin", "config")
    query = (
        sa.select(
            *_KEY,
            *(sa.func.max(task_runs.c[name]).label(name) for name in same),
            sa.func.min(task_runs.c.run_scheduled_at).label("run_scheduled_at"),
            sa.func.min(task_runs.c.started_at).label("started_at"),
            sa.func.max(task_runs.c.completed_at).label("completed_at"),
            sa.func.max(task_graphs.c.next_scheduled_at).label("next_scheduled_at"),
            _count(task_runs.c.completed_at.is_(None)).label("open"),
            _count(task_runs.c.state == RunState.SCHEDULED.value).label("waiting"),
            sa.func.count().label("tasks"),
            _count(_FAILED).label("failed"),
            _count(_CANCELLED).label("cancelled"),
        )
        .select_from(task_runs)
        .join(task_graphs, task_graphs.c.root_id == task_runs.c.root_id, isouter=True)
        .group_by(*_KEY)
    )
    if wanted.name is not None:
        query = query.where(task_runs.c.folded_root == fold(wanted.name))
    return query


def _read_graphs(connection: sa.Connection, query: sa.Select[Any]) -> list[FoundGraphRun]:
    rows = connection.execute(query).all()
    errors = _find_first_errors(connection, [tuple(row)[:3] for row in rows if row.failed])
    return [
        FoundGraphRun(
            FoundTaskRun(
                row.root_name,
                row.database_name,
                row.schema_name,
                "",
                None,
                RunState.SCHEDULED.value,
                row.run_scheduled_at,
                row.run_scheduled_at,
                row.root_id,
                row.graph_version,
                row.origin,
                row.config,
                row.next_scheduled_at,
                row.run_id,
                row.attempt,
            ),
            _state(row),
            row.started_at,
            None if row.open else row.completed_at,
            errors.get(tuple(row)[:3]),
        )
        for row in rows
    ]


def _state(row: Any) -> str:
    if row.open:
        is_waiting = row.waiting == row.tasks
        return (RunState.SCHEDULED if is_waiting else RunState.EXECUTING).value
    if row.failed:
        return RunState.FAILED.value
    return (RunState.CANCELLED if row.cancelled else RunState.SUCCEEDED).value


def _find_first_errors(
    connection: sa.Connection, keys: Sequence[tuple[Any, ...]]
) -> dict[tuple[Any, ...], tuple[str, str | None, str | None]]:
    """Return the first task that failed in each attempt, with its error."""
    found: dict[tuple[Any, ...], tuple[str, str | None, str | None]] = {}
    for batch in split_values(keys):
        query = sa.select(
            *_KEY,
            task_runs.c.task,
            task_runs.c.error_code,
            sa.func.substr(task_runs.c.error_message, 1, LONGEST_TEXT),
        ).where(_FAILED, sa.tuple_(*_KEY).in_(batch))
        for *key, task, code, message in connection.execute(
            query.order_by(task_runs.c.completed_at, task_runs.c.task)
        ):
            found.setdefault(tuple(key), (task, code, message))
    return found
