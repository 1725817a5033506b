"""Iceberg's own `create_changelog_view`; it throws on delete files, so the table is copy-on-write.

The view gives net changes; those it cannot also mark as updates, as the others do.
"""

from __future__ import annotations

import sys
import tempfile

from pyspark.sql import DataFrame
from workload import CONF, MASTER, MEMORY, SparkChanges, main

from icemelt.engine.start.jars import ICEBERG
from icemelt.engine.start.launch import LaunchOptions, launch_spark

TABLE = "ice.db.orders"


class IcebergView(SparkChanges):
    """An Iceberg Hadoop catalog in a temporary folder."""

    name = "Iceberg create_changelog_view"

    def __init__(self) -> None:
        prefix = "spark.sql.catalog.ice"
        conf = {
            **CONF,
            prefix: "org.apache.iceberg.spark.SparkCatalog",
            f"{prefix}.type": "hadoop",
            f"{prefix}.warehouse": tempfile.mkdtemp(),
        }
        self.spark = launch_spark(LaunchOptions(master=MASTER, memory=MEMORY, conf=conf))
        self.versions = {"iceberg": ICEBERG.version, "spark": self.spark.version}

    def load(self, parquet: str) -> None:
        writer = self.spark.read.parquet(parquet).writeTo(TABLE)
        writer.tableProperty("format-version", "3").create()

    def append(self, parquet: str) -> None:
        self.spark.read.parquet(parquet).writeTo(TABLE).append()

    def run(self, statement: str) -> None:
        self.spark.sql(statement.format(table=TABLE)).collect()

    def mark(self) -> int:
        rows = self.spark.sql(
            f"SELECT snapshot_id FROM {TABLE}.snapshots ORDER BY committed_at DESC"
        )
        return int(rows.first()[0])

    def changes(self, start: int, end: int) -> DataFrame:
        view = self.spark.sql(
            "CALL ice.system.create_changelog_view(table => 'db.orders', options => map("
            f"'start-snapshot-id', '{start}', 'end-snapshot-id', '{end}'), "
            "net_changes => true)"
        ).first()[0]
        return self.spark.table(view)


if __name__ == "__main__":
    main(IcebergView(), sys.argv[1], sys.argv[2])
