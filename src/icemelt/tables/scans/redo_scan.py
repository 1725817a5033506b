"""The redo log scan: scan tasks for every version of an interval, tagged with the version's number.

All versions are read in few scans, however many there are. One scan has the rows without another
image. Two scans have both sides of all other changes. Every image has the number of its version.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import Any

import pyarrow as pa
from pyroaring import BitMap64

from icemelt.tables.iceberg import Iceberg
from icemelt.tables.manifests.content_files import FileImage
from icemelt.tables.manifests.file_changes import FileChanges
from icemelt.tables.metadata.snapshots import Snapshot
from icemelt.tables.scans.appended_runs import AppendedRun, plan_appended_run
from icemelt.tables.scans.change_scan import Chain, Interval, net_changes
from icemelt.tables.scans.images import Scratch, ShownRows, diff_vectors, show_only
from icemelt.tables.scans.staging import BESIDE_ROWS, TaskBuilder

__all__ = ["RedoScan", "RedoSide", "RedoStep", "SharedFiles", "plan_redo"]


@dataclass(frozen=True, slots=True)
class RedoStep:
    """A version of a table in the redo log: the snapshots before and after, and a number.

    The images of a row in one step have the same number, which tells the version. Four versions:

        version   statement            RedoStep(start, end, number, own)
        1         CREATE and INSERT    (None, s1, 1, {s1})
        2         INSERT               (s1, s2, 2, {s2})
        3         UPDATE               (s2, s3, 3, {s3})
        4         RESTORE to 2         (s3, s2, 4, {})

    Version 4 goes to a snapshot of version 2, so its `own` is empty.

    Args:
        start: the snapshot before, None for the empty table.
        end: the snapshot after, None for the empty table.
        number: the highest sequence number of the version's own snapshots. A version without own
            snapshots has a number above all sequence numbers of the interval.
        own: the snapshots committed by the version itself.
    """

    start: int | None
    end: int | None
    number: int
    own: frozenset[int]


@dataclass(frozen=True, slots=True)
class SharedFiles:
    """Scan tasks of files with rows of many versions; every file is read once.

    Args:
        tasks: the scan tasks, a Java list. The tag of a task is the file's number in `places`.
        places: the rows to show: columns `file`, `pos` (position in the file) and `number`
            (version).
    """

    tasks: Any
    places: pa.Table


@dataclass(slots=True)
class RedoSide:
    """Scan tasks of many versions, on one side of the redo log.

    Args:
        tasks: the scan tasks, a Java list; None for none.
        shared: files with rows of many versions.
        newer: whether only rows count whose sequence number is higher than their task's tag. Other
            rows belong to no version.
        files: the number of files.
        rows: the number of rows.
    """

    tasks: Any = None
    shared: SharedFiles | None = None
    newer: bool = False
    files: int = 0
    rows: int = 0
    _images: list[FileImage] = field(default_factory=list)
    _numbers: list[int] = field(default_factory=list)
    _rows_to_show: dict[str, list[tuple[int, ShownRows]]] = field(default_factory=dict)

    def add(self, images: Iterable[FileImage], number: int) -> None:
        """Add the files of version `number`."""
        for image in images:
            if image.live_rows > 0:
                self._images.append(image)
                self._numbers.append(number)

    def show(self, shown: Iterable[ShownRows], number: int) -> None:
        """Add rows of files as rows of version `number`."""
        for file, positions in shown:
            versions = self._rows_to_show.setdefault(file.location, [])
            versions.append((number, (file, positions)))

    def rows_to_show(self) -> list[ShownRows]:
        """Return the rows to show, every file once."""
        return [
            (versions[0][1][0], BitMap64.union(*(positions for _, (_, positions) in versions)))
            for versions in self._rows_to_show.values()
        ]

    def plan_tasks(self, builder: TaskBuilder, shown: Sequence[FileImage]) -> None:
        """Make the tasks; `shown` are images of the files of `rows_to_show`, in order."""
        several: list[FileImage] = []
        places: list[pa.Table] = []
        for image, versions in zip(shown, self._rows_to_show.values(), strict=True):
            if len(versions) == 1:
                self.add([image], versions[0][0])
                continue
            places += [
                _positions_table(len(several), positions, number)
                for number, (_, positions) in versions
            ]
            several.append(image)
        if self._images:
            rows = sum(image.live_rows for image in self._images)
            self.extend(builder.tasks(self._images, self._numbers), len(self._images), rows)
        if several:
            tasks = builder.tasks(several, range(len(several)))
            self.shared = SharedFiles(tasks, pa.concat_tables(places))
            self.files += len(several)
            self.rows += self.shared.places.num_rows

    def extend(self, tasks: Any, files: int, rows: int) -> None:
        """Add scan tasks, with their number of files and rows."""
        if self.tasks is None:
            self.tasks = tasks
        else:
            self.tasks.addAll(tasks)
        self.files += files
        self.rows += rows


@dataclass(slots=True)
class RedoScan:
    """A planned redo log.

    Args:
        table: Iceberg's table that the tasks read.
        appended: inserted rows whose sequence number tells the version. The tag tells it of all
            others.
        new: more inserted rows.
        added: new images of rows; both images of a row have the same tag and row id.
        removed: old images of rows.
        added_values: new images with ids that cannot be trusted, matched by values.
        removed_values: old images with ids that cannot be trusted.
        steps: the number of snapshots read for the plan.
        manifests: the number of manifests read for the plan.
        broken: why ids cannot be trusted.
    """

    table: Any
    appended: RedoSide = field(default_factory=RedoSide)
    new: RedoSide = field(default_factory=RedoSide)
    added: RedoSide = field(default_factory=RedoSide)
    removed: RedoSide = field(default_factory=RedoSide)
    added_values: RedoSide = field(default_factory=RedoSide)
    removed_values: RedoSide = field(default_factory=RedoSide)
    steps: int = 0
    manifests: int = 0
    broken: str | None = None

    @property
    def sides(self) -> tuple[tuple[RedoSide, ...], tuple[RedoSide, ...]]:
        """The sides with inserted rows and new images, and the sides with old images."""
        came = (self.appended, self.new, self.added, self.added_values)
        return came, (self.removed, self.removed_values)


def plan_redo(
    iceberg: Iceberg,
    interval: Interval,
    steps: Sequence[RedoStep],
    scratch: Scratch,
    *,
    by_key: bool = False,
) -> RedoScan:
    """Plan the changes of all versions of an interval, oldest first.

    Args:
        iceberg: the session's Iceberg catalog.
        interval: the interval of the table.
        steps: the versions in the interval, oldest first.
        scratch: the folder for complement vectors.
        by_key: whether a declared key tells rows; then all changes are in `added` and `removed`.

    Raises:
        FileDamaged: a manifest or a deletion vector cannot be read.
    """
    table = iceberg.detached_table(interval.metadata, BESIDE_ROWS)
    scan = RedoScan(table)
    builder = TaskBuilder(iceberg, table)
    planner = _Planner(iceberg, interval, scan, builder, scratch, by_key)
    for step in steps:
        planner.add(step)
    planner.finish()
    return scan


@dataclass(slots=True)
class _Planner:
    iceberg: Iceberg
    interval: Interval
    scan: RedoScan
    builder: TaskBuilder
    scratch: Scratch
    by_key: bool
    run: list[Snapshot] = field(default_factory=list)
    runs: list[AppendedRun] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    intervals: list[Interval] = field(default_factory=list)
    chains: list[Chain] = field(default_factory=list)

    def add(self, step: RedoStep) -> None:
        """Add a version; neighbouring versions that only append are read together."""
        snapshots = self.interval.metadata.chain(step.start, step.end)
        if snapshots is not None:
            self.scan.steps += len(snapshots)
            if all(snapshot.operation == "replace" for snapshot in snapshots):
                return
            # rows known by key are looked for where others have that key, too
            if not self.by_key and all(
                snapshot.operation == "append" and snapshot.snapshot_id in step.own
                for snapshot in snapshots
            ):
                if not self._extend_run(step.start):
                    self._end_run()
                self.run += snapshots
                return
        self._extend_run(step.start)
        self._end_run()
        self.numbers.append(step.number)
        self.intervals.append(replace(self.interval, start=step.start, end=step.end))
        self.chains.append(snapshots)

    def finish(self) -> None:
        """Plan the versions added last."""
        self._extend_run(self.interval.end)
        self._end_run()
        self._plan_appended()
        if self.intervals:
            self._plan_changes()

    def _extend_run(self, to: int | None) -> bool:
        """Extend the open run by the compactions up to a snapshot; return whether it is reached."""
        if not self.run:
            return True
        way = self.interval.metadata.chain(self.run[-1].snapshot_id, to)
        if way is None or any(
            each.operation != "replace" or each.snapshot_id in self.interval.foreign for each in way
        ):
            return False
        self.run += way
        return True

    def _end_run(self) -> None:
        """Close the open run of appends."""
        run, self.run = self.run, []
        if any(each.operation == "append" and each.may_add_rows for each in run):
            self.runs.append(plan_appended_run(self.iceberg, self.scan.table, run))

    def _plan_appended(self) -> None:
        """Plan the versions that only append."""
        scan = self.scan
        scan.appended.newer = any(run.newer_than is not None for run in self.runs)
        for run in self.runs:
            count = run.files.size()
            # every sequence number is newer than -1
            before = -1 if run.newer_than is None else run.newer_than
            tags = [before] * count if scan.appended.newer else None
            scan.appended.extend(self.builder.of_files(run.files, None, tags), count, run.rows)
            scan.manifests += run.manifests

    def _plan_changes(self) -> None:
        """Plan all other versions, and write all vectors at once."""
        scan = self.scan
        nets = net_changes(self.iceberg, scan.table, self.intervals, self.chains)
        scan.manifests += sum(net.manifests for net in nets)
        scan.broken = next((net.broken for net in nets if net.broken), None)
        found = diff_vectors(self.iceberg, nets)
        for number, net, (gone, back) in zip(self.numbers, nets, found, strict=True):
            added, removed, new = self._sides(net)
            both = net.delete_changes.values()
            came = [*net.added.values(), *(file.after for file in both)]
            new.add([image for image in came if image.inserted_rows == image.rows], number)
            added.add([image for image in came if image.inserted_rows != image.rows], number)
            added.show(back, number)
            removed.add([*net.removed.values(), *(file.before for file in both)], number)
            removed.show(gone, number)
        sides = (scan.new, scan.added, scan.removed, scan.added_values, scan.removed_values)
        parts = [side.rows_to_show() for side in sides]
        images = iter(show_only(self.iceberg, list(chain.from_iterable(parts)), self.scratch))
        for side, part in zip(sides, parts, strict=True):
            side.plan_tasks(self.builder, list(islice(images, len(part))))

    def _sides(self, changes: FileChanges) -> tuple[RedoSide, RedoSide, RedoSide]:
        """Return the sides for a version's added, removed and inserted rows."""
        scan = self.scan
        if self.by_key:
            return scan.added, scan.removed, scan.added
        if changes.broken is not None:
            return scan.added_values, scan.removed_values, scan.added_values
        return scan.added, scan.removed, scan.new


def _positions_table(file: int, positions: BitMap64, number: int) -> pa.Table:
    """Return positions of a file's rows in version `number`, as `SharedFiles.places` has them."""
    count = len(positions)
    data = pa.py_buffer(positions.to_array())
    columns = {
        "file": pa.repeat(pa.scalar(file, pa.int32()), count),
        "pos": pa.Array.from_buffers(pa.int64(), count, [None, data]),
        "number": pa.repeat(pa.scalar(number, pa.int32()), count),
    }
    return pa.table(columns)
