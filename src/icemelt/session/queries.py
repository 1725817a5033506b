"""Queries: each table they read becomes a relation of one moment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from pyspark.sql import DataFrame

from icemelt.catalog.edits import MoveFrontier
from icemelt.catalog.records import ReadState, TableRecord
from icemelt.engine.relations import ChangePlan, Lease
from icemelt.errors import FunctionNotFound, NotYet
from icemelt.names import ObjectName
from icemelt.session.core import Core
from icemelt.session.points import Timeline
from icemelt.session.spark_errors import translated
from icemelt.session.stream_reading import backlog, read_stream, relation_of_interval
from icemelt.sql.statements import ChangeFormat, Changes, Point, Query, TableReference
from icemelt.transactions.pending import Attempt
from icemelt.transactions.publication import refuse_locked

__all__ = [
    "BoundQuery",
    "bind_query",
    "consumed",
    "frame",
    "lock_streams",
    "relations_of",
    "resolve_all",
]


@dataclass(slots=True)
class BoundQuery:
    """A query that Spark can run, the state it reads, and the change scans it was planned with.

    `moves` are where its streams go when it consumes them.
    """

    text: str
    state: ReadState
    lease: Lease
    plans: dict[str, ChangePlan] = field(default_factory=dict)
    moves: dict[str, MoveFrontier] = field(default_factory=dict)


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
    with translated(core.spark):
        bound.text = query.bind(relations_of(core, query.references, bound))
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
    except FunctionNotFound:
        bound.lease.release()
        raise


def relations_of(
    core: Core, references: tuple[TableReference, ...], bound: BoundQuery
) -> Mapping[str, str]:
    """Return the relation for each slot."""
    timeline = Timeline(core, bound.state)
    relations = {}
    for reference in references:
        full = core.full(reference.name)
        stream = bound.state.streams.get(full)
        if reference.backlog:
            relation = backlog(core, core.stream(reference.name), bound.state)
        elif stream is not None:
            read = read_stream(timeline, stream, reference, bound.lease)
            relation = read.relation
            bound.moves[stream.object_id] = read.move
            if read.plan is not None:
                bound.plans[str(stream.name)] = read.plan
        elif reference.changes is not None:
            table = bound.state.tables[full]
            relation, plan = _changes(timeline, table, reference.changes, bound.lease)
            bound.plans[str(table.name)] = plan
        else:
            relation = _rows(timeline, bound.state.tables[full], reference.point)
        relations[reference.slot] = relation
    return relations


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
