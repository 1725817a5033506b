"""Expiry of snapshots, and the files in a table's folder that no metadata names.

The main branch keeps all of its snapshots, whatever another engine's expiry asks for: a branch's
own setting takes precedence over arguments of a procedure. Only explicit snapshot ids remove
snapshots, as here.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
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
# as `_inside` says it
_CHECKSUM = r"(^|/)\.([^/]+)\.crc$"
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
    """A table whose folder is swept, and which files stay.

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


def find_unnamed_files(iceberg: Iceberg, swept: SweptTable, scratch: Scratch) -> list[str]:
    """Return the old files of a table's folder that no metadata names.

    Files are compared by their path inside the folder, as stores write a location in more than one
    way. Spark compares them: a table may have millions of files, all of them named.

    Args:
        iceberg: the session's Iceberg catalog.
        swept: the table, and which files stay.
        scratch: the folder for the list of old files.
    """
    folder = swept.metadata.document["location"].rstrip("/")
    logged = set(swept.metadata.snapshots)
    earlier = {} if swept.before is None else _manifest_lists(swept.before)
    lists = {
        _path_in_folder(folder, location): snapshot_id
        for snapshot_id, location in earlier.items()
        if snapshot_id not in logged
    }
    old = _OldFiles(folder, swept)
    present = set[str]()
    files = list_files(iceberg, folder)
    while some := [*islice(files, _AT_ONCE)]:
        present.update(old.add(some) & lists.keys())
    if not old.count:
        return []
    named = [*swept.also, *_named_files(swept.metadata), *present]
    if swept.before is not None:
        # those left the log and did not expire
        named += _read_manifest_paths(iceberg, swept.before, [lists[place] for place in present])
    location = scratch.new_file(".parquet")
    iceberg.files.write(location, old.to_parquet())
    try:
        return _select_unnamed(
            iceberg, swept.metadata, location, [_path_in_folder(folder, n) for n in named]
        )
    finally:
        iceberg.io.deleteFile(location)


class _OldFiles:
    """Collects the files old enough to be removed, packed: there may be very many."""

    def __init__(self, folder: str, swept: SweptTable) -> None:
        self.count = 0
        self._folder, self._swept, self._now = folder, swept, time.time()
        self._superseded = {_path_in_folder(folder, each) for each in swept.superseded}
        self._sink = pa.BufferOutputStream()
        self._writer = pq.ParquetWriter(self._sink, _NAMES, compression="zstd")

    def add(self, files: Iterable[StoredFile]) -> set[str]:
        """Add the old files among `files`; return the paths of all."""
        places, old = set[str](), []
        first, last = self._swept.between
        for file in files:
            age = self._now - file.modified_at / 1000
            place = _path_in_folder(self._folder, file.path)
            is_old = age > self._swept.age and not first < age <= last
            if is_old or place in self._superseded:
                old.append(file.path)
            places.add(place)
        if old:
            self._writer.write_table(pa.table({"name": old}, _NAMES))
            self.count += len(old)
        return places

    def to_parquet(self) -> bytes:
        """Return the collected files' names as Parquet."""
        self._writer.close()
        content: bytes = self._sink.getvalue().to_pybytes()
        return content


def _select_unnamed(
    iceberg: Iceberg, metadata: TableMetadata, location: str, named: Sequence[str]
) -> list[str]:
    """Return the files that no path in `named` and no snapshot of the table's log names.

    Args:
        iceberg: the session's Iceberg catalog.
        metadata: the table.
        location: a Parquet file with the files' names.
        named: paths inside the table's folder.
    """
    spark = iceberg.spark
    folder = metadata.document["location"].rstrip("/").rsplit("/", 1)[-1]
    known = spark.createDataFrame(pa.table({"place": pa.array(named, pa.string())}))
    if metadata.snapshots:
        relation = iceberg.pin(metadata.location)
        manifests = spark.table(f"{relation}.all_manifests").select("path")
        content = spark.table(f"{relation}.all_entries").select("data_file.file_path")
        place = functions.substring_index("path", f"/{folder}/", -1)
        known = known.union(manifests.union(content).select(place))
    place = functions.substring_index("name", f"/{folder}/", -1)
    place = functions.regexp_replace(place, _CHECKSUM, "$1$2").alias("place")
    found = spark.read.parquet(location).select("name", place)
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


def _path_in_folder(folder: str, location: str) -> str:
    """Return a file's path in a table's folder; a checksum file counts as its file.

    >>> _path_in_folder("/w/t-1", "file:/w/t-1/data/.a.parquet.crc")
    'data/a.parquet'
    """
    name = folder.rsplit("/", 1)[-1]
    place = location.rsplit(f"/{name}/", 1)[-1]
    parent, _, last = place.rpartition("/")
    if last.startswith(".") and last.endswith(".crc"):
        last = last[1:].removesuffix(".crc")
    return f"{parent}/{last}"
