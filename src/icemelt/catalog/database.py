"""The connection to the catalog's database: open, migrate, read, write.

Every write transaction takes SQLite's write lock at once (`BEGIN IMMEDIATE`), so a write
transaction never fails half-way for a lock. On PostgreSQL `write` locks the lake's row at once: on
both databases the transactions of `write` run one at a time, and what publications change stays as
read until the commit. `write_unordered` locks no row. A read transaction sees one state of the
database.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from icemelt.catalog.connections import Clock, make_engine, translate_errors
from icemelt.catalog.model import lake
from icemelt.catalog.records import LakeRecord, Moment
from icemelt.catalog.registry_version import is_current
from icemelt.errors import LakeMoved

__all__ = ["Clock", "Connection", "Database", "open_database", "sqlite_url", "system_clock"]

Connection = sa.Connection

# a vanished machine must not hold the lake's row until the server's TCP times out
_IDLE_MILLISECONDS = "60000"
_LIMIT_IDLE = ("idle_in_transaction_session_timeout", _IDLE_MILLISECONDS, sa.true())
_TAKE_LAKE = sa.select(lake.c.id, sa.func.set_config(*_LIMIT_IDLE)).with_for_update()
# Building a query takes longer than its answer from SQLite: every query is built once.
_LAKE = sa.select(lake)


def system_clock(connection: sa.Connection) -> int:
    """Return the database's own clock in milliseconds since 1970."""
    if connection.dialect.name == "sqlite":
        text = "SELECT CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"
    else:
        text = "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)"
    # without SQLAlchemy's parsing of the text, which takes longer than the answer
    return int(connection.exec_driver_sql(text).scalar() or 0)


def sqlite_url(path: Path) -> str:
    """Return the URL of a SQLite database, whatever characters its path has.

    >>> sqlite_url(Path("/lakes/50% #1/catalog.db"))
    'sqlite:////lakes/50%25 %231/catalog.db'
    """
    return sa.URL.create("sqlite", database=str(path)).render_as_string(hide_password=False)


@dataclass(frozen=True, slots=True)
class Database:
    """An open catalog.

    Args:
        engine: SQLAlchemy's engine, with a pool of connections.
        clock: returns the database's time in milliseconds since 1970.
        lake_id: the id of the lake, given when the registry was made.
        catalog_name: the name of the catalog in Iceberg's own tables.
        warehouse: the folder or bucket below which the tables' files are.
    """

    engine: sa.Engine
    clock: Clock
    lake_id: str
    catalog_name: str
    warehouse: str

    @contextlib.contextmanager
    def read(self) -> Iterator[sa.Connection]:
        """Open a read transaction on one state of the catalog."""
        with translate_errors(writing=False), self.engine.connect() as connection:
            if connection.dialect.name == "postgresql":
                connection.execution_options(
                    isolation_level="REPEATABLE READ", postgresql_readonly=True
                )
            with connection.begin():
                yield connection

    @contextlib.contextmanager
    def write(self) -> Iterator[sa.Connection]:
        """Open a write transaction, one at a time; commit at the end, roll back on an error."""
        with self.write_unordered() as connection:
            if connection.dialect.name == "postgresql":
                connection.execute(_TAKE_LAKE)
            yield connection

    @contextlib.contextmanager
    def write_unordered(self) -> Iterator[sa.Connection]:
        """Open a write transaction that is not ordered with publications.

        On PostgreSQL the lake's row is not locked: a row that is read may change before the commit.
        On SQLite the write lock is taken.
        """
        with translate_errors(writing=True), self.engine.connect() as connection:
            connection.execution_options(icemelt_write=True)
            with connection.begin():
                yield connection

    def read_lake(self, connection: sa.Connection) -> LakeRecord:
        """Return the lake's row."""
        row = connection.execute(_LAKE).one()
        moment = Moment(row.commit_number, row.commit_time)
        return LakeRecord(row.lake_id, row.catalog_name, row.warehouse, moment)

    def now(self, connection: sa.Connection, last: Moment) -> int:
        """Return the time of a statement that starts now: never before the last commit.

        Args:
            connection: a connection to the catalog's database.
            last: the moment of the lake's last commit.
        """
        return max(self.clock(connection), last.time)

    def with_own_pool(self, max_connections: int) -> Database:
        """Return this catalog with a separate connection pool; the caller closes it.

        Queries of the returned catalog do not wait for connections of the first pool.
        """
        return replace(self, engine=make_engine(self.engine.url, max_connections))

    def close(self) -> None:
        """Close every pooled connection."""
        self.engine.dispose()


def open_database(
    url: str, warehouse: str, *, catalog_name: str = "icemelt", clock: Clock = system_clock
) -> Database:
    """Open a catalog; make or migrate the registry where needed.

    Args:
        url: an SQLAlchemy URL of SQLite or PostgreSQL.
        warehouse: the folder of the tables, kept at the first opening and compared afterwards.
        catalog_name: the name of the catalog in Iceberg's own tables.
        clock: returns the time in milliseconds since 1970.

    Raises:
        CatalogUnavailable: the database cannot be reached, or the URL names no database.
        CatalogReadOnly: the database is empty or old, and cannot be written.
        LakeTooNew: a newer icemelt has migrated the registry.
        LakeMoved: the lake's tables are under another folder than `warehouse`.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> database = open_database(f"sqlite:///{folder}/catalog.db", folder)
    >>> with database.read() as connection:
    ...     database.read_lake(connection).last.commit_number
    0
    >>> database.close()
    """
    engine = make_engine(url)
    try:
        row = _open_lake(engine, catalog_name, warehouse, clock)
    except BaseException:
        engine.dispose()
        raise
    return Database(engine, clock, row.lake_id, row.catalog_name, row.warehouse)


def _open_lake(engine: sa.Engine, catalog_name: str, warehouse: str, clock: Clock) -> sa.Row[Any]:
    """Return the lake's row; make or migrate the registry first where needed.

    The arguments are those of `open_database`.
    """
    with translate_errors(writing=True):
        if not is_current(engine):
            from icemelt.catalog.migrating import NewLake, migrate  # noqa: PLC0415 - loads Alembic

            migrate(engine, NewLake(catalog_name, warehouse, clock))
    with translate_errors(writing=False), engine.connect() as connection:
        row = connection.execute(_LAKE).one()
    if row.warehouse != warehouse:
        raise LakeMoved(
            f"The lake's tables are under {row.warehouse!r}, found it opened at {warehouse!r}.",
            hint=f"Move the folder back to {row.warehouse!r}, or link it there with `ln -s`.",
        )
    return row
