"""Which files an interval added, removed or changed the deletions of, from metadata alone.

Two ways with one answer. *Along the chain*: each snapshot between the ends names the files it
added and removed, so cost grows with the change. *By the ends*: both ends are planned whole and
compared; it serves where there is no chain (a rollback, a branch swap, expired snapshots) or where
deletions are not vectors (equality deletes, position deletes of a table upgraded from v2).
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from py4j.protocol import Py4JJavaError

from icemelt.errors import FileDamaged
from icemelt.tables.deletion_vectors import DeletionVector
from icemelt.tables.iceberg import Iceberg
from icemelt.tables.metadata import Snapshot

__all__ = ["FileChanges", "FileImage", "Kept", "Redeleted", "along_chain", "by_ends"]

_TASK_FILE = ("org.apache.iceberg.FileScanTask", "file")
_TASK_DELETES = ("org.apache.iceberg.FileScanTask", "deletes")
_LOCATION = ("org.apache.iceberg.ContentFile", "location")
_TO_STRING = ("java.lang.Object", "toString")
_RECORD_COUNT = ("org.apache.iceberg.ContentFile", "recordCount")
_SIZE = ("org.apache.iceberg.ContentFile", "fileSizeInBytes")
_NULL_COUNTS = ("org.apache.iceberg.ContentFile", "nullValueCounts")
_SHOWN = ("java.util.Objects", "toString", "java.lang.Object")
# the reserved field id of `_row_id`
_NULL_ROW_IDS = re.compile(r"\b2147483540=(\d+)")
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
class FileImage:
    """A data file at one end, and the deletes that apply to it there.

    `files` is a list, of Java or of Python, that has Iceberg's `DataFile` at `index`: a call for
    each file would be the dearest part of planning, so lists of files stay in the JVM.
    `born` is how many of its rows had no row id when it was written, those new in it; None where
    the file's metrics do not tell.
    """

    location: str
    rows: int
    files: Any
    index: int = 0
    vector: DeletionVector | None = None
    other_deletes: tuple[Any, ...] = ()
    born: int | None = None
    size: int = 0

    @property
    def java(self) -> Any:
        """Iceberg's `DataFile`."""
        if isinstance(self.files, tuple):
            return self.files[self.index]
        return self.files.get(self.index)

    @property
    def live_rows(self) -> int:
        """How many rows it shows; other deletes than vectors are not counted."""
        return self.rows - (self.vector.rows if self.vector is not None else 0)


_Images = Mapping[str, FileImage]


@dataclass(frozen=True, slots=True)
class Kept:
    """A data file at both ends whose deletion vector differs."""

    file: FileImage
    before: DeletionVector | None
    after: DeletionVector | None


@dataclass(frozen=True, slots=True)
class Redeleted:
    """A data file at both ends whose deletions differ and are not vectors at one of them."""

    before: FileImage
    after: FileImage


@dataclass(slots=True)
class FileChanges:
    """The net of an interval; `steps` counts the snapshots or plans that were read.

    `broken` says why row ids cannot be trusted, None where they can. `births` tells whether rows
    may have been inserted on the way, also by statements other than appends.
    """

    added: dict[str, FileImage] = field(default_factory=dict)
    removed: dict[str, FileImage] = field(default_factory=dict)
    kept: dict[str, Kept] = field(default_factory=dict)
    redeleted: dict[str, Redeleted] = field(default_factory=dict)
    steps: int = 0
    way: str = "chain"
    broken: str | None = None
    births: bool = True


@dataclass(slots=True)
class _Vectors:
    """The first and the last vector seen of a data file that existed at the start."""

    before: DeletionVector | None
    after: DeletionVector | None


def along_chain(
    iceberg: Iceberg, table: Any, chain: Sequence[Snapshot], foreign: Container[int]
) -> FileChanges | None:
    """Return the net of a chain of snapshots, None where a delete file is not a vector.

    `foreign` are the snapshots of other engines, whose row ids are checked: a rewrite must keep
    them, else rows that did not change look new.
    """
    reader = _Reader(iceberg, table)
    net = FileChanges(steps=len(chain), births=False)
    touched: dict[str, _Vectors] = {}
    for snapshot in chain:
        step = reader.step(snapshot)
        if step is None:
            return None
        _apply(net, touched, step)
        net.births = net.births or any(image.born != 0 for image in step.added.values())
        if net.broken is None:
            is_foreign = snapshot.snapshot_id in foreign
            net.broken = _broken_lineage(snapshot, (step.removed, step.added), foreign=is_foreign)
    for location, vectors in touched.items():
        if location in net.removed:
            net.removed[location] = _with_vector(net.removed[location], vectors.before)
        elif vectors.before != vectors.after:
            net.kept[location] = Kept(FileImage(location, 0, ()), vectors.before, vectors.after)
    if net.kept:
        _find_kept(reader, net, chain[-1])
    return net


def by_ends(
    iceberg: Iceberg,
    table: Any,
    ends: tuple[int | None, int | None],
    way: Sequence[Snapshot] = (),
    foreign: Container[int] = (),
) -> FileChanges:
    """Return the difference of the two ends' plans.

    `way` are the snapshots that lead from one end to the other; their row ids are checked as along
    a chain.
    """
    reader = _Reader(iceberg, table)
    before, after = (reader.plan(snapshot_id) for snapshot_id in ends)
    net = FileChanges(steps=2, way="ends", broken=reader.broken(way, foreign))
    for location, (_, deletes) in before.places.items():
        if location not in after.places:
            net.removed[location] = before.image(location)
        elif after.places[location][1] != deletes:
            _compare(net, before.image(location), after.image(location))
    for location in after.places.keys() - before.places.keys():
        net.added[location] = after.image(location)
    return net


def _compare(net: FileChanges, image: FileImage, now: FileImage) -> None:
    if image.other_deletes or now.other_deletes:
        net.redeleted[image.location] = Redeleted(image, now)
    elif image.vector != now.vector:
        net.kept[image.location] = Kept(now, image.vector, now.vector)


@dataclass(frozen=True, slots=True)
class _Plan:
    """A snapshot's scan tasks; `places` has each file's index and its deletes as a string."""

    reader: _Reader
    tasks: Any
    places: Mapping[str, tuple[int, str]]

    def image(self, location: str) -> FileImage:
        return self.reader.image_of(self.tasks.get(self.places[location][0]))


@dataclass(frozen=True, slots=True)
class _Step:
    added: dict[str, FileImage]
    removed: dict[str, FileImage]
    vectors_added: dict[str, DeletionVector]
    vectors_removed: dict[str, DeletionVector]


def _apply(net: FileChanges, touched: dict[str, _Vectors], step: _Step) -> None:
    for location in step.vectors_removed.keys() | step.vectors_added.keys():
        after = step.vectors_added.get(location)
        if location in net.added:
            net.added[location] = _with_vector(net.added[location], after)
        elif location not in step.added:
            first = _Vectors(step.vectors_removed.get(location), None)
            touched.setdefault(location, first).after = after
    for location, image in step.removed.items():
        if net.added.pop(location, None) is None:
            net.removed[location] = image
    for location, image in step.added.items():
        vector = step.vectors_added.get(location)
        if net.removed.pop(location, None) is None:
            net.added[location] = _with_vector(image, vector)
        else:
            touched.setdefault(location, _Vectors(None, None)).after = vector


def _broken_lineage(
    snapshot: Snapshot, files: tuple[_Images, _Images], *, foreign: bool
) -> str | None:
    removed, added = files
    if not removed or not added:
        return None
    rewritten = snapshot.operation == "replace"
    if not rewritten and not foreign:
        return None
    if not foreign and any(image.born is None for image in added.values()):
        return None  # wide tables have no metrics of row ids; our own rewrites keep them
    fresh = sum(image.rows if image.born is None else image.born for image in added.values())
    if rewritten and fresh:
        return f"snapshot {snapshot.snapshot_id} rewrote files without keeping row ids"
    if fresh == sum(image.rows for image in added.values()):
        return f"snapshot {snapshot.snapshot_id} of another engine replaced files under new row ids"
    return None


def _with_vector(image: FileImage, vector: DeletionVector | None) -> FileImage:
    return replace(image, vector=vector)


def _find_kept(reader: _Reader, net: FileChanges, end: Snapshot) -> None:
    """Find the data files of the changed vectors: the vectors name them by location only."""
    found = reader.data_files(end, net.kept.keys())
    for location, kept in net.kept.items():
        net.kept[location] = Kept(found[location], kept.before, kept.after)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads manifests through Iceberg, in as few calls as it offers."""

    iceberg: Iceberg
    table: Any

    def broken(self, way: Iterable[Snapshot], foreign: Container[int]) -> str | None:
        """Return why the row ids along a way cannot be trusted; few of its manifests are read."""
        for snapshot in way:
            is_foreign = snapshot.snapshot_id in foreign
            replaces = snapshot.count("added-data-files") and snapshot.count("deleted-data-files")
            if not replaces or not (is_foreign or snapshot.operation == "replace"):
                continue
            reason = _broken_lineage(snapshot, self.files(snapshot), foreign=is_foreign)
            if reason is not None:
                return reason
        return None

    def files(self, snapshot: Snapshot) -> tuple[_Images, _Images]:
        """Return the data files that a snapshot removed, and those it added."""
        java, io = self.table.snapshot(snapshot.snapshot_id), self.table.io()
        try:
            return self._images(java.removedDataFiles(io)), self._images(java.addedDataFiles(io))
        except Py4JJavaError as error:
            raise _damaged(error) from error

    def step(self, snapshot: Snapshot) -> _Step | None:
        try:
            return self._step(self.table.snapshot(snapshot.snapshot_id))
        except Py4JJavaError as error:
            raise _damaged(error) from error

    def _step(self, java: Any) -> _Step | None:
        io = self.table.io()
        added_vectors = self._vectors(java.addedDeleteFiles(io))
        removed_vectors = self._vectors(java.removedDeleteFiles(io))
        if added_vectors is None or removed_vectors is None:
            return None
        return _Step(
            self._images(java.addedDataFiles(io), java.operation()),
            self._images(java.removedDataFiles(io)),
            added_vectors,
            removed_vectors,
        )

    def plan(self, snapshot_id: int | None) -> _Plan:
        """Plan a snapshot whole."""
        functions = self.iceberg.functions
        if snapshot_id is None:
            return _Plan(self, None, {})
        try:
            planned = self.table.newScan().useSnapshot(snapshot_id).planFiles()
            tasks = functions.to_list(planned)
            locations = functions.strings(tasks, _TASK_FILE, _LOCATION)
            deletes = functions.strings(tasks, _TASK_DELETES, _TO_STRING)
        except Py4JJavaError as error:
            raise _damaged(error) from error
        places = zip(locations, enumerate(deletes), strict=True)
        return _Plan(self, tasks, dict(places))

    def data_files(self, snapshot: Snapshot, locations: Iterable[str]) -> dict[str, FileImage]:
        """Return the data files of those locations in a snapshot."""
        missing = set(locations)
        found: dict[str, FileImage] = {}
        manifests = self.iceberg.named("ManifestFiles")
        io, specs = self.table.io(), self.table.specs()
        for manifest in self.iceberg.functions.elements(
            self.table.snapshot(snapshot.snapshot_id).dataManifests(io)
        ):
            if not missing:
                break
            reader = manifests.read(manifest, io, specs).select(list(_SCAN_COLUMNS))
            entries = self.iceberg.functions.to_list(reader)
            kept = self.iceberg.functions.keep(entries, missing, _LOCATION)
            found |= {image.location: image for image in map(_image, kept)}
            missing -= found.keys()
        return found

    def image_of(self, task: Any) -> FileImage:
        """Return the image that a planned task reads."""
        file = task.file()
        deletes = self.iceberg.functions.elements(task.deletes())
        vectors = self._vectors(task.deletes())
        location, rows = file.location(), file.recordCount()
        if vectors is None:
            return FileImage(location, rows, (file,), other_deletes=tuple(deletes))
        return FileImage(location, rows, (file,), vector=vectors.get(location))

    def _images(self, files: Iterable[Any], operation: str | None = None) -> dict[str, FileImage]:
        """Return the images of data files, which a snapshot of an operation added."""
        functions = self.iceberg.functions
        listed = functions.to_list(files)
        locations = functions.strings(listed, _LOCATION)
        rows = functions.strings(listed, _RECORD_COUNT, _SHOWN)
        sizes = functions.strings(listed, _SIZE, _SHOWN)
        nulls = functions.strings(listed, _NULL_COUNTS, _SHOWN)
        images = {}
        for index, location in enumerate(locations):
            count = int(rows[index])
            born = count if operation == "append" else _born(nulls[index])
            size = int(sizes[index])
            images[location] = FileImage(location, count, listed, index, born=born, size=size)
        return images

    def _vectors(self, files: Iterable[Any]) -> dict[str, DeletionVector] | None:
        """Return vectors by data file, None where one of the files is no vector."""
        parser = self.iceberg.named("ContentFileParser")
        specs = self.table.specs()
        vectors: dict[str, DeletionVector] = {}
        for file in self.iceberg.functions.elements(files):
            document = json.loads(parser.toJson(file, specs.get(file.specId())))
            if document["file-format"].lower() != "puffin":
                return None
            vector = _vector(document, file)
            vectors[vector.data_file] = vector
        return vectors


def _born(null_counts: str) -> int | None:
    """Return the number of null row ids in a file's metrics, as Java shows them.

    >>> _born("{1=0, 2147483540=3}"), _born("{1=0}")
    (3, None)
    """
    found = _NULL_ROW_IDS.search(null_counts)
    return None if found is None else int(found.group(1))


def _image(file: Any) -> FileImage:
    return FileImage(file.location(), file.recordCount(), (file,))


def _vector(document: Mapping[str, Any], java: Any) -> DeletionVector:
    return DeletionVector(
        path=document["file-path"],
        offset=document["content-offset"],
        size=document["content-size-in-bytes"],
        data_file=document["referenced-data-file"],
        rows=document["record-count"],
        document=document,
        java=java,
    )


def _damaged(error: Py4JJavaError) -> FileDamaged:
    message = str(error.java_exception.getMessage() or error.java_exception).splitlines()[0]
    return FileDamaged(
        f"A manifest is missing or damaged: {message.rstrip('.')}.",
        hint="Restore the file from a backup; other tables and intervals are not affected.",
    )
