"""A day of commits, one a second: does the last one cost what the first did?"""

from __future__ import annotations

import os
import shutil
import statistics
import tempfile
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes

from benchmarks.changes import run_peer
from benchmarks.report import Experiment, Outcome, Target

__all__ = ["EXPERIMENT"]

_HOURS = int(os.environ.get("ICEMELT_BENCH_HOURS", "24"))
_MEGABYTE = 1_000_000


def run() -> Outcome:
    """Commit for a day in fast forward, in a process of its own."""
    place = Path(tempfile.mkdtemp(prefix="icemelt-bench-"))
    try:
        figures = run_peer(place, "long_history.py", str(_HOURS))
    finally:
        shutil.rmtree(place)
    return outcome(figures)


def outcome(figures: dict[str, Any]) -> Outcome:
    """Return the table and the targets of what was measured."""
    hours = figures["hours"]
    rows = [
        {
            "hour": each["hour"] + 1,
            "a commit, ms": f"{each['median'] * 1000:.1f}",
            "on average, ms": f"{each['mean'] * 1000:.1f}",
            "metadata.json, kB": round(each["metadata"] / 1000),
            "Python's memory, MiB": round(each["python"] / (1 << 20)),
            "Java's, MiB": round(each["java"] / (1 << 20)),
            "maintenance, s": f"{each['upkeep']:.1f}",
        }
        for each in hours
    ]
    first, last = hours[0], hours[-1]
    old, new = figures["turns"]["old"], figures["turns"]["new"]
    targets = [
        Target(
            "a commit in the last hour, of one in the first", last["median"] / first["median"], 1.2
        ),
        Target("on average", last["mean"] / first["mean"], 1.2),
        Target(
            "a commit after that day, of one to a new lake's table, in turns",
            statistics.median(old) / statistics.median(new),
            1.2,
        ),
        Target("in turns, on average", statistics.fmean(old) / statistics.fmean(new), 1.2),
        Target("metadata.json, MB", max(each["metadata"] for each in hours) / _MEGABYTE, 1),
        Target(
            "memory after the last maintenance, of that after the first",
            (last["python"] + last["java"]) / (first["python"] + first["java"]),
            1.2,
        ),
        Target(
            f"wrong answers, of {figures['asked']} between any two versions", figures["wrong"], 0
        ),
        *(Target(f"{kind}, s", seconds, 5) for kind, seconds in figures["reads"].items()),
    ]
    return Outcome(rows, targets)


def draw(outcome: Outcome, axes: Axes) -> None:
    """Draw what a commit took, hour by hour, and how large the metadata was."""
    hours = [row["hour"] for row in outcome.rows]
    axes.plot(
        hours, [float(row["a commit, ms"]) for row in outcome.rows], label="median commit, ms"
    )
    axes.plot(
        hours, [float(row["on average, ms"]) for row in outcome.rows], label="average commit, ms"
    )
    axes.set_ylim(bottom=0)
    axes.set_xlabel("hour")
    axes.set_ylabel("milliseconds")
    beside = axes.twinx()
    beside.plot(
        hours, [row["metadata.json, kB"] for row in outcome.rows], "k:", label="metadata.json, kB"
    )
    beside.set_ylim(0, 1_000)
    beside.set_ylabel("kB")
    axes.set_title("86,400 commits of one table")
    axes.legend(loc="lower left", fontsize=8)
    beside.legend(loc="lower right", fontsize=8)


EXPERIMENT = Experiment(
    "long_history",
    "A table gets 86,400 commits of one row, as one a second make in a day: in fast forward, an "
    "hour lasting as long as 3,600 commits take, and a minute as sixty. After each hour one row is "
    "deleted and the lake maintained. What does a commit cost, how large is the table's metadata, "
    "and are the changes between any two of the versions right? What is read is compared with what "
    "was written. At last, commits go to that table and to a new lake's in turns, so that what the "
    "machine does meanwhile is in both. `ICEMELT_BENCH_HOURS` is 24.",
    run,
    draw,
)
