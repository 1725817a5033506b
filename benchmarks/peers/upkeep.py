"""The workload of a copy: change TPC-H orders, then bring the copy of them up to date, timed."""

from __future__ import annotations

import json
import statistics
import time
from pathlib import Path
from typing import Any, Protocol

__all__ = ["Copy", "main"]

# The first rounds of a share warm up and are not counted.
ROUNDS, WARM_UP_ROUNDS = 5, 2
# Of so many customers one has orders that change: 0.1 %, 1 % and 10 % of all.
SHARES = {"0.1 %": 1000, "1 %": 100, "10 %": 10}
# A tenth as many orders are new, and a tenth as many go; no order changes twice between refreshes.
UPDATE = "UPDATE {table} SET o_totalprice = o_totalprice + 1 WHERE o_custkey % {one_of} = {residue}"
INSERT = (
    "INSERT INTO {table} SELECT o_orderkey + {beyond} AS o_orderkey, o_custkey, o_orderstatus, "
    "o_totalprice, o_orderdate, o_orderpriority, o_clerk, o_shippriority, o_comment FROM {table} "
    "WHERE o_custkey % ({one_of} * 10) = {residue} + 2 AND o_orderkey < {beyond}"
)
DELETE = "DELETE FROM {table} WHERE o_custkey % ({one_of} * 10) = {residue} + 1"
BEYOND = 10_000_000


class Copy(Protocol):
    """One way to keep a copy."""

    name: str
    versions: dict[str, str]

    def load(self, parquet: str) -> None:
        """Make the table from Parquet files."""

    def run(self, statement: str) -> None:
        """Run a statement with `{table}` in it."""

    def begin(self) -> None:
        """Make the copy, and whatever is needed to keep it."""

    def refresh(self) -> None:
        """Bring the copy up to date."""

    def differences(self) -> int:
        """Return in how many rows the copy differs from the table."""


def main(copy: Copy, data: str, out: str) -> None:
    """Run the workload on the Parquet files in a folder and write the figures, in seconds."""
    copy.load(str(Path(data) / "orders"))
    copy.begin()
    figures: dict[str, Any] = {"peer": copy.name, "versions": copy.versions}
    number = 0
    for share, one_of in SHARES.items():
        times = []
        for _ in range(ROUNDS):
            number += 1
            for change in (UPDATE, INSERT, DELETE):
                text = change.replace("{beyond}", str(BEYOND * number))
                text = text.replace("{one_of}", str(one_of))
                copy.run(text.replace("{residue}", str(number % one_of)))
            started = time.perf_counter()
            copy.refresh()
            times.append(time.perf_counter() - started)
        figures[share] = statistics.median(times[WARM_UP_ROUNDS:])
        figures[f"differs {share}"] = copy.differences()
    Path(out).write_text(json.dumps(figures, indent=1))
