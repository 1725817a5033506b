"""The append-only scan: the rows that versions inserted, in the image their commit left.

A row is new in a version when its row id lies in a span that one of the version's own snapshots
gave out. Whole files of new rows need no filter; files that mix new rows with updated ones do.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from typing import Any

from icemelt.errors import VersionExpired
from icemelt.tables.appended_runs import appended_run
from icemelt.tables.change_scan import appended_tasks
from icemelt.tables.file_changes import along_chain, by_ends
from icemelt.tables.iceberg import Iceberg
from icemelt.tables.manifests import FileImage
from icemelt.tables.metadata import TableMetadata
from icemelt.tables.snapshots import Snapshot
from icemelt.tables.staging import TaskBuilder

__all__ = ["AppendScan", "FreshFiles", "plan_appended"]

_NEVER_INSERT = frozenset({"delete", "replace"})


@dataclass(frozen=True, slots=True)
class FreshFiles:
    """Scan tasks (a Java list) and the spans of row ids to keep of them, None for all.

    Of rows that are to be `newer_than` a sequence number, theirs has to be higher.
    """

    tasks: Any
    spans: tuple[tuple[int, int], ...] | None
    files: int
    rows: int
    newer_than: int | None = None


@dataclass(slots=True)
class AppendScan:
    """A planned append-only scan; no parts is no rows."""

    table: Any
    parts: list[FreshFiles] = field(default_factory=list)
    steps: int = 0
    manifests: int = 0

    @property
    def files(self) -> int:
        """How many data files are read."""
        return sum(part.files for part in self.parts)

    @property
    def rows(self) -> int:
        """How many rows they hold, filtered ones included."""
        return sum(part.rows for part in self.parts)


def plan_appended(
    iceberg: Iceberg,
    metadata: TableMetadata,
    versions: Sequence[Sequence[int]],
    foreign: Container[int] = (),
) -> AppendScan:
    """Plan the inserts of versions, each given by its own snapshots' ids, oldest first.

    Compactions between them are those of other engines where these are `foreign`.

    Raises:
        VersionExpired: a snapshot that is needed is gone.
        FileDamaged: a manifest cannot be read.
    """
    scan = AppendScan(iceberg.detached(metadata))
    whole = iceberg.functions.named("java.util.ArrayList")()
    files = rows = 0
    for run in _runs(metadata, [_snapshots(metadata, ids) for ids in versions], foreign):
        scan.steps += len(run)
        if run[0].operation == "append" and any(each.operation == "replace" for each in run):
            scan.parts.append(_compacted(iceberg, scan, run))
            continue
        scan.manifests += sum(snapshot.manifests_made for snapshot in run)
        if all(snapshot.operation == "append" for snapshot in run):
            tasks = appended_tasks(iceberg, scan.table, run)
            whole.addAll(tasks)
            files += tasks.size()
            rows += sum(snapshot.count("added-records") for snapshot in run)
            continue
        for part in _mixed(iceberg, scan.table, metadata, run):
            if part.spans is None:
                whole.addAll(part.tasks)
                files, rows = files + part.files, rows + part.rows
            else:
                scan.parts.append(part)
    if files:
        scan.parts.append(FreshFiles(whole, None, files, rows))
    return scan


def _snapshots(metadata: TableMetadata, ids: Sequence[int]) -> list[Snapshot]:
    try:
        return [metadata.snapshots[snapshot_id] for snapshot_id in ids]
    except KeyError as missing:
        raise VersionExpired(
            f"Snapshot {missing} of the interval has expired, and with it rows that were inserted "
            "and removed inside the interval.",
            hint="Ask for a later start, or use INFORMATION => DEFAULT, which needs only the ends.",
        ) from None


def _compacted(iceberg: Iceberg, scan: AppendScan, run: Sequence[Snapshot]) -> FreshFiles:
    """Plan appends with compactions between them."""
    found = appended_run(iceberg, scan.table, run)
    scan.manifests += found.manifests
    tasks = TaskBuilder(iceberg, scan.table).of_files(found.files)
    return FreshFiles(tasks, None, found.files.size(), found.rows, found.newer_than)


def _runs(
    metadata: TableMetadata, versions: Sequence[list[Snapshot]], foreign: Container[int]
) -> list[list[Snapshot]]:
    """Join versions of appends alone that follow each other, and compactions between them.

    Those that insert nothing are left out.
    """
    runs: list[list[Snapshot]] = []
    for version in versions:
        if all(snapshot.operation in _NEVER_INSERT for snapshot in version):
            continue
        between = _between(metadata, runs[-1], version, foreign) if runs else None
        if between is not None:
            runs[-1] += [*between, *version]
        else:
            runs.append(list(version))
    return runs


def _between(
    metadata: TableMetadata,
    run: Sequence[Snapshot],
    version: Sequence[Snapshot],
    foreign: Container[int],
) -> Sequence[Snapshot] | None:
    """Return the compactions between a run and a version that goes on with it.

    None where it does not, or where one of them does not only append.
    """
    first, last = version[0], run[-1]
    if any(each.operation != "append" for each in (run[0], last, *version)):
        return None
    if first.parent_id == last.snapshot_id:
        return ()
    if first.carrier is not None and last.carrier == first.carrier:
        return () if last.sequence_number == first.before else None
    way = metadata.chain(last.snapshot_id, first.parent_id)
    if way is None or any(
        each.operation != "replace" or each.snapshot_id in foreign for each in way
    ):
        return None
    return way


def _mixed(
    iceberg: Iceberg, table: Any, metadata: TableMetadata, version: Sequence[Snapshot]
) -> list[FreshFiles]:
    changes = along_chain(iceberg, table, version, ())
    if changes is None:
        before = version[0].parent_id
        start = None if before is None else metadata.snapshots[before]
        changes = by_ends(iceberg, table, (start, version[-1]))
    # a later snapshot of the version may have written rows again that an earlier one inserted
    images = [image for image in changes.added.values() if image.born != 0 or len(version) > 1]
    builder = TaskBuilder(iceberg, table)
    spans = tuple(
        (snapshot.first_row_id, snapshot.added_rows or 0)
        for snapshot in version
        if snapshot.first_row_id is not None
    )
    whole = [image for image in images if image.born == image.rows]
    mixed = [image for image in images if image.born != image.rows]
    return [*_part(builder, whole, None), *_part(builder, mixed, spans)]


def _part(
    builder: TaskBuilder, images: Sequence[FileImage], spans: tuple[tuple[int, int], ...] | None
) -> list[FreshFiles]:
    if not images:
        return []
    rows = sum(image.live_rows for image in images)
    return [FreshFiles(builder.tasks(images), spans, len(images), rows)]
