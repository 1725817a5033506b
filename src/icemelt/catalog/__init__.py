"""The registry in the catalog's database: objects, versions, statements and transactions."""

from icemelt.catalog.activity_records import StatementRecord
from icemelt.catalog.database import Database, open_database
from icemelt.catalog.load_records import LoadRecord
from icemelt.catalog.records import (
    CatalogState,
    ContainerRecord,
    Moment,
    SnapshotRecord,
    TableRecord,
    VersionRecord,
)

__all__ = [
    "CatalogState",
    "ContainerRecord",
    "Database",
    "LoadRecord",
    "Moment",
    "SnapshotRecord",
    "StatementRecord",
    "TableRecord",
    "VersionRecord",
    "open_database",
]
