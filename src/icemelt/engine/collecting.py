"""Small relations, collected once: every further use reads the rows from Python's memory."""

from __future__ import annotations

import datetime
import functools
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import types as t
from pyspark.util import inheritable_thread_target

from icemelt.engine.local_rows import read_local_rows
from icemelt.jobs import no_threads

__all__ = ["Bounds", "CollectedRelation", "collect_if_few", "collect_relations", "is_collectable"]

# types whose values survive the way from Spark to Arrow and back
_TYPES = (
    *(t.BooleanType, t.ByteType, t.ShortType, t.IntegerType, t.LongType, t.FloatType),
    *(t.DoubleType, t.DecimalType, t.StringType, t.BinaryType, t.DateType, t.TimestampType),
    t.TimestampNTZType,
)
# the most queries at the same time: each has a thread that waits for it
_AT_ONCE = 8


class Bounds(NamedTuple):
    """The least and the greatest value of a column, and whether the column has NULL."""

    least: int | datetime.date
    greatest: int | datetime.date
    has_null: bool


@dataclass(frozen=True, slots=True)
class CollectedRelation:
    """A relation whose plan holds the rows; `bounds` has columns of whole numbers and dates."""

    frame: DataFrame
    bounds: Mapping[str, Bounds]


def is_collectable(frame: DataFrame) -> bool:
    """Tell whether all columns have types whose values come back from Arrow unchanged."""
    return all(isinstance(field.dataType, _TYPES) for field in frame.schema.fields)


def collect_relations(frames: Sequence[DataFrame]) -> list[CollectedRelation]:
    """Run queries at the same time; return relations of the rows with unchanged column types.

    Raises:
        NoThreads: the process gets no threads to wait for the queries.
    """
    if len(frames) < 2:  # noqa: PLR2004 - then there is nothing beside it
        return [_with_rows(frame, _collect(frame)) for frame in frames]
    with ThreadPoolExecutor(min(len(frames), _AT_ONCE)) as threads:
        try:
            futures = [threads.submit(_in_this_group(frame)) for frame in frames]
        except RuntimeError as error:
            raise no_threads(error) from error
        rows = [future.result() for future in futures]
    return [_with_rows(*pair) for pair in zip(frames, rows, strict=True)]


def collect_if_few(frame: DataFrame, most: int) -> CollectedRelation | None:
    """Run a query and return the rows, or None if there are more than `most` rows.

    None is also returned, without a run, if a column's type is not collectable.
    """
    if not is_collectable(frame):
        return None
    rows = _collect(frame.limit(most + 1))
    return _with_rows(frame, rows) if rows.num_rows <= most else None


def _in_this_group(frame: DataFrame) -> Callable[[], pa.Table]:
    """Return a function that runs a query in another thread, in the job group of this thread."""
    run: Callable[[], pa.Table] = inheritable_thread_target(frame.sparkSession)(
        functools.partial(_collect, frame)
    )
    return run


def _collect(frame: DataFrame) -> pa.Table:
    rows = read_local_rows(frame)
    return frame.toArrow() if rows is None else rows


def _with_rows(frame: DataFrame, rows: pa.Table) -> CollectedRelation:
    bounds = {
        name: column_bounds
        for name, column in zip(rows.column_names, rows.columns, strict=True)
        if (column_bounds := _bounds(column)) is not None
    }
    relation = frame.sparkSession.createDataFrame(rows, frame.schema)
    return CollectedRelation(relation, bounds)


def _bounds(column: pa.ChunkedArray) -> Bounds | None:
    is_ordered = pa.types.is_integer(column.type) or pa.types.is_date(column.type)
    if not is_ordered or column.null_count == len(column):
        return None
    extremes = pc.min_max(column)
    try:
        return Bounds(extremes["min"].as_py(), extremes["max"].as_py(), column.null_count > 0)
    except (OverflowError, ValueError):
        # a date outside Python's range
        return None
