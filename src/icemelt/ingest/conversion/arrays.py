"""Arrow arrays of any encoding as plain arrays, and their values as text."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from decimal import Decimal
from enum import Enum
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from icemelt.ingest.conversion.converted_array import row_numbers
from icemelt.ingest.conversion.zones import clocks, floor_to_microseconds, offset_text
from icemelt.ingest.json_text import to_json_text

__all__ = [
    "EXACT_IN_DOUBLE",
    "EXTENSIONS",
    "Kind",
    "iterate",
    "json_of",
    "kind_of",
    "list_offsets",
    "lists_of_entries",
    "struct_fields",
    "text_of",
    "to_plain_array",
    "trim_texts",
]

# Every whole number below the limit is a double of its own.
EXACT_IN_DOUBLE = 2**53
# Extension types whose values are more than values of their storage type.
EXTENSIONS = frozenset({"arrow.uuid", "arrow.json", "arrow.bool8"})
# the values that become Python's in one call
_SLICE = 10_000
_TO_MICROSECONDS = {"s": 1_000_000, "ms": 1000, "us": 1}


class Kind(Enum):
    """The kind of an array's values, whatever their width."""

    NOTHING = "NULL"
    BOOLEAN = "a boolean"
    INTEGER = "a whole number"
    FLOAT = "a floating-point number"
    DECIMAL = "a decimal"
    STRING = "a text"
    BYTES = "bytes"
    DATE = "a date"
    TIMESTAMP = "a timestamp"
    TIME = "a time"
    LIST = "an array"
    MAP = "a map"
    STRUCT = "an object"
    OTHER = "another value"


_INTEGERS = (pa.int8(), pa.int16(), pa.int32(), pa.int64())
_UNSIGNED = (pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64())
_DECIMALS = (pa.decimal32(1), pa.decimal64(1), pa.decimal128(1), pa.decimal256(1))
_TYPES = {
    Kind.NOTHING: (pa.null(),),
    Kind.BOOLEAN: (pa.bool_(),),
    Kind.INTEGER: (*_INTEGERS, *_UNSIGNED),
    Kind.FLOAT: (pa.float16(), pa.float32(), pa.float64()),
    Kind.DECIMAL: _DECIMALS,
    Kind.STRING: (pa.string(),),
    Kind.BYTES: (pa.binary(),),
    Kind.DATE: (pa.date32(), pa.date64()),
    Kind.TIMESTAMP: (pa.timestamp("us"),),
    Kind.TIME: (pa.time32("s"), pa.time64("us")),
    Kind.LIST: (pa.list_(pa.null()),),
    Kind.MAP: (pa.map_(pa.string(), pa.string()),),
    Kind.STRUCT: (pa.struct([]),),
}
# by a type's number: the look-up runs several times for every column of every append
_KINDS = {data_type.id: kind for kind, types in _TYPES.items() for data_type in types}
_NEVER_SIMPLER = _KINDS.keys() - {kind.id for kind in (pa.float16(), *_DECIMALS)}


def kind_of(array: Any) -> Kind:
    """Return the kind of a plain array's values.

    >>> kind_of(pa.array([1, 2], pa.uint8()))
    <Kind.INTEGER: 'a whole number'>
    """
    return _KINDS.get(array.type.id, Kind.OTHER)


def to_plain_array(array: Any) -> Any:
    """Return the array without dictionaries, runs, views, extensions and 64-bit offsets.

    The parts of nested types, unions and unknown extensions stay unchanged.

    >>> to_plain_array(pa.array(["a", "b", "a"]).dictionary_encode()).type
    DataType(string)
    """
    kind = array.type
    if kind.id in _NEVER_SIMPLER:
        return array
    if isinstance(kind, pa.BaseExtensionType):
        return _without_extension(array)
    if pa.types.is_dictionary(kind):
        return to_plain_array(array.dictionary_decode())
    if pa.types.is_run_end_encoded(kind):
        return to_plain_array(pc.run_end_decode(array))
    if _is_other_list(kind):
        # Arrow's own cast mixes up the elements of views, and gives NULL parts a wrong length
        missing = pc.is_null(array)
        return pa.ListArray.from_arrays(list_offsets(array), array.flatten(), mask=missing)
    simpler = _simpler(kind)
    return array if simpler is None else array.cast(simpler)


def list_offsets(array: Any) -> Any:
    """Return where every list begins in the flattened elements of all lists that are not NULL.

    >>> list_offsets(pa.array([[1, 2], None, [3]])).to_pylist()
    [0, 2, 2, 3]
    """
    lengths = pc.fill_null(pc.list_value_length(array), 0)
    ends = pc.cumulative_sum(lengths).cast(pa.int32())
    return pa.concat_arrays([pa.array([0], pa.int32()), ends])


def lists_of_entries(array: Any) -> Any:
    """Return a plain array of maps as lists of objects with a key and a value.

    Arrow's own cast gives a wrong length to values that are NULL in all rows.

    >>> maps = pa.array([[("k", 1)], None], pa.map_(pa.string(), pa.int64()))
    >>> lists_of_entries(maps).to_pylist()
    [[{'key': 'k', 'value': 1}], None]
    """
    fields = [array.type.key_field, array.type.item_field]
    entries = pa.StructArray.from_arrays([array.keys, array.items], fields=fields)
    # the first two buffers are the maps' own: which are NULL, and where each begins
    buffers = array.buffers()[:2]
    return pa.ListArray.from_buffers(
        pa.list_(entries.type), len(array), buffers, offset=array.offset, children=[entries]
    )


def struct_fields(array: Any) -> list[Any]:
    """Return the fields of a plain array of objects; the fields of a NULL object are NULL.

    >>> struct_fields(pa.array([{"a": 1}, None]))[0].to_pylist()
    [1, None]
    """
    fields = [array.field(index) for index in range(array.type.num_fields)]
    if not any(pa.types.is_union(field.type) for field in fields):
        flat: list[Any] = array.flatten()
        return flat
    # a union has no NULL of its own: `flatten` would end the process
    valid_rows = pc.if_else(pc.is_valid(array), row_numbers(len(array)), None)
    return [field.take(valid_rows) for field in fields]


def text_of(array: Any) -> Any:
    """Return the values of a plain array as text, as VARCHAR stores the values.

    - A floating-point number is the shortest text to read the same number from.
    - A decimal has the digits of its scale and no exponent.
    - A time is ISO text, bytes are hexadecimal digits, a nested value is JSON text.
    - A nested value without JSON text becomes NULL: a value with bytes, NaN or infinity inside.

    >>> text_of(pa.array([1.0, 0.1, 1e300])).to_pylist()
    ['1', '0.1', '1e+300']
    """
    match kind_of(array):
        case Kind.STRING:
            return array
        case Kind.FLOAT:
            return _float_text(array)
        case Kind.DECIMAL:
            return _decimal_text(array)
        case Kind.TIMESTAMP:
            return _timestamp_text(array)
        case Kind.TIME:
            return pc.replace_substring_regex(array.cast(pa.string()), r"\.0+$", "")
        case Kind.BYTES:
            return _each(array, bytes.hex)
        case Kind.LIST | Kind.MAP | Kind.STRUCT:
            return _nested_text(array)
        case Kind.OTHER:
            return _each(array, str)
        case _:
            return array.cast(pa.string())


def iterate(array: Any) -> Iterator[Any]:
    """Yield the values of an array, made in slices: one call for all would stop other threads.

    >>> list(iterate(pa.array(["a", None])))
    ['a', None]
    """
    for start in range(0, len(array), _SLICE):
        yield from array.slice(start, _SLICE).to_pylist()


def trim_texts(texts: Any) -> Any:
    """Return texts without the ASCII spaces around them.

    >>> trim_texts(pa.array([" 1", "2"])).to_pylist()
    ['1', '2']
    """
    return pc.ascii_trim_whitespace(texts)


def _without_extension(array: Any) -> Any:
    match array.type.extension_name:
        case "arrow.uuid":
            return _each(array.storage, lambda value: str(uuid.UUID(bytes=value)))
        case "arrow.bool8":
            return pc.not_equal(array.storage, pa.scalar(0, pa.int8()))
        case "arrow.json":
            return to_plain_array(array.storage)
        case _:
            return array


def _is_other_list(kind: Any) -> bool:
    types = pa.types
    views = types.is_list_view, types.is_large_list_view
    return any(check(kind) for check in (*views, types.is_large_list, types.is_fixed_size_list))


def _simpler(kind: Any) -> Any:
    types = pa.types
    if types.is_large_string(kind) or types.is_string_view(kind):
        return pa.string()
    large = types.is_large_binary(kind) or types.is_binary_view(kind)
    if large or types.is_fixed_size_binary(kind):
        return pa.binary()
    if types.is_decimal(kind) and kind.bit_width < pa.decimal128(1).bit_width:
        return pa.decimal128(kind.precision, kind.scale)
    if types.is_decimal(kind) and kind.scale < 0:
        return pa.decimal256(76, 0)
    if types.is_float16(kind):
        return pa.float32()
    return None


def _float_text(array: Any) -> Any:
    whole = pc.and_(
        pc.less(pc.abs(array), pa.scalar(float(EXACT_IN_DOUBLE), array.type)),
        pc.equal(pc.floor(array), array),
    )
    texts = array.cast(pa.string())
    if pc.any(whole).as_py():
        digits = pc.if_else(whole, array, None).cast(pa.int64()).cast(pa.string())
        texts = pc.coalesce(digits, texts)
    return pc.if_else(pc.is_nan(array), pa.scalar("NaN"), texts)


def _decimal_text(array: Any) -> Any:
    texts = array.cast(pa.string())
    exponents = pc.match_substring(texts, "E")
    if not pc.any(exponents).as_py():
        return texts
    digits = _each(pc.if_else(exponents, texts, None), lambda text: format(Decimal(text), "f"))
    return pc.coalesce(digits, texts)


def _timestamp_text(array: Any) -> Any:
    zone = array.type.tz
    wall = array if zone is None else _zoned_clock(array)
    texts = pc.replace_substring(wall.cast(pa.string()), " ", "T", max_replacements=1)
    texts = pc.replace_substring_regex(texts, r"\.0+$", "")
    if zone is None:
        return texts
    offset = pc.subtract(wall.cast(pa.int64()), _microseconds(array)).dictionary_encode()
    texts_of_offsets = [offset_text(offset_value) for offset_value in offset.dictionary.to_pylist()]
    zones = pa.array(texts_of_offsets, pa.string()).take(offset.indices)
    return pc.binary_join_element_wise(texts, zones, "")


def _zoned_clock(array: Any) -> Any:
    return clocks(_microseconds(array).cast(pa.timestamp("us", "UTC")), array.type.tz)


def _microseconds(array: Any) -> Any:
    ticks = array.cast(pa.int64())
    if array.type.unit == "ns":
        return floor_to_microseconds(ticks)
    return pc.multiply(ticks, _TO_MICROSECONDS[array.type.unit])


def _nested_text(array: Any) -> Any:
    return pa.array([_json_or_none(scalar) for scalar in array], pa.string())


def json_of(scalar: Any) -> str:
    """Return a scalar of any type as JSON; a value without JSON form becomes a text.

    >>> json_of(pa.scalar([1, None])), json_of(pa.scalar(float("nan"))), json_of(pa.scalar(b"a"))
    ('[1,null]', '"nan"', '"61"')
    """
    for value in (_python, lambda found: found.as_py(), lambda found: str(found.as_py())):
        try:
            return to_json_text(value(scalar))
        except (ValueError, OverflowError, pa.ArrowException):
            continue
    return to_json_text(str(scalar.type))


def _json_or_none(scalar: Any) -> str | None:
    if not scalar.is_valid:
        return None
    try:
        return to_json_text(_python(scalar))
    except (ValueError, OverflowError):
        return None


def _python(scalar: Any) -> Any:
    """Return a nested value as Python data for JSON: maps as objects, scalars as plain values."""
    if not scalar.is_valid:
        return None
    match scalar:
        case pa.ExtensionScalar():
            return _python(_without_extension_type(scalar))
        case pa.UnionScalar():
            return _python(scalar.value)
        case pa.StructScalar():
            return {name: _python(member) for name, member in scalar.items()}
        case pa.MapScalar():
            return _members(scalar)
        case pa.ListScalar():
            return [_python(element) for element in scalar.values]
        case pa.DictionaryScalar():
            return _python(scalar.value)
        case pa.TimestampScalar() | pa.Time64Scalar():
            # as text: Python's time values have no nanoseconds
            return text_of(pa.array([scalar.value], scalar.type))[0].as_py()
        case pa.BinaryScalar() if not isinstance(scalar, pa.StringScalar):
            raise ValueError("JSON has no bytes")
        case _:
            return scalar.as_py()


def _without_extension_type(scalar: Any) -> Any:
    if scalar.type.extension_name not in EXTENSIONS:
        raise ValueError(f"JSON has no values of type {scalar.type}")
    storage = pa.array([scalar.value], scalar.type.storage_type)
    return to_plain_array(pa.ExtensionArray.from_storage(scalar.type, storage))[0]


def _members(scalar: Any) -> dict[Any, Any]:
    entries = [(_python(entry["key"]), _python(entry["value"])) for entry in scalar.values]
    if len({key for key, _ in entries}) < len(entries):
        raise ValueError("the map has a key twice")
    return dict(entries)


def _each(array: Any, change: Any) -> Any:
    values = iterate(array)
    return pa.array([None if value is None else change(value) for value in values], pa.string())
