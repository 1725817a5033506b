"""Binding a query: every name becomes a relation for Spark, all relations of one moment."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from pyspark.sql import DataFrame

from icemelt.catalog.edits import MoveFrontier
from icemelt.catalog.records import ReadState, StreamRecord, TableRecord, ViewRecord
from icemelt.engine.change_plans import ChangePlan
from icemelt.engine.resources import StatementResources
from icemelt.errors import NotYet, ValueRefused
from icemelt.names import ObjectName, TableName
from icemelt.observe.emitting import emit
from icemelt.observe.events import QueryPlanned
from icemelt.schema import Column
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.spark_errors import translated
from icemelt.session.runtime.spark_sql import run_sql
from icemelt.session.runtime.stream_columns import log_columns, refuse_taken
from icemelt.session.sources.source import Source
from icemelt.session.sources.tables import TableSource
from icemelt.session.sources.views import ViewSource
from icemelt.session.streams.reading import backlog, read_stream
from icemelt.session.timeline.points import Timeline
from icemelt.session.views.changes import ViewPlan, naming
from icemelt.session.views.expansion import ExpandedSource, ExpandedView, expand
from icemelt.session.views.reading import names_read, tables_under
from icemelt.session.views.rows import ViewRenderer
from icemelt.spark_sql.commit_columns import range_changes
from icemelt.sql.statements import (
    ChangeFormat,
    Changes,
    Deduplication,
    Point,
    Query,
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
    """A query that Spark can run, the state it reads, and the change scans it was planned with.

    `moves` are where its streams go when it consumes them, `inlined_size` is the query's. The views
    of the state that were expanded are `expanded`, by object id. `began` is when its planning did,
    by the monotonic clock.
    """

    text: str
    state: ReadState
    resources: StatementResources
    plans: dict[str, ChangePlan | ViewPlan] = field(default_factory=dict)
    moves: dict[str, MoveFrontier] = field(default_factory=dict)
    inlined_size: int = 1
    expanded: dict[str, ExpandedView] = field(default_factory=dict)
    began: float = field(default_factory=time.monotonic)

    def note_plan(self, name: TableName, plan: ChangePlan | ViewPlan | None) -> None:
        """Keep how the changes of an object are found, for EXPLAIN; None for no changes."""
        if plan is not None:
            self.plans[str(name)] = plan


def resolve_all(
    core: Core, references: Iterable[TableReference], targets: Iterable[ObjectName]
) -> ReadState:
    """Return all that a statement reads and writes, of one moment."""
    return core.resolve(core.full(name) for name in (*targets, *(r.name for r in references)))


def bind_query(
    core: Core,
    query: Query,
    state: ReadState | None = None,
    *,
    values: Mapping[str, str] | None = None,
    collects: bool = True,
) -> BoundQuery:
    """Plan a query's change scans: of a state that has its tables, or of now.

    `values` are what stands for other slots than those of tables. Where it `collects`, scans that
    give few rows to several uses are run.
    """
    if core.settings.transaction is not None and query.references:
        core.settings.transaction.mark_used()
    if state is None:
        state = resolve_all(core, query.references, ())
    resources = StatementResources(core.iceberg, collects)
    bound = BoundQuery("", state, resources, inlined_size=query.inlined_size)
    try:
        with translated(core.spark):
            bound.text = query.bind(relations_of(core, query.references, bound), values)
    except BaseException:
        bound.resources.release()
        raise
    return bound


def lock_streams(core: Core, references: Iterable[TableReference]) -> None:
    """Lock the streams that a statement of the open transaction is about to consume.

    It comes before anything else of the statement: a transaction that has done nothing yet may
    begin anew for it.
    """
    transaction = core.settings.transaction
    if transaction is None:
        return
    names = [core.full(each.name) for each in references if not each.backlog]
    # where the transaction begins anew, a name may stand for another stream
    while free := [
        stream
        for stream in transaction.resolve(names).streams.values()
        if not transaction.holds_lock(stream)
    ]:
        transaction.lock(free[0])
    transaction.mark_used()


def consumed(core: Core, attempt: Attempt, bound: BoundQuery) -> tuple[MoveFrontier, ...]:
    """Return how a statement moves the streams that it reads.

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
    core: Core, state: ReadState, references: Iterable[TableReference]
) -> frozenset[TableName]:
    """Return the folded names of all that references read, what views read included."""
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
        if point is None or not isinstance(source.record, TableRecord):
            return _relation(core, source.name, replace(reference, point=point), bound)
        return TableSource(timeline, source.record).relation_at_commit(commit())

    def identified(table: TableRecord) -> str | None:
        return TableSource(timeline, table).identified(commit())

    @cache
    def commit() -> int | None:
        tables = tables_under(bound.state, view)
        return None if point is None else timeline.place(tables, point)[0]

    return ViewRenderer(core, bound.resources, relation, identified, bound.inlined_size)


def _relation(core: Core, full: TableName, reference: TableReference, bound: BoundQuery) -> str:
    """Return the relation that stands for one name of a query."""
    timeline = Timeline(core, bound.state)
    if reference.backlog:
        return backlog(core, core.stream(reference.name), bound.state)
    found = bound.state.objects[full]
    if isinstance(found, StreamRecord):
        read = read_stream(timeline, found, reference, bound.resources)
        bound.moves[found.object_id] = read.move
        bound.note_plan(found.name, read.plan)
        return read.relation
    source = _source(timeline, found, bound)
    if reference.changes is None:
        return source.relation_at(reference.point)
    return _changes(source, found, reference.changes, bound)


def _source(timeline: Timeline, found: TableRecord | ViewRecord, bound: BoundQuery) -> Source:
    """Return what a query reads under a name that is no stream's."""
    if isinstance(found, TableRecord):
        return TableSource(timeline, found)

    def rows(point: Point | None) -> str:
        expanded = expand(timeline.core, bound.state, found, known=bound.expanded)
        return view_renderer(timeline.core, bound, found, point).rows(expanded)

    return ViewSource(timeline, found, bound.state, rows)


def _changes(
    source: Source, found: TableRecord | ViewRecord, changes: Changes, bound: BoundQuery
) -> str:
    """Return the relation of the changes of a table or a view.

    Raises:
        NotYet: files are asked for, which neither is made of.
        PointError: the interval is not one of the source's.
        ValueRefused: rows are to be netted that are known by their values alone.
    """
    if changes.format is ChangeFormat.INSERT_ONLY:
        raise _no_files(found)
    source.require_states()
    with naming(found if isinstance(found, ViewRecord) else None):
        interval = source.between(source.ends(changes), whole=changes.range is not None)
    if changes.format is not ChangeFormat.REDO_LOG:
        append_only = changes.format is ChangeFormat.APPEND_ONLY
        read = interval.changes(bound.resources, append_only=append_only)
        bound.note_plan(found.name, read.plan)
        return read.relation
    refuse_taken(found, source.columns, log_columns(is_range=changes.range is not None))
    raw = changes.range is not None and changes.range.deduplication is Deduplication.NONE
    log = interval.redo_log(bound.resources, raw=raw)
    bound.note_plan(found.name, log.plan)
    if _nets(changes):
        _refuse_netting(interval.known_by_values(log, bound.resources))
    return _in_columns(log.relation, source.columns, changes)


def _nets(changes: Changes) -> bool:
    return changes.range is not None and changes.range.deduplication is Deduplication.NET_CHANGES


def _in_columns(log: str, columns: Sequence[Column], changes: Changes) -> str:
    """Return a redo log in the columns that were asked for."""
    if changes.range is None:
        return log
    computes_updates = changes.range.computes_updates
    return range_changes(log, columns, net=_nets(changes), computes_updates=computes_updates)


def _refuse_netting(reason: str | None) -> None:
    """Refuse to net rows over versions if rows are known by their values alone.

    Raises:
        ValueRefused: they are known by their values alone, for a reason.
    """
    if reason is not None:
        raise ValueRefused(
            f"deduplicationMode = 'netChanges' does not know which rows are one: {reason}.",
            hint="CHANGES (INFORMATION => DEFAULT) nets rows by their values.",
        )


def _no_files(found: TableRecord | ViewRecord) -> NotYet:
    kind = found.kind.capitalize()
    return NotYet(
        f"{kind} {str(found.name)!r} is no source made of files, which INSERT_ONLY needs.",
        hint="Use INFORMATION => APPEND_ONLY.",
    )
