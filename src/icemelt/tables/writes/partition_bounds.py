"""The least numbers that columns partitioned by TRUNCATE take.

Iceberg truncates a number to the next multiple below. The multiple may leave the type: of a DECIMAL
it has a digit too much, and nothing can be written; an INT or BIGINT overflows to a positive
number, and conditions on the column leave out the file of the row.

Example: a table `(id BIGINT) PARTITION BY (TRUNCATE(10, id))`.

    id                     partition              outcome
    -9223372036854775800   -9223372036854775800   written
    -9223372036854775808   9223372036854775806    lost for WHERE id < 0, so refused
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from icemelt.schema import DataType, DecimalType, Primitive
from icemelt.tables.metadata.document import TableMetadata

__all__ = ["PartitionBound", "find_least_truncated", "find_partition_bounds"]

_MAGNITUDES = {Primitive("int"): 2**31, Primitive("long"): 2**63}


@dataclass(frozen=True, slots=True)
class PartitionBound:
    """The least number whose truncation to a multiple of `width` is of the column's type."""

    width: int
    least: Decimal


def find_partition_bounds(metadata: TableMetadata) -> dict[str, PartitionBound]:
    """Return the bounds of a table's columns by name, of the partition fields of new files."""
    columns = {column.field_id: column for column in metadata.columns}
    bounds: dict[str, PartitionBound] = {}
    for field in metadata.spec_fields:
        column = columns.get(field["source-id"])
        if column is None or not field["transform"].startswith("truncate"):
            continue
        width = int(field["transform"].removeprefix("truncate[").removesuffix("]"))
        least = find_least_truncated(column.type, width)
        known = bounds.get(column.name)
        if least is not None and (known is None or known.least < least):
            bounds[column.name] = PartitionBound(width, least)
    return bounds


def find_least_truncated(kind: DataType, width: int) -> Decimal | None:
    """Return the least multiple of a width in a type; None if each truncation is of the type.

    Args:
        kind: the type of a column.
        width: the width of TRUNCATE; of a DECIMAL without its point.

    >>> find_least_truncated(Primitive("long"), 10)
    Decimal('-9223372036854775800')
    >>> find_least_truncated(DecimalType(4, 2), 10)
    Decimal('-99.90')
    >>> find_least_truncated(Primitive("long"), 16)
    """
    if isinstance(kind, DecimalType):
        return _least_multiple(10**kind.precision - 1, width, kind.scale)
    magnitude = _MAGNITUDES.get(kind) if isinstance(kind, Primitive) else None
    # a width that divides the magnitude leads out of the type nowhere
    if magnitude is None or magnitude % width == 0:
        return None
    return _least_multiple(magnitude, width)


def _least_multiple(magnitude: int, width: int, scale: int = 0) -> Decimal:
    """Return the least multiple of a width that is not below `-magnitude`, both without a point."""
    # beyond the precision of Decimal's arithmetic
    return Decimal((1, tuple(map(int, str(magnitude // width * width))), -scale))
