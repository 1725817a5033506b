"""Reading a stream: the changes of the source between the frontier and the statement's moment."""

from __future__ import annotations

from dataclasses import dataclass, replace

from icemelt.algebra.nodes import Pin
from icemelt.catalog.defined_records import ExternalTableRecord, StageRecord
from icemelt.catalog.edits import MoveFrontier
from icemelt.catalog.queries.retention import stream_stale_after
from icemelt.catalog.records import (
    APPEND_ONLY,
    REDO_LOG,
    SINGDATA,
    CatalogState,
    FileOwner,
    SchemaObject,
    StreamRecord,
    ViewRecord,
)
from icemelt.engine.change_plans import ChangePlan
from icemelt.engine.resources import StatementResources
from icemelt.errors import (
    BeforeTableExisted,
    ChangeTrackingGap,
    FileDamaged,
    VersionExpired,
    WrongObjectKind,
)
from icemelt.names import QualifiedName
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.local_relation import frame_of_rows
from icemelt.session.runtime.stream_columns import own_columns, refuse_taken
from icemelt.session.sources.cursors import cursor_of
from icemelt.session.sources.directories import DirectorySource
from icemelt.session.sources.external_tables import ExternalTableChanges, ExternalTableSource
from icemelt.session.sources.source import Source, SourceInterval, SourceRead
from icemelt.session.sources.tables import TableSource
from icemelt.session.sources.views import ViewSource
from icemelt.session.timeline.commits import commits_of
from icemelt.session.timeline.points import Timeline
from icemelt.session.timeline.stream_state import (
    find_unread_versions,
    recreate_statement,
    refuse_broken,
    stale_error,
)
from icemelt.session.views.changes import ViewPlan
from icemelt.spark_sql.change_relations import SEQUENCE
from icemelt.spark_sql.commit_columns import table_stream
from icemelt.spark_sql.own_columns import TABLE_STREAM_COLUMNS
from icemelt.sql.statements import TableReference
from icemelt.times import as_datetime

__all__ = ["StreamRead", "backlog", "read_stream"]

_, *_OF_COMMITS = TABLE_STREAM_COLUMNS
_BACKLOG = (
    "version bigint, commit_number bigint, committed_at timestamp, operation string, "
    "rows_inserted bigint, rows_updated bigint, rows_deleted bigint, user string, "
    "statement_id string, table_name string, bytes bigint"
)


@dataclass(frozen=True, slots=True)
class StreamRead:
    """The relation of a stream, the plan, and the move of the frontier if the read consumes."""

    relation: str
    move: MoveFrontier
    plan: ChangePlan | ViewPlan | None = None


def read_stream(
    timeline: Timeline,
    stream: StreamRecord,
    reference: TableReference,
    resources: StatementResources,
) -> StreamRead:
    """Return the relation of a stream's unread changes, and the move of the frontier.

    Args:
        timeline: the state that the statement reads.
        stream: the stream.
        reference: the stream's name in the statement.
        resources: gains the staged scans.

    Raises:
        StreamBroken: the stream's table, view or stage was dropped or replaced.
        StreamStale: the versions after the frontier have expired.
        ChangeTrackingGap: change tracking was off between the frontier and now.
        FileDamaged: a file of a stream that is not stale is missing; after a restore of the file
            the stream can be read again.
        WrongObjectKind: the reference asks for the stream at a point, or for changes of the stream.
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
        return _read(timeline, stream, reference, resources)
    except (VersionExpired, BeforeTableExisted, FileDamaged) as error:
        stale_after = stream_stale_after(stream)
        in_time = stale_after is None or timeline.state.now <= stale_after
        if stale_after is None or (in_time and isinstance(error, FileDamaged)):
            raise
        raise stale_error(stream, stale_after, error.message) from error
    except ChangeTrackingGap as error:
        raise ChangeTrackingGap(
            f"Stream {str(stream.name)!r} cannot be read: {error.message}",
            hint=f"{recreate_statement(stream)} begins anew.",
        ) from error


def _read(
    timeline: Timeline,
    stream: StreamRecord,
    reference: TableReference,
    resources: StatementResources,
) -> StreamRead:
    cursor, now = cursor_of(stream), timeline.state.moment.commit_number
    source = _source(timeline, stream, reference, resources)
    interval = source.between((cursor.commit_number, now))
    move = cursor.moved_to(interval.versions, now)
    refuse_taken(stream.source, source.columns, own_columns(stream.dialect, stream.mode))
    if stream.mode == REDO_LOG:
        log = interval.redo_log(resources, initial=stream.frontier.shows_initial_rows)
        return StreamRead(log.relation, move, log.plan)
    shows_commits = stream.dialect == SINGDATA and reference.may_mean(*_OF_COMMITS)
    read = _changes(stream, interval, resources, SEQUENCE if shows_commits else "")
    if isinstance(interval, ExternalTableChanges):
        move = replace(move, files_skipped=len(interval.skipped))
    relation = read.relation
    if stream.dialect == SINGDATA:
        [table] = stream.tables
        commits = commits_of(timeline.core, table) if shows_commits else None
        relation = table_stream(relation, source.columns, commits)
    return StreamRead(relation, move, read.plan)


def _source(
    timeline: Timeline,
    stream: StreamRecord,
    reference: TableReference,
    resources: StatementResources,
) -> Source:
    """Return the source of a stream; a view as defined when the stream was made."""
    source = stream.source
    match source:
        case ViewRecord():
            return ViewSource(timeline, source, _as_made(timeline, stream, source))
        case StageRecord():
            return DirectorySource(timeline, source, resources)
        case ExternalTableRecord():
            return ExternalTableSource(timeline, source, reference, resources, stream)
    return TableSource(timeline, source)


def _changes(
    stream: StreamRecord, interval: SourceInterval, resources: StatementResources, carried: str
) -> SourceRead:
    """Return what a stream has not given yet; the rows of the source itself first, if it is new."""
    append_only = stream.mode == APPEND_ONLY
    if not stream.frontier.shows_initial_rows:
        return interval.changes(resources, append_only=append_only, carried=carried)
    if not append_only:
        return SourceRead(interval.inserts(Pin.NEW, resources, carried=carried))
    first = interval.inserts(Pin.OLD, resources, carried=carried)
    later = interval.changes(resources, append_only=True, carried=carried)
    return SourceRead(
        f"(SELECT * FROM {first} UNION ALL SELECT * FROM {later.relation})", later.plan
    )


def _as_made(timeline: Timeline, stream: StreamRecord, view: ViewRecord) -> CatalogState:
    """Return the objects that the names in a stream's view meant when the stream was made.

    Functions of users are those that the names mean now.
    """
    state = timeline.state
    called = {each.name.folded: each.record for each in stream.sources if each.name is not None}
    objects: dict[QualifiedName, SchemaObject] = {}
    functions: list[QualifiedName] = []
    pending = [view]
    for each in pending:
        for source in each.sources:
            record = called.get(source.name.folded)
            if record is None:
                functions.append(source.name)
                continue
            if isinstance(record, ViewRecord) and source.name not in objects:
                pending.append(record)
            objects[source.name] = record
    if functions:
        found = timeline.core.resolver.resolve(tuple(functions)).objects
        objects |= {name: found[name] for name in functions if name in found}
    return CatalogState(state.moment, state.now, objects)


def backlog(core: Core, stream: StreamRecord, state: CatalogState) -> str:
    """Return the relation of `SYSTEM$STREAM_BACKLOG`: a row for each unread version."""
    behind = find_unread_versions(core, stream, state.moment.commit_number)
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
            str(each.source.name),
            # of a listing the bytes of the files that it found new or changed
            version.total_bytes if isinstance(each.source, FileOwner) else None,
        )
        for each in behind
        for version in each.versions
    ]
    name = f"icemelt_backlog_{stream.object_id.replace('-', '_')}"
    frame_of_rows(core.spark, _BACKLOG, rows).createOrReplaceTempView(name)
    return name
