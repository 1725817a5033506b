"""Read files with types that Spark's reader lacks: their values as stored, and what these mean.

Spark refuses a Parquet file with such a type, and gives an Avro file's values as they are stored.

| in the file | here |
|---|---|
| TIMESTAMP of nanoseconds | a time of microseconds, rounded down |
| TIME | a text: `01:02:03.5` |
| UUID | a text |
| FLOAT16 | a DOUBLE |
| DECIMAL of more than 38 digits | a text |
| INTERVAL, in Avro duration | a text as in ISO 8601: `P1M2DT3S` |
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql.types import DataType, StructType

from icemelt.session.files.source_files import SourceFile
from icemelt.session.files.typed_values import LeafPath, rewrite_columns
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.spark_errors import translated
from icemelt.spark_java import java_class, java_session

__all__ = [
    "Meanings",
    "StoredSchema",
    "as_meant",
    "is_refused_type",
    "read_avro_meanings",
    "read_stored_schemas",
]

# what leaves mean that are not stored as they are meant, by their paths
Meanings = tuple[tuple[LeafPath, str], ...]
# how Spark says that it does not read a type of a file
_REFUSALS = (
    "PARQUET_TYPE_ILLEGAL",
    "PARQUET_TYPE_NOT_SUPPORTED",
    "UNSUPPORTED_TIME_TYPE",
    "DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION",
)

_SQL_OF_MEANING = {
    "CLOCK": "icemelt_parquet_clock({value})",
    "INSTANT": "icemelt_parquet_instant({value})",
    "TIME": "icemelt_parquet_time({value} * {nanos}L)",
    "UUID": "icemelt_parquet_uuid({value})",
    "FLOAT16": "icemelt_parquet_half({value})",
    "DECIMAL": "icemelt_parquet_decimal({value}, {rest})",
    "INTERVAL": "icemelt_parquet_interval({value})",
}
_NANOS = {"MILLIS": 1_000_000, "MICROS": 1_000, "NANOS": 1}


@dataclass(frozen=True, slots=True)
class StoredSchema:
    """The schema of files as their values are stored.

    Attributes:
        schema: the schema.
        meanings: what the leaves mean that are not stored as they are meant: `TIME MILLIS` is a
            time of day, stored as a number of milliseconds.
    """

    schema: StructType
    meanings: Meanings = ()


def is_refused_type(error: Exception) -> bool:
    """Tell whether Spark refused the schema of Parquet files for the type of a column."""
    return any(refusal in str(error) for refusal in _REFUSALS)


def read_stored_schemas(
    core: Core, files: Sequence[SourceFile]
) -> list[tuple[StoredSchema, list[SourceFile]]]:
    """Return Parquet files with the schemas of their values, files of one schema together.

    Args:
        core: the session's parts.
        files: the files.
    """
    with translated(core.spark):
        types: Any = java_class(core.spark, "icemelt.spark.ParquetTypes")
        listed = types.read(java_session(core.spark), [file.path for file in files])
        found = [tuple(map(str, said)) for said in listed]
    groups: dict[tuple[str, ...], list[SourceFile]] = {}
    for said, file in zip(found, files, strict=True):
        groups.setdefault(said, []).append(file)
    return [(_stored_schema(said), group) for said, group in groups.items()]


def read_avro_meanings(core: Core, files: Sequence[SourceFile]) -> list[Meanings]:
    """Return for each Avro file what its leaves mean that Spark gives as they are stored.

    Args:
        core: the session's parts.
        files: the files.
    """
    types: Any = java_class(core.spark, "icemelt.spark.AvroTypes")
    listed = types.read(java_session(core.spark), [file.path for file in files])
    return [_meanings(tuple(map(str, said))) for said in listed]


def as_meant(frame: DataFrame, stored: StoredSchema) -> DataFrame:
    """Return rows with the values that are meant, given those that are stored."""
    meanings = dict(stored.meanings)

    def rewrite(value: str, _kind: DataType, path: LeafPath) -> str | None:
        meaning, _, rest = meanings.get(path, "").partition(" ")
        written = _SQL_OF_MEANING.get(meaning)
        return written and written.format(value=value, nanos=_NANOS.get(rest), rest=rest)

    return rewrite_columns(frame, rewrite) if meanings else frame


def _stored_schema(said: Sequence[str]) -> StoredSchema:
    schema, *leaves = said
    return StoredSchema(StructType.fromJson(json.loads(schema)), _meanings(leaves))


def _meanings(leaves: Sequence[str]) -> Meanings:
    """Return paths and what is there, of both in turns."""
    paths = (tuple(map(int, path.split("/"))) for path in leaves[::2])
    return tuple(zip(paths, leaves[1::2], strict=True))
