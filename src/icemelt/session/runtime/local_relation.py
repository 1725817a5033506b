"""Rows of Python as a relation, which Spark reads without a job of Python's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import pyarrow as pa

from icemelt.engine.resources import StatementResources
from icemelt.quoting import quote
from icemelt.schema import Column, DataType, Primitive

__all__ = ["local_relation"]

_TYPES: Mapping[DataType, pa.DataType] = {
    Primitive("string"): pa.string(),
    Primitive("long"): pa.int64(),
    Primitive("boolean"): pa.bool_(),
    Primitive("timestamptz"): pa.timestamp("us", tz="UTC"),
}


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
    by_column = list(zip(*rows, strict=True)) or [()] * len(columns)
    arrays = [
        pa.array(values, _TYPES[column.type])
        for values, column in zip(by_column, columns, strict=True)
    ]
    table = pa.table(arrays, names=[column.name for column in columns])
    return quote(resources.create_view(resources.iceberg.spark.createDataFrame(table)))
