"""The change scan: a plan of the files to read for the changes of one table, from metadata alone.

The plan has two sides of scan tasks, *added* and *removed*. A file at both ends with other
deletions is read through a *complement* vector, which shows only the rows removed or brought back
in the interval. Whole files are never joined. The shape says what is left to do: nothing, one scan,
or matching rows by their identity. Four rows in two files, of which the interval deletes row 2,
updates row 4, and inserts row 5:

    file   at the start   at the end                 added side         removed side
    A      1, 2           1, (2 deleted)                                A, showing row 2
    B      3, 4           3, (4 deleted)                                B, showing row 4
    C                     4', 5                      C: rows 4' and 5

Both sides have files, so the shape is MINIMIZE: matched by row id, 4 and 4' are an update, 2 is a
DELETE and 5 an INSERT.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import dropwhile
from typing import Any

from icemelt.tables.iceberg import Iceberg
from icemelt.tables.manifests.content_files import FileImage
from icemelt.tables.manifests.file_changes import FileChanges, net_along_chains, net_by_ends
from icemelt.tables.metadata.document import TableMetadata
from icemelt.tables.metadata.snapshots import Snapshot
from icemelt.tables.scans.appended_runs import files_of_appends, plan_appended_run
from icemelt.tables.scans.images import Scratch, build_images
from icemelt.tables.scans.sides import ScanSide
from icemelt.tables.scans.staging import TaskBuilder
from icemelt.tables.scans.surviving_rows import RemovedRows, SurvivingRows, find_surviving_rows

__all__ = [
    "Chain",
    "ChangeScan",
    "InsertedRows",
    "Interval",
    "ScanShape",
    "net_changes",
    "plan_changes",
]

Chain = Sequence[Snapshot] | None


class ScanShape(enum.Enum):
    """What is left to do with the two sides of a change scan."""

    EMPTY = "EMPTY"
    ADDED_ONLY = "ADDED_ONLY"
    REMOVED_ONLY = "REMOVED_ONLY"
    MINIMIZE = "MINIMIZE"

    @classmethod
    def of(cls, *, added: bool, removed: bool) -> ScanShape:
        """Return the shape of a change scan, by whether the sides have files."""
        if added:
            return cls.MINIMIZE if removed else cls.ADDED_ONLY
        return cls.REMOVED_ONLY if removed else cls.EMPTY


@dataclass(frozen=True, slots=True)
class Interval:
    """Two snapshots of a table.

    Args:
        metadata: the table at the end.
        start: the snapshot at the start, None for the empty table.
        end: the snapshot at the end, None for the empty table.
        foreign: the snapshots committed by other engines.
    """

    metadata: TableMetadata
    start: int | None
    end: int | None
    foreign: Container[int] = ()


@dataclass(frozen=True, slots=True)
class InsertedRows:
    """The added side, split by row id: a row with id `first_id` or higher is an inserted row.

    Args:
        first_id: the first row id given out after the start.
        new: files of inserted rows alone.
        rest: files with updated rows, whose old images are on the removed side.
        mixed: whether files of `rest` may have inserted rows too.
    """

    first_id: int
    new: ScanSide
    rest: ScanSide
    mixed: bool


@dataclass(frozen=True, slots=True)
class CompactionEpoch:
    """Both sides of the changes between two compactions."""

    added: ScanSide
    removed: ScanSide


@dataclass(frozen=True, slots=True)
class ChangeScan:
    """A planned change scan.

    Args:
        shape: what is left to do.
        table: Iceberg's table that the tasks read, None without tasks.
        added: the files with added rows.
        removed: the files with removed rows.
        steps: the number of snapshots read for the plan.
        manifests: the number of manifests read for the plan.
        way: how the plan was made: along the chain of snapshots, or from both ends.
        broken: why row ids cannot be trusted, None if they can.
        inserted: the added side, split into inserted rows and others.
        epochs: the sides to match if a row may have changed in several epochs, oldest first.
        surviving: which rows of the end were there at the start, None if unknown.
    """

    shape: ScanShape
    table: Any = None
    added: ScanSide = field(default_factory=ScanSide)
    removed: ScanSide = field(default_factory=ScanSide)
    steps: int = 0
    manifests: int = 0
    way: str = "chain"
    broken: str | None = None
    inserted: InsertedRows | None = None
    epochs: tuple[CompactionEpoch, ...] = ()
    surviving: SurvivingRows | None = None


def plan_changes(iceberg: Iceberg, interval: Interval, scratch: Scratch) -> ChangeScan:
    """Plan the changes from `interval.start` to `interval.end`.

    Args:
        iceberg: the session's Iceberg catalog.
        interval: the interval of the table.
        scratch: the folder for complement vectors.

    Raises:
        FileDamaged: a manifest or a deletion vector cannot be read.
    """
    metadata = interval.metadata
    if interval.start == interval.end:
        return ChangeScan(ScanShape.EMPTY)
    chain = metadata.chain(interval.start, interval.end)
    if chain is not None and all(snapshot.operation == "replace" for snapshot in chain):
        return ChangeScan(ScanShape.EMPTY, steps=len(chain))
    table = iceberg.detached_table(metadata)
    if chain is not None and all(s.operation in {"append", "replace"} for s in chain):
        return _plan_appends(iceberg, table, interval, chain)
    changes = net_changes(iceberg, table, [interval], [chain])[0]
    if changes.broken or (metadata.key is not None and metadata.key.rely):
        changes.epochs = None  # across epochs only row ids match the images of a row
    return _plan_sides(iceberg, table, changes, scratch, _IntervalChain(interval, chain))


def net_changes(
    iceberg: Iceberg, table: Any, intervals: Sequence[Interval], chains: Sequence[Chain]
) -> list[FileChanges]:
    """Return the net changes of files in several intervals of one table, oldest first.

    Args:
        iceberg: the session's Iceberg catalog.
        table: Iceberg's table, which has the snapshots of all intervals.
        intervals: the intervals.
        chains: the snapshots of every interval, None without a chain.
    """
    metadata, foreign = intervals[0].metadata, intervals[0].foreign
    has_other_deletes = _other_deletes_at(metadata)
    rising = [
        chain is not None and not has_other_deletes(interval.start)
        for interval, chain in zip(intervals, chains, strict=True)
    ]
    walked = [
        chain if is_rising and chain and not _ends_are_less(interval, chain) else ()
        for interval, chain, is_rising in zip(intervals, chains, rising, strict=True)
    ]
    read = iter(net_along_chains(iceberg, table, [chain for chain in walked if chain], foreign))
    nets = []
    for interval, chain, walk, is_rising in zip(intervals, chains, walked, rising, strict=True):
        changes = next(read) if walk else None
        ends = (interval.start, interval.end)
        path = chain if chain is not None else metadata.path_between(*ends)
        if changes is None:
            start, end = (None if end is None else metadata.snapshots[end] for end in ends)
            changes = net_by_ends(iceberg, table, (start, end), path, foreign)
            changes.rising = is_rising and not walk
        changes.broken = changes.broken or _find_reason_without_ids(metadata, path)
        nets.append(changes)
    return nets


def _ends_are_less(interval: Interval, chain: Sequence[Snapshot]) -> bool:
    """Return whether all files of both ends are less to read than the appends in between."""
    snapshots = interval.metadata.snapshots
    ends = [snapshots[end] for end in (interval.start, interval.end) if end is not None]
    appends = [snapshot for snapshot in chain if snapshot.operation == "append"]
    return all(
        sum(snapshot.count(f"total-{measure}") for snapshot in ends)
        < sum(snapshot.count(f"added-{measure}") for snapshot in appends)
        for measure in ("data-files", "files-size")
    )


def _appended_tasks(iceberg: Iceberg, table: Any, run: Sequence[Snapshot]) -> Any:
    """Return the scan tasks of all files added by the appends of a run, as a Java list."""
    return TaskBuilder(iceberg, table).of_files(files_of_appends(iceberg, table, run))


def _plan_appends(
    iceberg: Iceberg, table: Any, interval: Interval, chain: Sequence[Snapshot]
) -> ChangeScan:
    appends = [snapshot for snapshot in chain if snapshot.operation == "append"]
    if not any(snapshot.may_add_rows for snapshot in appends):
        return ChangeScan(ScanShape.EMPTY, steps=len(chain))
    added, manifests = _added_side(iceberg, table, interval, chain)
    return ChangeScan(
        ScanShape.ADDED_ONLY,
        table,
        added,
        steps=len(chain),
        manifests=manifests,
        surviving=_IntervalChain(interval, chain).find_surviving_rows([], (ScanSide(), ScanSide())),
    )


def _added_side(
    iceberg: Iceberg, table: Any, interval: Interval, chain: Sequence[Snapshot]
) -> tuple[ScanSide, int]:
    """Return the side of a chain of appends and compactions, and the number of manifests read.

    The tasks are made later if metadata alone gives the size of the side. Metadata does not say
    which files a compaction made: then the manifests are read at once.
    """
    appends = [snapshot for snapshot in chain if snapshot.operation == "append"]
    run = [*dropwhile(lambda snapshot: snapshot.operation != "append", chain)]
    is_known = len(run) == len(appends) and all(step.surviving_snapshot_id is None for step in run)
    if not is_known and not any(each.snapshot_id in interval.foreign for each in run):
        plan = plan_appended_run(iceberg, table, run)
        make_tasks = partial(TaskBuilder(iceberg, table).of_files, plan.files)
        sizes = (plan.rows, plan.size, plan.to_read)
        return ScanSide(plan.files.size(), *sizes, make_tasks, plan.newer_than), plan.manifests
    files = sum(snapshot.count("added-data-files") for snapshot in appends)
    rows = sum(snapshot.count("added-records") for snapshot in appends)
    size = sum(snapshot.count("added-files-size") for snapshot in appends)
    side = ScanSide(files, rows, size, size, partial(_appended_tasks, iceberg, table, chain))
    return side, sum(snapshot.manifests_written for snapshot in appends)


def _other_deletes_at(metadata: TableMetadata) -> Callable[[int | None], bool]:
    """Return a predicate of a snapshot: deletes other than vectors may apply to its files.

    Such deletes are equality deletes, and position deletes of a table upgraded from a format
    version before 3.
    """

    @cache
    def is_upgraded() -> bool:
        return any(snapshot.first_row_id is None for snapshot in metadata.snapshots.values())

    def apply_at(snapshot_id: int | None) -> bool:
        if snapshot_id is None or not metadata.snapshots[snapshot_id].count("total-delete-files"):
            return False
        equality = metadata.snapshots[snapshot_id].count("total-equality-deletes")
        return equality > 0 or is_upgraded()

    return apply_at


def _find_reason_without_ids(metadata: TableMetadata, path: Sequence[Snapshot]) -> str | None:
    """Return why rows of a path of snapshots lack row ids; None if all rows have row ids."""
    for snapshot in path:
        parent = metadata.snapshots.get(snapshot.parent_id or -1, snapshot)
        for old in (snapshot, parent):
            if old.first_row_id is None:
                return f"snapshot {old.snapshot_id} is from before format version 3"
        if snapshot.count("added-equality-deletes"):
            return f"snapshot {snapshot.snapshot_id} deleted rows by equality, not by row"
    return None


@dataclass(frozen=True, slots=True)
class _IntervalChain:
    """An interval and its chain of snapshots; the chain is None if there is none."""

    interval: Interval
    chain: Sequence[Snapshot] | None

    @property
    def start(self) -> Snapshot | None:
        """The start of a chain of icemelt's own commits with row ids; None for any other chain."""
        chain, start, foreign = self.chain, self.interval.start, self.interval.foreign
        if chain is None or start is None or any(each.snapshot_id in foreign for each in chain):
            return None
        snapshot = self.interval.metadata.snapshots[start]
        return None if snapshot.first_row_id is None else snapshot

    def first_new_id(self, changes: FileChanges) -> int | None:
        """Return the first row id of rows inserted in the interval, None if ids do not tell.

        Along a chain of icemelt's own commits ids only rise, and no row comes back.
        """
        if (start := self.start) is None or not changes.rising or changes.broken:
            return None
        if start.first_row_id is None or start.added_rows is None:
            return None
        return start.first_row_id + start.added_rows

    def find_surviving_rows(
        self, gone: Sequence[RemovedRows], sides: tuple[ScanSide, ScanSide]
    ) -> SurvivingRows | None:
        """Return the rows of the end that were there at the start, None for a chain without start.

        Args:
            gone: the removed rows, by data file.
            sides: the whole removed files, and the removed side.
        """
        if (start := self.start) is None or self.chain is None:
            return None
        return find_surviving_rows(self.interval.metadata, start, self.chain, gone, sides)


def _plan_sides(
    iceberg: Iceberg, table: Any, changes: FileChanges, scratch: Scratch, chain: _IntervalChain
) -> ChangeScan:
    builder = TaskBuilder(iceberg, table)
    nets = (changes,) if changes.epochs is None else changes.epochs
    images = build_images(iceberg, nets, scratch)
    added = [image for each in images for image in each.added]
    sides = (
        _make_side(builder, added),
        _make_side(builder, [image for each in images for image in each.removed]),
    )
    shape = ScanShape.of(added=sides[0].files > 0, removed=sides[1].files > 0)
    inserted = surviving = None
    epochs: tuple[CompactionEpoch, ...] = ()
    first_new_id = chain.first_new_id(changes)
    if shape is ScanShape.MINIMIZE and len(images) > 1:
        epochs = tuple(
            CompactionEpoch(_make_side(builder, each.added), _make_side(builder, each.removed))
            for each in images
        )
    elif first_new_id is not None and len(images) == 1 and not images[0].restored:
        if shape is ScanShape.MINIMIZE:
            inserted = _inserted_rows(builder, added, first_new_id, mixed=nets[0].has_inserts)
        files = _make_side(builder, list(changes.removed.values()))
        surviving = chain.find_surviving_rows(images[0].gone, (files, sides[1]))
    return ChangeScan(
        shape,
        table,
        *sides,
        steps=changes.steps,
        manifests=changes.manifests,
        way=changes.way,
        broken=changes.broken,
        inserted=inserted,
        epochs=epochs,
        surviving=surviving,
    )


def _inserted_rows(
    builder: TaskBuilder, added: Sequence[FileImage], first_id: int, *, mixed: bool
) -> InsertedRows:
    new = [image for image in added if image.inserted_rows == image.rows]
    rest = [image for image in added if image.inserted_rows != image.rows]
    return InsertedRows(first_id, _make_side(builder, new), _make_side(builder, rest), mixed)


def _make_side(builder: TaskBuilder, files: Sequence[FileImage]) -> ScanSide:
    images = [image for image in files if image.live_rows > 0]
    if not images:
        return ScanSide()
    rows = sum(image.live_rows for image in images)
    size = sum(image.size * image.live_rows // image.rows for image in images)
    to_read = sum(image.size for image in images)
    return ScanSide(len(images), rows, size, to_read, partial(builder.tasks, images))
