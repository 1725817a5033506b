"""Conversion to VARCHAR, BINARY and BOOLEAN."""

from __future__ import annotations

import binascii
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from icemelt.ingest.conversion.arrays import Kind, kind_of, text_of, trimmed
from icemelt.ingest.conversion.refusals import Taken, refused
from icemelt.schema import Primitive, display

__all__ = ["HEXADECIMAL", "MAX_BINARY_BYTES", "MAX_TEXT_BYTES", "booleans", "bytes_of", "texts"]

HEXADECIMAL = "BINARY takes bytes, and text of hexadecimal digits, two for each byte"
MAX_TEXT_BYTES = 16 * 1024 * 1024
MAX_BINARY_BYTES = 8 * 1024 * 1024
_TRUE = pa.array(["true", "t", "yes", "y", "on", "1"])
_FALSE = pa.array(["false", "f", "no", "n", "off", "0"])


def texts(array: Any, data_type: Primitive) -> Taken:
    """Convert values to text, nested values to JSON text; bytes are refused.

    >>> texts(pa.array([True, None]), Primitive("string")).values.to_pylist()
    ['true', None]
    """
    kind = kind_of(array)
    expected = f"{display(data_type)} takes text, numbers, booleans, dates and times"
    if kind in {Kind.BYTES, Kind.OTHER}:
        return refused(array, pa.string(), expected)
    found = text_of(array)
    taken = Taken(found)
    if kind in {Kind.LIST, Kind.MAP, Kind.STRUCT}:
        taken = taken.without(pc.and_(pc.is_null(found), pc.is_valid(array)), array, expected)
    if found.nbytes <= min(MAX_TEXT_BYTES, data_type.length or MAX_TEXT_BYTES):
        return taken
    sizes = pc.binary_length(found)
    largest = pc.max(sizes).as_py() or 0
    if largest > MAX_TEXT_BYTES:
        expected = f"VARCHAR takes at most {MAX_TEXT_BYTES} bytes"
        taken = taken.without(pc.greater(sizes, MAX_TEXT_BYTES), array, expected)
    if data_type.length is None or largest <= data_type.length:
        return taken
    too_long = pc.greater(pc.utf8_length(taken.values), data_type.length)
    return taken.without(
        too_long, array, f"{display(data_type)} takes at most that many characters"
    )


def bytes_of(array: Any) -> Taken:
    r"""Convert bytes, and text of hexadecimal digits, to BINARY.

    >>> bytes_of(pa.array(["00fF", "abc"])).values.to_pylist()
    [b'\x00\xff', None]
    """
    match kind_of(array):
        case Kind.BYTES:
            taken = Taken(array)
        case Kind.STRING:
            hexadecimal = pc.match_substring_regex(array, "^([0-9a-fA-F]{2})*$")
            digits = Taken(array).without(pc.invert(hexadecimal), array, HEXADECIMAL)
            taken = digits.holding(_decoded(digits.values))
        case _:
            return refused(array, pa.binary(), HEXADECIMAL)
    sizes = pc.binary_length(taken.values)
    if (pc.max(sizes).as_py() or 0) <= MAX_BINARY_BYTES:
        return taken
    expected = f"BINARY takes at most {MAX_BINARY_BYTES} bytes"
    return taken.without(pc.greater(sizes, MAX_BINARY_BYTES), array, expected)


def booleans(array: Any) -> Taken:
    """Convert booleans, numbers (0 is false) and words to BOOLEAN.

    >>> booleans(pa.array(["Yes", " off ", "2"])).values.to_pylist()
    [True, False, None]
    """
    expected = (
        "BOOLEAN takes booleans, numbers, and the words true, t, yes, y, on, 1 and their like"
    )
    match kind_of(array):
        case Kind.BOOLEAN:
            return Taken(array)
        case Kind.INTEGER:
            return Taken(pc.not_equal(array, pa.scalar(0, array.type)))
        case Kind.DECIMAL:
            return Taken(pc.not_equal(array, pa.scalar(Decimal(0), array.type)))
        case Kind.FLOAT:
            taken = Taken(array).without(pc.invert(pc.is_finite(array)), array, expected)
            return taken.holding(pc.not_equal(taken.values, pa.scalar(0.0, array.type)))
        case Kind.STRING:
            words = pc.ascii_lower(trimmed(array))
            true, false = pc.is_in(words, _TRUE), pc.is_in(words, _FALSE)
            said = pc.or_(true, false)
            bad = pc.and_(pc.is_valid(array), pc.invert(said))
            return Taken(pc.if_else(said, true, None)).without(bad, array, expected)
        case _:
            return refused(array, pa.bool_(), expected)


def _decoded(digits: Any) -> Any:
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
