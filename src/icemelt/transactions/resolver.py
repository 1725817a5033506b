"""Find the tables of a statement, all as of one moment; adopt foreign engines' commits first."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from icemelt.catalog.adoption import Observation, adopt_edits, adopt_table, adopt_versions
from icemelt.catalog.database import Database
from icemelt.catalog.edits import (
    DropObject,
    Edit,
    MakeContainer,
    MakeTable,
    MoveObject,
    VersionStats,
)
from icemelt.catalog.queries.finding import read_state
from icemelt.catalog.queries.information_schema import is_relation
from icemelt.catalog.queries.listing import list_objects
from icemelt.catalog.queries.look_ups import LookUp
from icemelt.catalog.queries.reading import containers, moved_tables, unadopted, unpointed
from icemelt.catalog.queries.versions import snapshots_backwards
from icemelt.catalog.records import CatalogState, Listing, StreamRecord, TableRecord, Wanted
from icemelt.errors import CatalogReadOnly, FileDamaged
from icemelt.names import QualifiedName, fold
from icemelt.observe.emitting import emit, tolerate
from icemelt.observe.events import (
    CatalogErrorTolerated,
    Event,
    ForeignCommitsAdopted,
    ForeignTableAdopted,
)
from icemelt.tables.iceberg import Iceberg
from icemelt.tables.metadata.document import TableMetadata
from icemelt.transactions.stats import foreign_versions

__all__ = ["Resolver"]

_ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class Resolver:
    """Finds tables, views and streams for one session.

    Args:
        database: the catalog's database.
        iceberg: the session's Iceberg, which reads metadata files.
        session_id: the session whose temporary tables are visible.
    """

    database: Database
    iceberg: Iceberg
    session_id: str

    def resolve(self, names: Iterable[QualifiedName]) -> CatalogState:
        """Return the named objects that exist, tables at versions known to the registry.

        Where the registry cannot be written, a foreign engine's commits are read without adoption.
        """
        wanted = tuple(names)
        if any(map(is_relation, wanted)):
            with tolerate(CatalogReadOnly, to="adopt what other engines did"):
                self.adopt_tables()
            self.adopt_moved()
        state = self._read(wanted)
        for _ in range(_ATTEMPTS):
            read = [table for each in state.streams.values() for table in each.tables]
            seen = [*state.tables.values(), *(t for t in read if t.dropped_at is None)]
            moved = [table for table in seen if table.pointer not in {table.known_location, None}]
            objects = state.objects
            inside = [each.name for view in state.views.values() for each in view.sources]
            missing = [name for name in (*wanted, *inside) if name not in objects]
            missing += [table.name for table in seen if table.pointer is None]
            try:
                adopted = [self._adopt(table) for table in moved]
                appeared = self.adopt_tables(missing) if missing else 0
            except CatalogReadOnly as error:
                action = "adopt what other engines did"
                emit(CatalogErrorTolerated(action, error.code, error.message))
                return state
            if not adopted and not appeared:
                return state
            state = self._read(wanted)
        return state

    def list_objects(self, wanted: Wanted) -> Listing:
        """Return objects as of now, after the adoption of the foreign commits on known tables."""
        if wanted.kinds & {TableRecord.kind, StreamRecord.kind}:
            self.adopt_moved()
        with self.database.read() as connection:
            last = self.database.read_lake(connection).last
            look_up = LookUp(connection, self.database, self.session_id, last, None)
            return list_objects(look_up, wanted)

    def adopt_moved(self, table_ids: Collection[str] | None = None) -> None:
        """Adopt the foreign commits on known tables.

        A table with an unreadable metadata file is skipped: a statement on the table gets the
        error.

        Args:
            table_ids: the object ids of the tables to look at, None for all.
        """
        with self.database.read() as connection:
            moved = moved_tables(connection, self.database, table_ids)
        for table in moved:
            with tolerate(CatalogReadOnly, FileDamaged, to=f"adopt commits of table {table.name}"):
                self._adopt(table)

    def adopt_tables(self, names: Iterable[QualifiedName] | None = None) -> int:
        """Adopt foreign changes of tables: created, renamed and dropped tables; return how many.

        A table dropped by a foreign engine can be brought back as long as its files are there.

        Args:
            names: the tables to look at, None for all.
        """
        wanted = None if names is None else {name.folded for name in names}

        def is_wanted(name: QualifiedName) -> bool:
            return wanted is None or name.folded in wanted

        with self.database.read() as connection:
            pointers = unadopted(connection, self.database)
            lost = {table.table_uuid: table for table in unpointed(connection, self.database)}
        look_at_all = any(is_wanted(table.name) for table in lost.values())
        adopted = 0
        for namespace, name, location in pointers:
            full = _full_name(namespace, name)
            if look_at_all or is_wanted(full):
                adopted += self._adopt_pointer(full, namespace, location, lost)
        for table in lost.values():
            if is_wanted(table.name):
                drop = [DropObject(table.object_id)]
                is_first = adopt_edits(self.database, Observation(table, None), drop)
                adopted += _emit_if_first(is_first, ForeignTableAdopted(str(table.name), "dropped"))
        return adopted

    def _read(self, names: tuple[QualifiedName, ...]) -> CatalogState:
        """Return the named objects as of now, without tables that have lost their pointers."""
        with self.database.read() as connection:
            state = read_state(connection, self.database, names, self.session_id)
        present = {
            name: record
            for name, record in state.objects.items()
            if not isinstance(record, TableRecord) or record.pointer is not None
        }
        return replace(state, objects=present)

    def _adopt(self, table: TableRecord) -> bool:
        """Adopt foreign commits on a table, or a new table of its name; return if first."""
        location = table.pointer or ""
        metadata = self.iceberg.metadata(location)
        if metadata.table_uuid != table.table_uuid:
            containers, schema_id = self._find_containers(table.name, table.namespace)
            new = _make_table_edit(metadata, table.name, table.namespace, schema_id)
            edits: list[Edit] = [DropObject(table.object_id), *containers, new]
            is_first = adopt_edits(self.database, Observation(table, location), edits)
            return _emit_if_first(is_first, ForeignTableAdopted(str(table.name), "replaced"))
        versions: tuple[VersionStats, ...] = ()
        if metadata.current_snapshot_id != table.snapshot_id:
            with self.database.read() as connection:
                known = snapshots_backwards(connection, table.object_id)
                versions = foreign_versions(metadata, known)
        is_first = adopt_versions(self.database, Observation(table, location, versions))
        return _emit_if_first(is_first, ForeignCommitsAdopted(str(table.name), len(versions)))

    def _adopt_pointer(
        self, name: QualifiedName, namespace: str, location: str, lost: dict[str, TableRecord]
    ) -> bool:
        """Register a pointer without an object: a new table, or a renamed table out of `lost`.

        Args:
            name: the table's full name.
            namespace: the table's namespace in the catalog.
            location: the table's metadata file.
            lost: the registry's tables without a pointer, by UUID.
        """
        try:
            metadata = self.iceberg.metadata(location)
        except FileDamaged:
            return False
        containers, schema_id = self._find_containers(name, namespace)
        renamed = lost.pop(metadata.table_uuid, None)
        if renamed is not None:
            move = MoveObject(renamed.object_id, schema_id, name.name, namespace)
            is_first = adopt_edits(self.database, Observation(renamed, None), (*containers, move))
            return _emit_if_first(is_first, ForeignTableAdopted(str(name), "renamed"))
        return adopt_table(
            self.database, containers, _make_table_edit(metadata, name, namespace, schema_id)
        )

    def _find_containers(
        self, name: QualifiedName, namespace: str
    ) -> tuple[list[MakeContainer], str]:
        """Return the containers to be made for a table, and the id of the table's schema."""
        with self.database.read() as connection:
            databases = {fold(c.name): c for c in containers(connection)}
            schemas = {fold(c.name): c for c in containers(connection, name.database)}
        missing = []
        database = databases.get(fold(name.database))
        database_id = str(uuid.uuid4()) if database is None else database.object_id
        if database is None:
            missing.append(MakeContainer(database_id, name.database, name.database))
        schema = schemas.get(fold(name.schema))
        schema_id = str(uuid.uuid4()) if schema is None else schema.object_id
        if schema is None:
            missing.append(MakeContainer(schema_id, name.schema, namespace, database_id))
        return missing, schema_id


def _emit_if_first(is_first: bool, event: Event) -> bool:  # noqa: FBT001 - what it returns
    """Emit an event if this session was the first to adopt; return `is_first`."""
    if is_first:
        emit(event)
    return is_first


def _make_table_edit(
    metadata: TableMetadata, name: QualifiedName, namespace: str, schema_id: str
) -> MakeTable:
    """Return the edit that registers a table made by a foreign engine.

    Args:
        metadata: the table's metadata.
        name: the table's full name.
        namespace: the table's namespace in the catalog.
        schema_id: the id of the table's schema.
    """
    versions = foreign_versions(metadata, ())
    return MakeTable(
        object_id=str(uuid.uuid4()),
        parent_id=schema_id,
        name=name,
        namespace=namespace,
        table_uuid=metadata.table_uuid,
        location=metadata.location,
        stats=versions[-1] if versions else VersionStats(None, "foreign", foreign=True),
        tracked=metadata.has_row_ids,
    )


def _full_name(namespace: str, name: str) -> QualifiedName:
    """Return the full name of a table of the catalog.

    A namespace of one level is a schema of the database `main`. Of a namespace with more than two
    levels the first is the database, the rest is the name of the schema.
    """
    database, _, schema = namespace.partition(".")
    return (
        QualifiedName(database, schema, name) if schema else QualifiedName("main", database, name)
    )
