"""Collect the rows of a query from Spark's tasks into Python, through Arrow."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.errors.exceptions.captured import unwrap_spark_exception
from pyspark.serializers import FramedSerializer
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name PySpark users know
from pyspark.sql import types as spark_types
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
from pyspark.util import _load_from_socket

from icemelt.engine.local_rows import read_local_rows
from icemelt.engine.vitals import memory_of
from icemelt.errors import NotYet
from icemelt.spark_java import (
    SESSION_SETTINGS,
    java_class,
    java_context,
    java_frame,
    java_session,
    java_vm,
)

__all__ = [
    "PartitionedRows",
    "arrow_schema",
    "collect",
    "find_byte_limit",
    "is_deterministic",
    "restore_frame",
    "show_in_zone",
]

_DEFAULT_BYTE_LIMIT = 256 << 20
# most results have fewer batches: one Spark job collects them
_FIRST_BATCHES = 16

# Arrow reads a void value as NULL, even where Spark's type forbids NULL: the elements of ARRAY()
_TYPES_TO_CAST = ("struct<", "void")


def collect(frame: DataFrame, most_bytes: int | None = None) -> pa.Table:
    """Collect the rows of a query as an Arrow table; names may repeat, VARIANT becomes JSON text.

    Args:
        frame: the query.
        most_bytes: how many bytes the rows may have in Arrow's format, None for no limit.

    Raises:
        NotYet: the rows have more than `most_bytes`.
    """
    names, frame = frame.columns, _for_arrow(frame)
    rows = read_local_rows(frame, most_bytes)
    if rows is None:
        rows = frame.toArrow() if most_bytes is None else _collect_within(frame, most_bytes)
    return rows.rename_columns(names)


class PartitionedRows:
    """The rows of a query in parts, a part for each of Spark's partitions, to take a few at a time.

    Creating a `PartitionedRows` runs all stages of the query but the last.
    """

    def __init__(self, frame: DataFrame) -> None:
        self._schema = arrow_schema(frame)
        self._spark = frame.sparkSession
        with _in_settings_of(self._spark):
            self._batches = java_frame(_for_arrow(frame)).toArrowBatchRdd().toJavaRDD()
            self.count: int = self._batches.getNumPartitions()

    def take(self, first: int, count: int) -> pa.Table:
        """Run the tasks of `count` parts, beginning with part `first`, and return their rows."""
        partitions = list(range(first, min(first + count, self.count)))
        java: Any = java_vm(self._spark)
        with _in_settings_of(self._spark):
            context = java_context(self._spark)
            port, secret, server = java.PythonRDD.runJob(context, self._batches, partitions)
            parts = list(_load_from_socket((port, secret), _Bytes()))
            server.getResult()
        return _table(parts, self._schema)


def arrow_schema(frame: DataFrame) -> pa.Schema:
    """Return the Arrow schema of a query's collected rows.

    >>> arrow_schema(session.sql("SELECT PARSE_JSON('[1]') AS v").to_spark()).types
    [DataType(string)]
    """
    schema = to_arrow_schema(_for_arrow(frame).schema)
    fields = zip(schema, frame.columns, strict=True)
    return pa.schema([field.with_name(name) for field, name in fields])


def restore_frame(
    spark: SparkSession, table: pa.Table, schema: spark_types.StructType
) -> DataFrame:
    """Return collected rows as a data frame with the types of the query.

    Args:
        spark: the Spark session of the data frame.
        table: the collected rows.
        schema: the schema of the query.

    >>> frame = session.sql("SELECT PARSE_JSON('[1]') AS v, 1 AS v").to_spark()
    >>> restore_frame(session.spark, collect(frame), frame.schema).dtypes
    [('v', 'variant'), ('v', 'int')]
    """
    numbered = [f"c{index}" for index in range(len(schema))]
    table = table.rename_columns(numbered)
    # else Spark would read times without a zone in the session's
    arrow_types = from_arrow_schema(table.schema, prefer_timestamp_ntz=True)
    frame = spark.createDataFrame(table, arrow_types)
    named = zip(numbered, schema.fields, strict=True)
    return frame.select(
        *(_restore_expression(name, field).alias(field.name) for name, field in named)
    )


def find_byte_limit(spark: SparkSession, wanted: int | None) -> int:
    """Return how many bytes a result may have: `wanted`, but at most an eighth of Java's memory.

    Java holds a result several times while it is collected. None asks for the usual 256 MiB.

    >>> find_byte_limit(session.spark, 1 << 20)
    1048576
    >>> find_byte_limit(session.spark, None) <= 256 << 20
    True
    """
    return min(wanted or _DEFAULT_BYTE_LIMIT, memory_of(spark) // 8)


def is_deterministic(frame: DataFrame) -> bool:
    """Tell whether each run of a query gives the same rows: no function of it is volatile.

    >>> is_deterministic(session.sql("SELECT UUID_STRING() AS id").to_spark())
    False
    """
    return bool(java_frame(frame).queryExecution().analyzed().deterministic())


def show_in_zone(table: pa.Table, zone: str) -> pa.Table:
    """Return a table with its instants shown in a time zone; the instants stay the same."""
    types = [_set_zone(field.type, zone) for field in table.schema]
    if types == table.schema.types:
        return table
    typed = zip(table.schema, types, strict=True)
    fields = [field.with_type(data_type) for field, data_type in typed]
    return table.cast(pa.schema(fields))


def _set_zone(data_type: pa.DataType, zone: str) -> pa.DataType:
    """Return a type whose timestamps with a time zone have another zone, also in nested types."""
    if pa.types.is_timestamp(data_type) and data_type.tz is not None:
        return pa.timestamp(data_type.unit, zone)
    if pa.types.is_list(data_type):
        field = data_type.value_field
        return pa.list_(field.with_type(_set_zone(field.type, zone)))
    if pa.types.is_struct(data_type):
        return pa.struct([field.with_type(_set_zone(field.type, zone)) for field in data_type])
    if pa.types.is_map(data_type):
        key, item = data_type.key_field, data_type.item_field
        zoned = (field.with_type(_set_zone(field.type, zone)) for field in (key, item))
        return pa.map_(*zoned)
    return data_type


def _collect_within(frame: DataFrame, most_bytes: int) -> pa.Table:
    """Collect all Arrow batches of a query, the first batches first.

    The size of the collected batches tells how many batches to ask for next. A further request does
    not run a shuffle again: Spark keeps the files of the shuffle.

    Raises:
        NotYet: the batches collected so far have more than `most_bytes`.
    """
    with _in_settings_of(frame.sparkSession):
        batches = java_frame(frame).toArrowBatchRdd().toJavaRDD()
        wanted, taken = 0, _CollectedBatches(0, [])
        while taken.count == wanted:
            wanted = max(_FIRST_BATCHES, wanted + 1, _estimate_batches(taken, most_bytes))
            taken = _take_batches(frame.sparkSession, batches, wanted)
            if taken.size > most_bytes:
                raise _too_large(most_bytes)
    return _table(taken.parts, to_arrow_schema(frame.schema))


def _for_arrow(frame: DataFrame) -> DataFrame:
    """Return a query with columns that Arrow can store, numbered where names repeat."""
    names, fields = frame.columns, frame.schema.fields
    numbered = [f"c{index}" for index in range(len(names))]
    shown = [_arrow_expression(*pair) for pair in zip(numbered, fields, strict=True)]
    if len(set(names)) == len(names) and all(column is None for column in shown):
        return frame
    return frame.toDF(*numbered).select(
        *(
            F.col(name) if column is None else column.alias(name)
            for name, column in zip(numbered, shown, strict=True)
        )
    )


def _table(parts: list[bytes], schema: pa.Schema) -> pa.Table:
    batches = [pa.ipc.read_record_batch(pa.py_buffer(part), schema) for part in parts]
    return pa.Table.from_batches(batches, schema)


@dataclass(frozen=True, slots=True)
class _CollectedBatches:
    """The first batches of a result; a part is an Arrow message."""

    count: int
    parts: list[bytes]

    @property
    def size(self) -> int:
        return sum(map(len, self.parts))


def _estimate_batches(taken: _CollectedBatches, most_bytes: int) -> int:
    """Return how many batches of the average size have more than `most_bytes`."""
    return 1 + taken.count * most_bytes // max(1, taken.size)


def _take_batches(spark: SparkSession, batches: Any, count: int) -> _CollectedBatches:
    java: Any = java_vm(spark)
    messages = batches.take(count)
    iterator = java.scala.jdk.javaapi.CollectionConverters.asScala(messages.iterator())
    port, secret, server = java.PythonRDD.serveIterator(iterator, "serve-icemelt")
    parts = list(_load_from_socket((port, secret), _Bytes()))
    server.getResult()
    return _CollectedBatches(len(parts), parts)


class _Bytes(FramedSerializer):
    """A serializer that leaves Java's bytes as they are."""

    def loads(self, part: bytes) -> bytes:
        """Return the bytes."""
        return part


@contextlib.contextmanager
def _in_settings_of(spark: SparkSession) -> Iterator[None]:
    """Run a block whose Spark tasks see the session's settings, as the tasks of `collect()` do.

    An error of a task is raised as PySpark's exception, not as py4j's.
    """
    java = java_class(spark, SESSION_SETTINGS)
    lent = java.lend(java_session(spark))
    try:
        yield
    except Py4JJavaError as error:
        # PySpark looks for the cause of the error, and the error of a cancelled job has none
        if error.java_exception.getCause() is None:
            raise
        with unwrap_spark_exception():
            raise
    finally:
        # a Spark that died has no settings to remove
        with contextlib.suppress(Py4JError, OSError):
            java.takeBack(java_session(spark), lent)


def _too_large(most_bytes: int) -> NotYet:
    return NotYet(
        f"The query gives more than {most_bytes >> 20:,} MiB, as much as a result may have.",
        hint="Add a LIMIT, or write them as files: COPY INTO '/folder' FROM (…).",
    )


def _arrow_expression(name: str, field: spark_types.StructField) -> Column | None:
    """Return the expression that makes a column fit for Arrow, None where the column is fit."""
    if _has_variant(field.dataType):
        return F.to_json(name)
    if not any(kind in field.dataType.simpleString() for kind in _TYPES_TO_CAST):
        return None
    if isinstance(field.dataType, spark_types.NullType):
        return None
    nullable = _make_nullable(field.dataType)
    # Arrow takes a NOT NULL field for not NULL even inside a NULL struct
    return None if nullable == field.dataType else F.col(name).cast(nullable)


def _restore_expression(name: str, field: spark_types.StructField) -> Column:
    """Return the expression that gives a collected column its original type."""
    if isinstance(field.dataType, spark_types.VariantType):
        return F.parse_json(name)
    if _has_variant(field.dataType):
        return F.from_json(name, field.dataType.simpleString())
    return F.col(name)


def _make_nullable(data_type: spark_types.DataType) -> spark_types.DataType:
    """Return a type whose parts may all be NULL, except the keys of maps.

    A part that is NULL in all rows becomes text: Arrow gives NULL parts of arrays a wrong length.
    """
    match data_type:
        case spark_types.NullType():
            return spark_types.StringType()
        case spark_types.ArrayType(elementType=element):
            return spark_types.ArrayType(_make_nullable(element))
        case spark_types.MapType(keyType=key, valueType=value):
            return spark_types.MapType(_make_nullable(key), _make_nullable(value))
        case spark_types.StructType(fields=fields):
            return spark_types.StructType(
                [
                    spark_types.StructField(field.name, _make_nullable(field.dataType))
                    for field in fields
                ]
            )
        case _:
            return data_type


def _has_variant(data_type: spark_types.DataType) -> bool:
    return "variant" in data_type.simpleString()
