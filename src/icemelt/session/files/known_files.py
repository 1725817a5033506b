"""Read files that were looked at: Spark neither lists them nor asks the store for each."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from pyspark.sql import DataFrame
from pyspark.sql.types import StringType, StructField, StructType

from icemelt.session.files.source_files import SourceFile, spark_name
from icemelt.session.runtime.core import Core
from icemelt.spark_java import java_class, java_session, python_frame

__all__ = ["read_known", "text_columns"]

_NO_OPTIONS: Mapping[str, str] = MappingProxyType({})


def read_known(
    core: Core,
    file_format: str,
    schema: StructType,
    files: Sequence[SourceFile],
    options: Mapping[str, str] = _NO_OPTIONS,
) -> DataFrame:
    """Return the rows of files; no file is opened before the rows are asked for.

    Args:
        core: the session's parts.
        file_format: the name of the format, or of its class, as Spark's reader knows it.
        schema: the columns to read.
        files: the files, with their sizes and times.
        options: the options of Spark's reader.
    """
    written = {
        "format": file_format,
        "schema": schema.json(),
        "options": dict(options),
        "files": [[spark_name(file), file.size, file.modified_at] for file in files],
    }
    known = java_class(core.spark, "icemelt.spark.KnownFiles")
    return python_frame(core.spark, known.read(java_session(core.spark), json.dumps(written)))


def text_columns(*names: str) -> StructType:
    """Return a schema of texts."""
    return StructType([StructField(name, StringType()) for name in names])
