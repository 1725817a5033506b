"""Delta Lake's change data feed, which the writer stores beside the table."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import delta
from pyspark.sql import SparkSession
from workload import main


class DeltaFeed:
    """A Delta table in a temporary folder."""

    name = "Delta change data feed"

    def __init__(self) -> None:
        self.place = f"{tempfile.mkdtemp()}/orders"
        builder = (
            SparkSession.builder.master("local[2]")
            .config("spark.driver.memory", "4g")
            .config("spark.ui.enabled", "false")
            .config("spark.ui.showConsoleProgress", "false")
            .config("spark.sql.shuffle.partitions", "4")
            .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
            .config(
                "spark.sql.catalog.spark_catalog",
                "org.apache.spark.sql.delta.catalog.DeltaCatalog",
            )
            .config("spark.databricks.delta.properties.defaults.enableChangeDataFeed", "true")
        )
        self.spark = delta.configure_spark_with_delta_pip(builder).getOrCreate()
        self.spark.sparkContext.setLogLevel("ERROR")
        self.versions = {"delta": "4.4.0", "spark": self.spark.version}

    def load(self, parquet: str) -> None:
        self.spark.read.parquet(parquet).write.format("delta").save(self.place)

    def append(self, parquet: str) -> None:
        part = self.spark.read.parquet(str(Path(parquet).parent / "append"))
        part.write.format("delta").mode("append").save(self.place)

    def run(self, statement: str) -> None:
        self.spark.sql(statement.format(table=f"delta.`{self.place}`")).collect()

    def mark(self) -> int:
        return int(self.spark.sql(f"DESCRIBE HISTORY delta.`{self.place}` LIMIT 1").first()[0])

    def read(self, start: int, end: int) -> int:
        reader = self.spark.read.format("delta").option("readChangeFeed", "true")
        frame = reader.option("startingVersion", start + 1).option("endingVersion", end)
        frame.load(self.place).write.format("noop").mode("overwrite").save()
        return 0


if __name__ == "__main__":
    main(DeltaFeed(), sys.argv[1], sys.argv[2])
