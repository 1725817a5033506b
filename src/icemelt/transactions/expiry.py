"""Expire versions of a table, in a publication that yields to every writer."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from icemelt.catalog.edits import CommitRequest, Edit, ReplaceMetadata
from icemelt.catalog.publishing import Published, publish
from icemelt.catalog.queries.retention import first_frontier, needed_from
from icemelt.catalog.queries.sharing import is_shared
from icemelt.catalog.queries.versions import version_numbered, versions_between, versions_from
from icemelt.catalog.records import TableRecord, VersionRecord
from icemelt.names import QualifiedName
from icemelt.observe.emitting import emit
from icemelt.observe.events import VersionsExpired
from icemelt.tables.maintenance.collapse import is_history
from icemelt.tables.maintenance.retention import (
    expire_and_list_files,
    keep_history,
    needed_snapshots,
    remove_files,
    write_expired_metadata,
)
from icemelt.tables.metadata.document import TableMetadata
from icemelt.transactions.collapsing import with_history
from icemelt.transactions.pending import Author
from icemelt.transactions.resolver import Resolver
from icemelt.transactions.workspace import Workspace, open_workspace

__all__ = ["Expired", "expire_versions", "keep_history_of", "publish_alone"]

_ATTEMPTS, _QUICK_ATTEMPTS = 3, 10


@dataclass(frozen=True, slots=True)
class Expired:
    """The number of expired versions of a table, and the number of removed files."""

    versions: int = 0
    files: int = 0


@dataclass(frozen=True, slots=True)
class _Expiry:
    """A plan of what can be removed from a table.

    Args:
        floor: the oldest version still needed.
        first: the registry's rows of versions before this number are removed.
        snapshots: the ids of the snapshots to remove.
        versions: the number of the registry's rows to remove.
    """

    floor: int
    first: int
    snapshots: tuple[int, ...]
    versions: int


def expire_versions(resolver: Resolver, author: Author, name: QualifiedName) -> Expired | None:
    """Expire the versions of a table needed by nobody; None where writers were first every time.

    Args:
        resolver: finds the table's newest state.
        author: the session and the user of the expiry.
        name: the table's full name.
    """
    for _ in range(_ATTEMPTS):
        table = resolver.resolve([name]).tables.get(name)
        if table is None:
            return Expired()
        metadata = resolver.iceberg.metadata(table.known_location)
        expiry = _plan_expiry(resolver, table, metadata)
        if not (expiry.snapshots or expiry.versions):
            keep_history_of(resolver, author, table)
            return Expired()
        files: list[str] = []
        if not _is_shared(resolver, table):
            with open_workspace(resolver.iceberg) as workspace:
                files = _find_files(workspace, table, metadata, expiry)
        # finding the files takes long, and commits of others meanwhile do not change the plan
        if _publish_expiry(resolver, author, (table, metadata), expiry):
            keep_history_of(resolver, author, table)
            if _is_shared(resolver, table):
                # a clone may name the files, also one that was made since the plan: the sweep of
                # all that share them removes what nobody names
                files = []
            done = Expired(expiry.versions, remove_files(resolver.iceberg, files))
            emit(VersionsExpired(str(name), done.versions, done.files))
            return done
    return None


def _is_shared(resolver: Resolver, table: TableRecord) -> bool:
    with resolver.database.read() as connection:
        return is_shared(connection, table.object_id)


def _publish_expiry(
    resolver: Resolver, author: Author, planned: tuple[TableRecord, TableMetadata], expiry: _Expiry
) -> bool:
    """Publish an expiry on a table's newest state; return False where a new plan is needed.

    A new plan is needed where the newest state does not descend from the planned state: the table
    may be back at a snapshot to be removed.

    Args:
        resolver: finds the table's newest state.
        author: the session and the user of the expiry.
        planned: the table and the metadata of the plan.
        expiry: the plan.
    """
    then, before = planned
    for _ in range(_QUICK_ATTEMPTS):
        table = resolver.resolve([then.name]).tables.get(then.name)
        if table is None or table.object_id != then.object_id:
            return False
        with resolver.database.read() as connection:
            last = version_numbered(connection, table.object_id, then.version)
            since = -1 if last is None else last.moment.commit_number
            later = versions_between(connection, table.object_id, since)
        records = (*later, *(() if last is None else (last,)))
        metadata = with_history(resolver.iceberg.metadata(table.known_location), records)
        ends = [metadata.current_snapshot_id, *(version.snapshot_id for version in later)]
        if _find_user_refs(metadata) != _find_user_refs(before) or not all(
            _is_descendant(before, metadata, end) for end in ends
        ):
            return False
        location = write_expired_metadata(resolver.iceberg, metadata, expiry.snapshots).location
        edit = ReplaceMetadata(
            table.object_id, table.known_location, location, expiry.floor, expiry.first
        )
        if publish_alone(resolver, author, (edit,)):
            return True
    return False


def _is_descendant(before: TableMetadata, metadata: TableMetadata, end: int | None) -> bool:
    """Return whether a snapshot of a table's newest state descends from an earlier state.

    Args:
        before: the earlier state.
        metadata: the newest state.
        end: the id of a snapshot of the newest state.
    """
    start = before.current_snapshot_id
    return end == start or metadata.chain(start, end) is not None


def _find_user_refs(metadata: TableMetadata) -> dict[str, object]:
    """Return the table's branches and tags made by users, with the snapshots they name."""
    refs = metadata.document.get("refs", {})
    return {name: ref for name, ref in refs.items() if name != "main" and not is_history(name)}


def keep_history_of(resolver: Resolver, author: Author, table: TableRecord) -> None:
    """Protect the main branch's snapshots from other engines' expiry, if not protected yet.

    Where writers are first every time, a later `maintain` protects the snapshots.

    Args:
        resolver: finds the table's newest state.
        author: the session and the user.
        table: the table.
    """
    for _ in range(_ATTEMPTS):
        metadata = resolver.iceberg.metadata(table.known_location)
        if metadata.keeps_history:
            return
        with open_workspace(resolver.iceberg) as workspace:
            workspace.add(table.object_id, table.known_location)
            java = resolver.iceberg.table(workspace.namespace, table.object_id)
            keep_history(java, metadata)
            location = workspace.current(table.object_id).location
        edit = ReplaceMetadata(table.object_id, table.known_location, location)
        if publish_alone(resolver, author, (edit,)):
            return
        newest = resolver.resolve([table.name]).tables.get(table.name)
        if newest is None:
            return
        table = newest


def publish_alone(resolver: Resolver, author: Author, edits: Sequence[Edit]) -> bool:
    """Publish edits that yield to every transaction; return False after a lost race.

    Args:
        resolver: has the catalog's database.
        author: the session and the user in the history.
        edits: the changes of the registry.
    """
    commit = CommitRequest(str(uuid.uuid4()), author.session_id, author.user, tuple(edits))
    return isinstance(publish(resolver.database, commit), Published)


def _plan_expiry(resolver: Resolver, table: TableRecord, metadata: TableMetadata) -> _Expiry:
    """Return the plan of an expiry.

    The snapshots to remove belong to expired versions, or are ancestors of the oldest needed
    version. A snapshot stays if reads of later versions, a branch or a tag need the snapshot. The
    registry keeps the rows of versions from the oldest frontier on.
    """
    with resolver.database.read() as connection:
        floor = needed_from(connection, resolver.database, table.object_id)
        frontier = first_frontier(connection, table.object_id)
        earlier = [*versions_from(connection, table.object_id, 0, floor)]
        if not earlier:
            return _Expiry(floor, floor, (), 0)
        later = versions_from(connection, table.object_id, floor)
        needed = needed_snapshots(metadata, (_find_stored(metadata, version) for version in later))
        start = version_numbered(connection, table.object_id, floor)
    begins, _ = (None, ()) if start is None else _find_stored(metadata, start)
    made_by = {version.version: _find_stored(metadata, version)[1] for version in earlier}
    ours = set(chain.from_iterable(made_by.values()))
    ours.update(version.snapshot_id for version in earlier if version.snapshot_id is not None)
    ours.update(snapshot.snapshot_id for snapshot in metadata.ancestry(begins))
    gone = tuple(sorted((ours & set(metadata.snapshots)) - needed))
    kept = [floor, floor if frontier is None else frontier]
    kept += [number for number, snapshots in made_by.items() if needed.intersection(snapshots)]
    first = min(kept)
    return _Expiry(floor, first, gone, sum(version.version < first for version in earlier))


def _find_stored(metadata: TableMetadata, version: VersionRecord) -> tuple[int | None, list[int]]:
    """Return a version's snapshot and the snapshots made by the version, as stored in the log."""
    numbers = {snapshot.snapshot_id: snapshot.sequence_number for snapshot in version.snapshots}
    stored = metadata.snapshots.stored_id
    end = version.snapshot_id
    if end in numbers:
        end = stored(end, numbers[end])
    return end, [stored(snapshot_id, number) for snapshot_id, number in numbers.items()]


def _find_files(
    workspace: Workspace, table: TableRecord, metadata: TableMetadata, expiry: _Expiry
) -> list[str]:
    if not expiry.snapshots:
        return []
    workspace.add(table.object_id, table.known_location)
    java = workspace.iceberg.table(workspace.namespace, table.object_id)
    return expire_and_list_files(workspace.iceberg, java, metadata, expiry.snapshots)
