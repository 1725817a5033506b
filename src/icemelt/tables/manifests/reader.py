"""Data files and deletion vectors of snapshots, read from manifests in few calls."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from icemelt.storage.java_streams import SHOWN
from icemelt.tables.iceberg import Iceberg
from icemelt.tables.manifests.content_files import (
    FILE_NUMBER,
    LOCATION,
    NULL_COUNTS,
    RECORD_COUNT,
    SIZE,
    WITHOUT_METRICS,
    FileImage,
    count_inserted,
)
from icemelt.tables.manifests.deletion_vectors import DeletionVector
from icemelt.tables.metadata.snapshots import Snapshot
from icemelt.tables.unreadable import reading_file

__all__ = ["ManifestReader", "RewrittenFiles", "SnapshotPlan", "SnapshotStep"]

_TASK_FILE = ("org.apache.iceberg.FileScanTask", "file")
_TASK_DELETES = ("org.apache.iceberg.FileScanTask", "deletes")
_TO_STRING = ("java.lang.Object", "toString")
_REFERENCED = ("org.apache.iceberg.DeleteFile", "referencedDataFile")
_FORMAT = ("org.apache.iceberg.ContentFile", "format")
_OFFSET = ("org.apache.iceberg.DeleteFile", "contentOffset")
_CONTENT_SIZE = ("org.apache.iceberg.DeleteFile", "contentSizeInBytes")
_MANIFEST_NUMBER = ("org.apache.iceberg.ManifestFile", "sequenceNumber")
_CHANGES = "org.apache.iceberg.SnapshotChanges"
_BUILDER = (_CHANGES, "builderFor", "org.apache.iceberg.Table")
_BUILT = (
    (f"{_CHANGES}$Builder", "snapshot", "org.apache.iceberg.Snapshot"),
    (f"{_CHANGES}$Builder", "build"),
)
_SNAPSHOT_ID = ("org.apache.iceberg.Snapshot", "snapshotId")
# deletes of a file that has none, as Java shows them
_NONE = "[]"
# of so few snapshots calls of their own are cheaper than functions of all
_FEW = 4
_READ_FILES = (
    (
        "org.apache.iceberg.ManifestFiles",
        "read",
        "org.apache.iceberg.ManifestFile",
        "org.apache.iceberg.io.FileIO",
        "java.util.Map",
    ),
    ("org.apache.iceberg.ManifestReader", "select", "java.util.Collection"),
)
_SCAN_COLUMNS = (
    "file_path",
    "file_format",
    "file_size_in_bytes",
    "record_count",
    "partition",
    "key_metadata",
    "split_offsets",
    "sort_order_id",
    "first_row_id",
)


@dataclass(frozen=True, slots=True)
class SnapshotPlan:
    """The scan tasks of a snapshot.

    Args:
        reader: the reader that made the plan.
        tasks: the scan tasks, a Java list.
        places: for each file's location its index in `tasks`, and its deletes as Java's text.
    """

    reader: ManifestReader
    tasks: Any
    places: Mapping[str, tuple[int, str]]

    def images(self, locations: Iterable[str]) -> dict[str, FileImage]:
        """Return the snapshot's images of files, by location."""
        return self.reader.read_images(self.tasks, [self.places[name] for name in locations])


@dataclass(frozen=True, slots=True)
class SnapshotStep:
    """The changes made by one snapshot.

    Args:
        added: data files by location.
        removed: data files by location.
        vectors_added: deletion vectors by the location of their data file.
        vectors_removed: deletion vectors by the location of their data file.
    """

    added: dict[str, FileImage]
    removed: dict[str, FileImage]
    vectors_added: dict[str, DeletionVector]
    vectors_removed: dict[str, DeletionVector]

    @property
    def files(self) -> int:
        """The number of files in the step, plus one: the weight in the cache."""
        data = len(self.added) + len(self.removed)
        return data + len(self.vectors_added) + len(self.vectors_removed) + 1


@dataclass(frozen=True, slots=True)
class RewrittenFiles:
    """The files of a rewrite.

    Args:
        removed: the data files taken, a Java list.
        vectors: the vectors taken, by data file; None if a delete file was no vector.
        added: the data files made, by location.
    """

    removed: Any
    vectors: dict[str, DeletionVector] | None
    added: dict[str, FileImage]


@dataclass(slots=True)
class ManifestReader:
    """Reads manifests through Iceberg in as few calls as possible, and counts them."""

    iceberg: Iceberg
    table: Any
    manifests: int = 0

    def read_rewrite(self, snapshot: Snapshot) -> RewrittenFiles:
        """Return the files taken and made by a snapshot that rewrites files."""
        with _reading_manifests():
            changes = self._snapshot_changes([snapshot])
            self.manifests += snapshot.manifests_written
            removed, _ = self._collect_files(changes, "removedDataFiles")
            vectors = self._split_vectors(*self._collect_files(changes, "removedDeleteFiles"))
            added = self._split_images(*self._collect_files(changes, "addedDataFiles"))
        return RewrittenFiles(removed, vectors[0], added[0])

    def read_added_files(self, snapshot: Snapshot) -> dict[str, FileImage]:
        """Return the data files added by a snapshot, by location."""
        with _reading_manifests():
            changes = self._snapshot_changes([snapshot])
            return self._split_images(*self._collect_files(changes, "addedDataFiles"))[0]

    def read_steps(self, snapshots: Sequence[Snapshot]) -> list[SnapshotStep | None]:
        """Return the changes of snapshots; None for a snapshot with a delete file besides vectors.

        Steps are cached: whoever reads an interval reads it again later, or a longer one.
        """
        self.manifests += sum(snapshot.manifests_written for snapshot in snapshots)
        known = [self.iceberg.steps.get(snapshot.key) for snapshot in snapshots]
        unknown = [place for place, step in enumerate(known) if step is None]
        with _reading_manifests():
            single = [place for place in unknown if snapshots[place].since is None]
            read = self._read_steps([snapshots[place] for place in single]) if single else []
        steps = dict(zip(single, read, strict=True))
        for place in unknown:
            step = steps[place] if place in steps else self._read_run_step(snapshots[place])
            known[place] = step
            if step is not None:
                self.iceberg.steps.keep(snapshots[place].key, step, step.files)
        return known

    def _read_run_step(self, snapshot: Snapshot) -> SnapshotStep:
        """Return the changes of a run of appends collapsed into one snapshot."""
        files = self.read_files_since(snapshot, snapshot.previous_sequence_number)
        return SnapshotStep(self._split_images(files, [files.size()], {0})[0], {}, {}, {})

    def _read_steps(self, snapshots: Sequence[Snapshot]) -> list[SnapshotStep | None]:
        changes = self._snapshot_changes(snapshots)
        appends = {i for i, each in enumerate(snapshots) if each.operation == "append"}
        added = self._split_images(*self._collect_files(changes, "addedDataFiles"), appends)
        removed = self._split_images(*self._collect_files(changes, "removedDataFiles"))
        vectors_added = self._split_vectors(*self._collect_files(changes, "addedDeleteFiles"))
        vectors_removed = self._split_vectors(*self._collect_files(changes, "removedDeleteFiles"))
        return [
            None if came is None or went is None else SnapshotStep(new, old, came, went)
            for new, old, came, went in zip(
                added, removed, vectors_added, vectors_removed, strict=True
            )
        ]

    def _snapshot_changes(self, snapshots: Sequence[Snapshot]) -> Any:
        """Return the changes of snapshots, Iceberg's `SnapshotChanges`.

        They are a Java list; of few snapshots a list of Python, which takes fewer calls of Java.
        """
        functions = self.iceberg.functions
        if len(snapshots) <= _FEW:
            builder_for = self.iceberg.java_class("SnapshotChanges").builderFor
            builders = [
                builder_for(self.table).snapshot(self.table.snapshot(snapshot.stored_id))
                for snapshot in snapshots
            ]
            return [builder.build() for builder in builders]
        known = functions.to_list(self.table.snapshots())
        ids = functions.strings(known, _SNAPSHOT_ID, SHOWN)
        places = {int(snapshot_id): place for place, snapshot_id in enumerate(ids)}
        java = functions.pick(known, [places[each.snapshot_id] for each in snapshots])
        result = functions.build_each(java, _BUILDER, self.table, _BUILT)
        pool = self.iceberg.java_class("util.ThreadPools").getWorkerPool()
        for name in ("addedDataFiles", "addedDeleteFiles"):
            # each is read when it is first asked for, and kept
            tasks = self.iceberg.java_class("util.Tasks").foreach(result).executeWith(pool)
            tasks.run(functions.instance("org.apache.iceberg.util.Tasks$Task", (_CHANGES, name)))
        return result

    def _collect_files(self, changes: Any, name: str) -> tuple[Any, list[int]]:
        """Return the files given by a method of several changes, and how many each change has."""
        functions = self.iceberg.functions
        if not isinstance(changes, list):
            return functions.flat_map(changes, ((_CHANGES, name),))
        found = [functions.to_list(getattr(change, name)()) for change in changes]
        counts = [files.size() for files in found]
        if len(found) == 1:
            return found[0], counts
        result = functions.java_class("java.util.ArrayList")()
        for files in found:
            result.addAll(files)
        return result, counts

    def _split_images(
        self, listed: Any, counts: Sequence[int], appends: Container[int] = ()
    ) -> list[dict[str, FileImage]]:
        """Return data files by location for every snapshot.

        Args:
            listed: the data files of all snapshots, a Java list.
            counts: the number of files of each snapshot.
            appends: the positions of the snapshots that only append.
        """
        if not any(counts):
            return [{} for _ in counts]
        functions = self.iceberg.functions
        locations = functions.strings(listed, LOCATION)
        rows = functions.strings(listed, RECORD_COUNT, SHOWN)
        sizes = functions.strings(listed, SIZE, SHOWN)
        tells = any(count and place not in appends for place, count in enumerate(counts))
        nulls = functions.strings(listed, NULL_COUNTS, SHOWN) if tells else []
        split: list[dict[str, FileImage]] = []
        for place, indexes in enumerate(_index_ranges(counts)):
            images = {}
            for i in indexes:
                count, size = int(rows[i]), int(sizes[i])
                born = count if place in appends else count_inserted(nulls[i])
                images[locations[i]] = FileImage(
                    locations[i], count, listed, i, inserted_rows=born, size=size
                )
            split.append(images)
        return split

    def _split_vectors(
        self, listed: Any, counts: Sequence[int]
    ) -> list[dict[str, DeletionVector] | None]:
        """Return vectors by data file for every snapshot; None if a delete file is no vector.

        Args:
            listed: the delete files of all snapshots, a Java list.
            counts: the number of files of each snapshot.
        """
        if not any(counts):
            return [{} for _ in counts]
        strings = self.iceberg.functions.strings
        files, kinds, locations, offsets, sizes, rows = (
            strings(listed, step, SHOWN)
            for step in (_REFERENCED, _FORMAT, LOCATION, _OFFSET, _CONTENT_SIZE, RECORD_COUNT)
        )
        split: list[dict[str, DeletionVector] | None] = []
        for indexes in _index_ranges(counts):
            if any(kinds[i] != "PUFFIN" for i in indexes):
                split.append(None)
                continue
            vectors = {}
            for i in indexes:
                place = (locations[i], int(offsets[i]), int(sizes[i]))
                vectors[files[i]] = DeletionVector(*place, files[i], int(rows[i]), listed, i)
            split.append(vectors)
        return split

    def plan(self, snapshot: Snapshot | None) -> SnapshotPlan:
        """Plan a whole snapshot; None is the empty table."""
        functions = self.iceberg.functions
        if snapshot is None:
            return SnapshotPlan(self, None, {})
        with _reading_manifests():
            java = self.table.snapshot(snapshot.stored_id)
            self.manifests += java.allManifests(self.table.io()).size()
            planned = self.table.newScan().useSnapshot(snapshot.stored_id).planFiles()
            tasks = functions.to_list(planned)
            if snapshot.surviving_snapshot_id is not None:
                numbers = functions.strings(tasks, _TASK_FILE, FILE_NUMBER, SHOWN)
                tasks = functions.pick(
                    tasks, _positions_between(numbers, -1, snapshot.sequence_number)
                )
            locations = functions.strings(tasks, _TASK_FILE, LOCATION)
            deletes = functions.strings(tasks, _TASK_DELETES, _TO_STRING)
        places = zip(locations, enumerate(deletes), strict=True)
        return SnapshotPlan(self, tasks, dict(places))

    def find_data_files(self, snapshot: Snapshot, locations: Iterable[str]) -> dict[str, FileImage]:
        """Return a snapshot's data files at some locations."""
        missing = set(locations)
        if not missing:
            return {}
        io, functions = self.table.io(), self.iceberg.functions
        columns = functions.java_class("java.util.List").of(*_SCAN_COLUMNS)
        manifests = self.table.snapshot(snapshot.stored_id).dataManifests(io)
        rest = (io, self.table.specs(), columns)
        found, opened = functions.find_in_sources(manifests, _READ_FILES, rest, missing, LOCATION)
        self.manifests += opened
        return self._split_images(found, [found.size()])[0]

    def read_appended_files(self, run: Sequence[Snapshot]) -> Any:
        """Return a Java list of the data files added by a run of appends, without metrics.

        For a long run the manifests of the last snapshot are read: those of all were merged into
        them.
        """
        before = run[0].previous_sequence_number
        if any(snapshot.since is not None for snapshot in run) or (len(run) > _FEW and before >= 0):
            return self.read_files_since(run[-1], before)
        with _reading_manifests():
            added, _ = self._collect_files(self._snapshot_changes(run), "addedDataFiles")
            return self.iceberg.functions.map_each(added, WITHOUT_METRICS)

    def read_files_since(self, snapshot: Snapshot, before: int) -> Any:
        """Return a Java list of a snapshot's data files with sequence numbers above `before`.

        The files are without metrics.
        """
        functions, io = self.iceberg.functions, self.table.io()
        columns = functions.java_class("java.util.List").of(*_SCAN_COLUMNS)
        with _reading_manifests():
            manifests = self.table.snapshot(snapshot.stored_id).dataManifests(io)
            since = self._keep_numbers(manifests, _MANIFEST_NUMBER, before)
            self.manifests += since.size()
            files, _ = functions.flat_map(since, _READ_FILES, (io, self.table.specs(), columns))
            last = None if snapshot.surviving_snapshot_id is None else snapshot.sequence_number
            return self._keep_numbers(files, FILE_NUMBER, before, last)

    def _keep_numbers(
        self, listed: Any, number: tuple[str, str], before: int, last: int | None = None
    ) -> Any:
        """Return the elements of a Java list with numbers above `before`, and up to `last`.

        `number` is the method that gives the number of an element.
        """
        functions = self.iceberg.functions
        numbers = functions.strings(listed, number, SHOWN)
        wanted = _positions_between(numbers, before, last)
        return listed if len(wanted) == len(numbers) else functions.pick(listed, wanted)

    def size(self, files: Any) -> int:
        """Return the total size of the data files of a Java list, in bytes."""
        return self.iceberg.functions.total(files, SIZE)

    def read_images(self, tasks: Any, places: Sequence[tuple[int, str]]) -> dict[str, FileImage]:
        """Return the data files of planned tasks with their deletes, by location.

        `places` are values of `SnapshotPlan.places`.
        """
        functions = self.iceberg.functions
        bare = functions.pick(tasks, [place for place, deletes in places if deletes == _NONE])
        files = functions.map_each(bare, _TASK_FILE)
        images = self._split_images(files, [files.size()])[0]
        for place, deletes in places:
            if deletes != _NONE:
                image = self._read_image(tasks.get(place))
                images[image.location] = image
        return images

    def _read_image(self, task: Any) -> FileImage:
        file, deletes = task.file(), task.deletes()
        location, rows, size = file.location(), file.recordCount(), file.fileSizeInBytes()
        vectors = self._split_vectors(deletes, [deletes.size()])[0]
        if vectors is None:
            others = tuple(self.iceberg.functions.elements(deletes))
            return FileImage(location, rows, (file,), other_deletes=others, size=size)
        return FileImage(location, rows, (file,), vector=vectors.get(location), size=size)


def _positions_between(numbers: Sequence[str], before: int, last: int | None) -> list[int]:
    """Return the positions of numbers above `before`, and up to `last`.

    >>> _positions_between(["3", "4", "5", "6"], 3, 5), _positions_between(["3", "4"], 3, None)
    ([1, 2], [1])
    """
    return [
        place
        for place, each in enumerate(numbers)
        if int(each) > before and (last is None or int(each) <= last)
    ]


def _index_ranges(counts: Sequence[int]) -> Iterator[range]:
    """Yield the index ranges of a list's parts, from the number of elements in each part.

    >>> [list(part) for part in _index_ranges([2, 0, 1])]
    [[0, 1], [], [2]]
    """
    start = 0
    for count in counts:
        yield range(start, start + count)
        start += count


def _reading_manifests() -> AbstractContextManager[None]:
    """Raise FileDamaged for an exception of a block that reads manifests."""
    hint = "Restore the file from a backup; other tables and intervals are not affected."
    return reading_file("A manifest", hint=hint)
