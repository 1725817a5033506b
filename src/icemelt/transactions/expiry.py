"""Expiry of versions: published like any other change, and given up where a writer is first."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from icemelt.catalog.edits import Commit, Edit, ReplaceMetadata
from icemelt.catalog.publishing import Published, publish
from icemelt.catalog.records import TableRecord, VersionRecord
from icemelt.catalog.retention import first_frontier, needed_from
from icemelt.catalog.versions import versions_between
from icemelt.names import TableName
from icemelt.tables.collapse import forget_branches
from icemelt.tables.metadata import TableMetadata
from icemelt.tables.retention import expire, keep_history, needed_snapshots, remove_files
from icemelt.transactions.collapsing import recall
from icemelt.transactions.pending import Author
from icemelt.transactions.resolve import Resolver
from icemelt.transactions.workspace import Workspace, open_workspace

__all__ = ["Expired", "expire_versions", "keep_history_of", "publish_alone"]

_ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class Expired:
    """How many versions of a table have gone, and how many files with them."""

    versions: int = 0
    files: int = 0


@dataclass(frozen=True, slots=True)
class _Expiry:
    """What can go: snapshots, and the registry's rows before the version `first`."""

    floor: int
    first: int
    snapshots: tuple[int, ...]
    versions: int


def expire_versions(resolver: Resolver, author: Author, name: TableName) -> Expired | None:
    """Expire what nobody may read any more of a table; None where writers were first each time."""
    for _ in range(_ATTEMPTS):
        table = resolver.resolve([name]).tables.get(name)
        if table is None:
            return Expired()
        metadata = resolver.iceberg.metadata(table.known)
        expiry = _planned(resolver, table, metadata)
        if not (expiry.snapshots or expiry.versions) and metadata.keeps_history:
            return Expired()
        with open_workspace(resolver.iceberg) as workspace:
            files = _expired(workspace, table, metadata, expiry)
            location = workspace.current(table.object_id).location
        edit = ReplaceMetadata(table.object_id, table.known, location, expiry.floor, expiry.first)
        if publish_alone(resolver, author, (edit,)):
            return Expired(expiry.versions, remove_files(resolver.iceberg, files))
    return None


def keep_history_of(resolver: Resolver, author: Author, table: TableRecord) -> None:
    """Let a table's main branch keep its snapshots from other engines, where it does not yet.

    Where a writer is first each time, `maintain` does it later.
    """
    for _ in range(_ATTEMPTS):
        metadata = resolver.iceberg.metadata(table.known)
        if metadata.keeps_history:
            return
        with open_workspace(resolver.iceberg) as workspace:
            workspace.add(table.object_id, table.known)
            java = resolver.iceberg.table(workspace.namespace, table.object_id)
            keep_history(java, metadata)
            location = workspace.current(table.object_id).location
        edit = ReplaceMetadata(table.object_id, table.known, location)
        if publish_alone(resolver, author, (edit,)):
            return
        found = resolver.resolve([table.name]).tables.get(table.name)
        if found is None:
            return
        table = found


def publish_alone(resolver: Resolver, author: Author, edits: Sequence[Edit]) -> bool:
    """Publish edits that give way to everybody; False where somebody was first."""
    commit = Commit(str(uuid.uuid4()), author.session_id, author.user, tuple(edits))
    return isinstance(publish(resolver.database, commit), Published)


def _planned(resolver: Resolver, table: TableRecord, metadata: TableMetadata) -> _Expiry:
    with resolver.database.read() as connection:
        floor = needed_from(connection, resolver.database, table.object_id)
        versions = versions_between(connection, table.object_id, -1)
        frontier = first_frontier(connection, table.object_id)
    later = [version for version in versions if version.version >= floor]
    earlier = [version for version in versions if version.version < floor]
    if not earlier:
        return _Expiry(floor, floor, (), 0)
    recall(metadata, versions)
    needed = needed_snapshots(metadata, [(v.snapshot_id, _made(v)) for v in later])
    known = {snapshot_id for version in earlier for snapshot_id in _made(version)}
    known.update(version.snapshot_id for version in earlier if version.snapshot_id is not None)
    known.update(snapshot.snapshot_id for snapshot in metadata.ancestry(later[0].snapshot_id))
    gone = tuple(sorted((known & set(metadata.snapshots)) - needed))
    kept = [floor, floor if frontier is None else frontier]
    kept += [version.version for version in earlier if needed.intersection(_made(version))]
    first = min(kept)
    return _Expiry(floor, first, gone, sum(version.version < first for version in versions))


def _expired(
    workspace: Workspace, table: TableRecord, metadata: TableMetadata, expiry: _Expiry
) -> list[str]:
    iceberg = workspace.iceberg
    workspace.add(table.object_id, table.known)
    if not metadata.keeps_history:
        keep_history(iceberg.table(workspace.namespace, table.object_id), metadata)
    if not expiry.snapshots:
        return []
    java = iceberg.table(workspace.namespace, table.object_id)
    forget_branches(java, metadata, expiry.snapshots)
    return expire(iceberg, java, expiry.snapshots)


def _made(version: VersionRecord) -> list[int]:
    return [snapshot.snapshot_id for snapshot in version.snapshots]
