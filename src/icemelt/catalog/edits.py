"""What one commit changes in the registry, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from icemelt.catalog.records import (
    SNOWFLAKE,
    LoadRecord,
    SnapshotRecord,
    StatementRecord,
    ViewSource,
)
from icemelt.names import TableName
from icemelt.schema import Column

__all__ = [
    "AddLoads",
    "AlterView",
    "Commit",
    "DropObject",
    "Edit",
    "ForgetLoads",
    "MakeContainer",
    "MakeStream",
    "MakeTable",
    "MakeView",
    "MoveFrontier",
    "MoveObject",
    "MovePointer",
    "MoveTokens",
    "Options",
    "Place",
    "Position",
    "ReplaceMetadata",
    "RestoreObject",
    "SetOptions",
    "SetTracking",
    "TokenMove",
    "VersionStats",
]


@dataclass(frozen=True, slots=True)
class VersionStats:
    """What a new version is: the state it leaves and how it came to be.

    `statement_id` None is the commit's last statement; `foreign` says that another engine made it.
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
    """The parameters an object carries; None is inherited or absent."""

    comment: str | None = None
    retention_days: int | None = None
    extension_days: int | None = None


@dataclass(frozen=True, slots=True)
class MakeContainer:
    """Make a database (`parent_id` None) or a schema; `namespace` is Iceberg's name of it."""

    object_id: str
    name: str
    namespace: str
    parent_id: str | None = None
    options: Options = field(default_factory=Options)


@dataclass(frozen=True, slots=True)
class MakeTable:
    """Make a table whose first metadata file is written; `session_id` makes it temporary."""

    object_id: str
    parent_id: str
    name: TableName
    namespace: str
    table_uuid: str
    location: str
    stats: VersionStats
    tracked: bool = True
    session_id: str | None = None
    options: Options = field(default_factory=Options)


@dataclass(frozen=True, slots=True)
class MovePointer:
    """Swap a table's pointer from `base` to `location` and add one version for it.

    One that `yields` is not published while a transaction of many statements is open.
    """

    table_id: str
    base: str
    location: str
    stats: VersionStats
    yields: bool = False


@dataclass(frozen=True, slots=True)
class ReplaceMetadata:
    """Let another metadata file stand for a table's last version, as its state is the same.

    It no longer has what only versions before `floor` need; the registry's rows of versions before
    `first` go with it.
    """

    table_id: str
    base: str
    location: str
    floor: int = 0
    first: int = 0


@dataclass(frozen=True, slots=True)
class Position:
    """How far one source of a stream is read: a table up to a version; a view as of one.

    `name` is what the views of the stream call it; None for the stream's own table.
    """

    source_id: str
    version: int = 0
    name: TableName | None = None
    kind: str = "table"


@dataclass(frozen=True, slots=True)
class Place:
    """How far a stream reads its sources: a commit number that leaves each at its version.

    `initial` says that the source's rows are still to be given; `time` None is the commit's own.
    """

    positions: tuple[Position, ...]
    commit_number: int
    initial: bool = False
    time: int | None = None


@dataclass(frozen=True, slots=True)
class MakeStream:
    """Make a stream on a source; `dialect` says whose columns it has, as in `StreamRecord`.

    `source_version` is the version of a view that it is on.
    """

    object_id: str
    parent_id: str
    name: str
    source_id: str
    source_kind: str
    mode: str
    place: Place
    options: Options = field(default_factory=Options)
    dialect: str = SNOWFLAKE
    source_version: int = 0


@dataclass(frozen=True, slots=True)
class MakeView:
    """Make a view; `location` is its metadata file, where other engines are to see it."""

    object_id: str
    parent_id: str
    name: str
    namespace: str
    query: str
    columns: tuple[Column, ...]
    sources: tuple[ViewSource, ...]
    time_zone: str
    location: str | None = None
    options: Options = field(default_factory=Options)


@dataclass(frozen=True, slots=True)
class AlterView:
    """Give a view, which has `version` now, what another one is made of; it stays the same object.

    `is_other` says that it means something else: then it gets the next version.
    """

    version: int
    made: MakeView
    is_other: bool


@dataclass(frozen=True, slots=True)
class MoveFrontier:
    """Move a stream's frontier, which has made `move` moves until now."""

    stream_id: str
    move: int
    place: Place


@dataclass(frozen=True, slots=True)
class TokenMove:
    """How far a channel is written by a commit, taken under a client sequencer.

    `before` is the number of its last append that was committed, `row_sequencer` that of the last
    one in this commit; a token of None leaves the last one.
    """

    channel_id: str
    client_sequencer: int
    before: int
    row_sequencer: int
    offset_token: str | None


@dataclass(frozen=True, slots=True)
class MoveTokens:
    """Move the offset tokens of channels whose rows are in the commit."""

    moves: tuple[TokenMove, ...]


@dataclass(frozen=True, slots=True)
class DropObject:
    """Drop an object and all it holds; the files stay until retention ends.

    A table that is dropped for what was read of it has to be at that `version` still.
    """

    object_id: str
    version: int | None = None


@dataclass(frozen=True, slots=True)
class RestoreObject:
    """Bring back an object and all that was dropped with it."""

    object_id: str


@dataclass(frozen=True, slots=True)
class MoveObject:
    """Rename an object of a schema, or move it to another schema.

    `namespace` is Iceberg's name of that schema, for what other engines see.
    """

    object_id: str
    parent_id: str
    name: str
    namespace: str


@dataclass(frozen=True, slots=True)
class SetOptions:
    """Replace an object's parameters."""

    object_id: str
    options: Options


@dataclass(frozen=True, slots=True)
class SetTracking:
    """Switch change tracking on or off: from this commit on, or on since an earlier one."""

    table_id: str
    on: bool
    since: int | None = None


@dataclass(frozen=True, slots=True)
class AddLoads:
    """Remember files as loaded into a table."""

    table_id: str
    loads: tuple[LoadRecord, ...]


@dataclass(frozen=True, slots=True)
class ForgetLoads:
    """Forget which files were loaded into a table."""

    table_id: str


Edit = (
    MakeContainer
    | MakeTable
    | MovePointer
    | ReplaceMetadata
    | MakeStream
    | MakeView
    | AlterView
    | MoveFrontier
    | MoveTokens
    | DropObject
    | RestoreObject
    | MoveObject
    | SetOptions
    | SetTracking
    | AddLoads
    | ForgetLoads
)


@dataclass(frozen=True, slots=True)
class Commit:
    """A transaction to publish: its edits, in the order they are made, and its statements.

    The statements have no commit number yet; publishing gives them one. `tokens` are those of the
    streams that it holds locks on; None for a transaction of one statement, which was not opened.
    """

    transaction_id: str
    session_id: str
    user: str
    edits: tuple[Edit, ...]
    statements: tuple[StatementRecord, ...] = ()
    tokens: Mapping[str, int] | None = None
