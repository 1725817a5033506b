"""The choice between the plans for a view's changes, beside the better one and the query."""

from __future__ import annotations

import json
import os
import shutil
import statistics
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes

from benchmarks.changes import run_peer
from benchmarks.report import RESULTS, Experiment, Outcome, Target

__all__ = ["EXPERIMENT"]

_KINDS = Path(__file__).parent / "peers" / "choice.sql"
_SHARES = ("0.001 %", "0.01 %", "0.1 %", "1 %", "10 %")
_FEW = ("0.001 %", "0.01 %", "0.1 %")
_SCALES_VARIABLE = "ICEMELT_BENCH_SCALES"
_CELLS = RESULTS / "choice.cells.json"
_PLACES = ("newest", "scattered")
_PLANS = ("INCREMENTAL", "BOTH_ENDS")

Rows = Sequence[dict[str, Any]]


def run() -> Outcome:
    """Measure all cells, each scale factor in a process of its own.

    The two take hours: `ICEMELT_BENCH_SCALES` may name one, and the cells of the other are those
    measured last.
    """
    scales = os.environ.get(_SCALES_VARIABLE, "1,10").split(",")
    known = json.loads(_CELLS.read_text())["rows"] if _CELLS.exists() else []
    found = [cell for cell in known if cell["scale"] not in scales]
    for scale in scales:
        place = Path(tempfile.mkdtemp(prefix="icemelt-bench-"))
        try:
            lists = (scale, str(_KINDS), "", ",".join(_SHARES), ",".join(_PLACES))
            figures = run_peer(place, "choice_of_plans.py", *lists)
        finally:
            # Spark is still removing files of its own
            shutil.rmtree(place, ignore_errors=True)
        found += figures["rows"]
        versions = figures["versions"]
    found.sort(key=lambda cell: int(cell["scale"]))
    # what the constants of the model are fitted to
    _CELLS.write_text(json.dumps({"rows": found}, indent=1))
    whole = [cell for cell in found if cell["seconds"].keys() >= {"AUTO", "one"}]
    return Outcome([_row(each) for each in whole], _targets(whole), versions)


def _row(cell: dict[str, Any]) -> dict[str, Any]:
    names = {"AUTO": "AUTO", "INCREMENTAL": "derivative", "BOTH_ENDS": "both ends", "one": "query"}
    seconds = {f"{shown}, s": f"{cell['seconds'][name]:.2f}" for name, shown in names.items()}
    expected = {
        f"{plan} expected, s": f"{cell['estimates'].get(plan, {}).get('s', 0):.2f}"
        for plan in ("derivative", "both ends")
    }
    return {
        "SF": cell["scale"],
        "view": cell["view"],
        "changed": cell["share"],
        "keys": cell["keys"],
        **seconds,
        "regret": f"{_regret(cell):.2f}",
        "× query": f"{_of_query(cell):.2f}",
        **expected,
        "jobs": cell["jobs"]["AUTO"],
    }


def _regret(cell: dict[str, Any]) -> float:
    return float(cell["seconds"]["AUTO"] / min(cell["seconds"][plan] for plan in _PLANS))


def _of_query(cell: dict[str, Any]) -> float:
    return float(cell["seconds"]["AUTO"] / cell["seconds"]["one"])


def _targets(found: Rows) -> list[Target]:
    regrets = sorted(map(_regret, found))
    targets = [
        Target("regret, median", statistics.median(regrets), 1.05),
        Target("regret, p95", regrets[int(len(regrets) * 0.95)], 1.3),
        Target("regret, worst", regrets[-1], 1.6),
    ]
    large = [each for each in found if each["scale"] == "10"]
    if large:
        few = [_of_query(each) for each in large if each["share"] in _FEW]
        targets += [
            Target("SF10, worst cell: × the query", max(map(_of_query, large)), 1.3),
            Target("SF10, at most 0.1 % changed, median: × the query", statistics.median(few), 0.5),
        ]
    return targets


def draw(outcome: Outcome, axes: Axes) -> None:
    """Draw the regret of each cell, by share."""
    for scale, color in (("1", "tab:gray"), ("10", "tab:blue")):
        rows = [row for row in outcome.rows if row["SF"] == scale]
        places = [_SHARES.index(row["changed"]) for row in rows]
        axes.plot(
            [place + (0.1 if scale == "10" else -0.1) for place in places],
            [float(row["regret"]) for row in rows],
            ".",
            color=color,
            label=f"SF{scale}",
        )
    axes.axhline(1, color="black", linewidth=0.8)
    axes.set_xticks(range(len(_SHARES)), [f"{share} changed" for share in _SHARES])
    axes.set_ylabel("time of AUTO ÷ time of the better plan")
    axes.set_title("22 kinds of views: does AUTO take the better plan?")
    axes.legend(fontsize=8)


EXPERIMENT = Experiment(
    "choice",
    "22 kinds of views over TPC-H, scale factors 1 and 10. Some of the orders and their lines "
    "change, the newest ones or any: of ten that change one goes and one comes. The changes of "
    "each view are read by the plan that AUTO takes, and by each plan, in turns; the query runs "
    "once, too. The regret is AUTO's time ÷ that of the better plan. Two cores.",
    run,
    draw,
)
