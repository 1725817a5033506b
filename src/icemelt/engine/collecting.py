"""Small relations, collected once: every use of them reads rows that are at hand."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import types as t

__all__ = ["Collected", "collected", "is_collectable"]

Ends = tuple[int | datetime.date, int | datetime.date]
# Spark makes rows at hand of what Arrow brings as it was for these.
_TYPES = (
    *(t.BooleanType, t.ByteType, t.ShortType, t.IntegerType, t.LongType, t.FloatType),
    *(t.DoubleType, t.DecimalType, t.StringType, t.BinaryType, t.DateType, t.TimestampType),
    t.TimestampNTZType,
)


@dataclass(frozen=True, slots=True)
class Collected:
    """A relation whose rows are in its plan, and the least and greatest values of its columns.

    Those of columns of whole numbers and dates without NULL.
    """

    frame: DataFrame
    ends: Mapping[str, Ends]


def is_collectable(frame: DataFrame) -> bool:
    """Tell whether all columns are of types that come back as they were."""
    return all(isinstance(each.dataType, _TYPES) for each in frame.schema.fields)


def collected(frame: DataFrame) -> Collected:
    """Run a query and return its rows, columns as they were."""
    rows = frame.toArrow()
    ends = {
        name: found
        for name, column in zip(rows.column_names, rows.columns, strict=True)
        if (found := _ends(column)) is not None
    }
    made = frame.sparkSession.createDataFrame(rows, frame.schema)
    return Collected(made, ends)


def _ends(column: pa.ChunkedArray) -> Ends | None:
    is_ordered = pa.types.is_integer(column.type) or pa.types.is_date(column.type)
    if not is_ordered or column.null_count or not len(column):
        return None
    found = pc.min_max(column)
    try:
        return found["min"].as_py(), found["max"].as_py()
    except (OverflowError, ValueError):
        # a date that Python has not
        return None
