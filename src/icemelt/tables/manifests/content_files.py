"""Data files, and what Iceberg tells of one as steps of functions that run inside the JVM."""

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
    """A data file at one end, and the deletes that apply to it there.

    `files` is a list, of Java or of Python, that has Iceberg's `DataFile` at `index`: a call for
    each file would be the dearest part of planning, so lists of files stay in the JVM.
    `inserted_rows` is how many of its rows had no row id when it was written, those new in it; None where
    the file's metrics do not tell.
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
        """How many rows it shows; other deletes than vectors are not counted."""
        return self.rows - (self.vector.rows if self.vector is not None else 0)


def count_inserted(null_counts: str) -> int | None:
    """Return the number of null row ids in a file's metrics, as Java shows them.

    >>> count_inserted("{1=0, 2147483540=3}"), count_inserted("{1=0}")
    (3, None)
    """
    found = _NULL_ROW_IDS.search(null_counts)
    return None if found is None else int(found.group(1))
