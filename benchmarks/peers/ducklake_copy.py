"""DuckLake: a copy kept by `table_changes` and MERGE; who reads remembers the snapshot."""

from __future__ import annotations

import sys

from ducklake_feed import DuckLake
from upkeep import main


class DuckLakeCopy(DuckLake):
    """A table, and its copy beside it."""

    def __init__(self, catalog: str) -> None:
        super().__init__(catalog)
        self.name += ": table_changes and MERGE"

    def begin(self) -> None:
        self.run("CREATE TABLE copy AS FROM orders")
        columns = [row[0] for row in self.duck.sql("DESCRIBE orders").fetchall()]
        sets = ", ".join(f"{name} = s.{name}" for name in columns)
        values = ", ".join(f"s.{name}" for name in columns)
        changed = (
            "CREATE OR REPLACE TEMP TABLE s AS "
            "FROM lake.table_changes('orders', {start} + 1, {end}) "
            "WHERE change_type <> 'update_preimage' "
            "QUALIFY row_number() OVER (PARTITION BY o_orderkey ORDER BY snapshot_id DESC) = 1"
        )
        # a MERGE of DuckLake's may delete or update, and not both
        deleted = (
            "DELETE FROM copy WHERE o_orderkey IN "
            "(SELECT o_orderkey FROM s WHERE change_type = 'delete')"
        )
        merged = (
            "MERGE INTO copy c USING (FROM s WHERE change_type <> 'delete') s "
            f"ON c.o_orderkey = s.o_orderkey WHEN MATCHED THEN UPDATE SET {sets} "
            f"WHEN NOT MATCHED THEN INSERT ({', '.join(columns)}) VALUES ({values})"
        )
        self.statements = (changed, deleted, merged)
        self.snapshot = self.mark()

    def refresh(self) -> None:
        now = self.mark()
        self.duck.begin()
        for statement in self.statements:
            self.duck.execute(statement.format(start=self.snapshot, end=now))
        self.duck.commit()
        self.snapshot = now

    def differences(self) -> int:
        both = "(FROM orders EXCEPT ALL FROM copy) UNION ALL (FROM copy EXCEPT ALL FROM orders)"
        [(count,)] = self.duck.sql(f"SELECT count(*) FROM ({both})").fetchall()
        return int(count)


if __name__ == "__main__":
    main(DuckLakeCopy(sys.argv[3]), sys.argv[1], sys.argv[2])
