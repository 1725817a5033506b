"""The changes of kinds of views: by each plan, forced, and by the plan that AUTO takes."""

from __future__ import annotations

import json
import re
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from view_changes import Lake, generate

__all__ = ["main"]

# Of so many orders one changes.
SHARES = {"0.001 %": 100_000, "0.01 %": 10_000, "0.1 %": 1_000, "1 %": 100, "10 %": 10}
STRATEGIES = ("AUTO", "INCREMENTAL", "BOTH_ENDS")
# Seconds after which a cell is measured no more.
LONG = 8
_ESTIMATE = re.compile(r"^ *(derivative|both ends): (.*)$")
_NUMBER = re.compile(r"([\d,.]+) (MB|rows|moved|nodes|jobs|s)\b")


class Choices(Lake):
    """Views over TPC-H, whose changes are read by each plan."""

    def views(self, kinds: str, wanted: Sequence[str]) -> dict[str, str]:
        """Make a view of each kind that is wanted, all if none is; return names by kind."""
        names = {}
        for number, part in enumerate(re.split(r"^-- ", kinds, flags=re.MULTILINE)[1:]):
            kind, _, query = part.partition("\n")
            if not wanted or kind in wanted:
                names[kind] = f"kind{number}"
                self.session.sql(f"CREATE VIEW {names[kind]} AS {query.strip().rstrip(';')}")
        return names

    def changes_by(self, strategy: str, view: str, points: tuple[str, str]) -> str:
        """Return the change query of a view; the session reads it by a strategy."""
        self.session.sql(f"ALTER SESSION SET VIEW_CHANGES = {strategy}")
        start, end = points
        return (
            f"SELECT * FROM {view} CHANGES (INFORMATION => DEFAULT) "
            f"AT (STATEMENT => '{start}') END (STATEMENT => '{end}')"
        )

    def measure(self, view: str, points: tuple[str, str], rounds: int) -> dict[str, Any]:
        """Return the least seconds of each strategy and of the query, in turns, and the estimates.

        Args:
            view: the name of the view.
            points: between which points its changes are read.
            rounds: how often all are run at most; fewer where they take long.
        """
        one = f"SELECT * FROM {view} AT (STATEMENT => '{points[1]}')"
        seconds: dict[str, list[float]] = {name: [] for name in (*STRATEGIES, "one")}
        jobs: dict[str, int] = {}
        began = time.monotonic()
        for number in range(rounds + 1):
            if number > 1 and time.monotonic() - began > LONG:
                break
            for name, found in seconds.items():
                text = one if name == "one" else self.changes_by(name, view, points)
                took, jobs[name] = self.timed(text)
                found.append(took)
        # a plan that is new is compiled first
        least = {name: min(each[1:]) for name, each in seconds.items()}
        plan, lines = self.explained(self.changes_by("AUTO", view, points))
        estimates = dict(_estimates(lines))
        return {"seconds": least, "jobs": jobs, "plan": plan, "estimates": estimates}


def _estimates(lines: Sequence[str]) -> Iterator[tuple[str, dict[str, float]]]:
    for line in lines:
        found = _ESTIMATE.match(line)
        if found:
            numbers = _NUMBER.findall(found[2])
            yield found[1], {unit: float(number.replace(",", "")) for number, unit in numbers}


def main(  # noqa: PLR0913, PLR0917 - as on a command line
    place: str, out: str, scale: str, kinds: str, wanted: str, shares: str, places: str
) -> None:
    """Measure views of a scale factor; write a row for each view, share and place of keys."""
    lake = Choices()
    lake.load(generate(place, scale))
    # each choice by the model alone: the session has run both plans
    lake.session.sql("ALTER SESSION SET LEARN_COSTS = FALSE")
    views = lake.views(Path(kinds).read_text(), [each for each in wanted.split(",") if each])
    points = lake.change("newest", SHARES["0.1 %"])
    for view in views.values():
        lake.measure(view, points, 1)
    rows = []
    for share in shares.split(","):
        for where in places.split(","):
            points = lake.change(where, SHARES[share])
            cell = {"scale": scale, "share": share, "keys": where, "points": points}
            for kind, view in views.items():
                found = lake.measure(view, points, 3)
                rows.append({**cell, "view": kind, **found})
                print(rows[-1], flush=True)
            # a grid takes hours: what was measured outlives a stop
            Path(out).write_text(json.dumps({"versions": lake.versions, "rows": rows}, indent=1))


if __name__ == "__main__":
    tempfile.tempdir = sys.argv[1]
    main(*sys.argv[1:8])
