"""Questions to the registry about tables that share files."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import sqlalchemy as sa

from icemelt.catalog.database import Connection, Database
from icemelt.catalog.model import iceberg_tables, objects, sharing
from icemelt.catalog.queries.reading import table_record, table_row, tables_query
from icemelt.catalog.records import TableRecord

__all__ = [
    "SharedFolder",
    "TableFamily",
    "family_ids",
    "find_family",
    "is_shared",
    "shared_tables",
    "tables_in_folders",
]


@dataclass(frozen=True, slots=True)
class SharedFolder:
    """The folder of a table whose files other tables may name.

    Args:
        table_id: the object id of the table; the table may be gone.
        folder: the folder.
        collection: the table's property `gc.enabled` before the first clone, None for none.
    """

    table_id: str
    folder: str
    collection: str | None


@dataclass(frozen=True, slots=True)
class TableFamily:
    """Tables that share files, and the folders of all files that they may name.

    Args:
        folders: the folders, those of tables that are gone included.
        tables: the tables that are live, or can be restored.
    """

    folders: tuple[SharedFolder, ...]
    tables: tuple[TableRecord, ...]


def is_shared(connection: Connection, table_id: str) -> bool:
    """Return whether a table shares files with others, or did so with tables that are gone."""
    query = sa.select(sharing.c.table_id).where(sharing.c.table_id == table_id)
    return connection.execute(query).first() is not None


def shared_tables(connection: Connection, table_ids: Iterable[str]) -> frozenset[str]:
    """Return those of some table ids, live or gone, whose folders have shared files."""
    return frozenset(table_ids) & frozenset(connection.scalars(sa.select(sharing.c.table_id)))


def family_ids(connection: Connection) -> list[str]:
    """Return the ids of all families, in order."""
    query = sa.select(sharing.c.family_id).distinct().order_by(sharing.c.family_id)
    return [*connection.scalars(query)]


def find_family(connection: Connection, database: Database, family_id: str) -> TableFamily:
    """Return the folders and the tables of a family.

    Args:
        connection: a connection to the catalog's database.
        database: the catalog's database.
        family_id: the family's id.
    """
    query = sa.select(sharing).where(sharing.c.family_id == family_id).order_by(sharing.c.table_id)
    folders = tuple(
        SharedFolder(row.table_id, row.folder, row.collection) for row in connection.execute(query)
    )
    of_family = sa.select(sharing.c.table_id).where(sharing.c.family_id == family_id)
    present = tables_query(database.catalog_name).where(table_row.c.object_id.in_(of_family))
    rows = connection.execute(present.order_by(table_row.c.object_id))
    return TableFamily(folders, tuple(map(table_record, rows)))


def tables_in_folders(connection: Connection, folders: Iterable[SharedFolder]) -> list[str]:
    """Return the names of other tables whose metadata is in a family's folders.

    Another engine may have registered a table's metadata file under a second name.

    Args:
        connection: a connection to the catalog's database.
        folders: the folders of the family.
    """
    found = []
    for folder in folders:
        inside = f"%-{folder.table_id}/%"
        objects_there = sa.select(objects.c.name).where(
            objects.c.known_location.like(inside), objects.c.object_id != folder.table_id
        )
        own = sa.exists().where(
            objects.c.object_id == folder.table_id,
            objects.c.namespace == iceberg_tables.c.table_namespace,
            objects.c.catalog_table_name == iceberg_tables.c.table_name,
        )
        pointers = sa.select(iceberg_tables.c.table_name).where(
            iceberg_tables.c.metadata_location.like(inside), ~own
        )
        found += [*connection.scalars(objects_there), *connection.scalars(pointers)]
    return found
