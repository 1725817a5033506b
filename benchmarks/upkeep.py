"""Keeping a copy: by a stream and MERGE, by writing it anew, and by MERGE of two peers' feeds."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes

from benchmarks.changes import generate_orders, run_peer
from benchmarks.report import Experiment, Outcome, Target

__all__ = ["EXPERIMENT"]

_SHARES = ("0.1 %", "1 %", "10 %")
_AHEAD = ("0.1 %", "1 %")
_PROGRAMS = (
    ("stream_copy.py", "stream"),
    ("stream_copy.py", "refresh"),
    ("delta_copy.py",),
    ("ducklake_copy.py", "SQLite"),
    ("ducklake_copy.py", "DuckDB"),
)


def run() -> Outcome:
    """Run every way in a process of its own, one after the other."""
    place = Path(tempfile.mkdtemp(prefix="icemelt-bench-"))
    try:
        generate_orders(place)
        figures = [run_peer(place, *program) for program in _PROGRAMS]
    finally:
        shutil.rmtree(place)
    rows = [_row(each) for each in figures]
    versions = {key: value for each in figures for key, value in each["versions"].items()}
    return Outcome(rows, _targets(figures), versions)


def _row(figures: dict[str, Any]) -> dict[str, Any]:
    times = {f"{share} changed, s": f"{figures[share]:.2f}" for share in _SHARES}
    differs = sum(figures[f"differs {share}"] for share in _SHARES)
    return {"": figures["peer"], **times, "rows that differ": differs}


def _targets(figures: list[dict[str, Any]]) -> list[Target]:
    ours = figures[0]
    ahead = [
        Target(
            f"{share} changed: times as fast as {each['peer']}",
            each[share] / ours[share],
            1,
            at_least=True,
        )
        for share in _AHEAD
        for each in figures[1:]
    ]
    differs = sum(each[f"differs {share}"] for each in figures for share in _SHARES)
    return [*ahead, Target("rows in which a copy differs", differs, 0)]


def draw(outcome: Outcome, axes: Axes) -> None:
    """Draw a group of bars for each share."""
    width = 0.8 / len(outcome.rows)
    for index, row in enumerate(outcome.rows):
        places = [number + index * width for number in range(len(_SHARES))]
        bars = axes.bar(
            places, [float(row[f"{share} changed, s"]) for share in _SHARES], width, label=row[""]
        )
        axes.bar_label(bars, fmt="%.1f", fontsize=7)
    names = [f"{share} of the rows changed" for share in _SHARES]
    axes.set_xticks([number + 0.27 for number in range(len(_SHARES))], names)
    axes.set_ylabel("seconds per refresh")
    axes.set_title("Keeping a copy of 1.5 million orders. Lower is better")
    axes.legend(fontsize=8)


EXPERIMENT = Experiment(
    "upkeep",
    "A copy of TPC-H orders of scale factor 1 (1.5 million rows) is kept up to date. Before each "
    "refresh 0.1 %, 1 % or 10 % of the orders are updated here and there, a tenth as many are "
    "inserted and a tenth as many deleted. How long does a refresh take? Medians of warm runs, "
    "each way in a process of its own with two cores.",
    run,
    draw,
)
