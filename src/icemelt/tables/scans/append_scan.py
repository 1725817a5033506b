"""The append-only scan: rows inserted by versions, in the image left by the version's commit.

A row is inserted by a version if its row id is in a span given out by a snapshot of the version.
Files with inserted rows alone need no filter; files that mix inserted rows with updated rows do.
Rows appended in many small files are read from the files that compactions made of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

from icemelt.errors import VersionExpired
from icemelt.storage.java_streams import SHOWN
from icemelt.tables.iceberg import Iceberg
from icemelt.tables.manifests.content_files import FILE_NUMBER, RECORD_COUNT, SIZE, FileImage
from icemelt.tables.manifests.file_changes import OPEN_COST, net_along_chain, net_by_ends
from icemelt.tables.metadata.document import TableMetadata
from icemelt.tables.metadata.snapshots import Snapshot
from icemelt.tables.scans.appended_runs import files_of_appends, plan_appended_run
from icemelt.tables.scans.compacted_rows import locate_compacted_rows, read_compactions, to_spans
from icemelt.tables.scans.staging import TaskBuilder

__all__ = ["AppendScan", "InsertedFiles", "plan_append_scan"]

_COMPACTED = frozenset({"append", "replace"})
_NEVER_INSERT = frozenset({"delete", "replace"})


@dataclass(frozen=True, slots=True)
class InsertedFiles:
    """Scan tasks of files with inserted rows, and which of their rows to keep.

    Args:
        tasks: the scan tasks, a Java list.
        spans: the row ids to keep, as (first, count); None keeps all.
        files: the number of files.
        rows: the number of rows.
        commits: the sequence numbers of commits to keep, as (first, count); None keeps all.
    """

    tasks: Any
    spans: tuple[tuple[int, int], ...] | None
    files: int
    rows: int
    commits: tuple[tuple[int, int], ...] | None = None


@dataclass(slots=True)
class AppendScan:
    """A planned append-only scan; without parts there are no rows."""

    table: Any
    parts: list[InsertedFiles] = field(default_factory=list)
    steps: int = 0
    manifests: int = 0

    @property
    def files(self) -> int:
        """The number of data files to read."""
        return sum(part.files for part in self.parts)

    @property
    def rows(self) -> int:
        """The number of rows in the files, without rows of other commits in compacted files."""
        return sum(part.rows for part in self.parts)


def plan_append_scan(
    iceberg: Iceberg,
    metadata: TableMetadata,
    versions: Sequence[Sequence[int]],
    foreign: Container[int] = (),
) -> AppendScan:
    """Plan the inserted rows of versions, oldest first.

    Args:
        iceberg: the session's Iceberg catalog.
        metadata: the table.
        versions: for each version the ids of its own snapshots.
        foreign: the snapshots committed by other engines.

    Raises:
        VersionExpired: a snapshot of the interval has expired.
        FileDamaged: a manifest cannot be read.
    """
    scan = AppendScan(iceberg.detached_table(metadata))
    runs = _join_versions(metadata, [_find_snapshots(metadata, ids) for ids in versions], foreign)
    if len(runs) == 1 and _is_compacted(runs[0]):
        scan.steps = len(runs[0])
        scan.parts.append(_plan_compacted_run(iceberg, scan, runs[0]))
        return scan
    lists = iceberg.functions.java_class("java.util.ArrayList")
    whole, appended = lists(), lists()
    files = rows = 0
    for run in runs:
        scan.steps += len(run)
        scan.manifests += sum(snapshot.manifests_written for snapshot in run)
        if all(snapshot.operation == "append" for snapshot in run) or _is_compacted(run):
            appended.addAll(files_of_appends(iceberg, scan.table, run))
            continue
        for part in _plan_version(iceberg, scan.table, metadata, run):
            if part.spans is None:
                whole.addAll(part.tasks)
                files, rows = files + part.files, rows + part.rows
            else:
                scan.parts.append(part)
    if appended.size():
        compactions = _compactions(metadata, versions, foreign)
        rest = _plan_compacted_rows(iceberg, scan, appended, compactions)
        whole.addAll(TaskBuilder(iceberg, scan.table).of_files(rest))
        files += rest.size()
        rows += iceberg.functions.total(rest, RECORD_COUNT)
    if files:
        scan.parts.append(InsertedFiles(whole, None, files, rows))
    return scan


def _find_snapshots(metadata: TableMetadata, ids: Sequence[int]) -> list[Snapshot]:
    try:
        return [metadata.snapshots[snapshot_id] for snapshot_id in ids]
    except KeyError as missing:
        raise VersionExpired(
            f"Snapshot {missing} of the interval has expired, and with it rows that were inserted "
            "and removed inside the interval.",
            hint="Ask for a later start, or use INFORMATION => DEFAULT, which needs only the ends.",
        ) from None


def _is_compacted(run: Sequence[Snapshot]) -> bool:
    """Return whether a run has both appends and compactions between them."""
    return run[0].operation == "append" and {each.operation for each in run} == _COMPACTED


def _plan_compacted_run(
    iceberg: Iceberg, scan: AppendScan, run: Sequence[Snapshot]
) -> InsertedFiles:
    """Plan a run with compactions that is all there is to read: files whose rows are not older."""
    found = plan_appended_run(iceberg, scan.table, run)
    scan.manifests += found.manifests
    tasks = TaskBuilder(iceberg, scan.table).of_files(found.files)
    size = run[-1].sequence_number - (found.newer_than or 0)
    newer = None if found.newer_than is None else ((found.newer_than + 1, size),)
    return InsertedFiles(tasks, None, found.files.size(), found.rows, newer)


def _compactions(
    metadata: TableMetadata, versions: Sequence[Sequence[int]], foreign: Container[int]
) -> list[Snapshot]:
    """Return icemelt's own compactions between the first and the last version, oldest first."""
    first = metadata.snapshots[versions[0][0]].sequence_number
    line = metadata.ancestry(versions[-1][-1])
    since = takewhile(lambda snapshot: snapshot.sequence_number > first, line)
    found = [snapshot for snapshot in since if snapshot.operation == "replace"]
    return [snapshot for snapshot in reversed(found) if snapshot.snapshot_id not in foreign]


def _plan_compacted_rows(
    iceberg: Iceberg, scan: AppendScan, appended: Any, compactions: Sequence[Snapshot]
) -> Any:
    """Plan rows to read from compacted files; return the appended files still to read."""
    if not compactions:
        return appended
    numbers, rows, sizes = (
        [int(each) for each in iceberg.functions.strings(appended, told, SHOWN)]
        for told in (FILE_NUMBER, RECORD_COUNT, SIZE)
    )
    counts, born, costs = Counter(numbers), Counter[int](), Counter[int]()
    for number, count, size in zip(numbers, rows, sizes, strict=True):
        born[number] += count
        costs[number] += size + OPEN_COST
    builder = TaskBuilder(iceberg, scan.table)
    spared: set[int] = set()
    for each in locate_compacted_rows(
        counts, read_compactions(iceberg, scan.table, compactions, counts)
    ):
        if each.cost < sum(costs[number] for number in each.commits):
            made = len(each.files), sum(born[number] for number in each.commits)
            spans = to_spans(each.commits)
            scan.parts.append(InsertedFiles(builder.tasks(each.files), None, *made, spans))
            spared |= each.commits
    left = [place for place, number in enumerate(numbers) if number not in spared]
    return iceberg.functions.pick(appended, left)


def _join_versions(
    metadata: TableMetadata, versions: Sequence[list[Snapshot]], foreign: Container[int]
) -> list[list[Snapshot]]:
    """Join successive versions of appends, and the compactions between them, into runs.

    Versions that insert nothing are left out.
    """
    runs: list[list[Snapshot]] = []
    for version in versions:
        if all(snapshot.operation in _NEVER_INSERT for snapshot in version):
            continue
        between = _compactions_between(metadata, runs[-1], version, foreign) if runs else None
        if between is not None:
            runs[-1] += [*between, *version]
        else:
            runs.append(list(version))
    return runs


def _compactions_between(
    metadata: TableMetadata,
    run: Sequence[Snapshot],
    version: Sequence[Snapshot],
    foreign: Container[int],
) -> Sequence[Snapshot] | None:
    """Return the compactions between a run and the version that continues it.

    None if the version does not continue the run, or does not only append.
    """
    first, last = version[0], run[-1]
    if any(each.operation != "append" for each in (run[0], last, *version)):
        return None
    if first.parent_id == last.snapshot_id:
        return ()
    if (
        first.surviving_snapshot_id is not None
        and last.surviving_snapshot_id == first.surviving_snapshot_id
    ):
        return () if last.sequence_number == first.previous_sequence_number else None
    way = metadata.chain(last.snapshot_id, first.parent_id)
    if way is None or any(
        each.operation != "replace" or each.snapshot_id in foreign for each in way
    ):
        return None
    return way


def _plan_version(
    iceberg: Iceberg, table: Any, metadata: TableMetadata, version: Sequence[Snapshot]
) -> list[InsertedFiles]:
    changes = net_along_chain(iceberg, table, version, ())
    if changes is None:
        before = version[0].parent_id
        start = None if before is None else metadata.snapshots[before]
        changes = net_by_ends(iceberg, table, (start, version[-1]))
    # a later snapshot of the version may have written rows again that an earlier one inserted
    images = [
        image for image in changes.added.values() if image.inserted_rows != 0 or len(version) > 1
    ]
    builder = TaskBuilder(iceberg, table)
    spans = tuple(
        (snapshot.first_row_id, snapshot.added_rows or 0)
        for snapshot in version
        if snapshot.first_row_id is not None
    )
    whole = [image for image in images if image.inserted_rows == image.rows]
    mixed = [image for image in images if image.inserted_rows != image.rows]
    return [*_make_parts(builder, whole, None), *_make_parts(builder, mixed, spans)]


def _make_parts(
    builder: TaskBuilder, images: Sequence[FileImage], spans: tuple[tuple[int, int], ...] | None
) -> list[InsertedFiles]:
    if not images:
        return []
    rows = sum(image.live_rows for image in images)
    return [InsertedFiles(builder.tasks(images), spans, len(images), rows)]
