"""Appends of rows in Arrow tables, in order: row ids rise with the order.

Arrow writes a Parquet file, and Iceberg commits it. Rows that Arrow cannot write go through Spark:
VARIANT values, and rows of partitioned tables. Java holds such rows several times over while they
are written, so Java gets slices whose size its memory bounds. Java has one file open at a time,
however many partitions the rows have.
"""

from __future__ import annotations

import tempfile
import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyspark.sql import DataFrame
from pyspark.sql.functions import expr

from icemelt.errors import NotYet
from icemelt.quoting import quote
from icemelt.schema import Column, Primitive, spark_type
from icemelt.tables.iceberg import Iceberg, relation
from icemelt.tables.metadata.document import TableMetadata
from icemelt.tables.writes.clustering import partition_expressions

__all__ = ["append_rows", "is_written_by_arrow", "slices", "warm_up"]

_APPENDS = "icemelt.spark.ParquetAppends"
_FIELD_ID = b"PARQUET:field_id"
_VARIANT, _TEXT = Primitive("variant"), Primitive("string")
# of Java's heap, what a slice has: Java has it as bytes, as values and in the buffers of Parquet
_SHARE_OF_HEAP = 10
# the most partitions of a slice, and of all slices: 10,000 files take 15 seconds
_MOST_PARTITIONS, _MOST_FILES = 10_000, 100_000
_WARM_UP = {
    "schema": {
        "type": "struct",
        "fields": [{"id": 1, "name": "id", "type": "long", "required": False}],
    },
    "properties": {"format-version": "3"},
}


def is_written_by_arrow(metadata: TableMetadata) -> bool:
    """Return whether Arrow writes a table's files: the table has no partitions and no VARIANT."""
    has_variant = any(column.type == _VARIANT for column in metadata.columns)
    return not metadata.spec_fields and not has_variant


def append_rows(
    iceberg: Iceberg, place: tuple[Sequence[str], str], metadata: TableMetadata, rows: pa.Table
) -> None:
    """Append rows to a registered table.

    Arrow commits all rows in one snapshot, Spark one snapshot for each slice.

    Args:
        iceberg: the session's Iceberg catalog.
        place: the table's namespace and name.
        metadata: the table.
        rows: the rows, with the table's columns in order; a VARIANT is text in JSON.

    Raises:
        NotYet: the rows have too many partitions; each partition is a file.
    """
    if is_written_by_arrow(metadata):
        _append_parquet(iceberg, iceberg.table(*place), metadata, rows)
    else:
        values = partition_expressions(metadata)
        for part in _parts(iceberg, metadata.columns, values, rows):
            _append_frame(iceberg, relation(*place), metadata.columns, values, part)


def slices(rows: pa.Table, most_bytes: int) -> Iterator[pa.Table]:
    """Yield rows in order, in tables of at most `most_bytes` bytes, or of one row.

    >>> [part.num_rows for part in slices(pa.table({"v": ["abcdefgh"] * 3 + ["a" * 99]}), 50)]
    [2, 1, 1]
    """
    if rows.num_rows <= 1 or rows.nbytes <= most_bytes:
        yield rows
        return
    middle = rows.num_rows // 2
    yield from slices(rows.slice(0, middle), most_bytes)
    yield from slices(rows.slice(middle), most_bytes)


def _parts(
    iceberg: Iceberg, columns: Sequence[Column], values: Sequence[str], rows: pa.Table
) -> Iterator[pa.Table]:
    """Yield rows in slices that Java's memory bounds, by bytes and by partitions.

    Java keeps some kilobytes of each file until the commit. The rows of a partition stay in order.

    Args:
        iceberg: the session's Iceberg catalog.
        columns: the table's columns.
        values: the partition values, as Spark SQL.
        rows: the rows.

    Raises:
        NotYet: the rows have too many partitions.
    """
    for part in slices(rows, _most_bytes(iceberg)):
        if values and part.num_rows > _MOST_PARTITIONS:
            yield from _slice_by_partition(iceberg, columns, values, part)
        else:
            yield part


def _slice_by_partition(
    iceberg: Iceberg, columns: Sequence[Column], values: Sequence[str], rows: pa.Table
) -> Iterator[pa.Table]:
    """Yield rows in slices of at most `_MOST_PARTITIONS` partitions, each partition in one slice.

    The arguments are those of `_parts`.
    """
    frame, position = _numbered(iceberg, columns, rows)
    count = frame.selectExpr(*values).distinct().count()
    if count > _MOST_FILES:
        raise NotYet(
            f"The rows of one flush have {count:,} partitions of the table, {_MOST_FILES:,} are as "
            "many as are written at once: each partition is a file.",
            hint="Append fewer rows at once, or partition the table by a coarser transform: "
            "PARTITION BY (BUCKET(16, column)).",
        )
    if count <= _MOST_PARTITIONS:
        yield rows
        return
    order = ", ".join(values)
    number = f"CAST((dense_rank() OVER (ORDER BY {order}) - 1) / {_MOST_PARTITIONS} AS INT) AS n"
    slice_of_row = frame.selectExpr(f"{quote(position)} AS p", number).toArrow().sort_by("p")["n"]
    for each in range(-(-count // _MOST_PARTITIONS)):
        yield rows.filter(pc.equal(slice_of_row, each))


def _most_bytes(iceberg: Iceberg) -> int:
    heap = iceberg.functions.java_class("java.lang.Runtime").getRuntime().maxMemory()
    return int(heap) // _SHARE_OF_HEAP


def warm_up(iceberg: Iceberg) -> None:
    """Append a row to a table that is removed again: Java loads what the first append needs.

    The first append takes a second for that, and later appends a few hundredths.
    """
    namespace, name = (f"w{uuid.uuid4().hex}",), "warm-up"
    with tempfile.TemporaryDirectory(prefix="icemelt-") as folder:
        metadata = iceberg.create(namespace, name, _WARM_UP, f"file:{folder}")
        try:
            append_rows(iceberg, (namespace, name), metadata, pa.table({"id": [1]}))
        finally:
            iceberg.forget(namespace)


def _append_parquet(iceberg: Iceberg, table: Any, metadata: TableMetadata, rows: pa.Table) -> None:
    java = iceberg.functions.java_class(_APPENDS)
    location = java.newLocation(table, f"{uuid.uuid4()}.parquet")
    rows = rows.cast(_with_ids(rows.schema, metadata))
    written: list[pq.FileMetaData] = []
    with iceberg.files.create(location) as sink:
        # decimals of few digits are numbers, as Iceberg stores them
        pq.write_table(
            rows,
            sink,
            compression="zstd",
            metadata_collector=written,
            store_decimal_as_integer=True,
        )
    java.commit(table, iceberg.io, location, _footer(written[0]))


def _footer(written: pq.FileMetaData) -> bytes:
    """Return the footer of a file that was written, as a Parquet file without rows."""
    sink = pa.BufferOutputStream()
    written.write_metadata_file(sink)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def _append_frame(
    iceberg: Iceberg, name: str, columns: Sequence[Column], values: Sequence[str], rows: pa.Table
) -> None:
    """Append rows of `_parts` to the table of a name, one partition after the other."""
    frame, position = _numbered(iceberg, columns, rows)
    # one task, which keeps the order of rows
    frame = frame.coalesce(1)
    if values:
        # Spark's sort alone keeps no order of equal rows
        frame = frame.sortWithinPartitions(*map(expr, [*values, quote(position)]))
    shown = [
        f"parse_json({quote(c.name)}) AS {quote(c.name)}" if c.type == _VARIANT else quote(c.name)
        for c in columns
    ]
    writer = frame.selectExpr(*shown).writeTo(name)
    writer = writer.option("use-table-distribution-and-ordering", "false")
    # without fan-out, Iceberg closes the file of a partition before the file of the next
    writer.option("fanout-enabled", "false").append()


def _numbered(iceberg: Iceberg, columns: Sequence[Column], rows: pa.Table) -> tuple[DataFrame, str]:
    """Return rows as Spark has them, and the name of a further column with their positions.

    A VARIANT is text in JSON.
    """
    position = "position"
    while position in {column.name.casefold() for column in columns}:
        position += "_"
    types = [_TEXT if column.type == _VARIANT else column.type for column in columns]
    schema = ", ".join(
        f"{quote(column.name)} {spark_type(kind)}"
        for column, kind in zip(columns, types, strict=True)
    )
    rows = rows.append_column(position, pa.array(range(rows.num_rows), pa.int64()))
    return iceberg.spark.createDataFrame(rows, f"{schema}, {quote(position)} BIGINT"), position


def _with_ids(schema: pa.Schema, metadata: TableMetadata) -> pa.Schema:
    """Return a schema with the table's field ids, by which Iceberg finds columns."""
    by_name = {field["name"]: field for field in metadata.schema_fields}
    return pa.schema([_field(each, by_name[each.name]) for each in schema])


def _field(field: pa.Field, document: Mapping[str, Any], *, inside: bool = False) -> pa.Field:
    # where what is around it may be NULL a part may be: that it is not otherwise was checked
    nullable = inside or not document["required"]
    made = pa.field(field.name, _type(field.type, document["type"]), nullable)
    return made.with_metadata({_FIELD_ID: str(document["id"]).encode()})


def _type(kind: pa.DataType, document: str | Mapping[str, Any]) -> pa.DataType:
    if isinstance(document, str):
        return kind
    if document["type"] == "struct":
        parts = zip(kind, document["fields"], strict=True)
        return pa.struct([_field(*part, inside=True) for part in parts])
    if document["type"] == "list":
        return pa.list_(_part(kind.value_field, document, "element"))
    key = _part(kind.key_field, {**document, "key-required": True}, "key")
    return pa.map_(key, _part(kind.item_field, document, "value"))


def _part(field: pa.Field, document: Mapping[str, Any], name: str) -> pa.Field:
    required = document.get(f"{name}-required", False)
    described = {"id": document[f"{name}-id"], "type": document[name], "required": required}
    return _field(field, described)
