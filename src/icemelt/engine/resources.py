"""Resources of a statement, held until the end: staged scans, temporary views and files."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass, field

from pyspark.sql import DataFrame

from icemelt.engine.scratch import ScratchFolder
from icemelt.spark_java import drop_plans, name_part, name_plan
from icemelt.storage.local import remove_if_local
from icemelt.tables.iceberg import Iceberg, clearing
from icemelt.tables.scans.staging import StagedScan, release

__all__ = ["KeptRows", "StatementResources", "StatementScratch"]


@dataclass(frozen=True, slots=True)
class KeptRows:
    """A relation whose rows Spark computes once for several readers.

    Args:
        plan: the data frame that computes the rows.
        drop: drops the rows.
    """

    plan: DataFrame
    drop: Callable[[], None]


@dataclass(slots=True)
class StatementResources:
    """The staged scans, Spark's temporary views and the scratch files of a statement.

    `collects` says whether small relations may be run while the statement is planned. `checks` are
    asked once the rows were read: each raises an error where a file that was read has changed.
    `kept` are relations whose rows Spark keeps for several readers.
    """

    iceberg: Iceberg
    collects: bool = True
    staged: list[StagedScan] = field(default_factory=list)
    views: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    checks: list[Callable[[], None]] = field(default_factory=list)
    kept: list[KeptRows] = field(default_factory=list)

    def validate_read(self) -> None:
        """Require, after a statement has read its rows, that what it read has stayed the same."""
        for check in self.checks:
            check()

    def create_view(self, frame: DataFrame) -> str:
        """Create a temporary view of an analysed data frame; return the view's name."""
        name = f"icemelt_{uuid.uuid4().hex}"
        name_plan(frame, name)
        self.views.append(name)
        return name

    def create_part(self, frame: DataFrame) -> str:
        """Name a part of a large relation, analysed; return the name, for texts of other parts."""
        name = f"icemelt_{uuid.uuid4().hex}"
        name_part(frame, name)
        self.views.append(name)
        return name

    def adopt(self, other: StatementResources) -> None:
        """Take over the resources of another statement, and release all together."""
        self.staged += other.staged
        self.views += other.views
        self.files += other.files
        self.checks += other.checks
        self.kept += other.kept

    def release(self) -> None:
        """Release all resources; queries over the resources can no longer run."""
        for staged in self.staged:
            release(self.iceberg, staged)
        self.staged.clear()
        with clearing():
            drop_plans(self.iceberg.spark, self.views)
            self.views.clear()
            while self.kept:
                self.kept.pop().drop()
        while self.files:
            remove_if_local(self.files.pop())


@dataclass(frozen=True, slots=True)
class StatementScratch:
    """A scratch folder whose new files belong to a statement's resources."""

    scratch: ScratchFolder
    resources: StatementResources

    def new_file(self, suffix: str) -> str:
        """Return a fresh location."""
        location = self.scratch.new_file(suffix)
        self.resources.files.append(location)
        return location
