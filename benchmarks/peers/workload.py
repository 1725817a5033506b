"""The workload that every peer runs: load TPC-H orders, change them, read the changes."""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

__all__ = ["Peer", "main"]

READS = 5
UPDATE = "UPDATE {table} SET o_totalprice = o_totalprice + 1 WHERE o_custkey % 100 = 1"
DELETE = "DELETE FROM {table} WHERE o_custkey % 1000 = 7"


class Peer(Protocol):
    """One system under test."""

    name: str
    versions: dict[str, str]

    def load(self, parquet: str) -> None:
        """Make the table."""

    def append(self, parquet: str) -> None:
        """Append 1,500 rows."""

    def run(self, statement: str) -> None:
        """Run a statement with `{table}` in it."""

    def mark(self) -> Any:
        """Return the table's point now."""

    def read(self, start: Any, end: Any) -> int:
        """Read all columns of the changes between two points; return how many rows there were."""


def main(peer: Peer, parquet: str, out: str) -> None:
    """Run the workload and write its figures."""
    figures: dict[str, Any] = {"peer": peer.name, "versions": peer.versions}
    figures["load"] = _timed(lambda: peer.load(parquet))
    # The first statement of each kind warms the JVM up; it is not counted.
    for warm_up in (lambda: peer.append(parquet), lambda: peer.run(UPDATE)):
        warm_up()
    marks = [peer.mark()]
    for name, change in (
        ("append", lambda: peer.append(parquet)),
        ("update", lambda: peer.run(UPDATE)),
        ("delete", lambda: peer.run(DELETE)),
    ):
        figures[name] = _timed(change)
        marks.append(peer.mark())
    intervals = {
        "append": (marks[0], marks[1]),
        "update": (marks[1], marks[2]),
        "delete": (marks[2], marks[3]),
        "all": (marks[0], marks[3]),
    }
    for name, (start, end) in intervals.items():
        figures[f"rows {name}"] = peer.read(start, end)
        times = [_timed(lambda s=start, e=end: peer.read(s, e)) for _ in range(READS)]
        figures[f"read {name}"] = statistics.median(times)
    Path(out).write_text(json.dumps(figures, indent=1))
    print(json.dumps(figures), file=sys.stderr)


def _timed(work: Callable[[], Any]) -> float:
    started = time.perf_counter()
    work()
    return round(time.perf_counter() - started, 3)
