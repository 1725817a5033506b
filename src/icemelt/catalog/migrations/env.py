"""Alembic's entry point: run the migrations on the connection of `open_database`."""

from __future__ import annotations

from alembic import context

from icemelt.catalog.model import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table="icemelt_migrations",
    transactional_ddl=True,
)
context.run_migrations()
