"""Planning one changed file among many: by deletion vector, by whole-file delete, by append."""

from __future__ import annotations

import statistics
import tempfile
import time
from typing import Any

from matplotlib.axes import Axes

import icemelt
from benchmarks.many_files import commit_files, new_rows
from benchmarks.report import Experiment, Outcome, Target
from icemelt.names import ObjectName
from icemelt.sql.statements import ChangeFormat, Changes, Point, PointKind, Side
from icemelt.tables.scans.change_scan import ChangeScan, plan_changes

__all__ = ["EXPERIMENT", "plan_changes_since"]

SIZES = (10, 100, 1000, 10_000)
_ROWS = 4
_REPEATS = 15
_LIMITS = {"append": 50, "deletion vector": 100, "whole file": 100}
_CHANGES = {
    "append": "INSERT INTO {table} VALUES (-1, 0)",
    "deletion vector": "DELETE FROM {table} WHERE id = 1",
    "whole file": "DELETE FROM {table} WHERE id BETWEEN 4 AND 7",
}


def run() -> Outcome:
    """Plan each change of each table; the change itself is not timed."""
    rows = []
    with icemelt.connect(tempfile.mkdtemp(), master="local[2]", memory="4g") as session:
        for size in SIZES:
            table = f"t{size}"
            session.sql(f"CREATE TABLE {table} (id INT, v INT)")
            commit_files(session, table, (new_rows(number, _ROWS) for number in range(size)))
            row: dict[str, Any] = {"files": size}
            for name, change in _CHANGES.items():
                before = session.sql(f"SELECT count(*) FROM {table}").statement_id
                session.sql(change.format(table=table))
                seconds, _ = plan_changes_since(session, table, before)
                row[f"{name}, ms"] = round(1000 * seconds, 1)
            rows.append(row)
    largest = rows[-1]
    targets = [
        Target(f"{name} among {SIZES[-1]:,} files, ms", largest[f"{name}, ms"], limit)
        for name, limit in _LIMITS.items()
    ]
    return Outcome(rows, targets)


def draw(outcome: Outcome, axes: Axes) -> None:
    """Draw a line for each kind of change."""
    for name in _CHANGES:
        axes.plot(SIZES, [row[f"{name}, ms"] for row in outcome.rows], marker="o", label=name)
    axes.set_xscale("log")
    axes.set_ylim(bottom=0)
    axes.set_xlabel("files of the table (log)")
    axes.set_ylabel("milliseconds to plan")
    axes.set_title("Planning the changes of one file")
    axes.legend()


def plan_changes_since(
    session: icemelt.Session, table: str, start: str | None, repeats: int = _REPEATS
) -> tuple[float, ChangeScan]:
    """Return the median of seconds to plan the changes since a statement, and the plan."""
    from icemelt.session.timeline.points import Timeline

    core = session._core
    full = core.full(ObjectName((table,)))
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        state = core.resolve([full])
        metadata = core.metadata(state.tables[full])
        point = Point(Side.AT, PointKind.STATEMENT, f"'{start}'")
        changes = Changes(ChangeFormat.DEFAULT, point)
        timeline, record = Timeline(core, state), state.tables[full]
        interval = timeline.between(record, metadata, timeline.ends([record], changes))
        scan = plan_changes(core.iceberg, interval.scanned, core.relations.scratch)
        for side in (scan.added, scan.removed):
            _ = side.tasks
        times.append(time.perf_counter() - started)
    return statistics.median(times), scan


EXPERIMENT = Experiment(
    "planning",
    "One file changes, by an append, by a deletion vector, or by removing it whole, in tables of "
    "10 to 10,000 files with manifests as Iceberg merges them. How long does it take to resolve "
    "the table, find both points and plan the change scan? Medians of 15 runs.",
    run,
    draw,
)
