"""INSERT of few rows: the driver computes them, and Arrow writes them, without a Spark job.

They are constants, which Spark computes while planning, or what a small query reads, as of a stream
that took in a handful of rows (ADR 32). The values are Spark's own, converted, rounded and checked
as in any other INSERT. Only the writer differs; it is the writer of channels (ADR 13).
"""

from __future__ import annotations

from pyspark.sql import DataFrame

from icemelt.catalog.records import TableRecord
from icemelt.engine.local_rows import read_local_rows
from icemelt.schema import Column, DecimalType, Primitive
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.spark_errors import translated
from icemelt.tables.metadata.document import TableMetadata
from icemelt.tables.writes.appending import append_rows, is_written_by_arrow
from icemelt.transactions.pending import Attempt

__all__ = ["append_few"]

# of Iceberg's other types Spark has the values in another form
_WRITTEN = frozenset(
    {
        *("boolean", "int", "long", "float", "double", "string", "binary"),
        *("date", "timestamp", "timestamptz"),
    }
)


def append_few(
    core: Core, attempt: Attempt, table: TableRecord, base: TableMetadata, rows: DataFrame
) -> bool:
    """Append rows to a table of the workspace if the driver computes them; return whether it did.

    Nothing was appended where the rows need a Spark job, or Spark's own writer: for partitions, a
    sort order, or nested and VARIANT columns, and to refuse NULL.

    Args:
        core: the session's parts.
        attempt: the attempt, whose workspace has the table.
        table: the table.
        base: the table's metadata.
        rows: the rows in the form that the table stores.
    """
    if not _takes_plain_rows(base):
        return False
    with translated(core.spark):
        few = read_local_rows(rows)
    if few is None or not few.num_rows:
        return False
    if any(few[column.name].null_count for column in base.columns if not column.nullable):
        return False
    append_rows(core.iceberg, (attempt.workspace.namespace, table.object_id), base, few)
    return True


def _takes_plain_rows(base: TableMetadata) -> bool:
    is_sorted = base.document.get("default-sort-order-id", 0) != 0
    return not is_sorted and is_written_by_arrow(base) and all(map(_is_plain, base.columns))


def _is_plain(column: Column) -> bool:
    match column.type:
        case Primitive(name):
            return name in _WRITTEN
        case kind:
            return isinstance(kind, DecimalType)
