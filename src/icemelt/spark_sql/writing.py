"""Values on their way into a column: conversion, length, default, as Spark SQL."""

from __future__ import annotations

from decimal import Decimal

from icemelt.quoting import text_literal
from icemelt.schema import (
    Column,
    DataType,
    Primitive,
    contains,
    spark_type,
)
from icemelt.spark_sql.conversion import as_text, convert_value
from icemelt.spark_sql.once import evaluate_once

__all__ = ["partitioning_value", "stored_value"]


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
            # of an array without elements, whose type has none, there is a cast alone
            is_object = source is not None and (
                contains(source, "struct") or contains(source, "map")
            )
            if source is not None and contains(source, "unknown"):
                # an array without elements, which has no other type
                return f"parse_json(to_json({expression}))"
            written = f"to_variant_object({expression})"
            return written if is_object else f"CAST({expression} AS VARIANT)"
        case Primitive("string", length) if length is not None:
            text = as_text(expression, source)
            name = column.name.replace(":", " ")
            refusal = f"raise_error({text_literal(f'icemelt-length:{name}:{length}')})"
            return evaluate_once(
                text,
                lambda value: (
                    f"CASE WHEN length({value}) > {length} THEN {refusal} ELSE {value} END"
                ),
            )
        case _:
            return convert_value(expression, source, column.type)


def partitioning_value(name: str, stored: str, width: int, least: Decimal) -> str:
    """Return a `stored` value of a column that partitions by TRUNCATE; below `least` is an error.

    Args:
        name: the column's name.
        stored: the SQL of the value.
        width: the width of TRUNCATE.
        least: the least number whose truncation is of the column's type.

    >>> partitioning_value("id", "`c0`", 10, Decimal(-20))
    "CASE WHEN `c0` < -20 THEN raise_error('icemelt-truncation:id:10:-20') ELSE `c0` END"
    """
    said = text_literal(f"icemelt-truncation:{name.replace(':', ' ')}:{width}:{least:f}")
    return evaluate_once(
        stored,
        lambda value: f"CASE WHEN {value} < {least:f} THEN raise_error({said}) ELSE {value} END",
    )
