"""The registry in the catalog's database: objects, versions, statements and transactions."""

from icemelt.catalog.database import Database, open_database
from icemelt.catalog.records import (
    ContainerRecord,
    LoadRecord,
    Moment,
    ReadState,
    SnapshotRecord,
    StatementRecord,
    TableRecord,
    VersionRecord,
)

__all__ = [
    "ContainerRecord",
    "Database",
    "LoadRecord",
    "Moment",
    "ReadState",
    "SnapshotRecord",
    "StatementRecord",
    "TableRecord",
    "VersionRecord",
    "open_database",
]
