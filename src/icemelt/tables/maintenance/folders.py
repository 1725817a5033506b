"""Folders of tables and views, and folders left in a warehouse by a killed CREATE."""

from __future__ import annotations

import re
import time

from icemelt.tables.iceberg import Iceberg
from icemelt.tables.maintenance.retention import list_files
from icemelt.tables.metadata.document import LAKE_PROPERTY

__all__ = ["is_old_folder", "table_folders"]

_NAME = re.compile(r".+-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})")
_METADATA = ".metadata.json"


def table_folders(iceberg: Iceberg, warehouse: str) -> dict[str, str]:
    """Return the folders of a warehouse with names as icemelt gives, by table id."""
    named = ((_NAME.fullmatch(name), name) for name in iceberg.files.list_folders(warehouse))
    return {found.group(1): f"{warehouse}/{name}" for found, name in named if found is not None}


def is_old_folder(iceberg: Iceberg, folder: str, lake_id: str, seconds: float) -> bool:
    """Return whether a table or view of this lake wrote a folder, and nobody has written it since.

    The metadata in the folder says which lake made it: a warehouse may have tables of several
    lakes.

    Args:
        iceberg: the session's Iceberg catalog.
        folder: the folder.
        lake_id: the lake's id.
        seconds: the least age of the newest file, in seconds.

    Raises:
        FileDamaged: the metadata cannot be read.
    """
    found = [*list_files(iceberg, folder)]
    oldest = (time.time() - seconds) * 1000
    if not found or max(file.modified_at for file in found) >= oldest:
        return False
    first = min((file.path for file in found if file.path.endswith(_METADATA)), default=None)
    return first is not None and iceberg.properties(first).get(LAKE_PROPERTY) == lake_id
