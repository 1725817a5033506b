"""What foreign engines did becomes versions and edits, with the time at which it was first seen."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from icemelt.catalog.database import Database
from icemelt.catalog.edits import Commit, Edit, MakeContainer, MakeTable, VersionStats
from icemelt.catalog.model import iceberg_tables, objects, versions
from icemelt.catalog.pointers import pointer_of
from icemelt.catalog.publishing import Published, add_transaction, publish, tick
from icemelt.catalog.records import TableRecord
from icemelt.catalog.writer import Writer
from icemelt.errors import ObjectExists, ObjectNotFound
from icemelt.observe.emitting import emit, tolerate
from icemelt.observe.events import ForeignTableAdopted

__all__ = ["Sighting", "adopt_edits", "adopt_table", "adopt_versions"]

_FOREIGN = "foreign"


@dataclass(frozen=True, slots=True)
class Sighting:
    """A table whose pointer a foreign engine has moved or taken away, and the versions it made."""

    table: TableRecord
    location: str | None
    versions: tuple[VersionStats, ...] = ()


def adopt_versions(database: Database, sighting: Sighting) -> bool:
    """Add the versions of a sighting; False where another session has changed the table since."""
    table = sighting.table
    with database.write() as connection:
        if not _still_seen(connection, database, sighting):
            return False
        for stats in sighting.versions:
            writer = _writer(connection, database)
            writer.add_version(table.object_id, sighting.location or table.known, stats)
        if not sighting.versions:
            connection.execute(
                objects.update()
                .where(objects.c.object_id == table.object_id)
                .values(known_location=sighting.location)
            )
            connection.execute(
                versions.update()
                .where(versions.c.table_id == table.object_id, versions.c.version == table.version)
                .values(location=sighting.location)
            )
        return True


def adopt_edits(database: Database, sighting: Sighting, edits: Sequence[Edit]) -> bool:
    """Make the edits a sighting asks for; False where another session has seen to it."""
    with database.write() as connection:
        if not _still_seen(connection, database, sighting):
            return False
        writer = _writer(connection, database)
        for edit in edits:
            writer.apply(edit)
        return True


def adopt_table(database: Database, containers: Sequence[MakeContainer], table: MakeTable) -> bool:
    """Register a table that a foreign engine made, with the containers it needs.

    Where it has moved on, or another session was first, the next look at the names tells.
    """
    edits: tuple[Edit, ...] = (*containers, table)
    with tolerate(ObjectExists, ObjectNotFound, to=f"adopt table {table.name}"):
        outcome = publish(database, Commit(str(uuid.uuid4()), _FOREIGN, _FOREIGN, edits))
        if isinstance(outcome, Published):
            emit(ForeignTableAdopted(str(table.name), "created"))
    return True


def _still_seen(connection: sa.Connection, database: Database, sighting: Sighting) -> bool:
    table = sighting.table
    known = connection.scalar(
        sa.select(objects.c.known_location).where(
            objects.c.object_id == table.object_id, objects.c.dropped_at.is_(None)
        )
    )
    pointer = connection.scalar(
        sa.select(iceberg_tables.c.metadata_location).where(
            *pointer_of(database, table.namespace, table.catalog_table_name)
        )
    )
    return known == table.known and pointer == sighting.location


def _writer(connection: sa.Connection, database: Database) -> Writer:
    moment = tick(connection, database)
    commit = Commit(str(uuid.uuid4()), _FOREIGN, _FOREIGN, ())
    add_transaction(connection, commit, moment)
    return Writer(connection, database, commit, moment)
