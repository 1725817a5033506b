"""Data files, and method references by which the JVM reads Iceberg's fields of data files."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from icemelt.tables.manifests.deletion_vectors import DeletionVector

__all__ = [
    "FILE_NUMBER",
    "LOCATION",
    "NULL_COUNTS",
    "RECORD_COUNT",
    "SIZE",
    "WITHOUT_METRICS",
    "FileImage",
    "count_inserted",
]

LOCATION = ("org.apache.iceberg.ContentFile", "location")
RECORD_COUNT = ("org.apache.iceberg.ContentFile", "recordCount")
SIZE = ("org.apache.iceberg.ContentFile", "fileSizeInBytes")
# the sequence number of the commit that wrote it
FILE_NUMBER = ("org.apache.iceberg.ContentFile", "fileSequenceNumber")
WITHOUT_METRICS = ("org.apache.iceberg.ContentFile", "copyWithoutStats")
NULL_COUNTS = ("org.apache.iceberg.ContentFile", "nullValueCounts")
# the reserved field id of `_row_id`
_NULL_ROW_IDS = re.compile(r"\b2147483540=(\d+)")


@dataclass(frozen=True, slots=True)
class FileImage:
    """A data file at one end of an interval, with the deletes that apply there.

    Args:
        location: the file's location.
        rows: the number of rows in the file, deleted rows included.
        files: a list, of Java or of Python, with Iceberg's `DataFile` at `index`. A call for every
            file would be the largest part of planning, so lists of files stay in the JVM.
        index: the position in `files`.
        vector: the file's deletion vector.
        other_deletes: delete files that are no vectors.
        inserted_rows: the number of rows without a row id when the file was written: rows inserted
            by the file's commit. None if the file's metrics do not say.
        size: the size of the file in bytes.
    """

    location: str
    rows: int
    files: Any
    index: int = 0
    vector: DeletionVector | None = None
    other_deletes: tuple[Any, ...] = ()
    inserted_rows: int | None = None
    size: int = 0

    @property
    def java(self) -> Any:
        """Iceberg's `DataFile`."""
        if isinstance(self.files, tuple):
            return self.files[self.index]
        return self.files.get(self.index)

    @property
    def live_rows(self) -> int:
        """The number of rows not hidden by the vector; other deletes are not subtracted."""
        return self.rows - (self.vector.rows if self.vector is not None else 0)


def count_inserted(null_counts: str) -> int | None:
    """Return the number of NULL row ids in a file's metrics, given as Java's text of the map.

    >>> count_inserted("{1=0, 2147483540=3}"), count_inserted("{1=0}")
    (3, None)
    """
    found = _NULL_ROW_IDS.search(null_counts)
    return None if found is None else int(found.group(1))
