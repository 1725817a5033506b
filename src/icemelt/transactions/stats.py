"""The statistics of a version, from the summaries of its snapshots."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Sequence

from icemelt.catalog.edits import VersionStats
from icemelt.catalog.records import SnapshotRecord
from icemelt.tables.metadata.document import TableMetadata
from icemelt.tables.metadata.snapshots import Snapshot

__all__ = ["foreign_versions", "version_stats"]

_MERGE = "spark.merge-into.num-target-rows-"


def version_stats(
    base: TableMetadata | None,
    new: TableMetadata,
    operation: str,
    effects: Collection[str] = (),
) -> VersionStats:
    """Return the statistics of the version from `base` to `new`.

    Args:
        base: the metadata before the version, None for a new table.
        new: the metadata after the version.
        operation: the operation of the version, such as MERGE.
        effects: the kinds of changes that a MERGE may make: `inserted`, `updated`, `deleted`. Spark
            counts rows only for a MERGE with several kinds.
    """
    start = None if base is None else base.current_snapshot_id
    before = {} if base is None else base.snapshots
    # a RESTORE goes to snapshots of other versions, back or forward
    ancestry = new.ancestry(new.current_snapshot_id)
    own = [*itertools.takewhile(lambda snapshot: snapshot.snapshot_id not in before, ancestry)][
        ::-1
    ]
    inserted = updated = deleted = None
    goes_on = own == new.chain(start, new.current_snapshot_id)
    if own and goes_on and all(snapshot.operation != "replace" for snapshot in own):
        inserted, updated, deleted = _counts(own, operation, effects)
    return VersionStats(
        snapshot_id=new.current_snapshot_id,
        operation=operation,
        snapshots=tuple(_record(snapshot) for snapshot in own),
        total_rows=_total_rows(new.current),
        total_bytes=0 if new.current is None else new.current.count("total-files-size"),
        inserted=inserted,
        updated=updated,
        deleted=deleted,
    )


def foreign_versions(metadata: TableMetadata, known: Iterable[int]) -> tuple[VersionStats, ...]:
    """Return the versions made by a foreign engine: one for every snapshot unknown to the registry.

    Where the current snapshot is known, the table was rolled back or its branch was swapped. The
    result is then one version without snapshots of its own.

    Args:
        metadata: the table's newest metadata.
        known: the ids of known snapshots, newest first; the iterable is read no further than
            needed.
    """
    ancestry = [*metadata.ancestry(metadata.current_snapshot_id)]
    places = {snapshot.snapshot_id: place for place, snapshot in enumerate(ancestry)}
    # the ancestors of a known snapshot are known too
    count = next((places[each] for each in known if each in places), len(ancestry))
    unknown = ancestry[:count]
    if not unknown:
        rolled_back = VersionStats(
            metadata.current_snapshot_id,
            "foreign",
            total_rows=_total_rows(metadata.current),
            foreign=True,
        )
        return (rolled_back,)
    return tuple(
        VersionStats(
            snapshot.snapshot_id,
            f"foreign {snapshot.operation}",
            (_record(snapshot),),
            _total_rows(snapshot),
            snapshot.count("total-files-size"),
            foreign=True,
        )
        for snapshot in reversed(unknown)
    )


def _record(snapshot: Snapshot) -> SnapshotRecord:
    return SnapshotRecord(
        snapshot.snapshot_id,
        snapshot.sequence_number,
        snapshot.operation,
        snapshot.first_row_id,
        snapshot.added_rows,
    )


def _total_rows(snapshot: Snapshot | None) -> int | None:
    if snapshot is None:
        return 0
    if snapshot.count("total-equality-deletes"):
        return None
    return snapshot.count("total-records") - snapshot.count("total-position-deletes")


def _counts(
    chain: Sequence[Snapshot], operation: str, effects: Collection[str]
) -> tuple[int | None, int | None, int | None]:
    """Return the numbers of inserted, updated and deleted rows; None where unknown.

    Args:
        chain: the snapshots, oldest first.
        operation: the operation of the version.
        effects: the kinds of changes that a MERGE may make.
    """
    added = sum(snapshot.count("added-records") for snapshot in chain)
    removed = sum(snapshot.count("deleted-records") for snapshot in chain)
    marked = sum(
        snapshot.count("added-position-deletes") - snapshot.count("removed-position-deletes")
        for snapshot in chain
    )
    last = chain[-1]
    if operation == "MERGE" and f"{_MERGE}inserted" not in last.summary:
        if len(effects) != 1 or "updated" in effects:
            return None, None, None
        operation = "DELETE" if "deleted" in effects else "INSERT"
    if operation == "MERGE":
        return tuple(last.count(f"{_MERGE}{what}") for what in ("inserted", "updated", "deleted"))  # type: ignore[return-value]
    if operation == "UPDATE":
        copied = any(snapshot.count("deleted-data-files") for snapshot in chain)
        return 0, None if copied and added != marked + removed else added, 0
    if operation == "DELETE":
        return 0, 0, removed - added + marked
    return added, 0, removed + marked
