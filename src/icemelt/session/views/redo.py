"""REDO_LOG of a view: the changes of its rows by each commit to a table under the view.

A version of a view is a commit that changed rows of a table under the view. A transaction that
wrote several of the tables is one version. The number of a version is the lake's commit number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from icemelt.algebra.nodes import Pin, Relation
from icemelt.catalog.queries.moments import time_of_commit
from icemelt.changes.differentiation import is_linear
from icemelt.engine.resources import StatementResources
from icemelt.quoting import quote
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.spark_sql import run_sql
from icemelt.session.timeline.points import Timeline
from icemelt.session.timeline.redo import redo_delta
from icemelt.session.views.algebra import algebra_of
from icemelt.session.views.changes import (
    BaseInterval,
    ViewLog,
    ViewPlan,
    base_intervals,
    name_view_in_errors,
    select_change_columns,
    select_no_changes,
    view_changes,
    view_inserts,
)
from icemelt.session.views.differentiation import ViewTables, differentiate_each_version
from icemelt.spark_sql.change_relations import CARRIED
from icemelt.spark_sql.own_columns import CHANGE_COLUMNS, COMMIT_COLUMNS

__all__ = ["known_by_values", "redone_view"]

# the plan of more is too large for Spark: so many versions are run, and their changes kept
_TOGETHER = 16


def redone_view(
    timeline: Timeline,
    view: ViewPlan,
    commits: tuple[int, int],
    resources: StatementResources,
    *,
    initial: bool = False,
) -> tuple[str, ViewPlan]:
    """Return the relation of the changes of every version between two commit numbers, and its plan.

    `view` has the intervals of its tables between the two. `initial` says that its rows at the
    first are given before, as that commit's.

    Raises:
        PointError: files of a version are gone.
        UnsupportedError: the changes of the view's query cannot be told.
    """
    core = timeline.core
    parts: list[str] = []
    if initial:
        rows = view_inserts(core, view, resources, Pin.OLD)
        with core.database.read() as connection:
            start = time_of_commit(connection, commits[0])
        parts.append(_with_commit_columns(rows, commits[0], start))
    versions, plans = len(_commits(view.bases)), None
    relation = algebra_of(core, view.expanded)
    logs = _logs_of_tables(core, view, resources) if is_linear(relation) else None
    if logs is None:
        parts += _version_by_version(timeline, view, commits[0], resources)
    else:
        parts.append(_in_one_pass(core, view, relation, logs, resources))
        plans = tuple(each.plan for each in logs.deltas.values())
    return f"({' UNION ALL '.join(parts)})", replace(view, log=ViewLog(versions, plans))


def known_by_values(core: Core, view: ViewPlan, resources: StatementResources) -> str | None:
    """Return why rows of some version are known by their values alone, None where none are."""
    if view.log is not None and view.log.tables is not None:
        return None
    if core.scope.strategy == "ORIGINAL":
        return "VIEW_CHANGES = ORIGINAL compares rows by their values"
    for base in view.bases:
        delta = redo_delta(core, base.table, base.versions, resources)
        if not delta.usable:
            return delta.plan.reason
    return None


def _logs_of_tables(core: Core, view: ViewPlan, resources: StatementResources) -> ViewTables | None:
    """Return the redo logs of the tables under a view whose query works row by row.

    None if the log of the view is not made of these: VIEW_CHANGES forbids, or rows lack identity.
    """
    if core.scope.strategy not in {"AUTO", "INCREMENTAL"}:
        return None
    intervals = {base.table.object_id: base.scanned for base in view.bases}
    logs = ViewTables(core, intervals, resources, view.view.time_zone)
    with name_view_in_errors(view.view):
        for base in view.bases:
            delta = redo_delta(core, base.table, base.versions, resources)
            logs.deltas[base.table.object_id] = delta
    return logs if logs.are_identified else None


def _in_one_pass(
    core: Core, view: ViewPlan, relation: Relation, logs: ViewTables, resources: StatementResources
) -> str:
    """Return the changes of all versions of a view, made of the changes of the view's tables."""
    differentiated = differentiate_each_version(relation, view.view.columns, logs)
    if differentiated.view is None:
        return _with_commit_columns(select_no_changes(core, view, resources), 0, 0)
    version, time = map(quote, COMMIT_COLUMNS)
    columns = (column.name for column in view.view.columns)
    shown = ", ".join(quote(name) for name in (*columns, *CHANGE_COLUMNS))
    dated = f"{CARRIED}.number AS {version}, {CARRIED}.time AS {time}"
    changes = select_change_columns(view.view, differentiated)
    return f"SELECT {shown}, {dated} FROM {changes}"


def _version_by_version(
    timeline: Timeline, view: ViewPlan, start: int, resources: StatementResources
) -> list[str]:
    """Return the changes of every version after a commit; each version has a plan of its own."""
    core, before = timeline.core, start
    tables = [base.table for base in view.bases]
    parts: list[str] = []
    for number, time in sorted(_commits(view.bases).items()):
        with name_view_in_errors(view.view):
            bases = base_intervals(timeline, tables, (before, number), whole=True)
        changes = view_changes(core, replace(view, bases=bases), resources)
        parts.append(_with_commit_columns(changes, number, time))
        if len(parts) == _TOGETHER and resources.collects:
            parts = [_keep_rows(core, parts, resources)]
        before = number
    return parts or [_with_commit_columns(view_changes(core, view, resources), 0, 0)]


def _commits(bases: Sequence[BaseInterval]) -> dict[int, int]:
    """Return the commits that may have changed rows, by number, and their times."""
    changing = [version for base in bases for _, version in base.versions.changing]
    return {version.moment.commit_number: version.moment.time for version in changing}


def _with_commit_columns(changes: str, number: int, time: int) -> str:
    version, timestamp = map(quote, COMMIT_COLUMNS)
    dated = f"CAST({number} AS BIGINT) AS {version}, timestamp_millis({time}) AS {timestamp}"
    return f"SELECT *, {dated} FROM {changes}"


def _keep_rows(core: Core, parts: Sequence[str], resources: StatementResources) -> str:
    """Run queries and return a query over the rows, which the executors keep for a while."""
    rows = run_sql(core, " UNION ALL ".join(parts)).localCheckpoint()
    return f"SELECT * FROM {resources.create_view(rows)}"
