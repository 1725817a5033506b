"""Rebase: the net change of a transaction, applied again to a newer state of the table.

The net change is data files added, data files removed, and deletion vectors. Iceberg's operations
apply it to a private copy of the newer state. Two changes conflict if they are about rows of the
same data files; changes of other files of the table do not conflict.

    base      mine                     theirs             rebased
    A, B      A, B; C added            A, B; D added      A, B, D, C
    A, B      A (hides row 1), B       A, B; D added      A (hides row 1), B, D
    A, B      A (hides row 1), B       A (hides row 2)    refused: the statement runs again
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from icemelt.tables.iceberg import Iceberg
from icemelt.tables.manifests.file_changes import FileChanges, net_along_chain
from icemelt.tables.metadata.document import TableMetadata
from icemelt.tables.metadata.snapshots import CollapsedSnapshot, Snapshot
from icemelt.tables.writes.cloning import with_collection

__all__ = ["RebaseStates", "Rebased", "Refused", "rebase_changes"]

# the reserved field ids of `_row_id` and `_last_updated_sequence_number`
_ROW_ID, _LAST_UPDATED = 2147483540, 2147483539
_REWRITTEN = "the table's history was rewritten"


@dataclass(frozen=True, slots=True)
class RebaseStates:
    """Three states of one table, and what the statement depends on.

    Args:
        base: the table when the transaction read it.
        mine: the base with the transaction's change.
        theirs: the base with the changes of other transactions.
        needs_phantom_check: whether the statement wrote because it found no rows.
        requires_whole_table: whether the statement read or replaced the whole table.
    """

    base: TableMetadata
    mine: TableMetadata
    theirs: TableMetadata
    needs_phantom_check: bool = False
    requires_whole_table: bool = False


@dataclass(frozen=True, slots=True)
class Rebased:
    """The change was applied; `metadata` is the new state of the table."""

    metadata: TableMetadata


@dataclass(frozen=True, slots=True)
class Refused:
    """The change cannot be applied: the statement has to run again on the newer state."""

    reason: str


def rebase_changes(
    iceberg: Iceberg, states: RebaseStates, namespace: Sequence[str], name: str
) -> Rebased | Refused:
    """Apply the change from `states.base` to `states.mine` on top of `states.theirs`.

    Args:
        iceberg: the session's Iceberg catalog.
        states: the three states.
        namespace: the namespace of the private table.
        name: the name of the private table.
    """
    reason = _definition_conflict(states)
    if reason is not None:
        return Refused(reason)
    mine = _net_changes(iceberg, states.base, states.mine)
    if mine is None or _chain(states.base, states.theirs) is None:
        return Refused(_REWRITTEN)
    reason = _row_conflict(iceberg, states, mine) or _id_conflict(states, mine)
    if reason is not None:
        return Refused(reason)
    iceberg.register(namespace, name, states.theirs.location)
    table = iceberg.table(namespace, name)
    chain = _chain(states.base, states.mine)
    if chain and all(snapshot.operation == "replace" for snapshot in chain):
        _rewrite(table, states, mine)
    elif mine.removed or mine.vector_changes or any(image.vector for image in mine.added.values()):
        _row_delta(table, states, mine)
    elif mine.added:
        # Iceberg looks every 10 ms whether its own threads are done, three times in an append
        append = table.newAppend().scanManifestsWith(iceberg.functions.direct_executor())
        for image in mine.added.values():
            append.appendFile(image.java)
        append.commit()
    return Rebased(iceberg.current(namespace, name))


def _definition_conflict(states: RebaseStates) -> str | None:
    for other in (states.mine, states.theirs):
        if other.table_uuid != states.base.table_uuid:
            return "the table was replaced"
        parts = ("current-schema-id", "default-spec-id", "format-version")
        is_same = all(other.document.get(part) == states.base.document.get(part) for part in parts)
        if not is_same or _definition_of(other) != _definition_of(states.base):
            return "the table's definition was changed"
    return None


def _definition_of(metadata: TableMetadata) -> dict[str, str]:
    """Return the properties that rows depend on: whether files are shared with a clone is none."""
    return with_collection(metadata, None)


def _chain(base: TableMetadata, other: TableMetadata) -> list[Snapshot] | None:
    if base.current is not None:
        # the snapshot of the base may have left the log of `other`
        other = other.with_collapsed([_to_collapsed(base.current)])
    return other.chain(base.current_snapshot_id, other.current_snapshot_id)


def _to_collapsed(snapshot: Snapshot) -> CollapsedSnapshot:
    records, deleted = (snapshot.count(f"total-{what}") for what in ("records", "position-deletes"))
    return CollapsedSnapshot(
        snapshot.snapshot_id,
        snapshot.sequence_number,
        snapshot.timestamp,
        snapshot.first_row_id,
        snapshot.added_rows or 0,
        records - deleted,
        snapshot.count("total-files-size"),
    )


def _net_changes(iceberg: Iceberg, base: TableMetadata, other: TableMetadata) -> FileChanges | None:
    chain = _chain(base, other)
    return (
        None
        if chain is None
        else net_along_chain(iceberg, iceberg.detached_table(other), chain, ())
    )


def _row_conflict(iceberg: Iceberg, states: RebaseStates, mine: FileChanges) -> str | None:
    if not (
        states.requires_whole_table
        or states.needs_phantom_check
        or mine.removed
        or mine.vector_changes
    ):
        # added rows conflict with no change: the changes of other transactions need no look
        return None
    theirs = _net_changes(iceberg, states.base, states.theirs)
    if theirs is None:
        return _REWRITTEN
    changed = theirs.added or theirs.removed or theirs.vector_changes
    if states.requires_whole_table and changed:
        return "the whole table was read or replaced, and has changed meanwhile"
    if states.needs_phantom_check and theirs.added:
        return "rows were added meanwhile that the statement had not found"
    touched = (mine.removed.keys() | mine.vector_changes.keys()) & (
        theirs.removed.keys() | theirs.vector_changes.keys()
    )
    if touched:
        return "rows of the same data files were changed meanwhile"
    return None


def _id_conflict(states: RebaseStates, mine: FileChanges) -> str | None:
    """Return why row ids or sequence numbers would clash, None if they do not.

    A statement may write rows again that an earlier statement of the transaction wrote, with their
    ids and numbers. These were given out from the base on, as those of the other transaction were.
    The rebase gives out new ones: two rows would share an id, or a row would belong to another
    commit than its number says. A single snapshot has no rows to write again.
    """
    if len(_chain(states.base, states.mine) or ()) < 2:  # noqa: PLR2004 - a second one writes again
        return None
    first = states.base.document.get("next-row-id", 0)
    last = states.base.document.get("last-sequence-number", 0)
    for image in mine.added.values():
        if image.inserted_rows == image.rows:
            continue
        bounds = image.java.upperBounds() or {}
        bound, updated = bounds.get(_ROW_ID), bounds.get(_LAST_UPDATED)
        if bound is None or _long(bound) >= first:
            return "the transaction changed rows that it had inserted, which have ids already"
        if updated is not None and _long(updated) > last:
            return "the transaction copied rows that it had changed, which have numbers already"
    return None


def _long(buffer: Any) -> int:
    """Return a number from an Iceberg bound: bytes, the lowest first."""
    return int.from_bytes(bytes(buffer.array()), "little", signed=True)


def _row_delta(table: Any, states: RebaseStates, mine: FileChanges) -> None:
    delta = table.newRowDelta()
    if states.theirs.current_snapshot_id is not None:
        delta.validateFromSnapshot(states.theirs.current_snapshot_id)
    for image in mine.added.values():
        delta.addRows(image.java)
        if image.vector is not None:
            delta.addDeletes(image.vector.java)
    for image in mine.removed.values():
        delta.removeRows(image.java)
    for kept in mine.vector_changes.values():
        if kept.before is not None:
            delta.removeDeletes(kept.before.java)
        if kept.after is not None:
            delta.addDeletes(kept.after.java)
    delta.commit()


def _rewrite(table: Any, states: RebaseStates, mine: FileChanges) -> None:
    rewrite = table.newRewrite()
    if states.theirs.current_snapshot_id is not None:
        # else Iceberg takes every vector that the replaced files ever had for a newer one
        rewrite.validateFromSnapshot(states.theirs.current_snapshot_id)
    for image in mine.removed.values():
        rewrite.deleteFile(image.java)
        if image.vector is not None:
            rewrite.deleteFile(image.vector.java)
    for image in mine.added.values():
        rewrite.addFile(image.java)
    rewrite.commit()
