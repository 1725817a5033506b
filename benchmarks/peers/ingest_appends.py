"""Batches of rows, each of them a commit: by icemelt's channels, by Spark, by delta-rs."""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import deltalake
import pyarrow as pa
from ingest_rows import COLUMNS, rows

import icemelt

_SIZES = (1_000, 10_000, 100_000)
_TIMES, _WARM_UP = 15, 4


def main(out: str) -> None:
    """Write the seconds of a commit for each way and size."""
    folder = Path(tempfile.mkdtemp(dir=Path(out).parent))
    figures = []
    with icemelt.connect(folder / "lake", master="local[2]", memory="2g") as session:
        session.sql(f"CREATE TABLE t ({COLUMNS})")
        with session.ingest_client(max_client_lag=600) as client:
            channel, _ = client.open_channel("c", "main", "public", "t")

            def ingest(table: pa.Table) -> None:
                channel.append_rows(table)
                channel.wait_for_flush()

            figures.append(measured("icemelt: a channel", ingest))
        figures.append(measured("Spark: writeTo().append()", spark_append(session, folder)))
    path = str(folder / "delta")

    def append(table: pa.Table) -> None:
        deltalake.write_deltalake(path, table, mode="append")

    figures.append(measured(f"delta-rs {version('deltalake')}", append))
    Path(out).write_text(json.dumps(figures))


def spark_append(session: icemelt.Session, folder: Path) -> Callable[[pa.Table], None]:
    """Return what appends a batch to a plain Iceberg table by Spark."""
    spark = session.spark.newSession()
    spark.conf.set("spark.sql.catalog.plain", "org.apache.iceberg.spark.SparkCatalog")
    spark.conf.set("spark.sql.catalog.plain.type", "hadoop")
    spark.conf.set("spark.sql.catalog.plain.warehouse", str(folder / "plain"))
    spark.conf.set("spark.sql.catalog.plain.cache-enabled", "false")
    table = rows(1)
    spark.createDataFrame(table).writeTo("plain.public.t").tableProperty(
        "format-version", "3"
    ).create()
    return lambda table: spark.createDataFrame(table).coalesce(1).writeTo("plain.public.t").append()


def measured(name: str, append: Callable[[pa.Table], None]) -> dict[str, object]:
    """Return the median seconds of a commit of each size."""
    found: dict[str, object] = {"": name}
    for size in _SIZES:
        times = []
        for number in range(_TIMES):
            table = rows(size, number * size)
            began = time.perf_counter()
            append(table)
            times.append(time.perf_counter() - began)
        found[f"{size:,} rows, ms"] = round(1000 * statistics.median(times[_WARM_UP:]), 1)
    return found


if __name__ == "__main__":
    main(sys.argv[2])
