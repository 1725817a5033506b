"""The changes of TPC-H's queries as views, beside the same queries run anew."""

from __future__ import annotations

import shutil
import statistics
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes

from benchmarks.changes import run_peer
from benchmarks.report import Experiment, Outcome, Target

__all__ = ["EXPERIMENT"]

_QUERIES = Path(__file__).parent.parent / "tests" / "differentiation" / "tpch.sql"
_SHARES = ("0.01 %", "0.1 %", "1 %", "10 %")
_MEASURED = "0.1 %"
_PLACES = ("newest", "scattered")
# A row of theirs is of an order, a customer or a supplier.
_KEYED = ("q3", "q10", "q18", "q20", "q21")
_LARGE = ("q3", "q4", "q18")
_NONE = "no table has changed"
_COLORS = {"keyed": "tab:blue", "others": "tab:gray"}

Rows = Sequence[dict[str, Any]]


def run() -> Outcome:
    """Run all queries at scale factor 1, and some at 10, each scale in a process of its own."""
    found, plannings = [], []
    # what scattered keys read is all, at any scale
    runs = (("1", (), _SHARES, _PLACES), ("10", _LARGE, (_MEASURED,), _PLACES[:1]))
    for scale, views, shares, places in runs:
        place = Path(tempfile.mkdtemp(prefix="icemelt-bench-"))
        try:
            lists = (",".join(each) for each in (views, shares, places))
            wanted = (scale, str(_QUERIES), *lists)
            figures = run_peer(place, "view_changes.py", *wanted)
        finally:
            # Spark is still removing files of its own
            shutil.rmtree(place, ignore_errors=True)
        found += [{"scale": scale, **row} for row in figures["rows"]]
        versions = figures["versions"]
        plannings.append(figures["planning"])
    targets = [*_targets(found), *_plannings(plannings[0])]
    return Outcome([_row(each) for each in found], targets, versions)


def _plannings(seconds: dict[str, float]) -> list[Target]:
    return [
        Target("planning a view of ten joins, one table changed, s", seconds["one"], 0.1),
        Target("planning a view of ten joins, all tables changed, s", seconds["all"], 1),
    ]


def _row(found: dict[str, Any]) -> dict[str, Any]:
    seconds = {f"{way}, s": f"{found[way]:.2f}" for way in ("changes", "both", "one")}
    return {
        "SF": found["scale"],
        "view": found["view"],
        "changed": found["share"],
        "keys": found["keys"],
        "plan": found["plan"],
        **seconds,
        "× both": f"{_ratio(found, 'both'):.2f}",
        "× one": f"{_ratio(found, 'one'):.2f}",
        "jobs": found["jobs changes"],
        "jobs both": found["jobs both"],
        "rows that differ": found["differences"],
    }


def _ratio(found: dict[str, Any], other: str) -> float:
    return float(found["changes"] / found[other])


def _targets(found: Rows) -> list[Target]:
    # of a view whose tables have not changed nothing is read: that is no comparison
    there = [each for each in found if each["share"] == _MEASURED and each["plan"] != _NONE]
    small = [each for each in there if each["scale"] == "1"]
    large = [each for each in there if each["scale"] != "1"]
    targets = [Target("rows that differ", sum(each["differences"] for each in found), 0)]
    for place, of_both, of_one in (("newest", 0.35, 0.7), ("scattered", 0.6, 1.25)):
        here = [each for each in small if each["keys"] == place]
        keyed = [each for each in here if each["view"] in _KEYED]
        median = statistics.median(_ratio(each, "both") for each in here)
        targets += [
            Target(f"{place} keys, median of the views: × both", median, 0.6),
            Target(f"{place} keys, worst keyed view: × both", _worst(keyed, "both"), of_both),
            Target(f"{place} keys, worst view: × both", _worst(here, "both"), 1.05),
            Target(f"{place} keys, worst keyed view: × one", _worst(keyed, "one"), of_one),
        ]
    newest = [each for each in large if each["keys"] == "newest" and each["view"] in _KEYED]
    worst = _worst(newest, "one")
    return [*targets, Target("SF10, newest keys, worst keyed view: × one", worst, 0.4)]


def _worst(found: Iterable[dict[str, Any]], other: str) -> float:
    return max(_ratio(each, other) for each in found)


def draw(outcome: Outcome, axes: Axes) -> None:
    """Draw for each view where its changes cost as much as both ends."""
    labels = set()
    for view in dict.fromkeys(row["view"] for row in outcome.rows):
        for place, style in zip(_PLACES, ("-", ":"), strict=True):
            rows = [
                row
                for row in outcome.rows
                if (row["SF"], row["view"], row["keys"]) == ("1", view, place)
                and row["plan"] != _NONE
            ]
            rows.sort(key=lambda row: _SHARES.index(row["changed"]))
            kind = "keyed" if view in _KEYED else "others"
            label = f"{kind}, {place}"
            axes.plot(
                [_SHARES.index(row["changed"]) for row in rows],
                [float(row["× both"]) for row in rows],
                style,
                color=_COLORS[kind],
                label=None if label in labels else label,
                linewidth=1,
            )
            labels.add(label)
            if rows and place == _PLACES[0]:
                axes.annotate(view, (len(_SHARES) - 1, float(rows[-1]["× both"])), fontsize=6)
    axes.axhline(1, color="black", linewidth=0.8)
    axes.set_xticks(range(len(_SHARES)), [f"{share} changed" for share in _SHARES])
    axes.set_yscale("log")
    axes.set_ylabel("time of the changes ÷ time of both ends")
    axes.set_title("TPC-H's 22 queries as views (SF1): below the line their changes cost less")
    axes.legend(fontsize=8)


EXPERIMENT = Experiment(
    "views",
    "TPC-H's 22 queries as views, scale factor 1 (and three at 10, newest keys). Some of the "
    "orders and their lines change, the newest ones or any: of ten that change one goes and one "
    "comes. How long does it take to read the changes of each view, beside running its query at "
    "both ends and subtracting, and beside running it once? At 0.1 % medians of warm runs, and the "
    "changes are compared with the subtraction; `jobs` are Spark's. Two cores.",
    run,
    draw,
)
