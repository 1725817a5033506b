"""The redo log: every version of an interval becomes scan tasks that know which version it is.

All versions are read in few scans, whatever their number: rows that came and have no other image,
and both sides of the rest, each image beside the number of its version.
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
    """A version: the snapshots, or the empty table, that it leads from and to, and its number.

    Of a version that has a sequence number it is that one, and the numbers of its snapshots before.
    It may go to snapshots that are not its `own`: those of another version, as after a RESTORE.
    """

    start: int | None
    end: int | None
    number: int
    own: frozenset[int]


@dataclass(frozen=True, slots=True)
class SharedFiles:
    """Scan tasks of files that show rows of many versions; each file is read once.

    `places` tells the versions: its columns are `file`, the task's tag, `pos`, a row's position in
    the file, and `number`.
    """

    tasks: Any
    places: pa.Table


@dataclass(slots=True)
class RedoSide:
    """Scan tasks of many versions, a Java list or None for none, and what they read.

    Where rows are to be `newer` than their tag their sequence number has to be higher; the others
    are of no version.
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
        """Add the files of a version."""
        for image in images:
            if image.live_rows > 0:
                self._images.append(image)
                self._numbers.append(number)

    def show(self, shown: Iterable[ShownRows], number: int) -> None:
        """Add rows of files as those of a version."""
        for file, positions in shown:
            versions = self._rows_to_show.setdefault(file.location, [])
            versions.append((number, (file, positions)))

    def rows_to_show(self) -> list[ShownRows]:
        """Return the rows of files to show, each file once."""
        return [
            (versions[0][1][0], BitMap64.union(*(positions for _, (_, positions) in versions)))
            for versions in self._rows_to_show.values()
        ]

    def plan_tasks(self, builder: TaskBuilder, shown: Sequence[FileImage]) -> None:
        """Make the tasks; the images are of what is `rows_to_show`."""
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
        """Add tasks, and what they read."""
        if self.tasks is None:
            self.tasks = tasks
        else:
            self.tasks.addAll(tasks)
        self.files += files
        self.rows += rows


@dataclass(slots=True)
class RedoScan:
    """A planned redo log.

    `appended` has rows that came, whose sequence number tells the version; of all others the tags
    do. Those of `new` came, too. Images of a row in `added` and `removed` have the same tag and
    find each other by row id; in `added_values` and `removed_values` by their values, as their ids
    cannot be trusted: `broken` says why.
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
        """What came, and what went."""
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
    """Plan the changes of each of the versions of an interval, oldest first.

    Where rows are known `by_key` all is in `added` and `removed`.

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
        """Add a version; neighbours that only append are read together."""
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
        """Plan what is left."""
        self._extend_run(self.interval.end)
        self._end_run()
        self._plan_appended()
        if self.intervals:
            self._plan_changes()

    def _extend_run(self, to: int | None) -> bool:
        """Take the compactions up to a snapshot into the open run; tell whether they lead there."""
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
        """Close the run of appends that is open."""
        run, self.run = self.run, []
        if any(each.operation == "append" and each.may_add_rows for each in run):
            self.runs.append(plan_appended_run(self.iceberg, self.scan.table, run))

    def _plan_appended(self) -> None:
        """Add the versions that only append."""
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
        """Add the versions that did not only append; vectors of all are written at once."""
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
        """Return where what a version added, removed and made anew belongs."""
        scan = self.scan
        if self.by_key:
            return scan.added, scan.removed, scan.added
        if changes.broken is not None:
            return scan.added_values, scan.removed_values, scan.added_values
        return scan.added, scan.removed, scan.new


def _positions_table(file: int, positions: BitMap64, number: int) -> pa.Table:
    """Return the positions of rows of a file in one version, as `SharedFiles` has them."""
    count = len(positions)
    data = pa.py_buffer(positions.to_array())
    columns = {
        "file": pa.repeat(pa.scalar(file, pa.int32()), count),
        "pos": pa.Array.from_buffers(pa.int64(), count, [None, data]),
        "number": pa.repeat(pa.scalar(number, pa.int32()), count),
    }
    return pa.table(columns)
