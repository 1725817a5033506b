"""Values on their way into a column: conversion, length, default, as Spark SQL."""

from __future__ import annotations

from icemelt.names import quote
from icemelt.schema import Column, DecimalType, ListType, MapType, Primitive, StructType, spark

__all__ = ["compaction", "stored_value"]

_ROUNDED_FROM = ("decimal", "double", "float")


def stored_value(column: Column, expression: str, source_type: str = "") -> str:
    """Return an expression as it is stored in a column; `source_type` is Spark's, where known.

    A number with a fraction is rounded into a whole one; text too long for its column is an error.

    >>> stored_value(Column("id", Primitive("long")), "`c0`")
    'CAST(`c0` AS BIGINT)'
    """
    match column.type:
        case Primitive("variant"):
            nested = source_type.startswith(("array", "map", "struct"))
            return (
                f"to_variant_object({expression})" if nested else f"CAST({expression} AS VARIANT)"
            )
        case Primitive("long") if source_type.startswith(_ROUNDED_FROM):
            return f"CAST(round({expression}) AS BIGINT)"
        case Primitive("string", length) if length is not None:
            text = f"CAST({expression} AS STRING)"
            name = column.name.replace("\\", "\\\\").replace("'", "\\'").replace(":", " ")
            refusal = f"raise_error('icemelt-length:{name}:{length}')"
            return f"CASE WHEN length({text}) > {length} THEN {refusal} ELSE {text} END"
        case Primitive() | DecimalType() | ListType() | MapType() | StructType():
            return f"CAST({expression} AS {spark(column.type)})"


def compaction(catalog: str, table: str) -> str:
    """Return the call that makes large files of small ones, and of those with deletions.

    >>> compaction("icemelt", "ns.t")[:58]
    "CALL `icemelt`.system.rewrite_data_files(table => 'ns.t', "
    """
    options = "map('min-input-files', '2', 'delete-file-threshold', '1')"
    name = table.replace("\\", "\\\\").replace("'", "\\'")
    return (
        f"CALL {quote(catalog)}.system.rewrite_data_files(table => '{name}', options => {options})"
    )
