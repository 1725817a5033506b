"""Runs of snapshots that only append: which data files to read for the rows of all of them.

Rows that a compaction moved keep the sequence number of the commit that wrote them. So the files
that it made of many small ones are read instead of these, where that is less.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from icemelt.tables.iceberg import Iceberg
from icemelt.tables.manifests.file_changes import OPEN_COST
from icemelt.tables.manifests.reader import ManifestReader
from icemelt.tables.metadata.snapshots import Snapshot

__all__ = ["AppendedRun", "files_of_appends", "plan_appended_run"]


@dataclass(frozen=True, slots=True)
class AppendedRun:
    """The data files of a run, a Java list, and the rows that it appended, with their bytes.

    Files may hold older rows, too: those of the run have a sequence number that is higher than
    `newer_than`. `to_read` is the bytes of all.
    """

    files: Any
    rows: int
    size: int
    to_read: int
    manifests: int
    newer_than: int | None = None


def plan_appended_run(iceberg: Iceberg, table: Any, run: Sequence[Snapshot]) -> AppendedRun:
    """Plan a run of appends and compactions that follow each other; the first is an append.

    Raises:
        FileDamaged: a manifest cannot be read.
    """
    reader = ManifestReader(iceberg, table)
    appends = [snapshot for snapshot in run if snapshot.operation == "append"]
    rows = sum(snapshot.count("added-records") for snapshot in appends)
    before = run[0].previous_sequence_number
    size = sum(snapshot.count("added-files-size") for snapshot in appends)
    if len(appends) < len(run) and before >= 0:
        # nothing was deleted on the way: at its end every row is there once
        files = reader.read_files_since(run[-1], before)
        count = sum(snapshot.count("added-data-files") for snapshot in appends)
        to_read = reader.size(files)
        if to_read + files.size() * OPEN_COST < size + count * OPEN_COST:
            return AppendedRun(files, rows, size, to_read, reader.manifests, before)
    files = files_of_appends(iceberg, table, run)
    manifests = sum(snapshot.manifests_written for snapshot in appends)
    return AppendedRun(files, rows, size, size, manifests)


def files_of_appends(iceberg: Iceberg, table: Any, run: Sequence[Snapshot]) -> Any:
    """Return the data files that the appends of a run added, as a Java list.

    Raises:
        FileDamaged: a manifest cannot be read.
    """
    reader = ManifestReader(iceberg, table)
    files = iceberg.functions.java_class("java.util.ArrayList")()
    for operation, part in groupby(run, lambda snapshot: snapshot.operation):
        if operation == "append":
            files.addAll(reader.read_appended_files(list(part)))
    return files
