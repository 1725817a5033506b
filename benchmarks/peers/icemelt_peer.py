"""icemelt: CHANGES (INFORMATION => DEFAULT) on a merge-on-read table."""

from __future__ import annotations

import sys
import tempfile

from pyspark.sql import DataFrame
from workload import CONF, MASTER, MEMORY, SparkChanges, main

import icemelt

__all__ = ["Icemelt"]


class Icemelt(SparkChanges):
    """An embedded lake in a temporary folder."""

    name = "icemelt"

    def __init__(self) -> None:
        self.session = icemelt.connect(tempfile.mkdtemp(), master=MASTER, memory=MEMORY, conf=CONF)
        self.versions = {"icemelt": icemelt.version(), "spark": self.session.spark.version}
        self.last = ""

    def load(self, parquet: str) -> None:
        rows = self.session.spark.read.parquet(parquet)
        columns = ", ".join(
            f"{field.name} {field.dataType.simpleString()}" for field in rows.schema.fields
        )
        self.session.sql(f"CREATE TABLE orders ({columns})")
        self.append(parquet)

    def append(self, parquet: str) -> None:
        self.last = self.session.sql(
            f"COPY INTO orders FROM '{parquet}' FILE_FORMAT = (TYPE = PARQUET) "
            "MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE"
        ).statement_id

    def run(self, statement: str) -> None:
        self.last = self.session.sql(statement.format(table="orders")).statement_id

    def mark(self) -> str:
        return self.last

    def changes(self, start: str, end: str) -> DataFrame:
        return self.session.sql(
            "SELECT * FROM orders CHANGES (INFORMATION => DEFAULT) "
            f"AT (STATEMENT => '{start}') END (STATEMENT => '{end}')"
        ).to_spark()


if __name__ == "__main__":
    main(Icemelt(), sys.argv[1], sys.argv[2])
