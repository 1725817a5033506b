"""Which files an interval added, removed or changed the deletions of, from metadata alone.

Two ways with one answer. *Along the chain*: each snapshot between the ends names the files it
added and removed, so cost grows with the change. *By the ends*: both ends are planned whole and
compared; it serves where there is no chain (a rollback, a branch swap, expired snapshots), where
deletions are not vectors (equality deletes, position deletes of a table upgraded from v2), and
where the ends are less than what was appended between them in many small files.

A compaction changes no row but replaces files by others. So a chain is also netted in *stretches*
between its compactions, which leave the moved rows out; they are taken where they read less.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from icemelt.tables.iceberg import Iceberg
from icemelt.tables.manifests.content_files import FileImage
from icemelt.tables.manifests.deletion_vectors import DeletionVector
from icemelt.tables.manifests.reader import ManifestReader, Step
from icemelt.tables.metadata.snapshots import Snapshot

__all__ = [
    "OPEN_COST",
    "FileChanges",
    "Kept",
    "Redeleted",
    "along_chain",
    "along_chains",
    "by_ends",
]

_Images = Mapping[str, FileImage]
# as spark.sql.files.openCostInBytes
OPEN_COST = 4 << 20


@dataclass(frozen=True, slots=True)
class Kept:
    """A data file at both ends whose deletion vector differs."""

    file: FileImage
    before: DeletionVector | None
    after: DeletionVector | None


@dataclass(frozen=True, slots=True)
class Redeleted:
    """A data file at both ends whose deletions differ and are not vectors at one of them."""

    before: FileImage
    after: FileImage


@dataclass(slots=True)
class FileChanges:
    """The net of an interval; `steps` and `manifests` count what was read.

    `rising` tells whether it is known of a chain with no other deletes than vectors: row ids only
    rise along it.
    `broken` says why row ids cannot be trusted, None where they can. `has_inserts` tells whether
    rows may have been inserted on the way, also by statements other than appends. `stretches` are
    the nets between compactions that are not empty, oldest first; None where they read no less
    than the whole.
    """

    added: dict[str, FileImage] = field(default_factory=dict)
    removed: dict[str, FileImage] = field(default_factory=dict)
    kept: dict[str, Kept] = field(default_factory=dict)
    redeleted: dict[str, Redeleted] = field(default_factory=dict)
    steps: int = 0
    manifests: int = 0
    way: str = "chain"
    rising: bool = True
    broken: str | None = None
    has_inserts: bool = True
    stretches: tuple[FileChanges, ...] | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing changed."""
        return not (self.added or self.removed or self.kept or self.redeleted)

    @property
    def cost(self) -> int:
        """Bytes to read, each file opened counted as Spark does."""
        files = [*self.added.values(), *self.removed.values()]
        files += [kept.file for kept in self.kept.values()]
        return sum(image.size + OPEN_COST for image in files)


@dataclass(slots=True)
class _Vectors:
    """The first and the last vector seen of a data file that existed at the start."""

    before: DeletionVector | None
    after: DeletionVector | None


@dataclass(slots=True)
class _Net:
    """The net of snapshots that follow each other, step by step.

    `touched` has data files that were there before, by their vectors' changes.
    """

    added: dict[str, FileImage] = field(default_factory=dict)
    removed: dict[str, FileImage] = field(default_factory=dict)
    touched: dict[str, _Vectors] = field(default_factory=dict)
    has_inserts: bool = False

    def apply(self, step: Step) -> None:
        """Take one more snapshot in."""
        self.has_inserts = self.has_inserts or any(image.born != 0 for image in step.added.values())
        for location in step.vectors_removed.keys() | step.vectors_added.keys():
            after = step.vectors_added.get(location)
            if location in self.added:
                self.added[location] = replace(self.added[location], vector=after)
            elif location not in step.added:
                first = _Vectors(step.vectors_removed.get(location), None)
                self.touched.setdefault(location, first).after = after
        for location, image in step.removed.items():
            if self.added.pop(location, None) is None:
                self.removed[location] = image
        for location, image in step.added.items():
            vector = step.vectors_added.get(location)
            if self.removed.pop(location, None) is None:
                self.added[location] = replace(image, vector=vector)
            else:
                self.touched.setdefault(location, _Vectors(None, None)).after = vector

    def redeleted(self) -> dict[str, _Vectors]:
        """Return the files at both ends whose vectors differ."""
        return {
            location: vectors
            for location, vectors in self.touched.items()
            if location not in self.removed and vectors.before != vectors.after
        }

    def changes(self, files: Mapping[str, FileImage]) -> FileChanges:
        """Return the net; `files` has the files whose vectors differ."""
        removed = {
            location: replace(image, vector=self.touched[location].before)
            if location in self.touched
            else image
            for location, image in self.removed.items()
        }
        kept = {
            location: Kept(files[location], vectors.before, vectors.after)
            for location, vectors in self.redeleted().items()
        }
        return FileChanges(self.added, removed, kept, has_inserts=self.has_inserts)


def along_chain(
    iceberg: Iceberg, table: Any, chain: Sequence[Snapshot], foreign: Container[int]
) -> FileChanges | None:
    """Return the net of a chain of snapshots, None where a delete file is not a vector.

    `foreign` are the snapshots of other engines, whose row ids are checked: a rewrite must keep
    them, else rows that did not change look new.
    """
    return (
        along_chains(iceberg, table, [chain], foreign)[0]
        if chain
        else FileChanges(has_inserts=False)
    )


def along_chains(
    iceberg: Iceberg, table: Any, chains: Sequence[Sequence[Snapshot]], foreign: Container[int]
) -> list[FileChanges | None]:
    """Return the net of each of some chains, oldest first; what all did is read at once."""
    reader = ManifestReader(iceberg, table)
    snapshots = [snapshot for chain in chains for snapshot in chain]
    steps = iter(reader.steps(snapshots))
    walks = [_walk(chain, list(islice(steps, len(chain))), foreign) for chain in chains]
    files: dict[str, FileImage] = {}
    for walk in walks:
        files |= {} if walk is None else walk.met
    # vectors name their files by location only; a file that was not met is still there at the end
    for chain, walk in zip(reversed(chains), reversed(walks), strict=True):
        if walk is not None:
            redeleted = {location for net in walk.nets for location in net.redeleted()}
            files |= reader.data_files(chain[-1], redeleted - files.keys())
    nets = [None if walk is None else walk.changes(files) for walk in walks]
    looked_up = reader.manifests - sum(snapshot.manifests_made for snapshot in snapshots)
    for net, chain in zip(nets, chains, strict=True):
        if net is not None:
            net.steps, net.manifests = len(chain), sum(s.manifests_made for s in chain) + looked_up
            looked_up = 0
    return nets


@dataclass(frozen=True, slots=True)
class _Walk:
    """The nets of a chain, `whole` and between its compactions, and the files that it met."""

    whole: _Net
    stretches: list[_Net]
    met: dict[str, FileImage]
    broken: str | None

    @property
    def nets(self) -> tuple[_Net, ...]:
        return (self.whole, *self.stretches)

    def changes(self, files: Mapping[str, FileImage]) -> FileChanges:
        """Return the net; `files` has the files whose vectors differ."""
        net = self.whole.changes(files)
        if self.broken is None and len(self.stretches) > 1:
            parts = tuple(stretch.changes(files) for stretch in self.stretches)
            if sum(part.cost for part in parts) < net.cost:
                net.stretches = tuple(part for part in parts if not part.is_empty)
        net.broken = self.broken
        return net


def _walk(
    chain: Sequence[Snapshot], steps: Sequence[Step | None], foreign: Container[int]
) -> _Walk | None:
    """Return what the steps of a chain come to, None where one is not known."""
    whole, stretches = _Net(), [_Net()]
    met: dict[str, FileImage] = {}
    broken = None
    for snapshot, step in zip(chain, steps, strict=True):
        if step is None:
            return None
        met |= step.removed | step.added
        whole.apply(step)
        if snapshot.operation == "replace":
            stretches.append(_Net())
        else:
            stretches[-1].apply(step)
        if broken is None:
            is_foreign = snapshot.snapshot_id in foreign
            added = step.added if step.removed else {}
            broken = _broken_lineage(snapshot, added, foreign=is_foreign)
    return _Walk(whole, stretches, met, broken)


def by_ends(
    iceberg: Iceberg,
    table: Any,
    ends: tuple[Snapshot | None, Snapshot | None],
    way: Sequence[Snapshot] = (),
    foreign: Container[int] = (),
) -> FileChanges:
    """Return the difference of the two ends' plans.

    `way` are the snapshots that lead from one end to the other; their row ids are checked as along
    a chain.
    """
    reader = ManifestReader(iceberg, table)
    before, after = (reader.plan(end) for end in ends)
    broken = _broken_on_the_way(reader, way, foreign)
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
        _compare(net, image, now[location])
    net.manifests = reader.manifests
    return net


def _compare(net: FileChanges, image: FileImage, now: FileImage) -> None:
    if image.other_deletes or now.other_deletes:
        net.redeleted[image.location] = Redeleted(image, now)
    elif image.vector != now.vector:
        net.kept[image.location] = Kept(now, image.vector, now.vector)


def _broken_lineage(snapshot: Snapshot, added: _Images, *, foreign: bool) -> str | None:
    """Return why row ids are not kept by a snapshot that replaced files by those `added`."""
    if not added:
        return None
    rewritten = snapshot.operation == "replace"
    if not rewritten and not foreign:
        return None
    if not foreign and any(image.born is None for image in added.values()):
        return None  # wide tables have no metrics of row ids; our own rewrites keep them
    fresh = sum(image.rows if image.born is None else image.born for image in added.values())
    if rewritten and fresh:
        return f"snapshot {snapshot.snapshot_id} rewrote files without keeping row ids"
    if fresh == sum(image.rows for image in added.values()):
        return f"snapshot {snapshot.snapshot_id} of another engine replaced files under new row ids"
    return None


def _broken_on_the_way(
    reader: ManifestReader, way: Iterable[Snapshot], foreign: Container[int]
) -> str | None:
    """Return why the row ids along a way cannot be trusted; few of its manifests are read."""
    for snapshot in way:
        replaces = snapshot.count("added-data-files") and snapshot.count("deleted-data-files")
        if not replaces or snapshot.snapshot_id not in foreign:
            continue  # our own rewrites keep them
        reason = _broken_lineage(snapshot, reader.added(snapshot), foreign=True)
        if reason is not None:
            return reason
    return None
