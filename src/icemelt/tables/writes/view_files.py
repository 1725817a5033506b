"""The metadata file of an Iceberg view, by which other engines see a view (view spec 1)."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from icemelt.schema import Column
from icemelt.tables.writes.definition import schema_document

__all__ = ["view_document"]


def view_document(
    folder: str,
    columns: Sequence[Column],
    query: str,
    namespace: Sequence[str],
    properties: Mapping[str, str],
    made_at: int,
) -> dict[str, Any]:
    """Return the content of a view's metadata file.

    Args:
        folder: the view's folder.
        columns: the view's columns.
        query: the view's query in Spark SQL.
        namespace: the default namespace of names in the query.
        properties: the view's properties.
        made_at: the time of creation, in milliseconds since 1970.

    >>> document = view_document("/lake/v-1", [], "SELECT 1 AS a", ["main", "public"], {}, 0)
    >>> document["versions"][0]["representations"][0]["dialect"]
    'spark'
    """
    version = {
        "version-id": 1,
        "schema-id": 0,
        "timestamp-ms": made_at,
        "summary": {"engine-name": "icemelt"},
        "default-namespace": list(namespace),
        "representations": [{"type": "sql", "sql": query, "dialect": "spark"}],
    }
    return {
        "view-uuid": str(uuid.uuid4()),
        "format-version": 1,
        "location": folder,
        "current-version-id": 1,
        "versions": [version],
        "version-log": [{"version-id": 1, "timestamp-ms": made_at}],
        "schemas": [schema_document(columns)],
        "properties": dict(properties),
    }
