"""Reading what changed: icemelt beside Iceberg's view, Delta's feed, and recomputing."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from matplotlib.axes import Axes

from benchmarks.report import Experiment, Outcome, Target
from icemelt.engine.start.java import find_java
from icemelt.engine.start.submit import submit_environment

__all__ = ["EXPERIMENT", "generate_orders", "run_peer"]

_PEERS = Path(__file__).parent / "peers"
_DELTA = Path(__file__).parent.parent / ".venv-delta" / "bin" / "python"
_PROGRAMS = (
    ("icemelt_peer.py",),
    ("iceberg_view.py",),
    ("delta_feed.py", "feed"),
    ("delta_feed.py", "net"),
    ("ducklake_feed.py", "SQLite"),
    ("ducklake_feed.py", "DuckDB"),
    ("recompute.py",),
)
_APPENDED, _APPENDS = 1500, 8
_CHANGES = ("append", "update", "delete", "all")


def run() -> Outcome:
    """Run every peer in a process of its own, one after the other."""
    place = Path(tempfile.mkdtemp(prefix="icemelt-bench-"))
    try:
        generate_orders(place)
        _generate_appends(place)
        figures = [run_peer(place, *program) for program in _PROGRAMS]
    finally:
        shutil.rmtree(place)
    rows = [_row(each) for each in figures]
    versions = {key: value for each in figures for key, value in each["versions"].items()}
    return Outcome(rows, _targets(figures), versions)


def generate_orders(place: Path) -> None:
    """Write TPC-H orders of scale factor 1 to the folder `orders` of a place."""
    program = str(Path(sys.executable).parent / "tpchgen-cli")
    options = ["-s", "1", "--tables", "orders", "--output-dir", str(place / "orders")]
    subprocess.run([program, "parquet", *options], check=True)


def _generate_appends(place: Path) -> None:
    """Write small batches of new orders."""
    orders = pq.read_table(place / "orders" / "orders.parquet")
    most = pc.max(orders["o_orderkey"]).as_py()
    for number in range(_APPENDS):
        part = orders.slice(number * _APPENDED, _APPENDED)
        keys = pc.add(part["o_orderkey"], pa.scalar(most * (number + 1), pa.int64()))
        folder = place / f"append-{number}"
        folder.mkdir()
        pq.write_table(part.set_column(0, part.schema.field(0), keys), folder / "orders.parquet")


def run_peer(place: Path, program: str, *options: str) -> Any:
    """Run a peer's program on a place in a process of its own; return its figures, from JSON."""
    python = str(_DELTA) if program.startswith("delta") else sys.executable
    out = place / f"{program}.json"
    home = submit_environment(find_java(), ())["JAVA_HOME"]
    environment = {**os.environ, "JAVA_HOME": home, "PYSPARK_PYTHON": python}
    command = [python, str(_PEERS / program), str(place), str(out), *options]
    subprocess.run(command, check=True, env=environment, cwd=place)
    return json.loads(out.read_text())


def _row(figures: dict[str, Any]) -> dict[str, Any]:
    row = {"": figures["peer"]}
    for change in _CHANGES:
        if change != "all":
            row[f"{change}, s"] = f"{figures[change]:.2f}"
        row[f"read {change}, s"] = f"{figures[f'read {change}']:.2f}"
        row[f"rows {change}"] = figures[f"rows {change}"]
    row["update + read, s"] = f"{figures['update'] + figures['read update']:.2f}"
    return row


def _targets(figures: list[dict[str, Any]]) -> list[Target]:
    ours, view, feed, net, duck = figures[:5]

    def both(each: dict[str, Any]) -> float:
        return float(each["update"] + each["read update"])

    return [
        Target(
            "reading the UPDATE's changes: how many times faster than Iceberg's view",
            view["read update"] / ours["read update"],
            8,
            at_least=True,
        ),
        *(
            Target(
                f"reading the changes of {change}: how many times Delta's",
                ours[f"read {change}"] / feed[f"read {change}"],
                3,
            )
            for change in _CHANGES
        ),
        Target("reading the UPDATE's changes: seconds", ours["read update"], 0.2),
        Target("UPDATE and reading its changes: seconds", both(ours), 0.7),
        *(
            Target(
                f"reading the UPDATE's changes: how many times {each['peer']}'s",
                ours["read update"] / each["read update"],
                1,
            )
            for each in (net, duck)
        ),
        *(
            Target(
                f"UPDATE and reading its changes: how many times faster than {each['peer']}",
                both(each) / both(ours),
                4,
                at_least=True,
            )
            for each in (view, feed)
        ),
    ]


def draw(outcome: Outcome, axes: Axes) -> None:
    """Draw a group of bars for each change."""
    width = 0.8 / len(outcome.rows)
    for index, row in enumerate(outcome.rows):
        places = [number + index * width for number in range(len(_CHANGES))]
        heights = [float(row[f"read {change}, s"]) for change in _CHANGES]
        bars = axes.bar(places, heights, width, label=row[""])
        axes.bar_label(bars, fmt="%.2f", fontsize=7)
    axes.set_xticks([number + 0.3 for number in range(len(_CHANGES))], _CHANGES)
    axes.set_yscale("log")
    axes.set_ylabel("seconds to read the changes (log)")
    axes.set_title("What changed in 1.5 million orders? Lower is better")
    axes.legend(fontsize=8)


EXPERIMENT = Experiment(
    "changes",
    "TPC-H orders of scale factor 1 (1.5 million rows): 1,500 rows are appended, 1 % are updated "
    "here and there, 0.1 % are deleted. How long does each change take, and reading all columns of "
    "what it changed? Medians of warm runs, each peer in a process of its own with two cores.",
    run,
    draw,
)
