"""Conversion to arrays, maps and objects: from nested Arrow of the same shape, or from JSON text.

Inside a nested Arrow value a text is a string, even if the part's type is VARIANT.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from icemelt.ingest.conversion.arrays import (
    Kind,
    iterate,
    kind_of,
    list_offsets,
    lists_of_entries,
    struct_fields,
    to_plain_array,
)
from icemelt.ingest.conversion.arrow_types import arrow_type
from icemelt.ingest.conversion.converted_array import (
    ConversionError,
    ConvertedArray,
    distinct_places,
    reject_all,
    row_numbers,
)
from icemelt.ingest.conversion.shapes import build_nested_array
from icemelt.ingest.conversion.unions import reject_values, split_union
from icemelt.ingest.conversion.variants import json_strings
from icemelt.ingest.json_text import parse_json
from icemelt.names import fold
from icemelt.schema import DataType, ListType, MapType, Primitive, StructType, sql_type

__all__ = ["PartOrigin", "convert_nested"]

_SHOWN = 60


class PartOrigin(Enum):
    """The origin of a nested part: the origin decides the meaning of a text for VARIANT."""

    ARROW = "a text is a string"
    JSON = "a text is JSON"


# Converts a part as any value of the part's type.
Convert = Callable[[Any, DataType, PartOrigin], ConvertedArray]
_Part = Callable[[Any, DataType], ConvertedArray]


def convert_nested(
    array: Any,
    data_type: ListType | MapType | StructType,
    convert: Convert,
    inside: PartOrigin = PartOrigin.ARROW,
) -> ConvertedArray:
    """Convert an array to a nested type.

    Args:
        array: a plain array: lists, maps, objects or JSON texts.
        data_type: the type to convert to.
        convert: converts the parts: elements, keys, values and fields.
        inside: the origin of the parts.
    """
    kind = kind_of(array)
    part = functools.partial(_convert_part, convert=convert, inside=inside)
    if kind is Kind.STRING:
        return _convert_json(array, data_type, convert)
    match data_type, kind:
        case ListType(), Kind.LIST:
            converted = _convert_lists(array, data_type, part)
        case MapType(), Kind.MAP:
            converted = _convert_maps(array, data_type, part)
        case MapType(), Kind.STRUCT:
            converted = _convert_structs_to_maps(array, data_type, part)
        case StructType(), Kind.STRUCT:
            converted = _convert_structs(array, data_type, part)
        case _:
            return reject_all(array, arrow_type(data_type), _expectation(data_type))
    if not converted.errors:
        return converted
    # refused values are removed before the parts are put together again
    rows = row_numbers(len(array))
    bad = pc.is_in(rows, value_set=distinct_places(converted.errors))
    kept = convert_nested(array.take(pc.if_else(bad, None, rows)), data_type, convert, inside)
    return ConvertedArray(kept.values, converted.errors + kept.errors)


def _expectation(data_type: DataType) -> str:
    type_text = sql_type(data_type)
    type_text = type_text if len(type_text) <= _SHOWN else type_text[:_SHOWN] + "…"
    return f"{type_text} takes nested values of that shape, and JSON text of them"


def _convert_part(
    array: Any, data_type: DataType, *, convert: Convert, inside: PartOrigin
) -> ConvertedArray:
    if data_type == Primitive("variant") and inside is PartOrigin.ARROW:
        plain = to_plain_array(array)
        if pa.types.is_union(plain.type):
            again = functools.partial(_convert_part, convert=convert, inside=inside)
            return split_union(plain, lambda _, values: again(values, data_type))
        if kind_of(plain) is Kind.STRING:
            return ConvertedArray(json_strings(plain))
    return convert(array, data_type, inside)


def _convert_lists(array: Any, data_type: ListType, part: _Part) -> ConvertedArray:
    elements = array.flatten()
    converted = part(elements, data_type.element)
    target = arrow_type(data_type)
    if converted.values is elements and array.type.equals(target, check_metadata=True):
        return ConvertedArray(array)
    offsets = list_offsets(array)
    if converted.errors:
        return ConvertedArray(array, _lift_errors(converted.errors, offsets))
    mask = pc.is_null(array)
    return ConvertedArray(
        pa.ListArray.from_arrays(offsets, converted.values, type=target, mask=mask)
    )


def _convert_maps(array: Any, data_type: MapType, part: _Part) -> ConvertedArray:
    entries = lists_of_entries(array)
    keys, items = entries.flatten().flatten()
    converted = part(keys, data_type.key), part(items, data_type.value)
    kept = converted[0].values is keys and converted[1].values is items
    maps = _build_maps(array, data_type, list_offsets(entries), *converted)
    same = array.type.equals(arrow_type(data_type), check_metadata=True)
    return ConvertedArray(array) if kept and same and not maps.errors else maps


def _convert_structs_to_maps(array: Any, data_type: MapType, part: _Part) -> ConvertedArray:
    """Convert objects to maps with the field names as keys."""
    names = [field.name for field in array.type]
    converted = [part(field, data_type.value) for field in struct_fields(array)]
    # other rows decide the order of the fields: the names decide which field is told first
    by_name = sorted(range(len(names)), key=names.__getitem__)
    errors = tuple(error for index in by_name for error in converted[index].errors)
    if errors:
        return ConvertedArray(array, errors)
    rows, width = pc.indices_nonzero(pc.is_valid(array)), len(names)
    entries = row_numbers(len(rows) * width)
    row_position = pc.divide(entries, max(width, 1))
    field = pc.subtract(entries, pc.multiply(row_position, width))
    keys = pa.array(names, pa.string()).take(field)
    none = pa.nulls(0, arrow_type(data_type.value))
    values = pa.concat_arrays([none, *(converted_field.values for converted_field in converted)])
    items = ConvertedArray(
        values.take(pc.add(pc.multiply(field, len(array)), rows.take(row_position)))
    )
    lengths = pc.multiply(pc.is_valid(array).cast(pa.int32()), width)
    ends = pc.cumulative_sum(lengths).cast(pa.int32())
    offsets = pa.concat_arrays([pa.array([0], pa.int32()), ends])
    return _build_maps(array, data_type, offsets, part(keys, data_type.key), items)


def _build_maps(
    array: Any, data_type: MapType, offsets: Any, keys: ConvertedArray, items: ConvertedArray
) -> ConvertedArray:
    """Return maps of keys and values; the map of a NULL in `array` is NULL."""
    keys = _reject_missing(keys, items.values, "A map has a key for each value")
    twice = _is_repeated_key(keys.values, offsets)
    keys = keys.reject(twice, keys.values, "A map has each key once")
    errors = keys.errors + items.errors
    if errors:
        return ConvertedArray(array, _lift_errors(errors, offsets))
    target, missing = arrow_type(data_type), pc.is_null(array)
    values = pa.MapArray.from_arrays(offsets, keys.values, items.values, type=target, mask=missing)
    return ConvertedArray(values)


def _convert_structs(array: Any, data_type: StructType, part: _Part) -> ConvertedArray:
    parts = dict(enumerate(struct_fields(array)))
    names = [array.type.field(index).name for index in parts]
    matched = _match_names(names, [field.name for field in data_type.fields])
    target = arrow_type(data_type)
    values: list[Any] = []
    errors: tuple[ConversionError, ...] = ()
    for index, field in enumerate(data_type.fields):
        source = matched[index]
        kind = target.field(index).type
        if source is None:
            converted = ConvertedArray(pa.nulls(len(array), kind))
        else:
            converted = part(parts.pop(source), field.type)
        if not field.nullable:
            expected = f"Field {field.name[:_SHOWN]!r} takes no NULL"
            converted = _reject_missing(converted, converted.values, expected, array)
        values.append(converted.values)
        errors += converted.errors
    # other rows decide the order of the fields
    for index, unknown in sorted(parts.items(), key=lambda part: names[part[0]]):
        expected = f"The object has no field {names[index][:_SHOWN]!r}"
        errors += reject_values(unknown, expected).errors
    if errors:
        return ConvertedArray(array, errors)
    return ConvertedArray(
        pa.StructArray.from_arrays(values, fields=list(target), mask=pc.is_null(array))
    )


def _reject_missing(
    converted: ConvertedArray, source: Any, expected: str, within: Any = None
) -> ConvertedArray:
    """Refuse the values that are NULL, and not refused before.

    Args:
        converted: the values, with those refused before.
        source: the values to show in the error text.
        expected: what is expected, for the error text.
        within: an array of the objects that have the values; a NULL object needs no value.
    """
    missing = pc.is_null(converted.values)
    if within is not None:
        missing = pc.and_(missing, pc.is_valid(within))
    if converted.errors:
        rows = row_numbers(len(converted.values))
        refused = pc.is_in(rows, value_set=distinct_places(converted.errors))
        missing = pc.and_not(missing, refused)
    return converted.reject(missing, source, expected)


def _match_names(names: Sequence[str], wanted: Sequence[str]) -> list[int | None]:
    """Return for every wanted name the index of the name, or of a name in another case."""
    exact = {name: index for index, name in reversed(list(enumerate(names)))}
    used = {exact[name] for name in wanted if name in exact}
    folded = {
        fold(name): index for index, name in reversed(list(enumerate(names))) if index not in used
    }
    return [exact.get(name, folded.get(fold(name))) for name in wanted]


def _convert_json(
    array: Any, data_type: ListType | MapType | StructType, convert: Convert
) -> ConvertedArray:
    shape = list if isinstance(data_type, ListType) else dict
    values = [_parse_shape(text, shape) for text in iterate(array)]
    bad = pa.array([value is _WRONG for value in values], pa.bool_())
    objects = [None if value is _WRONG else value for value in values]
    converted = convert_nested(
        build_nested_array(objects, data_type), data_type, convert, PartOrigin.JSON
    )
    wrong = ConvertedArray(array).reject(bad, array, _expectation(data_type))
    return ConvertedArray(converted.values, wrong.errors + converted.errors)


_WRONG = object()


def _parse_shape(text: str | None, shape: type) -> Any:
    if text is None:
        return None
    try:
        value = parse_json(text)
    except ValueError:
        return _WRONG
    return value if value is None or isinstance(value, shape) else _WRONG


def _parents(offsets: Any) -> Any:
    count = offsets[len(offsets) - 1].as_py()
    return pc.list_parent_indices(pa.ListArray.from_arrays(offsets, pa.nulls(count)))


def _lift_errors(errors: Sequence[ConversionError], offsets: Any) -> tuple[ConversionError, ...]:
    """Return errors of lists for errors of their elements: the first bad element of a list counts.

    The order of `errors` follows from the values of all rows; the place of an element does not.
    """
    parents = _parents(offsets)
    places = pa.chunked_array([error.places for error in errors], pa.uint64())
    bad = pa.table({"list": parents.take(places), "place": places})
    first = bad.group_by("list").aggregate([("place", "min")])["place_min"].combine_chunks()
    return tuple(error.among(first).lift_to(parents) for error in errors)


def _is_repeated_key(keys: Any, offsets: Any) -> Any:
    """Tell for every key whether an earlier entry of the same map has an equal key."""
    parents = _parents(offsets)
    entries = pa.table({"map": parents, "key": keys, "place": row_numbers(len(keys))})
    first = entries.group_by(["map", "key"]).aggregate([("place", "min")])
    places = row_numbers(len(keys))
    if first.num_rows == len(keys):
        return pc.is_null(places)
    return pc.invert(pc.is_in(places, value_set=first["place_min"].combine_chunks()))
