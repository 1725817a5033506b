"""The schema of Parquet files, without what another Spark has written into their footers beside it.

A Spark writes its schema as JSON into the files it makes. There a type may be a class, of Java or
of Python, which whoever reads the file loads; and a column may have a default that Spark computes.
A file is data: neither is heeded.
"""

from __future__ import annotations

import json
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql.types import StructType

from icemelt.spark_java import java_frame

__all__ = ["schema_of"]


def schema_of(frame: DataFrame) -> StructType:
    """Return the schema of a frame of files; a type that is a class is the one it is stored as.

    >>> schema_of(session.spark.range(1)).simpleString()
    'struct<id:bigint>'
    """
    written = json.loads(java_frame(frame).schema().json())
    return StructType.fromJson(_plain(written))


def _plain(kind: Any) -> Any:
    match kind:
        case {"type": "udt", "sqlType": stored}:
            return _plain(stored)
        case {"type": "struct", "fields": fields}:
            return {**kind, "fields": [_plain_field(each) for each in fields]}
        case {"type": "array", "elementType": element}:
            return {**kind, "elementType": _plain(element)}
        case {"type": "map", "keyType": key, "valueType": value}:
            return {**kind, "keyType": _plain(key), "valueType": _plain(value)}
        case _:
            return kind


def _plain_field(field: dict[str, Any]) -> dict[str, Any]:
    return {**field, "type": _plain(field["type"]), "metadata": {}}
