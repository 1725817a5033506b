"""A table at a snapshot that left the log: its carrier, without the files that came later."""

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
    """Write a metadata file of a table as it was at a collapsed snapshot; return its location.

    It and the manifests that it needs are in a folder of its own.
    """
    document = metadata.document_at(snapshot.stored_id)
    document["location"] = folder
    document["properties"] = {
        name: value for name, value in document["properties"].items() if name != _METADATA_PATH
    }
    location = first_metadata_file(folder)
    iceberg.write_bytes(location, json.dumps(document).encode())
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
    """Take the files out of a private table, at the carrier, that came after a collapsed one."""
    carrier = metadata.snapshots[snapshot.stored_id]
    later = ManifestReader(iceberg, table).read_files_since(carrier, snapshot.sequence_number)
    delete = table.newDelete()
    iceberg.functions.call_with_each(later, delete, _DELETE)
    delete.commit()
