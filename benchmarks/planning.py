"""Planning one changed file among many: by deletion vector, by whole-file delete, by append."""

from __future__ import annotations

import statistics
import tempfile
import time
from typing import Any

import icemelt
from benchmarks.many_files import add_files
from icemelt.names import ObjectName
from icemelt.sql.statements import ChangeFormat, Changes, Point, PointKind, Side
from icemelt.tables.change_scan import Interval, plan_changes

__all__ = ["run"]

SIZES = (10, 100, 1000, 10_000)
_ROWS = 4
_REPEATS = 9
_CHANGES = {
    "append": "INSERT INTO {table} VALUES (-1, 0)",
    "deletion vector": "DELETE FROM {table} WHERE id = 1",
    "whole file": "DELETE FROM {table} WHERE id BETWEEN 4 AND 7",
}


def run() -> list[dict[str, Any]]:
    """Return one row for each size: files, and the median milliseconds of each change."""
    rows = []
    with icemelt.connect(tempfile.mkdtemp(), master="local[2]", memory="4g") as session:
        for size in SIZES:
            table = f"t{size}"
            session.sql(f"CREATE TABLE {table} (id INT, v INT)")
            add_files(session, table, size, _ROWS)
            row: dict[str, Any] = {"files": size}
            for name, change in _CHANGES.items():
                before = session.sql(f"SELECT count(*) FROM {table}").statement_id
                session.sql(change.format(table=table))
                row[f"{name} ms"] = round(1000 * _planning(session, table, before), 1)
            rows.append(row)
    return rows


def _planning(session: icemelt.Session, table: str, start: str) -> float:
    from icemelt.session.points import Timeline

    core = session._core
    full = core.full(ObjectName((table,)))
    times = []
    for _ in range(_REPEATS):
        started = time.perf_counter()
        state = core.resolve([full])
        metadata = core.metadata(state.tables[full])
        point = Point(Side.AT, PointKind.STATEMENT, f"'{start}'")
        changes = Changes(ChangeFormat.DEFAULT, point)
        interval = Timeline(core, state).interval(state.tables[full], metadata, changes)
        ends = Interval(metadata, interval.start.snapshot_id, interval.end.snapshot_id)
        plan_changes(core.iceberg, ends, core.relations.scratch)
        times.append(time.perf_counter() - started)
    return statistics.median(times)
