"""The version of the registry: the number of the last migration that its database has."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import sqlalchemy as sa

from icemelt.errors import LakeTooNew

__all__ = ["MIGRATIONS", "VERSION_TABLE", "is_current", "known_versions"]

MIGRATIONS = Path(__file__).parent / "migrations"
VERSION_TABLE = "icemelt_migrations"
_VERSION = sa.select(sa.table(VERSION_TABLE, sa.column("version_num")).c.version_num)


def is_current(engine: sa.Engine) -> bool:
    """Return whether the registry has all migrations; False for a database without a registry.

    Raises:
        LakeTooNew: the registry has a migration unknown to this icemelt.
    """
    with engine.connect() as connection:
        version = _read_version(connection)
    known = known_versions()
    if version is not None and version not in known:
        raise LakeTooNew(
            f"The lake's registry is at {version!r}, which this icemelt does not know.",
            hint="A newer icemelt has written it: pip install --upgrade icemelt",
        )
    return version == max(known)


def _read_version(connection: sa.Connection) -> str | None:
    if not sa.inspect(connection).has_table(VERSION_TABLE):
        return None
    return connection.execute(_VERSION).scalar()


@cache
def known_versions() -> frozenset[str]:
    """Return the numbers with which the files of migrations begin."""
    files = (MIGRATIONS / "versions").glob("[0-9]*_*.py")
    return frozenset(file.name.partition("_")[0] for file in files)
