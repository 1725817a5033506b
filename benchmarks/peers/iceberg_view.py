"""Iceberg's own `create_changelog_view`; it throws on delete files, so the table is copy-on-write.

The view computes updates by the table's key.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from pyspark.sql import DataFrame
from workload import main

from icemelt.engine.launch import LaunchOptions, launch

TABLE = "ice.db.orders"


class IcebergView:
    """An Iceberg Hadoop catalog in a temporary folder."""

    name = "Iceberg create_changelog_view"

    def __init__(self) -> None:
        place = tempfile.mkdtemp()
        prefix = "spark.sql.catalog.ice"
        conf = {
            prefix: "org.apache.iceberg.spark.SparkCatalog",
            f"{prefix}.type": "hadoop",
            f"{prefix}.warehouse": place,
        }
        self.spark = launch(LaunchOptions(master="local[2]", memory="4g", conf=conf))
        self.versions = {"iceberg": "1.12.0", "spark": self.spark.version}

    def load(self, parquet: str) -> None:
        writer = (
            self.spark.read.parquet(parquet).writeTo(TABLE).tableProperty("format-version", "3")
        )
        writer.create()

    def append(self, parquet: str) -> None:
        self.spark.read.parquet(str(Path(parquet).parent / "append")).writeTo(TABLE).append()

    def run(self, statement: str) -> None:
        self.spark.sql(statement.format(table=TABLE)).collect()

    def mark(self) -> int:
        rows = self.spark.sql(
            f"SELECT snapshot_id FROM {TABLE}.snapshots ORDER BY committed_at DESC"
        )
        return int(rows.first()[0])

    def read(self, start: int, end: int) -> int:
        view = self.spark.sql(
            "CALL ice.system.create_changelog_view(table => 'db.orders', options => map("
            f"'start-snapshot-id', '{start}', 'end-snapshot-id', '{end}'), net_changes => true)"
        ).first()[0]
        frame: DataFrame = self.spark.table(view)
        frame.write.format("noop").mode("overwrite").save()
        return 0


if __name__ == "__main__":
    main(IcebergView(), sys.argv[1], sys.argv[2])
