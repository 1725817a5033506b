"""Checks of `icemelt doctor` on a lake: catalog, place of the tables, clock."""

from __future__ import annotations

import contextlib
import datetime as dt
import enum
import shlex
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from icemelt.catalog.database import Database, open_database
from icemelt.catalog.model import lake as lake_table
from icemelt.cli.findings import Finding, Level, make_failure
from icemelt.cli.machine_checks import find_existing_folder
from icemelt.errors import CatalogReadOnly, CatalogUnavailable, IcemeltError

if TYPE_CHECKING:
    from icemelt.cli.lake import Lake

__all__ = ["check_lake"]

_SECONDS_OFF = 5
_YEAR_OF_ICEMELT = 2025


def check_lake(lake: Lake) -> Iterator[Finding]:
    """Check a lake, without making or migrating anything."""
    yield from _check_catalog(lake)
    yield _check_warehouse(lake)


def _check_catalog(lake: Lake) -> Iterator[Finding]:
    """Check that the catalog opens, without making or migrating a registry."""
    if lake.is_new:
        words = f"There is no lake at {lake.path} yet."
        yield Finding("Catalog", Level.OK, words, f"icemelt sql {_arguments(lake)}")
        yield _check_clock()
        return
    if not _is_sqlite(lake.catalog_file):
        words = f"{lake.catalog_file} is no SQLite database."
        yield Finding("Catalog", Level.FAIL, words, "Restore it from a backup.")
        return
    try:
        # A catalog that opens read-only has a registry: a second opening changes nothing.
        open_database(_url(lake, _Access.READ), lake.warehouse_place).close()
        database = open_database(_url(lake, _Access.WRITE), lake.warehouse_place)
    except CatalogReadOnly:
        words = f"{lake.label} has no registry of this icemelt yet; opening the lake makes it."
        yield Finding("Catalog", Level.WARN, words, f"icemelt sql {_arguments(lake)} -c 'SELECT 1'")
        return
    except CatalogUnavailable as error:
        yield Finding("Catalog", Level.FAIL, error.message, _make_reach_hint(lake))
        return
    except IcemeltError as error:
        yield make_failure("Catalog", error)
        return
    with contextlib.closing(database):
        yield from _check_open(lake, database)


def _is_sqlite(file: Path | None) -> bool:
    """Return whether a file can be an SQLite database; True for a catalog elsewhere.

    SQLite itself answers. A plain open and close of the file would release the locks of this
    process's other connections, and another process might then remove the log under them.
    """
    if file is None:
        return True
    if file.is_dir():
        return False
    try:
        with contextlib.closing(
            sqlite3.connect(f"file:{quote(str(file))}?mode=ro", uri=True)
        ) as database:
            database.execute("PRAGMA schema_version")
    except sqlite3.DatabaseError as error:
        return error.sqlite_errorcode != sqlite3.SQLITE_NOTADB
    return True


def _check_open(lake: Lake, database: Database) -> Iterator[Finding]:
    try:
        yield _check_writing(lake, database)
        yield _check_clock(database)
    except IcemeltError as error:
        yield make_failure("Catalog", error)


class _Access(enum.Enum):
    """Parts of a catalog's URL for read-only access, or for read and write access."""

    READ = ("ro", "on")
    WRITE = ("rw", "off")


def _url(lake: Lake, access: _Access) -> str:
    """Return the URL of a lake's catalog for one kind of access, which makes no file."""
    for_sqlite, for_postgresql = access.value
    if lake.catalog_file is not None:
        # a file URI makes no file; the path is quoted twice, since SQLAlchemy unquotes once
        path = quote(quote(str(lake.catalog_file)))
        return f"sqlite:///file:{path}?mode={for_sqlite}&uri=true"
    url = str(lake.catalog)
    if access is _Access.WRITE or not url.startswith("postgres"):
        return url
    separator = "&" if "?" in url else "?"
    return f"{url}{separator}options={quote(f'-c default_transaction_read_only={for_postgresql}')}"


def _arguments(lake: Lake) -> str:
    """Return the arguments for a lake, as typed on the command line."""
    options = {"": lake.folder, "--catalog ": lake.catalog, "--warehouse ": lake.warehouse}
    return " ".join(f"{key}{shlex.quote(value)}" for key, value in options.items() if value)


def _make_reach_hint(lake: Lake) -> str:
    if lake.catalog_file is not None:
        return f"ls -l '{lake.path}'"
    return f"Start the database, or correct the address: psql '{lake.label}'"


def _check_writing(lake: Lake, database: Database) -> Finding:
    with database.read() as connection:
        record = database.read_lake(connection)
    words = f"{lake.label}: registry up to date, {record.last.commit_number:,} commits"
    try:
        with database.write() as connection:
            connection.execute(lake_table.delete().where(lake_table.c.id < 0))
    except CatalogReadOnly as error:
        return Finding("Catalog", Level.WARN, f"{words}. {error.message}", error.hint)
    return Finding("Catalog", Level.OK, words)


def _check_clock(database: Database | None = None) -> Finding:
    """Check this machine's clock against the catalog's clock, the source of commit times."""
    here = time.time()
    today = dt.datetime.fromtimestamp(here, dt.UTC)
    mend = "timedatectl set-ntp true"
    if today.year < _YEAR_OF_ICEMELT:
        return Finding("Clock", Level.FAIL, f"This machine says it is {today:%Y-%m-%d}.", mend)
    if database is None:
        return Finding("Clock", Level.OK, f"{today:%Y-%m-%d %H:%M:%S} UTC")
    with database.read() as connection:
        there = database.clock(connection) / 1000
        last = database.read_lake(connection).last.time / 1000
    if abs(there - here) > _SECONDS_OFF:
        words = f"The catalog's clock is {there - here:+.0f} s from this machine's."
        return Finding("Clock", Level.WARN, words, mend)
    if last - there > _SECONDS_OFF:
        words = f"The last commit is {last - there:.0f} s in the future: a clock was set back."
        return Finding("Clock", Level.WARN, words, mend)
    return Finding("Clock", Level.OK, f"{today:%Y-%m-%d %H:%M:%S} UTC, as the catalog's")


def _check_warehouse(lake: Lake) -> Finding:
    """Check that files can be written at the place of the tables."""
    location = lake.warehouse_place
    if "://" in location.removeprefix("file://"):
        words = f"{location} is not on this machine: not checked."
        probe = "CREATE TABLE probe (id INT); DROP TABLE probe"
        return Finding(
            "Warehouse", Level.WARN, words, f"icemelt sql {_arguments(lake)} -c '{probe}'"
        )
    folder = find_existing_folder(Path(location.removeprefix("file://")))
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        words = f"{folder} cannot be written: {error.strerror}."
        return Finding("Warehouse", Level.FAIL, words, f"chmod u+w '{folder}'")
    return Finding("Warehouse", Level.OK, f"{location} can be written")
