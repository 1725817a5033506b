"""The state of a table at a collapsed snapshot: the surviving snapshot, without later files."""

from __future__ import annotations

import json
import uuid
from typing import Any

from icemelt.tables.iceberg import Iceberg
from icemelt.tables.manifests.reader import ManifestReader
from icemelt.tables.metadata.document import TableMetadata
from icemelt.tables.metadata.locations import first_metadata_file
from icemelt.tables.metadata.snapshots import Snapshot

__all__ = ["remove_later_files", "write_restored_metadata"]

_NAMESPACE = ("collapsed",)
_DELETE = ("org.apache.iceberg.DeleteFiles", "deleteFile", "org.apache.iceberg.DataFile")
_METADATA_PATH = "write.metadata.path"


def write_restored_metadata(
    iceberg: Iceberg, metadata: TableMetadata, snapshot: Snapshot, folder: str
) -> str:
    """Write a metadata file of a table at a collapsed snapshot; return its location.

    Args:
        iceberg: the session's Iceberg catalog.
        metadata: the table.
        snapshot: the collapsed snapshot.
        folder: a folder for the metadata file and its manifests alone.
    """
    document = metadata.document_at(snapshot.stored_id)
    document["location"] = folder
    document["properties"] = {
        name: value for name, value in document["properties"].items() if name != _METADATA_PATH
    }
    location = first_metadata_file(folder)
    iceberg.files.write(location, json.dumps(document).encode())
    name = uuid.uuid4().hex
    iceberg.register(_NAMESPACE, name, location)
    table = iceberg.table(_NAMESPACE, name)
    remove_later_files(iceberg, table, metadata, snapshot)
    written: str = table.operations().current().metadataFileLocation()
    iceberg.forget_table(_NAMESPACE, name)
    return written


def remove_later_files(
    iceberg: Iceberg, table: Any, metadata: TableMetadata, snapshot: Snapshot
) -> None:
    """Remove files later than a collapsed snapshot from a private table.

    Args:
        iceberg: the session's Iceberg catalog.
        table: Iceberg's private table, at the surviving snapshot.
        metadata: the table's metadata.
        snapshot: the collapsed snapshot.
    """
    carrier = metadata.snapshots[snapshot.stored_id]
    later = ManifestReader(iceberg, table).read_files_since(carrier, snapshot.sequence_number)
    delete = table.newDelete()
    iceberg.functions.call_with_each(later, delete, _DELETE)
    delete.commit()
