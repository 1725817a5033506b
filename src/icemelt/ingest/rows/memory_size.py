"""The size of Arrow arrays once decoded: dictionaries, runs and views name one value many times.

A table stores every value by itself. A text of 10 KB named by 100,000 rows becomes a gigabyte.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from icemelt.ingest.conversion.converted_array import row_numbers

__all__ = ["decoded_size", "viewed_size"]


def decoded_size(array: Any) -> int:
    """Return the bytes of a valid array's decoded values, every value by itself, or a little more.

    >>> decoded_size(pa.array(["abcd", "abcd", "abcd"]).dictionary_encode())
    24
    """
    kind = array.type
    if isinstance(kind, pa.BaseExtensionType):
        return decoded_size(array.storage)
    if pa.types.is_dictionary(kind):
        counts = pc.value_counts(array.indices)
        sizes = _sizes(array.dictionary).take(counts.field("values"))
        return _total(pc.multiply(counts.field("counts"), sizes))
    if pa.types.is_run_end_encoded(kind):
        ends = array.run_ends.cast(pa.int64())
        starts = pa.concat_arrays([pa.array([0], pa.int64()), ends])[: len(ends)]
        return _total(pc.multiply(pc.subtract(ends, starts), _sizes(array.values)))
    if _is_view_of_lists(kind):
        # list views may share their elements
        longest = pc.max(_sizes(array.values)).as_py() or 0
        return int(longest * _total(pc.list_value_length(array)))
    return int(_own_bytes(array)) + sum(map(decoded_size, _parts(array)))


def viewed_size(array: Any) -> int:
    """Return the bytes of the texts named by views, at any level of an array.

    The texts need not be valid: validation takes time in proportion to their bytes.

    >>> viewed_size(pa.array([["a", "bc"], None], pa.list_(pa.string_view())))
    3
    """
    kind = array.type
    if isinstance(kind, pa.BaseExtensionType):
        return viewed_size(array.storage)
    if _is_view(kind):
        return _total(pc.max_element_wise(_lengths(array).cast(pa.int64()), 0))
    if pa.types.is_dictionary(kind):
        return viewed_size(array.dictionary)
    if pa.types.is_run_end_encoded(kind) or _is_view_of_lists(kind):
        return viewed_size(array.values)
    return sum(map(viewed_size, _parts(array)))


def _own_bytes(array: Any) -> int:
    if _is_text(array.type):
        return _total(_sizes(array))
    # at least the offset of a list, and the place of a NULL
    return len(array) * max(_width(array.type), 4)


def _parts(array: Any) -> list[Any]:
    kind = array.type
    if pa.types.is_struct(kind) or pa.types.is_union(kind):
        return [array.field(index) for index in range(kind.num_fields)]
    if pa.types.is_map(kind):
        return [array.keys, array.items]
    is_list = pa.types.is_list(kind) or pa.types.is_large_list(kind)
    return [array.values] if is_list or pa.types.is_fixed_size_list(kind) else []


def _sizes(values: Any) -> Any:
    """Return the bytes of every value; of nested values, the bytes of all values together."""
    if _is_text(values.type):
        return pc.add(pc.fill_null(_lengths(values).cast(pa.int64()), 0), 4)
    size = _width(values.type) or decoded_size(values)
    return pa.repeat(pa.scalar(size, pa.int64()), len(values))


def _lengths(texts: Any) -> Any:
    if not _is_view(texts.type):
        return pc.binary_length(texts)
    # Arrow's own function does not know views: a view has four words, and the first is the length
    words = 4 * (texts.offset + len(texts))
    lengths = pa.Array.from_buffers(pa.int32(), words, [None, texts.buffers()[1]])
    firsts = pc.multiply(pc.add(row_numbers(len(texts)), texts.offset), 4)
    return pc.if_else(pc.is_valid(texts), lengths.take(firsts), 0)


def _width(kind: Any) -> int:
    """Return the bytes of every value of a type, 0 if the values differ in size."""
    types = pa.types
    is_fixed = (
        types.is_primitive(kind) or types.is_decimal(kind) or types.is_fixed_size_binary(kind)
    )
    return -(-kind.bit_width // 8) if is_fixed else 0


def _is_view(kind: Any) -> bool:
    return bool(pa.types.is_string_view(kind) or pa.types.is_binary_view(kind))


def _is_text(kind: Any) -> bool:
    types = pa.types
    plain = types.is_string(kind) or types.is_binary(kind)
    return plain or types.is_large_string(kind) or types.is_large_binary(kind) or _is_view(kind)


def _is_view_of_lists(kind: Any) -> bool:
    return bool(pa.types.is_list_view(kind) or pa.types.is_large_list_view(kind))


def _total(sizes: Any) -> int:
    return pc.sum(sizes).as_py() or 0
