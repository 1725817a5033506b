"""Compaction by Iceberg: small files, and files with deletions, become large files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from icemelt.spark_java import java_session
from icemelt.tables.iceberg import Iceberg
from icemelt.tables.metadata.document import TableMetadata
from icemelt.tables.metadata.snapshots import Snapshot

__all__ = ["compact_files", "files_since_compaction"]

_OPTIONS = {"min-input-files": "2", "delete-file-threshold": "1"}
# Iceberg's vectors are dear to set up: of files of fewer rows each, rows are read one by one. It
# also never lets go of what it allocates them from, half a kilobyte of Java's heap for each file
# (apache/iceberg#13937).
_FEW_ROWS = 1_000
_BY_VECTORS = "spark.sql.iceberg.vectorization.enabled"


def compact_files(iceberg: Iceberg, table: Any, metadata: TableMetadata) -> tuple[int, int]:
    """Compact a table; return the numbers of files taken and of files made.

    Args:
        iceberg: the session's Iceberg catalog.
        table: Iceberg's table.
        metadata: the table's metadata.
    """
    # a session of its own: how it reads is nothing to the statements beside it
    session = java_session(iceberg.spark).cloneSession()
    if _is_of_small_files(metadata):
        session.conf().set(_BY_VECTORS, "false")
    action = iceberg.java_class("spark.actions.SparkActions").get(session).rewriteDataFiles(table)
    for name, value in _OPTIONS.items():
        action = action.option(name, value)
    with _activate_session(iceberg, session):
        result = action.execute()
    return int(result.rewrittenDataFilesCount()), int(result.addedDataFilesCount())


@contextmanager
def _activate_session(iceberg: Iceberg, session: Any) -> Iterator[None]:
    """Make a Spark session the active session, in which Iceberg looks its catalogs up."""
    sessions = iceberg.functions.java_class("org.apache.spark.sql.classic.SparkSession")
    before = sessions.getActiveSession()
    sessions.setActiveSession(session)
    try:
        yield
    finally:
        if before.isDefined():
            sessions.setActiveSession(before.get())
        else:
            sessions.clearActiveSession()


def _is_of_small_files(metadata: TableMetadata) -> bool:
    """Return whether a rewrite opens many small files and few large files."""
    files, rows = files_since_compaction(metadata)
    total = 0 if metadata.current is None else _totals(metadata.current)[1]
    return files > 0 and rows < files * _FEW_ROWS and total < files * _FEW_ROWS * 10


def files_since_compaction(metadata: TableMetadata) -> tuple[int, int]:
    """Return how many more files and rows a table has than after its last compaction.

    Rows hidden by deletion vectors are counted.
    """
    current = metadata.current
    if current is None:
        return 0, 0
    line = metadata.ancestry(current.snapshot_id)
    last = next((each for each in line if each.operation == "replace"), None)
    (files, rows), (before, old) = _totals(current), (0, 0) if last is None else _totals(last)
    return files - before, rows - old


def _totals(snapshot: Snapshot) -> tuple[int, int]:
    return snapshot.count("total-data-files"), snapshot.count("total-records")
