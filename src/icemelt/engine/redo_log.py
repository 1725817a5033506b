"""The changes of many versions of a table: of each its min-delta, or the rows it came to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property

from icemelt.engine.change_plans import ChangePlan, redo_plan
from icemelt.engine.relations import BaseDelta, Relations, minimized, refuse_retyped, rely_key
from icemelt.engine.resources import StatementResources, StatementScratch
from icemelt.schema import Column
from icemelt.spark_sql.change_relations import SEQUENCE, Sides, newer, one_side, tagged, unique_by
from icemelt.spark_sql.weights import of_versions
from icemelt.tables.scans.change_scan import Interval, ScanShape
from icemelt.tables.scans.redo_scan import RedoScan, RedoSide, RedoStep, plan_redo
from icemelt.tables.scans.staging import POSITION, TAG

__all__ = ["RedoLog"]


@dataclass
class RedoLog:
    """The versions of an interval of a table, oldest first, and what reads them.

    A `raw` log has both images of all rows that a version wrote again.
    """

    relations: Relations
    interval: Interval
    steps: Sequence[RedoStep]
    resources: StatementResources
    raw: bool = False

    def changes(self) -> tuple[str, ChangePlan]:
        """Return the min-delta of each version, and its plan; carried is the number of its step."""
        scan, sides, key = self._scan, self._sides, self._key
        parts = [
            one_side(replace(sides, added=relation, carried=carried))
            for side, carried in ((scan.appended, SEQUENCE), (scan.new, TAG))
            if (relation := self._side(side)) is not None
        ]
        for came, went, of_values in (
            (scan.added, scan.removed, False),
            (scan.added_values, scan.removed_values, True),
        ):
            pair = replace(sides, added=self._side(came), removed=self._side(went))
            if self.raw:
                parts += _each_side(pair)
            elif pair.added is not None or pair.removed is not None:
                parts.append(minimized(pair, key, of_values=of_values))
        plan = redo_plan(scan, key)
        if not parts:
            return self.relations.nothing(self.interval.metadata, sides), plan
        return f"({' UNION ALL '.join(f'SELECT * FROM {part}' for part in parts)})", plan

    def delta(self, version_of: Callable[[str], str]) -> BaseDelta:
        """Return the rows that each version added and removed, beside the version.

        `version_of` makes an expression of it of that of the number of a step.
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
                if (relation := self._side(side)) is not None:
                    once = unique_by(relation, key, number) if key else relation
                    parts.append((once, weight, version_of(number)))
            return of_versions(parts, self.interval.metadata.columns, key) if parts else None

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
            self.interval.metadata.table_uuid,
            carried=TAG,
            parted=True,
        )

    @cached_property
    def _scan(self) -> RedoScan:
        steps, relations = self.steps, self.relations
        for snapshot_id in dict.fromkeys(end for step in steps for end in (step.start, step.end)):
            refuse_retyped(self.interval.metadata, snapshot_id)
        return plan_redo(
            relations.iceberg,
            self.interval,
            steps,
            StatementScratch(relations.scratch, self.resources),
            by_key=bool(self._key),
        )

    def _side(self, side: RedoSide) -> str | None:
        """Return a side of the scan, whose tag is the number of its version."""
        table, spark = self._scan.table, self.relations.iceberg.spark
        relation = self.relations.staged(table, side.tasks, self.resources)
        if side.newer and relation is not None:
            return newer(relation, TAG)
        if side.shared is None:
            return relation
        places = self.resources.create_view(spark.createDataFrame(side.shared.places))
        files = self.relations.staged(table, side.shared.tasks, self.resources) or ""
        return tagged(self._sides, relation, files, places, POSITION)


def _each_side(sides: Sides) -> list[str]:
    """Return both sides without a match."""
    each = (replace(sides, removed=None), replace(sides, added=None))
    return [one_side(one) for one in each if one.added is not None or one.removed is not None]
