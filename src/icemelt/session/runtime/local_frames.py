"""Rows of Python as a data frame, which Spark reads without a job of Python's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from icemelt.schema import Column, DataType, Primitive

__all__ = ["make_local_frame"]

_ARROW: Mapping[DataType, pa.DataType] = {
    Primitive("string"): pa.string(),
    Primitive("long"): pa.int64(),
    Primitive("timestamptz"): pa.timestamp("us", tz="UTC"),
}


def make_local_frame(
    spark: SparkSession, columns: Sequence[Column], rows: Sequence[tuple[Any, ...]]
) -> DataFrame:
    """Return a data frame of rows.

    Args:
        spark: the Spark session of the data frame.
        columns: the columns, strings, longs and instants.
        rows: the rows, each with a value for every column.

    >>> columns = (Column("id", Primitive("long")), Column("name", Primitive("string")))
    >>> make_local_frame(session.spark, columns, [(1, None)]).collect()
    [Row(id=1, name=None)]
    """
    schema = pa.schema([(column.name, _ARROW[column.type]) for column in columns])
    values = zip(*rows, strict=True) if rows else ([] for _ in columns)
    arrays = [pa.array(list(each), field.type) for each, field in zip(values, schema, strict=True)]
    return spark.createDataFrame(pa.Table.from_arrays(arrays, schema=schema))
