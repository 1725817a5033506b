"""Queries: each table they read becomes a relation of one moment, each view its own query."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from pyspark.sql import DataFrame

from icemelt.catalog.edits import MoveFrontier
from icemelt.catalog.records import ReadState, TableRecord, ViewRecord
from icemelt.engine.relations import ChangePlan, Lease
from icemelt.errors import DefinitionRefused, NotYet, WrongObjectKind
from icemelt.names import ObjectName, TableName, quote
from icemelt.schema import Column, Primitive, spark
from icemelt.session.context import in_context
from icemelt.session.core import Core
from icemelt.session.points import Timeline
from icemelt.session.spark_errors import translated
from icemelt.session.stream_reading import backlog, read_stream, relation_of_interval
from icemelt.session.view_reading import in_time_zone, missing, names_read, query_of, seen
from icemelt.sql.statements import ChangeFormat, Changes, Point, Query, Select, TableReference
from icemelt.transactions.pending import Attempt
from icemelt.transactions.publication import refuse_locked

__all__ = [
    "BoundQuery",
    "bind_query",
    "consumed",
    "frame",
    "lock_streams",
    "reads",
    "relations_of",
    "resolve_all",
    "view_text",
]


@dataclass(slots=True)
class BoundQuery:
    """A query that Spark can run, the state it reads, and the change scans it was planned with.

    `moves` are where its streams go when it consumes them. `inside` are the views that are being
    expanded, outermost first.
    """

    text: str
    state: ReadState
    lease: Lease
    plans: dict[str, ChangePlan] = field(default_factory=dict)
    moves: dict[str, MoveFrontier] = field(default_factory=dict)
    inside: tuple[ViewRecord, ...] = ()


def resolve_all(
    core: Core, references: Iterable[TableReference], targets: Iterable[ObjectName]
) -> ReadState:
    """Return all that a statement reads and writes, of one moment."""
    return core.resolve(core.full(name) for name in (*targets, *(r.name for r in references)))


def bind_query(core: Core, query: Query, state: ReadState | None = None) -> BoundQuery:
    """Plan a query's change scans: of a state that has its tables, or of now."""
    if core.settings.transaction is not None and query.references:
        core.settings.transaction.use()
    if state is None:
        state = resolve_all(core, query.references, ())
    bound = BoundQuery("", state, Lease(core.iceberg))
    try:
        with translated(core.spark):
            bound.text = query.bind(relations_of(core, query.references, bound))
    except BaseException:
        bound.lease.release()
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
        if not transaction.holds(stream)
    ]:
        transaction.lock(free[0])
    transaction.use()


def consumed(core: Core, attempt: Attempt, bound: BoundQuery) -> tuple[MoveFrontier, ...]:
    """Return how a statement moves the streams that it reads.

    Raises:
        LostError: a stream is locked by another transaction.
    """
    if core.settings.transaction is None:
        refuse_locked(core.database, bound.moves, attempt.transaction_id)
    return tuple(bound.moves.values())


def frame(core: Core, bound: BoundQuery) -> DataFrame:
    """Return a bound query as a DataFrame, analysed and not run."""
    try:
        with translated(core.spark):
            return core.spark.sql(bound.text)
    except BaseException:
        bound.lease.release()
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


def _relation(core: Core, full: TableName, reference: TableReference, bound: BoundQuery) -> str:
    timeline = Timeline(core, bound.state)
    stream = bound.state.streams.get(full)
    view = bound.state.views.get(full)
    if reference.backlog:
        return backlog(core, core.stream(reference.name), bound.state)
    if view is not None:
        return _rows_of_view(core, view, reference, bound)
    if stream is not None:
        read = read_stream(timeline, stream, reference, bound.lease)
        bound.moves[stream.object_id] = read.move
        if read.plan is not None:
            bound.plans[str(stream.name)] = read.plan
        return read.relation
    table = bound.state.tables[full]
    if reference.changes is None:
        return _rows(timeline, table, reference.point)
    relation, plan = _changes(timeline, table, reference.changes, bound.lease)
    bound.plans[str(table.name)] = plan
    return relation


def _rows_of_view(
    core: Core, view: ViewRecord, reference: TableReference, bound: BoundQuery
) -> str:
    """Return a view's rows; at a point all that it reads is read at that point."""
    if reference.changes is not None:
        raise NotYet(
            f"{str(view.name)!r} is a view; changes of views are not built yet.",
            hint="Ask the tables that it reads.",
        )
    around = bound.inside
    if any(each.object_id == view.object_id for each in around):
        raise DefinitionRefused(
            f"View {str(view.name)!r} reads itself, through {str(around[-1].name)!r}.",
            hint=f"CREATE OR REPLACE VIEW {around[-1].name} AS … with another query, or rename it.",
        )
    bound.inside = (*around, view)
    text = view_text(core, view, query_of(view), bound, reference.point)
    bound.inside = around
    names = ", ".join(quote(column.name) for column in view.columns)
    shown = ", ".join(map(_stored, view.columns))
    relation = f"(SELECT {shown} FROM ({text}) AS `icemelt_view`({names}))"
    zone = around[-1].time_zone if around else core.settings.timezone
    if view.time_zone == zone:
        return relation
    return in_time_zone(core, relation, view.time_zone, bound.lease)


def _stored(column: Column) -> str:
    """Return a column in the type as which it is stored, where Spark's may be a narrower one."""
    name = quote(column.name)
    if isinstance(column.type, Primitive) and column.type.name in {"long", "double", "string"}:
        return f"CAST({name} AS {spark(column.type)}) AS {name}"
    return name


def view_text(
    core: Core, view: ViewRecord, query: Query, bound: BoundQuery, point: Point | None = None
) -> str:
    """Return a view's query for Spark.

    Raises:
        ObjectNotFound: something that it reads does not exist.
        ColumnNotFound: a column that it reads is gone.
        ColumnRetyped: a column that it reads has another type.
    """
    statement = in_context(core, Select(query), bound.state.now)
    filled = statement.query if isinstance(statement, Select) else query
    sources = {source.name: source for source in view.sources}
    relations = {}
    for reference in filled.references:
        full = reference.name.within(view.name.database, view.name.schema)
        if core.columns_in(bound.state, full) is None:
            raise missing(view, full)
        table = bound.state.tables.get(full)
        if table is not None and table.session_id is not None:
            raise WrongObjectKind(
                f"View {str(view.name)!r} reads table {str(full)!r}, which a temporary table of "
                "this session hides.",
                hint=f"Drop the temporary one: DROP TABLE {full}",
            )
        relation = _relation(core, full, replace(reference, point=point), bound)
        relations[reference.slot] = seen(core, bound.state, view, sources[full], relation)
    return filled.bind(relations)


def _rows(timeline: Timeline, table: TableRecord, point: Point | None) -> str:
    core = timeline.core
    if point is None:
        metadata = core.metadata(table)
        return core.relations.at(metadata, metadata.current_snapshot_id)
    metadata = core.metadata(core.pinned(table))
    return core.relations.at(metadata, timeline.snapshot(table, metadata, point))


def _changes(
    timeline: Timeline, table: TableRecord, changes: Changes, lease: Lease
) -> tuple[str, ChangePlan]:
    core = timeline.core
    if changes.format is ChangeFormat.INSERT_ONLY:
        raise NotYet(
            f"Table {str(table.name)!r} is no source made of files, which INSERT_ONLY needs.",
            hint="Use INFORMATION => APPEND_ONLY.",
        )
    metadata = core.metadata(core.pinned(table))
    interval = timeline.interval(table, metadata, changes)
    append_only = changes.format is ChangeFormat.APPEND_ONLY
    return relation_of_interval(core, metadata, interval, lease, append_only=append_only)
