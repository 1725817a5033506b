"""Conversion of an Arrow array of any type to the type of a column."""

from __future__ import annotations

import functools
from typing import Any, assert_never

import pyarrow as pa

from icemelt.ingest.conversion.arrays import Kind, kind_of, plain
from icemelt.ingest.conversion.arrow_types import arrow_type
from icemelt.ingest.conversion.nested import Inside, nested
from icemelt.ingest.conversion.numbers import decimals, floats, integers
from icemelt.ingest.conversion.refusals import Taken, refuse_nested_texts, refused
from icemelt.ingest.conversion.text_values import HEXADECIMAL, booleans, bytes_of, texts
from icemelt.ingest.conversion.times import times
from icemelt.ingest.conversion.unions import apart
from icemelt.ingest.conversion.value_types import Written
from icemelt.ingest.conversion.variants import json_strings, variants
from icemelt.schema import DataType, DecimalType, ListType, MapType, Primitive, StructType

__all__ = ["typed"]


def typed(array: Any, data_type: DataType, time_zone: str, inside: Inside = Inside.ARROW) -> Taken:
    """Convert an array to a type.

    Args:
        array: an array of any type and encoding.
        data_type: the type to convert to.
        time_zone: the zone of clocks without a zone.
        inside: the origin of the array, if the array is a part of nested values.

    >>> typed(pa.array(["1", "x"]), Primitive("int"), "UTC").values.to_pylist()
    [1, None]
    """
    found = plain(array)
    if pa.types.is_union(found.type):
        part = functools.partial(_member, data_type=data_type, time_zone=time_zone, inside=inside)
        return apart(found, part)
    if kind_of(found) is Kind.NOTHING:
        return Taken(pa.nulls(len(found), arrow_type(data_type)))
    match data_type:
        case Primitive():
            return _primitive(found, data_type, time_zone)
        case DecimalType():
            return decimals(found, data_type)
        case ListType() | MapType() | StructType():
            return nested(found, data_type, functools.partial(_part, time_zone), inside)
        case _:
            assert_never(data_type)


def _member(name: str, array: Any, *, data_type: DataType, time_zone: str, inside: Inside) -> Taken:
    """Convert the values of one type of a union; a stand-in text is no ordinary text."""
    match name, data_type, kind_of(array):
        case Written.NUMBER.value, Primitive("binary"), Kind.STRING:
            return refused(array, pa.binary(), HEXADECIMAL)
        case Written.CLOCK.value, Primitive("variant"), Kind.STRING:
            return Taken(json_strings(array))
        case Written.NESTED.value, _, Kind.STRING:
            return refuse_nested_texts(typed(array, data_type, time_zone, inside), array)
        case _:
            return typed(array, data_type, time_zone, inside)


def _part(time_zone: str, array: Any, data_type: DataType, inside: Inside) -> Taken:
    return typed(array, data_type, time_zone, inside)


def _primitive(array: Any, data_type: Primitive, time_zone: str) -> Taken:
    match data_type.name:
        case "boolean":
            return booleans(array)
        case "int" | "long":
            return integers(array, data_type)
        case "float" | "double":
            return floats(array, data_type)
        case "binary":
            return bytes_of(array)
        case "date" | "timestamp" | "timestamptz":
            return times(array, data_type, time_zone)
        case "variant":
            return variants(array)
        case _:
            return texts(array, data_type)
