"""What a stream gives: the changes from its frontier to the state that a statement sees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from icemelt.algebra.nodes import Pin
from icemelt.catalog.edits import MoveFrontier, SourcePosition, StreamPosition
from icemelt.catalog.queries.retention import stream_stale_after
from icemelt.catalog.records import (
    APPEND_ONLY,
    REDO_LOG,
    SINGDATA,
    ReadState,
    SchemaObject,
    StreamRecord,
    StreamSource,
    TableRecord,
    ViewRecord,
)
from icemelt.engine.change_plans import ChangePlan
from icemelt.engine.resources import StatementResources
from icemelt.errors import (
    BeforeTableExisted,
    ChangeTrackingGap,
    FileDamaged,
    StreamStale,
    VersionExpired,
    WrongObjectKind,
)
from icemelt.names import TableName
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.stream_columns import own_columns, refuse_taken
from icemelt.session.timeline.commits import commits_of
from icemelt.session.timeline.points import TableInterval, Timeline
from icemelt.session.timeline.redo import redone, redone_since_empty
from icemelt.session.timeline.stream_state import made_again, refuse_broken, unread
from icemelt.session.views.changes import ViewPlan, base_intervals, view_changes, view_inserts
from icemelt.session.views.redo import redone_view
from icemelt.spark_sql.change_relations import SEQUENCE
from icemelt.spark_sql.commit_columns import table_stream
from icemelt.spark_sql.own_columns import TABLE_STREAM_COLUMNS
from icemelt.sql.statements import TableReference
from icemelt.times import as_datetime, format_time

__all__ = [
    "StreamRead",
    "backlog",
    "position_of",
    "read_stream",
    "relation_of_interval",
]

_, *_OF_COMMITS = TABLE_STREAM_COLUMNS
_BACKLOG = (
    "version bigint, commit_number bigint, committed_at timestamp, operation string, "
    "rows_inserted bigint, rows_updated bigint, rows_deleted bigint, user string, "
    "statement_id string, table_name string"
)


@dataclass(frozen=True, slots=True)
class StreamRead:
    """A stream's relation, its plan, and where its frontier goes when the read consumes it."""

    relation: str
    move: MoveFrontier
    plan: ChangePlan | ViewPlan | None = None


def read_stream(
    timeline: Timeline,
    stream: StreamRecord,
    reference: TableReference,
    resources: StatementResources,
) -> StreamRead:
    """Return what a stream gives to one reference.

    Raises:
        StreamBroken: what it reads was dropped or replaced.
        StreamStale: the versions after its frontier are gone.
        ChangeTrackingGap: tracking was off meanwhile.
        FileDamaged: a file is gone that was to be kept for it; restored, it goes on.
        WrongObjectKind: the reference asks for the stream at a point, or for its changes.
    """
    source = stream.source
    if reference.point is not None or reference.changes is not None:
        raise WrongObjectKind(
            f"{str(stream.name)!r} is a stream: it has no earlier states and no changes.",
            hint=f"Ask its {stream.source_kind}, {source.name}; AT (STREAM => '{stream.name}') is "
            "the stream's own point.",
        )
    refuse_broken(stream)
    try:
        if isinstance(source, ViewRecord):
            return _read_view(timeline, stream, source, resources)
        return _read_table(timeline, stream, source, reference, resources)
    except (VersionExpired, BeforeTableExisted, FileDamaged) as error:
        in_time = timeline.state.now <= stream_stale_after(stream)
        if in_time and isinstance(error, FileDamaged):
            raise
        raise _stale(stream, error.message) from error
    except ChangeTrackingGap as error:
        raise ChangeTrackingGap(
            f"Stream {str(stream.name)!r} cannot be read: {error.message}",
            hint=f"{made_again(stream)} begins anew.",
        ) from error


def _read_table(
    timeline: Timeline,
    stream: StreamRecord,
    table: TableRecord,
    reference: TableReference,
    resources: StatementResources,
) -> StreamRead:
    core = timeline.core
    metadata = core.metadata(core.pinned(table))
    interval = timeline.since(table, metadata, stream.frontier.commit_number)
    position = SourcePosition(table.object_id, interval.end.version)
    move = _move(timeline, stream, [position])
    refuse_taken(table, metadata.columns, own_columns(stream.dialect, stream.mode))
    if stream.mode == REDO_LOG:
        of_versions = redone_since_empty if stream.frontier.initial else redone
        relation, log_plan = of_versions(core, table, interval, resources)
        return StreamRead(relation, move, log_plan)
    is_table_stream = stream.dialect == SINGDATA
    shows_commits = is_table_stream and reference.may_mean(*_OF_COMMITS)
    carried = SEQUENCE if shows_commits else ""
    changes, plan = _relation(core, stream, interval, resources, carried)
    if is_table_stream:
        commits = commits_of(core, table) if shows_commits else None
        changes = table_stream(changes, metadata.columns, commits)
    return StreamRead(changes, move, plan)


def _read_view(
    timeline: Timeline, stream: StreamRecord, view: ViewRecord, resources: StatementResources
) -> StreamRead:
    ends = (stream.frontier.commit_number, timeline.state.moment.commit_number)
    bases = base_intervals(timeline, stream.tables, ends)
    versions = {base.table.object_id: base.versions.end.version for base in bases}
    positions = [
        position_of(each, versions.get(each.record.object_id, 0)) for each in stream.sources
    ]
    move = _move(timeline, stream, positions)
    state = _as_made(stream, view, timeline.state)
    if stream.mode == REDO_LOG:
        plan = ViewPlan(view, state, bases)
        log, plan = redone_view(timeline, plan, ends, resources, initial=stream.frontier.initial)
        return StreamRead(log, move, plan)
    append_only = stream.mode == APPEND_ONLY
    relation = ""
    if stream.frontier.initial:
        pin = Pin.OLD if append_only else Pin.NEW
        relation = view_inserts(timeline.core, view, state, bases, resources, pin)
        if not append_only:
            return StreamRead(relation, move)
    changes = view_changes(timeline.core, view, state, bases, resources, append_only=append_only)
    if relation:
        changes = f"(SELECT * FROM {relation} UNION ALL SELECT * FROM {changes})"
    return StreamRead(changes, move, ViewPlan(view, state, bases, append_only))


def position_of(source: StreamSource, version: int) -> SourcePosition:
    """Return a position of a stream's source: a table's at a version, a view's as it was."""
    if isinstance(source.record, ViewRecord):
        return SourcePosition(source.record.object_id, source.version, source.name, "view")
    return SourcePosition(source.record.object_id, version, source.name)


def _move(
    timeline: Timeline, stream: StreamRecord, positions: Sequence[SourcePosition]
) -> MoveFrontier:
    place = StreamPosition(tuple(positions), timeline.state.moment.commit_number)
    return MoveFrontier(stream.object_id, stream.frontier.move, place)


def _as_made(stream: StreamRecord, view: ViewRecord, state: ReadState) -> ReadState:
    """Return what the names in a stream's view meant when it was made, whatever they mean now."""
    called = {each.name.folded: each.record for each in stream.sources if each.name is not None}
    objects: dict[TableName, SchemaObject] = {}
    pending = [view]
    for each in pending:
        for source in each.sources:
            record = called[source.name.folded]
            if isinstance(record, ViewRecord) and source.name not in objects:
                pending.append(record)
            objects[source.name] = record
    return ReadState(state.moment, state.now, objects)


def relation_of_interval(
    core: Core,
    interval: TableInterval,
    resources: StatementResources,
    *,
    append_only: bool,
    carried: str = "",
) -> tuple[str, ChangePlan]:
    """Return the relation of an interval's changes; what is `carried` is as in `Sides`."""
    if append_only:
        return core.relations.appended(
            interval.metadata,
            interval.inserting,
            resources,
            foreign=interval.foreign,
            carried=carried,
        )
    return core.relations.changes(interval.scanned, resources, carried=carried)


def backlog(core: Core, stream: StreamRecord, state: ReadState) -> str:
    """Return the relation of `SYSTEM$STREAM_BACKLOG`: a row for each unread version."""
    behind = unread(core, stream, state.moment.commit_number)
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
            str(each.table.name),
        )
        for each in behind
        for version in each.versions
    ]
    name = f"icemelt_backlog_{stream.object_id.replace('-', '_')}"
    core.spark.createDataFrame(rows, _BACKLOG).createOrReplaceTempView(name)
    return name


def _relation(
    core: Core,
    stream: StreamRecord,
    interval: TableInterval,
    resources: StatementResources,
    carried: str,
) -> tuple[str, ChangePlan | None]:
    append_only = stream.mode == APPEND_ONLY
    changes = partial(relation_of_interval, core, interval, resources, append_only=append_only)
    if not stream.frontier.initial:
        return changes(carried=carried)
    if not append_only:
        end = interval.end.snapshot_id
        return core.relations.initial(interval.metadata, end, carried=carried), None
    first = core.relations.initial(interval.metadata, interval.start.snapshot_id, carried=carried)
    later, plan = changes(carried=carried)
    return f"(SELECT * FROM {first} UNION ALL SELECT * FROM {later})", plan


def _stale(stream: StreamRecord, gone: str) -> StreamStale:
    since = format_time(stream.frontier.moved_at, "seconds")
    until = format_time(stream_stale_after(stream), "seconds")
    return StreamStale(
        f"Stream {str(stream.name)!r}, last consumed {since}, is stale: {gone} "
        f"Its changes were kept for it until {until}.",
        hint=f"{made_again(stream, later=True)} starts it at a later point.",
    )
