"""The folders of tables that icemelt has made."""

from __future__ import annotations

from icemelt.catalog.records import TableRecord
from icemelt.session.runtime.core import Core

__all__ = ["has_own_folder"]


def has_own_folder(core: Core, table: TableRecord) -> bool:
    """Tell whether a table's folder has the table's id, as all folders made by icemelt."""
    is_named_so = table.folder.endswith(f"-{table.object_id}")
    return is_named_so and core.database.warehouse in table.folder
