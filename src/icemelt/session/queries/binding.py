"""Binding a query: every name becomes a relation for Spark, all relations of one moment."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from pyspark.sql import DataFrame

from icemelt.catalog.defined_records import ExternalTableRecord, StageRecord
from icemelt.catalog.edits import MoveFrontier
from icemelt.catalog.records import (
    CatalogState,
    InformationRecord,
    StreamRecord,
    StreamSource,
    TableRecord,
    ViewRecord,
)
from icemelt.engine.change_plans import ChangePlan
from icemelt.engine.resources import StatementResources
from icemelt.errors import Never, ValueRefused
from icemelt.names import ObjectName, QualifiedName
from icemelt.observe.emitting import emit
from icemelt.observe.events import QueryPlanned
from icemelt.schema import Column
from icemelt.session.files.inferred_schema import schema_relation
from icemelt.session.files.stage_rows import stage_relation
from icemelt.session.queries.information import information_relation
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.divided_queries import bind_in_parts
from icemelt.session.runtime.kinds import require_rows
from icemelt.session.runtime.spark_errors import translated
from icemelt.session.runtime.spark_sql import run_sql
from icemelt.session.runtime.stream_columns import log_columns, refuse_taken
from icemelt.session.sources.directories import DirectorySource
from icemelt.session.sources.external_tables import ExternalTableSource
from icemelt.session.sources.source import Source
from icemelt.session.sources.tables import TableSource
from icemelt.session.sources.views import ViewSource
from icemelt.session.streams.reading import backlog, read_stream
from icemelt.session.timeline.points import Timeline
from icemelt.session.views.changes import ViewPlan, name_view_in_errors
from icemelt.session.views.expanded_views import ExpandedSource, ExpandedView
from icemelt.session.views.expansion import expand
from icemelt.session.views.reading import names_read, timed_sources_under
from icemelt.session.views.rows import ViewRenderer
from icemelt.session.views.shared_views import SharedViews
from icemelt.spark_sql.commit_columns import range_changes
from icemelt.sql.statements import (
    ChangeFormat,
    Changes,
    Deduplication,
    FileSchema,
    Point,
    Query,
    StageDirectory,
    StageFiles,
    TableReference,
)
from icemelt.transactions.pending import Attempt
from icemelt.transactions.publication import require_unlocked

__all__ = [
    "BoundQuery",
    "bind_query",
    "consumed",
    "frame",
    "lock_streams",
    "reads",
    "relations_of",
    "resolve_all",
    "view_renderer",
]


@dataclass(slots=True)
class BoundQuery:
    """A query that Spark can run.

    Attributes:
        text: the query in Spark SQL.
        state: the state of the lake that the query reads.
        resources: the staged scans and files of the query.
        plans: the plans of changes, by the name of the table, view or stream.
        moves: the moves of frontiers if the statement consumes the streams, by stream id.
        inlined_size: the inlined size of the query.
        expanded: the views of the state that were expanded, by object id.
        began: the start of planning, in seconds of the monotonic clock.
        is_analysed_only: whether the query is never run, so that no file need be looked at.
        shared: the views that the query reads several times as of one moment, by the moment.
    """

    text: str
    state: CatalogState
    resources: StatementResources
    plans: dict[str, ChangePlan | ViewPlan] = field(default_factory=dict)
    moves: dict[str, MoveFrontier] = field(default_factory=dict)
    inlined_size: int = 1
    expanded: dict[str, ExpandedView] = field(default_factory=dict)
    began: float = field(default_factory=time.monotonic)
    is_analysed_only: bool = False
    shared: dict[tuple[str, Point] | None, SharedViews] = field(default_factory=dict)

    def note_plan(self, name: QualifiedName, plan: ChangePlan | ViewPlan | None) -> None:
        """Keep the plan of an object's changes for EXPLAIN; `plan` is None for no changes."""
        if plan is not None:
            self.plans[str(name)] = plan


def resolve_all(
    core: Core, references: Iterable[TableReference], targets: Iterable[ObjectName]
) -> CatalogState:
    """Return all objects that a statement reads or writes, as of one moment.

    Raises:
        ObjectNotFound: a name belongs to no object.
        WrongObjectKind: the name of a stage belongs to an object of another kind.
    """
    names = list(targets)
    for reference in references:
        if reference.files is not None:
            core.object_of(StageRecord, reference.name)
        names.append(reference.name)
    return core.resolve(map(core.full, names))


def bind_query(
    core: Core,
    query: Query,
    state: CatalogState | None = None,
    *,
    values: Mapping[str, str] | None = None,
    collects: bool = True,
) -> BoundQuery:
    """Replace every name of a query by a relation, after planning the change scans.

    Args:
        core: the session's parts.
        query: the query.
        state: a state with all tables of the query; None for the newest state.
        values: the Spark SQL for the slots other than tables.
        collects: whether small scans used several times are run while planning.
    """
    if core.settings.transaction is not None and query.references:
        core.settings.transaction.mark_used()
    if state is None:
        state = resolve_all(core, query.references, ())
    resources = StatementResources(core.iceberg, collects)
    bound = BoundQuery("", state, resources, inlined_size=query.inlined_size)
    try:
        with translated(core.spark):
            relations = relations_of(core, query.references, bound)
            bound.text = bind_in_parts(core, query, relations, resources, values)
    except BaseException:
        bound.resources.release()
        raise
    return bound


def lock_streams(core: Core, references: Iterable[TableReference]) -> None:
    """Lock the streams that a statement of the open transaction is about to consume.

    The locks are taken before all other work of the statement: a transaction without earlier work
    may begin anew, at a later commit number, if a stream was consumed meanwhile.
    """
    transaction = core.settings.transaction
    if transaction is None:
        return
    names = [core.full(reference.name) for reference in references if not reference.backlog]
    # after the transaction has begun anew, a name may mean another stream
    while free := [
        stream
        for stream in transaction.resolve(names).streams.values()
        if not transaction.holds_lock(stream)
    ]:
        transaction.lock(free[0])
    transaction.mark_used()


def consumed(core: Core, attempt: Attempt, bound: BoundQuery) -> tuple[MoveFrontier, ...]:
    """Return the moves of the frontiers of all streams that a statement reads.

    Raises:
        LostRaceError: a stream is locked by another transaction.
    """
    if core.settings.transaction is None:
        require_unlocked(core.database, bound.moves, attempt.transaction_id)
    return tuple(bound.moves.values())


def frame(core: Core, bound: BoundQuery) -> DataFrame:
    """Return a bound query as a DataFrame, analysed and not run."""
    try:
        with translated(core.spark):
            analysed = run_sql(core, bound.text)
            emit(QueryPlanned(time.monotonic() - bound.began))
            return analysed
    except BaseException:
        bound.resources.release()
        raise


def reads(
    core: Core, state: CatalogState, references: Iterable[TableReference]
) -> frozenset[QualifiedName]:
    """Return the folded names of the tables, views and streams read, also through views."""
    return names_read(state, frozenset(core.full(reference.name) for reference in references))


def relations_of(
    core: Core, references: tuple[TableReference, ...], bound: BoundQuery
) -> Mapping[str, str]:
    """Return the relation for each slot."""
    return {
        reference.slot: _relation(core, core.full(reference.name), reference, bound)
        for reference in references
    }


def view_renderer(
    core: Core, bound: BoundQuery, view: ViewRecord, point: Point | None = None
) -> ViewRenderer:
    """Return the renderer of a view's rows.

    Args:
        core: the session's parts.
        bound: the query that reads the view.
        view: the view.
        point: the point of all objects under the view; None for the moment of the statement.
    """
    timeline = Timeline(core, bound.state, of_view=True)

    def relation(source: ExpandedSource, reference: TableReference) -> str:
        if point is not None and isinstance(source.record, TableRecord):
            return TableSource(timeline, source.record).relation_at_commit(place(point)[0])
        if point is not None and isinstance(reference.files, StageDirectory):
            stage = core.object_of(StageRecord, reference.name)
            listed = DirectorySource(timeline, stage, bound.resources)
            return listed.relation_at_commit(*place(point))
        if point is not None and reference.files is not None:
            raise Never(
                f"View {str(view.name)!r} reads files of a stage, which have no history.",
                hint="An external table has the files that its listings have registered.",
            )
        if point is not None and isinstance(source.record, ExternalTableRecord):
            rows = _external_table(timeline, source.record, reference, bound)
            return rows.relation_at_commit(*place(point))
        return _relation(core, source.name, replace(reference, point=point), bound)

    def identified_rows(table: TableRecord) -> str | None:
        commit = None if point is None else place(point)[0]
        return TableSource(timeline, table).relation_with_identity(commit)

    @cache
    def place(at: Point) -> tuple[int, int]:
        return timeline.place(timed_sources_under(bound.state, view), at)

    # a point may be another moment for another view
    moment = None if point is None else (view.object_id, point)
    return ViewRenderer(
        core,
        bound.resources,
        relation,
        identified_rows,
        bound.inlined_size,
        bound.shared.setdefault(moment, SharedViews()),
    )


def _relation(core: Core, full: QualifiedName, reference: TableReference, bound: BoundQuery) -> str:
    """Return the relation that stands for one name of a query."""
    if isinstance(reference.files, StageFiles):
        has_rows = not bound.is_analysed_only
        return stage_relation(core, reference, bound.resources, has_rows=has_rows)
    if isinstance(reference.files, FileSchema):
        return schema_relation(core, reference, bound.resources)
    timeline = Timeline(core, bound.state)
    if reference.files is not None:
        stage = core.object_of(StageRecord, reference.name)
        return _bind_source(
            _make_source(timeline, stage, reference, bound), stage, reference, bound
        )
    if reference.backlog:
        return backlog(core, core.stream(reference.name), bound.state)
    record = require_rows(bound.state.objects[full])
    if isinstance(record, InformationRecord):
        return information_relation(core, record, reference, bound.resources)
    if isinstance(record, StreamRecord):
        read = read_stream(timeline, record, reference, bound.resources)
        bound.moves[record.object_id] = read.move
        bound.note_plan(record.name, read.plan)
        return read.relation
    return _bind_source(_make_source(timeline, record, reference, bound), record, reference, bound)


def _bind_source(
    source: Source, record: StreamSource, reference: TableReference, bound: BoundQuery
) -> str:
    """Return the relation of a source's rows, or of its changes."""
    if reference.changes is None:
        return source.relation_at(reference.point)
    return _bind_changes(source, record, reference.changes, bound)


def _make_source(
    timeline: Timeline, record: StreamSource, reference: TableReference, bound: BoundQuery
) -> Source:
    """Return the source that a query reads, as of a table or a stage's directory table."""
    match record:
        case TableRecord():
            return TableSource(timeline, record)
        case StageRecord():
            return DirectorySource(timeline, record, bound.resources)
        case ExternalTableRecord():
            return _external_table(timeline, record, reference, bound)

    def rows(point: Point | None) -> str:
        expanded = expand(timeline.core, bound.state, record, known=bound.expanded)
        return view_renderer(timeline.core, bound, record, point).rows(expanded)

    return ViewSource(timeline, record, bound.state, rows)


def _external_table(
    timeline: Timeline, table: ExternalTableRecord, reference: TableReference, bound: BoundQuery
) -> ExternalTableSource:
    has_rows = not bound.is_analysed_only
    return ExternalTableSource(timeline, table, reference, bound.resources, has_rows=has_rows)


def _bind_changes(source: Source, record: StreamSource, changes: Changes, bound: BoundQuery) -> str:
    """Return the relation of the changes of a source.

    Raises:
        Never: the format is INSERT_ONLY, which streams on external tables have.
        PointError: the source has no states at the ends of the interval.
        ValueRefused: changes are to be netted over versions, and only values identify a row.
    """
    source.require_states()
    if changes.format is ChangeFormat.INSERT_ONLY:
        raise _make_files_error(record)
    with name_view_in_errors(record if isinstance(record, ViewRecord) else None):
        interval = source.between(source.ends(changes), whole=changes.range is not None)
    if changes.format is not ChangeFormat.REDO_LOG:
        append_only = changes.format is ChangeFormat.APPEND_ONLY
        read = interval.changes(bound.resources, append_only=append_only)
        bound.note_plan(record.name, read.plan)
        return read.relation
    refuse_taken(record, source.columns, log_columns(is_range=changes.range is not None))
    raw = changes.range is not None and changes.range.deduplication is Deduplication.NONE
    log = interval.redo_log(bound.resources, raw=raw)
    bound.note_plan(record.name, log.plan)
    if _nets(changes):
        _refuse_netting(interval.known_by_values(log, bound.resources))
    return _select_range_columns(log.relation, source.columns, changes)


def _nets(changes: Changes) -> bool:
    return changes.range is not None and changes.range.deduplication is Deduplication.NET_CHANGES


def _select_range_columns(log: str, columns: Sequence[Column], changes: Changes) -> str:
    """Return a redo log in the columns of CHANGES FROM if the query has that clause."""
    if changes.range is None:
        return log
    computes_updates = changes.range.computes_updates
    return range_changes(log, columns, net=_nets(changes), computes_updates=computes_updates)


def _refuse_netting(reason: str | None) -> None:
    """Refuse to net changes over versions where only values identify a row.

    Raises:
        ValueRefused: `reason` says why a row has no other identity.
    """
    if reason is not None:
        raise ValueRefused(
            f"deduplicationMode = 'netChanges' does not know which rows are one: {reason}.",
            hint="CHANGES (INFORMATION => DEFAULT) nets rows by their values.",
        )


def _make_files_error(record: StreamSource) -> Never:
    is_stage = isinstance(record, StageRecord)
    kind = "Directory table of stage" if is_stage else record.kind.capitalize()
    return Never(
        f"{kind} {str(record.name)!r} has no rows of files, which INSERT_ONLY is about.",
        hint="Use INFORMATION => APPEND_ONLY. Of an external table a stream with INSERT_ONLY = "
        "TRUE gives the rows of new files.",
    )
