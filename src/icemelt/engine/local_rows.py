"""Few rows, read without a Spark job: constants, and what a small query reads of small files.

A job for a few rows takes longer than everything else of a small statement. Spark's own plan for
one partition runs in the driver instead, in the thread that asks (ADR 32).
"""

from __future__ import annotations

import base64

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import to_arrow_schema

from icemelt.spark_java import java_class, java_frame

__all__ = ["cancel_driver_runs", "read_local_rows"]

_CLASS = "icemelt.spark.LocalRows"
_DRIVER_RUN = "icemelt.spark.DriverRun"
# more would reach Python sooner from a job: py4j sends bytes as text
_MOST_ROWS, _MOST_BYTES = 10_000, 1 << 20


def read_local_rows(frame: DataFrame, most_bytes: int | None = None) -> pa.Table | None:
    """Return the rows of a query as `toArrow` does; None if these need a job, or are many.

    Args:
        frame: the query, whose columns Arrow can store.
        most_bytes: how many bytes the rows may have in Arrow's format, None for no limit.

    >>> from icemelt.engine.start.launch import LaunchOptions, launch_spark
    >>> spark = launch_spark(LaunchOptions(master="local[1]"))
    >>> read_local_rows(spark.sql("SELECT 1 AS one")).to_pylist()
    [{'one': 1}]
    >>> read_local_rows(spark.range(3)) is None
    True
    """
    most = _MOST_BYTES if most_bytes is None else min(_MOST_BYTES, most_bytes)
    java = java_class(frame.sparkSession, _CLASS)
    stream: str | None = java.read(java_frame(frame), _MOST_ROWS, most)
    if stream is None:
        return None
    schema = to_arrow_schema(frame.schema)
    if not stream:
        return schema.empty_table()
    with pa.ipc.open_stream(base64.b64decode(stream)) as reader:
        return reader.read_all().cast(schema)


def cancel_driver_runs(spark: SparkSession, group: str) -> None:
    """End what a job group runs in the driver, as `cancelJobGroup` ends its jobs.

    Args:
        spark: any session of the application.
        group: the group, as of `setJobGroup`.
    """
    java_class(spark, _DRIVER_RUN).cancel(group)
