"""Recomputing: both states of the table in full, and their difference by EXCEPT ALL, both ways."""

from __future__ import annotations

import sys

from icemelt_peer import Icemelt
from pyspark.sql import DataFrame
from workload import main


class Recompute(Icemelt):
    """The same lake, asked without CHANGES."""

    name = "EXCEPT ALL of both states"

    def changes(self, start: str, end: str) -> DataFrame:
        states = {
            point: f"SELECT * FROM orders AT (STATEMENT => '{point}')" for point in (start, end)
        }
        return self.session.sql(
            f"SELECT *, 'INSERT' AS action FROM ({states[end]} EXCEPT ALL {states[start]}) "
            "UNION ALL "
            f"SELECT *, 'DELETE' AS action FROM ({states[start]} EXCEPT ALL {states[end]})"
        ).to_spark()


if __name__ == "__main__":
    main(Recompute(), sys.argv[1], sys.argv[2])
