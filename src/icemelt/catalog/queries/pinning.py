"""Tables at an earlier moment: the version, the pointer and the snapshot of then."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import sqlalchemy as sa

from icemelt.catalog.queries.look_ups import LookUp
from icemelt.catalog.queries.versions import last_versions, version_at
from icemelt.catalog.records import Moment, TableRecord, VersionRecord

__all__ = ["pin_tables", "table_at", "table_with_version"]


def table_at(connection: sa.Connection, table: TableRecord, moment: Moment) -> TableRecord | None:
    """Return a table at the version of a moment, None before the table's first version.

    A table dropped after the moment is returned as not dropped.
    """
    version = version_at(connection, table.object_id, moment.commit_number)
    return None if version is None else table_with_version(table, version, moment)


def pin_tables(at: LookUp, tables: Iterable[TableRecord]) -> list[TableRecord]:
    """Return tables as of a look-up's moment, in few queries whatever their number.

    Temporary tables, and tables without a version at the moment, are returned as of now.
    """
    found = list(tables)
    moment = at.as_of
    if moment is None:
        return found
    permanent = [table.object_id for table in found if table.session_id is None]
    versions = last_versions(at.connection, permanent, moment.commit_number)
    return [
        table_with_version(table, versions[table.object_id], moment)
        if table.object_id in versions
        else table
        for table in found
    ]


def table_with_version(table: TableRecord, version: VersionRecord, moment: Moment) -> TableRecord:
    """Return a table with the pointer and the snapshot of a version, as of a moment.

    Args:
        table: the table as of now.
        version: the table's last version at the moment.
        moment: a table dropped after the moment is returned as not dropped.
    """
    dropped_at = table.dropped_at
    if dropped_at is not None and dropped_at > moment.time:
        dropped_at = None
    location = table.known_location if version.version == table.version else version.location
    return replace(
        table,
        pointer=location,
        known_location=location or table.known_location,
        version=version.version,
        snapshot_id=version.snapshot_id,
        dropped_at=dropped_at,
    )
