"""Make or migrate the registry: Alembic, which takes long to load, is loaded for this alone."""

from __future__ import annotations

import os
import uuid
from dataclasses import dataclass

import sqlalchemy as sa
from alembic import command
from alembic.config import Config

from icemelt.catalog.connections import Clock
from icemelt.catalog.model import catalog_metadata, iceberg_namespaces, lake, objects
from icemelt.catalog.registry_version import MIGRATIONS
from icemelt.catalog.task_graph_writer import add_missing_graphs

__all__ = ["NewLake", "migrate"]

_MIGRATION_LOCK = 0x1CE0
_FIRST_DATABASE = "main"
_FIRST_SCHEMA = "public"


@dataclass(frozen=True, slots=True)
class NewLake:
    """What the lake's row gets where there is none."""

    catalog_name: str
    warehouse: str
    clock: Clock


def migrate(engine: sa.Engine, new_lake: NewLake) -> None:
    """Migrate under a lock: two processes may open an empty lake at once."""
    if engine.dialect.name == "sqlite":
        with engine.connect() as connection:
            connection.connection.cursor().execute("PRAGMA journal_mode = WAL")
    _run_migrations(engine, new_lake)
    if engine.dialect.name == "sqlite":
        # write a young lake to its file, and not to the log alone
        with engine.connect() as connection:
            connection.connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def _run_migrations(engine: sa.Engine, new_lake: NewLake) -> None:
    """Migrate the registry in one transaction; make missing Iceberg tables, and the lake's row."""
    with engine.connect() as connection:
        connection.execution_options(icemelt_write=True)
        with connection.begin():
            if connection.dialect.name == "postgresql":
                connection.execute(sa.text(f"SELECT pg_advisory_xact_lock({_MIGRATION_LOCK})"))
            config = Config()
            config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
            add_missing_graphs(connection, new_lake.clock)
            catalog_metadata.create_all(connection)
            if connection.execute(sa.select(lake.c.id)).first() is None:
                _create_lake(connection, new_lake)


def _create_lake(connection: sa.Connection, new_lake: NewLake) -> None:
    """Make the lake's row, and the first database and schema, `main.public`."""
    now = new_lake.clock(connection)
    connection.execute(
        lake.insert().values(
            id=1,
            lake_id=str(uuid.uuid4()),
            catalog_name=new_lake.catalog_name,
            warehouse=new_lake.warehouse,
            commit_number=0,
            commit_time=now,
        )
    )
    parent = None
    namespace = ""
    for kind, name in (("database", _FIRST_DATABASE), ("schema", _FIRST_SCHEMA)):
        namespace = f"{namespace}.{name}" if namespace else name
        object_id = str(uuid.uuid4())
        connection.execute(
            objects.insert().values(
                object_id=object_id,
                kind=kind,
                parent_id=parent,
                name=name,
                folded=name,
                namespace=namespace,
                owner=os.environ.get("USER", ""),
                created_at=now,
            )
        )
        _add_namespace(connection, new_lake.catalog_name, namespace)
        parent = object_id


def _add_namespace(connection: sa.Connection, catalog_name: str, namespace: str) -> None:
    """Add a namespace to Iceberg's own tables for other engines, unless the namespace is there."""
    key = {"catalog_name": catalog_name, "namespace": namespace, "property_key": "exists"}
    present = sa.select(iceberg_namespaces.c.namespace).filter_by(**key)
    if connection.execute(present).first() is None:
        connection.execute(iceberg_namespaces.insert().values(property_value="true", **key))
