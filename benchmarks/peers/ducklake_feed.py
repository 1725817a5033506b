"""DuckLake, in DuckDB: `table_changes`, and of its images the first and the last of each row.

Python gets no row: the changes go to a table in memory, where DuckDB's readers take them from.
"""

from __future__ import annotations

import importlib.metadata
import sys
import tempfile
from pathlib import Path
from types import ModuleType

import duckdb
import duckdb_extension_ducklake
import duckdb_extension_sqlite_scanner
from workload import CORES, MEMORY, main

__all__ = ["CATALOGS", "DuckLake"]

# what keeps the catalog, and the file of it
CATALOGS = {
    "SQLite": "ducklake:sqlite:{folder}/catalog.sqlite",
    "DuckDB": "ducklake:{folder}/catalog.ducklake",
}
# a row that was there at the start and is there at the end, both alike, has not changed
_NET = """
WITH images AS (FROM lake.table_changes('orders', {start} + 1, {end})),
ends AS (
  SELECT rowid,
    arg_min(change_type, place) IN ('delete', 'update_preimage') AS was,
    arg_max(change_type, place) IN ('insert', 'update_postimage') AS is,
    min(snapshot_id) AS first, max(snapshot_id) AS last
  FROM (SELECT *, (snapshot_id, change_type = 'update_postimage') AS place FROM images)
  GROUP BY rowid
),
old AS (SELECT i.* EXCLUDE (snapshot_id, change_type) FROM images i JOIN ends e USING (rowid)
  WHERE was AND snapshot_id = first AND change_type IN ('delete', 'update_preimage')),
new AS (SELECT i.* EXCLUDE (snapshot_id, change_type) FROM images i JOIN ends e USING (rowid)
  WHERE e.is AND snapshot_id = last AND change_type IN ('insert', 'update_postimage')),
same AS (SELECT rowid FROM (FROM old INTERSECT FROM new))
SELECT 'DELETE' AS action, * FROM old WHERE rowid NOT IN (FROM same)
UNION ALL SELECT 'INSERT', * FROM new WHERE rowid NOT IN (FROM same)
"""


class DuckLake:
    """A DuckLake in a temporary folder, with its catalog in a database of a kind."""

    def __init__(self, catalog: str, inlined: int = 0) -> None:
        folder = tempfile.mkdtemp()
        self.name = f"DuckLake, catalog in {catalog}"
        config: dict[str, str | bool | int | float | list[str]] = {
            "threads": CORES,
            "memory_limit": f"{MEMORY}B",
        }
        self.duck = duckdb.connect(config=config)
        for module in (duckdb_extension_sqlite_scanner, duckdb_extension_ducklake):
            self.duck.execute(f"LOAD '{_extension(module)}'")
        place = CATALOGS[catalog].format(folder=folder)
        self.duck.execute(
            f"ATTACH '{place}' AS lake "
            f"(DATA_PATH '{folder}/data/', DATA_INLINING_ROW_LIMIT {inlined})"
        )
        self.duck.execute("USE lake")
        version = importlib.metadata.version("duckdb-extension-ducklake")
        self.versions = {"duckdb": duckdb.__version__, "ducklake": version}

    def load(self, parquet: str) -> None:
        self.run(f"CREATE TABLE orders AS FROM '{parquet}/*.parquet'")

    def append(self, parquet: str) -> None:
        self.run(f"INSERT INTO orders FROM '{parquet}/*.parquet'")

    def run(self, statement: str) -> None:
        self.duck.execute(statement.format(table="orders"))

    def mark(self) -> int:
        [(newest,)] = self.duck.sql("SELECT max(snapshot_id) FROM lake.snapshots()").fetchall()
        return int(newest)

    def count_changes(self, start: int, end: int) -> int:
        query = _NET.format(start=start, end=end)
        [(count,)] = self.duck.sql(f"SELECT count(*) FROM ({query})").fetchall()
        return int(count)

    def read_changes(self, start: int, end: int) -> None:
        query = _NET.format(start=start, end=end)
        self.duck.execute(f"CREATE OR REPLACE TEMP TABLE changes AS {query}")


def _extension(module: ModuleType) -> Path:
    """Return the file of an extension that a package brings along."""
    return next(Path(str(module.__file__)).parent.rglob("*.duckdb_extension"))


if __name__ == "__main__":
    main(DuckLake(sys.argv[3]), sys.argv[1], sys.argv[2])
