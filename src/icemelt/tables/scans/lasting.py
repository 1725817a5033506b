"""Which rows of a table's end were there at its start: so that both are read in one scan.

Row lineage tells it of the rows at the end. Of those of the start alone most are in files of the
end too, where Iceberg gives them on demand as deleted; the rest is read beside.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pyroaring import BitMap64

from icemelt.names import ICEBERG_COLUMNS, fold
from icemelt.tables.metadata.document import TableMetadata
from icemelt.tables.metadata.snapshots import Snapshot
from icemelt.tables.scans.sides import Side

__all__ = ["Gone", "Lasting", "lasting"]

# so many positions are told along with a scan, and so often are they compared
_MOST_POSITIONS, _MOST_COMPARED = 100_000, 200_000_000


@dataclass(frozen=True, slots=True)
class Gone:
    """Rows of one data file that an interval removed, and how many of it are deleted at its end."""

    location: str
    positions: BitMap64
    deleted: int


@dataclass(frozen=True, slots=True)
class Lasting:
    """How the rows of both ends are told, who reads the end.

    A row of the end is not of the start if it was last updated after the sequence number `since`.
    Deleted rows of the end's files that are not younger are of the start alone: all where `deleted`
    is None, else those at these positions of files. More of these are `elsewhere`.
    """

    since: int
    deleted: Mapping[str, Sequence[int]] | None
    elsewhere: Side


def lasting(
    metadata: TableMetadata,
    start: Snapshot,
    chain: Sequence[Snapshot],
    gone: Sequence[Gone],
    sides: tuple[Side, Side],
) -> Lasting | None:
    """Return how the rows of both ends are told, None where nothing tells it.

    `chain` are our own commits from the start on; `sides` what the interval removed: whole files,
    and everything. Nothing tells it of rows that moved from file to file.
    """
    if any(
        snapshot.count("added-data-files") and snapshot.count("deleted-data-files")
        for snapshot in chain
    ):
        return None
    if any(fold(column.name) in ICEBERG_COLUMNS for column in metadata.columns):
        return None
    files, everything = sides
    since = start.sequence_number
    if not gone:
        return Lasting(since, {}, files)
    # an absent number is an unknown one
    if start.summary.get("total-delete-files") == "0":
        return Lasting(since, None, files)
    positions = sum(len(each.positions) for each in gone)
    # the positions of a file are found among those of all files
    compared = len(gone) * chain[-1].count("total-position-deletes")
    compared += sum(len(each.positions) * each.deleted for each in gone)
    if positions > _MOST_POSITIONS or compared > _MOST_COMPARED:
        return Lasting(since, {}, everything)
    return Lasting(since, {each.location: list(each.positions) for each in gone}, files)
