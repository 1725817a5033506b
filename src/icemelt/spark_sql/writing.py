"""Values on their way into a column: conversion, length, default, as Spark SQL."""

from __future__ import annotations

from icemelt.quoting import text_literal
from icemelt.schema import (
    Column,
    DataType,
    ListType,
    MapType,
    Primitive,
    StructType,
    spark_type,
)
from icemelt.spark_sql.conversion import as_text, convert_value

__all__ = ["stored_value"]


def stored_value(column: Column, expression: str, source: DataType | None = None) -> str:
    """Return an `expression` as stored in a column; `source` is its type, if known.

    A number with a fraction is rounded for a `column` of whole numbers. Text too long for the
    column is an error.

    >>> stored_value(Column("id", Primitive("long")), "`c0`", Primitive("boolean"))
    'CAST(`c0` AS BIGINT)'
    """
    if expression.strip("()") == "NULL":
        return f"CAST(NULL AS {spark_type(column.type)})"
    match column.type:
        case Primitive("variant"):
            nested = isinstance(source, (ListType, MapType, StructType))
            return (
                f"to_variant_object({expression})" if nested else f"CAST({expression} AS VARIANT)"
            )
        case Primitive("string", length) if length is not None:
            text = as_text(expression, source)
            name = column.name.replace(":", " ")
            refusal = f"raise_error({text_literal(f'icemelt-length:{name}:{length}')})"
            return f"CASE WHEN length({text}) > {length} THEN {refusal} ELSE {text} END"
        case _:
            return convert_value(expression, source, column.type)
