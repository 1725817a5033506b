"""The names for completion in the shell: keywords, and the names in the lake.

Names are read from the catalog and not by SHOW. A SHOW statement would wait for the running
statement, and would appear in the history among the user's own statements.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from icemelt.errors import IcemeltError
from icemelt.jobs import do_once
from icemelt.names import QualifiedName, fold
from icemelt.observe.emitting import tolerate

if TYPE_CHECKING:
    from icemelt.session import Session

__all__ = ["Names", "Vocabulary"]


@dataclass(frozen=True, slots=True)
class Names:
    """The lake's names at one time.

    Args:
        databases: the databases.
        schemas: pairs of database and schema.
        tables: the metadata file of every table, and for every stream the file of its table.
        views: the columns of every view.
        own: the extra columns of every stream.
    """

    databases: tuple[str, ...] = ()
    schemas: tuple[tuple[str, str], ...] = ()
    tables: dict[QualifiedName, str] = field(default_factory=dict)
    views: dict[QualifiedName, tuple[str, ...]] = field(default_factory=dict)
    own: dict[QualifiedName, tuple[str, ...]] = field(default_factory=dict)

    @property
    def readable(self) -> list[QualifiedName]:
        """The names possible after FROM."""
        return [*self.tables, *self.views]


class Vocabulary:
    """The known names of a lake: read in the background, looked up while typing."""

    def __init__(self) -> None:
        """Start without names."""
        self.keywords: tuple[str, ...] = ()
        self.names = Names()
        self._session: Session | None = None
        self._columns: dict[str, tuple[str, ...]] = {}

    @property
    def current(self) -> tuple[str, str]:
        """The current database and schema."""
        if self._session is None:
            return ("main", "public")
        return (self._session.database, self._session.schema)

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open."""
        return self._session is not None and self._session.in_transaction

    def learn(self, session: Session) -> None:
        """Read the names of the session's lake; call this in a separate thread.

        Names that cannot be read are skipped: completion is a convenience.
        """
        from icemelt.sql.parse import KEYWORDS  # noqa: PLC0415 - loads the parser

        self.keywords = KEYWORDS
        self._session = session
        with tolerate(IcemeltError, to="complete names", is_usual=True):
            self.names = _read_names(session)

    def refresh(self, session: Session) -> None:
        """Read the names again, in the background."""
        learn = partial(self.learn, session)
        do_once("icemelt-names", learn, consequence="new names are not completed").start()

    def table(self, parts: tuple[str, ...]) -> QualifiedName | None:
        """Return the full name of a table with one to three parts; None for an unknown table."""
        missing = 3 - len(parts)
        if missing < 0:
            return None
        wanted = QualifiedName(*((*self.current, "")[:missing]), *parts).folded
        return next((name for name in self.names.readable if name.folded == wanted), None)

    def tables_in(self, database: str, schema: str) -> list[str]:
        """Return the names of a schema's tables."""
        wanted = (fold(database), fold(schema))
        return [
            name.name
            for name in self.names.readable
            if (name.folded.database, name.folded.schema) == wanted
        ]

    def schemas_in(self, database: str) -> list[str]:
        """Return the names of a database's schemas."""
        return [name for parent, name in self.names.schemas if fold(parent) == fold(database)]

    def columns(self, table: QualifiedName) -> tuple[str, ...]:
        """Return a table's columns; read the table's metadata file the first time."""
        own = self.names.own.get(table, ())
        if table in self.names.views:
            return (*self.names.views[table], *own)
        location = self.names.tables.get(table)
        if location is None or self._session is None:
            return ()
        if location not in self._columns:
            self._columns[location] = _read_columns(self._session, location)
        return (*self._columns[location], *own)


def _read_names(session: Session) -> Names:
    """Read the names of databases, schemas, tables, views and streams from the catalog."""
    from icemelt.catalog.queries.finding import find_streams, find_views  # noqa: PLC0415 - with the session
    from icemelt.catalog.queries.reading import containers, tables  # noqa: PLC0415 - with the session
    from icemelt.catalog.records import TableRecord, ViewRecord  # noqa: PLC0415 - with the session
    from icemelt.session.hosting import catalog_of  # noqa: PLC0415 - with the session
    from icemelt.session.runtime.stream_columns import (  # noqa: PLC0415 - with the session
        DIRECTORY,
        own_columns,
    )

    database = catalog_of(session)
    with database.read() as connection:
        databases = tuple(record.name for record in containers(connection))
        schemas = tuple(
            (parent, record.name)
            for parent in databases
            for record in containers(connection, parent)
        )
        table_records = tables(connection, database, session_id=session.session_id)
        streams = find_streams(connection, database)
        views = find_views(connection)
    table_files = {table.name: table.pointer or table.known_location for table in table_records}
    view_columns = {view.name: tuple(column.name for column in view.columns) for view in views}
    for stream in streams:
        if isinstance(stream.source, TableRecord):
            table_files[stream.name] = stream.source.pointer or stream.source.known_location
        else:
            columns = stream.source.columns if isinstance(stream.source, ViewRecord) else DIRECTORY
            view_columns[stream.name] = tuple(column.name for column in columns)
    own = {
        stream.name: tuple(column.name for column in own_columns(stream.dialect, stream.mode))
        for stream in streams
    }
    return Names(databases, schemas, table_files, view_columns, own)


def _read_columns(session: Session, location: str) -> tuple[str, ...]:
    from icemelt.session.hosting import columns_at  # noqa: PLC0415 - with the session

    with tolerate(IcemeltError, to="complete columns", is_usual=True):
        return tuple(column.name for column in columns_at(session, location))
    return ()
