"""Rows of Python as a relation that Spark has in its plan.

PySpark makes a job of a list of rows, whose tasks start Python: an executor may have none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from icemelt.engine.resources import StatementResources
from icemelt.quoting import quote
from icemelt.schema import Column, DataType, Primitive
from icemelt.spark_java import select_values

__all__ = ["frame_of_nothing", "frame_of_rows", "local_relation"]

_TYPES: Mapping[DataType, pa.DataType] = {
    Primitive("string"): pa.string(),
    Primitive("long"): pa.int64(),
    Primitive("boolean"): pa.bool_(),
    Primitive("timestamptz"): pa.timestamp("us", tz="UTC"),
}


def frame_of_rows(spark: SparkSession, schema: str, rows: Sequence[Sequence[object]]) -> DataFrame:
    """Return a data frame of rows.

    Args:
        spark: the session of the data frame.
        schema: the columns in Spark's DDL, of types that Arrow has.
        rows: a value for each column; a time is a `datetime`.

    >>> frame_of_rows(session.spark, "id BIGINT, name STRING", [(1, None)]).collect()
    [Row(id=1, name=None)]
    """
    typed = StructType.fromDDL(schema)
    assert isinstance(typed, StructType)  # noqa: S101 - of a list of columns
    return spark.createDataFrame(_table(to_arrow_schema(typed), rows), typed)


def frame_of_nothing(spark: SparkSession, columns: Mapping[str, str]) -> DataFrame:
    """Return a data frame without rows.

    Args:
        spark: the session of the data frame.
        columns: the names of the columns, and their types in Spark's SQL.

    >>> frame_of_nothing(session.spark, {"v": "VARIANT"})
    DataFrame[v: variant]
    """
    values = [f"CAST(NULL AS {kind}) AS {quote(name)}" for name, kind in columns.items()]
    return select_values(frame_of_rows(spark, "nothing BOOLEAN", []), *values)


def local_relation(
    resources: StatementResources, columns: Sequence[Column], rows: Iterable[Sequence[object]]
) -> str:
    """Return the quoted name of a relation with some rows.

    Args:
        resources: get the relation's view.
        columns: the columns: texts, numbers of 64 bits, booleans and times.
        rows: a value for each column; a time is a `datetime`, or microseconds since 1970.

    >>> from icemelt.engine.resources import StatementResources
    >>> resources = StatementResources(session._core.iceberg)
    >>> columns = (Column("id", Primitive("long")), Column("name", Primitive("string")))
    >>> relation = local_relation(resources, columns, [(1, None)])
    >>> session.spark.sql(f"SELECT * FROM {relation}").collect()
    [Row(id=1, name=None)]
    >>> resources.release()
    """
    table = _table(pa.schema([(column.name, _TYPES[column.type]) for column in columns]), rows)
    return quote(resources.create_view(resources.iceberg.spark.createDataFrame(table)))


def _table(schema: pa.Schema, rows: Iterable[Sequence[object]]) -> pa.Table:
    by_column = list(zip(*rows, strict=True)) or [()] * len(schema)
    arrays = [pa.array(values, field.type) for values, field in zip(by_column, schema, strict=True)]
    return pa.table(arrays, schema=schema)
