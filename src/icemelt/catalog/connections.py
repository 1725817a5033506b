"""Connections to the catalog's database, and translation of the database's errors."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import sqlalchemy as sa
from sqlalchemy.pool import ConnectionPoolEntry, NullPool, QueuePool

from icemelt.errors import CatalogReadOnly, CatalogUnavailable, ParameterError
from icemelt.file_modes import create_file

__all__ = ["MOST_CONNECTIONS", "Clock", "make_engine", "translate_errors", "validate_value"]

# returns the time of a database in milliseconds since 1970
Clock = Callable[[sa.Connection], int]

# the connections of a process: more than threads of a server ask at once (32 of requests, 16 of
# statements, 8 of keys), and less than the 100 that PostgreSQL has for everybody
MOST_CONNECTIONS = 60
# the connections that stay open once they were needed
_KEPT_CONNECTIONS = 16

_BUSY_SECONDS = 30
_NUMBERS = 2**63
_READ_ONLY = ("readonly", "read-only", "permission denied")
_RESTORE = "Restore it from a backup, or open another lake."


def make_engine(url: str | sa.URL, most: int = MOST_CONNECTIONS) -> sa.Engine:
    """Return an engine for SQLite or PostgreSQL; no connection is opened yet.

    A write transaction has the execution option `icemelt_write`. Errors name no values: the logs
    have no text of a statement.

    Args:
        url: the URL of the catalog's database.
        most: the most connections at the same time; who asks for one more waits for 30 seconds.

    Raises:
        CatalogUnavailable: the URL is neither SQLite nor PostgreSQL.

    >>> make_engine("sqlite:///catalog.db").dialect.name
    'sqlite'
    """
    parsed, kept = _parse(url), min(most, _KEPT_CONNECTIONS)
    bounds = {"pool_size": kept, "max_overflow": most - kept}
    if parsed.get_backend_name() == "sqlite":
        engine = _sqlite_engine(parsed, bounds)
    else:
        url_of_driver = parsed.set(drivername="postgresql+psycopg")
        engine = sa.create_engine(url_of_driver, pool_pre_ping=True, hide_parameters=True, **bounds)
    sa.event.listen(engine, "before_cursor_execute", _validate_parameters)
    return engine


@contextlib.contextmanager
def translate_errors(*, writing: bool) -> Iterator[None]:
    """Raise the database's errors in the block as icemelt's errors.

    A broken constraint and wrong SQL are raised unchanged, for the caller.
    """
    try:
        yield
    except sa.exc.DatabaseError as error:
        if isinstance(error, sa.exc.IntegrityError):
            raise
        if isinstance(error, sa.exc.DataError):
            raise ParameterError(
                f"The catalog cannot keep a value: {error.orig}.",
                hint="Write shorter names and paths, and smaller numbers.",
            ) from error
        if isinstance(error, sa.exc.ProgrammingError) and not _is_refusal(error.orig):
            raise
        raise _explain(error.orig, writing=writing) from error
    except sa.exc.InterfaceError as error:
        # the connection is gone: psycopg raises this for its own errors, not for the server's
        if not error.connection_invalidated:
            raise
        raise _explain(error.orig, writing=writing) from error
    except sa.exc.TimeoutError as error:
        raise CatalogUnavailable(
            "All connections to the catalog's database are taken, since long.",
            hint="Run this again a little later; where it stays so: icemelt doctor",
        ) from error
    except sqlite3.DatabaseError as error:
        raise _explain(error, writing=writing) from error


def validate_value(value: object) -> None:
    """Refuse a value that not every kind of catalog can have in a statement.

    PostgreSQL has no NUL in a text, and neither catalog has integers beyond 64 bits.

    Raises:
        ParameterError: the value is such a text or number.

    >>> validate_value(2**63)
    Traceback (most recent call last):
    ...
    icemelt.errors.ParameterError: The catalog has numbers up to 9223372036854775807, found one...
    """
    if isinstance(value, str) and "\0" in value:
        raise ParameterError(
            f"A name, an id or a definition has no NUL characters, found {value[:100]!r}.",
            hint=r"Write it without '\0'.",
        )
    if isinstance(value, int) and not -_NUMBERS <= value < _NUMBERS:
        raise ParameterError(
            f"The catalog has numbers up to {_NUMBERS - 1}, found one of "
            f"{value.bit_length()} bits.",
            hint="Write a smaller number.",
        )


def _validate_parameters(*event: Any) -> None:
    """Refuse values before a catalog does, so that all kinds of catalogs answer alike."""
    _, _, _, parameters, _, is_many = event
    for row in parameters if is_many else (parameters,):
        for value in row.values() if isinstance(row, dict) else row:
            validate_value(value)


def _parse(url: str | sa.URL) -> sa.URL:
    """Return the parts of a catalog's URL, or raise `CatalogUnavailable`."""
    try:
        parsed = sa.make_url(url)
    except (sa.exc.ArgumentError, ValueError):
        # the text may hold a password
        raise _no_catalog("The catalog's URL cannot be read.") from None
    if parsed.get_backend_name() not in {"sqlite", "postgresql"}:
        raise _no_catalog(
            f"A catalog is SQLite or PostgreSQL, found {parsed.get_backend_name()!r}."
        )
    return parsed


def _no_catalog(message: str) -> CatalogUnavailable:
    return CatalogUnavailable(message, hint="Give one like postgresql://user@host/lakes.")


def _sqlite_engine(url: sa.URL, bounds: dict[str, int]) -> sa.Engine:
    """Return an engine for SQLite: pooled in a writable folder, and else without a pool."""
    path = _plain_path(url)
    lasting = path is None or _may_write(path.parent)
    engine = sa.create_engine(
        url,
        connect_args={"timeout": _BUSY_SECONDS},
        poolclass=QueuePool if lasting else NullPool,
        hide_parameters=True,
        **(bounds if lasting else {}),
    )
    sa.event.listen(engine, "connect", _prepare_sqlite)
    sa.event.listen(engine, "begin", _begin_sqlite)
    if path is not None:

        def connect(
            _dialect: Any, _record: Any, positional: list[Any], named: dict[str, Any]
        ) -> None:
            if lasting:
                # SQLite reports why a file cannot be made; SQLite's logs get the mode of this file
                with contextlib.suppress(OSError):
                    create_file(path)
            else:
                _as_immutable(path, positional, named)

        sa.event.listen(engine, "do_connect", connect)
    return engine


def _plain_path(url: sa.URL) -> Path | None:
    """Return the file of a URL; None for a database in memory, or a URI with its own settings."""
    named = url.database
    if named is None or named == ":memory:" or named.startswith("file:"):
        return None
    return Path(named).absolute()


def _may_write(folder: Path) -> bool:
    return not folder.is_dir() or os.access(folder, os.W_OK)


def _as_immutable(path: Path, positional: list[Any], named: dict[str, Any]) -> None:
    """Connect to a database file in a folder without write permission.

    SQLite keeps the index of the write-ahead log in a file beside the database, and makes the file
    even for reads. Without a log nobody is writing, and the database file alone is the whole state.
    With a log a writer has made the index too. The check runs for every connection, since no
    connection is kept.
    """
    if path.is_file() and not path.with_name(f"{path.name}-wal").exists():
        positional[:] = [f"file:{quote(str(path))}?immutable=1"]
        named["uri"] = True


def _prepare_sqlite(connection: Any, _record: ConnectionPoolEntry) -> None:
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {_BUSY_SECONDS * 1000}")
    cursor.execute("PRAGMA synchronous = NORMAL")
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.close()


def _begin_sqlite(connection: sa.Connection) -> None:
    write = connection.get_execution_options().get("icemelt_write", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")


def _is_refusal(error: BaseException | None) -> bool:
    return "permission denied" in str(error).lower()


def _explain(error: BaseException | None, *, writing: bool) -> CatalogUnavailable | CatalogReadOnly:
    """Return icemelt's error for an error of the database, by the words of its message."""
    cause = next(iter(str(error).strip().splitlines()), "") or "no reason"
    lowered = cause.lower()
    if writing and any(word in lowered for word in _READ_ONLY):
        return CatalogReadOnly(
            f"The catalog's database cannot be written: {cause}.",
            hint="Reading works. Give this user the right to write, or connect to a copy.",
        )
    if "locked" in lowered:
        return CatalogUnavailable(
            f"The catalog's database stayed locked for {_BUSY_SECONDS} s: {cause}.",
            hint="Another process holds a write transaction open: end it, then run this again.",
        )
    if "full" in lowered or "no space left" in lowered:
        return CatalogUnavailable(
            f"The catalog's database cannot grow: {cause}.",
            hint="Free disk space, then run this again; nothing was changed.",
        )
    if "not a database" in lowered:
        return CatalogUnavailable("The catalog's file is no SQLite database.", hint=_RESTORE)
    if "malformed" in lowered:
        return CatalogUnavailable(f"The catalog's file is damaged: {cause}.", hint=_RESTORE)
    return CatalogUnavailable(
        f"The catalog's database cannot be used: {cause}.",
        hint="Check that it is there and reachable: icemelt doctor",
    )
