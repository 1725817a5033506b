"""Rows given to a transaction as data frames: of Spark, of pandas, or in Arrow."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from icemelt.errors import QueryError

__all__ = ["spark_frame_of"]

_HINT = 'session.spark.createDataFrame(rows, "id INT, name STRING") makes a data frame.'


def spark_frame_of(spark: SparkSession, rows: Any) -> DataFrame:
    """Return rows as a data frame of Spark.

    Args:
        spark: the session of the data frame.
        rows: a data frame of Spark or pandas, or a table or batch of Arrow. A named index of a
            pandas data frame is a column, too.

    Raises:
        QueryError: the rows are anything else, or have values of no type that Spark has.

    >>> spark_frame_of(session.spark, pa.table({"id": [1]})).collect()
    [Row(id=1)]
    """
    if isinstance(rows, DataFrame):
        return rows
    if type(rows).__module__.partition(".")[0] == "pandas" and hasattr(rows, "columns"):
        rows = _table_of_pandas(rows)
    if isinstance(rows, pa.RecordBatch):
        rows = pa.Table.from_batches([rows])
    if not isinstance(rows, pa.Table):
        raise QueryError(
            "Rows are a data frame of Spark or pandas, or an Arrow table, found "
            f"{type(rows).__name__}.",
            hint=_HINT,
        )
    try:
        # else Spark would read times without a zone in the session's
        schema = from_arrow_schema(rows.schema, prefer_timestamp_ntz=True)
        return spark.createDataFrame(rows, schema)
    except (PySparkException, pa.ArrowException) as error:
        raise QueryError(f"Spark has no type for these rows: {error}", hint=_HINT) from error


def _table_of_pandas(frame: Any) -> pa.Table:
    if any(name is not None and name not in frame.columns for name in frame.index.names):
        frame = frame.reset_index()
    try:
        return pa.Table.from_pandas(frame, preserve_index=False)
    except pa.ArrowException as error:
        raise QueryError(
            f"A column of the data frame has values of several types: {error}", hint=_HINT
        ) from error
