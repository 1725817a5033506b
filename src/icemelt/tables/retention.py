"""Expiry of an Iceberg table's snapshots, and which files of its folder nothing names.

The main branch keeps all of its snapshots whatever another engine's expiry asks for: what a branch
says itself goes before the arguments of a procedure. Only explicit snapshot ids remove them, as
here.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Container, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JJavaError

from icemelt.tables.collapse import is_history, without_history
from icemelt.tables.iceberg import Iceberg, local_path
from icemelt.tables.jvm_functions import SHOWN
from icemelt.tables.metadata import KEPT_PROPERTY, KEPT_SNAPSHOTS, TableMetadata
from icemelt.tables.rewriting import rewritten, without

__all__ = [
    "Swept",
    "expired",
    "files_in",
    "files_of_expired",
    "keep_history",
    "needed_snapshots",
    "remove_files",
    "unnamed_files",
]

_MAIN = "main"
_TO_STRING = ("java.lang.Object", "toString")
_FILE = "org.apache.iceberg.io.FileInfo"
_PARTS = ("data", "metadata")
_ALL_MANIFESTS = (("org.apache.iceberg.Snapshot", "allManifests", "org.apache.iceberg.io.FileIO"),)
_PATH = ("org.apache.iceberg.ManifestFile", "path")


def needed_snapshots(
    metadata: TableMetadata, versions: Iterable[tuple[int | None, Sequence[int]]]
) -> set[int]:
    """Return the snapshots of the log that reads between versions need.

    Each version, oldest first, is its snapshot and those that it made itself, all as the log has
    them; the first is only where reads begin.
    """
    following = iter(versions)
    start, _ = next(following)
    line = [snapshot.snapshot_id for snapshot in metadata.ancestry(start)]
    places = {snapshot_id: place for place, snapshot_id in enumerate(line)}
    needed, walked, back = set(line[:1]), set[int](), 0
    for end, made in following:
        needed.update(made)
        for snapshot in metadata.ancestry(end):
            if snapshot.snapshot_id in places:
                back = max(back, places[snapshot.snapshot_id])
                break
            if snapshot.snapshot_id in walked:
                break
            walked.add(snapshot.snapshot_id)
        else:
            back = len(line)
    needed |= {*walked, *line[:back]}
    for name, ref in metadata.document.get("refs", {}).items():
        if not is_history(name):
            needed.add(ref["snapshot-id"])
    return needed


def keep_history(table: Any, metadata: TableMetadata) -> None:
    """Let a table's main branch keep all of its snapshots; one without a branch, its first."""
    if metadata.current is None:
        properties = table.updateProperties()
        properties.set(KEPT_PROPERTY, str(KEPT_SNAPSHOTS)).commit()
    else:
        snapshots = table.manageSnapshots()
        snapshots.setMinSnapshotsToKeep(_MAIN, KEPT_SNAPSHOTS).commit()


def files_of_expired(
    iceberg: Iceberg, table: Any, metadata: TableMetadata, snapshot_ids: Collection[int]
) -> list[str]:
    """Expire snapshots of a private table; return the files that only they needed, not removed."""
    consumer, collected = iceberg.functions.collector()
    refs = metadata.document.get("refs", {})
    gone = refs.keys() - without_history(refs, snapshot_ids).keys()
    if gone:
        manage = table.manageSnapshots()
        for name in gone:
            manage = manage.removeBranch(name)
        manage.commit()
    expiry = table.expireSnapshots()
    for snapshot_id in snapshot_ids:
        expiry = expiry.expireSnapshotId(snapshot_id)
    clean = True
    expiry.cleanExpiredFiles(clean).deleteWith(consumer).commit()
    return iceberg.functions.strings(iceberg.functions.to_list(collected), _TO_STRING)


def expired(
    iceberg: Iceberg, metadata: TableMetadata, snapshot_ids: Collection[int]
) -> TableMetadata:
    """Write a metadata file of a table without some of its snapshots, and return it."""
    parts = without(metadata.document, snapshot_ids)
    parts["refs"] = without_history(metadata.document.get("refs", {}), snapshot_ids)
    return rewritten(iceberg, metadata, parts)


def remove_files(iceberg: Iceberg, locations: Collection[str]) -> int:
    """Remove files and return how many; those that cannot be removed now are left."""
    if not locations:
        return 0
    try:
        iceberg.io.deleteFiles(iceberg.functions.named("java.util.ArrayList")(list(locations)))
    except Py4JJavaError:
        return 0
    return len(locations)


@dataclass(frozen=True, slots=True)
class Swept:
    """A table whose folder is swept, and what of it stays.

    What its metadata named `before`, `age` seconds ago, may still be read, and so may what was made
    `between`: from the second of these ages, that of `before`, to the first. Metadata files `also`
    stay, those `superseded` go however young they are.
    """

    metadata: TableMetadata
    before: TableMetadata | None
    also: Collection[str]
    superseded: Collection[str]
    age: float
    between: tuple[float, float] = (0, 0)


def unnamed_files(iceberg: Iceberg, swept: Swept) -> list[str]:
    """Return the files of a table's folder that are old, and that nothing names.

    Files are told apart by their places inside the folder, as stores write a location in more
    than one way.
    """
    folder = swept.metadata.document["location"].rstrip("/")

    def inside(locations: Iterable[str]) -> set[str]:
        return {_inside(folder, location) for location in locations}

    listed, now = files_in(iceberg, folder), time.time()
    present = inside(name for name, _ in listed)
    superseded = inside(swept.superseded)
    first, last = swept.between
    old = [
        name
        for name, made in listed
        for age in [now - made / 1000]
        if (age > swept.age and not first < age <= last) or _inside(folder, name) in superseded
    ]
    if not old:
        return []
    named = inside(swept.also) | inside(_named(iceberg, swept.metadata))
    if swept.before is not None:
        left = _left(swept.before, swept.metadata, present)
        named |= inside(_lists(swept.before, left))
        named |= inside(_manifests(iceberg, swept.before, left))
    return [name for name in old if _inside(folder, name) not in named]


def _left(before: TableMetadata, now: TableMetadata, present: Container[str]) -> list[int]:
    """Return the snapshots that left a table's log and did not expire: their lists are there."""
    folder, logged = now.document["location"].rstrip("/"), set(now.snapshots)
    return [
        each["snapshot-id"]
        for each in before.document.get("snapshots", ())
        if each["snapshot-id"] not in logged and _inside(folder, each["manifest-list"]) in present
    ]


def _lists(metadata: TableMetadata, snapshot_ids: Collection[int]) -> list[str]:
    documents = metadata.document.get("snapshots", ())
    return [each["manifest-list"] for each in documents if each["snapshot-id"] in snapshot_ids]


def _manifests(iceberg: Iceberg, metadata: TableMetadata, snapshot_ids: Sequence[int]) -> list[str]:
    """Return the manifests that the lists of snapshots name."""
    if not snapshot_ids:
        return []
    functions, table = iceberg.functions, iceberg.detached(metadata)
    found = functions.named("java.util.ArrayList")()
    for snapshot_id in snapshot_ids:
        found.add(table.snapshot(snapshot_id))
    manifests, _ = functions.flattened(found, _ALL_MANIFESTS, (table.io(),))
    return functions.strings(manifests, _PATH)


def files_in(iceberg: Iceberg, folder: str) -> list[tuple[str, float]]:
    """Return the files of a table's folder, each with when it was made, in milliseconds."""
    found: list[tuple[str, float]] = []
    for part in _PARTS:
        path = local_path(f"{folder}/{part}")
        if path is not None:
            files = (each for each in Path(path).rglob("*") if each.is_file())
            found += [(str(each), each.stat().st_mtime * 1000) for each in files]
            continue
        functions = iceberg.functions
        listed = functions.to_list(iceberg.io.listPrefix(f"{folder}/{part}/"))
        names = functions.strings(listed, (_FILE, "location"))
        times = functions.strings(listed, (_FILE, "createdAtMillis"), SHOWN)
        found += [(name, float(made)) for name, made in zip(names, times, strict=True)]
    return found


def _named(iceberg: Iceberg, metadata: TableMetadata) -> set[str]:
    """Return every file that a metadata file leads to, itself and its log included."""
    document = metadata.document
    named = {metadata.location}
    named.update(entry["metadata-file"] for entry in document.get("metadata-log", ()))
    named.update(each["manifest-list"] for each in document.get("snapshots", ()))
    for kind in ("statistics", "partition-statistics"):
        named.update(each["statistics-path"] for each in document.get(kind, ()))
    if metadata.snapshots:
        relation = iceberg.pin(metadata.location)
        for column, table in (("path", "all_manifests"), ("data_file.file_path", "all_entries")):
            rows = iceberg.spark.sql(f"SELECT DISTINCT {column} FROM {relation}.{table}").collect()
            named.update(row[0] for row in rows)
    return named


def _inside(folder: str, location: str) -> str:
    """Return a file's place in a table's folder; its checksum file goes and stays with it.

    >>> _inside("/w/t-1", "file:/w/t-1/data/.a.parquet.crc")
    'data/a.parquet'
    """
    name = folder.rsplit("/", 1)[-1]
    place = location.rsplit(f"/{name}/", 1)[-1]
    parent, _, last = place.rpartition("/")
    if last.startswith(".") and last.endswith(".crc"):
        last = last[1:].removesuffix(".crc")
    return f"{parent}/{last}"
