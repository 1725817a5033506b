"""Iceberg's own catalog tables for other engines: namespaces, and pointers of tables and views."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from icemelt.catalog.database import Database
from icemelt.catalog.model import iceberg_namespaces, iceberg_tables, objects

__all__ = [
    "KINDS_WITH_POINTER",
    "add_dropped",
    "add_namespace",
    "add_pointer",
    "forget_dropped",
    "match_pointer",
    "swap_pointer",
]

# the kinds of objects that other engines see
KINDS_WITH_POINTER = ("table", "view")

_POINTER = (
    "catalog_name",
    "table_namespace",
    "table_name",
    "metadata_location",
    "iceberg_type",
)
_NAMESPACE = ("catalog_name", "namespace", "property_key", "property_value")
_EXISTS = ("exists", "true")

# Building a statement takes SQLAlchemy longer than running it: the statement is built once.
_SWAP = iceberg_tables.update().where(
    iceberg_tables.c.catalog_name == sa.bindparam("of_catalog"),
    iceberg_tables.c.table_namespace == sa.bindparam("of_namespace"),
    iceberg_tables.c.table_name == sa.bindparam("of_name"),
    iceberg_tables.c.metadata_location == sa.bindparam("old_location"),
)


def match_pointer(
    database: Database, namespace: str | sa.Column[Any], name: str | sa.Column[Any]
) -> tuple[sa.ColumnElement[bool], sa.ColumnElement[bool], sa.ColumnElement[bool]]:
    """Return the conditions for the row of one table or view.

    Args:
        database: the catalog's database.
        namespace: the namespace in Iceberg's tables, or a column with the namespace.
        name: the name in Iceberg's tables, or a column with the name.
    """
    return (
        iceberg_tables.c.catalog_name == database.catalog_name,
        iceberg_tables.c.table_namespace == namespace,
        iceberg_tables.c.table_name == name,
    )


def add_pointer(
    connection: sa.Connection,
    database: Database,
    table: tuple[str, str],
    location: str,
    kind: str = "table",
) -> None:
    """Add the pointer of a table or view: namespace and name point to a metadata file.

    Args:
        connection: a connection in a write transaction.
        database: the catalog's database.
        table: the namespace and the name.
        location: the metadata file.
        kind: `table` or `view`.

    Raises:
        sqlalchemy.exc.IntegrityError: another engine has made a table of this name.
    """
    namespace, name = table
    pointer = sa.select(iceberg_tables.c.metadata_location)
    if connection.scalar(pointer.where(*match_pointer(database, namespace, name))) == location:
        return
    connection.execute(
        iceberg_tables.insert().values(
            catalog_name=database.catalog_name,
            table_namespace=namespace,
            table_name=name,
            metadata_location=location,
            iceberg_type=kind.upper(),
        )
    )


def swap_pointer(
    connection: sa.Connection, database: Database, table: tuple[str, str], old: str, new: str
) -> bool:
    """Let the pointer of a table point to another metadata file; return False if it has moved.

    Args:
        connection: a connection in a write transaction.
        database: the catalog's database.
        table: the namespace and the name.
        old: the metadata file that the pointer has to point to.
        new: the metadata file from now on.
    """
    values = {
        "of_catalog": database.catalog_name,
        "of_namespace": table[0],
        "of_name": table[1],
        "old_location": old,
        "metadata_location": new,
        "previous_metadata_location": old,
    }
    return connection.execute(_SWAP, values).rowcount == 1


def add_namespace(connection: sa.Connection, database: Database, namespace: str) -> None:
    """Add a schema's namespace for other engines, unless another engine has made the namespace.

    Args:
        connection: a connection in a write transaction.
        database: the catalog's database.
        namespace: the namespace.
    """
    key = {
        "catalog_name": database.catalog_name,
        "namespace": namespace,
        "property_key": "exists",
    }
    present = sa.select(iceberg_namespaces.c.namespace).filter_by(**key)
    if connection.execute(present).first() is None:
        connection.execute(iceberg_namespaces.insert().values(property_value="true", **key))


def forget_dropped(connection: sa.Connection, database: Database, drop_id: str) -> None:
    """Remove the pointers and namespaces of all objects of a DROP.

    Args:
        connection: a connection in a write transaction.
        database: the catalog's database.
        drop_id: the id of the DROP.
    """
    named = sa.tuple_(iceberg_tables.c.table_namespace, iceberg_tables.c.table_name)
    dropped = _pointed(drop_id, objects.c.namespace, objects.c.catalog_table_name)
    connection.execute(
        iceberg_tables.delete().where(
            iceberg_tables.c.catalog_name == database.catalog_name, named.in_(dropped)
        )
    )
    connection.execute(
        iceberg_namespaces.delete().where(
            iceberg_namespaces.c.catalog_name == database.catalog_name,
            iceberg_namespaces.c.namespace.in_(_containers(drop_id, objects.c.namespace)),
        )
    )


def add_dropped(connection: sa.Connection, database: Database, drop_id: str) -> None:
    """Add the pointers and namespaces of all objects of a DROP again, as `add_pointer` does.

    Args:
        connection: a connection in a write transaction.
        database: the catalog's database.
        drop_id: the id of the DROP.

    Raises:
        sqlalchemy.exc.IntegrityError: another engine has made a table of one of the names.
    """
    catalog: sa.ColumnElement[str] = sa.literal(database.catalog_name)
    present = sa.exists().where(
        *match_pointer(database, objects.c.namespace, objects.c.catalog_table_name),
        iceberg_tables.c.metadata_location == objects.c.known_location,
    )
    name, location = objects.c.catalog_table_name, objects.c.known_location
    values = (catalog, objects.c.namespace, name, location, sa.func.upper(objects.c.kind))
    missing = _pointed(drop_id, *values).where(location.is_not(None), ~present)
    connection.execute(iceberg_tables.insert().from_select(_POINTER, missing))
    is_there = sa.exists().where(
        iceberg_namespaces.c.catalog_name == database.catalog_name,
        iceberg_namespaces.c.namespace == objects.c.namespace,
        iceberg_namespaces.c.property_key == "exists",
    )
    added = _containers(drop_id, catalog, objects.c.namespace, *map(sa.literal, _EXISTS))
    connection.execute(iceberg_namespaces.insert().from_select(_NAMESPACE, added.where(~is_there)))


def _pointed(drop_id: str, *columns: Any) -> sa.Select[Any]:
    """Return the query of the tables and views of a DROP that other engines see."""
    return sa.select(*columns).where(
        objects.c.drop_id == drop_id,
        objects.c.kind.in_(KINDS_WITH_POINTER),
        objects.c.session_id.is_(None),
    )


def _containers(drop_id: str, *columns: Any) -> sa.Select[Any]:
    """Return the query of the databases and schemas of a DROP."""
    kinds = objects.c.kind.in_(("database", "schema"))
    return sa.select(*columns).where(objects.c.drop_id == drop_id, kinds)
