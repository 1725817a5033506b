"""The tables of a statement, at one moment; what foreign engines did to them is adopted first."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from dataclasses import dataclass

from icemelt.catalog.adoption import Sighting, adopt_table, adopt_versions
from icemelt.catalog.database import Database
from icemelt.catalog.edits import MakeContainer, MakeTable, VersionStats
from icemelt.catalog.reading import containers, read_state, unadopted, versions_between
from icemelt.catalog.records import ReadState, TableRecord
from icemelt.errors import CatalogReadOnly, FileDamaged
from icemelt.names import TableName, fold
from icemelt.tables.iceberg import Iceberg
from icemelt.transactions.stats import foreign_versions

__all__ = ["Resolver"]

_ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class Resolver:
    """Finds tables for one session."""

    database: Database
    iceberg: Iceberg
    session_id: str

    def resolve(self, names: Iterable[TableName]) -> ReadState:
        """Return the named tables that exist, each at a version that the registry knows.

        Where the registry cannot be written, a foreign engine's commits are read without being
        adopted.
        """
        wanted = tuple(names)
        state = self._read(wanted)
        for _ in range(_ATTEMPTS):
            moved = [t for t in state.tables.values() if t.pointer not in {t.known, None}]
            missing = [name for name in wanted if name not in state.tables]
            try:
                adopted = [self._adopt(table) for table in moved]
                found = self.adopt_tables(missing) if missing else 0
            except CatalogReadOnly:
                return state
            if not adopted and not found:
                return state
            state = self._read(wanted)
        return state

    def adopt_tables(self, names: Iterable[TableName] | None = None) -> int:
        """Register tables that foreign engines made: those named, or all; return how many."""
        wanted = None if names is None else {name.folded for name in names}
        with self.database.read() as connection:
            found = unadopted(connection, self.database)
        adopted = 0
        for namespace, name, location in found:
            full = _full_name(namespace, name)
            if wanted is None or full.folded in wanted:
                adopted += self._adopt_table(full, namespace, location)
        return adopted

    def _read(self, names: tuple[TableName, ...]) -> ReadState:
        with self.database.read() as connection:
            state = read_state(connection, self.database, names, self.session_id)
        present = {name: t for name, t in state.tables.items() if t.pointer is not None}
        return ReadState(state.moment, state.now, present)

    def _adopt(self, table: TableRecord) -> bool:
        location = table.pointer or ""
        metadata = self.iceberg.metadata(location)
        with self.database.read() as connection:
            known = {
                snapshot.snapshot_id
                for version in versions_between(connection, table.object_id, -1)
                for snapshot in version.snapshots
            }
        changed = metadata.current_snapshot_id != table.snapshot_id
        versions = foreign_versions(metadata, known) if changed else ()
        return adopt_versions(self.database, Sighting(table, location, versions))

    def _adopt_table(self, name: TableName, namespace: str, location: str) -> int:
        try:
            metadata = self.iceberg.metadata(location)
        except FileDamaged:
            return 0
        with self.database.read() as connection:
            databases = {fold(c.name): c for c in containers(connection)}
            schemas = {fold(c.name): c for c in containers(connection, name.database)}
        made = []
        database = databases.get(fold(name.database))
        database_id = str(uuid.uuid4()) if database is None else database.object_id
        if database is None:
            made.append(MakeContainer(database_id, name.database, name.database))
        schema = schemas.get(fold(name.schema))
        schema_id = str(uuid.uuid4()) if schema is None else schema.object_id
        if schema is None:
            made.append(MakeContainer(schema_id, name.schema, namespace, database_id))
        versions = foreign_versions(metadata, ())
        first = versions[-1] if versions else VersionStats(None, "foreign")
        table = MakeTable(
            object_id=str(uuid.uuid4()),
            parent_id=schema_id,
            name=name,
            namespace=namespace,
            table_uuid=metadata.table_uuid,
            location=location,
            stats=first,
            tracked=metadata.format_version >= 3,  # noqa: PLR2004 - row ids came with version 3
        )
        return int(adopt_table(self.database, made, table))


def _full_name(namespace: str, name: str) -> TableName:
    """Return the name under which a catalog's table is seen.

    A namespace of one level is a schema of the database `main`; of more than two, the rest is the
    schema's name.
    """
    database, _, schema = namespace.partition(".")
    return TableName(database, schema, name) if schema else TableName("main", database, name)
