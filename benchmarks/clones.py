"""What a clone costs: of tables of 10 to 10,000 files, and of a schema of 100 tables."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes

import icemelt
from benchmarks.many_files import commit_files, new_rows
from benchmarks.report import Experiment, Outcome, Target

__all__ = ["EXPERIMENT"]

_SIZES = (10, 1_000, 10_000)
_ROWS_OF_A_FILE, _ROUNDS, _TABLES = 10, 30, 100


def _run() -> Outcome:
    rows = list(_measured())
    few, many, schema = rows[0], rows[-2], rows[-1]
    return Outcome(
        rows,
        (
            Target("ms to clone a table of 10,000 files", many["clone, ms"], 200),
            Target(
                "clone of 10,000 files, × of 10 files", many["clone, ms"] / few["clone, ms"], 1.2
            ),
            Target("ms to clone a schema of 100 tables", schema["first clone, ms"], 2_000),
        ),
    )


def _measured() -> Iterator[dict[str, Any]]:
    with (
        tempfile.TemporaryDirectory() as folder,
        icemelt.connect(Path(folder, "lake"), master="local[2]", maintain_every=None) as session,
    ):
        for size in _SIZES:
            session.sql(f"CREATE TABLE t{size} (id INT, v INT)")
            commit_files(
                session, f"t{size}", (new_rows(each, _ROWS_OF_A_FILE) for each in range(size))
            )
        # once, so that Java and Python have read what each clone needs
        session.sql("CREATE TABLE warm (id INT)")
        session.sql("CREATE TABLE warmed CLONE warm")
        yield from _measure_tables(session)
        session.sql("CREATE SCHEMA many")
        for number in range(_TABLES):
            session.sql(f"CREATE TABLE t{number} (id INT)")
        times = [_clone(session, "SCHEMA", f"many_{number}", "many") for number in range(5)]
        yield _describe(f"schema of {_TABLES} tables", times)


def _measure_tables(session: icemelt.Session) -> Iterator[dict[str, Any]]:
    """Yield the milliseconds of clones of each size.

    The sizes take turns: a CREATE looks for tables of other engines, among more tables each time.
    """
    times: dict[int, list[float]] = {size: [] for size in _SIZES}
    for number in range(_ROUNDS):
        for size in _SIZES:
            times[size].append(_clone(session, "TABLE", f"t{size}_{number}", f"t{size}"))
    for size in _SIZES:
        _require_rows(session, size)
        yield _describe(f"{size:,} files", times[size])


def _clone(session: icemelt.Session, kind: str, name: str, source: str) -> float:
    """Return the milliseconds of a clone."""
    begin = time.perf_counter()
    session.sql(f"CREATE {kind} {name} CLONE {source}")
    return (time.perf_counter() - begin) * 1000


def _describe(name: str, times: list[float]) -> dict[str, Any]:
    """Return a row: the first clone, which protects the source, and the median of the later."""
    later = statistics.median(times[1:])
    return {"source": name, "first clone, ms": round(times[0], 1), "clone, ms": round(later, 1)}


def _require_rows(session: icemelt.Session, size: int) -> None:
    [(count,)] = session.sql(f"SELECT COUNT(*) FROM t{size}_0").fetchall()
    if count != size * _ROWS_OF_A_FILE:
        raise RuntimeError(f"the clone of {size} files has {count} rows")


def _draw(outcome: Outcome, axes: Axes) -> None:
    rows = outcome.rows[: len(_SIZES)]
    for name in ("first clone, ms", "clone, ms"):
        axes.plot(_SIZES, [row[name] for row in rows], marker="o", label=name)
    axes.set(xscale="log", xlabel="files of the table", ylabel="milliseconds")
    axes.set_ylim(bottom=0)
    axes.legend()


EXPERIMENT = Experiment(
    "clones",
    "What does a clone cost, of tables of 10 to 10,000 files, and of a schema?",
    _run,
    _draw,
)
