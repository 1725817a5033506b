"""Delta Lake's change data feed, which the writer stores beside the table."""

from __future__ import annotations

import importlib.metadata
import sys
import tempfile

import delta
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name PySpark users know
from workload import CONF, MASTER, MEMORY, SparkChanges, main


class DeltaFeed(SparkChanges):
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


class MinDelta(DeltaFeed):
    """The same feed, of whose images the first and the last of each order are taken.

    The feed has every image on the way, also of rows that are again what they were: a consumer that
    merges changes has to take the last, and icemelt, DuckLake and Iceberg's view here give that.
    """

    name = "Delta change data feed, net changes"

    def changes(self, start: int, end: int) -> DataFrame:
        feed = super().changes(start, end)
        names = [name for name in feed.columns if not name.startswith("_")]
        kind, after = F.col("_change_type"), F.struct(*names)
        # the image before an update comes before the one behind it
        place = F.struct("_commit_version", kind.isin("insert", "update_postimage"))
        ends = feed.groupBy("o_orderkey").agg(
            F.min_by(kind, place).alias("first_kind"),
            F.min_by(after, place).alias("before"),
            F.max_by(kind, place).alias("last_kind"),
            F.max_by(after, place).alias("after"),
        )
        was = F.col("first_kind").isin("delete", "update_preimage")
        is_ = F.col("last_kind").isin("insert", "update_postimage")
        changed = ~(was & is_ & F.col("before").eqNullSafe(F.col("after")))
        images = F.array(
            F.struct(
                was.alias("shown"), F.lit("DELETE").alias("action"), F.col("before").alias("row")
            ),
            F.struct(
                is_.alias("shown"), F.lit("INSERT").alias("action"), F.col("after").alias("row")
            ),
        )
        shown = ends.where(changed).select(F.inline(images)).where("shown")
        return shown.select("action", "row.*")


if __name__ == "__main__":
    main({"feed": DeltaFeed, "net": MinDelta}[sys.argv[3]](), *sys.argv[1:3])
