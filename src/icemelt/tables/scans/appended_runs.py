"""Runs of appends: the data files to read for the rows of all appends of a run.

A compacted row keeps the sequence number of the commit that wrote it. So the compacted files are
read in place of many small files, if that is less.
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
    """The data files with the rows appended by a run.

    Args:
        files: the files, a Java list.
        rows: the number of appended rows.
        size: the size of the appended rows, in bytes.
        to_read: the size of all files, in bytes.
        manifests: the number of manifests read.
        newer_than: if files also have older rows, rows of the run have a higher sequence number.
    """

    files: Any
    rows: int
    size: int
    to_read: int
    manifests: int
    newer_than: int | None = None


def plan_appended_run(iceberg: Iceberg, table: Any, run: Sequence[Snapshot]) -> AppendedRun:
    """Plan a run of successive appends and compactions; the first snapshot is an append.

    Args:
        iceberg: the session's Iceberg catalog.
        table: Iceberg's table.
        run: the snapshots, oldest first.

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
    """Return the data files added by the appends of a run, as a Java list.

    Args:
        iceberg: the session's Iceberg catalog.
        table: Iceberg's table.
        run: the snapshots, oldest first.

    Raises:
        FileDamaged: a manifest cannot be read.
    """
    reader = ManifestReader(iceberg, table)
    if all(snapshot.operation == "append" for snapshot in run):
        return reader.read_appended_files(run)
    files = iceberg.functions.java_class("java.util.ArrayList")()
    for operation, part in groupby(run, lambda snapshot: snapshot.operation):
        if operation == "append":
            files.addAll(reader.read_appended_files(list(part)))
    return files
