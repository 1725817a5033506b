"""Queries: each table they read becomes a relation of one moment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pyspark.sql import DataFrame

from icemelt.catalog.records import ReadState, TableRecord
from icemelt.engine.relations import ChangePlan, Lease
from icemelt.errors import FunctionNotFound, NotYet
from icemelt.session.core import Core
from icemelt.session.points import Timeline
from icemelt.session.spark_errors import translated
from icemelt.sql.statements import ChangeFormat, Changes, Query, TableReference
from icemelt.tables.change_scan import Interval

__all__ = ["BoundQuery", "bind_query", "frame", "relations_of"]


@dataclass(slots=True)
class BoundQuery:
    """A query that Spark can run, the state it reads, and the change scans it was planned with."""

    text: str
    state: ReadState
    lease: Lease
    plans: dict[str, ChangePlan] = field(default_factory=dict)


def bind_query(core: Core, query: Query) -> BoundQuery:
    """Resolve a query's tables and plan its change scans."""
    state = core.resolve(core.full(reference.name) for reference in query.references)
    bound = BoundQuery("", state, Lease(core.iceberg))
    with translated(core.spark):
        bound.text = query.bind(relations_of(core, query.references, bound))
    return bound


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
        table = bound.state.tables[core.full(reference.name)]
        if reference.changes is not None:
            relation, plan = _changes(timeline, table, reference.changes, bound.lease)
            bound.plans[str(table.name)] = plan
        else:
            metadata = core.metadata(table)
            snapshot_id = metadata.current_snapshot_id
            if reference.point is not None:
                snapshot_id = timeline.snapshot(table, metadata, reference.point)
            relation = core.relations.at(metadata, snapshot_id)
        relations[reference.slot] = relation
    return relations


def _changes(
    timeline: Timeline, table: TableRecord, changes: Changes, lease: Lease
) -> tuple[str, ChangePlan]:
    core = timeline.core
    if changes.format is ChangeFormat.INSERT_ONLY:
        raise NotYet(
            f"Table {str(table.name)!r} is no source made of files, which INSERT_ONLY needs.",
            hint="Use INFORMATION => APPEND_ONLY.",
        )
    metadata = core.metadata(table)
    interval = timeline.interval(table, metadata, changes)
    if changes.format is ChangeFormat.APPEND_ONLY:
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
