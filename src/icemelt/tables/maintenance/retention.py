"""Expiry of snapshots, and the files in a table's folder that no metadata names.

The main branch keeps all of its snapshots, whatever another engine's expiry asks for: a branch's
own setting takes precedence over arguments of a procedure. Only explicit snapshot ids remove
snapshots, as here.
"""

from __future__ import annotations

import re
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from py4j.protocol import Py4JJavaError
from pyspark.sql import functions

from icemelt.storage.store import StoredFile
from icemelt.tables.iceberg import Iceberg
from icemelt.tables.maintenance.collapse import is_history, without_history
from icemelt.tables.metadata.document import KEPT_PROPERTY, KEPT_SNAPSHOTS, TableMetadata
from icemelt.tables.scans.images import Scratch
from icemelt.tables.writes.rewriting import without_snapshots, write_metadata

__all__ = [
    "SweptTable",
    "expire_and_list_files",
    "find_unnamed_files",
    "keep_history",
    "list_files",
    "needed_snapshots",
    "remove_files",
    "write_expired_metadata",
]

_MAIN = "main"
_TO_STRING = ("java.lang.Object", "toString")
_PARTS = ("data", "metadata")
_ALL_MANIFESTS = (("org.apache.iceberg.Snapshot", "allManifests", "org.apache.iceberg.io.FileIO"),)
_PATH = ("org.apache.iceberg.ManifestFile", "path")
_NAMES = pa.schema([("name", pa.string())])
# as `_place_of` says it
_CHECKSUM = r"(^|/)\.([^/]+)\.crc$"
_PLACE = r"([^/]+-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/(?:data|metadata)/.*)$"
# the status of a manifest's entry for a file that the snapshot has no more
_DELETED = 2
_FIND_PLACE = re.compile(_PLACE)
_AT_ONCE = 10_000


def needed_snapshots(
    metadata: TableMetadata, versions: Iterable[tuple[int | None, Sequence[int]]]
) -> set[int]:
    """Return the snapshots of the log that reads between versions need.

    `versions` are pairs of a version's snapshot and the ids of the snapshots made by the version
    itself, oldest first, as the log has them. The first version is only the start of reads.
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
    """Let a table's main branch keep all snapshots; without a branch, set the table's property."""
    if metadata.current is None:
        properties = table.updateProperties()
        properties.set(KEPT_PROPERTY, str(KEPT_SNAPSHOTS)).commit()
    else:
        snapshots = table.manageSnapshots()
        snapshots.setMinSnapshotsToKeep(_MAIN, KEPT_SNAPSHOTS).commit()


def expire_and_list_files(
    iceberg: Iceberg, table: Any, metadata: TableMetadata, snapshot_ids: Collection[int]
) -> list[str]:
    """Expire snapshots of a private table; return the files that only they needed, not yet removed.

    Args:
        iceberg: the session's Iceberg catalog.
        table: Iceberg's private table.
        metadata: the table's metadata.
        snapshot_ids: the snapshots to expire.
    """
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


def write_expired_metadata(
    iceberg: Iceberg, metadata: TableMetadata, snapshot_ids: Collection[int]
) -> TableMetadata:
    """Write a metadata file of a table without some snapshots, and return its content.

    Args:
        iceberg: the session's Iceberg catalog.
        metadata: the table.
        snapshot_ids: the expired snapshots.
    """
    parts = without_snapshots(metadata.document, snapshot_ids)
    parts["refs"] = without_history(metadata.document.get("refs", {}), snapshot_ids)
    return write_metadata(iceberg, metadata, parts)


def remove_files(iceberg: Iceberg, locations: Collection[str]) -> int:
    """Remove files and return how many; files that cannot be removed now are left."""
    if not locations:
        return 0
    try:
        iceberg.io.deleteFiles(iceberg.functions.java_class("java.util.ArrayList")(list(locations)))
    except Py4JJavaError:
        return 0
    return len(locations)


@dataclass(frozen=True, slots=True)
class SweptTable:
    """A table whose files stay when folders are swept.

    Args:
        metadata: the table.
        before: the table `age` seconds ago, whose files may still be read.
        also: more metadata files that stay.
        superseded: metadata files that go, however young.
        age: the least age of files that go, in seconds.
        between: files of an age above the first and up to the second stay, too, in seconds.
    """

    metadata: TableMetadata
    before: TableMetadata | None
    also: Collection[str]
    superseded: Collection[str]
    age: float
    between: tuple[float, float] = (0, 0)


def find_unnamed_files(
    iceberg: Iceberg, tables: Sequence[SweptTable], folders: Sequence[str], scratch: Scratch
) -> list[str]:
    """Return the old files in folders of tables that no metadata of the tables names.

    Tables that share files are swept together. Files are compared by their path from the folder's
    own name on, as stores write a location in more than one way. Spark compares them: a table may
    have millions of files, all of them named.

    Args:
        iceberg: the session's Iceberg catalog.
        tables: all tables that may name files in the folders.
        folders: the folders, with names that end with a table's id.
        scratch: the folder for the list of old files.
    """
    earlier = _EarlierLists(tables)
    old = _OldFiles(tables)
    present = set[str]()
    files = chain.from_iterable(list_files(iceberg, folder.rstrip("/")) for folder in folders)
    while some := [*islice(files, _AT_ONCE)]:
        present.update(old.add(some) & earlier.places)
    if not old.count:
        return []
    named = [*present, *chain.from_iterable(table.also for table in tables)]
    for table in tables:
        named += _named_files(table.metadata)
    # those left the log and did not expire
    named += earlier.read_manifest_paths(iceberg, present)
    location = scratch.new_file(".parquet")
    iceberg.files.write(location, old.to_parquet())
    try:
        return _select_unnamed(iceberg, tables, location, [_place_of(name) for name in named])
    finally:
        iceberg.io.deleteFile(location)


class _EarlierLists:
    """The manifest lists that earlier metadata of tables names, and the newest does not."""

    def __init__(self, tables: Iterable[SweptTable]) -> None:
        self._lists: dict[str, tuple[TableMetadata, int]] = {}
        for table in tables:
            if table.before is None:
                continue
            logged = set(table.metadata.snapshots)
            for snapshot_id, location in _manifest_lists(table.before).items():
                if snapshot_id not in logged:
                    self._lists[_place_of(location)] = table.before, snapshot_id

    @property
    def places(self) -> AbstractSet[str]:
        """The paths of the manifest lists, as `_place_of` gives them."""
        return self._lists.keys()

    def read_manifest_paths(self, iceberg: Iceberg, places: Iterable[str]) -> list[str]:
        """Return the manifests in some of the manifest lists."""
        by_metadata: dict[str, tuple[TableMetadata, list[int]]] = {}
        for metadata, snapshot_id in (self._lists[place] for place in places):
            found = by_metadata.setdefault(metadata.location, (metadata, []))
            found[1].append(snapshot_id)
        paths: list[str] = []
        for metadata, snapshot_ids in by_metadata.values():
            paths += _read_manifest_paths(iceberg, metadata, snapshot_ids)
        return paths


class _OldFiles:
    """Collects the files old enough to be removed, packed: there may be very many."""

    def __init__(self, tables: Sequence[SweptTable]) -> None:
        self.count = 0
        self._tables, self._now = tables, time.time()
        self._age = max((table.age for table in tables), default=0)
        self._superseded = {_place_of(each) for table in tables for each in table.superseded}
        self._sink = pa.BufferOutputStream()
        self._writer = pq.ParquetWriter(self._sink, _NAMES, compression="zstd")

    def add(self, files: Iterable[StoredFile]) -> set[str]:
        """Add the old files among `files`; return the paths of all."""
        places, old = set[str](), []
        for file in files:
            age = self._now - file.modified_at / 1000
            place = _place_of(file.path)
            is_between = any(first < age <= last for first, last in self._between)
            if (age > self._age and not is_between) or place in self._superseded:
                old.append(file.path)
            places.add(place)
        if old:
            self._writer.write_table(pa.table({"name": old}, _NAMES))
            self.count += len(old)
        return places

    @property
    def _between(self) -> Iterator[tuple[float, float]]:
        return (table.between for table in self._tables)

    def to_parquet(self) -> bytes:
        """Return the collected files' names as Parquet."""
        self._writer.close()
        content: bytes = self._sink.getvalue().to_pybytes()
        return content


def _select_unnamed(
    iceberg: Iceberg, tables: Sequence[SweptTable], location: str, named: Sequence[str]
) -> list[str]:
    """Return the files that no path in `named` and no snapshot of the tables' logs names.

    Args:
        iceberg: the session's Iceberg catalog.
        tables: the tables.
        location: a Parquet file with the files' names.
        named: paths as `_place_of` gives them.
    """
    spark = iceberg.spark
    known = spark.createDataFrame(pa.table({"place": pa.array(named, pa.string())}))
    for metadata in (table.metadata for table in tables):
        if metadata.snapshots:
            relation = iceberg.pin(metadata.location)
            manifests = spark.table(f"{relation}.all_manifests").select("path")
            entries = spark.table(f"{relation}.all_entries").where(f"status <> {_DELETED}")
            content = entries.select("data_file.file_path")
            place = functions.regexp_extract("path", _PLACE, 1)
            known = known.union(manifests.union(content).select(place))
    place = functions.regexp_replace(functions.regexp_extract("name", _PLACE, 1), _CHECKSUM, "$1$2")
    found = spark.read.parquet(location).select("name", place.alias("place"))
    # a path without a table's folder is of no table
    found = found.where(functions.col("place") != "")
    return [row[0] for row in found.join(known, "place", "left_anti").select("name").collect()]


def _manifest_lists(metadata: TableMetadata) -> dict[int, str]:
    """Return the manifest lists of the snapshots in a table's log, by snapshot id."""
    documents = metadata.document.get("snapshots", ())
    return {each["snapshot-id"]: each["manifest-list"] for each in documents}


def _read_manifest_paths(
    iceberg: Iceberg, metadata: TableMetadata, snapshot_ids: Sequence[int]
) -> list[str]:
    """Return the manifests in the manifest lists of snapshots."""
    if not snapshot_ids:
        return []
    java, table = iceberg.functions, iceberg.detached_table(metadata)
    found = java.java_class("java.util.ArrayList")()
    for snapshot_id in snapshot_ids:
        found.add(table.snapshot(snapshot_id))
    manifests, _ = java.flat_map(found, _ALL_MANIFESTS, (table.io(),))
    return java.strings(manifests, _PATH)


def list_files(iceberg: Iceberg, folder: str) -> Iterator[StoredFile]:
    """Yield the files of a table's folder."""
    for part in _PARTS:
        yield from iceberg.files.list_files(f"{folder}/{part}")


def _named_files(metadata: TableMetadata) -> Iterator[str]:
    """Yield the files that a metadata file names, with the file itself and its log."""
    document = metadata.document
    yield metadata.location
    yield from (entry["metadata-file"] for entry in document.get("metadata-log", ()))
    yield from _manifest_lists(metadata).values()
    for kind in ("statistics", "partition-statistics"):
        yield from (each["statistics-path"] for each in document.get(kind, ()))


def _place_of(location: str) -> str:
    """Return a file's path from the name of its table's folder on, empty outside of such a folder.

    A checksum file counts as its file.

    >>> _place_of("file:/w/t-1e5c91d0-76c8-4aaf-9b62-5f44d60fa8bc/data/.a.parquet.crc")
    't-1e5c91d0-76c8-4aaf-9b62-5f44d60fa8bc/data/a.parquet'
    """
    found = _FIND_PLACE.search(location)
    place = "" if found is None else found.group(1)
    parent, _, last = place.rpartition("/")
    if last.startswith(".") and last.endswith(".crc"):
        last = last[1:].removesuffix(".crc")
    return f"{parent}/{last}" if parent else ""
