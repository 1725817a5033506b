"""Delta Lake's change data feed, which the writer stores beside the table."""

from __future__ import annotations

import importlib.metadata
import sys
import tempfile

import delta
from pyspark.sql import DataFrame, SparkSession
from workload import CONF, MASTER, MEMORY, main


class DeltaFeed:
    """A Delta table in a temporary folder."""

    name = "Delta change data feed"

    def __init__(self) -> None:
        self.place = f"{tempfile.mkdtemp()}/orders"
        conf = {
            **CONF,
            "spark.driver.memory": MEMORY,
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
            "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
            "spark.databricks.delta.properties.defaults.enableChangeDataFeed": "true",
            "spark.databricks.delta.properties.defaults.enableDeletionVectors": "true",
        }
        builder = SparkSession.builder.master(MASTER).config(map=conf)
        self.spark = delta.configure_spark_with_delta_pip(builder).getOrCreate()
        self.spark.sparkContext.setLogLevel("ERROR")
        version = importlib.metadata.version("delta-spark")
        self.versions = {"delta-spark": version, "spark": self.spark.version}

    def load(self, parquet: str) -> None:
        self.spark.read.parquet(parquet).write.format("delta").save(self.place)

    def append(self, parquet: str) -> None:
        self.spark.read.parquet(parquet).write.format("delta").mode("append").save(self.place)

    def run(self, statement: str) -> None:
        self.spark.sql(statement.format(table=f"delta.`{self.place}`")).collect()

    def mark(self) -> int:
        return int(self.spark.sql(f"DESCRIBE HISTORY delta.`{self.place}` LIMIT 1").first()[0])

    def changes(self, start: int, end: int) -> DataFrame:
        reader = self.spark.read.format("delta").option("readChangeFeed", "true")
        reader = reader.option("startingVersion", start + 1).option("endingVersion", end)
        return reader.load(self.place)


if __name__ == "__main__":
    main(DeltaFeed(), sys.argv[1], sys.argv[2])
