"""Which snapshots leave a table's log at a commit, and how departed snapshots are found again.

The registry has every version, with the sequence numbers of its snapshots. Nothing more is needed
to read a snapshot outside of the log (`tables/metadata/snapshots.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from icemelt.catalog.queries.retention import live_transactions
from icemelt.catalog.queries.versions import own_snapshots, version_at
from icemelt.catalog.records import VersionRecord
from icemelt.observe.emitting import emit
from icemelt.observe.events import LogCollapsed
from icemelt.tables.maintenance.collapse import CollapsePlan, plan_collapse, write_collapsed
from icemelt.tables.metadata.document import LAKE_PROPERTY, LOG_PROPERTY, TableMetadata
from icemelt.tables.metadata.snapshots import CollapsedSnapshot
from icemelt.transactions.pending import TableWrite
from icemelt.transactions.resolver import Resolver

__all__ = ["shorten_log", "with_history"]

# A look for such snapshots reads the whole log and writes the metadata file once more: a look comes
# once in this many commits, and changes the log only where half as many snapshots can leave
_AT_ONCE = 100
_MINUTE = 60_000


def shorten_log(resolver: Resolver, write: TableWrite) -> TableWrite:
    """Return a write whose table keeps only the last snapshot of every old run of appends.

    The log keeps the snapshots seen by open transactions, and the snapshots of other engines. A
    table made by another engine keeps all of its log unless a property asks for shortening: nobody
    would remove files named only by the log.
    """
    metadata = write.mine
    numbers = (state.document.get("last-sequence-number", 0) for state in (write.base, metadata))
    is_due = len({number // _AT_ONCE for number in numbers}) > 1
    if not is_due or metadata.properties.keys().isdisjoint({LAKE_PROPERTY, LOG_PROPERTY}):
        return write
    before = metadata.document["last-updated-ms"] - metadata.log_minutes * _MINUTE
    plan = plan_collapse(metadata, before, set(metadata.snapshots) - set(write.base.snapshots))
    if len(plan.gone) * 2 < _AT_ONCE:
        return write
    plan = plan_collapse(metadata, before, _find_kept_snapshots(resolver, write, plan))
    if len(plan.gone) * 2 < _AT_ONCE:
        return write
    emit(LogCollapsed(write.name, len(plan.gone)))
    return replace(write, mine=write_collapsed(resolver.iceberg, metadata, plan))


def _make_collapsed(versions: Iterable[VersionRecord]) -> Iterator[CollapsedSnapshot]:
    """Yield the records of snapshots that may have left the log, for some versions."""
    for version in versions:
        own = version.snapshots
        if not own or own[-1].snapshot_id != version.snapshot_id or version.total_rows is None:
            continue
        rows = version.total_rows
        for snapshot in reversed(own):
            added = snapshot.added_rows or 0
            yield CollapsedSnapshot(
                snapshot.snapshot_id,
                snapshot.sequence_number,
                version.moment.time,
                snapshot.first_row_id,
                added,
                rows,
                version.total_bytes or 0,
            )
            rows -= added


def with_history(metadata: TableMetadata, versions: Iterable[VersionRecord]) -> TableMetadata:
    """Return a table's metadata with the snapshots of some versions, in its log or not.

    Args:
        metadata: the content of the table's metadata file, whose log may have lost snapshots.
        versions: the registry's records of the versions whose snapshots the caller will look up.
    """
    return metadata.with_collapsed(_make_collapsed(versions))


def _find_kept_snapshots(
    resolver: Resolver, write: TableWrite, plan: CollapsePlan
) -> set[int | None]:
    """Return the ids of the snapshots to keep in the log.

    Four kinds stay: snapshots made by the write, snapshots of other engines, snapshots seen by an
    open transaction, and snapshots under a version without snapshots of its own.
    """
    snapshots, table_id = write.mine.snapshots, write.table.object_id
    ids = [*plan.gone, *plan.runs]
    first = min(snapshots[snapshot_id].sequence_number for snapshot_id in ids)
    with resolver.database.read() as connection:
        ours = own_snapshots(connection, table_id, first).intersection(write.base.snapshots)
        kept: set[int | None] = {*snapshots} - {*ours}
        for transaction in live_transactions(connection, resolver.database):
            version = version_at(connection, table_id, transaction.commit_number)
            kept.add(None if version is None else version.snapshot_id)
    return kept
