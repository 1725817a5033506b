"""Rows that Spark's optimizer has computed, read without a Spark job.

A job for one row of constants takes longer than everything else of a small statement.
"""

from __future__ import annotations

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import to_arrow_schema

from icemelt.spark_java import java_class, java_frame

__all__ = ["read_local_rows"]

_CLASS = "icemelt.spark.LocalRows"
# more would reach Python sooner from a job: py4j sends bytes as text
_MOST_ROWS, _MOST_BYTES = 1_000, 128 << 10


def read_local_rows(frame: DataFrame, most_bytes: int | None = None) -> pa.Table | None:
    """Return the rows of a query as `toArrow` does; None if the rows need a job, or are many.

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
    stream: bytes | None = java.read(java_frame(frame), _MOST_ROWS, most)
    if stream is None:
        return None
    schema = to_arrow_schema(frame.schema)
    if not stream:
        return schema.empty_table()
    with pa.ipc.open_stream(stream) as reader:
        return reader.read_all().cast(schema)
