"""A table's columns as JSON data: a client gets the columns at an opening, and checks rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, assert_never

from icemelt.schema import (
    Column,
    DataType,
    DecimalType,
    ListType,
    MapType,
    NestedField,
    Primitive,
    StructType,
)

__all__ = ["columns_of", "to_documents"]


def to_documents(columns: Sequence[Column]) -> list[dict[str, Any]]:
    """Return columns as JSON data.

    >>> to_documents([Column("n", Primitive("long"), default="1")])
    [{'name': 'n', 'type': {'primitive': 'long', 'length': None}, 'nullable': True, 'default': '1'}]
    """
    return [
        {
            "name": column.name,
            "type": _document(column.type),
            "nullable": column.nullable,
            "default": column.default,
        }
        for column in columns
    ]


def columns_of(documents_of_columns: Sequence[Mapping[str, Any]]) -> tuple[Column, ...]:
    """Return the columns of JSON data made by `to_documents`.

    >>> columns = (Column("at", ListType(DecimalType(10, 2)), default="array(1.5)"),)
    >>> columns_of(to_documents(columns)) == columns
    True
    """
    return tuple(
        Column(
            document["name"],
            _type(document["type"]),
            document["nullable"],
            document["default"],
        )
        for document in documents_of_columns
    )


def _document(data_type: DataType) -> dict[str, Any]:
    match data_type:
        case Primitive(name, length):
            return {"primitive": name, "length": length}
        case DecimalType(precision, scale):
            return {"decimal": [precision, scale]}
        case ListType(element):
            return {"list": _document(element)}
        case MapType(key, value):
            return {"map": [_document(key), _document(value)]}
        case StructType(fields):
            parts = [
                {"name": field.name, "type": _document(field.type), "nullable": field.nullable}
                for field in fields
            ]
            return {"struct": parts}
        case _:
            assert_never(data_type)


def _type(document: Mapping[str, Any]) -> DataType:
    match document:
        case {"primitive": name, "length": length}:
            return Primitive(name, length)
        case {"decimal": [precision, scale]}:
            return DecimalType(precision, scale)
        case {"list": element}:
            return ListType(_type(element))
        case {"map": [key, value]}:
            return MapType(_type(key), _type(value))
        case {"struct": fields}:
            return StructType(
                tuple(NestedField(f["name"], _type(f["type"]), f["nullable"]) for f in fields)
            )
        case _:
            raise ValueError(f"No type of a column: {document}")
