"""Conversion to VARIANT, stored as JSON text."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from icemelt.ingest.conversion.arrays import Kind, iterate, kind_of, text_of
from icemelt.ingest.conversion.converted_array import ConvertedArray, reject_all
from icemelt.ingest.conversion.text_values import MAX_TEXT_BYTES
from icemelt.ingest.json_text import parse_json, to_json_text

__all__ = ["convert_variants", "json_strings"]

_EXPECTED = "VARIANT takes JSON text, and values other than bytes"
# Numbers, booleans and null: JSON without parsing.
_SIMPLE = r"^(?:-?(?:0|[1-9][0-9]{0,300})(?:\.[0-9]{1,300})?|true|false|null)$"


def convert_variants(array: Any) -> ConvertedArray:
    """Convert JSON text unchanged, and other values to their JSON text.

    >>> convert_variants(pa.array(['{"a": 1}', "{a: 1}"])).values.to_pylist()
    ['{"a": 1}', None]
    >>> convert_variants(pa.array([1.5, None])).values.to_pylist()
    ['1.5', None]
    """
    match kind_of(array):
        case Kind.STRING:
            converted = _of_texts(array)
        case Kind.BOOLEAN | Kind.INTEGER | Kind.DECIMAL:
            return ConvertedArray(text_of(array))
        case Kind.FLOAT:
            expected = "VARIANT takes finite numbers"
            converted = ConvertedArray(array).reject(
                pc.invert(pc.is_finite(array)), array, expected
            )
            return converted.with_values(text_of(converted.values))
        case Kind.DATE | Kind.TIMESTAMP | Kind.TIME:
            return ConvertedArray(pc.binary_join_element_wise('"', text_of(array), '"', ""))
        case Kind.LIST | Kind.MAP | Kind.STRUCT:
            json_texts = text_of(array)
            bad = pc.and_(pc.is_null(json_texts), pc.is_valid(array))
            converted = ConvertedArray(json_texts).reject(bad, array, _EXPECTED)
        case _:
            return reject_all(array, pa.string(), _EXPECTED)
    sizes = pc.binary_length(converted.values)
    if (pc.max(sizes).as_py() or 0) <= MAX_TEXT_BYTES:
        return converted
    expected = f"VARIANT takes at most {MAX_TEXT_BYTES} bytes"
    return converted.reject(pc.greater(sizes, MAX_TEXT_BYTES), array, expected)


def json_strings(texts: Any) -> Any:
    r"""Return texts as JSON strings.

    >>> json_strings(pa.array(['a"b', None])).to_pylist()
    ['"a\\"b"', None]
    """
    return pa.array(
        [None if value is None else to_json_text(value) for value in iterate(texts)], pa.string()
    )


def _of_texts(array: Any) -> ConvertedArray:
    simple = pc.match_substring_regex(array, _SIMPLE)
    if pc.all(simple).as_py():
        return ConvertedArray(array)
    # texts that are too long are refused unread
    is_long = pc.greater(pc.binary_length(array), MAX_TEXT_BYTES)
    rest = pc.if_else(pc.or_(simple, is_long), None, array)
    bad = pa.array([text is not None and not _is_json(text) for text in iterate(rest)], pa.bool_())
    return ConvertedArray(array).reject(bad, array, "VARIANT takes JSON text")


def _is_json(text: str) -> bool:
    try:
        parse_json(text)
    except ValueError:
        return False
    return True
