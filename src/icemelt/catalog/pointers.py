"""Iceberg's own catalog tables, which other engines read: namespaces, pointers of tables, views."""

from __future__ import annotations

import sqlalchemy as sa

from icemelt.catalog.database import Database
from icemelt.catalog.model import iceberg_namespaces, iceberg_tables

__all__ = ["add_namespace", "add_pointer", "forget_namespace", "pointer_of"]


def pointer_of(
    database: Database, namespace: str, name: str
) -> tuple[sa.ColumnElement[bool], sa.ColumnElement[bool], sa.ColumnElement[bool]]:
    """Return the conditions for the row of one table."""
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
    """Let a table's or view's namespace and name point to a metadata file.

    Raises:
        sqlalchemy.exc.IntegrityError: another engine has made a table of that name.
    """
    namespace, name = table
    pointer = sa.select(iceberg_tables.c.metadata_location)
    if connection.scalar(pointer.where(*pointer_of(database, namespace, name))) == location:
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


def add_namespace(connection: sa.Connection, database: Database, namespace: str) -> None:
    """Let other engines see a schema; they may have made it."""
    key = {
        "catalog_name": database.catalog_name,
        "namespace": namespace,
        "property_key": "exists",
    }
    found = sa.select(iceberg_namespaces.c.namespace).filter_by(**key)
    if connection.execute(found).first() is None:
        connection.execute(iceberg_namespaces.insert().values(property_value="true", **key))


def forget_namespace(connection: sa.Connection, database: Database, namespace: str) -> None:
    """Take a dropped schema away."""
    connection.execute(
        iceberg_namespaces.delete().where(
            iceberg_namespaces.c.catalog_name == database.catalog_name,
            iceberg_namespaces.c.namespace == namespace,
        )
    )
