"""Net changes of files in an interval: files added, removed, or with other deletions.

There are two ways with one result, from metadata alone. *Along the chain*: every snapshot between
the ends names the files it added and removed, so the cost grows with the change. *By the ends*:
both ends are planned whole and compared. That works without a chain (after a rollback, a branch
swap or expiry), and with deletions that are no vectors (equality deletes, position deletes of a
table upgraded from v2). It is also taken if both ends are less to read than many small appends
between them. Three snapshots along a chain:

    snapshot   added     removed   vectors          net
    2          file C                               added: C, with the vector of 4
    3          file D              B: hides row 4   B: vector changed, hides row 4
    4                    file D    C: hides row 5   D: added and removed again, nothing

A compaction replaces files, and changes no row. So a chain is also netted in *epochs* between its
compactions, which leave compacted rows out. Epochs are taken if they read less.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from icemelt.tables.iceberg import Iceberg
from icemelt.tables.manifests.content_files import FileImage
from icemelt.tables.manifests.deletion_vectors import DeletionVector
from icemelt.tables.manifests.reader import ManifestReader, SnapshotStep
from icemelt.tables.metadata.snapshots import Snapshot

__all__ = [
    "OPEN_COST",
    "DeleteChange",
    "FileChanges",
    "VectorChange",
    "net_along_chain",
    "net_along_chains",
    "net_by_ends",
]

_Images = Mapping[str, FileImage]
# as spark.sql.files.openCostInBytes
OPEN_COST = 4 << 20


@dataclass(frozen=True, slots=True)
class VectorChange:
    """A data file at both ends whose deletion vector differs."""

    file: FileImage
    before: DeletionVector | None
    after: DeletionVector | None


@dataclass(frozen=True, slots=True)
class DeleteChange:
    """A data file at both ends whose deletes differ, and are not vectors at both ends."""

    before: FileImage
    after: FileImage


@dataclass(slots=True)
class FileChanges:
    """The net changes of an interval.

    Args:
        added: data files added, by location.
        removed: data files removed, by location.
        vector_changes: data files at both ends with another vector.
        delete_changes: data files at both ends with other deletes than vectors.
        steps: the number of snapshots read.
        manifests: the number of manifests read.
        way: "chain" or "ends".
        rising: whether row ids only rise: along a chain whose deletes are all vectors.
        broken: why row ids cannot be trusted, None if they can.
        has_inserts: whether rows may have been inserted in the interval, by any statement.
        epochs: the net changes between compactions, oldest first, without empty ones; None if they
            read no less than the whole.
    """

    added: dict[str, FileImage] = field(default_factory=dict)
    removed: dict[str, FileImage] = field(default_factory=dict)
    vector_changes: dict[str, VectorChange] = field(default_factory=dict)
    delete_changes: dict[str, DeleteChange] = field(default_factory=dict)
    steps: int = 0
    manifests: int = 0
    way: str = "chain"
    rising: bool = True
    broken: str | None = None
    has_inserts: bool = True
    epochs: tuple[FileChanges, ...] | None = None

    @property
    def is_empty(self) -> bool:
        """Whether no file changed."""
        return not (self.added or self.removed or self.vector_changes or self.delete_changes)

    @property
    def cost(self) -> int:
        """The bytes to read, plus the cost of opening each file, as Spark estimates it."""
        files = [*self.added.values(), *self.removed.values()]
        files += [kept.file for kept in self.vector_changes.values()]
        return sum(image.size + OPEN_COST for image in files)


@dataclass(slots=True)
class _VectorPair:
    """The first and the last vector of a data file that was there at the start."""

    before: DeletionVector | None
    after: DeletionVector | None


@dataclass(slots=True)
class _Net:
    """The net changes of successive snapshots, built step by step.

    `touched` has the vectors of data files that were there at the start.
    """

    added: dict[str, FileImage] = field(default_factory=dict)
    removed: dict[str, FileImage] = field(default_factory=dict)
    touched: dict[str, _VectorPair] = field(default_factory=dict)
    has_inserts: bool = False

    def apply(self, step: SnapshotStep) -> None:
        """Add the changes of the next snapshot."""
        self.has_inserts = self.has_inserts or any(
            image.inserted_rows != 0 for image in step.added.values()
        )
        for location in step.vectors_removed.keys() | step.vectors_added.keys():
            after = step.vectors_added.get(location)
            if location in self.added:
                self.added[location] = replace(self.added[location], vector=after)
            elif location not in step.added:
                first = _VectorPair(step.vectors_removed.get(location), None)
                self.touched.setdefault(location, first).after = after
        for location, image in step.removed.items():
            if self.added.pop(location, None) is None:
                self.removed[location] = image
        for location, image in step.added.items():
            vector = step.vectors_added.get(location)
            if self.removed.pop(location, None) is None:
                self.added[location] = replace(image, vector=vector)
            else:
                self.touched.setdefault(location, _VectorPair(None, None)).after = vector

    def files_with_changed_vectors(self) -> dict[str, _VectorPair]:
        """Return the vectors of files at both ends whose vectors differ."""
        return {
            location: vectors
            for location, vectors in self.touched.items()
            if location not in self.removed and vectors.before != vectors.after
        }

    def changes(self, files: Mapping[str, FileImage]) -> FileChanges:
        """Return the net changes; `files` has the files with changed vectors."""
        removed = {
            location: replace(image, vector=self.touched[location].before)
            if location in self.touched
            else image
            for location, image in self.removed.items()
        }
        kept = {
            location: VectorChange(files[location], vectors.before, vectors.after)
            for location, vectors in self.files_with_changed_vectors().items()
        }
        return FileChanges(self.added, removed, kept, has_inserts=self.has_inserts)


def net_along_chain(
    iceberg: Iceberg, table: Any, chain: Sequence[Snapshot], foreign: Container[int]
) -> FileChanges | None:
    """Return the net changes of a chain of snapshots; None if a delete file is no vector.

    Args:
        iceberg: the session's Iceberg catalog.
        table: Iceberg's table.
        chain: the snapshots, oldest first.
        foreign: the snapshots of other engines. A rewrite by another engine has to keep row ids, or
            unchanged rows look new.
    """
    return (
        net_along_chains(iceberg, table, [chain], foreign)[0]
        if chain
        else FileChanges(has_inserts=False)
    )


def net_along_chains(
    iceberg: Iceberg, table: Any, chains: Sequence[Sequence[Snapshot]], foreign: Container[int]
) -> list[FileChanges | None]:
    """Return the net changes of several chains, oldest first; all snapshots are read at once.

    Args:
        iceberg: the session's Iceberg catalog.
        table: Iceberg's table.
        chains: the chains of snapshots.
        foreign: the snapshots of other engines, as for `net_along_chain`.
    """
    reader = ManifestReader(iceberg, table)
    snapshots = [snapshot for chain in chains for snapshot in chain]
    steps = iter(reader.read_steps(snapshots))
    walks = [_net_steps(chain, list(islice(steps, len(chain))), foreign) for chain in chains]
    files: dict[str, FileImage] = {}
    for walk in walks:
        files |= {} if walk is None else walk.met
    # vectors name their files by location only; a file that was not met is still there at the end
    for chain, walk in zip(reversed(chains), reversed(walks), strict=True):
        if walk is not None:
            redeleted = {
                location for net in walk.nets for location in net.files_with_changed_vectors()
            }
            files |= reader.find_data_files(chain[-1], redeleted - files.keys())
    nets = [None if walk is None else walk.changes(files) for walk in walks]
    looked_up = reader.manifests - sum(snapshot.manifests_written for snapshot in snapshots)
    for net, chain in zip(nets, chains, strict=True):
        if net is not None:
            net.steps, net.manifests = (
                len(chain),
                sum(s.manifests_written for s in chain) + looked_up,
            )
            looked_up = 0
    return nets


@dataclass(frozen=True, slots=True)
class _ChainNet:
    """The net changes of a chain, whole and by epoch, and the files named by its snapshots."""

    whole: _Net
    epochs: list[_Net]
    met: dict[str, FileImage]
    broken: str | None

    @property
    def nets(self) -> tuple[_Net, ...]:
        return (self.whole, *self.epochs)

    def changes(self, files: Mapping[str, FileImage]) -> FileChanges:
        """Return the net changes; `files` has the files with changed vectors."""
        net = self.whole.changes(files)
        if self.broken is None and len(self.epochs) > 1:
            parts = tuple(epoch.changes(files) for epoch in self.epochs)
            if sum(part.cost for part in parts) < net.cost:
                net.epochs = tuple(part for part in parts if not part.is_empty)
        net.broken = self.broken
        return net


def _net_steps(
    chain: Sequence[Snapshot], steps: Sequence[SnapshotStep | None], foreign: Container[int]
) -> _ChainNet | None:
    """Return the net changes of the steps of a chain, None if a step is unknown."""
    whole, epochs = _Net(), [_Net()]
    met: dict[str, FileImage] = {}
    broken = None
    for snapshot, step in zip(chain, steps, strict=True):
        if step is None:
            return None
        met |= step.removed | step.added
        whole.apply(step)
        if snapshot.operation == "replace":
            epochs.append(_Net())
        else:
            epochs[-1].apply(step)
        if broken is None:
            is_foreign = snapshot.snapshot_id in foreign
            added = step.added if step.removed else {}
            broken = _reason_ids_changed(snapshot, added, foreign=is_foreign)
    return _ChainNet(whole, epochs, met, broken)


def net_by_ends(
    iceberg: Iceberg,
    table: Any,
    ends: tuple[Snapshot | None, Snapshot | None],
    way: Sequence[Snapshot] = (),
    foreign: Container[int] = (),
) -> FileChanges:
    """Return the difference between the plans of both ends.

    Args:
        iceberg: the session's Iceberg catalog.
        table: Iceberg's table.
        ends: the snapshots at the start and the end, None for the empty table.
        way: the snapshots between the ends, to check their row ids.
        foreign: the snapshots of other engines, as for `net_along_chain`.
    """
    reader = ManifestReader(iceberg, table)
    before, after = (reader.plan(end) for end in ends)
    broken = _reason_path_broken(reader, way, foreign)
    net = FileChanges(steps=2, way="ends", rising=False, broken=broken)
    net.removed = before.images(before.places.keys() - after.places.keys())
    net.added = after.images(after.places.keys() - before.places.keys())
    both = [
        location
        for location in before.places.keys() & after.places.keys()
        if before.places[location][1] != after.places[location][1]
    ]
    now = after.images(both)
    for location, image in before.images(both).items():
        _add_difference(net, image, now[location])
    net.manifests = reader.manifests
    return net


def _add_difference(net: FileChanges, image: FileImage, now: FileImage) -> None:
    if image.other_deletes or now.other_deletes:
        net.delete_changes[image.location] = DeleteChange(image, now)
    elif image.vector != now.vector:
        net.vector_changes[image.location] = VectorChange(now, image.vector, now.vector)


def _reason_ids_changed(snapshot: Snapshot, added: _Images, *, foreign: bool) -> str | None:
    """Return why the rows of a rewrite have new row ids, None for unchanged ids.

    Args:
        snapshot: the snapshot.
        added: the files added by the snapshot.
        foreign: whether another engine committed the snapshot.
    """
    if not added:
        return None
    rewritten = snapshot.operation == "replace"
    if not rewritten and not foreign:
        return None
    if not foreign and any(image.inserted_rows is None for image in added.values()):
        return None  # wide tables have no metrics of row ids; our own rewrites keep them
    fresh = sum(
        image.rows if image.inserted_rows is None else image.inserted_rows
        for image in added.values()
    )
    if rewritten and fresh:
        return f"snapshot {snapshot.snapshot_id} rewrote files without keeping row ids"
    if fresh == sum(image.rows for image in added.values()):
        return f"snapshot {snapshot.snapshot_id} of another engine replaced files under new row ids"
    return None


def _reason_path_broken(
    reader: ManifestReader, way: Iterable[Snapshot], foreign: Container[int]
) -> str | None:
    """Return why row ids along snapshots cannot be trusted; few of their manifests are read."""
    for snapshot in way:
        replaces = snapshot.count("added-data-files") and snapshot.count("deleted-data-files")
        if not replaces or snapshot.snapshot_id not in foreign:
            continue  # our own rewrites keep them
        reason = _reason_ids_changed(snapshot, reader.read_added_files(snapshot), foreign=True)
        if reason is not None:
            return reason
    return None
