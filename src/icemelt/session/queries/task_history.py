"""TASK_HISTORY, CURRENT_TASK_GRAPHS and COMPLETE_TASK_GRAPHS: runs of tasks, as rows."""

from __future__ import annotations

import datetime
from typing import Any

from icemelt.catalog.queries.task_history import (
    FoundGraphRun,
    FoundTaskRun,
    WantedRuns,
    find_complete_graphs,
    find_current_graphs,
    find_task_runs,
)
from icemelt.engine.resources import StatementResources
from icemelt.schema import Column
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.hiding import shown_error
from icemelt.session.runtime.local_relation import local_relation
from icemelt.session.timeline.constants import evaluate_text, evaluate_time
from icemelt.sql.analysis.information_functions import (
    COMPLETE_TASK_GRAPHS,
    TASK_HISTORY,
    TASK_RUN_COLUMNS,
)
from icemelt.sql.statements import Point, TaskRunFilter
from icemelt.times import as_datetime

__all__ = ["task_runs_relation"]


def task_runs_relation(core: Core, runs: TaskRunFilter, resources: StatementResources) -> str:
    """Return the relation of runs of tasks, or of graphs.

    A server's client sees the runs of all tasks, as it sees the tasks, without the server's folders
    in their errors.

    Args:
        core: the session's parts.
        runs: which runs.
        resources: gain the relation's view.
    """
    wanted = _evaluate(core, runs)
    is_complete = runs.function == COMPLETE_TASK_GRAPHS
    with core.database.read() as connection:
        if runs.function == TASK_HISTORY:
            rows = [_task_row(core, run) for run in find_task_runs(connection, wanted)]
        else:
            find = find_complete_graphs if is_complete else find_current_graphs
            graphs = find(connection, wanted)
            rows = [_graph_row(core, graph, is_complete=is_complete) for graph in graphs]
    columns = [Column(name, kind) for name, kind in TASK_RUN_COLUMNS[runs.function].items() if kind]
    return local_relation(resources, columns, rows)


def _evaluate(core: Core, runs: TaskRunFilter) -> WantedRuns:
    def time(point: Point | None, argument: str) -> int | None:
        return None if point is None else evaluate_time(core, point.expression, argument)

    def text(expression: str | None, argument: str) -> str | None:
        return None if expression is None else evaluate_text(core, expression, argument)

    name = "TASK_NAME" if runs.function == TASK_HISTORY else "ROOT_TASK_NAME"
    return WantedRuns(
        runs.limit,
        time(runs.start, "SCHEDULED_TIME_RANGE_START"),
        time(runs.end, "SCHEDULED_TIME_RANGE_END"),
        text(runs.task, name),
        text(runs.root_id, "ROOT_TASK_ID"),
        runs.errors_only,
    )


def _task_row(core: Core, run: FoundTaskRun) -> tuple[Any, ...]:
    return (
        run.query_id,
        run.name,
        run.database_name,
        run.schema_name,
        run.query_text,
        run.condition_text,
        run.state,
        run.error_code,
        shown_error(core, run.error_message),
        *map(_time, (run.scheduled_at, run.started_at, run.next_scheduled_at, run.completed_at)),
        run.root_id,
        run.graph_version,
        run.run_scheduled_at,
        run.return_value,
        run.origin,
        run.attempt,
        run.config,
        run.run_id,
    )


def _graph_row(core: Core, graph: FoundGraphRun, *, is_complete: bool) -> tuple[Any, ...]:
    run = graph.first
    task, code, message = graph.error or (None, None, None)
    times = [run.run_scheduled_at, graph.started_at, run.next_scheduled_at]
    return (
        run.name,
        run.database_name,
        run.schema_name,
        graph.state,
        run.origin,
        task,
        code,
        shown_error(core, message),
        *map(_time, [*times, graph.completed_at] if is_complete else times),
        run.root_id,
        run.graph_version,
        run.run_scheduled_at,
        run.attempt,
        run.config,
        run.run_id,
    )


def _time(milliseconds: int | None) -> datetime.datetime | None:
    return None if milliseconds is None else as_datetime(milliseconds)
