"""The order in which Spark writes the rows of a partitioned table: one partition after the other.

Then Iceberg has one open file at a time. A file takes megabytes of Java's memory while it is open,
and a few thousand numbers may belong to as many partitions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from icemelt.quoting import quote
from icemelt.tables.iceberg import CATALOG
from icemelt.tables.metadata.document import TableMetadata

__all__ = ["partition_expressions"]

_FUNCTIONS = {"year": "years", "month": "months", "day": "days", "hour": "hours"}


def partition_expressions(metadata: TableMetadata) -> list[str]:
    """Return Spark SQL of a table's partition values; rows sorted by all values are clustered.

    A number with a point is compared as text: Spark sorts -0.0 and 0.0 as equal, and they are two
    partitions of Iceberg.
    """
    document = metadata.document
    spec_id, schema_id = document.get("default-spec-id", 0), document["current-schema-id"]
    schema = next(each for each in document["schemas"] if each["schema-id"] == schema_id)
    sources = dict(_sources(schema, ()))
    return [
        _expression(field["transform"], *sources[field["source-id"]])
        for spec in document.get("partition-specs", ())
        if spec["spec-id"] == spec_id
        for field in spec["fields"]
        if field["transform"] != "void"
    ]


def _sources(
    struct: Mapping[str, Any], outer: tuple[str, ...]
) -> Iterator[tuple[int, tuple[str, Any]]]:
    """Yield field ids with name and type, also of fields within structs."""
    for field in struct["fields"]:
        path = (*outer, quote(field["name"]))
        yield field["id"], (".".join(path), field["type"])
        if isinstance(field["type"], Mapping) and field["type"]["type"] == "struct":
            yield from _sources(field["type"], path)


def _expression(transform: str, column: str, kind: Any) -> str:
    """Return Spark SQL of a transform of a column.

    >>> _expression("bucket[4]", "`id`", "long")
    '`icemelt`.`system`.`bucket`(4, `id`)'
    """
    name, _, width = transform.partition("[")
    if name == "identity":
        return f"CAST({column} AS STRING)" if kind in {"float", "double"} else column
    function = ".".join(map(quote, (CATALOG, "system", _FUNCTIONS.get(name, name))))
    return f"{function}({width.rstrip(']') + ', ' if width else ''}{column})"
