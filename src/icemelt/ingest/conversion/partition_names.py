"""The sizes of values in the names of partitions' folders.

Iceberg names the folder of a partition `field=value`, URL-encoded (`PartitionSpec.partitionToPath`
and `Transform.toHumanString` have the texts of values).

    type or transform     value                            bytes
    VARCHAR               a+b, %C3%A9                      as encoded
    BINARY                eHh4 (base 64)                   as encoded
    INT, BIGINT, DECIMAL  -17, 0.50                        as many as characters
    DATE, DAY             2024-01-31                       10
    TIMESTAMP_LTZ         2024-01-31T12%3A00%3A05.250Z     17 to 32
    BUCKET(16, …)         7                                2 at most
    NULL                  null                             4
"""

from __future__ import annotations

import base64
from typing import Any
from urllib.parse import quote_plus

import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["NULL_BYTES", "count_bytes", "encode_name"]

NULL_BYTES = 4
# of Java's URLEncoder: the characters that stay one byte, a space included
_UNESCAPED = "[A-Za-z0-9.*_ -]"
_ESCAPED_SIZE = 3
_DATE_BYTES, _LONGEST_BOOLEAN = 10, 5
# `T12%3A00`, `%3A05`, `Z`; a fraction has a point, and three or six digits
_MINUTES_BYTES, _SECONDS_BYTES, _ZONE_BYTES = 8, 5, 1
_MILLIS_BYTES, _MICROS_BYTES = 4, 7
# the longest texts of Java's numbers with a fraction
_LONGEST_FLOAT, _LONGEST_DOUBLE = 15, 24
# of whole numbers by bits; a decimal has a sign and a point, and `E-37` where it begins with zeros
_LONGEST_WHOLE = {32: 11, 64: 20}
_MORE_OF_DECIMAL = 6


def encode_name(text: str) -> str:
    """Return a text as Java's URLEncoder has it, as far as the number of bytes goes."""
    return quote_plus(text, safe="*").replace("~", "%7E")


def count_bytes(values: Any, width: int | None, most: int) -> Any:
    """Return the bytes of each value, as text and URL-encoded, of NULL for NULL.

    Args:
        values: the values of a partitioning column.
        width: the width of TRUNCATE, None for whole values. Truncated numbers are of their type.
        most: the bytes there is room for. The values may have as many and more.

    Returns:
        the numbers of bytes, or None where no value of the type has more than `most`.

    >>> count_bytes(pa.array([5, -17, None], pa.int32()), None, most=2).to_pylist()
    [1, 3, None]
    >>> count_bytes(pa.array([5, -17, None], pa.int32()), 10, most=2).to_pylist()
    [1, 3, None]
    >>> count_bytes(pa.array([5, -17, None], pa.int32()), None, most=11) is None
    True
    """
    kind = values.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return _text_bytes(values, width)
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        return _binary_bytes(values, width, most)
    longest = _find_longest(kind)
    if longest <= most:
        return None
    if pa.types.is_integer(kind):
        return pc.binary_length(pc.cast(_truncate_whole(values, width), pa.string()))
    if pa.types.is_boolean(kind):
        return pc.if_else(values, _LONGEST_BOOLEAN - 1, _LONGEST_BOOLEAN)
    if pa.types.is_timestamp(kind):
        return _timestamp_bytes(values)
    if pa.types.is_decimal(kind):
        return _decimal_bytes(values, width)
    return pc.if_else(pc.is_valid(values), pa.scalar(longest), pa.scalar(None, pa.int64()))


def _find_longest(kind: Any) -> int:
    """Return the bytes of the longest text of a type with a bound."""
    if pa.types.is_boolean(kind):
        return _LONGEST_BOOLEAN
    if pa.types.is_integer(kind):
        return _LONGEST_WHOLE[max(kind.bit_width, 32)]
    if pa.types.is_decimal(kind):
        return int(kind.precision) + _MORE_OF_DECIMAL
    if pa.types.is_date(kind):
        return _DATE_BYTES
    if pa.types.is_timestamp(kind):
        return _DATE_BYTES + _MINUTES_BYTES + _SECONDS_BYTES + _MICROS_BYTES + _ZONE_BYTES
    return _LONGEST_FLOAT if pa.types.is_float32(kind) else _LONGEST_DOUBLE


def _truncate_whole(values: Any, width: int | None) -> Any:
    """Return whole numbers as the multiples of a width at or below them."""
    if width is None:
        return values
    values = pc.cast(values, pa.int64())
    multiples = pc.multiply(pc.divide(values, width), width)
    # division is towards zero
    is_above = pc.greater(multiples, values)
    return pc.if_else(is_above, pc.subtract(multiples, width), multiples)


def _decimal_bytes(values: Any, width: int | None) -> Any:
    """Return the bytes of decimals; of truncated ones below zero as many as they may have."""
    sizes = pc.binary_length(pc.cast(values, pa.string()))
    if width is None:
        return sizes
    is_below_zero = pc.less(values, pa.scalar(0).cast(values.type))
    return pc.add(sizes, pc.cast(is_below_zero, pa.int32()))


def _timestamp_bytes(values: Any) -> Any:
    """Return the bytes of timestamps as Java writes them: seconds and fractions only if needed."""
    zone = 0 if values.type.tz is None else _ZONE_BYTES
    micros = pc.cast(pc.cast(values, pa.timestamp("us", values.type.tz)), pa.int64())
    thirds = [_divides(micros, by) for by in (60_000_000, 1_000_000, 1_000)]
    has_minutes, has_seconds, has_millis = thirds
    fraction = pc.if_else(has_seconds, 0, pc.if_else(has_millis, _MILLIS_BYTES, _MICROS_BYTES))
    seconds = pc.if_else(has_minutes, 0, pc.add(fraction, _SECONDS_BYTES))
    return pc.add(seconds, _DATE_BYTES + _MINUTES_BYTES + zone)


def _divides(values: Any, by: int) -> Any:
    """Tell which whole numbers are multiples of a number."""
    return pc.equal(pc.multiply(pc.divide(values, by), by), values)


def _text_bytes(values: Any, width: int | None) -> Any:
    """Return the bytes that texts have, truncated and URL-encoded."""
    if width is not None:
        values = pc.utf8_slice_codeunits(values, 0, width)
    kept = pc.count_substring_regex(values, _UNESCAPED)
    escaped = pc.subtract(pc.binary_length(values), kept)
    return pc.add(kept, pc.multiply(escaped, _ESCAPED_SIZE))


def _binary_bytes(values: Any, width: int | None, most: int) -> Any:
    """Return the bytes that bytes have, truncated, in base 64 and URL-encoded."""
    if not pc.any(pc.greater(pc.binary_length(values), 0)).as_py():
        return pc.binary_length(values)
    # more bytes than these are too long however they are encoded
    longest = max(most, 0) + 1
    starts = pc.binary_slice(values, 0, longest if width is None else min(width, longest))
    encoded = (
        None if start is None else base64.b64encode(start).decode() for start in starts.to_pylist()
    )
    sizes = [None if text is None else len(encode_name(text)) for text in encoded]
    return pa.array(sizes, pa.int64())
