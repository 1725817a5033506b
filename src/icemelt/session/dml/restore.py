"""RESTORE TABLE: give a table the rows of an earlier version, as a new version."""

from __future__ import annotations

from dataclasses import replace

from icemelt.engine.relations import require_readable_types
from icemelt.errors import ValueRefused
from icemelt.quoting import quote
from icemelt.session.dml.writing import (
    WriteTarget,
    delete_all,
    finish_write,
    open_target,
    pending_change,
)
from icemelt.session.runtime.core import Core, History
from icemelt.session.runtime.spark_errors import translated
from icemelt.session.runtime.spark_sql import run_sql
from icemelt.session.timeline.points import Timeline
from icemelt.sql.statements import Restore
from icemelt.tables.scans.collapsed_state import remove_later_files
from icemelt.transactions.pending import RESTORE, Attempt, Pending

__all__ = ["restore_table"]


def restore_table(core: Core, statement: Restore, history: History) -> str:
    """Run RESTORE TABLE from metadata alone; the columns stay those of today.

    The versions in between stay as well: streams see the difference, and a later RESTORE may go
    back.

    Args:
        core: the session's parts.
        statement: the parsed statement.
        history: makes the statement's record in the history.

    Raises:
        ObjectNotFound: there is no such table.
        PointError: the point is before the table, past retention, or in the future.
        ColumnRetyped: another engine has replaced the table since, with other types.
        ValueRefused: rows of the version have NULL in a column that takes no NULL today.
    """

    def work(attempt: Attempt) -> Pending[str]:
        state = core.resolve([core.full(statement.name)])
        target = open_target(core, attempt, core.table_in(state, statement.name))
        timeline = Timeline(core, state)
        commit, _ = timeline.place([target.table], statement.point)
        base, then = timeline.version(target.table, target.base, commit)
        target = replace(target, base=base)
        if then.snapshot_id != target.base.current_snapshot_id:
            require_readable_types(target.base, then.snapshot_id)
            _require_no_nulls(core, target, then.snapshot_id)
            _go_back(core, attempt, target, then.snapshot_id)
        name = str(core.full(statement.name))
        said = f"Table {name!r} has the rows of its version {then.version} again."
        change = pending_change(
            history, [finish_write(attempt, target, RESTORE, requires_whole_table=True)]
        )
        return Pending(said, change.statement, change.writes)

    return core.outcome(work, history)


def _go_back(core: Core, attempt: Attempt, target: WriteTarget, snapshot_id: int | None) -> None:
    if snapshot_id is None:
        delete_all(core, attempt, target)
        return
    java = core.iceberg.table(attempt.workspace.namespace, target.table.object_id)
    then = target.base.snapshots[snapshot_id]
    java.manageSnapshots().setCurrentSnapshot(then.stored_id).commit()
    if then.surviving_snapshot_id is not None:
        remove_later_files(core.iceberg, java, target.base, then)


def _require_no_nulls(core: Core, target: WriteTarget, snapshot_id: int | None) -> None:
    """Refuse a version with NULL in a column that has become NOT NULL since."""
    if not target.base.has_tightened_columns:
        return
    required = [quote(column.name) for column in target.base.columns if not column.nullable]
    counts = ", ".join(f"count_if({name} IS NULL) AS {name}" for name in required)
    relation = core.relations.read_snapshot(target.base, snapshot_id)
    with translated(core.spark):
        [null_counts] = run_sql(core, f"SELECT {counts} FROM {relation}").collect()
    for name, count in null_counts.asDict().items():
        if count:
            raise ValueRefused(
                f"Column {name!r} takes no NULL today, and is NULL in {count} rows of then.",
                hint=f"ALTER TABLE {target.table.name} ALTER COLUMN {name} DROP NOT NULL, then "
                "RESTORE.",
            )
