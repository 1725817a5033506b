"""Columns and types: one definition, mapped to Iceberg, Spark and SQL.

A type is plain data. `parse_iceberg` reads the types of Iceberg's table metadata (spec, *Schemas
and Data Types*), `spark_type` writes Spark SQL, `sql_type` writes the words of users' declarations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, assert_never

from icemelt.quoting import quote

__all__ = [
    "Column",
    "DataType",
    "DecimalType",
    "ListType",
    "MapType",
    "NestedField",
    "Primitive",
    "StructType",
    "VirtualColumn",
    "can_widen",
    "contains",
    "map_parts",
    "parse_iceberg",
    "replace_unknown",
    "spark_type",
    "sql_type",
]

_SPARK = {
    "boolean": "BOOLEAN",
    "int": "INT",
    "long": "BIGINT",
    "float": "FLOAT",
    "double": "DOUBLE",
    "string": "STRING",
    "binary": "BINARY",
    "date": "DATE",
    "timestamp": "TIMESTAMP_NTZ",
    "timestamptz": "TIMESTAMP",
    "variant": "VARIANT",
    "uuid": "STRING",
}
_DISPLAY = {
    "boolean": "BOOLEAN",
    "int": "INT",
    "long": "BIGINT",
    "float": "FLOAT",
    "double": "DOUBLE",
    "string": "VARCHAR",
    "binary": "BINARY",
    "date": "DATE",
    "timestamp": "TIMESTAMP_NTZ",
    "timestamptz": "TIMESTAMP_LTZ",
    "variant": "VARIANT",
    "uuid": "VARCHAR",
    # a column of NULLs alone
    "unknown": "VARCHAR",
}


@dataclass(frozen=True, slots=True)
class Primitive:
    """An Iceberg type without parts; `length` limits the characters of a string."""

    name: str
    length: int | None = None


@dataclass(frozen=True, slots=True)
class DecimalType:
    """A decimal with `precision` digits, `scale` of the digits after the point."""

    precision: int
    scale: int


@dataclass(frozen=True, slots=True)
class ListType:
    """An array."""

    element: DataType


@dataclass(frozen=True, slots=True)
class MapType:
    """A map."""

    key: DataType
    value: DataType


@dataclass(frozen=True, slots=True)
class NestedField:
    """A field of a struct."""

    name: str
    type: DataType
    nullable: bool = True


@dataclass(frozen=True, slots=True)
class StructType:
    """A typed object."""

    fields: tuple[NestedField, ...]


DataType = Primitive | DecimalType | ListType | MapType | StructType


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table; `default` is a SQL expression of Spark's dialect."""

    name: str
    type: DataType
    nullable: bool = True
    default: str | None = None
    comment: str | None = None
    field_id: int | None = None


@dataclass(frozen=True, slots=True)
class VirtualColumn:
    """A column of an external table, which is computed of a record of a file.

    Args:
        column: the name, the type, and the comment.
        expression: the expression in icemelt's SQL, over VALUE and the columns of metadata.
        member: the member of VALUE that the column is, cast to its type; None for another
            expression.
    """

    column: Column
    expression: str
    member: str | None = None


_WIDER = {("int", "long"), ("float", "double"), ("date", "timestamp")}


def can_widen(old: DataType, new: DataType) -> bool:
    """Return whether values of an old type can be read as a new type (spec, *Promotion*).

    The parts of nested types are not compared.

    >>> (
    ...     can_widen(Primitive("int"), Primitive("long")),
    ...     can_widen(Primitive("long"), Primitive("string")),
    ... )
    (True, False)
    """
    match old, new:
        case Primitive(name=before), Primitive(name=after):
            return before in {after, "unknown"} or (before, after) in _WIDER
        case DecimalType(), DecimalType():
            return old.scale == new.scale and old.precision <= new.precision
        case _:
            return type(old) is type(new) or old == Primitive("unknown")


def spark_type(data_type: DataType) -> str:
    """Return the type in Spark SQL.

    >>> spark_type(MapType(Primitive("string"), DecimalType(10, 2)))
    'MAP<STRING, DECIMAL(10,2)>'
    """
    match data_type:
        case Primitive(name):
            return _SPARK[name]
        case DecimalType(precision, scale):
            return f"DECIMAL({precision},{scale})"
        case ListType(element):
            return f"ARRAY<{spark_type(element)}>"
        case MapType(key, value):
            return f"MAP<{spark_type(key)}, {spark_type(value)}>"
        case StructType(fields):
            inner = ", ".join(_spark_field(field) for field in fields)
            return f"STRUCT<{inner}>"
        case _:
            assert_never(data_type)


def sql_type(data_type: DataType) -> str:
    """Return the type in the words of DESCRIBE and CREATE TABLE.

    >>> sql_type(Primitive("string", 20)), sql_type(ListType(Primitive("long")))
    ('VARCHAR(20)', 'ARRAY(BIGINT)')
    """
    match data_type:
        case Primitive(name, length):
            return _DISPLAY[name] + (f"({length})" if length is not None else "")
        case DecimalType(precision, scale):
            return f"NUMBER({precision},{scale})"
        case ListType(element):
            return f"ARRAY({sql_type(element)})"
        case MapType(key, value):
            return f"MAP({sql_type(key)}, {sql_type(value)})"
        case StructType(fields):
            inner = ", ".join(f"{field.name} {sql_type(field.type)}" for field in fields)
            return f"OBJECT({inner})"
        case _:
            assert_never(data_type)


def replace_unknown(data_type: DataType) -> DataType:
    """Return the type with VARCHAR for every unknown type, the type of a column of NULLs alone.

    >>> replace_unknown(ListType(Primitive("unknown")))
    ListType(element=Primitive(name='string', length=None))
    """
    return map_parts(
        data_type, lambda part: Primitive("string") if part == Primitive("unknown") else part
    )


def map_parts(data_type: DataType, change: Callable[[DataType], DataType]) -> DataType:
    """Return the type with a function applied to every innermost type.

    >>> map_parts(ListType(Primitive("int")), lambda part: Primitive("long"))
    ListType(element=Primitive(name='long', length=None))
    """
    match data_type:
        case ListType(element):
            return ListType(map_parts(element, change))
        case MapType(key, value):
            return MapType(map_parts(key, change), map_parts(value, change))
        case StructType(fields):
            return StructType(
                tuple(
                    NestedField(field.name, map_parts(field.type, change), field.nullable)
                    for field in fields
                )
            )
        case _:
            return change(data_type)


def contains(data_type: DataType, name: str) -> bool:
    """Return whether the type is or contains `name`: a primitive's name, `map` or `struct`.

    >>> contains(ListType(MapType(Primitive("string"), Primitive("variant"))), "variant")
    True
    """
    match data_type:
        case Primitive():
            return data_type.name == name
        case DecimalType():
            return name == "decimal"
        case ListType(element):
            return name == "list" or contains(element, name)
        case MapType(key, value):
            return name == "map" or contains(key, name) or contains(value, name)
        case StructType(fields):
            return name == "struct" or any(contains(field.type, name) for field in fields)
        case _:
            assert_never(data_type)


def parse_iceberg(document: str | Mapping[str, Any]) -> DataType:
    """Return the type of a type in Iceberg's metadata JSON.

    >>> parse_iceberg("decimal(10, 2)")
    DecimalType(precision=10, scale=2)
    >>> parse_iceberg({"type": "list", "element-id": 3, "element": "long"})
    ListType(element=Primitive(name='long', length=None))
    """
    if isinstance(document, str):
        if document.startswith("decimal"):
            precision, scale = document.removeprefix("decimal").strip("() ").split(",")
            return DecimalType(int(precision), int(scale))
        if document.startswith("fixed"):
            return Primitive("binary")
        return Primitive(document)
    if document["type"] == "list":
        return ListType(parse_iceberg(document["element"]))
    if document["type"] == "map":
        return MapType(parse_iceberg(document["key"]), parse_iceberg(document["value"]))
    return StructType(
        tuple(
            NestedField(field["name"], parse_iceberg(field["type"]), not field["required"])
            for field in document["fields"]
        )
    )


def _spark_field(field: NestedField) -> str:
    return f"{quote(field.name)}: {spark_type(field.type)}" + (
        "" if field.nullable else " NOT NULL"
    )
