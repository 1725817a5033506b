"""Tables as sources: their versions are commits, their changes come from change scans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from icemelt.algebra.nodes import Pin
from icemelt.catalog.records import TableRecord
from icemelt.engine.change_plans import ChangePlan
from icemelt.engine.resources import StatementResources
from icemelt.schema import Column
from icemelt.session.runtime.core import Core
from icemelt.session.sources.source import SourceRead
from icemelt.session.timeline.points import TableInterval, Timeline
from icemelt.session.timeline.redo import redone, redone_since_empty
from icemelt.sql.statements import Changes, Point
from icemelt.tables.metadata.document import TableMetadata

__all__ = ["TableSource"]


@dataclass(frozen=True, slots=True)
class TableSource:
    """A table, as a statement reads it.

    Args:
        timeline: the points of the statement.
        table: the table as the statement sees it.
    """

    timeline: Timeline
    table: TableRecord

    @property
    def columns(self) -> Sequence[Column]:
        """The columns of today."""
        return self._metadata.columns

    def relation_at(self, point: Point | None) -> str:
        """Return the relation of the rows at a point; None for the moment of the statement."""
        commit = None if point is None else self.timeline.place([self.table], point)[0]
        return self.relation_at_commit(commit)

    def relation_at_commit(self, commit: int | None) -> str:
        """Return the relation of the rows at a commit number; None for now."""
        return self._core.relations.read_snapshot(*self._snapshot(commit))

    def relation_with_identity(self, commit: int | None) -> str | None:
        """Return the rows at a commit number with their identity; None if rows have no identity."""
        relations, place = self._core.relations, self._snapshot(commit)
        if not relations.has_identity(*place):
            return None
        return relations.read_snapshot_with_identity(*place)

    def require_states(self) -> None:
        """Do nothing: a table always has states to compare."""

    def ends(self, changes: Changes) -> tuple[int, int]:
        """Return the commit numbers `(start, end]` that CHANGES asks for."""
        return self.timeline.ends([self.table], changes)

    def between(self, commits: tuple[int, int], *, whole: bool = False) -> TableChanges:
        """Return the table between two commit numbers."""
        interval = self.timeline.between(self.table, self._metadata, commits, whole=whole)
        return TableChanges(self._core, self.table, interval)

    @property
    def _core(self) -> Core:
        return self.timeline.core

    @property
    def _metadata(self) -> TableMetadata:
        return self._core.metadata(self._core.pinned(self.table))

    def _snapshot(self, commit: int | None) -> tuple[TableMetadata, int | None]:
        """Return the table's metadata and snapshot id at a commit number; of now if None."""
        if commit is None:
            metadata = self._core.metadata(self.table)
            return metadata, metadata.current_snapshot_id
        metadata, version = self.timeline.version(self.table, self._metadata, commit)
        return metadata, version.snapshot_id


@dataclass(frozen=True, slots=True)
class TableChanges:
    """A table between two commits.

    Args:
        core: the session's parts.
        table: the table.
        interval: its versions at the ends, and between.
    """

    core: Core
    table: TableRecord
    interval: TableInterval

    @property
    def versions(self) -> Mapping[str, int]:
        """The version at the end, by the table's id."""
        return {self.table.object_id: self.interval.end.version}

    def changes(
        self, resources: StatementResources, *, append_only: bool = False, carried: str = ""
    ) -> SourceRead:
        """Return the min-delta between the ends, or only the rows that were inserted."""
        relations, interval = self.core.relations, self.interval
        if not append_only:
            return SourceRead(
                *relations.read_min_delta(interval.scanned, resources, carried=carried)
            )
        appended = relations.read_appends(
            interval.metadata,
            interval.inserting,
            resources,
            foreign=interval.foreign,
            carried=carried,
        )
        return SourceRead(*appended)

    def inserts(self, pin: Pin, _resources: StatementResources, *, carried: str = "") -> str:
        """Return all rows at one end as inserts."""
        interval = self.interval
        end = interval.start if pin is Pin.OLD else interval.end
        return self.core.relations.read_as_inserts(
            interval.metadata, end.snapshot_id, carried=carried
        )

    def redo_log(
        self, resources: StatementResources, *, initial: bool = False, raw: bool = False
    ) -> SourceRead:
        """Return the changes of every version in the interval, with the version and the time."""
        if initial:
            return SourceRead(*redone_since_empty(self.core, self.table, self.interval, resources))
        return SourceRead(*redone(self.core, self.table, self.interval, resources, raw=raw))

    def known_by_values(self, log: SourceRead, _resources: StatementResources) -> str | None:
        """Return why rows of a redo log are known by their values alone; None where none are."""
        plan = log.plan
        if isinstance(plan, ChangePlan) and plan.identity == "VALUES":
            return plan.reason
        return None
