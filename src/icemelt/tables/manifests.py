"""Data files and deletion vectors of snapshots, read from manifests in few calls."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from py4j.protocol import Py4JJavaError

from icemelt.errors import FileDamaged
from icemelt.tables.deletion_vectors import DeletionVector
from icemelt.tables.iceberg import Iceberg
from icemelt.tables.metadata import Snapshot

__all__ = ["LOCATION", "SHOWN", "FileImage", "ManifestReader", "Plan", "Step"]

_TASK_FILE = ("org.apache.iceberg.FileScanTask", "file")
_TASK_DELETES = ("org.apache.iceberg.FileScanTask", "deletes")
LOCATION = ("org.apache.iceberg.ContentFile", "location")
_TO_STRING = ("java.lang.Object", "toString")
_RECORD_COUNT = ("org.apache.iceberg.ContentFile", "recordCount")
_SIZE = ("org.apache.iceberg.ContentFile", "fileSizeInBytes")
_NULL_COUNTS = ("org.apache.iceberg.ContentFile", "nullValueCounts")
SHOWN = ("java.util.Objects", "toString", "java.lang.Object")
# the reserved field id of `_row_id`
_NULL_ROW_IDS = re.compile(r"\b2147483540=(\d+)")
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


@dataclass(frozen=True, slots=True)
class Plan:
    """A snapshot's scan tasks; `places` has each file's index and its deletes as a string."""

    reader: ManifestReader
    tasks: Any
    places: Mapping[str, tuple[int, str]]

    def image(self, location: str) -> FileImage:
        """Return a file as the snapshot has it."""
        return self.reader.image_of(self.tasks.get(self.places[location][0]))


@dataclass(frozen=True, slots=True)
class Step:
    """What one snapshot did: data files by location, vectors by the data file they belong to."""

    added: dict[str, FileImage]
    removed: dict[str, FileImage]
    vectors_added: dict[str, DeletionVector]
    vectors_removed: dict[str, DeletionVector]


@dataclass(slots=True)
class ManifestReader:
    """Reads manifests through Iceberg, in as few calls as it offers, and counts them."""

    iceberg: Iceberg
    table: Any
    manifests: int = 0

    def files(self, snapshot: Snapshot) -> tuple[dict[str, FileImage], dict[str, FileImage]]:
        """Return the data files that a snapshot removed, and those it added."""
        java, io = self.table.snapshot(snapshot.snapshot_id), self.table.io()
        try:
            return self._images(java.removedDataFiles(io)), self._images(java.addedDataFiles(io))
        except Py4JJavaError as error:
            raise _damaged(error) from error

    def step(self, snapshot: Snapshot) -> Step | None:
        """Return what a snapshot did, None where a delete file of its is not a vector."""
        self.manifests += snapshot.manifests_made
        try:
            return self._step(self.table.snapshot(snapshot.snapshot_id))
        except Py4JJavaError as error:
            raise _damaged(error) from error

    def _step(self, java: Any) -> Step | None:
        io = self.table.io()
        added_vectors = self._vectors(java.addedDeleteFiles(io))
        removed_vectors = self._vectors(java.removedDeleteFiles(io))
        if added_vectors is None or removed_vectors is None:
            return None
        return Step(
            self._images(java.addedDataFiles(io), java.operation()),
            self._images(java.removedDataFiles(io)),
            added_vectors,
            removed_vectors,
        )

    def plan(self, snapshot_id: int | None) -> Plan:
        """Plan a snapshot whole; None is the empty table."""
        functions = self.iceberg.functions
        if snapshot_id is None:
            return Plan(self, None, {})
        try:
            snapshot = self.table.snapshot(snapshot_id)
            self.manifests += snapshot.allManifests(self.table.io()).size()
            planned = self.table.newScan().useSnapshot(snapshot_id).planFiles()
            tasks = functions.to_list(planned)
            locations = functions.strings(tasks, _TASK_FILE, LOCATION)
            deletes = functions.strings(tasks, _TASK_DELETES, _TO_STRING)
        except Py4JJavaError as error:
            raise _damaged(error) from error
        places = zip(locations, enumerate(deletes), strict=True)
        return Plan(self, tasks, dict(places))

    def data_files(self, snapshot: Snapshot, locations: Iterable[str]) -> dict[str, FileImage]:
        """Return the data files of those locations in a snapshot."""
        missing = set(locations)
        if not missing:
            return {}
        io, functions = self.table.io(), self.iceberg.functions
        columns = functions.named("java.util.List").of(*_SCAN_COLUMNS)
        manifests = self.table.snapshot(snapshot.snapshot_id).dataManifests(io)
        rest = (io, self.table.specs(), columns)
        found, opened = functions.found(manifests, _READ_FILES, rest, missing, LOCATION)
        self.manifests += opened
        return self._images(found)

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
        if listed.isEmpty():
            return {}
        locations = functions.strings(listed, LOCATION)
        rows = functions.strings(listed, _RECORD_COUNT, SHOWN)
        sizes = functions.strings(listed, _SIZE, SHOWN)
        is_append = operation == "append"
        nulls = [] if is_append else functions.strings(listed, _NULL_COUNTS, SHOWN)
        images = {}
        for index, location in enumerate(locations):
            count = int(rows[index])
            born = count if is_append else _born(nulls[index])
            size = int(sizes[index])
            images[location] = FileImage(location, count, listed, index, born=born, size=size)
        return images

    def _vectors(self, files: Iterable[Any]) -> dict[str, DeletionVector] | None:
        """Return vectors by data file, None where one of the files is no vector."""
        listed = self.iceberg.functions.elements(files)
        if not listed:
            return {}
        parser = self.iceberg.named("ContentFileParser")
        specs = self.table.specs()
        vectors: dict[str, DeletionVector] = {}
        for file in listed:
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
