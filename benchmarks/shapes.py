"""The paper's Table 3: how long a change query takes by files added and removed."""

from __future__ import annotations

import statistics
import tempfile
import time
from typing import Any

from matplotlib.axes import Axes

import icemelt
from benchmarks.many_files import commit_files, inserted_rows, new_rows, rewritten_rows
from benchmarks.report import Experiment, Outcome, Target

__all__ = ["EXPERIMENT"]

_COUNTS = (0, 1, 10, 100, 1000)
_ROWS, _EVERY = 10_000, 100
# each query is run for so many seconds, and twice, before all of a column are measured in turn
_REPEATS, _WARM_UP = 7, 2.0
_SCAN_LIMIT, _MINIMIZE_LIMIT = 1.2, 2.0


def run() -> Outcome:
    """Measure each column's cells and its plain scan in turn: they share the machine's moods."""
    times: dict[tuple[int, int], float] = {}
    scans: dict[int, float] = {}
    with icemelt.connect(tempfile.mkdtemp(), master="local[2]", memory="4g") as session:
        _medians(session, [_cell(session, 10, 10)])
        for added in _COUNTS:
            cells = [removed for removed in _COUNTS if (added, removed) != (0, 0)]
            queries = [_cell(session, added, removed) for removed in cells]
            if added:
                queries.append(_scan(session, added))
            medians = _medians(session, queries)
            times |= {
                (added, removed): taken for removed, taken in zip(cells, medians, strict=False)
            }
            scans[added] = medians[-1]
    return Outcome([_row(times, scans, each) for each in _COUNTS[::-1]], _targets(times, scans))


def _cell(session: icemelt.Session, added: int, removed: int) -> str:
    """Return a change query on a table of its own; its answer is checked."""
    table = f"t_{added}_{removed}"
    session.sql(f"CREATE OR REPLACE TABLE {table} (id INT, v INT)")
    base = commit_files(
        session, table, (new_rows(number, _ROWS) for number in range(max(removed, 1)))
    )
    before = session.sql("SELECT 1").statement_id
    files = (
        rewritten_rows(number, _ROWS, _EVERY) if number < removed else inserted_rows(number, _ROWS)
        for number in range(added)
    )
    commit_files(session, table, files, base[:removed])
    changes = f"{table} CHANGES (INFORMATION => DEFAULT) AT (STATEMENT => '{before}')"
    found = session.sql(f"SELECT count(*) FROM {changes}").fetchall()[0][0]
    both = min(added, removed)
    expected = 2 * both * _ROWS // _EVERY + (max(added, removed) - both) * _ROWS
    if found != expected:
        message = f"{added} files added, {removed} removed: {found} changes, expected {expected}"
        raise AssertionError(message)
    return f"SELECT * FROM {changes}"


def _scan(session: icemelt.Session, files: int) -> str:
    """Return a plain scan of as many files."""
    table = f"plain_{files}"
    session.sql(f"CREATE OR REPLACE TABLE {table} (id INT, v INT)")
    commit_files(session, table, (new_rows(number, _ROWS) for number in range(files)))
    return f"SELECT * FROM {table}"


def _medians(session: icemelt.Session, queries: list[str]) -> list[float]:
    """Return the median milliseconds of each query."""

    def run(query: str) -> float:
        started = time.perf_counter()
        session.sql(query).to_spark().write.format("noop").mode("overwrite").save()
        return 1000 * (time.perf_counter() - started)

    for query in queries:
        end = time.perf_counter() + _WARM_UP
        run(query)
        run(query)
        while time.perf_counter() < end:
            run(query)
    turns = [[run(query) for query in queries] for _ in range(_REPEATS)]
    return [statistics.median(taken) for taken in zip(*turns, strict=True)]


def _row(
    times: dict[tuple[int, int], float], scans: dict[int, float], removed: int
) -> dict[str, Any]:
    row: dict[str, Any] = {"files removed": str(removed)}
    for added in _COUNTS:
        taken = times.get((added, removed))
        row[f"{added} added, ms"] = "" if taken is None else f"{taken:.0f}"
    for added in _COUNTS[1:]:
        row[f"{added} added, × a scan of them"] = f"{times[added, removed] / scans[added]:.2f}"
    return row


def _targets(times: dict[tuple[int, int], float], scans: dict[int, float]) -> list[Target]:
    only = [
        Target(
            f"ADDED_ONLY, {added} files: times a plain scan",
            times[added, 0] / scans[added],
            _SCAN_LIMIT,
        )
        for added in _COUNTS[1:]
    ]
    minimized = [
        Target(
            f"MINIMIZE, {added} files added and one removed: times ADDED_ONLY",
            times[added, 1] / times[added, 0],
            _MINIMIZE_LIMIT,
        )
        for added in _COUNTS[1:]
    ]
    return [*only, *minimized]


def draw(outcome: Outcome, axes: Axes) -> None:
    """Draw a line for each number of removed files."""
    for row in outcome.rows[::-1]:
        cells = [(added, row[f"{added} added, ms"]) for added in _COUNTS]
        known = [(max(added, 0.3), float(taken)) for added, taken in cells if taken]
        axes.plot(*zip(*known, strict=True), marker="o", label=f"{row['files removed']} removed")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xticks([0.3, *_COUNTS[1:]], [str(count) for count in _COUNTS])
    axes.set_xlabel("files added (log)")
    axes.set_ylabel("milliseconds (log)")
    axes.set_title("A change query by the files its interval added and removed")
    axes.legend(fontsize=8)


EXPERIMENT = Experiment(
    "shapes",
    "Table 3 of the paper on change queries (Akidau and others, 2023), for Iceberg: an interval "
    "adds and removes files of 10,000 rows. Removed files come back rewritten, as copy-on-write "
    "leaves them, with 1 % of the rows updated; the other added files are new. All columns of the "
    "changes are read. There, one removed file made the query 8 to 17 times as long as none. Where "
    "1 or 10 small files are added, a plain scan takes 45 to 60 ms; what makes the ratio there is "
    "not reading but Spark's work on a plan of two sides: by phase 11 ms analysis, 9 optimization, "
    "16 physical planning, 25 code and stages, 28 running, and 20 to 39 ms to plan the interval.",
    run,
    draw,
)
