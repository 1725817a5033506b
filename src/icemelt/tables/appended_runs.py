"""Runs of snapshots that only append: which data files to read for the rows of all of them.

Rows that a compaction moved keep the sequence number of the commit that wrote them. So the files
that it made of many small ones are read instead of these, where that is less.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from icemelt.tables.file_changes import OPEN_COST
from icemelt.tables.iceberg import Iceberg
from icemelt.tables.manifests import ManifestReader
from icemelt.tables.snapshots import Snapshot

__all__ = ["AppendedRun", "appended_run"]


@dataclass(frozen=True, slots=True)
class AppendedRun:
    """The data files of a run, a Java list, and the rows that it appended.

    Files may hold older rows, too, whose sequence number is not higher than `before`.
    """

    files: Any
    rows: int
    before: int
    holds_older: bool
    manifests: int


def appended_run(iceberg: Iceberg, table: Any, run: Sequence[Snapshot]) -> AppendedRun:
    """Plan a run of appends and compactions that follow each other; the first is an append.

    Raises:
        FileDamaged: a manifest cannot be read.
    """
    reader = ManifestReader(iceberg, table)
    appends = [snapshot for snapshot in run if snapshot.operation == "append"]
    rows = sum(snapshot.count("added-records") for snapshot in appends)
    before = run[0].before
    if len(appends) < len(run) and before >= 0:
        # nothing was deleted on the way: at its end every row is there once
        files = reader.written(run[-1], before)
        count = sum(snapshot.count("added-data-files") for snapshot in appends)
        size = sum(snapshot.count("added-files-size") for snapshot in appends)
        if reader.size(files) + files.size() * OPEN_COST < size + count * OPEN_COST:
            return AppendedRun(files, rows, before, holds_older=True, manifests=reader.manifests)
    files = iceberg.functions.named("java.util.ArrayList")()
    for operation, part in groupby(run, lambda snapshot: snapshot.operation):
        if operation == "append":
            files.addAll(reader.appended(list(part)))
    manifests = sum(snapshot.manifests_made for snapshot in appends)
    return AppendedRun(files, rows, before, holds_older=False, manifests=manifests)
