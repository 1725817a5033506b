"""What a listing of a stage costs that finds 10 new files among 1,000 to 100,000."""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes

import icemelt
from benchmarks.report import Experiment, Outcome, Target

__all__ = ["EXPERIMENT"]

_SIZES = (1_000, 10_000, 100_000)
_NEW, _FILES_OF_A_FOLDER, _ROUNDS = 10, 1_000, 5


def _run() -> Outcome:
    rows = list(_measured())
    last = rows[-1]
    over = last["refresh, s"] - 1.5 * last["os.scandir, s"]
    return Outcome(
        rows,
        (
            Target(
                "seconds beyond 1.5 × os.scandir to refresh 100,000 files, 10 of them new",
                over,
                1.0,
            ),
            Target(
                "reading a stream of 10 new files among 100,000, × among 1,000",
                last["read stream, s"] / rows[0]["read stream, s"],
                1.5,
            ),
        ),
    )


def _measured() -> Iterator[dict[str, Any]]:
    with (
        tempfile.TemporaryDirectory() as folder,
        icemelt.connect(Path(folder, "lake"), master="local[2]", maintain_every=None) as session,
    ):
        for size in _SIZES:
            yield _measure(session, Path(folder, str(size)), size)


def _measure(session: icemelt.Session, root: Path, size: int) -> dict[str, Any]:
    """Return the seconds for a stage of some files: medians of rounds, each with new files."""
    _make_files(root, size)
    directory = "DIRECTORY = (ENABLE = TRUE)"
    first = _seconds(partial(session.sql, f"CREATE STAGE s{size} URL = '{root}' {directory}"))
    session.sql(f"CREATE STREAM new_{size} ON STAGE s{size} APPEND_ONLY = TRUE")
    session.sql(f"CREATE TABLE read_{size} (path VARCHAR)")
    parts: dict[str, Callable[[], Any]] = {
        "os.scandir, s": partial(_scan, str(root)),
        "refresh, s": partial(_fetch, session, f"ALTER STAGE s{size} REFRESH"),
        "read stream, s": partial(_fetch, session, f"SELECT * FROM new_{size}"),
    }
    times: dict[str, list[float]] = {name: [] for name in parts}
    for number in range(_ROUNDS):
        for place in range(_NEW):
            Path(root, "0", f"new {number} {place}").write_text("1,2\n")
        for name, part in parts.items():
            times[name].append(_seconds(part))
        session.sql(f"INSERT INTO read_{size} SELECT RELATIVE_PATH FROM new_{size}")
    [(read,)] = session.sql(f"SELECT COUNT(*) FROM read_{size}").fetchall()
    if read != _ROUNDS * _NEW:
        raise RuntimeError(f"{read} files were read")
    medians = {name: round(statistics.median(each), 3) for name, each in times.items()}
    return {"files": size, "first listing, s": round(first, 2), **medians}


def _make_files(root: Path, size: int) -> None:
    for number in range(size):
        folder = Path(root, str(number // _FILES_OF_A_FOLDER))
        if number % _FILES_OF_A_FOLDER == 0:
            folder.mkdir(parents=True)
        Path(folder, f"{number}.csv").write_text("1,2\n")


def _scan(root: str) -> int:
    """Ask the system for size and time of each file, as a listing has to."""
    waiting, count = [root], 0
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_dir():
                    waiting.append(entry.path)
                else:
                    entry.stat()
                    count += 1
    return count


def _fetch(session: icemelt.Session, statement: str) -> list[Any]:
    return session.sql(statement).fetchall()


def _seconds(work: Callable[[], Any]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def _draw(outcome: Outcome, axes: Axes) -> None:
    sizes = [row["files"] for row in outcome.rows]
    for name in ("os.scandir, s", "refresh, s", "read stream, s"):
        axes.plot(sizes, [row[name] for row in outcome.rows], marker="o", label=name)
    axes.set(xscale="log", yscale="log", xlabel="files of the stage", ylabel="seconds")
    axes.legend()


EXPERIMENT = Experiment(
    "listings",
    "What does it cost to find 10 new files among 1,000 to 100,000 of a stage?",
    _run,
    _draw,
)
