"""The redo log: every version of an interval becomes scan tasks that know which version it is.

All versions are read in few scans, whatever their number: rows that came and have no other image,
and both sides of the rest, each image beside the number of its version.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from typing import Any

from icemelt.tables.change_scan import Interval, appended_tasks, net_changes
from icemelt.tables.file_changes import FileChanges
from icemelt.tables.iceberg import Iceberg
from icemelt.tables.images import Scratch, images_of
from icemelt.tables.manifests import FileImage
from icemelt.tables.metadata import Snapshot, TableMetadata
from icemelt.tables.staging import TAG_FIELD, TaskBuilder

__all__ = ["RedoScan", "RedoSide", "RedoStep", "plan_redo"]


@dataclass(frozen=True, slots=True)
class RedoStep:
    """A version: the snapshots, or the empty table, that it leads from and to, and its number.

    Of a version that has a sequence number it is that one, and the numbers of its snapshots before.
    """

    start: int | None
    end: int | None
    number: int


@dataclass(slots=True)
class RedoSide:
    """Scan tasks of many versions, a Java list or None for none, and what they read."""

    tasks: Any = None
    files: int = 0
    rows: int = 0

    def add(self, builder: TaskBuilder, images: Sequence[FileImage], number: int) -> None:
        """Add the files of a version."""
        shown = [image for image in images if image.live_rows > 0]
        if shown:
            rows = sum(image.live_rows for image in shown)
            self.extend(builder.tasks(shown, number), len(shown), rows)

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
    metadata: TableMetadata,
    steps: Sequence[RedoStep],
    scratch: Scratch,
    foreign: Container[int] = (),
    *,
    by_key: bool = False,
) -> RedoScan:
    """Plan the changes of each of some versions, oldest first.

    Where rows are known `by_key` all that did not only append is in `added` and `removed`.

    Raises:
        FileDamaged: a manifest or a deletion vector cannot be read.
    """
    table = iceberg.detached(metadata, TAG_FIELD)
    scan = RedoScan(table)
    builder = TaskBuilder(iceberg, table)
    planner = _Planner(iceberg, metadata, scan, builder, scratch, foreign, by_key)
    for step in steps:
        planner.add(step)
    planner.finish()
    return scan


@dataclass(slots=True)
class _Planner:
    iceberg: Iceberg
    metadata: TableMetadata
    scan: RedoScan
    builder: TaskBuilder
    scratch: Scratch
    foreign: Container[int]
    by_key: bool
    run: list[Snapshot] = field(default_factory=list)
    nets: list[tuple[int, FileChanges]] = field(default_factory=list)

    def add(self, step: RedoStep) -> None:
        """Add a version; neighbours that only append are read together."""
        chain = self.metadata.chain(step.start, step.end)
        if chain is not None:
            self.scan.steps += len(chain)
            if all(snapshot.operation == "replace" for snapshot in chain):
                return
            if all(snapshot.operation == "append" for snapshot in chain):
                if self.run and self.run[-1].snapshot_id != step.start:
                    self._end_run()
                self.run += chain
                return
        self._end_run()
        interval = Interval(self.metadata, step.start, step.end, self.foreign)
        changes = net_changes(self.iceberg, self.scan.table, interval, chain)
        self.scan.manifests += changes.manifests
        self.scan.broken = self.scan.broken or changes.broken
        self.nets.append((step.number, changes))

    def finish(self) -> None:
        """Stage what is left."""
        self._end_run()
        if self.nets:
            self._stage_changes()

    def _end_run(self) -> None:
        """Add the run of appends that is open."""
        run, self.run = self.run, []
        rows = sum(snapshot.count("added-records") for snapshot in run)
        if not rows:
            return
        tasks = appended_tasks(self.iceberg, self.scan.table, run[0].parent_id, run[-1].snapshot_id)
        files = sum(snapshot.count("added-data-files") for snapshot in run)
        self.scan.appended.extend(tasks, files, rows)
        self.scan.manifests += sum(snapshot.manifests_made for snapshot in run)

    def _stage_changes(self) -> None:
        """Add the versions that did not only append; vectors of all are written at once."""
        nets = [changes for _, changes in self.nets]
        images = images_of(self.iceberg, self.scan.table, nets, self.scratch)
        for (number, changes), each in zip(self.nets, images, strict=True):
            added, removed, new = self._sides(changes)
            born = [image for image in each.added if image.born == image.rows]
            rest = [image for image in each.added if image.born != image.rows]
            new.add(self.builder, born, number)
            added.add(self.builder, rest, number)
            removed.add(self.builder, each.removed, number)

    def _sides(self, changes: FileChanges) -> tuple[RedoSide, RedoSide, RedoSide]:
        """Return where what a version added, removed and made anew belongs."""
        scan = self.scan
        if self.by_key:
            return scan.added, scan.removed, scan.added
        if changes.broken is not None:
            return scan.added_values, scan.removed_values, scan.added_values
        return scan.added, scan.removed, scan.new
