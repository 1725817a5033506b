"""What a statement holds of Spark until it is done: staged scans and temporary views."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field

from pyspark.sql import DataFrame

from icemelt.tables.iceberg import Iceberg, clearing
from icemelt.tables.staging import Staged, release

__all__ = ["Lease"]


@dataclass(slots=True)
class Lease:
    """The staged scans and Spark's temporary views that a statement holds.

    `collects` says whether what is small may be run while the statement is planned.
    """

    iceberg: Iceberg
    collects: bool = True
    staged: list[Staged] = field(default_factory=list)
    views: list[str] = field(default_factory=list)

    def named(self, frame: DataFrame) -> str:
        """Make a temporary view of a data frame, which is analysed already; return its name."""
        name = f"icemelt_{uuid.uuid4().hex}"
        frame.createOrReplaceTempView(name)
        self.views.append(name)
        return name

    def take(self, other: Lease) -> None:
        """Hold what another holds, too."""
        self.staged += other.staged
        self.views += other.views

    def release(self) -> None:
        """Give them back; queries over them can no longer be run."""
        for staged in self.staged:
            release(self.iceberg, staged)
        self.staged.clear()
        with clearing():
            while self.views:
                self.iceberg.spark.catalog.dropTempView(self.views.pop())
