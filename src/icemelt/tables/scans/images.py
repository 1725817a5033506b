"""The file images to read for net changes.

A *complement* vector of a file at both ends shows only the rows removed or brought back.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import islice
from typing import Any, Protocol

from pyroaring import BitMap64

from icemelt.tables.iceberg import Iceberg
from icemelt.tables.manifests.content_files import FileImage
from icemelt.tables.manifests.deletion_vectors import DeletionVector, complement, decode, encode
from icemelt.tables.manifests.file_changes import FileChanges
from icemelt.tables.scans.surviving_rows import RemovedRows

__all__ = ["ChangedImages", "Scratch", "ShownRows", "build_images", "diff_vectors", "show_only"]

_PUFFIN_MAGIC = b"PFA1"


class Scratch(Protocol):
    """A folder for the temporary vectors of one read."""

    def new_file(self, suffix: str) -> str:
        """Return an unused location with a suffix."""


@dataclass(frozen=True, slots=True)
class ChangedImages:
    """The file images to read for an interval.

    Args:
        added: images with added rows.
        removed: images with removed rows.
        gone: the rows removed from files at both ends.
        restored: whether rows were brought back by vectors.
    """

    added: list[FileImage]
    removed: list[FileImage]
    gone: list[RemovedRows]
    restored: bool


ShownRows = tuple[FileImage, BitMap64]


def build_images(
    iceberg: Iceberg, nets: Sequence[FileChanges], scratch: Scratch
) -> list[ChangedImages]:
    """Return the images to read for net changes; complement vectors are written first.

    Args:
        iceberg: the session's Iceberg catalog.
        nets: the net changes of intervals.
        scratch: the folder for complement vectors.
    """
    found = diff_vectors(iceberg, nets)
    made = iter(show_only(iceberg, [each for net in found for each in (*net[0], *net[1])], scratch))
    images = []
    for net, (gone, back) in zip(nets, found, strict=True):
        went, came = list(islice(made, len(gone))), list(islice(made, len(back)))
        deleted = []
        for file, positions in gone:
            after = net.vector_changes[file.location].after
            deleted.append(RemovedRows(file.location, positions, after.rows if after else 0))
        both = net.delete_changes.values()
        images.append(
            ChangedImages(
                [*net.added.values(), *(file.after for file in both), *came],
                [*net.removed.values(), *(file.before for file in both), *went],
                deleted,
                restored=bool(back),
            )
        )
    return images


def diff_vectors(
    iceberg: Iceberg, nets: Iterable[FileChanges]
) -> list[tuple[list[ShownRows], list[ShownRows]]]:
    """Return the rows removed and the rows brought back in files at both ends, by net change."""
    positions_of = cache(partial(_positions, iceberg))
    found = []
    for net in nets:
        ends = [
            (kept.file, positions_of(kept.before), positions_of(kept.after))
            for kept in net.vector_changes.values()
        ]
        gone = [(file, rows) for file, before, after in ends if (rows := after - before)]
        back = [(file, rows) for file, before, after in ends if (rows := before - after)]
        found.append((gone, back))
    return found


def show_only(iceberg: Iceberg, shown: Sequence[ShownRows], scratch: Scratch) -> list[FileImage]:
    """Return images of files that show some rows only.

    Args:
        iceberg: the session's Iceberg catalog.
        shown: the files, and the positions of the rows to show.
        scratch: the folder for the one file with all vectors.
    """
    if not shown:
        return []
    location = scratch.new_file(".puffin")
    content = bytearray(_PUFFIN_MAGIC)
    vectors = []
    for file, positions in shown:
        hidden = complement(positions, file.rows)
        blob = encode(hidden)
        place = (location, len(content), len(blob))
        vectors.append(DeletionVector(*place, file.location, len(hidden)))
        content += blob
    iceberg.files.write(location, bytes(content))
    files = _delete_files(iceberg, vectors, len(content))
    return [
        replace(file, vector=replace(vector, files=files, index=index))
        for index, ((file, _), vector) in enumerate(zip(shown, vectors, strict=True))
    ]


def _delete_files(iceberg: Iceberg, vectors: Sequence[DeletionVector], size: int) -> Any:
    """Return vectors in a file of `size` bytes, as a Java list of Iceberg's `DeleteFile`.

    No partition is given, as no reader asks for it.
    """
    documents = [
        {
            "spec-id": 0,
            "content": "position-deletes",
            "file-path": vector.path,
            "file-format": "puffin",
            "partition": [],
            "file-size-in-bytes": size,
            "record-count": vector.rows,
            "referenced-data-file": vector.data_file,
            "content-offset": vector.offset,
            "content-size-in-bytes": vector.size,
        }
        for vector in vectors
    ]
    text = json.dumps({"delete-files": documents})
    node = iceberg.java_class("util.JsonUtil").mapper().readTree(text)
    spec = iceberg.java_class("PartitionSpec").unpartitioned()
    specs = iceberg.functions.java_class("java.util.Map").of(0, spec)
    return iceberg.java_class("rest.TableScanResponseParser").parseDeleteFiles(node, specs)


def _positions(iceberg: Iceberg, vector: DeletionVector | None) -> BitMap64:
    if vector is None:
        return BitMap64()
    return decode(iceberg.files.read(vector.path, vector.offset, vector.size))
