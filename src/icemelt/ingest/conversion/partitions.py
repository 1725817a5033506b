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

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import pyarrow as pa
import pyarrow.compute as pc

from icemelt.ingest.conversion.converted_array import ConvertedArray
from icemelt.ingest.conversion.partition_names import NULL_BYTES, count_bytes, encode_name
from icemelt.tables.metadata.document import TableMetadata
from icemelt.tables.writes.partition_bounds import find_least_truncated

__all__ = ["PartitionRule", "find_partition_rules", "reject_unpartitionable"]

_MOST_BYTES = 255
# the bytes of values of the transforms that give numbers and moments of one size
_TRANSFORMED_BYTES = {"year": 4, "month": 7, "day": 10, "hour": 13}
# the stores whose names of folders have bounds
_BOUNDED_SCHEMES = frozenset({"", "file", "hdfs"})
_DATA_PATH = "write.data.path"
_HASHED = ("write.object-storage.enabled", "write.object-storage.partitioned-paths")


@dataclass(frozen=True, slots=True)
class PartitionRule:
    """A partition field of a column: identity, a truncation to `width`, or another transform.

    `most_bytes` is the most bytes of the encoded value in the folder's name; None without a bound.
    `value_bytes` is the bytes of the longest value of another transform, None of the first two.
    `least` is the least number whose truncation is of the column's type; None without a bound.
    """

    column: str
    width: int | None
    most_bytes: int | None
    value_bytes: int | None = None
    least: Decimal | None = None


def find_partition_rules(metadata: TableMetadata) -> tuple[PartitionRule, ...]:
    """Return the partition fields of a table whose values may be refused."""
    is_bounded = _has_bounded_names(metadata)
    columns = {column.field_id: column for column in metadata.columns}
    rules = []
    for field in metadata.spec_fields:
        name, _, number = field["transform"].rstrip("]").partition("[")
        if field["source-id"] not in columns:
            continue
        column = columns[field["source-id"]]
        most_bytes = _MOST_BYTES - len(encode_name(field["name"])) - 1 if is_bounded else None
        if name in {"identity", "truncate"}:
            width = int(number) if number else None
            least = None if width is None else find_least_truncated(column.type, width)
            rules.append(PartitionRule(column.name, width, most_bytes, least=least))
            continue
        longest = len(str(int(number) - 1)) if name == "bucket" else _TRANSFORMED_BYTES.get(name)
        if longest is not None and most_bytes is not None and most_bytes < max(longest, NULL_BYTES):
            rules.append(PartitionRule(column.name, None, most_bytes, longest))
    return tuple(rules)


def _has_bounded_names(metadata: TableMetadata) -> bool:
    """Tell whether the names of a table's folders have a bound."""
    properties = metadata.properties
    scheme, colon, _ = properties.get(_DATA_PATH, metadata.location).partition(":")
    enabled, named = (properties.get(name, "").lower() for name in _HASHED)
    is_bounded = (scheme.lower() if colon else "") in _BOUNDED_SCHEMES
    return is_bounded and (enabled, named) != ("true", "false")


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
    >>> numbers = ConvertedArray(pa.array([1, 10000, None]))
    >>> rules = [PartitionRule("n", width=None, most_bytes=3)]
    >>> [error.places.to_pylist() for error in reject_unpartitionable(numbers, rules).errors]
    [[1, 2]]
    """
    for rule in rules:
        if rule.least is not None:
            expected = (
                f"The table is partitioned by TRUNCATE({rule.width}, …), from {rule.least:f} on"
            )
            bad = pc.less(converted.values, pa.scalar(rule.least).cast(converted.values.type))
            converted = converted.reject(bad, converted.values, expected)
        if rule.most_bytes is not None:
            converted = _reject_long_names(converted, rule, rule.most_bytes)
    return converted


def _reject_long_names(converted: ConvertedArray, rule: PartitionRule, most: int) -> ConvertedArray:
    """Refuse the values whose partition's folder would have too long a name, NULL included."""
    values = converted.values
    if rule.value_bytes is None:
        sizes = count_bytes(values, rule.width, most)
    else:
        sizes = pc.if_else(pc.is_valid(values), rule.value_bytes, NULL_BYTES)
    if sizes is None:
        if most >= NULL_BYTES or not values.null_count:
            return converted
        sizes = pc.if_else(pc.is_valid(values), 0, NULL_BYTES)
    expected = (
        "The table is partitioned by the column, and the name of a partition's folder has "
        f"at most {_MOST_BYTES} bytes, URL-encoded"
    )
    bad = pc.greater(pc.fill_null(sizes, NULL_BYTES), most)
    return converted.reject(bad, values, expected)
