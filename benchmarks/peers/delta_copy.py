"""Delta Lake: a copy kept by the change data feed and MERGE; who reads remembers the version."""

from __future__ import annotations

import sys

from delta_feed import DeltaFeed
from upkeep import main


class DeltaCopy(DeltaFeed):
    """A Delta table, and its copy in a table beside it."""

    name = "Delta: change data feed and MERGE"

    def begin(self) -> None:
        self.copy = f"{self.place}-copy"
        rows = self.spark.read.format("delta").load(self.place)
        # nobody reads the changes of the copy
        rows.write.format("delta").option("delta.enableChangeDataFeed", "false").save(self.copy)
        self.version = self.mark()

    def refresh(self) -> None:
        now = self.mark()
        rows = self.changes(self.version, now).where("_change_type <> 'update_preimage'")
        rows.createOrReplaceTempView("s")
        columns = self.spark.read.format("delta").load(self.copy).columns
        sets = ", ".join(f"{name} = s.{name}" for name in columns)
        values = ", ".join(f"s.{name}" for name in columns)
        self.spark.sql(
            f"MERGE INTO delta.`{self.copy}` c USING s ON c.o_orderkey = s.o_orderkey "
            "WHEN MATCHED AND s._change_type = 'delete' THEN DELETE "
            f"WHEN MATCHED THEN UPDATE SET {sets} "
            f"WHEN NOT MATCHED THEN INSERT ({', '.join(columns)}) VALUES ({values})"
        ).collect()
        self.version = now

    def differences(self) -> int:
        ours, theirs = (self.spark.read.format("delta").load(p) for p in (self.place, self.copy))
        return ours.exceptAll(theirs).count() + theirs.exceptAll(ours).count()


if __name__ == "__main__":
    main(DeltaCopy(), sys.argv[1], sys.argv[2])
