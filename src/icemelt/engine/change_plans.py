"""The plan of a change query as EXPLAIN shows it: files and rows to read, and identity of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from icemelt.schema import Column
from icemelt.tables.scans.append_scan import AppendScan
from icemelt.tables.scans.change_scan import ChangeScan
from icemelt.tables.scans.redo_scan import RedoScan

__all__ = ["ChangePlan", "append_plan", "change_plan", "redo_plan"]


@dataclass(frozen=True, slots=True)
class ChangePlan:
    """A planned change query, as EXPLAIN shows it.

    Attributes:
        shape: the name of a `ScanShape`; REDO_LOG for a redo log.
        identity: how images of a row are matched: ROW_ID, KEY or VALUES.
        reason: why `identity` was chosen.
        files_added: files on the added side, with `rows_added` rows.
        files_removed: files on the removed side, with `rows_removed` rows.
        steps: the number of snapshots read to plan the scan; 2 for the way "ends".
        manifests: the number of manifest files read to plan the scan.
        way: how the files were found, as "chain", "ends" or "versions".
        to_read: the bytes of the files to read; 0 for a redo log and an append-only scan.
    """

    shape: str
    identity: str
    reason: str
    files_added: int
    rows_added: int
    files_removed: int
    rows_removed: int
    steps: int
    manifests: int
    way: str
    to_read: int = 0

    @property
    def rows(self) -> int:
        """The number of rows to read on both sides."""
        return self.rows_added + self.rows_removed


def change_plan(scan: ChangeScan, key: Sequence[Column]) -> ChangePlan:
    """Return the plan of a change scan; without a `key` the row ids or the values match rows."""
    identity, reason = _explain_identity(key, scan.broken)
    return ChangePlan(
        scan.shape.value,
        identity,
        reason,
        scan.added.files,
        scan.added.rows,
        scan.removed.files,
        scan.removed.rows,
        scan.steps,
        scan.manifests,
        scan.way,
        scan.added.to_read + scan.removed.to_read,
    )


def redo_plan(scan: RedoScan, key: Sequence[Column]) -> ChangePlan:
    """Return the plan of a redo log; without a `key` the row ids or the values match rows."""
    added, removed = scan.sides
    counts = (
        sum(side.files for side in added),
        sum(side.rows for side in added),
        sum(side.files for side in removed),
        sum(side.rows for side in removed),
    )
    shape = "REDO_LOG" if counts[0] or counts[2] else "EMPTY"
    identity = _explain_identity(key, scan.broken)
    return ChangePlan(shape, *identity, *counts, scan.steps, scan.manifests, "versions")


def append_plan(scan: AppendScan) -> ChangePlan:
    """Return the plan of an append-only scan."""
    shape = "ADDED_ONLY" if scan.parts else "EMPTY"
    reason = "append-only: rows whose id was given out in the interval"
    counts = (scan.files, scan.rows, 0, 0, scan.steps, scan.manifests)
    return ChangePlan(shape, "ROW_ID", reason, *counts, "versions")


def _explain_identity(key: Sequence[Column], broken: str | None) -> tuple[str, str]:
    """Return how images of a row are matched, and why."""
    if key:
        names = ", ".join(column.name for column in key)
        return "KEY", f"PRIMARY KEY ({names}) RELY is declared"
    if broken is not None:
        return "VALUES", broken
    return "ROW_ID", "every snapshot of the interval kept its row ids"
