"""What files tell of columns: in which part of them a value may be, and how wide values are."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from py4j.protocol import Py4JJavaError

from icemelt.schema import Column, Primitive
from icemelt.tables.iceberg import Iceberg
from icemelt.tables.metadata.document import TableMetadata

__all__ = ["ColumnStatistics", "find_column_statistics"]

_FILES = 32
# Bytes; a smaller table takes no longer to be read whole.
_SMALL = 1 << 20
# whole numbers, the least byte first (Iceberg spec, *Binary single-value serialization*)
_WHOLE = {"int", "long", "date"}

Bounds = tuple[int, int]


@dataclass(frozen=True, slots=True)
class ColumnStatistics:
    """What a table's files tell of its columns.

    Args:
        selectivities: the part of the files that may have one value, from 0 to 1, by column: of
            whole numbers and dates with bounds.
        widths: the bytes that a row takes in the files, compressed, by column.
    """

    selectivities: Mapping[str, float] = field(default_factory=dict)
    widths: Mapping[str, float] = field(default_factory=dict)


def find_column_statistics(
    iceberg: Iceberg, metadata: TableMetadata, snapshot_id: int
) -> ColumnStatistics:
    """Return what a sample of successive files tells; of a small table, read whole anyway, nothing.

    Args:
        iceberg: the session's Iceberg catalog.
        metadata: the table.
        snapshot_id: the snapshot to look at.
    """
    ordered = [
        each
        for each in metadata.columns
        if isinstance(each.type, Primitive) and each.type.name in _WHOLE
    ]
    if metadata.snapshots[snapshot_id].count("total-files-size") <= _SMALL:
        return ColumnStatistics({each.name: 1.0 for each in ordered})
    try:
        files = _sample_files(iceberg, metadata, snapshot_id)
    except Py4JJavaError:
        return ColumnStatistics()  # who reads the table is told why it cannot be read
    found = {each.name: _selectivity([_bounds(file, each) for file in files]) for each in ordered}
    return ColumnStatistics(
        {name: spread for name, spread in found.items() if spread is not None},
        _widths(metadata.columns, files),
    )


def _widths(columns: Sequence[Column], files: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Return the bytes a row of each column that the files have sizes of."""
    sized = [file for file in files if file.get("column-sizes")]
    rows = sum(file["record-count"] for file in sized)
    sizes: Counter[int] = Counter()
    for file in sized:
        sizes.update(_by_column(file["column-sizes"]))
    if not rows:
        return {}
    known = [(each.name, each.field_id or 0) for each in columns]
    return {name: sizes[field_id] / rows for name, field_id in known if field_id in sizes}


def _sample_files(
    iceberg: Iceberg, metadata: TableMetadata, snapshot_id: int
) -> list[Mapping[str, Any]]:
    table = iceberg.detached_table(metadata)
    stored_id = metadata.snapshots[snapshot_id].stored_id
    planned = table.newScan().useSnapshot(stored_id).includeColumnStats().planFiles()
    found = planned.iterator()
    parser, specs = iceberg.java_class("ContentFileParser"), table.specs()
    documents: list[Mapping[str, Any]] = []
    try:
        while len(documents) < _FILES and found.hasNext():
            file = found.next().file()
            documents.append(json.loads(parser.toJson(file, specs.get(file.specId()))))
    finally:
        found.close()
        planned.close()
    return documents


def _selectivity(files: Sequence[Bounds | None]) -> float | None:
    """Return the average part of files possibly with a value of a file, None if unknown.

    >>> _selectivity([(1, 9), (10, 19), (20, 29), (30, 39)]), _selectivity([(1, 38), (2, 39)])
    (0.25, 1.0)
    >>> _selectivity([(1, 9), None])
    """
    known = [each for each in files if each is not None]
    if not known or len(known) < len(files):
        return None
    pairs = itertools.product(known, known)
    met = sum(low <= most and least <= high for (low, high), (least, most) in pairs)
    return met / len(known) ** 2


def _bounds(document: Mapping[str, Any], column: Column) -> Bounds | None:
    low, high = (
        _decode_bound(document.get(f"{side}-bounds"), column) for side in ("lower", "upper")
    )
    return None if low is None or high is None else (low, high)


def _decode_bound(bounds: Mapping[str, Iterable[Any]] | None, column: Column) -> int | None:
    if bounds is None:
        return None
    found = _by_column(bounds).get(column.field_id or 0)
    return None if found is None else int.from_bytes(bytes.fromhex(found), "little", signed=True)


def _by_column(written: Mapping[str, Iterable[Any]]) -> dict[int, Any]:
    """Return what Iceberg's JSON has of columns, by field id."""
    return dict(zip(written["keys"], written["values"], strict=True))
