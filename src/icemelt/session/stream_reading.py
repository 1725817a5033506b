"""What a stream gives: the changes from its frontier to the state that a statement sees."""

from __future__ import annotations

from dataclasses import dataclass

from icemelt.catalog.edits import MoveFrontier, Place
from icemelt.catalog.reading import version_at, versions_between
from icemelt.catalog.records import ReadState, StreamRecord, VersionRecord
from icemelt.catalog.retention import stale_after
from icemelt.engine.relations import ChangePlan, Lease
from icemelt.errors import (
    BeforeTableExisted,
    ChangeTrackingGap,
    FileDamaged,
    StreamBroken,
    StreamStale,
    VersionExpired,
    WrongObjectKind,
)
from icemelt.session.core import Core
from icemelt.session.points import TableInterval, Timeline
from icemelt.session.times import as_datetime, written_time
from icemelt.sql.statements import TableReference
from icemelt.tables.change_scan import Interval
from icemelt.tables.metadata import TableMetadata
from icemelt.transactions.pending import OPTIMIZE

__all__ = [
    "APPEND_ONLY",
    "StreamRead",
    "backlog",
    "changes_rows",
    "invalid_reason",
    "is_broken",
    "read_stream",
    "refuse_broken",
    "relation_of_interval",
    "unread",
]

APPEND_ONLY = "APPEND_ONLY"
_REWRITES = frozenset({OPTIMIZE, "foreign replace"})
_BACKLOG = (
    "version bigint, commit_number bigint, committed_at timestamp, operation string, "
    "rows_inserted bigint, rows_updated bigint, rows_deleted bigint, user string, "
    "statement_id string"
)


@dataclass(frozen=True, slots=True)
class StreamRead:
    """A stream's relation, its plan, and where its frontier goes when the read consumes it."""

    relation: str
    move: MoveFrontier
    plan: ChangePlan | None = None


def read_stream(
    timeline: Timeline, stream: StreamRecord, reference: TableReference, lease: Lease
) -> StreamRead:
    """Return what a stream gives to one reference.

    Raises:
        StreamBroken: its table was dropped or replaced.
        StreamStale: the versions after its frontier are gone.
        ChangeTrackingGap: tracking was off meanwhile.
        FileDamaged: a file is gone that was to be kept for it; restored, it goes on.
        WrongObjectKind: the reference asks for the stream at a point, or for its changes.
    """
    if reference.point is not None or reference.changes is not None:
        raise WrongObjectKind(
            f"{str(stream.name)!r} is a stream: it has no earlier states and no changes.",
            hint=f"Ask its table, {stream.source.name}; AT (STREAM => '{stream.name}') is the "
            "stream's own point.",
        )
    refuse_broken(stream)
    core, table = timeline.core, stream.source
    try:
        metadata = core.metadata(core.pinned(table))
        interval = timeline.since(table, metadata, stream.frontier.commit_number)
        relation, plan = _relation(core, metadata, stream, interval, lease)
    except (VersionExpired, BeforeTableExisted, FileDamaged) as error:
        in_time = timeline.state.now <= stale_after(table, stream.frontier.moved_at)
        if in_time and isinstance(error, FileDamaged):
            raise
        raise _stale(stream, error.message) from error
    except ChangeTrackingGap as error:
        raise ChangeTrackingGap(
            f"Stream {str(stream.name)!r} cannot be read: {error.message}",
            hint=f"CREATE OR REPLACE STREAM {stream.name} ON TABLE {table.name} begins anew.",
        ) from error
    commit_number = timeline.state.moment.commit_number
    place = Place(interval.end.version, commit_number)
    frontier = stream.frontier
    move = MoveFrontier(stream.object_id, table.object_id, stream.source_kind, frontier.move, place)
    return StreamRead(relation, move, plan)


def relation_of_interval(
    core: Core,
    metadata: TableMetadata,
    interval: TableInterval,
    lease: Lease,
    *,
    append_only: bool,
) -> tuple[str, ChangePlan]:
    """Return the relation of an interval's changes."""
    if append_only:
        snapshots = [
            [snapshot.snapshot_id for snapshot in version.snapshots]
            for version in interval.inside
            if version.snapshots and version.inserted != 0
        ]
        return core.relations.appended(metadata, snapshots, lease)
    ends = Interval(
        metadata, interval.start.snapshot_id, interval.end.snapshot_id, interval.foreign
    )
    return core.relations.changes(ends, lease)


def invalid_reason(stream: StreamRecord) -> tuple[str, str] | None:
    """Return why a stream cannot be read and what to do about it; None where it can."""
    table = stream.source
    if table.dropped_at is None:
        return None
    again = f"CREATE OR REPLACE STREAM {stream.name} ON TABLE {table.name}"
    reason = f"its base table {str(table.name)!r} was dropped or replaced."
    return reason, f"UNDROP TABLE {table.name}; or {again}"


def refuse_broken(stream: StreamRecord) -> None:
    """Let only a stream be read that can be.

    Raises:
        StreamBroken: its table was dropped or replaced.
    """
    reason = invalid_reason(stream)
    if reason is not None:
        raise StreamBroken(
            f"Stream {str(stream.name)!r} cannot be read: {reason[0]}", hint=reason[1]
        )


def unread(core: Core, stream: StreamRecord, until: int) -> list[VersionRecord]:
    """Return the versions between a stream's frontier and a commit number, oldest first."""
    with core.database.read() as connection:
        after = stream.frontier.commit_number
        return versions_between(connection, stream.source.object_id, after, until)


def is_broken(core: Core, stream: StreamRecord, behind: list[VersionRecord]) -> bool:
    """Tell whether a snapshot is gone that a read may need; `behind` are the unread versions."""
    table = stream.source
    with core.database.read() as connection:
        first = version_at(connection, table.object_id, stream.frontier.commit_number)
    if first is None:
        return True
    needed = {first.snapshot_id}
    for version in behind:
        needed |= {version.snapshot_id, *(each.snapshot_id for each in version.snapshots)}
    try:
        metadata = core.metadata(table)
    except FileDamaged:
        return True
    return not needed - {None} <= metadata.snapshots.keys()


def changes_rows(stream: StreamRecord, version: VersionRecord, before: int | None) -> bool:
    """Tell whether a version may show in the stream; `before` is the snapshot it started from."""
    if version.snapshot_id == before or version.operation in _REWRITES:
        return False
    if version.snapshots and all(each.operation == "replace" for each in version.snapshots):
        return False
    return stream.mode != APPEND_ONLY or version.inserted != 0


def backlog(core: Core, stream: StreamRecord, state: ReadState) -> str:
    """Return the relation of `SYSTEM$STREAM_BACKLOG`: a row for each unread version."""
    rows = [
        (
            version.version,
            version.moment.commit_number,
            as_datetime(version.moment.time),
            version.operation,
            version.inserted,
            version.updated,
            version.deleted,
            version.user,
            version.statement_id,
        )
        for version in unread(core, stream, state.moment.commit_number)
    ]
    name = f"icemelt_backlog_{stream.object_id.replace('-', '_')}"
    core.spark.createDataFrame(rows, _BACKLOG).createOrReplaceTempView(name)
    return name


def _relation(
    core: Core,
    metadata: TableMetadata,
    stream: StreamRecord,
    interval: TableInterval,
    lease: Lease,
) -> tuple[str, ChangePlan | None]:
    append_only = stream.mode == APPEND_ONLY
    if not stream.frontier.initial:
        return relation_of_interval(core, metadata, interval, lease, append_only=append_only)
    if not append_only:
        return core.relations.initial(metadata, interval.end.snapshot_id), None
    first = core.relations.initial(metadata, interval.start.snapshot_id)
    later, plan = relation_of_interval(core, metadata, interval, lease, append_only=True)
    return f"(SELECT * FROM {first} UNION ALL SELECT * FROM {later})", plan


def _stale(stream: StreamRecord, gone: str) -> StreamStale:
    moved_at = stream.frontier.moved_at
    since = written_time(moved_at, "seconds")
    until = written_time(stale_after(stream.source, moved_at), "seconds")
    return StreamStale(
        f"Stream {str(stream.name)!r}, last consumed {since}, is stale: {gone} "
        f"Its changes were kept for it until {until}.",
        hint=f"CREATE OR REPLACE STREAM {stream.name} ON TABLE {stream.source.name} "
        "AT (TIMESTAMP => '…') starts it at a later point.",
    )
