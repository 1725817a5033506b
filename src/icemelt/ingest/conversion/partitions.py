"""Refuse values that no partition of the table can hold: Spark would fail with all rows beside.

Iceberg names the folder of a partition by field and value, URL-encoded, and a folder's name has at
most 255 bytes. A number truncated by Iceberg becomes smaller, and may leave the range of the type.

Example: a table `(s VARCHAR, d DECIMAL(3, 0)) PARTITION BY (s, TRUNCATE(10, d))`.

    value                   partition           outcome
    s: "a b"                s=a+b               taken
    s: 85 times "é"         s=%C3%A9%C3%A9 …    refused: 512 bytes
    d: -991                 -1000               refused: four digits

An INT or BIGINT overflows in the same way, and its row would be lost for conditions on the column.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from urllib.parse import quote_plus

import pyarrow as pa
import pyarrow.compute as pc

from icemelt.ingest.conversion.converted_array import ConvertedArray
from icemelt.tables.metadata.document import TableMetadata
from icemelt.tables.writes.partition_bounds import find_least_multiple

__all__ = ["PartitionRule", "find_partition_rules", "reject_unpartitionable"]

_MOST_BYTES = 255
# of Java's URLEncoder: the characters that stay one byte, a space included
_UNESCAPED = "[A-Za-z0-9.*_ -]"
_ESCAPED_SIZE = 3
# the stores whose names of folders have bounds
_BOUNDED_SCHEMES = frozenset({"", "file", "hdfs"})
_DATA_PATH = "write.data.path"
_HASHED = ("write.object-storage.enabled", "write.object-storage.partitioned-paths")


@dataclass(frozen=True, slots=True)
class PartitionRule:
    """A partition field of a column: identity, or a truncation to `width`.

    `most_bytes` is the most bytes of the encoded value in the folder's name; None without a bound.
    """

    column: str
    width: int | None
    most_bytes: int | None


def find_partition_rules(metadata: TableMetadata) -> tuple[PartitionRule, ...]:
    """Return the partition fields of a table whose values may be refused."""
    properties = metadata.properties
    scheme, colon, _ = properties.get(_DATA_PATH, metadata.location).partition(":")
    enabled, named = (properties.get(name, "").lower() for name in _HASHED)
    is_bounded = (scheme.lower() if colon else "") in _BOUNDED_SCHEMES
    is_bounded = is_bounded and (enabled, named) != ("true", "false")
    columns = {column.field_id: column.name for column in metadata.columns}
    rules = []
    for field in metadata.spec_fields:
        name, _, width = field["transform"].partition("[")
        if field["source-id"] in columns and name in {"identity", "truncate"}:
            most_bytes = _MOST_BYTES - len(_encode(field["name"])) - 1 if is_bounded else None
            number = int(width.rstrip("]")) if width else None
            rules.append(PartitionRule(columns[field["source-id"]], number, most_bytes))
    return tuple(rules)


def reject_unpartitionable(
    converted: ConvertedArray, rules: Sequence[PartitionRule]
) -> ConvertedArray:
    """Refuse the values of a column that no partition can hold.

    Args:
        converted: the values, converted to the column's type.
        rules: the partition fields of the column.

    >>> rules = [PartitionRule("s", width=None, most_bytes=5)]
    >>> texts = ConvertedArray(pa.array(["a b", "éé", None]))
    >>> reject_unpartitionable(texts, rules).values.to_pylist()
    ['a b', None, None]
    """
    for rule in rules:
        kind = converted.values.type
        is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
        is_bytes = pa.types.is_binary(kind) or pa.types.is_large_binary(kind)
        if rule.most_bytes is not None and (is_text or is_bytes):
            find_sizes = _text_sizes if is_text else _binary_sizes
            sizes = find_sizes(converted.values, rule)
            expected = (
                "The table is partitioned by the column, and the name of a partition's folder has "
                f"at most {_MOST_BYTES} bytes, URL-encoded"
            )
            bad = pc.greater(sizes, rule.most_bytes)
            converted = converted.reject(bad, converted.values, expected)
        elif rule.width is not None and (least := _find_least(kind, rule.width)) is not None:
            expected = f"The table is partitioned by TRUNCATE({rule.width}, …), from {least:f} on"
            bad = pc.less(converted.values, pa.scalar(least).cast(kind))
            converted = converted.reject(bad, converted.values, expected)
    return converted


def _text_sizes(values: Any, rule: PartitionRule) -> Any:
    """Return the bytes that texts have, truncated and URL-encoded."""
    if rule.width is not None:
        values = pc.utf8_slice_codeunits(values, 0, rule.width)
    kept = pc.count_substring_regex(values, _UNESCAPED)
    escaped = pc.subtract(pc.binary_length(values), kept)
    return pc.add(kept, pc.multiply(escaped, _ESCAPED_SIZE))


def _binary_sizes(values: Any, rule: PartitionRule) -> Any:
    """Return the bytes that bytes have, truncated, in base 64 and URL-encoded."""
    if rule.most_bytes is None or not pc.any(pc.greater(pc.binary_length(values), 0)).as_py():
        return pc.binary_length(values)
    # more bytes than these are too long however they are encoded
    most = rule.most_bytes if rule.width is None else min(rule.width, rule.most_bytes)
    starts = pc.binary_slice(values, 0, most).to_pylist()
    encoded = (None if start is None else base64.b64encode(start).decode() for start in starts)
    return pa.array([None if text is None else len(_encode(text)) for text in encoded], pa.int64())


def _find_least(kind: Any, width: int) -> Decimal | None:
    """Return the least number of a type whose truncation is of the type, too; None of no number."""
    if pa.types.is_decimal(kind):
        return find_least_multiple(10**kind.precision - 1, width, kind.scale)
    if pa.types.is_integer(kind):
        return find_least_multiple(2 ** (kind.bit_width - 1), width)
    return None


def _encode(text: str) -> str:
    """Return a text as Java's URLEncoder has it, as far as the number of bytes goes."""
    return quote_plus(text, safe="*").replace("~", "%7E")
