"""Conversion of an Arrow array of any type to the type of a column."""

from __future__ import annotations

import functools
from typing import Any, assert_never

import pyarrow as pa

from icemelt.ingest.conversion.arrays import Kind, kind_of, to_plain_array
from icemelt.ingest.conversion.arrow_types import arrow_type
from icemelt.ingest.conversion.converted_array import ConvertedArray, mark_nested_texts, reject_all
from icemelt.ingest.conversion.nested import PartOrigin, convert_nested
from icemelt.ingest.conversion.numbers import convert_decimals, convert_floats, convert_integers
from icemelt.ingest.conversion.text_values import (
    HEXADECIMAL,
    convert_booleans,
    convert_bytes,
    convert_texts,
)
from icemelt.ingest.conversion.times import convert_times
from icemelt.ingest.conversion.unions import split_union
from icemelt.ingest.conversion.value_types import TextStandIn
from icemelt.ingest.conversion.variants import convert_variants, json_strings
from icemelt.schema import DataType, DecimalType, ListType, MapType, Primitive, StructType

__all__ = ["convert_array"]


def convert_array(
    array: Any, data_type: DataType, time_zone: str, inside: PartOrigin = PartOrigin.ARROW
) -> ConvertedArray:
    """Convert an array to a type.

    Args:
        array: an array of any type and encoding.
        data_type: the type to convert to.
        time_zone: the zone of clocks without a zone.
        inside: the origin of the array, if the array is a part of nested values.

    >>> convert_array(pa.array(["1", "x"]), Primitive("int"), "UTC").values.to_pylist()
    [1, None]
    """
    plain = to_plain_array(array)
    if pa.types.is_union(plain.type):
        part = functools.partial(
            _convert_member, data_type=data_type, time_zone=time_zone, inside=inside
        )
        return split_union(plain, part)
    if kind_of(plain) is Kind.NOTHING:
        return ConvertedArray(pa.nulls(len(plain), arrow_type(data_type)))
    match data_type:
        case Primitive():
            return _convert_primitive(plain, data_type, time_zone)
        case DecimalType():
            return convert_decimals(plain, data_type)
        case ListType() | MapType() | StructType():
            return convert_nested(
                plain, data_type, functools.partial(_convert_part, time_zone), inside
            )
        case _:
            assert_never(data_type)


def _convert_member(
    name: str, array: Any, *, data_type: DataType, time_zone: str, inside: PartOrigin
) -> ConvertedArray:
    """Convert the values of one type of a union; a stand-in text is no ordinary text."""
    match name, data_type, kind_of(array):
        case TextStandIn.NUMBER.value, Primitive("binary"), Kind.STRING:
            return reject_all(array, pa.binary(), HEXADECIMAL)
        case TextStandIn.CLOCK.value, Primitive("variant"), Kind.STRING:
            return ConvertedArray(json_strings(array))
        case TextStandIn.NESTED.value, _, Kind.STRING:
            return mark_nested_texts(convert_array(array, data_type, time_zone, inside), array)
        case _:
            return convert_array(array, data_type, time_zone, inside)


def _convert_part(
    time_zone: str, array: Any, data_type: DataType, inside: PartOrigin
) -> ConvertedArray:
    return convert_array(array, data_type, time_zone, inside)


def _convert_primitive(array: Any, data_type: Primitive, time_zone: str) -> ConvertedArray:
    match data_type.name:
        case "boolean":
            return convert_booleans(array)
        case "int" | "long":
            return convert_integers(array, data_type)
        case "float" | "double":
            return convert_floats(array, data_type)
        case "binary":
            return convert_bytes(array)
        case "date" | "timestamp" | "timestamptz":
            return convert_times(array, data_type, time_zone)
        case "variant":
            return convert_variants(array)
        case _:
            return convert_texts(array, data_type)
