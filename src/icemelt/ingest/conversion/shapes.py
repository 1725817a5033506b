"""Parsed JSON as Arrow arrays, in the shape of the target type."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

import pyarrow as pa

from icemelt.ingest.conversion.arrays import text_of
from icemelt.ingest.conversion.python_values import array_of
from icemelt.ingest.json_text import to_json_text
from icemelt.names import fold
from icemelt.schema import DataType, ListType, MapType, NestedField, Primitive, StructType

__all__ = ["build_nested_array"]


def build_nested_array(values: Sequence[Any], data_type: DataType) -> Any:
    """Return parsed JSON values as an array nested like the type.

    The parts keep the types of their values. A VARIANT part is JSON text, and so is a part of
    another shape than the type's.

    >>> build_nested_array([[1, 2], None], ListType(Primitive("double"))).to_pylist()
    [[1, 2], None]
    """
    shape = list if isinstance(data_type, ListType) else dict
    fits = all(value is None or isinstance(value, shape) for value in values)
    match data_type:
        case Primitive("variant"):
            return _variants(values)
        case ListType(element) if fits:
            parts = list(itertools.chain.from_iterable(value or () for value in values))
            inner = build_nested_array(parts, element)
            return pa.ListArray.from_arrays(_offsets(values), inner, mask=_missing(values))
        case MapType(_, value_type) if fits:
            keys = [key for value in values for key in value or ()]
            parts = [part for value in values for part in (value or {}).values()]
            inner = pa.array(keys, pa.string()), build_nested_array(parts, value_type)
            return pa.MapArray.from_arrays(_offsets(values), *inner, mask=_missing(values))
        case StructType(fields) if fits:
            return _struct(values, fields)
        case _:
            return array_of(values)


def _variants(values: Sequence[Any]) -> Any:
    """Return values as JSON text; floats are written as VARIANT writes floats."""
    numbers = [value if isinstance(value, float) else None for value in values]
    texts = text_of(pa.array(numbers, pa.float64())).to_pylist()
    for position, value in enumerate(values):
        if value is not None and texts[position] is None:
            texts[position] = to_json_text(value)
    return pa.array(texts, pa.string())


def _struct(values: Sequence[Any], fields: tuple[NestedField, ...]) -> Any:
    named = [_rename_keys(value, fields) if value else {} for value in values]
    types = {field.name: field.type for field in fields}
    unknown = dict.fromkeys(key for value in named for key in value if key not in types)
    parts = {
        name: build_nested_array([value.get(name) for value in named], types[name])
        for name in types
    }
    # the unknown fields only have to be there, to be refused
    parts |= {name: array_of([value.get(name) for value in named]) for name in unknown}
    return pa.StructArray.from_arrays(
        list(parts.values()), names=list(parts), mask=_missing(values)
    )


def _rename_keys(value: dict[str, Any], fields: Iterable[NestedField]) -> dict[str, Any]:
    """Return an object with the field names of the type for keys that differ only by case."""
    free = {fold(field.name): field.name for field in fields if field.name not in value}
    if not free:
        return value
    names = {field.name for field in fields}
    return {
        (key if key in names else free.pop(fold(key), key)): member for key, member in value.items()
    }


def _offsets(values: Sequence[Any]) -> Any:
    lengths = (len(value or ()) for value in values)
    return pa.array(list(itertools.accumulate(lengths, initial=0)), pa.int32())


def _missing(values: Sequence[Any]) -> Any:
    return pa.array([value is None for value in values], pa.bool_())
