"""What a statement holds until it is done: staged scans, temporary views and files."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field

from pyspark.sql import DataFrame

from icemelt.engine.scratch import ScratchFolder, remove
from icemelt.tables.iceberg import Iceberg, clearing
from icemelt.tables.scans.staging import StagedScan, release

__all__ = ["StatementResources", "StatementScratch"]


@dataclass(slots=True)
class StatementResources:
    """The staged scans, Spark's temporary views and the scratch files that a statement holds.

    `collects` says whether what is small may be run while the statement is planned.
    """

    iceberg: Iceberg
    collects: bool = True
    staged: list[StagedScan] = field(default_factory=list)
    views: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)

    def create_view(self, frame: DataFrame) -> str:
        """Make a temporary view of a data frame, which is analysed already; return its name."""
        name = f"icemelt_{uuid.uuid4().hex}"
        frame.createOrReplaceTempView(name)
        self.views.append(name)
        return name

    def adopt(self, other: StatementResources) -> None:
        """Release what another statement holds together with the own resources."""
        self.staged += other.staged
        self.views += other.views
        self.files += other.files

    def release(self) -> None:
        """Give all resources back; queries over them can no longer be run."""
        for staged in self.staged:
            release(self.iceberg, staged)
        self.staged.clear()
        with clearing():
            while self.views:
                self.iceberg.spark.catalog.dropTempView(self.views.pop())
        while self.files:
            remove(self.files.pop())


@dataclass(frozen=True, slots=True)
class StatementScratch:
    """A scratch folder whose new files are released with a statement's resources."""

    scratch: ScratchFolder
    resources: StatementResources

    def new_file(self, suffix: str) -> str:
        """Return a fresh location."""
        location = self.scratch.new_file(suffix)
        self.resources.files.append(location)
        return location
