"""The rows of a query from Spark's tasks to Python, through Arrow."""

from __future__ import annotations

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name PySpark users know
from pyspark.sql import types as spark_types
from pyspark.sql.pandas.types import to_arrow_schema

from icemelt.errors import NotYet

__all__ = ["collect"]

# to Arrow what is void is NULL, also where Spark says that it never is: the parts of ARRAY()
_CHANGED = ("struct<", "void")


def collect(frame: DataFrame, most_bytes: int | None = None) -> pa.Table:
    """Collect through Arrow; names may repeat, and VARIANT becomes text on the way.

    Raises:
        NotYet: the rows have more than `most_bytes`.
    """
    names, fields = frame.columns, frame.schema.fields
    numbered = [f"c{index}" for index in range(len(names))]
    shown = [_shown_by(*each) for each in zip(numbered, fields, strict=True)]
    if len(set(names)) < len(names) or any(column is not None for column in shown):
        frame = frame.toDF(*numbered).select(
            *(
                F.col(name) if column is None else column.alias(name)
                for name, column in zip(numbered, shown, strict=True)
            )
        )
    if _is_empty(frame):
        return to_arrow_schema(frame.schema).empty_table().rename_columns(names)
    rows = frame.toArrow().rename_columns(names)
    if most_bytes is not None and rows.nbytes > most_bytes:
        raise _too_large(most_bytes)
    return rows


def _too_large(most_bytes: int) -> NotYet:
    return NotYet(
        f"The query gives more than {most_bytes >> 20:,} MiB, as much as a result may have.",
        hint="Add a LIMIT, or write them as files: COPY INTO '/folder' FROM (…).",
    )


def _is_empty(frame: DataFrame) -> bool:
    """Tell whether Spark's planner knows that there are no rows: then no job has to find out."""
    plan = frame._jdf.queryExecution().optimizedPlan()
    is_local = plan.getClass().getSimpleName() == "LocalRelation"
    return is_local and bool(plan.data().isEmpty())


def _shown_by(name: str, field: spark_types.StructField) -> Column | None:
    """Return what shows a column, where Arrow does not take it as it is."""
    if _has_variant(field.dataType):
        return F.to_json(name)
    if not any(kind in field.dataType.simpleString() for kind in _CHANGED):
        return None
    nullable = _nullable(field.dataType)
    # to Arrow a part that is not NULL is so even where what is around it is
    return None if nullable == field.dataType else F.col(name).cast(nullable)


def _nullable(data_type: spark_types.DataType) -> spark_types.DataType:
    """Return a type all of whose parts may be NULL, but the keys of maps."""
    match data_type:
        case spark_types.ArrayType(elementType=element):
            return spark_types.ArrayType(_nullable(element))
        case spark_types.MapType(keyType=spark_types.NullType(), valueType=value):
            # Arrow's keys are never NULL, so they cannot be void, not even those of MAP()
            return spark_types.MapType(spark_types.StringType(), _nullable(value))
        case spark_types.MapType(keyType=key, valueType=value):
            return spark_types.MapType(_nullable(key), _nullable(value))
        case spark_types.StructType(fields=fields):
            return spark_types.StructType(
                [spark_types.StructField(each.name, _nullable(each.dataType)) for each in fields]
            )
        case _:
            return data_type


def _has_variant(data_type: spark_types.DataType) -> bool:
    return "variant" in data_type.simpleString()
