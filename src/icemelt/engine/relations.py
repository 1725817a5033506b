"""What a table reference becomes for Spark: a pinned table, a table at a point, its changes."""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from itertools import chain
from typing import Any

from icemelt.engine.change_plans import ChangePlan, append_plan, change_plan
from icemelt.engine.resources import StatementResources, StatementScratch
from icemelt.engine.scratch import ScratchFolder, remove
from icemelt.errors import ColumnRetyped
from icemelt.schema import Column, display
from icemelt.spark_sql.change_relations import (
    Appended,
    Born,
    Matching,
    Sides,
    appended_only,
    by_birth,
    by_key,
    by_row_id,
    by_stretches,
    by_values,
    fresh,
    newer,
    nothing,
    one_side,
    unique_by,
)
from icemelt.spark_sql.equality import compared_here
from icemelt.spark_sql.weights import ends_of_survivors, weighted, with_ends, with_identity
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
from icemelt.tables.scans.selectivity import column_selectivities
from icemelt.tables.scans.sides import ScanSide
from icemelt.tables.scans.staging import stage
from icemelt.tables.scans.surviving_rows import SurvivingRows

__all__ = ["BaseDelta", "Relations", "minimized", "refuse_retyped", "rely_key"]

# bytes of the states that stay written, and of one that a run of appends had to be undone for
_WRITTEN, _RESTORED = 128 << 20, 1 << 20


@dataclass(frozen=True, slots=True)
class BaseDelta:
    """A table's changes with weights; `usable` says that rows have an identity.

    `once` says that each row went once at most, and came once at most; `has_key` that rows are
    known by a declared key. Where that is there twice on a side, reading is an error. `changes`
    and `ends` stage what they read when they are called first: the changes, None where there are
    none, and the rows of both ends, if these were asked for; `surviving` says how they are read.
    """

    plan: ChangePlan
    changes: Callable[[], str | None]
    usable: bool
    once: bool = True
    has_key: bool = False
    ends: Callable[[], str] | None = None
    surviving: SurvivingRows | None = None


def _remove_state(location: str) -> None:
    """Remove the folder of a state that was written."""
    remove(folder_of(location))


@dataclass(frozen=True, slots=True)
class Relations:
    """Makes relations for the statements of one session."""

    iceberg: Iceberg
    scratch: ScratchFolder
    # metadata files of states, each in a folder of its own
    _written: WeightedLRUCache[tuple[str, int | None], str] = field(
        default_factory=lambda: WeightedLRUCache(_WRITTEN, _remove_state)
    )
    _spreads: dict[tuple[str, int, int], Mapping[str, float]] = field(default_factory=dict)

    def at(self, metadata: TableMetadata, snapshot_id: int | None) -> str:
        """Return a relation of the table's rows at a snapshot, in its columns of today."""
        return compared_here(self._pinned(metadata, snapshot_id), metadata.columns)

    def changes(
        self, interval: Interval, resources: StatementResources, *, carried: str = ""
    ) -> tuple[str, ChangePlan]:
        """Return the min-delta of an interval; what is `carried` is as in `Sides`."""
        metadata = interval.metadata
        scan, key, plan = self._scanned(interval, resources)
        sides = Sides(metadata.columns, metadata.table_uuid, carried=carried)
        if scan.shape is ScanShape.EMPTY:
            return self.nothing(metadata, sides), plan
        staged = partial(self._side, scan.table, resources=resources)
        if scan.epochs:
            return by_stretches(sides, _stretches(scan.epochs, staged)), plan
        removed = staged(scan.removed)
        if scan.inserted is not None and not key:
            born = _born(scan, scan.inserted, staged)
            return by_birth(replace(sides, removed=removed), born), plan
        added = staged(scan.added)
        sides = replace(sides, added=added, removed=removed)
        return minimized(sides, key, of_values=scan.broken is not None), plan

    def identified(
        self, metadata: TableMetadata, snapshot_id: int | None, *, by_key: bool = True
    ) -> str:
        """Return a table's rows at a snapshot, with their identity behind the columns.

        It is a key that is declared to be, or, where it is not asked for, the row id.
        """
        pinned = self._pinned(metadata, snapshot_id)
        return with_identity(pinned, metadata.columns, rely_key(metadata) if by_key else ())

    def has_identity(self, metadata: TableMetadata, snapshot_id: int | None) -> bool:
        """Tell whether rows of a snapshot have an identity: a declared key, or row ids."""
        if snapshot_id is None or rely_key(metadata):
            return True
        return metadata.snapshots[snapshot_id].first_row_id is not None

    def delta(self, interval: Interval, resources: StatementResources) -> BaseDelta:
        """Return the rows that an interval added and removed, as its change scan reads them.

        Rows that were only moved, or changed and changed back, are there with both weights.
        """
        metadata = interval.metadata
        scan, key, plan = self._scanned(interval, resources)
        ends = (interval.start, interval.end)
        known = scan.broken is None and all(self.has_identity(metadata, end) for end in ends)
        return BaseDelta(
            plan,
            cache(partial(self._weighted, scan, key, metadata.columns, resources)),
            usable=known or bool(key),
            once=not scan.epochs,
            has_key=bool(key),
            ends=cache(partial(self._ends, interval, scan, key, resources)),
            surviving=scan.surviving,
        )

    def _weighted(
        self,
        scan: ChangeScan,
        key: Sequence[Column],
        columns: Sequence[Column],
        resources: StatementResources,
    ) -> str | None:
        staged = partial(self._side, scan.table, resources=resources)
        sides = [(scan.removed, scan.added)]
        if scan.epochs:
            sides = [(stretch.removed, stretch.added) for stretch in scan.epochs]
        elif scan.inserted is not None and not key:
            sides = [(scan.removed, scan.inserted.new), (ScanSide(), scan.inserted.rest)]
        parts = [
            (unique_by(relation, key) if key and not scan.epochs else relation, weight)
            for pair in sides
            for side, weight in zip(pair, (-1, 1), strict=True)
            if (relation := staged(side)) is not None
        ]
        return weighted(parts, columns, key)

    def _ends(
        self,
        interval: Interval,
        scan: ChangeScan,
        key: Sequence[Column],
        resources: StatementResources,
    ) -> str:
        """Return a table's rows at both ends of an interval, with their identity and their ends."""
        metadata, surviving = interval.metadata, scan.surviving
        # deleted rows may have the NULLs that a column has had
        new = self._pinned(metadata, interval.end, anew=metadata.has_tightened_columns)
        if surviving is None:
            parts = [(self._pinned(metadata, interval.start), "1"), (new, "2")]
        else:
            parts = [(new, ends_of_survivors(surviving.since, surviving.deleted))]
            elsewhere = self._side(scan.table, surviving.elsewhere, resources)
            if elsewhere is not None:
                parts.append((elsewhere, "1"))
        return with_ends(parts, metadata.columns, key)

    def appended(
        self,
        metadata: TableMetadata,
        versions: Sequence[Sequence[int]],
        resources: StatementResources,
        *,
        foreign: Container[int] = (),
        carried: str = "",
    ) -> tuple[str, ChangePlan]:
        """Return the append-only changes of versions, each given by its snapshots' ids.

        Some snapshots may be `foreign`, those of other engines. What is `carried` is as in `Sides`.
        """
        scan = self._appends(metadata, versions, foreign)
        plan = append_plan(scan)
        sides = Sides(metadata.columns, metadata.table_uuid, carried=carried)
        parts = self._appended(scan, resources)
        return (appended_only(sides, parts) if parts else self.nothing(metadata, sides)), plan

    def gained(
        self,
        metadata: TableMetadata,
        versions: Sequence[Sequence[int]],
        resources: StatementResources,
        foreign: Container[int] = (),
    ) -> BaseDelta:
        """Return the rows that versions inserted, each given by its snapshots' ids.

        They are known by their row ids: a key may come again.
        """
        scan = self._appends(metadata, versions, foreign)

        @cache
        def changes() -> str | None:
            parts = [(fresh(part), 1) for part in self._appended(scan, resources)]
            return weighted(parts, metadata.columns, ())

        return BaseDelta(append_plan(scan), changes, usable=True)

    def _appends(
        self,
        metadata: TableMetadata,
        versions: Sequence[Sequence[int]],
        foreign: Container[int],
    ) -> AppendScan:
        """Plan what versions inserted."""
        for snapshot_id in chain.from_iterable(versions):
            refuse_retyped(metadata, snapshot_id)
        return plan_append_scan(self.iceberg, metadata, versions, foreign)

    def _appended(self, scan: AppendScan, resources: StatementResources) -> list[Appended]:
        """Stage what versions inserted."""
        return [
            Appended(view, part.spans, part.commits)
            for part in scan.parts
            if (view := self.staged(scan.table, part.tasks, resources)) is not None
        ]

    def column_selectivities(
        self, metadata: TableMetadata, snapshot_id: int
    ) -> Mapping[str, float]:
        """Return of columns with ranges in what part of the files a value of them may be.

        It is found out anew where a table has come to have twice the files or bytes.
        """
        counts = metadata.snapshots[snapshot_id].count
        state = (
            metadata.table_uuid,
            counts("total-data-files").bit_length(),
            counts("total-files-size").bit_length(),
        )
        if state not in self._spreads:
            self._spreads[state] = column_selectivities(self.iceberg, metadata, snapshot_id)
        return self._spreads[state]

    def initial(
        self, metadata: TableMetadata, snapshot_id: int | None, *, carried: str = ""
    ) -> str:
        """Return every row at a snapshot as an insert; what is `carried` is as in `Sides`."""
        pinned = self._pinned(metadata, snapshot_id)
        sides = Sides(metadata.columns, metadata.table_uuid, added=pinned, carried=carried)
        return one_side(sides, rely_key(metadata))

    def _scanned(
        self, interval: Interval, resources: StatementResources
    ) -> tuple[ChangeScan, tuple[Column, ...], ChangePlan]:
        """Plan a change scan; return it with the key that rows are known by, none for row ids."""
        for end in (interval.start, interval.end):
            refuse_retyped(interval.metadata, end)
        scan = plan_changes(self.iceberg, interval, StatementScratch(self.scratch, resources))
        key = rely_key(interval.metadata)
        return scan, key, change_plan(scan, key)

    def nothing(self, metadata: TableMetadata, sides: Sides) -> str:
        """Return no changes, in the columns of some."""
        return nothing(replace(sides, added=self._pinned(metadata, None)))

    def _pinned(
        self, metadata: TableMetadata, snapshot_id: int | None, *, anew: bool = False
    ) -> str:
        if snapshot_id == metadata.current_snapshot_id and not anew:
            return self.iceberg.pin(metadata.location)
        refuse_retyped(metadata, snapshot_id)
        state = metadata.location, snapshot_id
        location = self._written.get(state)
        if location is None:
            location, size = self._file_at(metadata, snapshot_id)
            self._written.keep(state, location, size)
        return self.iceberg.pin(location)

    def _file_at(self, metadata: TableMetadata, snapshot_id: int | None) -> tuple[str, int]:
        """Write a metadata file of a table at a snapshot; return its location, and its bytes."""
        folder = self.scratch.new_file("")
        snapshot = None if snapshot_id is None else metadata.snapshots[snapshot_id]
        if snapshot is not None and snapshot.surviving_snapshot_id is not None:
            return write_restored_metadata(self.iceberg, metadata, snapshot, folder), _RESTORED
        location = first_metadata_file(folder)
        content = json.dumps(metadata.document_at(snapshot_id)).encode()
        self.iceberg.write_bytes(location, content)
        return location, len(content)

    def _side(self, table: Any, side: ScanSide, resources: StatementResources) -> str | None:
        """Return the relation of a side of a scan, None of one without files."""
        relation = self.staged(table, side.tasks, resources)
        return None if relation is None else newer(relation, side.newer_than)

    def staged(self, table: Any, tasks: Any, resources: StatementResources) -> str | None:
        """Return the relation of scan tasks of a table, None of none."""
        if tasks is None:
            return None
        staged = stage(self.iceberg, table, tasks)
        resources.staged.append(staged)
        return staged.relation


def _born(
    scan: ChangeScan, inserted: InsertedRows, staged: Callable[[ScanSide], str | None]
) -> Born:
    how = Matching.ANYWHERE
    if scan.removed.is_read_at_once and inserted.rest.is_read_at_once:
        how = Matching.ONE_TASK
    elif inserted.rest.is_small:
        how = Matching.BROADCAST
    return Born(
        inserted.first_id,
        staged(inserted.new),
        staged(inserted.rest),
        inserted.mixed,
        how,
    )


def _stretches(
    epochs: Sequence[CompactionEpoch], staged: Callable[[ScanSide], str | None]
) -> list[tuple[str | None, str | None]]:
    return [(staged(each.removed), staged(each.added)) for each in epochs]


def refuse_retyped(metadata: TableMetadata, snapshot_id: int | None) -> None:
    """Let only a state be read whose values today's columns can hold.

    Raises:
        ColumnRetyped: another engine has replaced the table since.
    """
    columns = metadata.find_retyped_column(snapshot_id)
    if columns is not None:
        old, new = columns
        raise ColumnRetyped(
            f"Column {new.name!r} was {display(old.type)} at the point and is {display(new.type)} "
            "today: another engine replaced the table.",
            hint="Give a point after the replacement.",
        )


def rely_key(metadata: TableMetadata) -> tuple[Column, ...]:
    """Return the declared key that a table's rows are known by, none where there is none."""
    key = metadata.key
    if key is None or not key.rely:
        return ()
    names = metadata.key_columns(key)
    if len(names) != len(key.field_ids):
        return ()
    by_name = {column.name: column for column in metadata.columns}
    return tuple(by_name[name] for name in names)


def minimized(sides: Sides, key: tuple[Column, ...], *, of_values: bool) -> str:
    """Return the min-delta of sides of which one has rows; `of_values` where ids tell nothing."""
    if key:
        return by_key(sides, key)
    if of_values:
        return by_values(sides)
    return one_side(sides) if None in {sides.added, sides.removed} else by_row_id(sides)
