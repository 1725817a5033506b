"""The registry's records, as plain data.

A time (a field `time` or `…_at`) is in milliseconds since 1970 UTC. Durations name their unit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, TypeVar

from icemelt.catalog.defined_records import (
    DefinedRecord,
    ExternalTableRecord,
    FunctionRecord,
    StageRecord,
)
from icemelt.catalog.load_records import LoadRecord
from icemelt.names import QualifiedName
from icemelt.schema import Column

__all__ = [
    "APPEND_ONLY",
    "DEFAULT",
    "ERROR",
    "INSERT_ONLY",
    "OPTIMIZE",
    "REDO_LOG",
    "REWRITES",
    "SINGDATA",
    "SKIP",
    "SNOWFLAKE",
    "CatalogState",
    "ContainerRecord",
    "FileOwner",
    "Frontier",
    "InformationRecord",
    "LakeRecord",
    "ListedLoad",
    "ListedStream",
    "ListedTable",
    "Listing",
    "Moment",
    "ReadableObject",
    "SchemaObject",
    "SnapshotRecord",
    "StreamRecord",
    "StreamSource",
    "StreamSourceRecord",
    "TableRecord",
    "TrackingRecord",
    "UnreadVersions",
    "VersionRecord",
    "VersionSequence",
    "ViewRecord",
    "ViewSourceRecord",
    "Wanted",
    "is_temporary",
]

# the modes of streams, and their dialects
DEFAULT, APPEND_ONLY, REDO_LOG = "DEFAULT", "APPEND_ONLY", "REDO_LOG"
INSERT_ONLY = "INSERT_ONLY"
# what a stream does about a file that is gone before it was read
ERROR, SKIP = "ERROR", "SKIP"
SNOWFLAKE, SINGDATA = "SNOWFLAKE", "SINGDATA"
# the operation of a compaction, which yields to every transaction
OPTIMIZE = "OPTIMIZE"
# operations without changed rows: a compaction by icemelt, or by another engine
REWRITES = frozenset({OPTIMIZE, "foreign replace"})

_Defined = TypeVar("_Defined", bound=DefinedRecord)


@dataclass(frozen=True, slots=True)
class Moment:
    """A commit number, and the time of the commit."""

    commit_number: int
    time: int


@dataclass(frozen=True, slots=True)
class LakeRecord:
    """The lake's only row: the lake's id, the place of its tables, the last commit."""

    lake_id: str
    catalog_name: str
    warehouse: str
    last: Moment


@dataclass(frozen=True, slots=True)
class ContainerRecord:
    """A database (`database_name` None) or a schema; a retention of None is inherited."""

    object_id: str
    name: str
    database_name: str | None
    owner: str
    comment: str | None
    created_at: int
    dropped_at: int | None = None
    retention_days: int | None = None
    extension_days: int | None = None


@dataclass(frozen=True, slots=True)
class TableRecord:
    """A table in the registry and in the catalog, as of one moment.

    Args:
        object_id: the table's object id.
        name: the full name.
        namespace: the name of the schema in Iceberg's tables.
        owner: the user who made the table.
        comment: the comment, None without a comment.
        created_at: when the table was made.
        table_uuid: Iceberg's UUID of the table.
        pointer: the metadata file in Iceberg's catalog, None where the catalog has no such table.
        known_location: the metadata file of `version`. Where `pointer` differs, a foreign engine
            has committed.
        version: the last version.
        snapshot_id: the snapshot of the last version, None for a table without snapshots.
        session_id: the session of a temporary table, None for a permanent table.
        dropped_at: when the table was dropped, None for a live table.
        retention_days: the effective retention: the table's own, else the schema's, the database's,
            or the default.
        extension_days: the effective extension for streams, likewise.
        catalog_table_name: the table's name in Iceberg's tables.
    """

    kind: ClassVar[str] = "table"

    object_id: str
    name: QualifiedName
    namespace: str
    owner: str
    comment: str | None
    created_at: int
    table_uuid: str
    pointer: str | None
    known_location: str
    version: int
    snapshot_id: int | None
    session_id: str | None = None
    dropped_at: int | None = None
    retention_days: int = 1
    extension_days: int = 14
    catalog_table_name: str = ""

    @property
    def folder(self) -> str:
        """The folder of the table's files."""
        return self.known_location.rsplit("/metadata/", 1)[0]


@dataclass(frozen=True, slots=True)
class SnapshotRecord:
    """An Iceberg snapshot of a version, with the row ids given out by the snapshot."""

    snapshot_id: int
    sequence_number: int
    operation: str
    first_row_id: int | None
    added_rows: int | None


@dataclass(frozen=True, slots=True)
class VersionRecord:
    """A version of a table: one committed transaction on the table.

    Args:
        table_id: the table's object id.
        version: the version's number, from 1.
        moment: when the version was committed.
        snapshot_id: the snapshot of the version's state.
        operation: the operation, such as INSERT.
        snapshots: the snapshots made by the version, oldest first; none for a change of the
            definition or for a rollback.
        user: the user of the transaction.
        statement_id: the statement that made the version.
        transaction_id: the transaction.
        foreign: whether another engine made the version.
        total_rows: the table's rows after the version, None where unknown.
        total_bytes: the bytes of the table's files after the version, None where unknown.
        inserted: the number of inserted rows, None where unknown.
        updated: the number of updated rows, None where unknown.
        deleted: the number of deleted rows, None where unknown.
        location: the metadata file, None where the registry has forgotten the file.
    """

    table_id: str
    version: int
    moment: Moment
    snapshot_id: int | None
    operation: str
    snapshots: tuple[SnapshotRecord, ...] = ()
    user: str = ""
    statement_id: str | None = None
    transaction_id: str | None = None
    foreign: bool = False
    total_rows: int | None = None
    total_bytes: int | None = None
    inserted: int | None = None
    updated: int | None = None
    deleted: int | None = None
    location: str | None = None


@dataclass(frozen=True, slots=True)
class VersionSequence:
    """The last sequence number of a version: a row's sequence number tells the row's version.

    Args:
        last_sequence: Iceberg's sequence number of the version's last snapshot.
        version: the version's number.
        time: when the version was committed.
    """

    last_sequence: int
    version: int
    time: int


@dataclass(frozen=True, slots=True)
class TrackingRecord:
    """A span of commits of a table with change tracking on.

    Args:
        since_commit: the number of the first commit with change tracking.
        until_commit: the number of the commit that ended change tracking, None for an open span.
    """

    since_commit: int
    until_commit: int | None


@dataclass(frozen=True, slots=True)
class Frontier:
    """How far a stream has read its source.

    Args:
        move_count: how often the frontier has moved, compared when the frontier moves again.
        commit_number: the last commit read.
        moved_at: the time of the last move, or of the point named by CREATE.
        shows_initial_rows: whether the rows of the source itself are still to be returned, as
            SHOW_INITIAL_ROWS asks.
    """

    move_count: int
    commit_number: int
    moved_at: int
    shows_initial_rows: bool = False


@dataclass(frozen=True, slots=True)
class ViewSourceRecord:
    """A table or view in a view's query, with the columns of when the view was made.

    The view sees only these columns.

    Args:
        name: the full name in the query.
        columns: the columns of when the view was made.
        used: the folded names of the columns that the query may mean; the other columns may be
            dropped.
        function: the function that the name means, where it is that of a user's function: then the
            one column is its result. The registry has the name alone.
    """

    name: QualifiedName
    columns: tuple[Column, ...]
    used: frozenset[str] = frozenset()
    function: FunctionRecord | None = None


@dataclass(frozen=True, slots=True)
class ViewRecord:
    """A view: the query's text, and the meaning of its names when the view was made.

    Args:
        object_id: the view's object id.
        name: the full name; incomplete names in the query are in the same schema.
        owner: the user who made the view.
        comment: the comment, None without a comment.
        created_at: when the view was made.
        query: the query's text.
        columns: the view's columns.
        sources: the tables and views in the query.
        time_zone: the time zone in which the view computes.
        location: the metadata file for other engines, None where other engines see no view.
        dropped_at: when the view was dropped, None for a live view.
        version: how often ALTER has changed the view's meaning.
    """

    kind: ClassVar[str] = "view"

    object_id: str
    name: QualifiedName
    owner: str
    comment: str | None
    created_at: int
    query: str
    columns: tuple[Column, ...]
    sources: tuple[ViewSourceRecord, ...]
    time_zone: str
    location: str | None = None
    dropped_at: int | None = None
    version: int = 0


# what has listed files: a stage with a directory table, and an external table
FileOwner = StageRecord | ExternalTableRecord
# what a stream can be on: of a stage its directory table
StreamSource = TableRecord | ViewRecord | FileOwner


@dataclass(frozen=True, slots=True)
class StreamSourceRecord:
    """A source of a stream: a table up to a version, a view under the stream's view, or a stage.

    Args:
        record: the table, view or stage.
        version: the last version of the table read, or the last commit of the stage; of a view the
            version when the stream was made.
        name: the source's name in the views, whatever its name is today; None for the stream's own
            source.
    """

    record: StreamSource
    version: int = 0
    name: QualifiedName | None = None


@dataclass(frozen=True, slots=True)
class StreamRecord:
    """A stream on a table, a view or a stage; the source may be dropped meanwhile.

    Args:
        object_id: the stream's object id.
        name: the full name.
        owner: the user who made the stream.
        comment: the comment, None without a comment.
        created_at: when the stream was made.
        source_kind: `table`, `view`, `stage` or `external table`.
        mode: DEFAULT, APPEND_ONLY, REDO_LOG or INSERT_ONLY.
        source: the table, view, stage or external table on which the stream was made.
        frontier: how far the stream was read.
        sources: the table or stage itself, or all tables and views under the view.
        dialect: the stream's extra columns: SNOWFLAKE's METADATA$ columns, or SINGDATA's columns of
            table streams.
        source_version: the version of the view when the stream was made.
        on_missing: what a read does about a file that is gone before it was read: ERROR or SKIP.
        files_skipped: how many files moves of the frontier have passed over, as they were gone.
    """

    kind: ClassVar[str] = "stream"

    object_id: str
    name: QualifiedName
    owner: str
    comment: str | None
    created_at: int
    source_kind: str
    mode: str
    source: StreamSource
    frontier: Frontier
    sources: tuple[StreamSourceRecord, ...]
    dialect: str = SNOWFLAKE
    source_version: int = 0
    on_missing: str = ERROR
    files_skipped: int = 0

    @property
    def tables(self) -> tuple[TableRecord, ...]:
        """The tables whose changes the stream reads."""
        records = (source.record for source in self.sources)
        return tuple(record for record in records if isinstance(record, TableRecord))


@dataclass(frozen=True, slots=True)
class UnreadVersions:
    """The versions of one of a stream's tables, or the listings of its stage, after its frontier.

    Args:
        source: the table or stage.
        versions: the versions or listings after the frontier, oldest first.
        start: the version at the frontier, None where it is gone, and of a stage.
    """

    source: TableRecord | FileOwner
    versions: Sequence[VersionRecord]
    start: VersionRecord | None = None


@dataclass(frozen=True, slots=True)
class ListedTable:
    """A table of a listing, with its size.

    Args:
        table: the table as of the listing's moment.
        total_rows: the number of rows, None where unknown.
        total_bytes: the bytes of the table's files, None where unknown.
        altered_at: when the table's last version was committed, None without a version.
        is_tracked: whether change tracking is on.
    """

    table: TableRecord
    total_rows: int | None
    total_bytes: int | None
    altered_at: int | None
    is_tracked: bool


@dataclass(frozen=True, slots=True)
class ListedStream:
    """A stream of a listing, with the unread versions of each of its tables."""

    stream: StreamRecord
    unread: tuple[UnreadVersions, ...]


@dataclass(frozen=True, slots=True)
class ListedLoad:
    """A file loaded into a table, and when; the time is that of the last load.

    `pipe` is the name of the pipe that loaded the file, None for COPY INTO and for a pipe that is
    no longer in the registry.
    """

    table: TableRecord
    load: LoadRecord
    loaded_at: int
    pipe: QualifiedName | None = None


@dataclass(frozen=True, slots=True)
class Wanted:
    """The objects that a listing is to have.

    Args:
        kinds: the kinds: `schema`, `load` (loaded files), and the `kind` of records. Databases are
            in every listing.
        within: the names of a database and of a schema, None for all.
        with_dropped: whether dropped databases, schemas and tables are included.
    """

    kinds: frozenset[str]
    within: tuple[str | None, str | None] = (None, None)
    with_dropped: bool = False


@dataclass(frozen=True, slots=True)
class Listing:
    """Objects of the registry, all of one moment, ordered by database, schema and name.

    Args:
        wanted: what the listing has.
        moment: the last commit seen.
        now: the clock, in milliseconds since 1970.
        databases: all databases, wherever the other objects are.
        schemas: the schemas.
        tables: the tables, the session's temporary ones included.
        views: the views.
        streams: the streams.
        defined: file formats, stages and external tables, the session's temporary ones included.
        loads: the files loaded into the tables.
    """

    wanted: Wanted
    moment: Moment
    now: int
    databases: tuple[ContainerRecord, ...] = ()
    schemas: tuple[ContainerRecord, ...] = ()
    tables: tuple[ListedTable, ...] = ()
    views: tuple[ViewRecord, ...] = ()
    streams: tuple[ListedStream, ...] = ()
    defined: tuple[DefinedRecord, ...] = ()
    loads: tuple[ListedLoad, ...] = ()

    def of(self, kind: type[_Defined]) -> tuple[_Defined, ...]:
        """Return the objects of one kind with a definition: `listing.of(StageRecord)`."""
        return tuple(record for record in self.defined if isinstance(record, kind))


@dataclass(frozen=True, slots=True)
class InformationRecord:
    """A relation of INFORMATION_SCHEMA: objects of a database, as rows.

    Args:
        name: the full name; the last part is the relation's, in lower case.
        listing: the objects that the rows are made of.
    """

    kind: ClassVar[str] = "relation of INFORMATION_SCHEMA"

    name: QualifiedName
    listing: Listing

    @property
    def object_id(self) -> str:
        """The name: the relation is no object of the registry."""
        return str(self.name)

    @property
    def comment(self) -> None:
        """None: the relation is no object of the registry."""


# the kinds that have rows, and stand in FROM
ReadableObject = TableRecord | StreamRecord | ViewRecord | InformationRecord | ExternalTableRecord
SchemaObject = ReadableObject | DefinedRecord
_Record = TypeVar("_Record", bound=SchemaObject)


def is_temporary(found: SchemaObject) -> bool:
    """Return whether an object belongs to one session alone."""
    return isinstance(found, TableRecord | StageRecord) and found.session_id is not None


class _OfKind(Mapping[QualifiedName, _Record]):
    """A read-only view of a mapping with the objects of one kind only."""

    def __init__(self, objects: Mapping[QualifiedName, SchemaObject], kind: type[_Record]) -> None:
        self._objects = objects
        self._kind = kind

    def __getitem__(self, name: QualifiedName) -> _Record:
        record = self._objects[name]
        if isinstance(record, self._kind):
            return record
        raise KeyError(name)

    def __iter__(self) -> Iterator[QualifiedName]:
        return (name for name, record in self._objects.items() if isinstance(record, self._kind))

    def __len__(self) -> int:
        return sum(1 for _ in self)


@dataclass(frozen=True, slots=True)
class CatalogState:
    """The result of one read of the catalog: the moment, the clock, and the objects found.

    The objects under a view are included.

    Args:
        moment: the last commit seen.
        now: the clock, in milliseconds since 1970.
        objects: tables, streams, views, file formats and stages by name.
    """

    moment: Moment
    now: int
    objects: Mapping[QualifiedName, SchemaObject] = field(default_factory=dict)

    def of(self, kind: type[_Record]) -> Mapping[QualifiedName, _Record]:
        """Return the objects of one kind, by name: `state.of(TableRecord)`."""
        return _OfKind(self.objects, kind)

    @property
    def tables(self) -> Mapping[QualifiedName, TableRecord]:
        """The tables, by name."""
        return self.of(TableRecord)

    @property
    def streams(self) -> Mapping[QualifiedName, StreamRecord]:
        """The streams, by name."""
        return self.of(StreamRecord)

    @property
    def views(self) -> Mapping[QualifiedName, ViewRecord]:
        """The views, by name."""
        return self.of(ViewRecord)
