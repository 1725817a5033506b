"""The Arrow types of rows until the rows are written."""

from __future__ import annotations

from typing import Any, assert_never

import pyarrow as pa

from icemelt.errors import DefinitionRefused
from icemelt.schema import DataType, DecimalType, ListType, MapType, Primitive, StructType

__all__ = ["arrow_type"]

_PRIMITIVES = {
    "boolean": pa.bool_(),
    "int": pa.int32(),
    "long": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "string": pa.string(),
    "binary": pa.binary(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us"),
    "timestamptz": pa.timestamp("us", "UTC"),
    # JSON text
    "variant": pa.string(),
}


def arrow_type(data_type: DataType) -> Any:
    """Return the Arrow type for the values of a column; VARIANT is JSON text.

    Raises:
        DefinitionRefused: Rows cannot be loaded into the type.

    >>> arrow_type(ListType(DecimalType(10, 2)))
    ListType(list<element: decimal128(10, 2)>)
    """
    match data_type:
        case Primitive(name):
            if name not in _PRIMITIVES:
                message = f"Rows cannot be loaded into type {name.upper()}."
                hint = "Load text into a VARCHAR column, and convert it with INSERT … SELECT."
                raise DefinitionRefused(message, hint=hint)
            return _PRIMITIVES[name]
        case DecimalType(precision, scale):
            return pa.decimal128(precision, scale)
        case ListType(element):
            return pa.list_(pa.field("element", arrow_type(element)))
        case MapType(key, value):
            return pa.map_(arrow_type(key), arrow_type(value))
        case StructType(fields):
            return pa.struct(
                [pa.field(field.name, arrow_type(field.type), field.nullable) for field in fields]
            )
        case _:
            assert_never(data_type)
