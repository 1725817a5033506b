"""Rows of a result as JSON, made so that other threads go on: by Arrow, or a slice at a time.

A row may have millions of values. A single call that makes Python's objects of all of them, or the
text of all of them, would keep every other thread of the server waiting until its end.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from icemelt.ingest.conversion.arrays import text_of
from icemelt.values import as_json, as_json_key

__all__ = ["to_json"]

# the values, and about the bytes, that become Python's objects in one call
_SLICE_VALUES, _SLICE_BYTES = 2_000, 1 << 20
# the values that one chain of Arrow's calls turns into texts
_ARROW_SLICE_VALUES = 50_000
# how long slices are worked on between two pauses, and how long a pause is
_TURN_SECONDS, _PAUSE_SECONDS = 0.005, 0.000_1
# the microseconds of Python's years
_FIRST_MOMENT, _LAST_MOMENT = -62_135_596_800_000_000, 253_402_300_799_999_999
_ESCAPED = r'["\\\x00-\x1f]'
_encode = json.JSONEncoder(ensure_ascii=False).encode


def to_json(batch: pa.RecordBatch) -> bytes:
    """Return rows as a JSON array; a row is an array of values as `as_json` writes values.

    Raises:
        ValueError: a text is not UTF-8.

    >>> to_json(pa.RecordBatch.from_pydict({"id": [1, 2], "tags": [["a", None], None]}))
    b'[[1,["a",null]],[2,null]]'
    """
    if not batch.num_columns:
        return b"[]"
    rows = _join_parts("[", *_between(",", [_texts(column) for column in batch.columns]), "]")
    rows.validate(full=True)
    [text] = _join_lists(pa.array([0, len(rows)], pa.int32()), rows)
    return b"".join((b"[", text.as_buffer(), b"]"))


def _texts(column: pa.Array) -> pa.StringArray:
    """Return the JSON text of every value of a column; of NULL it is `null`.

    >>> far = pa.array([0, 4_000_000], pa.int32()).cast(pa.date32())
    >>> _texts(far).to_pylist()
    ['"1970-01-01"', '"12921-08-18"']
    >>> _texts(pa.ListArray.from_arrays([0, 2, None, 2], far)).to_pylist()
    ['["1970-01-01","12921-08-18"]', '[]', 'null']
    """
    kind = column.type
    if pa.types.is_struct(kind):
        texts = _texts_of_objects(column)
    elif pa.types.is_map(kind):
        texts = _texts_of_maps(column)
    elif pa.types.is_list(kind) or pa.types.is_large_list(kind):
        texts = _join_parts("[", _join_lists(*_held(column, column.values, _texts)), "]")
    else:
        texts = _texts_of_values(column)
    return pc.if_else(column.is_valid(), texts, "null")


def _texts_of_values(column: pa.Array) -> pa.StringArray:
    """Return the JSON text of every value of a column without arrays, maps and objects."""
    kind = column.type
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        return column.cast(pa.string())
    if pa.types.is_date32(kind):
        return _join_parts('"', column.cast(pa.string()), '"')
    if pa.types.is_decimal(kind) or _is_moments(column):
        return _join_parts('"', _by_slices(column, text_of, _ARROW_SLICE_VALUES), '"')
    if pa.types.is_float32(kind) or pa.types.is_float64(kind):
        return _by_slices(column, _texts_of_floats)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return _by_slices(column, _quote_texts)
    try:
        return _by_slices(column, _write_each(as_json))
    except (OverflowError, ValueError):
        if not pa.types.is_temporal(kind):
            raise
        # a time unknown to Python
        texts = pc.replace_substring(column.cast(pa.string()), " ", "T")
        return _join_parts('"', texts, '"')


def _texts_of_objects(column: pa.Array) -> pa.StringArray:
    # of two fields of one name the last counts, as of two keys of a dict
    names = [field.name for field in column.type]
    fields = dict(zip(names, column.flatten(), strict=True))
    if not fields:
        return pc.if_else(column.is_valid(), "{}", "null")
    members = [_join_parts(f"{_encode(name)}:", _texts(field)) for name, field in fields.items()]
    return _join_parts("{", *_between(",", members), "}")


def _texts_of_maps(column: pa.Array) -> pa.StringArray:
    """Return maps as objects; of an empty map it is `[]`."""
    offsets, keys = _held(column, column.keys, _texts_of_keys)
    _, items = _held(column, column.items, _texts)
    members = _join_lists(offsets, _join_parts(keys, ":", items))
    is_empty = pc.equal(pc.subtract(offsets[1:], offsets[:-1]), 0)
    return pc.if_else(is_empty, "[]", _join_parts("{", members, "}"))


def _held(
    column: pa.Array, inner: pa.Array, to_texts: Callable[[pa.Array], pa.StringArray]
) -> tuple[pa.Array, pa.StringArray]:
    """Return the texts of the inner values that the lists hold, and the lists' offsets in them."""
    start, end = column.offsets[0].as_py(), column.offsets[-1].as_py()
    offsets = pc.subtract(column.offsets, column.offsets[0]).cast(pa.int32())
    return offsets, to_texts(inner.slice(start, end - start))


def _texts_of_keys(keys: pa.Array) -> pa.StringArray:
    try:
        return _by_slices(keys, _write_each(as_json_key))
    except (OverflowError, ValueError):
        # a date unknown to Python
        return _texts(keys)


def _by_slices(
    column: pa.Array,
    to_texts: Callable[[pa.Array], pa.StringArray],
    most: int = _SLICE_VALUES,
) -> pa.StringArray:
    """Return the texts of a column; `to_texts` gets at most `most` values at a time."""
    step = max(1, min(most, _SLICE_BYTES * len(column) // max(1, column.nbytes)))
    slices = (column.slice(start, step) for start in range(0, len(column), step))
    return pa.concat_arrays([pa.array([], pa.string()), *map(to_texts, _in_turns(slices))])


def _in_turns(slices: Iterable[pa.Array]) -> Iterator[pa.Array]:
    """Yield slices, and let other threads go on every few milliseconds.

    Arrow's short calls give Python's lock away for an instant, too short for a waiting thread to
    wake up, and each time the wait begins anew: without pauses it may wait for all slices.
    """
    began = time.perf_counter()
    for each in slices:
        if time.perf_counter() - began > _TURN_SECONDS:
            time.sleep(_PAUSE_SECONDS)
            began = time.perf_counter()
        yield each


def _write_each(write: Callable[[Any], str]) -> Callable[[pa.Array], pa.StringArray]:
    """Return a function that writes every value as Python's object."""
    return lambda values: pa.array(
        [None if value is None else write(value) for value in values.to_pylist()], pa.string()
    )


def _is_moments(column: pa.Array) -> bool:
    """Tell whether a column has timestamps in microseconds, and Python has the years of all."""
    kind = column.type
    if not pa.types.is_timestamp(kind) or kind.unit != "us":
        return False
    ticks = pc.min_max(column.cast(pa.int64()))
    first, last = ticks["min"].as_py(), ticks["max"].as_py()
    return first is None or (first >= _FIRST_MOMENT and last <= _LAST_MOMENT)


def _quote_texts(texts: pa.Array) -> pa.StringArray:
    if pc.any(pc.match_substring_regex(texts, _ESCAPED)).as_py():
        return _write_each(_quote)(texts)
    return _join_parts('"', texts.cast(pa.string()), '"')


def _quote(text: str) -> str:
    """Return a text as a JSON string; a long text piece by piece."""
    starts = range(0, len(text), _SLICE_BYTES)
    return f'"{"".join(_encode(text[at : at + _SLICE_BYTES])[1:-1] for at in starts)}"'


def _texts_of_floats(values: pa.Array) -> pa.StringArray:
    if values.null_count or not pc.all(pc.is_finite(values)).as_py():
        return _write_each(as_json)(values)
    return pa.array(map(float.__repr__, values.to_pylist()), pa.string())


def _between(separator: str, parts: list[pa.StringArray]) -> list[pa.StringArray | str]:
    """Return the parts with the separator between each two."""
    return [each for part in parts for each in (separator, part)][1:]


def _join_parts(*parts: pa.StringArray | str) -> pa.StringArray:
    """Join texts element by element; NULL where a part is NULL."""
    return pc.binary_join_element_wise(*parts, "")


def _join_lists(offsets: pa.Array, texts: pa.StringArray) -> pa.StringArray:
    """Join the texts of each list by commas."""
    return pc.binary_join(pa.ListArray.from_arrays(offsets, texts), ",")
