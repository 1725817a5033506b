"""icemelt: CHANGES (INFORMATION => DEFAULT) on a merge-on-read table."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from workload import main

import icemelt


class Icemelt:
    """An embedded lake in a temporary folder."""

    name = "icemelt"

    def __init__(self) -> None:
        self.session = icemelt.connect(tempfile.mkdtemp(), master="local[2]", memory="4g")
        self.versions = {"icemelt": icemelt.version(), "spark": self.session.spark.version}
        self.last = ""

    def load(self, parquet: str) -> None:
        rows = self.session.spark.read.parquet(parquet)
        columns = ", ".join(
            f"{field.name} {field.dataType.simpleString()}" for field in rows.schema.fields
        )
        self.session.sql(f"CREATE TABLE orders ({columns.replace('int', 'bigint')})")
        self._copy(parquet)

    def append(self, parquet: str) -> None:
        part = Path(parquet).parent / "append"
        self._copy(str(part))

    def run(self, statement: str) -> None:
        self.last = self.session.sql(statement.format(table="orders")).statement_id

    def mark(self) -> str:
        return self.last

    def read(self, start: str, end: str) -> int:
        frame = self.session.sql(
            "SELECT * FROM orders CHANGES (INFORMATION => DEFAULT) "
            f"AT (STATEMENT => '{start}') END (STATEMENT => '{end}')"
        ).to_spark()
        frame.write.format("noop").mode("overwrite").save()
        return 0

    def _copy(self, folder: str) -> None:
        self.last = self.session.sql(
            f"COPY INTO orders FROM '{folder}' FILE_FORMAT = (TYPE = PARQUET) "
            "MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE FORCE = TRUE"
        ).statement_id


if __name__ == "__main__":
    main(Icemelt(), sys.argv[1], sys.argv[2])
