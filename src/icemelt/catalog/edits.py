"""The changes of the registry by one commit, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from icemelt.catalog.activity_records import StatementRecord
from icemelt.catalog.clone_edits import EndSharing, ShareFiles, SwapObjects
from icemelt.catalog.defined_records import Definition
from icemelt.catalog.listing_edits import RegisterFiles
from icemelt.catalog.load_records import LoadRecord
from icemelt.catalog.pipe_records import QueuedFile
from icemelt.catalog.records import ERROR, SNOWFLAKE, SnapshotRecord, ViewSourceRecord
from icemelt.catalog.task_edits import ApplyTaskEvent, RequireTasks
from icemelt.names import QualifiedName
from icemelt.schema import Column

__all__ = [
    "THIS_COMMIT",
    "AddLoads",
    "CommitRequest",
    "DropObject",
    "Edit",
    "ForgetLoads",
    "LoadQueuedFiles",
    "MakeContainer",
    "MakeDefined",
    "MakeStream",
    "MakeTable",
    "MakeView",
    "MoveFrontier",
    "MoveObject",
    "MovePointer",
    "MoveTokens",
    "Options",
    "QueueFiles",
    "RedefineObject",
    "RedefineView",
    "ReplaceMetadata",
    "RestoreObject",
    "SetObjectOptions",
    "SetOnMissing",
    "SetTracking",
    "SourcePosition",
    "StreamPosition",
    "TokenMove",
    "VersionStats",
]


@dataclass(frozen=True, slots=True)
class VersionStats:
    """A new version: its state, and the statistics of the change.

    Args:
        snapshot_id: the snapshot of the version's state, None for a table without snapshots.
        operation: the operation for the table's history, such as INSERT.
        snapshots: the snapshots made by the version, oldest first.
        total_rows: the table's rows after the version, None where unknown.
        total_bytes: the bytes of the table's files after the version, None where unknown.
        inserted: the number of inserted rows, None where unknown.
        updated: the number of updated rows, None where unknown.
        deleted: the number of deleted rows, None where unknown.
        statement_id: the statement; None for the last statement of the commit.
        foreign: whether another engine made the version.
    """

    snapshot_id: int | None
    operation: str
    snapshots: tuple[SnapshotRecord, ...] = ()
    total_rows: int | None = None
    total_bytes: int | None = None
    inserted: int | None = None
    updated: int | None = None
    deleted: int | None = None
    statement_id: str | None = None
    foreign: bool = False


@dataclass(frozen=True, slots=True)
class Options:
    """The parameters of an object; None for an inherited or absent parameter."""

    comment: str | None = None
    retention_days: int | None = None
    extension_days: int | None = None


@dataclass(frozen=True, slots=True)
class MakeContainer:
    """Make a database (`parent_id` None) or a schema, with a namespace in Iceberg's tables."""

    object_id: str
    name: str
    namespace: str
    parent_id: str | None = None
    options: Options = field(default_factory=Options)


@dataclass(frozen=True, slots=True)
class MakeTable:
    """Make a table whose first metadata file is written.

    Args:
        object_id: the table's object id.
        parent_id: the id of the table's schema.
        name: the table's full name.
        namespace: the name of the schema in Iceberg's tables.
        table_uuid: Iceberg's UUID of the table.
        location: the first metadata file.
        stats: the first version.
        tracked: whether change tracking is on from the first version.
        session_id: the session of a temporary table, None for a permanent table.
        options: comment and retention.
    """

    object_id: str
    parent_id: str
    name: QualifiedName
    namespace: str
    table_uuid: str
    location: str
    stats: VersionStats
    tracked: bool = True
    session_id: str | None = None
    options: Options = field(default_factory=Options)


@dataclass(frozen=True, slots=True)
class MovePointer:
    """Swap a table's pointer and add one version.

    Args:
        table_id: the table's object id.
        base: the metadata file from which the change started.
        location: the new metadata file.
        stats: the new version.
        yields: whether the edit is not published while any transaction is open.
    """

    table_id: str
    base: str
    location: str
    stats: VersionStats
    yields: bool = False


@dataclass(frozen=True, slots=True)
class ReplaceMetadata:
    """Replace the metadata file of a table's last version by another with the same state.

    Args:
        table_id: the table's object id.
        base: the metadata file from which the change started.
        location: the new metadata file.
        floor: the oldest version still readable by the new file, 0 for all.
        first: the registry's rows of versions before this number are removed.
    """

    table_id: str
    base: str
    location: str
    floor: int = 0
    first: int = 0


@dataclass(frozen=True, slots=True)
class SourcePosition:
    """How far one source of a stream is read.

    Args:
        source_id: the object id of a table or view.
        version: the last version of the table read, or the version of the view.
        name: the source's name in the stream's views; None for the stream's own table.
        kind: `table` or `view`.
    """

    source_id: str
    version: int = 0
    name: QualifiedName | None = None
    kind: str = "table"


# the commit number of a position in sources that the same commit makes
THIS_COMMIT = -1


@dataclass(frozen=True, slots=True)
class StreamPosition:
    """How far a stream reads all its sources.

    Args:
        positions: the position in every source.
        commit_number: a commit number at which every source is at its position; THIS_COMMIT for
            the commit of the edit, whatever versions `positions` has.
        shows_initial_rows: whether the rows of the source itself are still to be returned.
        time: in milliseconds since 1970; None for the commit's own time.
    """

    positions: tuple[SourcePosition, ...]
    commit_number: int
    shows_initial_rows: bool = False
    time: int | None = None


@dataclass(frozen=True, slots=True)
class MakeStream:
    """Make a stream on a table or view.

    Args:
        object_id: the stream's object id.
        parent_id: the id of the stream's schema.
        name: the stream's own name.
        source_id: the object id of the source.
        source_kind: `table`, `view`, `stage` or `external table`.
        mode: DEFAULT, APPEND_ONLY, REDO_LOG or INSERT_ONLY.
        position: the first frontier.
        options: the comment.
        dialect: the columns of the stream, as in `StreamRecord`.
        source_version: the version of the view, 0 for a table.
        on_missing: what a read does about a file that is gone, as in `StreamRecord`.
    """

    object_id: str
    parent_id: str
    name: str
    source_id: str
    source_kind: str
    mode: str
    position: StreamPosition
    options: Options = field(default_factory=Options)
    dialect: str = SNOWFLAKE
    source_version: int = 0
    on_missing: str = ERROR


@dataclass(frozen=True, slots=True)
class MakeView:
    """Make a view.

    Args:
        object_id: the view's object id.
        parent_id: the id of the view's schema.
        name: the view's own name.
        namespace: the name of the schema in Iceberg's tables.
        query: the text of the query.
        columns: the view's columns.
        sources: the tables and views of the query.
        time_zone: the time zone in which the view computes.
        location: the metadata file for other engines, None where other engines see no view.
        options: the comment.
    """

    object_id: str
    parent_id: str
    name: str
    namespace: str
    query: str
    columns: tuple[Column, ...]
    sources: tuple[ViewSourceRecord, ...]
    time_zone: str
    location: str | None = None
    options: Options = field(default_factory=Options)


@dataclass(frozen=True, slots=True)
class MakeDefined:
    """Make an object of a kind in `DEFINED_KINDS`: a file format, a stage.

    Args:
        object_id: the object's id.
        parent_id: the id of the object's schema.
        kind: the name of the kind.
        name: the object's own name.
        definition: what the object has of its own, as in the record's `definition`.
        options: the comment.
        session_id: the session of a temporary object, None for a permanent object.
        source_id: the object id of the sequence whose numbers a cloned sequence goes on with.
    """

    object_id: str
    parent_id: str
    kind: str
    name: str
    definition: Definition
    options: Options = field(default_factory=Options)
    session_id: str | None = None
    source_id: str | None = None


@dataclass(frozen=True, slots=True)
class RedefineObject:
    """Give an object of a kind in `DEFINED_KINDS` another definition.

    Args:
        object_id: the object's id.
        before: the definition before the change, compared at publication.
        after: the definition after the change.
    """

    object_id: str
    before: Definition
    after: Definition


@dataclass(frozen=True, slots=True)
class RedefineView:
    """Give a view another definition; the view keeps its object id.

    Args:
        version: the version of the view before the change.
        definition: the new definition.
        is_other: whether the meaning changes. The view then gets the next version.
    """

    version: int
    definition: MakeView
    is_other: bool


@dataclass(frozen=True, slots=True)
class MoveFrontier:
    """Move a stream's frontier.

    Args:
        stream_id: the stream's object id.
        move_count: the number of moves before this move, compared at publication.
        position: the new frontier.
        files_skipped: how many files the move passes over, as they were gone before they were read.
    """

    stream_id: str
    move_count: int
    position: StreamPosition
    files_skipped: int = 0


@dataclass(frozen=True, slots=True)
class SetOnMissing:
    """Set what a stream does about files that are gone before they were read: ERROR or SKIP."""

    stream_id: str
    on_missing: str


@dataclass(frozen=True, slots=True)
class TokenMove:
    """How far a commit writes a channel.

    Args:
        channel_id: the channel's id.
        client_sequencer: the client sequencer under which the rows were taken.
        before: the number of the last committed append before this commit.
        row_sequencer: the number of the last append in this commit.
        offset_token: the new offset token; None keeps the last token.
    """

    channel_id: str
    client_sequencer: int
    before: int
    row_sequencer: int
    offset_token: str | None


@dataclass(frozen=True, slots=True)
class MoveTokens:
    """Move the offset tokens of the channels with rows in the commit."""

    moves: tuple[TokenMove, ...]


@dataclass(frozen=True, slots=True)
class DropObject:
    """Drop an object and all its parts; the files stay until retention ends.

    Args:
        object_id: the object's id.
        version: the version at which a table has to be still, since its content was read; None for
            any.
    """

    object_id: str
    version: int | None = None


@dataclass(frozen=True, slots=True)
class RestoreObject:
    """Restore an object, and all parts dropped with the object."""

    object_id: str


@dataclass(frozen=True, slots=True)
class MoveObject:
    """Rename an object of a schema, or move the object to another schema.

    Args:
        object_id: the object's id.
        parent_id: the id of the new schema.
        name: the new name.
        namespace: the name of the new schema in Iceberg's tables, for other engines.
    """

    object_id: str
    parent_id: str
    name: str
    namespace: str


@dataclass(frozen=True, slots=True)
class SetObjectOptions:
    """Replace an object's parameters."""

    object_id: str
    options: Options


@dataclass(frozen=True, slots=True)
class SetTracking:
    """Switch change tracking of a table on or off.

    Args:
        table_id: the table's object id.
        on: whether tracking is on from this commit on.
        since_commit: an earlier commit number from which tracking is on, None for this commit.
    """

    table_id: str
    on: bool
    since_commit: int | None = None


@dataclass(frozen=True, slots=True)
class AddLoads:
    """Record files as loaded into a table."""

    table_id: str
    loads: tuple[LoadRecord, ...]


@dataclass(frozen=True, slots=True)
class ForgetLoads:
    """Forget the record of files loaded into a table."""

    table_id: str


@dataclass(frozen=True, slots=True)
class QueueFiles:
    """Add files to the queue of a pipe, and take files out that are gone or have changed.

    Args:
        pipe_id: the pipe's object id.
        files: the files to add; a file in the queue under the same path is replaced.
        removed: the paths of files that leave the queue.
    """

    pipe_id: str
    files: tuple[QueuedFile, ...]
    removed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LoadQueuedFiles:
    """Take a batch of files out of the queue of a pipe, and record what became of them.

    The publication requires that the pipe exists, that the queue has the files as the batch has
    read them, and that none of the files in `loads` was loaded into the table meanwhile.

    Args:
        pipe_id: the pipe's object id.
        table_id: the table's object id.
        files: the files that leave the queue.
        loads: the records of the files that were loaded, or skipped for their errors.
    """

    pipe_id: str
    table_id: str
    files: tuple[QueuedFile, ...]
    loads: tuple[LoadRecord, ...] = ()


Edit = (
    MakeContainer
    | MakeTable
    | MovePointer
    | ReplaceMetadata
    | ShareFiles
    | EndSharing
    | SwapObjects
    | MakeStream
    | MakeView
    | MakeDefined
    | RedefineObject
    | RequireTasks
    | ApplyTaskEvent
    | RedefineView
    | MoveFrontier
    | SetOnMissing
    | MoveTokens
    | DropObject
    | RestoreObject
    | MoveObject
    | SetObjectOptions
    | SetTracking
    | AddLoads
    | ForgetLoads
    | QueueFiles
    | LoadQueuedFiles
    | RegisterFiles
)


@dataclass(frozen=True, slots=True)
class CommitRequest:
    """A transaction to publish.

    Args:
        transaction_id: the transaction's id in the history.
        session_id: the session's id.
        user: the user's name.
        edits: the changes of the registry, applied in this order.
        statements: the records for the history; publishing fills in the commit number.
        tokens: the fencing tokens of an open transaction's locks, by stream id; None for a lone
            statement.
    """

    transaction_id: str
    session_id: str
    user: str
    edits: tuple[Edit, ...]
    statements: tuple[StatementRecord, ...] = ()
    tokens: Mapping[str, int] | None = None
