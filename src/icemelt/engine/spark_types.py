"""icemelt's types for Spark's types."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import types

from icemelt.schema import (
    DataType,
    DecimalType,
    ListType,
    MapType,
    NestedField,
    Primitive,
    StructType,
    contains,
)

__all__ = ["stored_kind", "type_of"]

_PRIMITIVES: Mapping[type[types.DataType], str] = {
    types.BooleanType: "boolean",
    types.ByteType: "int",
    types.ShortType: "int",
    types.IntegerType: "int",
    types.LongType: "long",
    types.FloatType: "float",
    types.DoubleType: "double",
    types.StringType: "string",
    types.BinaryType: "binary",
    types.DateType: "date",
    types.TimestampNTZType: "timestamp",
    types.TimestampType: "timestamptz",
    types.VariantType: "variant",
    types.NullType: "unknown",
}
_STORED = {"int": "long", "float": "double", "unknown": "string"}


def stored_kind(spark_type: types.DataType) -> DataType | None:
    """Return the type in which a Spark column is stored; None for a type that cannot be stored.

    All integers become BIGINT and all floats DOUBLE, as in Snowflake; a column of NULLs is VARCHAR.

    >>> stored_kind(types.ShortType()), stored_kind(types.ArrayType(types.NullType()))
    (Primitive(name='long', length=None), None)
    """
    kind = type_of(spark_type)
    if isinstance(kind, Primitive):
        return Primitive(_STORED.get(kind.name, kind.name))
    return None if kind is None or contains(kind, "unknown") else kind


def type_of(spark_type: types.DataType) -> DataType | None:
    """Return icemelt's type for a type of Spark; None if icemelt has no such type.

    >>> type_of(types.ArrayType(types.DecimalType(5, 2)))
    ListType(element=DecimalType(precision=5, scale=2))
    """
    match spark_type:
        case types.DecimalType():
            return DecimalType(spark_type.precision, spark_type.scale)
        case types.ArrayType():
            element = type_of(spark_type.elementType)
            return None if element is None else ListType(element)
        case types.MapType():
            key, value = type_of(spark_type.keyType), type_of(spark_type.valueType)
            return None if key is None or value is None else MapType(key, value)
        case types.StructType():
            fields = [
                (field.name, type_of(field.dataType), field.nullable) for field in spark_type.fields
            ]
            nested = [NestedField(n, kind, nulls) for n, kind, nulls in fields if kind is not None]
            return StructType(tuple(nested)) if len(nested) == len(fields) else None
        case _:
            name = _PRIMITIVES.get(type(spark_type))
            return None if name is None else Primitive(name)
