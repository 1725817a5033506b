"""Metadata files with less in them than the file before: written here, not by Iceberg."""

from __future__ import annotations

import json
import uuid
from collections.abc import Collection, Mapping
from typing import Any

from icemelt.tables.iceberg import Iceberg
from icemelt.tables.metadata.document import TableMetadata

__all__ = ["squash_snapshots", "without_snapshots", "write_metadata"]


def write_metadata(
    iceberg: Iceberg, metadata: TableMetadata, parts: Mapping[str, Any]
) -> TableMetadata:
    """Write a metadata file beside another file, with new values of some parts; return its content.

    Args:
        iceberg: the session's Iceberg catalog.
        metadata: the metadata to replace parts of.
        parts: the new values of top-level fields.
    """
    folder, name = metadata.location.rsplit("/", 1)
    location = f"{folder}/{name.split('-', 1)[0]}-{uuid.uuid4()}.metadata.json"
    text = json.dumps({**metadata.document, **parts})
    iceberg.files.write(location, text.encode())
    return iceberg.cache_metadata(location, text)


def without_snapshots(document: Mapping[str, Any], snapshot_ids: Collection[int]) -> dict[str, Any]:
    """Return the parts of a metadata file that change without some snapshots.

    The log of current snapshots begins after the last removed snapshot. With a gap it would tell
    engines with time travel of a state that was no longer current.
    """
    gone = set(snapshot_ids)
    log = document.get("snapshot-log", ())
    last = max((i for i, each in enumerate(log) if each["snapshot-id"] in gone), default=-1)
    parts = {
        name: [each for each in document.get(name, ()) if each["snapshot-id"] not in gone]
        for name in ("snapshots", "statistics", "partition-statistics")
    }
    return {**parts, "snapshot-log": log[last + 1 :]}


def squash_snapshots(iceberg: Iceberg, base: TableMetadata, mine: TableMetadata) -> TableMetadata:
    """Return the metadata of a table written several times since `base`, without inner snapshots.

    A new metadata file is written if there are several snapshots between `base` and `mine`.

    Args:
        iceberg: the session's Iceberg catalog.
        base: the table before.
        mine: the table after.
    """
    chain = mine.chain(base.current_snapshot_id, mine.current_snapshot_id)
    if chain is None or len(chain) < 2:  # noqa: PLR2004 - one snapshot hides nothing
        return mine
    inner = {snapshot.snapshot_id for snapshot in chain[:-1]}
    log = [
        entry
        for entry in mine.document.get("snapshot-log", [])
        if entry["snapshot-id"] not in inner
    ]
    return write_metadata(iceberg, mine, {"snapshot-log": log})
