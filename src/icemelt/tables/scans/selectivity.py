"""Selectivity of columns: the part of a table's files that may have a value, by file bounds."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from py4j.protocol import Py4JJavaError

from icemelt.schema import Column, Primitive
from icemelt.tables.iceberg import Iceberg
from icemelt.tables.metadata.document import TableMetadata

__all__ = ["column_selectivities"]

_FILES = 32
# Bytes; a smaller table takes no longer to be read whole.
_SMALL = 1 << 20
# whole numbers, the least byte first (Iceberg spec, *Binary single-value serialization*)
_WHOLE = {"int", "long", "date"}

Bounds = tuple[int, int]


def column_selectivities(
    iceberg: Iceberg, metadata: TableMetadata, snapshot_id: int
) -> dict[str, float]:
    """Return the part of a table's files that may have one value, by column.

    Only columns of whole numbers and dates with bounds have a selectivity. A sample of successive
    files is looked at; for a small table, which is read whole anyway, none.

    Args:
        iceberg: the session's Iceberg catalog.
        metadata: the table.
        snapshot_id: the snapshot to look at.
    """
    columns = [
        each
        for each in metadata.columns
        if isinstance(each.type, Primitive) and each.type.name in _WHOLE
    ]
    if metadata.snapshots[snapshot_id].count("total-files-size") <= _SMALL:
        return {each.name: 1.0 for each in columns}
    try:
        files = _sample_files(iceberg, metadata, snapshot_id)
    except Py4JJavaError:
        return {}  # who reads the table is told why it cannot be read
    found = {each.name: _selectivity([_bounds(file, each) for file in files]) for each in columns}
    return {name: spread for name, spread in found.items() if spread is not None}


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
    found = dict(zip(bounds["keys"], bounds["values"], strict=True)).get(column.field_id)
    return None if found is None else int.from_bytes(bytes.fromhex(found), "little", signed=True)
