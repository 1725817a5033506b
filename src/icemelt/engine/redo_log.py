"""The redo log of a table: the changes of every version in an interval, read in few scans.

For example, a table has four rows before the interval and four rows after; versions 5 to 7 are

    before     5: UPDATE t SET v = 'B' WHERE id = 2
    id | v     6: DELETE FROM t WHERE id = 3
     1 | a     7: BEGIN; UPDATE t SET v = 'b' WHERE id = 2; INSERT INTO t VALUES (5, 'e'); COMMIT
     2 | b
     3 | c     after: (1, a), (2, b), (4, d), (5, e)
     4 | d

The redo log is the min-delta of every version:

    id | v | METADATA$ACTION | METADATA$ISUPDATE | icemelt$carried
     2 | b | DELETE          | true              | 5
     2 | B | INSERT          | true              | 5
     3 | c | DELETE          | false             | 6
     2 | B | DELETE          | true              | 7
     2 | b | INSERT          | true              | 7
     5 | e | INSERT          | false             | 7

The min-delta of the whole interval has only rows 3 (DELETE) and 5 (INSERT): the changes of row 2
cancel each other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property

from icemelt.engine.change_plans import ChangePlan, redo_plan
from icemelt.engine.relations import (
    BaseDelta,
    Relations,
    build_min_delta,
    rely_key,
    require_readable_types,
)
from icemelt.engine.resources import StatementResources, StatementScratch
from icemelt.schema import Column
from icemelt.spark_sql.change_relations import (
    SEQUENCE,
    Sides,
    require_unique_key,
    rows_after_commit,
    select_one_side,
    union_tagged_rows,
)
from icemelt.spark_sql.weights import add_weights_by_version
from icemelt.tables.scans.change_scan import Interval, ScanShape
from icemelt.tables.scans.redo_scan import RedoScan, RedoSide, RedoStep, plan_redo
from icemelt.tables.scans.staging import POSITION, TAG

__all__ = ["RedoLog"]


@dataclass
class RedoLog:
    """Reads the versions of an interval of a table, oldest first.

    Attributes:
        relations: makes Spark relations of scan tasks.
        interval: the snapshots at both ends of the interval.
        steps: the versions in the interval.
        resources: gains the staged scans and views, which live as long as the statement.
        raw: whether to return both images of every row that a version wrote again, also if the row
            did not change, as a copy-on-write DELETE does with the other rows of a file.
    """

    relations: Relations
    interval: Interval
    steps: Sequence[RedoStep]
    resources: StatementResources
    raw: bool = False

    def changes(self) -> tuple[str, ChangePlan]:
        """Return a relation with the min-delta of every version, and the plan.

        The relation has the table's columns, METADATA$ACTION, METADATA$ISUPDATE, METADATA$ROW_ID,
        and `icemelt$carried` with the number of the step. In a raw log no images are matched: an
        update is a DELETE and an INSERT without METADATA$ISUPDATE.
        """
        scan, sides, key = self._scan, self._sides, self._key
        parts = [
            select_one_side(replace(sides, added=relation, carried=carried))
            for side, carried in ((scan.appended, SEQUENCE), (scan.new, TAG))
            if (relation := self._stage_side(side)) is not None
        ]
        for came, went, of_values in (
            (scan.added, scan.removed, False),
            (scan.added_values, scan.removed_values, True),
        ):
            pair = replace(sides, added=self._stage_side(came), removed=self._stage_side(went))
            if self.raw:
                parts += _read_both_sides(pair)
            elif pair.added is not None or pair.removed is not None:
                parts.append(build_min_delta(pair, key, of_values=of_values))
        plan = redo_plan(scan, key)
        if not parts:
            return self.relations.select_no_changes(self.interval.metadata, sides), plan
        return f"({' UNION ALL '.join(f'SELECT * FROM {part}' for part in parts)})", plan

    def delta(self, version_of: Callable[[str], str]) -> BaseDelta:
        """Return the rows that every version added (weight 1) and removed (weight -1).

        The identity of a row includes the version: rows of two versions do not cancel each other.
        In the example above version 5 has (2, b) with weight -1 and (2, B) with weight 1.

        `version_of` maps an SQL expression of a step's number to an SQL expression of the version.
        """
        scan, key = self._scan, self._key

        @cache
        def changes() -> str | None:
            parts = []
            for side, weight, number in (
                (scan.appended, 1, SEQUENCE),
                (scan.new, 1, TAG),
                (scan.added, 1, TAG),
                (scan.removed, -1, TAG),
            ):
                if (relation := self._stage_side(side)) is not None:
                    once = require_unique_key(relation, key, number) if key else relation
                    parts.append((once, weight, version_of(number)))
            return (
                add_weights_by_version(parts, self.interval.metadata.columns, key)
                if parts
                else None
            )

        added, removed = (any(side.files for side in sides) for sides in scan.sides)
        shape = ScanShape.of(added=added, removed=removed)
        plan = replace(redo_plan(scan, key), shape=shape.value)
        return BaseDelta(plan, changes, usable=scan.broken is None or bool(key))

    @cached_property
    def _key(self) -> tuple[Column, ...]:
        return () if self.raw else rely_key(self.interval.metadata)

    @cached_property
    def _sides(self) -> Sides:
        return Sides(
            self.interval.metadata.columns,
            self.interval.metadata.row_domains,
            carried=TAG,
            parted=True,
        )

    @cached_property
    def _scan(self) -> RedoScan:
        steps, relations = self.steps, self.relations
        for snapshot_id in dict.fromkeys(end for step in steps for end in (step.start, step.end)):
            require_readable_types(self.interval.metadata, snapshot_id)
        return plan_redo(
            relations.iceberg,
            self.interval,
            steps,
            StatementScratch(relations.scratch, self.resources),
            by_key=bool(self._key),
        )

    def _stage_side(self, side: RedoSide) -> str | None:
        """Return a relation of a side's rows, with the number of the version as tag."""
        table, spark = self._scan.table, self.relations.iceberg.spark
        relation = self.relations.stage_tasks(table, side.tasks, self.resources)
        if side.newer and relation is not None:
            return rows_after_commit(relation, TAG)
        if side.shared is None:
            return relation
        places = self.resources.create_view(spark.createDataFrame(side.shared.places))
        files = self.relations.stage_tasks(table, side.shared.tasks, self.resources) or ""
        return union_tagged_rows(self._sides, relation, files, places, POSITION)


def _read_both_sides(sides: Sides) -> list[str]:
    """Return queries over both sides without matching removed rows to added rows."""
    one_sided = (replace(sides, removed=None), replace(sides, added=None))
    return [
        select_one_side(one)
        for one in one_sided
        if one.added is not None or one.removed is not None
    ]
