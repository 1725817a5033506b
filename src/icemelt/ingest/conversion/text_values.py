"""Conversion to VARCHAR, BINARY and BOOLEAN."""

from __future__ import annotations

import binascii
from decimal import Decimal
from functools import cache
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from icemelt.ingest.conversion.arrays import Kind, kind_of, text_of, trim_texts
from icemelt.ingest.conversion.converted_array import ConvertedArray, reject_all
from icemelt.schema import Primitive, sql_type

__all__ = [
    "HEXADECIMAL",
    "MAX_BINARY_BYTES",
    "MAX_TEXT_BYTES",
    "convert_booleans",
    "convert_bytes",
    "convert_texts",
]

HEXADECIMAL = "BINARY takes bytes, and text of hexadecimal digits, two for each byte"
MAX_TEXT_BYTES = 16 * 1024 * 1024
MAX_BINARY_BYTES = 8 * 1024 * 1024
_TRUE = ("true", "t", "yes", "y", "on", "1")
_FALSE = ("false", "f", "no", "n", "off", "0")


def convert_texts(array: Any, data_type: Primitive) -> ConvertedArray:
    """Convert values to text, nested values to JSON text; bytes are refused.

    >>> convert_texts(pa.array([True, None]), Primitive("string")).values.to_pylist()
    ['true', None]
    """
    kind = kind_of(array)
    expected = f"{sql_type(data_type)} takes text, numbers, booleans, dates and times"
    if kind in {Kind.BYTES, Kind.OTHER}:
        return reject_all(array, pa.string(), expected)
    result = text_of(array)
    converted = ConvertedArray(result)
    if kind in {Kind.LIST, Kind.MAP, Kind.STRUCT}:
        converted = converted.reject(
            pc.and_(pc.is_null(result), pc.is_valid(array)), array, expected
        )
    if result.nbytes <= min(MAX_TEXT_BYTES, data_type.length or MAX_TEXT_BYTES):
        return converted
    sizes = pc.binary_length(result)
    largest = pc.max(sizes).as_py() or 0
    if largest > MAX_TEXT_BYTES:
        expected = f"VARCHAR takes at most {MAX_TEXT_BYTES} bytes"
        converted = converted.reject(pc.greater(sizes, MAX_TEXT_BYTES), array, expected)
    if data_type.length is None or largest <= data_type.length:
        return converted
    too_long = pc.greater(pc.utf8_length(converted.values), data_type.length)
    return converted.reject(
        too_long, array, f"{sql_type(data_type)} takes at most that many characters"
    )


def convert_bytes(array: Any) -> ConvertedArray:
    r"""Convert bytes, and text of hexadecimal digits, to BINARY.

    >>> convert_bytes(pa.array(["00fF", "abc"])).values.to_pylist()
    [b'\x00\xff', None]
    """
    match kind_of(array):
        case Kind.BYTES:
            converted = ConvertedArray(array)
        case Kind.STRING:
            hexadecimal = pc.match_substring_regex(array, "^([0-9a-fA-F]{2})*$")
            digits = ConvertedArray(array).reject(pc.invert(hexadecimal), array, HEXADECIMAL)
            converted = digits.with_values(_decode_hexadecimal(digits.values))
        case _:
            return reject_all(array, pa.binary(), HEXADECIMAL)
    sizes = pc.binary_length(converted.values)
    if (pc.max(sizes).as_py() or 0) <= MAX_BINARY_BYTES:
        return converted
    expected = f"BINARY takes at most {MAX_BINARY_BYTES} bytes"
    return converted.reject(pc.greater(sizes, MAX_BINARY_BYTES), array, expected)


def convert_booleans(array: Any) -> ConvertedArray:
    """Convert booleans, numbers (0 is false) and words to BOOLEAN.

    >>> convert_booleans(pa.array(["Yes", " off ", "2"])).values.to_pylist()
    [True, False, None]
    """
    expected = (
        "BOOLEAN takes booleans, numbers, and the words true, t, yes, y, on, 1 and their like"
    )
    match kind_of(array):
        case Kind.BOOLEAN:
            return ConvertedArray(array)
        case Kind.INTEGER:
            return ConvertedArray(pc.not_equal(array, pa.scalar(0, array.type)))
        case Kind.DECIMAL:
            return ConvertedArray(pc.not_equal(array, pa.scalar(Decimal(0), array.type)))
        case Kind.FLOAT:
            converted = ConvertedArray(array).reject(
                pc.invert(pc.is_finite(array)), array, expected
            )
            return converted.with_values(pc.not_equal(converted.values, pa.scalar(0.0, array.type)))
        case Kind.STRING:
            words = pc.ascii_lower(trim_texts(array))
            true, false = (pc.is_in(words, _words(known)) for known in (_TRUE, _FALSE))
            is_known_word = pc.or_(true, false)
            bad = pc.and_(pc.is_valid(array), pc.invert(is_known_word))
            return ConvertedArray(pc.if_else(is_known_word, true, None)).reject(
                bad, array, expected
            )
        case _:
            return reject_all(array, pa.bool_(), expected)


def _decode_hexadecimal(digits: Any) -> Any:
    """Decode all hexadecimal digits of an array as one text, and halve the offsets."""
    filled = pa.concat_arrays([pc.fill_null(digits, "")])
    _, offsets, data = filled.buffers()
    ends = pa.Array.from_buffers(pa.int32(), len(filled) + 1, [None, offsets], offset=filled.offset)
    start, end = ends[0].as_py(), ends[len(filled)].as_py()
    decoded = binascii.unhexlify(memoryview(data)[start:end]) if data is not None else b""
    halved = pc.divide(pc.subtract(ends, pa.scalar(start, pa.int32())), pa.scalar(2, pa.int32()))
    validity = pc.is_valid(digits)
    values = pa.Array.from_buffers(
        pa.binary(), len(filled), [None, halved.buffers()[1], pa.py_buffer(decoded)]
    )
    return pc.if_else(validity, values, None)


@cache
def _words(words: tuple[str, ...]) -> pa.Array:
    # Arrow loads pandas with its first array of Python's values, and a start needs none
    return pa.array(words)
