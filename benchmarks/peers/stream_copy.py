"""icemelt: a copy kept by a stream and MERGE."""

from __future__ import annotations

import sys

from icemelt_peer import Icemelt
from upkeep import main


class StreamCopy(Icemelt):
    """A copy, and a stream of the changes that it lacks."""

    name = "icemelt: stream and MERGE"

    def begin(self) -> None:
        self.session.sql("CREATE TABLE copy AS SELECT * FROM orders")
        self.session.sql("CREATE STREAM s ON TABLE orders")
        columns = [row[0] for row in self.session.sql("DESCRIBE TABLE orders").fetchall()]
        sets = ", ".join(f"{name} = s.{name}" for name in columns)
        values = ", ".join(f"s.{name}" for name in columns)
        self.merge = (
            "MERGE INTO copy c USING (SELECT * FROM s "
            "WHERE NOT (METADATA$ACTION = 'DELETE' AND METADATA$ISUPDATE)) s "
            "ON c.o_orderkey = s.o_orderkey "
            "WHEN MATCHED AND s.METADATA$ACTION = 'DELETE' THEN DELETE "
            f"WHEN MATCHED THEN UPDATE SET {sets} "
            f"WHEN NOT MATCHED THEN INSERT ({', '.join(columns)}) VALUES ({values})"
        )

    def refresh(self) -> None:
        self.session.sql(self.merge)

    def differences(self) -> int:
        both = (
            "(SELECT * FROM orders EXCEPT ALL SELECT * FROM copy) "
            "UNION ALL (SELECT * FROM copy EXCEPT ALL SELECT * FROM orders)"
        )
        return int(self.session.sql(f"SELECT count(*) FROM ({both})").fetchall()[0][0])


class FullRefresh(StreamCopy):
    """The same lake without a stream."""

    name = "INSERT OVERWRITE of the whole"

    def refresh(self) -> None:
        self.session.sql("INSERT OVERWRITE INTO copy SELECT * FROM orders")


if __name__ == "__main__":
    main({"stream": StreamCopy, "refresh": FullRefresh}[sys.argv[3]](), *sys.argv[1:3])
