"""Adopt foreign engines' changes as versions and edits, at the time of their first sight."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from icemelt.catalog.database import Database
from icemelt.catalog.edits import CommitRequest, Edit, MakeContainer, MakeTable, VersionStats
from icemelt.catalog.model import iceberg_tables, objects, versions
from icemelt.catalog.pointers import match_pointer
from icemelt.catalog.publishing import Published, add_transaction, next_commit, publish
from icemelt.catalog.records import TableRecord
from icemelt.catalog.writer import Writer
from icemelt.errors import ObjectExists, ObjectNotFound
from icemelt.observe.emitting import emit, tolerate
from icemelt.observe.events import ForeignTableAdopted

__all__ = ["Observation", "adopt_edits", "adopt_table", "adopt_versions"]

_FOREIGN = "foreign"


@dataclass(frozen=True, slots=True)
class Observation:
    """A change of a table's pointer by a foreign engine.

    Args:
        table: the table in the registry.
        location: the new metadata file, None where the pointer is gone.
        versions: the versions made by the foreign engine.
    """

    table: TableRecord
    location: str | None
    versions: tuple[VersionStats, ...] = ()


def adopt_versions(database: Database, observation: Observation) -> bool:
    """Add a foreign engine's versions; return False where the table has changed again.

    Args:
        database: the catalog's database.
        observation: the table and the versions.
    """
    table = observation.table
    with database.write() as connection:
        if not _is_unchanged(connection, database, observation):
            return False
        for stats in observation.versions:
            writer = _writer(connection, database)
            writer.add_version(table.object_id, observation.location or table.known_location, stats)
        if not observation.versions:
            connection.execute(
                objects.update()
                .where(objects.c.object_id == table.object_id)
                .values(known_location=observation.location)
            )
            connection.execute(
                versions.update()
                .where(versions.c.table_id == table.object_id, versions.c.version == table.version)
                .values(location=observation.location)
            )
        return True


def adopt_edits(database: Database, observation: Observation, edits: Sequence[Edit]) -> bool:
    """Apply edits for a foreign change; return False where the table has changed again.

    Args:
        database: the catalog's database.
        observation: the table and its new pointer.
        edits: the changes of the registry.
    """
    with database.write() as connection:
        if not _is_unchanged(connection, database, observation):
            return False
        writer = _writer(connection, database)
        for edit in edits:
            writer.apply(edit)
        return True


def adopt_table(database: Database, containers: Sequence[MakeContainer], table: MakeTable) -> bool:
    """Register a table made by a foreign engine, with missing containers; return True.

    Where the table has changed again, or another session was first, the error is tolerated: the
    next look-up of the names finds out.

    Args:
        database: the catalog's database.
        containers: the database and schema to make.
        table: the table.
    """
    edits: tuple[Edit, ...] = (*containers, table)
    with tolerate(ObjectExists, ObjectNotFound, to=f"adopt table {table.name}"):
        outcome = publish(database, CommitRequest(str(uuid.uuid4()), _FOREIGN, _FOREIGN, edits))
        if isinstance(outcome, Published):
            emit(ForeignTableAdopted(str(table.name), "created"))
    return True


def _is_unchanged(connection: sa.Connection, database: Database, observation: Observation) -> bool:
    """Return whether registry and pointer are still as observed."""
    table = observation.table
    known = connection.scalar(
        sa.select(objects.c.known_location).where(
            objects.c.object_id == table.object_id, objects.c.dropped_at.is_(None)
        )
    )
    pointer = connection.scalar(
        sa.select(iceberg_tables.c.metadata_location).where(
            *match_pointer(database, table.namespace, table.catalog_table_name)
        )
    )
    return known == table.known_location and pointer == observation.location


def _writer(connection: sa.Connection, database: Database) -> Writer:
    moment = next_commit(connection, database.clock(connection))
    commit = CommitRequest(str(uuid.uuid4()), _FOREIGN, _FOREIGN, ())
    add_transaction(connection, commit, moment)
    return Writer(connection, database, commit, moment)
