"""The parts of a session that every statement uses, and the look-up of named objects."""

from __future__ import annotations

import contextlib
import math
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar

from pyspark.sql import SparkSession

from icemelt.catalog.activity_records import StatementRecord
from icemelt.catalog.database import Database
from icemelt.catalog.defined_records import DEFINED_KINDS, ExternalTableRecord, StageRecord
from icemelt.catalog.publishing import amend_statement, record_statement
from icemelt.catalog.queries.finding import find_defined, find_streams, find_views
from icemelt.catalog.queries.information_schema import RELATIONS
from icemelt.catalog.queries.reading import container, containers, tables
from icemelt.catalog.records import (
    CatalogState,
    ContainerRecord,
    InformationRecord,
    Moment,
    SchemaObject,
    StreamRecord,
    StreamSource,
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
from icemelt.names import INFORMATION_SCHEMA, ObjectName, QualifiedName, find_nearest, fold
from icemelt.observe.emitting import tolerate
from icemelt.schema import Column
from icemelt.session.runtime.information_columns import columns_of_relation
from icemelt.session.runtime.jobs import Jobs
from icemelt.session.runtime.kept_results import KeptResults
from icemelt.session.runtime.kinds import KINDS, require_rows
from icemelt.session.runtime.lookup import Lookup
from icemelt.session.runtime.path_policy import ALLOW_ALL, GuestLimit, PathPolicy
from icemelt.session.runtime.plan_watch import PlanWatch
from icemelt.session.runtime.scope import StatementScope
from icemelt.session.runtime.settings import Settings
from icemelt.session.runtime.stream_columns import DIRECTORY, shown_columns
from icemelt.session.runtime.suspects import SuspectFiles
from icemelt.tables.iceberg import Iceberg
from icemelt.tables.metadata.document import TableMetadata
from icemelt.transactions.open import OpenTransaction
from icemelt.transactions.pending import Attempt, Author, FinishedStatement, Pending
from icemelt.transactions.resolver import Resolver
from icemelt.transactions.transaction import run_statement

__all__ = ["TIME_ZONE", "Core", "History", "new_id"]

TIME_ZONE = "spark.sql.session.timeZone"
# a statement of a key that has lost races keeps other keys out of a table for so long
_GUESTS_RESERVATION_SECONDS = 20.0
T = TypeVar("T")
Record = TypeVar("Record", bound=SchemaObject)


@dataclass(frozen=True, slots=True)
class History:
    """A running statement, which makes its records for the history: for success, failure or a read.

    The record of a query is written once its rows were fetched where the history `waits`, else when
    the query is planned. Calling a `History` gives the record of a statement that publishes.

    Attributes:
        core: the session's parts, with the scope of the statement's run once it runs.
        statement_id: the statement's id.
        text: the statement's text.
        kind: the first word of the text, as `INSERT`.
        started_at: when the statement began, in milliseconds since 1970.
        waits: whether the record of a query waits for the rows: so for a guest.
        place: the current database and schema when the statement began.
    """

    core: Core
    statement_id: str
    text: str
    kind: str
    started_at: int
    waits: bool = False
    place: tuple[str, str] = field(init=False)
    _began: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        settings = self.core.settings
        object.__setattr__(self, "place", (settings.database, settings.schema))

    def __call__(self, rowcount: int | None) -> StatementRecord:
        """Return the record of a statement about to publish `rowcount` changed rows."""
        self.core.jobs.begin_publishing()
        return replace(self.record("succeeded"), rowcount=rowcount, wrote=True)

    def read(self, commit_number: int) -> StatementRecord:
        """Return the record of a query on the state of a commit."""
        return replace(self.record("succeeded"), commit_number=commit_number)

    def failed(self, error: IcemeltError) -> StatementRecord:
        """Return the record of a statement that failed or was cancelled."""
        status = "cancelled" if isinstance(error, StatementCancelled) else "failed"
        record = self.record(status)
        return replace(record, error_code=error.code, error_message=error.message)

    def record(self, status: str) -> StatementRecord:
        """Return the record of the statement with a status, ending now."""
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
            database_name=self.place[0],
            schema_name=self.place[1],
            files_skipped=self.core.scope.files_skipped,
        )


class InformationRows(Protocol):
    """Makes the rows of a relation of INFORMATION_SCHEMA, as SHOW tells of the objects."""

    def __call__(self, core: Core, record: InformationRecord, /) -> Sequence[tuple[Any, ...]]:
        """Return the rows; a row has the relation's columns, in order."""
        ...


@dataclass(frozen=True, slots=True)
class Core:
    """The parts of a session.

    Every run of a statement works with a copy whose `scope` is the run's own: `statement` gives the
    copy.

    Attributes:
        spark: the session's own Spark session.
        database: the catalog's database.
        iceberg: the connection to Iceberg.
        jobs: the session's Spark jobs.
        relations: relations for tables, points and changes.
        newest: the resolver of names to the newest state.
        wall: the check of every text for Spark.
        settings: the state that statements change.
        user: the user in the history.
        session_id: the session's id, which owns temporary tables.
        information: makes the rows of relations of INFORMATION_SCHEMA.
        reach: which paths COPY INTO may name.
        guest_limit: where what guests have left may read and write in this process.
        key_id: the key of the server's client who runs the session, None outside of a server.
        suspects: files under which Spark died.
        results: the results of the session's last statements.
        plans: what the plans for the changes of views have taken.
        scope: the state of the running statement.
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
    information: InformationRows
    reach: PathPolicy = ALLOW_ALL
    guest_limit: GuestLimit = field(default_factory=GuestLimit)
    key_id: str | None = None
    suspects: SuspectFiles = field(default_factory=SuspectFiles)
    results: KeptResults = field(default_factory=KeptResults)
    plans: PlanWatch = field(default_factory=PlanWatch)
    scope: StatementScope = field(default_factory=StatementScope)

    @contextlib.contextmanager
    def statement(
        self, strategy: str | None = None, lookup: Lookup | None = None
    ) -> Iterator[Core]:
        """Give the parts for one run of a statement, and release the run's resources at the end.

        Args:
            strategy: how the run reads the changes of views, None for the session's VIEW_CHANGES.
            lookup: what the statement's names meant when it was analysed; None for nothing.
        """
        scope = StatementScope(strategy or self.settings.view_changes, lookup or Lookup())
        with scope.resources:
            yield replace(self, scope=scope)

    @property
    def is_guest(self) -> bool:
        """Whether a server's client runs the session, who may name only some paths."""
        return self.reach.locations is not None

    @property
    def author(self) -> Author:
        """The author of the session's publications."""
        return Author(
            self.session_id,
            self.user,
            self.settings.lock_timeout,
            _GUESTS_RESERVATION_SECONDS if self.is_guest else math.inf,
            self.jobs.raise_if_cancelled,
        )

    @property
    def resolver(self) -> Resolver | OpenTransaction:
        """The resolver of names: the open transaction, or the newest state for a lone statement."""
        return self.settings.transaction or self.newest

    def run(self, work: Callable[[Attempt], Pending[T]]) -> FinishedStatement[T]:
        """Run a writing statement in the open transaction, or else in a transaction of its own."""
        if self.settings.transaction is not None:
            return self.settings.transaction.run(work)
        return self._run_on_the_newest(work)

    def outcome(self, work: Callable[[Attempt], Pending[T]], history: History) -> T:
        """Run a writing statement and return its outcome.

        A statement with nothing to publish is added to the history here.
        """
        written = self.run(work)
        if written.did_nothing:
            self.record(history(0))
        return written.outcome

    def run_alone(self, work: Callable[[Attempt], Pending[T]]) -> FinishedStatement[T]:
        """Run a writing statement in a transaction of its own, even while a transaction is open.

        The statement changes temporary objects of the session, so the open transaction looks names
        up again.
        """
        written = self._run_on_the_newest(work)
        if self.settings.transaction is not None:
            self.settings.transaction.forget_look_ups()
        return written

    def _run_on_the_newest(self, work: Callable[[Attempt], Pending[T]]) -> FinishedStatement[T]:
        """Run a writing statement; every attempt after the first looks the names up again."""
        task = self.settings.running_task

        def attempted(attempt: Attempt) -> Pending[T]:
            if attempt.number > 1:
                self.scope.forget_attempt()
            return work(attempt) if task is None else task.add_edits(work(attempt))

        try:
            written = run_statement(self.newest, self.author, attempted)
            if task is not None:
                task.note_publication(written.moment)
            return written
        finally:
            self.scope.lookup.state = None

    def full(self, name: ObjectName) -> QualifiedName:
        """Return a full name; missing parts are the current database and schema."""
        return name.within(self.settings.database, self.settings.schema)

    def resolve(self, names: Iterable[QualifiedName]) -> CatalogState:
        """Return the tables, streams and views with some names, and all that the views read.

        Raises:
            ObjectNotFound: a name belongs to no object; the hint has the nearest name.
        """
        wanted = list(dict.fromkeys(names))
        state = self.find(wanted)
        for name in wanted:
            if name not in state.objects:
                raise self.not_found("Table", name)
        return state

    def find(self, names: Iterable[QualifiedName]) -> CatalogState:
        """Return the existing objects among some names.

        The first run of a statement reads the objects as of the analysis of its text.

        Raises:
            StatementOutdated: the columns of an object have changed since the analysis.
        """
        wanted = tuple(names)
        lookup = self.scope.lookup
        state = lookup.reuse(wanted) if self.settings.transaction is None else None
        if state is None:
            state = self.resolver.resolve(wanted)
            read = lookup.columns.keys() & set(wanted)
            lookup.require_unaltered({name: self.columns_in(state, name) for name in read})
            if self.settings.transaction is None:
                lookup.require_unwritten(state)
        return state

    def table(self, name: ObjectName) -> TableRecord:
        """Return the table with a name."""
        return self.table_in(self.resolve([self.full(name)]), name)

    def table_in(self, state: CatalogState, name: ObjectName) -> TableRecord:
        """Return the table with a name in a state; another kind of object is refused."""
        record = state.objects[self.full(name)]
        if isinstance(record, TableRecord):
            return record
        kind, rows = KINDS[record.kind], KINDS[record.kind].rows
        raise WrongObjectKind(
            f"{str(self.full(name))!r} is {kind.with_article}: it has no rows of its own.",
            hint="Name a table." if rows is None else rows(record),
        )

    def object_of(self, kind: type[Record], name: ObjectName) -> Record:
        """Return the object of a kind with a name: `object_of(ViewRecord, name)`.

        Raises:
            ObjectNotFound: the name belongs to no object.
            WrongObjectKind: the name belongs to an object of another kind.
        """
        return self.object_now(kind, name)[0]

    def object_now(self, kind: type[Record], name: ObjectName) -> tuple[Record, Moment]:
        """Return the object of a kind with a name, as `object_of`, and the moment of the read."""
        full = self.full(name).in_space_of(kind.kind)
        state = self.find([full])
        record = state.objects.get(full)
        if isinstance(record, kind):
            return record, state.moment
        if record is None:
            raise self.not_found(KINDS[kind.kind].word, full)
        raise WrongObjectKind(
            f"{str(full)!r} is {KINDS[record.kind].with_article}, not "
            f"{KINDS[kind.kind].with_article}.",
            hint=KINDS[kind.kind].instead(record),
        )

    def stream(self, name: ObjectName) -> StreamRecord:
        """Return the stream with a name."""
        return self.object_of(StreamRecord, name)

    def view(self, name: ObjectName) -> ViewRecord:
        """Return the view with a name."""
        return self.object_of(ViewRecord, name)

    def pinned(self, table: TableRecord) -> TableRecord:
        """Return a table as it was before the open transaction changed it."""
        transaction = self.settings.transaction
        return table if transaction is None else transaction.pin_table(table)

    def find_permanent_object(self, name: QualifiedName) -> SchemaObject | None:
        """Return the object of a name in other sessions, even behind a temporary table.

        A permanent table made by the open transaction counts as visible.
        """
        transaction = self.settings.transaction
        if transaction is not None and (made := transaction.find_made_table(name)) is not None:
            return made
        return replace(self.newest, session_id="").resolve([name]).objects.get(name)

    @contextlib.contextmanager
    def in_zone(self, zone: str) -> Iterator[None]:
        """Run a block in which Spark analyses in a time zone.

        The session's zone applies again after.
        """
        self.spark.conf.set(TIME_ZONE, zone)
        try:
            yield
        finally:
            self.spark.conf.set(TIME_ZONE, self.settings.timezone)

    def metadata(self, table: TableRecord) -> TableMetadata:
        """Return the content of a table's metadata file."""
        return self.iceberg.metadata(table.pointer or table.known_location)

    def columns_in(self, state: CatalogState, name: QualifiedName) -> Sequence[Column] | None:
        """Return the columns of the object under a name in a state, None where there is none.

        Raises:
            WrongObjectKind: the object is of a kind without rows.
        """
        found = state.objects.get(name)
        if found is None:
            return None
        record = require_rows(found)
        match record:
            case StreamRecord():
                return shown_columns(record, self._columns(record.source))
            case InformationRecord():
                return columns_of_relation(record.name.name)
        return self._columns(record)

    def _columns(self, found: StreamSource) -> Sequence[Column]:
        match found:
            case ViewRecord():
                return found.columns
            case StageRecord():
                return DIRECTORY
            case ExternalTableRecord():
                return found.columns
        return self.metadata(found).columns

    def record(self, statement: StatementRecord) -> None:
        """Add a statement that published nothing to the history, if the catalog can be written."""
        if statement.commit_number is None and statement.status == "succeeded":
            statement = replace(statement, wrote=False)
        with tolerate(CatalogReadOnly, CatalogUnavailable, to="note a statement in the history"):
            record_statement(self.database, self._within(statement))

    def amend(self, statement: StatementRecord) -> None:
        """Record in the history how a query ended, if the catalog can be written.

        The history may have the query already, with another outcome.
        """
        to = "note in the history how a query ended"
        with tolerate(CatalogReadOnly, CatalogUnavailable, to=to):
            amend_statement(self.database, self._within(statement))

    def _within(self, statement: StatementRecord) -> StatementRecord:
        """Return the record of a statement, with the open transaction's id if there is one."""
        if self.settings.transaction is None:
            return statement
        return replace(statement, transaction_id=self.settings.transaction.transaction_id)

    def begin_statement(self) -> int:
        """Begin a statement; return its time in milliseconds since 1970."""
        if self.settings.transaction is not None:
            self.settings.transaction.begin_statement()
        return self.now()

    def now(self) -> int:
        """Return the current time of the lake, in milliseconds since 1970."""
        with self.database.read() as connection:
            return self.database.now(connection, self.database.read_lake(connection).last)

    def schema_of(self, database: str, schema: str) -> ContainerRecord:
        """Return the schema with a name."""
        with self.database.read() as connection:
            record = container(connection, database, schema)
            if record is not None:
                return record
            names = [f"{database}.{record.name}" for record in containers(connection, database)]
            exists = container(connection, database) is not None
        if not exists:
            raise self.missing("Database", database, self._databases())
        if fold(schema) == INFORMATION_SCHEMA:
            raise WrongObjectKind(
                f"Schema '{database}.{schema}' has the relations that icemelt makes of the "
                "registry, and nothing else.",
                hint=f"SELECT * FROM {database}.{schema}.TABLES reads one; name another schema.",
            )
        raise self.missing("Schema", f"{database}.{schema}", names)

    def place_of(self, wanted: QualifiedName) -> tuple[ContainerRecord, QualifiedName]:
        """Return the schema of a full name, and the name as database and schema are spelled.

        Raises:
            ObjectNotFound: there is no such schema.
        """
        schema = self.schema_of(wanted.database, wanted.schema)
        database = schema.database_name or wanted.database
        return schema, replace(wanted, database=database, schema=schema.name)

    def database_of(self, name: str) -> ContainerRecord:
        """Return the database with a name."""
        with self.database.read() as connection:
            record = container(connection, name)
        if record is None:
            raise self.missing("Database", name, self._databases())
        return record

    def not_found(self, kind: str, name: QualifiedName) -> ObjectNotFound:
        """Return the error for a missing object; the first missing part of the name is named.

        A statement that names a table may mean a stream or a view, so the hint proposes names of
        all three kinds.
        """
        if fold(name.schema) == INFORMATION_SCHEMA:
            self.database_of(name.database)
            close = find_nearest(name.name, RELATIONS)
            known = ", ".join(RELATIONS).upper()
            return ObjectNotFound(
                f"INFORMATION_SCHEMA has no relation {name.name!r}.",
                hint=f"Did you mean {close.upper()}?" if close else f"Its relations are {known}.",
            )
        self.schema_of(name.database, name.schema)
        with self.database.read() as connection:
            if kind.lower() in DEFINED_KINDS:
                record, mine = DEFINED_KINDS[kind.lower()], self.session_id
                names = [each.name for each in find_defined(connection, record, session_id=mine)]
            else:
                names = [stream.name for stream in find_streams(connection, self.database)]
            if kind in {"Table", "View"}:
                names += [view.name for view in find_views(connection)]
                known_tables = tables(connection, self.database, session_id=self.session_id)
                names += [table.name for table in known_tables]
        if self.settings.transaction is not None and name.folded in {n.folded for n in names}:
            return ObjectNotFound(
                f"{kind} {str(name)!r} does not exist in this transaction: it was made or renamed "
                "after it began.",
                hint="COMMIT or ROLLBACK, then name it.",
            )
        within = (name.folded.database, name.folded.schema)
        here = [n.name for n in names if (n.folded.database, n.folded.schema) == within]
        close = find_nearest(name.name, here)
        if close is not None:
            return ObjectNotFound(
                f"{kind} {str(name)!r} does not exist.", hint=f"Did you mean {close!r}?"
            )
        namesake = [n for n in names if n.folded.name == name.folded.name]
        hint = (
            f"Did you mean {str(namesake[0])!r}?"
            if namesake
            else f"SHOW {kind.upper()}S lists what is there."
        )
        return ObjectNotFound(f"{kind} {str(name)!r} does not exist.", hint=hint)

    def missing(self, kind: str, name: str, known: Iterable[str]) -> ObjectNotFound:
        """Return the error for a missing database or schema.

        Args:
            kind: `Database` or `Schema`.
            name: the name that was looked up.
            known: the names that exist, of which the hint proposes the nearest.
        """
        close = find_nearest(name, known)
        hint = f"Did you mean {close!r}?" if close else f"SHOW {kind.upper()}S lists what is there."
        return ObjectNotFound(f"{kind} {name!r} does not exist.", hint=hint)

    def refuse_clash(self, kind: str, wanted: str, existing: str) -> None:
        """Refuse a name that differs from an existing name by case only.

        Args:
            kind: the kind of the object, as a sentence begins with it.
            wanted: the name in the statement.
            existing: the name of the existing object.

        Raises:
            NameClash: the names differ.
        """
        if wanted != existing:
            raise NameClash(
                f"{kind} {wanted!r} differs from {existing!r} by case only.",
                hint=f"Use {existing!r}, or a name that differs by more than case.",
            )

    def _databases(self) -> list[str]:
        with self.database.read() as connection:
            return [record.name for record in containers(connection)]


def new_id() -> str:
    """Return a fresh id for a statement, an object or a session."""
    return str(uuid.uuid4())
