"""The workload that every peer runs: load TPC-H orders, change them, read the changes."""

from __future__ import annotations

import abc
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from pyspark.sql import DataFrame

__all__ = ["CONF", "CORES", "MASTER", "MEMORY", "Peer", "SparkChanges", "main"]

# Every peer gets as much of the machine, and those that run on Spark the same Spark.
CORES = 2
MASTER, MEMORY = f"local[{CORES}]", "4g"
CONF = {"spark.sql.shuffle.partitions": "4"}

# The first rounds warm the JVM up and are not counted.
ROUNDS, WARM_UP_ROUNDS = 8, 2
# Each read is repeated for so many seconds before it is measured: a JVM is slow at first.
READS, FEW_READS, WARM_UP = 7, 3, 6.0
UPDATE = "UPDATE {table} SET o_totalprice = o_totalprice + 1 WHERE o_custkey % 100 = {residue}"
DELETE = "DELETE FROM {table} WHERE o_custkey % 1000 = {residue}"
# Two customers of three have orders: those whose key is no multiple of three.
UPDATED = (1, 7, 11, 17, 23, 29, 31, 37)
DELETED = (2, 8, 14, 20, 26, 32, 38, 44)


class Peer(Protocol):
    """One system under test."""

    name: str
    versions: dict[str, str]

    def load(self, parquet: str) -> None:
        """Make the table from Parquet files."""

    def append(self, parquet: str) -> None:
        """Append the rows of Parquet files."""

    def run(self, statement: str) -> None:
        """Run a statement with `{table}` in it."""

    def mark(self) -> Any:
        """Return the table's point now."""

    def count_changes(self, start: Any, end: Any) -> int:
        """Return how many rows the changes between two points have."""

    def read_changes(self, start: Any, end: Any) -> None:
        """Read all columns of the changes between two points."""


class SparkChanges(abc.ABC):
    """The changes of a peer that gives them as a data frame."""

    @abc.abstractmethod
    def changes(self, start: Any, end: Any) -> DataFrame:
        """Return all columns of the changes between two points."""

    def count_changes(self, start: Any, end: Any) -> int:
        return self.changes(start, end).count()

    def read_changes(self, start: Any, end: Any) -> None:
        self.changes(start, end).write.format("noop").mode("overwrite").save()


def main(peer: Peer, data: str, out: str) -> None:
    """Run the workload on the Parquet files in a folder and write the figures, in seconds."""
    folder = Path(data)
    figures: dict[str, Any] = {"peer": peer.name, "versions": peer.versions}
    figures["load"] = _timed(lambda: peer.load(str(folder / "orders")))
    rounds = [_round(peer, folder, number) for number in range(ROUNDS)]
    for change in ("append", "update", "delete"):
        figures[change] = statistics.median(times[change] for times, _ in rounds[WARM_UP_ROUNDS:])
    marks = rounds[-1][1]
    intervals = {
        "append": (marks[0], marks[1]),
        "update": (marks[1], marks[2]),
        "delete": (marks[2], marks[3]),
        "all": (marks[0], marks[3]),
    }
    for name, (start, end) in intervals.items():
        figures[f"rows {name}"] = peer.count_changes(start, end)
        figures[f"read {name}"] = _warm(lambda s=start, e=end: peer.read_changes(s, e))
    Path(out).write_text(json.dumps(figures, indent=1))


def _round(peer: Peer, folder: Path, number: int) -> tuple[dict[str, float], list[Any]]:
    times, marks = {}, [peer.mark()]
    for name, change in (
        ("append", lambda: peer.append(str(folder / f"append-{number}"))),
        ("update", lambda: peer.run(UPDATE.replace("{residue}", str(UPDATED[number])))),
        ("delete", lambda: peer.run(DELETE.replace("{residue}", str(DELETED[number])))),
    ):
        times[name] = _timed(change)
        marks.append(peer.mark())
    return times, marks


def _warm(work: Callable[[], Any]) -> float:
    """Return the median seconds of work that has been repeated for a while."""
    started = time.perf_counter()
    runs = 0
    while time.perf_counter() - started < WARM_UP:
        work()
        runs += 1
    reads = READS if runs > FEW_READS else FEW_READS
    return statistics.median(_timed(work) for _ in range(reads))


def _timed(work: Callable[[], Any]) -> float:
    started = time.perf_counter()
    work()
    return round(time.perf_counter() - started, 3)
