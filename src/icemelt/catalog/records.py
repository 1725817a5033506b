"""What the registry holds, as plain data. Times are milliseconds since 1970 UTC."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, TypeVar

from icemelt.names import TableName
from icemelt.schema import Column

__all__ = [
    "APPEND_ONLY",
    "DEFAULT",
    "OPTIMIZE",
    "REDO_LOG",
    "REWRITES",
    "SINGDATA",
    "SNOWFLAKE",
    "ChannelRecord",
    "CommitMark",
    "ContainerRecord",
    "Frontier",
    "KeyRecord",
    "LakeRecord",
    "LoadRecord",
    "LockRecord",
    "Moment",
    "OpenRecord",
    "ReadState",
    "RunningStatement",
    "SchemaObject",
    "SnapshotRecord",
    "StatementRecord",
    "StreamRecord",
    "StreamSource",
    "TableRecord",
    "TrackingRecord",
    "VersionRecord",
    "ViewRecord",
    "ViewSource",
]

# a stream's modes, and whose columns it has
DEFAULT, APPEND_ONLY, REDO_LOG = "DEFAULT", "APPEND_ONLY", "REDO_LOG"
SNOWFLAKE, SINGDATA = "SNOWFLAKE", "SINGDATA"
# the operation of a compaction, which gives way to everybody
OPTIMIZE = "OPTIMIZE"
# operations of versions that change no rows: icemelt's compaction, and that of another engine
REWRITES = frozenset({OPTIMIZE, "foreign replace"})


@dataclass(frozen=True, slots=True)
class Moment:
    """A commit number and the time at which it was published."""

    commit_number: int
    time: int


@dataclass(frozen=True, slots=True)
class LakeRecord:
    """The one row of a lake: who it is, where its tables live, its last commit."""

    lake_id: str
    catalog_name: str
    warehouse: str
    last: Moment


@dataclass(frozen=True, slots=True)
class ContainerRecord:
    """A database (`database_name` None) or a schema; retention None is inherited."""

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
    """A table as the registry and the catalog see it at one moment.

    `pointer` is the metadata location in the catalog (None where it is gone), `known` the one that
    `version` stands for: where they differ a foreign engine has committed. Retention is effective:
    the table's own, else its schema's, its database's, the default.
    """

    kind: ClassVar[str] = "table"

    object_id: str
    name: TableName
    namespace: str
    owner: str
    comment: str | None
    created_at: int
    table_uuid: str
    pointer: str | None
    known: str
    version: int
    snapshot_id: int | None
    session_id: str | None = None
    dropped_at: int | None = None
    retention_days: int = 1
    extension_days: int = 14
    catalog_table_name: str = ""

    @property
    def folder(self) -> str:
        """Where its files are."""
        return self.known.rsplit("/metadata/", 1)[0]


@dataclass(frozen=True, slots=True)
class ChannelRecord:
    """A channel of a table: its sequencers, and the offset token that was committed last.

    `owner` opened it last; `active_at` is when it was last opened or written.
    """

    channel_id: str
    table_id: str
    name: str
    owner: str
    created_at: int
    active_at: int
    client_sequencer: int
    row_sequencer: int
    offset_token: str | None


@dataclass(frozen=True, slots=True)
class KeyRecord:
    """A key of a server's client, without its secret; `revoked_at` None is in force.

    Its statements run for `statement_timeout` seconds at most: None is as the server says, 0 is as
    long as they take.
    """

    key_id: str
    name: str
    created_at: int
    revoked_at: int | None = None
    statement_timeout: float | None = None


@dataclass(frozen=True, slots=True)
class RunningStatement:
    """A statement that a server runs, or that waits there (`started_at` is None)."""

    statement_id: str
    key_id: str
    user: str
    text: str
    submitted_at: int
    started_at: int | None = None
    is_cancelled: bool = False

    @property
    def status(self) -> str:
        """What the server is doing about it."""
        if self.is_cancelled:
            return "cancelling"
        return "waiting" if self.started_at is None else "running"


@dataclass(frozen=True, slots=True)
class SnapshotRecord:
    """One Iceberg snapshot of a version, with the row ids it gave out."""

    snapshot_id: int
    sequence_number: int
    operation: str
    first_row_id: int | None
    added_rows: int | None


@dataclass(frozen=True, slots=True)
class VersionRecord:
    """One committed transaction on a table; `snapshot_id` is the state it left.

    `snapshots` are those the version itself made, oldest first: none for a change of definition
    or for a rollback. `inserted` is None where it is not known.
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
class CommitMark:
    """A version of a table as its rows know it: by the last sequence number that it gave out."""

    last_sequence: int
    version: int
    time: int


@dataclass(frozen=True, slots=True)
class TrackingRecord:
    """A span of commits in which change tracking was on; `until` None is still."""

    since: int
    until: int | None


@dataclass(frozen=True, slots=True)
class StatementRecord:
    """One statement of the history.

    `commit_number` is what it committed, or else what it read; `status` is `succeeded`, `failed`,
    `cancelled` or `rolled back`. `key_id` is the key of a server's client that ran it.
    """

    statement_id: str
    session_id: str
    user: str
    text: str
    kind: str
    started_at: int
    ended_at: int
    status: str
    commit_number: int | None = None
    wrote: bool = False
    transaction_id: str | None = None
    rowcount: int | None = None
    error_code: str | None = None
    error_message: str | None = None
    key_id: str | None = None


@dataclass(frozen=True, slots=True)
class LoadRecord:
    """A file that COPY INTO has loaded into a table."""

    path: str
    size: int
    modified_at: int
    rows_loaded: int
    errors: int
    status: str


@dataclass(frozen=True, slots=True)
class Frontier:
    """How far a stream was read: the commit number up to which.

    `move` counts the frontier's moves; `moved_at` is the time of the last one, or of the point that
    CREATE named. `initial` says that the rows of the source itself are still to be given.
    """

    move: int
    commit_number: int
    moved_at: int
    initial: bool = False


@dataclass(frozen=True, slots=True)
class ViewSource:
    """What a view reads: its name, its columns when the view was made, and which it may mean.

    The view sees those columns and no others. `used` are folded names: the others may go.
    """

    name: TableName
    columns: tuple[Column, ...]
    used: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ViewRecord:
    """A view: its query as it was written, and what that meant when the view was made.

    Names in the query that are not full are of the view's own schema; `time_zone` is the one in
    which it computes. `location` is the metadata file through which other engines see it, None
    where they cannot. `version` counts how often it has come to mean something else.
    """

    kind: ClassVar[str] = "view"

    object_id: str
    name: TableName
    owner: str
    comment: str | None
    created_at: int
    query: str
    columns: tuple[Column, ...]
    sources: tuple[ViewSource, ...]
    time_zone: str
    location: str | None = None
    dropped_at: int | None = None
    version: int = 0


@dataclass(frozen=True, slots=True)
class StreamSource:
    """A table whose changes a stream reads, up to a version; or a view under the stream's view.

    A view's version is the one that the stream was made on.

    `name` is what the views call it, whatever it is called now; None for the stream's own source.
    """

    record: TableRecord | ViewRecord
    version: int = 0
    name: TableName | None = None


@dataclass(frozen=True, slots=True)
class StreamRecord:
    """A stream on a table or a view; what it reads may be dropped meanwhile.

    `sources` are the table itself, or all tables and views under the view. `mode` is
    DEFAULT, APPEND_ONLY or REDO_LOG; `dialect` says whose columns it has: SNOWFLAKE's METADATA$
    columns, or those of SINGDATA's table streams. `source_version` is the version of its view that
    it was made on.
    """

    kind: ClassVar[str] = "stream"

    object_id: str
    name: TableName
    owner: str
    comment: str | None
    created_at: int
    source_kind: str
    mode: str
    source: TableRecord | ViewRecord
    frontier: Frontier
    sources: tuple[StreamSource, ...]
    dialect: str = SNOWFLAKE
    source_version: int = 0

    @property
    def tables(self) -> tuple[TableRecord, ...]:
        """The tables whose changes it reads."""
        found = (each.record for each in self.sources)
        return tuple(record for record in found if isinstance(record, TableRecord))


@dataclass(frozen=True, slots=True)
class OpenRecord:
    """A transaction of many statements that is under way; `waits_for` is an object's id."""

    transaction_id: str
    session_id: str
    user: str
    name: str | None
    started_at: int
    commit_number: int
    lapses_at: int
    waits_for: str | None = None
    aborted_by: str | None = None


@dataclass(frozen=True, slots=True)
class LockRecord:
    """A lock on a stream, held by an open transaction; `token` rises with each that was given."""

    object_id: str
    transaction_id: str
    token: int
    acquired_at: int


SchemaObject = TableRecord | StreamRecord | ViewRecord
_Record = TypeVar("_Record", bound=SchemaObject)


class _OfKind(Mapping[TableName, _Record]):
    """Those of some objects that are of one kind, by name."""

    def __init__(self, objects: Mapping[TableName, SchemaObject], kind: type[_Record]) -> None:
        self._objects = objects
        self._kind = kind

    def __getitem__(self, name: TableName) -> _Record:
        found = self._objects[name]
        if isinstance(found, self._kind):
            return found
        raise KeyError(name)

    def __iter__(self) -> Iterator[TableName]:
        return (name for name, each in self._objects.items() if isinstance(each, self._kind))

    def __len__(self) -> int:
        return sum(1 for _ in self)


@dataclass(frozen=True, slots=True)
class ReadState:
    """What one read of the catalog saw: the moment, the clock, and the objects asked for.

    With a view come the objects that it reads.
    """

    moment: Moment
    now: int
    objects: Mapping[TableName, SchemaObject] = field(default_factory=dict)

    def of(self, kind: type[_Record]) -> Mapping[TableName, _Record]:
        """Return the objects of one kind, by name: `state.of(TableRecord)`."""
        return _OfKind(self.objects, kind)

    @property
    def tables(self) -> Mapping[TableName, TableRecord]:
        """The tables, by name."""
        return self.of(TableRecord)

    @property
    def streams(self) -> Mapping[TableName, StreamRecord]:
        """The streams, by name."""
        return self.of(StreamRecord)

    @property
    def views(self) -> Mapping[TableName, ViewRecord]:
        """The views, by name."""
        return self.of(ViewRecord)
