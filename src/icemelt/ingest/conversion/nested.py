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

from icemelt.ingest.conversion.arrays import Kind, kind_of, list_offsets, members, plain
from icemelt.ingest.conversion.arrow_types import arrow_type
from icemelt.ingest.conversion.refusals import Refusal, Taken, distinct_places, numbered, refused
from icemelt.ingest.conversion.shapes import shaped
from icemelt.ingest.conversion.unions import apart, each_refused
from icemelt.ingest.conversion.variants import json_strings
from icemelt.ingest.json_text import parse_json
from icemelt.names import fold
from icemelt.schema import DataType, ListType, MapType, Primitive, StructType, display

__all__ = ["Inside", "nested"]

_SHOWN = 60


class Inside(Enum):
    """The origin of a nested part: the origin decides the meaning of a text for VARIANT."""

    ARROW = "a text is a string"
    JSON = "a text is JSON"


# How a part is converted: as any value of its type.
Convert = Callable[[Any, DataType, Inside], Taken]
_Part = Callable[[Any, DataType], Taken]


def nested(
    array: Any,
    data_type: ListType | MapType | StructType,
    convert: Convert,
    inside: Inside = Inside.ARROW,
) -> Taken:
    """Convert an array to a nested type.

    Args:
        array: a plain array: lists, maps, objects or JSON texts.
        data_type: the type to convert to.
        convert: converts the parts: elements, keys, values and fields.
        inside: the origin of the parts.
    """
    kind = kind_of(array)
    part = functools.partial(_part, convert=convert, inside=inside)
    if kind is Kind.STRING:
        return _of_json(array, data_type, convert)
    match data_type, kind:
        case ListType(), Kind.LIST:
            taken = _lists(array, data_type, part)
        case MapType(), Kind.MAP:
            taken = _maps(array, data_type, part)
        case MapType(), Kind.STRUCT:
            taken = _maps_of_structs(array, data_type, part)
        case StructType(), Kind.STRUCT:
            taken = _structs(array, data_type, part)
        case _:
            return refused(array, arrow_type(data_type), _expected(data_type))
    if not taken.refusals:
        return taken
    # what is refused is taken out before the parts are put together again
    rows = numbered(len(array))
    bad = pc.is_in(rows, value_set=distinct_places(taken.refusals))
    kept = nested(array.take(pc.if_else(bad, None, rows)), data_type, convert, inside)
    return Taken(kept.values, taken.refusals + kept.refusals)


def _expected(data_type: DataType) -> str:
    shown = display(data_type)
    shown = shown if len(shown) <= _SHOWN else shown[:_SHOWN] + "…"
    return f"{shown} takes nested values of that shape, and JSON text of them"


def _part(array: Any, data_type: DataType, *, convert: Convert, inside: Inside) -> Taken:
    if data_type == Primitive("variant") and inside is Inside.ARROW:
        found = plain(array)
        if pa.types.is_union(found.type):
            again = functools.partial(_part, convert=convert, inside=inside)
            return apart(found, lambda _, values: again(values, data_type))
        if kind_of(found) is Kind.STRING:
            return Taken(json_strings(found))
    return convert(array, data_type, inside)


def _lists(array: Any, data_type: ListType, part: _Part) -> Taken:
    elements = array.flatten()
    taken = part(elements, data_type.element)
    target = arrow_type(data_type)
    if taken.values is elements and array.type.equals(target, check_metadata=True):
        return Taken(array)
    offsets = list_offsets(array)
    if taken.refusals:
        return Taken(array, _lifted(taken.refusals, offsets))
    mask = pc.is_null(array)
    return Taken(pa.ListArray.from_arrays(offsets, taken.values, type=target, mask=mask))


def _maps(array: Any, data_type: MapType, part: _Part) -> Taken:
    entries = array.cast(pa.list_(array.type.field(0)))
    keys, items = entries.flatten().flatten()
    taken = part(keys, data_type.key), part(items, data_type.value)
    kept = taken[0].values is keys and taken[1].values is items
    found = _joined(array, data_type, list_offsets(entries), *taken)
    same = array.type.equals(arrow_type(data_type), check_metadata=True)
    return Taken(array) if kept and same and not found.refusals else found


def _maps_of_structs(array: Any, data_type: MapType, part: _Part) -> Taken:
    """Convert objects to maps with the field names as keys."""
    names = [field.name for field in array.type]
    taken = [part(field, data_type.value) for field in members(array)]
    refusals = tuple(refusal for each in taken for refusal in each.refusals)
    if refusals:
        return Taken(array, refusals)
    rows, width = pc.indices_nonzero(pc.is_valid(array)), len(names)
    entries = numbered(len(rows) * width)
    place = pc.divide(entries, max(width, 1))
    field = pc.subtract(entries, pc.multiply(place, width))
    keys = pa.array(names, pa.string()).take(field)
    none = pa.nulls(0, arrow_type(data_type.value))
    values = pa.concat_arrays([none, *(each.values for each in taken)])
    items = Taken(values.take(pc.add(pc.multiply(field, len(array)), rows.take(place))))
    lengths = pc.multiply(pc.is_valid(array).cast(pa.int32()), width)
    ends = pc.cumulative_sum(lengths).cast(pa.int32())
    offsets = pa.concat_arrays([pa.array([0], pa.int32()), ends])
    return _joined(array, data_type, offsets, part(keys, data_type.key), items)


def _joined(array: Any, data_type: MapType, offsets: Any, keys: Taken, items: Taken) -> Taken:
    """Return maps of keys and values; the map of a NULL in `array` is NULL."""
    if not keys.refusals:
        no_key = pc.is_null(keys.values)
        keys = keys.without(no_key, items.values, "A map has a key for each value")
    twice = _repeated(keys.values, offsets)
    keys = keys.without(twice, keys.values, "A map has each key once")
    refusals = keys.refusals + items.refusals
    if refusals:
        return Taken(array, _lifted(refusals, offsets))
    target, missing = arrow_type(data_type), pc.is_null(array)
    values = pa.MapArray.from_arrays(offsets, keys.values, items.values, type=target, mask=missing)
    return Taken(values)


def _structs(array: Any, data_type: StructType, part: _Part) -> Taken:
    parts = dict(enumerate(members(array)))
    names = [array.type.field(index).name for index in parts]
    matched = _matched(names, [field.name for field in data_type.fields])
    target = arrow_type(data_type)
    values: list[Any] = []
    refusals: tuple[Refusal, ...] = ()
    for index, field in enumerate(data_type.fields):
        source = matched[index]
        kind = target.field(index).type
        if source is None:
            taken = Taken(pa.nulls(len(array), kind))
        else:
            taken = part(parts.pop(source), field.type)
        if not field.nullable and not taken.refusals:
            missing = pc.and_(pc.is_null(taken.values), pc.is_valid(array))
            taken = taken.without(
                missing, taken.values, f"Field {field.name[:_SHOWN]!r} takes no NULL"
            )
        values.append(taken.values)
        refusals += taken.refusals
    for index, unknown in parts.items():
        expected = f"The object has no field {names[index][:_SHOWN]!r}"
        refusals += each_refused(unknown, expected).refusals
    if refusals:
        return Taken(array, refusals)
    return Taken(pa.StructArray.from_arrays(values, fields=list(target), mask=pc.is_null(array)))


def _matched(names: Sequence[str], wanted: Sequence[str]) -> list[int | None]:
    """Return for every wanted name the index of the name, or of a name in another case."""
    exact = {name: index for index, name in reversed(list(enumerate(names)))}
    taken = {exact[name] for name in wanted if name in exact}
    folded = {
        fold(name): index for index, name in reversed(list(enumerate(names))) if index not in taken
    }
    return [exact.get(name, folded.get(fold(name))) for name in wanted]


def _of_json(array: Any, data_type: ListType | MapType | StructType, convert: Convert) -> Taken:
    shape = list if isinstance(data_type, ListType) else dict
    found = [_parsed(text, shape) for text in array.to_pylist()]
    bad = pa.array([each is _WRONG for each in found], pa.bool_())
    objects = [None if each is _WRONG else each for each in found]
    taken = nested(shaped(objects, data_type), data_type, convert, Inside.JSON)
    wrong = Taken(array).without(bad, array, _expected(data_type))
    return Taken(taken.values, wrong.refusals + taken.refusals)


_WRONG = object()


def _parsed(text: str | None, shape: type) -> Any:
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


def _lifted(refusals: Sequence[Refusal], offsets: Any) -> tuple[Refusal, ...]:
    parents = _parents(offsets)
    return tuple(each.lifted(parents) for each in refusals)


def _repeated(keys: Any, offsets: Any) -> Any:
    """Tell for every key whether an earlier entry of the same map has an equal key."""
    parents = _parents(offsets)
    entries = pa.table({"map": parents, "key": keys, "place": numbered(len(keys))})
    first = entries.group_by(["map", "key"]).aggregate([("place", "min")])
    places = numbered(len(keys))
    if first.num_rows == len(keys):
        return pc.is_null(places)
    return pc.invert(pc.is_in(places, value_set=first["place_min"].combine_chunks()))
