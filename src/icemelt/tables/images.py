"""The files to read of a net of changes.

Of a file at both ends whose deletions changed a *complement* vector shows only the rows that went
or came back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import islice
from typing import Any, Protocol

from pyroaring import BitMap64

from icemelt.tables.deletion_vectors import DeletionVector, complement, decode, encode
from icemelt.tables.file_changes import FileChanges, Kept
from icemelt.tables.iceberg import Iceberg
from icemelt.tables.lasting import Gone
from icemelt.tables.manifests import FileImage
from icemelt.tables.staging import shown_only

__all__ = ["Images", "Scratch", "images_of"]

_PUFFIN_MAGIC = b"PFA1"


class Scratch(Protocol):
    """A place for the temporary vectors of one read."""

    def new_file(self, suffix: str) -> str:
        """Return a fresh location."""


@dataclass(frozen=True, slots=True)
class Images:
    """The files to read of an interval, and the rows of files at both ends that went.

    `restored` tells whether rows came back by vectors.
    """

    added: list[FileImage]
    removed: list[FileImage]
    gone: list[Gone]
    restored: bool


def images_of(
    iceberg: Iceberg, table: Any, nets: Sequence[FileChanges], scratch: Scratch
) -> list[Images]:
    """Return the files to read of nets; vectors that show what was deleted are written first."""
    positions = cache(partial(_positions, iceberg))
    differences = [_differences(positions, net.kept.values()) for net in nets]
    shown = [each for gone, back in differences for each in (*gone, *back)]
    made = iter(_complements(iceberg, table, shown, scratch))
    images = []
    for net, (gone, back) in zip(nets, differences, strict=True):
        went, came = list(islice(made, len(gone))), list(islice(made, len(back)))
        deleted = [
            Gone(kept.file.location, at, kept.after.rows if kept.after else 0) for kept, at in gone
        ]
        both = net.redeleted.values()
        images.append(
            Images(
                [*net.added.values(), *(file.after for file in both), *came],
                [*net.removed.values(), *(file.before for file in both), *went],
                deleted,
                restored=bool(back),
            )
        )
    return images


Shown = tuple[Kept, Any]


def _differences(
    positions_of: Callable[[DeletionVector | None], Any], kept: Iterable[Kept]
) -> tuple[list[Shown], list[Shown]]:
    """Return the positions that were removed, and those that came back, file by file."""
    gone: list[Shown] = []
    back: list[Shown] = []
    for file in kept:
        before, after = positions_of(file.before), positions_of(file.after)
        for target, positions in ((gone, after - before), (back, before - after)):
            if positions:
                target.append((file, positions))
    return gone, back


def _positions(iceberg: Iceberg, vector: DeletionVector | None) -> Any:
    if vector is None:
        return BitMap64()
    return decode(iceberg.read_bytes(vector.path, vector.offset, vector.size))


def _complements(
    iceberg: Iceberg, table: Any, shown: Sequence[Shown], scratch: Scratch
) -> list[FileImage]:
    """Write one file of complement vectors and return the images they make."""
    if not shown:
        return []
    location = scratch.new_file(".puffin")
    content = bytearray(_PUFFIN_MAGIC)
    hidden = []
    for kept, positions in shown:
        vector = complement(positions, kept.file.rows)
        blob = encode(vector)
        document = dict((kept.after or kept.before).document)  # type: ignore[union-attr]
        document |= {
            "file-path": location,
            "content-offset": len(content),
            "content-size-in-bytes": len(blob),
            "record-count": len(vector),
        }
        made = DeletionVector(
            location, len(content), len(blob), kept.file.location, len(vector), document
        )
        hidden.append((kept.file, made))
        content += blob
    for _, made in hidden:
        made.document["file-size-in-bytes"] = len(content)  # type: ignore[index]
    iceberg.write_bytes(location, bytes(content))
    return shown_only(iceberg, table, hidden)
