"""The first metadata file of a clone: one snapshot of another table, and none of its files copied.

The clone's snapshot names the manifest list of the source's snapshot. Rows keep their `_row_id`,
and a clone gives out row ids from the number at which the source stood. So a `_row_id` of a later
row may be met in both tables; a row is told by its namespace of row ids as well. Four rows, then a
clone, then a row in each:

    source  namespaces 0: s           _row_id 0 1 2 3 4    row ids s0 s1 s2 s3 s4
    clone   namespaces 0: s, 4: c     _row_id 0 1 2 3 4    row ids s0 s1 s2 s3 c4
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from icemelt.tables.iceberg import Iceberg
from icemelt.tables.metadata.document import (
    COLLECTION_PROPERTY,
    DOMAINS_PROPERTY,
    ERROR_PROPERTY,
    KEPT_SNAPSHOTS,
    TableMetadata,
)
from icemelt.tables.metadata.locations import first_metadata_file
from icemelt.tables.metadata.snapshots import RUN_PARENT, RUN_SINCE
from icemelt.tables.writes.rewriting import write_metadata

__all__ = [
    "ClonedTable",
    "find_foreign_place",
    "with_collection",
    "write_clone",
    "write_kept_files",
]

# where other engines may put files outside of the table's folder
_PLACES = (
    "write.data.path",
    "write.metadata.path",
    "write.folder-storage.path",
    "write.object-storage.path",
)
_MAIN = "main"
_KEPT = {"min-snapshots-to-keep": KEPT_SNAPSHOTS}


def find_foreign_place(metadata: TableMetadata) -> str | None:
    """Return the property that may put a table's files outside of its folder; None for none."""
    return next((name for name in _PLACES if name in metadata.properties), None)


@dataclass(frozen=True, slots=True)
class ClonedTable:
    """The table that a clone begins as.

    Attributes:
        metadata: the source, whose columns are the clone's.
        snapshot_id: the snapshot in the source's log that the clone begins with; None for the empty
            table.
        own_ids: the row id from which on the ids are the clone's own, and not the source's.
        logs_errors: whether the clone keeps rejected rows, if the source does.
    """

    metadata: TableMetadata
    snapshot_id: int | None
    own_ids: int
    logs_errors: bool


def write_clone(
    iceberg: Iceberg, cloned: ClonedTable, folder: str, table_uuid: str
) -> TableMetadata:
    """Write the first metadata file of a clone, and return its content.

    Args:
        iceberg: the session's Iceberg catalog.
        cloned: the table that the clone begins as.
        folder: the clone's folder.
        table_uuid: Iceberg's UUID of the clone.
    """
    metadata, snapshot_id = cloned.metadata, cloned.snapshot_id
    is_now = snapshot_id == metadata.current_snapshot_id
    document = dict(metadata.document) if is_now else metadata.document_at(snapshot_id)
    now = max(int(time.time() * 1000), metadata.document["last-updated-ms"])
    snapshots = [
        _without_run(each)
        for each in metadata.document.get("snapshots", ())
        if each["snapshot-id"] == snapshot_id
    ]
    log = [{"snapshot-id": snapshot_id, "timestamp-ms": now}] if snapshots else []
    document |= {
        "table-uuid": table_uuid,
        "location": folder,
        "last-updated-ms": now,
        "current-snapshot-id": -1 if snapshot_id is None else snapshot_id,
        "snapshots": snapshots,
        "snapshot-log": log,
        "metadata-log": [],
        "statistics": [],
        "partition-statistics": [],
        "refs": _refs(metadata, snapshot_id),
        "properties": _clone_properties(cloned, table_uuid),
    }
    location = first_metadata_file(folder)
    text = json.dumps(document)
    iceberg.files.write(location, text.encode())
    return iceberg.cache_metadata(location, text)


def write_kept_files(iceberg: Iceberg, metadata: TableMetadata) -> TableMetadata:
    """Return a table's metadata whose files no engine removes; write the file if it is needed.

    The main branch keeps its snapshots, too: an expiry that another engine has begun before looks
    at `gc.enabled` no more, and at the branch again.
    """
    if not metadata.collects_files:
        return metadata
    parts: dict[str, Any] = {"properties": with_collection(metadata, "false")}
    refs = metadata.document.get("refs", {})
    if _MAIN in refs:
        parts["refs"] = {**refs, _MAIN: {**refs[_MAIN], **_KEPT}}
    return write_metadata(iceberg, metadata, parts)


def with_collection(metadata: TableMetadata, collection: str | None) -> dict[str, str]:
    """Return a table's properties with another value of `gc.enabled`; None removes the property."""
    properties = {
        name: value for name, value in metadata.properties.items() if name != COLLECTION_PROPERTY
    }
    return properties if collection is None else {**properties, COLLECTION_PROPERTY: collection}


def _clone_properties(cloned: ClonedTable, table_uuid: str) -> dict[str, str]:
    metadata, begin = cloned.metadata, cloned.own_ids
    domains = [each for each in metadata.row_domains if each[0] < begin]
    properties = with_collection(metadata, "false")
    properties[DOMAINS_PROPERTY] = json.dumps([*domains, (begin, table_uuid)])
    if not cloned.logs_errors:
        properties.pop(ERROR_PROPERTY, None)
    return properties


def _refs(metadata: TableMetadata, snapshot_id: int | None) -> dict[str, Any]:
    """Return the clone's main branch, which keeps its snapshots; no branch without a snapshot."""
    if snapshot_id is None:
        return {}
    main = metadata.document.get("refs", {}).get(_MAIN, {})
    return {_MAIN: {**main, **_KEPT, "type": "branch", "snapshot-id": snapshot_id}}


def _without_run(snapshot: Mapping[str, Any]) -> dict[str, Any]:
    """Return a snapshot that stands for itself alone: the source's run is not in the clone."""
    marks = {RUN_SINCE, RUN_PARENT}
    summary = {name: text for name, text in snapshot["summary"].items() if name not in marks}
    return {**snapshot, "summary": summary}
