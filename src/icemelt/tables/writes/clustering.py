"""The order in which Spark writes the rows of a partitioned table: one partition after the other.

Then Iceberg has one open file at a time. A file takes megabytes of Java's memory while it is open,
and a few thousand numbers may belong to as many partitions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from icemelt.quoting import quote
from icemelt.tables.iceberg import CATALOG
from icemelt.tables.metadata.document import (
    TableMetadata,
    parse_transform,
    transform_function,
)

__all__ = ["partition_expressions"]


def partition_expressions(metadata: TableMetadata) -> list[str]:
    """Return Spark SQL of a table's partition values; rows sorted by all values are clustered.

    A number with a point is compared as text: Spark sorts -0.0 and 0.0 as equal, and they are two
    partitions of Iceberg.
    """
    sources = dict(_sources(metadata.schema_fields, ()))
    return [
        _expression(field["transform"], *sources[field["source-id"]])
        for field in metadata.spec_fields
        if field["transform"] != "void"
    ]


def _sources(
    fields: Iterable[Mapping[str, Any]], outer: tuple[str, ...]
) -> Iterator[tuple[int, tuple[str, Any]]]:
    """Yield field ids with name and type, also of fields within structs."""
    for field in fields:
        path = (*outer, quote(field["name"]))
        yield field["id"], (".".join(path), field["type"])
        if isinstance(field["type"], Mapping) and field["type"]["type"] == "struct":
            yield from _sources(field["type"]["fields"], path)


def _expression(transform: str, column: str, kind: Any) -> str:
    """Return Spark SQL of a transform of a column.

    >>> _expression("bucket[4]", "`id`", "long")
    '`icemelt`.`system`.`bucket`(4, `id`)'
    """
    name, width = parse_transform(transform)
    if name == "identity":
        return f"CAST({column} AS STRING)" if kind in {"float", "double"} else column
    function = ".".join(map(quote, (CATALOG, "system", transform_function(name))))
    return f"{function}({width}{column})"
