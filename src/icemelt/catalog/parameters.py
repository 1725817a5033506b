"""An object's own parameters, without inherited parameters."""

from __future__ import annotations

import sqlalchemy as sa

from icemelt.catalog.edits import Options
from icemelt.catalog.model import objects

__all__ = ["find_own_options"]


def find_own_options(connection: sa.Connection, object_id: str) -> Options:
    """Return an object's own parameters; None for an inherited or absent parameter.

    >>> import tempfile
    >>> from icemelt.catalog.database import open_database
    >>> from icemelt.catalog.queries.reading import container
    >>> folder = tempfile.mkdtemp()
    >>> database = open_database(f"sqlite:///{folder}/catalog.db", folder)
    >>> with database.read() as connection:
    ...     find_own_options(connection, container(connection, "main").object_id)
    Options(comment=None, retention_days=None, extension_days=None)
    >>> database.close()
    """
    row = connection.execute(
        sa.select(objects.c.comment, objects.c.retention_days, objects.c.extension_days).where(
            objects.c.object_id == object_id
        )
    ).one()
    return Options(row.comment, row.retention_days, row.extension_days)
