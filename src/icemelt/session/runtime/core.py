"""What every statement of a session works with, and how it finds the objects it names."""

from __future__ import annotations

import contextlib
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from pyspark.sql import SparkSession

from icemelt.catalog.database import Database
from icemelt.catalog.publishing import amend_statement, record_statement
from icemelt.catalog.queries.finding import find_streams, find_views
from icemelt.catalog.queries.reading import container, containers, tables
from icemelt.catalog.records import (
    ContainerRecord,
    Moment,
    ReadState,
    SchemaObject,
    StatementRecord,
    StreamRecord,
    TableRecord,
    ViewRecord,
)
from icemelt.engine.relations import Relations
from icemelt.engine.wall import Wall
from icemelt.errors import (
    CatalogReadOnly,
    CatalogUnavailable,
    IcemeltError,
    NameClash,
    ObjectNotFound,
    StatementCancelled,
    WrongObjectKind,
)
from icemelt.names import ObjectName, TableName, nearest
from icemelt.observe.emitting import tolerate
from icemelt.schema import Column, DataType
from icemelt.session.runtime.jobs import Jobs
from icemelt.session.runtime.kinds import KINDS
from icemelt.session.runtime.reach import EVERYWHERE, Reach
from icemelt.session.runtime.scope import StatementScope
from icemelt.session.runtime.stream_columns import shown_columns
from icemelt.session.runtime.suspects import Suspects
from icemelt.tables.iceberg import Iceberg
from icemelt.tables.metadata.document import TableMetadata
from icemelt.transactions.open import OpenTransaction
from icemelt.transactions.pending import Attempt, Author, Pending, Written
from icemelt.transactions.resolve import Resolver
from icemelt.transactions.transaction import run_statement

__all__ = ["TIME_ZONE", "Core", "History", "Settings", "new_id"]

TIME_ZONE = "spark.sql.session.timeZone"
T = TypeVar("T")
Record = TypeVar("Record", bound=SchemaObject)


@dataclass(slots=True)
class Settings:
    """What a session's statements may change about it."""

    database: str = "main"
    schema: str = "public"
    timezone: str = "UTC"
    lock_timeout: float = 60.0
    autocommit: bool = True
    view_changes: str = "AUTO"
    statement_ids: list[str] = field(default_factory=list)
    transaction: OpenTransaction | None = None
    in_block: bool = False


@dataclass(frozen=True, slots=True)
class History:
    """One statement under way; called, it gives its record as succeeded.

    Of a query it is told once its rows were fetched where it `waits`, else before.
    """

    core: Core
    statement_id: str
    text: str
    kind: str
    started_at: int
    waits: bool = False
    _began: float = field(default_factory=time.monotonic)

    def __call__(self, rowcount: int | None) -> StatementRecord:
        """Return the record of a statement that is about to publish what it wrote."""
        self.core.jobs.begin_publishing()
        return replace(self.record("succeeded"), rowcount=rowcount, wrote=True)

    def read(self, commit_number: int) -> StatementRecord:
        """Return the record of a query on the state of a commit."""
        return replace(self.record("succeeded"), commit_number=commit_number)

    def failed(self, error: IcemeltError) -> StatementRecord:
        """Return the record of a statement that failed."""
        status = "cancelled" if isinstance(error, StatementCancelled) else "failed"
        record = self.record(status)
        return replace(record, error_code=error.code, error_message=error.message)

    def record(self, status: str) -> StatementRecord:
        """Return the statement's record as it stands."""
        return StatementRecord(
            statement_id=self.statement_id,
            session_id=self.core.session_id,
            user=self.core.user,
            text=self.text,
            kind=self.kind,
            started_at=self.started_at,
            ended_at=self.started_at + int(1000 * (time.monotonic() - self._began)),
            status=status,
            key_id=self.core.key_id,
        )


@dataclass(frozen=True, slots=True)
class Core:
    """A session's parts; `key_id` is the key of the server's client whose it is.

    Each run of a statement has a `scope` of its own, which `statement` gives.
    """

    spark: SparkSession
    database: Database
    iceberg: Iceberg
    jobs: Jobs
    relations: Relations
    newest: Resolver
    wall: Wall
    settings: Settings
    user: str
    session_id: str
    reach: Reach = EVERYWHERE
    key_id: str | None = None
    suspects: Suspects = field(default_factory=Suspects)
    scope: StatementScope = field(default_factory=StatementScope)

    @contextlib.contextmanager
    def statement(self, strategy: str | None = None) -> Iterator[Core]:
        """Give the parts for one run of a statement, and release at its end what the run holds.

        Args:
            strategy: how the run reads the changes of views, None for the session's VIEW_CHANGES.
        """
        scope = StatementScope(strategy or self.settings.view_changes)
        with scope.resources:
            yield replace(self, scope=scope)

    @property
    def is_guest(self) -> bool:
        """Whether the statements are of a server's client, who is not trusted with all."""
        return self.reach.locations is not None

    @property
    def author(self) -> Author:
        """Who publishes."""
        return Author(self.session_id, self.user, self.settings.lock_timeout)

    @property
    def resolver(self) -> Resolver | OpenTransaction:
        """Who finds tables: the open transaction, or by itself each statement on the newest."""
        return self.settings.transaction or self.newest

    def run(self, work: Callable[[Attempt], Pending[T]]) -> Written[T]:
        """Run a writing statement, in the open transaction or as one of its own."""
        if self.settings.transaction is not None:
            return self.settings.transaction.run(work)
        return run_statement(self.newest, self.author, work)

    def outcome(self, work: Callable[[Attempt], Pending[T]], history: History) -> T:
        """Run a writing statement and return its outcome.

        Where it had nothing to publish, the history is told of it here.
        """
        written = self.run(work)
        if written.did_nothing:
            self.record(history(0))
        return written.outcome

    def run_alone(self, work: Callable[[Attempt], Pending[T]]) -> Written[T]:
        """Run a writing statement as a transaction of its own, beside one that is open.

        It is about the session's temporary objects, which an open one has to look up again.
        """
        written = run_statement(self.newest, self.author, work)
        if self.settings.transaction is not None:
            self.settings.transaction.look_again()
        return written

    def full(self, name: ObjectName) -> TableName:
        """Return a table's full name; parts left out are the current ones."""
        return name.within(self.settings.database, self.settings.schema)

    def resolve(self, names: Iterable[TableName]) -> ReadState:
        """Return the tables, streams and views of those names, and what the views read.

        Raises:
            ObjectNotFound: one does not exist; the hint has the nearest name.
        """
        wanted = list(dict.fromkeys(names))
        state = self.resolver.resolve(wanted)
        for name in wanted:
            if name not in state.objects:
                raise self.not_found("Table", name)
        return state

    def table(self, name: ObjectName) -> TableRecord:
        """Return one table."""
        return self.table_in(self.resolve([self.full(name)]), name)

    def table_in(self, state: ReadState, name: ObjectName) -> TableRecord:
        """Return a table of a state that has been read."""
        found = state.objects[self.full(name)]
        if isinstance(found, TableRecord):
            return found
        rows = KINDS[found.kind].rows
        raise WrongObjectKind(
            f"{str(self.full(name))!r} is a {found.kind}: it has no rows of its own.",
            hint="Name a table." if rows is None else rows(found),
        )

    def object_of(self, kind: type[Record], name: ObjectName) -> Record:
        """Return the object of a kind that has a name: `object_of(ViewRecord, name)`.

        Raises:
            ObjectNotFound: no object has it.
            WrongObjectKind: one of another kind has it.
        """
        return self.object_now(kind, name)[0]

    def object_now(self, kind: type[Record], name: ObjectName) -> tuple[Record, Moment]:
        """Return the same, and the moment at which it was read."""
        full = self.full(name)
        state = self.resolver.resolve([full])
        found = state.objects.get(full)
        if isinstance(found, kind):
            return found, state.moment
        if found is None:
            raise self.not_found(KINDS[kind.kind].word, full)
        raise WrongObjectKind(
            f"{str(full)!r} is a {found.kind}, not a {kind.kind}.",
            hint=KINDS[kind.kind].instead(found),
        )

    def stream(self, name: ObjectName) -> StreamRecord:
        """Return one stream."""
        return self.object_of(StreamRecord, name)

    def view(self, name: ObjectName) -> ViewRecord:
        """Return one view."""
        return self.object_of(ViewRecord, name)

    def pinned(self, table: TableRecord) -> TableRecord:
        """Return a table without what the open transaction wrote into it."""
        transaction = self.settings.transaction
        return table if transaction is None else transaction.pinned(table)

    def find_permanent_object(self, name: TableName) -> SchemaObject | None:
        """Return what has a name for other sessions, also where a temporary table hides it.

        A table that the open transaction has made counts as one that others see.
        """
        transaction = self.settings.transaction
        if transaction is not None and (made := transaction.made(name)) is not None:
            return made
        return replace(self.newest, session_id="").resolve([name]).objects.get(name)

    @contextlib.contextmanager
    def in_zone(self, zone: str) -> Iterator[None]:
        """Have Spark analyse in a time zone meanwhile; the session's comes back."""
        self.spark.conf.set(TIME_ZONE, zone)
        try:
            yield
        finally:
            self.spark.conf.set(TIME_ZONE, self.settings.timezone)

    def metadata(self, table: TableRecord) -> TableMetadata:
        """Return what a table's metadata file says."""
        return self.iceberg.metadata(table.pointer or table.known)

    def columns_of(self, name: ObjectName) -> Mapping[str, DataType] | None:
        """Return the types of a table's columns by name, or None where there is no such table."""
        full = self.full(name)
        columns = self.columns_in(self.resolver.resolve([full]), full)
        return None if columns is None else {column.name: column.type for column in columns}

    def columns_in(self, state: ReadState, name: TableName) -> Sequence[Column] | None:
        """Return the columns of what a state has under a name, None where there is nothing."""
        found = state.objects.get(name)
        if isinstance(found, StreamRecord):
            return shown_columns(found, self._columns(found.source))
        return None if found is None else self._columns(found)

    def _columns(self, found: TableRecord | ViewRecord) -> Sequence[Column]:
        return found.columns if isinstance(found, ViewRecord) else self.metadata(found).columns

    def record(self, statement: StatementRecord) -> None:
        """Add a statement that published nothing to the history, where it can be written."""
        if statement.commit_number is None and statement.status == "succeeded":
            statement = replace(statement, wrote=False)
        with tolerate(CatalogReadOnly, CatalogUnavailable, to="note a statement in the history"):
            record_statement(self.database, self._within(statement))

    def amend(self, statement: StatementRecord) -> None:
        """Tell the history how a query ended that it may know already, where it can be written."""
        to = "note in the history how a query ended"
        with tolerate(CatalogReadOnly, CatalogUnavailable, to=to):
            amend_statement(self.database, self._within(statement))

    def _within(self, statement: StatementRecord) -> StatementRecord:
        """Return a statement as one of the open transaction, where there is one."""
        if self.settings.transaction is None:
            return statement
        return replace(statement, transaction_id=self.settings.transaction.transaction_id)

    def begin_statement(self) -> int:
        """Return the time of a statement that starts now."""
        if self.settings.transaction is not None:
            self.settings.transaction.begin_statement()
        return self.now()

    def now(self) -> int:
        """Return the time of a statement that starts now."""
        with self.database.read() as connection:
            return self.database.now(connection, self.database.lake(connection).last)

    def schema_of(self, database: str, schema: str) -> ContainerRecord:
        """Return a schema."""
        with self.database.read() as connection:
            found = container(connection, database, schema)
            if found is not None:
                return found
            known = [f"{database}.{record.name}" for record in containers(connection, database)]
            exists = container(connection, database) is not None
        if not exists:
            raise self.missing("Database", database, self._databases())
        raise self.missing("Schema", f"{database}.{schema}", known)

    def place_of(self, wanted: TableName) -> tuple[ContainerRecord, TableName]:
        """Return the schema of a name, and the name with database and schema as they are spelled.

        Raises:
            ObjectNotFound: there is no such schema.
        """
        schema = self.schema_of(wanted.database, wanted.schema)
        database = schema.database_name or wanted.database
        return schema, TableName(database, schema.name, wanted.name)

    def database_of(self, name: str) -> ContainerRecord:
        """Return a database."""
        with self.database.read() as connection:
            found = container(connection, name)
        if found is None:
            raise self.missing("Database", name, self._databases())
        return found

    def not_found(self, kind: str, name: TableName) -> ObjectNotFound:
        """Return the error for a table, stream or view that does not exist.

        The first missing part is named. Who names a table may mean a stream or a view, so the
        names of all are proposed.
        """
        self.schema_of(name.database, name.schema)
        with self.database.read() as connection:
            found = [each.name for each in find_streams(connection, self.database)]
            if kind != "Stream":
                found += [view.name for view in find_views(connection)]
                known = tables(connection, self.database, session_id=self.session_id)
                found += [table.name for table in known]
        if self.settings.transaction is not None and name.folded in {n.folded for n in found}:
            return ObjectNotFound(
                f"{kind} {str(name)!r} does not exist in this transaction: it was made or renamed "
                "after it began.",
                hint="COMMIT or ROLLBACK, then name it.",
            )
        within = (name.folded.database, name.folded.schema)
        here = [n.name for n in found if (n.folded.database, n.folded.schema) == within]
        close = nearest(name.name, here)
        if close is not None:
            return ObjectNotFound(
                f"{kind} {str(name)!r} does not exist.", hint=f"Did you mean {close!r}?"
            )
        namesake = [each for each in found if each.folded.name == name.folded.name]
        hint = (
            f"Did you mean {str(namesake[0])!r}?"
            if namesake
            else f"SHOW {kind.upper()}S lists what is there."
        )
        return ObjectNotFound(f"{kind} {str(name)!r} does not exist.", hint=hint)

    def missing(self, kind: str, name: str, known: Iterable[str]) -> ObjectNotFound:
        """Return the error for a database or schema that does not exist."""
        close = nearest(name, known)
        hint = f"Did you mean {close!r}?" if close else f"SHOW {kind.upper()}S lists what is there."
        return ObjectNotFound(f"{kind} {name!r} does not exist.", hint=hint)

    def refuse_clash(self, kind: str, wanted: str, existing: str) -> None:
        """Refuse a name that differs from an existing one by case only."""
        if wanted != existing:
            raise NameClash(
                f"{kind} {wanted!r} differs from {existing!r} by case only.",
                hint=f"Use {existing!r}, or a name that differs by more than case.",
            )

    def _databases(self) -> list[str]:
        with self.database.read() as connection:
            return [record.name for record in containers(connection)]


def new_id() -> str:
    """Return a fresh id of a statement, object or session."""
    return str(uuid.uuid4())
