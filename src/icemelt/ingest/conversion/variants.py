"""Conversion to VARIANT, stored as JSON text."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from icemelt.ingest.conversion.arrays import Kind, kind_of, text_of
from icemelt.ingest.conversion.refusals import Taken, refused
from icemelt.ingest.conversion.text_values import MAX_TEXT_BYTES
from icemelt.ingest.json_text import json_text, parse_json

__all__ = ["json_strings", "variants"]

_EXPECTED = "VARIANT takes JSON text, and values other than bytes"
# Of these the digits alone say that they are JSON.
_SIMPLE = r"^(?:-?(?:0|[1-9][0-9]{0,300})(?:\.[0-9]{1,300})?|true|false|null)$"


def variants(array: Any) -> Taken:
    """Convert JSON text unchanged, and other values to their JSON text.

    >>> variants(pa.array(['{"a": 1}', "{a: 1}"])).values.to_pylist()
    ['{"a": 1}', None]
    >>> variants(pa.array([1.5, None])).values.to_pylist()
    ['1.5', None]
    """
    match kind_of(array):
        case Kind.STRING:
            taken = _of_texts(array)
        case Kind.BOOLEAN | Kind.INTEGER | Kind.DECIMAL:
            return Taken(text_of(array))
        case Kind.FLOAT:
            expected = "VARIANT takes finite numbers"
            taken = Taken(array).without(pc.invert(pc.is_finite(array)), array, expected)
            return taken.holding(text_of(taken.values))
        case Kind.DATE | Kind.TIMESTAMP | Kind.TIME:
            return Taken(pc.binary_join_element_wise('"', text_of(array), '"', ""))
        case Kind.LIST | Kind.MAP | Kind.STRUCT:
            found = text_of(array)
            bad = pc.and_(pc.is_null(found), pc.is_valid(array))
            taken = Taken(found).without(bad, array, _EXPECTED)
        case _:
            return refused(array, pa.string(), _EXPECTED)
    sizes = pc.binary_length(taken.values)
    if (pc.max(sizes).as_py() or 0) <= MAX_TEXT_BYTES:
        return taken
    expected = f"VARIANT takes at most {MAX_TEXT_BYTES} bytes"
    return taken.without(pc.greater(sizes, MAX_TEXT_BYTES), array, expected)


def json_strings(texts: Any) -> Any:
    r"""Return texts as JSON strings.

    >>> json_strings(pa.array(['a"b', None])).to_pylist()
    ['"a\\"b"', None]
    """
    values = texts.to_pylist()
    return pa.array([None if each is None else json_text(each) for each in values], pa.string())


def _of_texts(array: Any) -> Taken:
    simple = pc.match_substring_regex(array, _SIMPLE)
    if pc.all(simple).as_py():
        return Taken(array)
    rest = pc.if_else(simple, None, array).to_pylist()
    bad = pa.array([text is not None and not _is_json(text) for text in rest], pa.bool_())
    return Taken(array).without(bad, array, "VARIANT takes JSON text")


def _is_json(text: str) -> bool:
    try:
        parse_json(text)
    except ValueError:
        return False
    return True
