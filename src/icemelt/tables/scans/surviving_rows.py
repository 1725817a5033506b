"""Which rows of a table's end were there at its start, so that both ends are read in one scan.

Four rows at the start, in two files. The interval deletes row 2 by a deletion vector, and updates
row 4: its old version is deleted from file B, its new version is in file C.

    file   at the start   at the end                 last updated
    A      1, 2           1, (2 deleted)             1
    B      3, 4           3, (4 deleted)             1
    C                     4'                         2

The scan of the end also reads the deleted rows of its files, which Iceberg gives on demand. Then:

    1, 3   not deleted, last updated at the start    both ends     surviving
    4'     last updated later                        the end alone
    2, 4   deleted in the interval                   the start alone

Files that the interval removed whole are read beside.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pyroaring import BitMap64

from icemelt.names import ICEBERG_COLUMNS, fold
from icemelt.tables.metadata.document import TableMetadata
from icemelt.tables.metadata.snapshots import Snapshot
from icemelt.tables.scans.sides import ScanSide

__all__ = ["RemovedRows", "SurvivingRows", "find_surviving_rows"]

# so many positions are told along with a scan, and so often are they compared
_MOST_POSITIONS, _MOST_COMPARED = 100_000, 200_000_000


@dataclass(frozen=True, slots=True)
class RemovedRows:
    """Rows of one data file that an interval removed.

    Args:
        location: the data file.
        positions: the rows' positions in the file, from 0 on.
        deleted: how many rows of the file are deleted at the interval's end, older ones included.
    """

    location: str
    positions: BitMap64
    deleted: int


@dataclass(frozen=True, slots=True)
class SurvivingRows:
    """How a scan of the end tells the rows of both ends.

    Args:
        since: the sequence number of the start. A row of the end that was last updated later is of
            the end alone.
        deleted: which deleted rows of the end's files are of the start alone, the positions by
            file; None for all that are deleted and not younger than the start.
        elsewhere: what else has rows of the start alone.
    """

    since: int
    deleted: Mapping[str, Sequence[int]] | None
    elsewhere: ScanSide


def find_surviving_rows(
    metadata: TableMetadata,
    start: Snapshot,
    chain: Sequence[Snapshot],
    gone: Sequence[RemovedRows],
    sides: tuple[ScanSide, ScanSide],
) -> SurvivingRows | None:
    """Return how a scan of the end tells the rows of both ends apart; None if it cannot.

    It cannot if rows moved from file to file, or if a column has the name of a column of Iceberg's.

    Args:
        metadata: the table at the end.
        start: the snapshot at the start.
        chain: the commits from the start to the end, all of them icemelt's own.
        gone: the rows removed by the interval from files that are still there.
        sides: what the interval removed: the whole files, and everything.
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
        return SurvivingRows(since, {}, files)
    # an absent number is an unknown one
    if start.summary.get("total-delete-files") == "0":
        return SurvivingRows(since, None, files)
    positions = sum(len(each.positions) for each in gone)
    # the positions of a file are found among those of all files
    compared = len(gone) * chain[-1].count("total-position-deletes")
    compared += sum(len(each.positions) * each.deleted for each in gone)
    if positions > _MOST_POSITIONS or compared > _MOST_COMPARED:
        return SurvivingRows(since, {}, everything)
    return SurvivingRows(since, {each.location: list(each.positions) for each in gone}, files)
