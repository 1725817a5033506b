"""Relations for table references: a pinned table, a table at a point, or a table's changes."""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from itertools import chain
from typing import Any

from icemelt.engine.change_plans import ChangePlan, append_plan, change_plan
from icemelt.engine.resources import StatementResources, StatementScratch
from icemelt.engine.scratch import ScratchFolder
from icemelt.errors import ColumnRetyped
from icemelt.schema import Column, sql_type
from icemelt.spark_sql.change_relations import (
    AppendedRelation,
    InsertedRelations,
    Matching,
    Sides,
    cancel_equal_rows,
    fresh_rows,
    match_across_epochs,
    match_by_key,
    match_by_row_id,
    match_with_inserts,
    require_unique_key,
    rows_after_commit,
    select_inserted,
    select_nothing,
    select_one_side,
)
from icemelt.spark_sql.equality import prevent_pushdown
from icemelt.spark_sql.weights import add_weights, ends_expression, with_ends, with_identity
from icemelt.storage.local import remove_if_local
from icemelt.tables.iceberg import Iceberg
from icemelt.tables.lru_cache import WeightedLRUCache
from icemelt.tables.metadata.document import TableMetadata
from icemelt.tables.metadata.locations import first_metadata_file, folder_of
from icemelt.tables.scans.append_scan import AppendScan, plan_append_scan
from icemelt.tables.scans.change_scan import (
    ChangeScan,
    CompactionEpoch,
    InsertedRows,
    Interval,
    ScanShape,
    plan_changes,
)
from icemelt.tables.scans.collapsed_state import write_restored_metadata
from icemelt.tables.scans.selectivity import ColumnStatistics, find_column_statistics
from icemelt.tables.scans.sides import ScanSide
from icemelt.tables.scans.staging import stage
from icemelt.tables.scans.surviving_rows import SurvivingRows

__all__ = ["BaseDelta", "Relations", "build_min_delta", "rely_key", "require_readable_types"]

# the bytes of written states to keep, and the assumed bytes of a state restored from inside a run
_WRITTEN, _RESTORED = 128 << 20, 1 << 20


@dataclass(frozen=True, slots=True)
class BaseDelta:
    """The changes of a table with weights: 1 for an added row, -1 for a removed row.

    Attributes:
        plan: files and rows to read.
        changes: stages the scan at the first call, and returns the relation; None for no changes.
        usable: whether rows have an identity.
        once: whether a row is removed at most once and added at most once.
        has_key: whether a declared key is the identity. Reading fails if a side has a key twice.
        ends: stages the rows of both ends at the first call; None if not offered.
        surviving: how `ends` recognizes rows of both ends.
    """

    plan: ChangePlan
    changes: Callable[[], str | None]
    usable: bool
    once: bool = True
    has_key: bool = False
    ends: Callable[[], str] | None = None
    surviving: SurvivingRows | None = None


def _remove_state(location: str) -> None:
    """Remove the folder of a written state."""
    remove_if_local(folder_of(location))


@dataclass(frozen=True, slots=True)
class Relations:
    """Makes relations for the statements of a session."""

    iceberg: Iceberg
    scratch: ScratchFolder
    # metadata files of states, every file in a folder of its own
    _written: WeightedLRUCache[tuple[str, int | None], str] = field(
        default_factory=lambda: WeightedLRUCache(_WRITTEN, _remove_state)
    )
    _statistics: dict[tuple[Hashable, ...], ColumnStatistics] = field(default_factory=dict)

    def read_snapshot(self, metadata: TableMetadata, snapshot_id: int | None) -> str:
        """Return a relation of the table's rows at a snapshot, with today's columns."""
        return prevent_pushdown(self._pin(metadata, snapshot_id), metadata.columns)

    def read_min_delta(
        self, interval: Interval, resources: StatementResources, *, carried: str = ""
    ) -> tuple[str, ChangePlan]:
        """Return a relation with the min-delta of an interval, and the plan.

        Args:
            interval: the snapshots at both ends.
            resources: gains the staged scans.
            carried: a column to carry along with every row, as in `Sides`; empty for none.
        """
        metadata = interval.metadata
        scan, key, plan = self._plan_scan(interval, resources)
        sides = Sides(metadata.columns, metadata.row_domains, carried=carried)
        if scan.shape is ScanShape.EMPTY:
            return self.select_no_changes(metadata, sides), plan
        staged = partial(self._stage_side, scan.table, resources=resources)
        if scan.epochs:
            return match_across_epochs(sides, _stage_epochs(scan.epochs, staged)), plan
        removed = staged(scan.removed)
        if scan.inserted is not None and not key:
            born = _stage_inserted_rows(scan, scan.inserted, staged)
            return match_with_inserts(replace(sides, removed=removed), born), plan
        added = staged(scan.added)
        sides = replace(sides, added=added, removed=removed)
        return build_min_delta(sides, key, of_values=scan.broken is not None), plan

    def read_snapshot_with_identity(
        self, metadata: TableMetadata, snapshot_id: int | None, *, by_key: bool = True
    ) -> str:
        """Return a relation of a table's rows at a snapshot, with an identity column at the end.

        Args:
            metadata: the table; `metadata.columns` are the columns of the relation.
            snapshot_id: the snapshot; None for the empty table.
            by_key: whether a key declared with RELY is the identity; otherwise the row id is.
        """
        pinned = self._pin(metadata, snapshot_id)
        return with_identity(pinned, metadata.columns, rely_key(metadata) if by_key else ())

    def has_identity(self, metadata: TableMetadata, snapshot_id: int | None) -> bool:
        """Tell whether rows of a snapshot have an identity: a declared key, or row ids."""
        if snapshot_id is None or rely_key(metadata):
            return True
        return metadata.snapshots[snapshot_id].first_row_id is not None

    def plan_delta(self, interval: Interval, resources: StatementResources) -> BaseDelta:
        """Plan a change scan; return the rows that an interval added and removed, with weights.

        The delta is redundant: a row that moved to another file, or changed and changed back, has
        both weights.
        """
        metadata = interval.metadata
        scan, key, plan = self._plan_scan(interval, resources)
        ends = (interval.start, interval.end)
        has_ids = scan.broken is None and all(self.has_identity(metadata, end) for end in ends)
        return BaseDelta(
            plan,
            cache(partial(self._read_with_weights, scan, key, metadata.columns, resources)),
            usable=has_ids or bool(key),
            once=not scan.epochs,
            has_key=bool(key),
            ends=cache(partial(self._read_both_ends, interval, scan, key, resources)),
            surviving=scan.surviving,
        )

    def _read_with_weights(
        self,
        scan: ChangeScan,
        key: Sequence[Column],
        columns: Sequence[Column],
        resources: StatementResources,
    ) -> str | None:
        staged = partial(self._stage_side, scan.table, resources=resources)
        sides = [(scan.removed, scan.added)]
        if scan.epochs:
            sides = [(epoch.removed, epoch.added) for epoch in scan.epochs]
        elif scan.inserted is not None and not key:
            sides = [(scan.removed, scan.inserted.new), (ScanSide(), scan.inserted.rest)]
        parts = [
            (require_unique_key(relation, key) if key and not scan.epochs else relation, weight)
            for pair in sides
            for side, weight in zip(pair, (-1, 1), strict=True)
            if (relation := staged(side)) is not None
        ]
        return add_weights(parts, columns, key)

    def _read_both_ends(
        self,
        interval: Interval,
        scan: ChangeScan,
        key: Sequence[Column],
        resources: StatementResources,
    ) -> str:
        """Return a relation of the rows of both ends of an interval, with identity and ends."""
        metadata, surviving = interval.metadata, scan.surviving
        # deleted rows may have NULLs from a time when the column had NULLs
        new = self._pin(metadata, interval.end, anew=metadata.has_tightened_columns)
        if surviving is None:
            parts = [(self._pin(metadata, interval.start), "1"), (new, "2")]
        else:
            parts = [(new, ends_expression(surviving.since, surviving.deleted))]
            elsewhere = self._stage_side(scan.table, surviving.elsewhere, resources)
            if elsewhere is not None:
                parts.append((elsewhere, "1"))
        return with_ends(parts, metadata.columns, key)

    def read_appends(
        self,
        metadata: TableMetadata,
        versions: Sequence[Sequence[int]],
        resources: StatementResources,
        *,
        foreign: Container[int] = (),
        carried: str = "",
    ) -> tuple[str, ChangePlan]:
        """Return a relation with the append-only changes of versions, and the plan.

        Args:
            metadata: the table.
            versions: the ids of every version's snapshots.
            resources: gains the staged scans.
            foreign: ids of snapshots made by other engines.
            carried: a column to carry along with every row, as in `Sides`; empty for none.
        """
        scan = self._plan_append_scan(metadata, versions, foreign)
        plan = append_plan(scan)
        sides = Sides(metadata.columns, metadata.row_domains, carried=carried)
        parts = self._stage_appends(scan, resources)
        return (
            select_inserted(sides, parts) if parts else self.select_no_changes(metadata, sides)
        ), plan

    def plan_append_delta(
        self,
        metadata: TableMetadata,
        versions: Sequence[Sequence[int]],
        resources: StatementResources,
        foreign: Container[int] = (),
    ) -> BaseDelta:
        """Plan a scan of the rows that versions inserted; return the rows with weights.

        The identity is the row id: a declared key may come again.

        Args:
            metadata: the table.
            versions: the ids of every version's snapshots.
            resources: gains the staged scans.
            foreign: ids of snapshots made by other engines.
        """
        scan = self._plan_append_scan(metadata, versions, foreign)

        @cache
        def changes() -> str | None:
            parts = [(fresh_rows(part), 1) for part in self._stage_appends(scan, resources)]
            return add_weights(parts, metadata.columns, ())

        return BaseDelta(append_plan(scan), changes, usable=True)

    def _plan_append_scan(
        self,
        metadata: TableMetadata,
        versions: Sequence[Sequence[int]],
        foreign: Container[int],
    ) -> AppendScan:
        """Plan a scan of the rows that versions inserted."""
        for snapshot_id in chain.from_iterable(versions):
            require_readable_types(metadata, snapshot_id)
        return plan_append_scan(self.iceberg, metadata, versions, foreign)

    def _stage_appends(
        self, scan: AppendScan, resources: StatementResources
    ) -> list[AppendedRelation]:
        """Stage the scans of the rows that versions inserted."""
        return [
            AppendedRelation(view, part.spans, part.commits)
            for part in scan.parts
            if (view := self.stage_tasks(scan.table, part.tasks, resources)) is not None
        ]

    def column_statistics(self, metadata: TableMetadata, snapshot_id: int) -> ColumnStatistics:
        """Return what a table's files tell of its columns.

        The answer is computed anew after the table's files or bytes have doubled.
        """
        counts = metadata.snapshots[snapshot_id].count
        state = (
            metadata.table_uuid,
            tuple((each.field_id, each.name) for each in metadata.columns),
            counts("total-data-files").bit_length(),
            counts("total-files-size").bit_length(),
        )
        if state not in self._statistics:
            self._statistics[state] = find_column_statistics(self.iceberg, metadata, snapshot_id)
        return self._statistics[state]

    def read_as_inserts(
        self, metadata: TableMetadata, snapshot_id: int | None, *, carried: str = ""
    ) -> str:
        """Return a relation of every row at a snapshot, as an insert.

        Args:
            metadata: the table.
            snapshot_id: the snapshot; None for the empty table.
            carried: a column to carry along with every row, as in `Sides`; empty for none.
        """
        pinned = self._pin(metadata, snapshot_id)
        sides = Sides(metadata.columns, metadata.row_domains, added=pinned, carried=carried)
        return select_one_side(sides, rely_key(metadata))

    def _plan_scan(
        self, interval: Interval, resources: StatementResources
    ) -> tuple[ChangeScan, tuple[Column, ...], ChangePlan]:
        """Plan a change scan; return the scan, the key declared with RELY, and the plan."""
        for end in (interval.start, interval.end):
            require_readable_types(interval.metadata, end)
        scan = plan_changes(self.iceberg, interval, StatementScratch(self.scratch, resources))
        key = rely_key(interval.metadata)
        return scan, key, change_plan(scan, key)

    def select_no_changes(self, metadata: TableMetadata, sides: Sides) -> str:
        """Return an empty relation with the columns of changes."""
        return select_nothing(replace(sides, added=self._pin(metadata, None)))

    def _pin(self, metadata: TableMetadata, snapshot_id: int | None, *, anew: bool = False) -> str:
        if snapshot_id == metadata.current_snapshot_id and not anew:
            return self.iceberg.pin(metadata.location)
        require_readable_types(metadata, snapshot_id)
        state = metadata.location, snapshot_id
        location = self._written.get(state)
        if location is None:
            location, size = self._write_state_file(metadata, snapshot_id)
            self._written.keep(state, location, size)
        return self.iceberg.pin(location)

    def _write_state_file(
        self, metadata: TableMetadata, snapshot_id: int | None
    ) -> tuple[str, int]:
        """Write a metadata file of a table at a snapshot; return location and size in bytes."""
        folder = self.scratch.new_file("")
        snapshot = None if snapshot_id is None else metadata.snapshots[snapshot_id]
        if snapshot is not None and snapshot.surviving_snapshot_id is not None:
            return write_restored_metadata(self.iceberg, metadata, snapshot, folder), _RESTORED
        location = first_metadata_file(folder)
        content = json.dumps(metadata.document_at(snapshot_id)).encode()
        self.iceberg.files.write(location, content)
        return location, len(content)

    def _stage_side(self, table: Any, side: ScanSide, resources: StatementResources) -> str | None:
        """Return the relation of a scan's side; None for a side without files."""
        relation = self.stage_tasks(table, side.tasks, resources)
        return None if relation is None else rows_after_commit(relation, side.newer_than)

    def stage_tasks(self, table: Any, tasks: Any, resources: StatementResources) -> str | None:
        """Stage scan tasks and return the relation; None without tasks.

        Args:
            table: the Iceberg table in Java.
            tasks: a Java list of scan tasks; None for none.
            resources: gains the staged scan, to be released when the statement ends.
        """
        if tasks is None:
            return None
        staged = stage(self.iceberg, table, tasks)
        resources.staged.append(staged)
        return staged.relation


def _stage_inserted_rows(
    scan: ChangeScan, inserted: InsertedRows, staged: Callable[[ScanSide], str | None]
) -> InsertedRelations:
    matching = Matching.ANYWHERE
    if scan.removed.is_read_at_once and inserted.rest.is_read_at_once:
        matching = Matching.ONE_TASK
    elif inserted.rest.is_small:
        matching = Matching.BROADCAST
    return InsertedRelations(
        inserted.first_id,
        staged(inserted.new),
        staged(inserted.rest),
        inserted.mixed,
        matching,
    )


def _stage_epochs(
    epochs: Sequence[CompactionEpoch], staged: Callable[[ScanSide], str | None]
) -> list[tuple[str | None, str | None]]:
    return [(staged(epoch.removed), staged(epoch.added)) for epoch in epochs]


def require_readable_types(metadata: TableMetadata, snapshot_id: int | None) -> None:
    """Require that today's columns can hold the values of a snapshot.

    Raises:
        ColumnRetyped: another engine has replaced the table since, with another type for a column.
    """
    columns = metadata.find_retyped_column(snapshot_id)
    if columns is not None:
        old, new = columns
        raise ColumnRetyped(
            f"Column {new.name!r} was {sql_type(old.type)} at the point "
            f"and is {sql_type(new.type)} "
            "today: another engine replaced the table.",
            hint="Give a point after the replacement.",
        )


def rely_key(metadata: TableMetadata) -> tuple[Column, ...]:
    """Return the columns of a primary key declared with RELY; empty for none."""
    key = metadata.key
    if key is None or not key.rely:
        return ()
    names = metadata.key_columns(key)
    if len(names) != len(key.field_ids):
        return ()
    by_name = {column.name: column for column in metadata.columns}
    return tuple(by_name[name] for name in names)


def build_min_delta(sides: Sides, key: tuple[Column, ...], *, of_values: bool) -> str:
    """Return a query for the min-delta of a scan with rows on one side or both.

    Args:
        sides: the relations of the added and the removed side.
        key: the declared key that matches images of a row; empty for none.
        of_values: whether rows are matched by all values, because row ids cannot be trusted.
    """
    if key:
        return match_by_key(sides, key)
    if of_values:
        return cancel_equal_rows(sides)
    return (
        select_one_side(sides) if None in {sides.added, sides.removed} else match_by_row_id(sides)
    )
