"""Read the schema of Parquet files for COPY, and find their INT96 times.

An INT96 time is a day and the nanoseconds of the day, without a time zone. Spark reads an INT96
time as an instant, and shows the instant in the session's time zone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import closing, contextmanager
from typing import Any

import pyspark
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame
from pyspark.sql import types as t
from pyspark.sql.types import StructType

from icemelt.errors import IcemeltError, LoadFailed, Never, NotYet
from icemelt.names import fold
from icemelt.session.files.byte_streams import open_source
from icemelt.session.files.source_files import SourceFile
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.spark_errors import translated
from icemelt.spark_java import hadoop_configuration, java_class, java_frame, java_session
from icemelt.sql.statements import FileFormat
from icemelt.storage.locations import local_path
from icemelt.tables.lru_cache import WeightedLRUCache

__all__ = [
    "find_parquet_faults",
    "group_by_int96_columns",
    "schema_of_json",
    "stored_schema",
    "typed_expected",
    "with_zoneless_times",
]

ColumnPath = tuple[str, ...]
# the first bytes of files; of Parquet with a footer in plain or encrypted
_MAGIC = {
    FileFormat.PARQUET: (b"PAR1", b"PARE"),
    FileFormat.ORC: (b"ORC",),
    FileFormat.AVRO: (b"Obj\x01",),
}
_MAGIC_BYTES = 4
# how Java begins the fault of a file whose compression has no reader with a bound
_UNBOUNDED = "unbounded: "
# the Parquet files whose sizes are no lie, by what tells that they were not written since
_SOUND = WeightedLRUCache[Hashable, str](room=100_000)
_NO_READER = re.compile(r"find (?:the )?data source")
# of the release of Spark, for the hint
_AVRO_PACKAGE = f"org.apache.spark:spark-avro_2.13:{pyspark.__version__}"


def group_by_int96_columns(
    core: Core, schema: t.StructType, files: Sequence[SourceFile]
) -> Iterator[tuple[frozenset[ColumnPath], list[SourceFile]]]:
    """Group files by their INT96 columns; yield the paths of these columns with the files.

    A file is opened only where the schema has times.

    Args:
        core: the session's parts.
        schema: the schema of all the files.
        files: the files.
    """
    if not _has_times(schema):
        yield frozenset(), list(files)
        return
    groups: dict[frozenset[ColumnPath], list[SourceFile]] = {}
    with translated(core.spark):
        for file in files:
            groups.setdefault(_int96_columns(core, file), []).append(file)
    yield from groups.items()


def find_parquet_faults(core: Core, files: Sequence[SourceFile]) -> list[IcemeltError | None]:
    """Return for each Parquet file why it would exhaust memory, None where it would not.

    A reader allocates arrays of the sizes that columns and pages claim before reading. Spark's
    tasks read the page headers, and no page. Outside of a server, files in a remote store are not
    checked: every page header would be a request.
    """
    checked = [file for file in files if core.is_guest or local_path(file.path) is not None]
    # what was checked, and was not written since, is checked no more
    checked = [file for file in checked if _SOUND.get(file.content_key) is None]
    if not checked:
        return [None] * len(files)
    with translated(core.spark):
        sizes: Any = java_class(core.spark, "icemelt.spark.ParquetSizes")
        listed = sizes.faults(java_session(core.spark), [file.path for file in checked])
        faults = {file.path: str(fault) for file, fault in zip(checked, listed, strict=True)}
    for file in checked:
        if file.content_key is not None and not faults[file.path]:
            _SOUND.keep(file.content_key, file.path)
    return [_size_fault(file, faults.get(file.path, "")) for file in files]


def _size_fault(file: SourceFile, fault: str) -> IcemeltError | None:
    if fault.startswith(_UNBOUNDED):
        return Never(
            f"File {file.name!r} has LZ4 in Hadoop's frames, in {fault[len(_UNBOUNDED) :]}: their "
            "reader makes arrays as large as the file says.",
            hint="Write it with LZ4_RAW, SNAPPY or ZSTD; or leave it out with PATTERN.",
        )
    if fault:
        return LoadFailed(
            f"File {file.name!r} is damaged, or made for more memory: {fault}.",
            hint="Write it anew, its pages of about 1 MB; or leave it out with PATTERN.",
        )
    return None


@contextmanager
def typed_expected(
    core: Core, file_format: FileFormat, files: Sequence[SourceFile]
) -> Iterator[None]:
    """Name the file that is none of its format where Spark fails in the block.

    Only then the first bytes of the files are read.

    Args:
        core: the session's parts.
        file_format: PARQUET, ORC or AVRO.
        files: the files whose schemas are read in the block.

    Raises:
        LoadFailed: a file is none of the format.
        NotYet: Spark has no reader of Avro.
    """
    try:
        yield
    except (Py4JJavaError, PySparkException) as error:
        if file_format is FileFormat.AVRO and _NO_READER.search(str(error)):
            raise NotYet(
                "Spark has no reader of Avro files of its own.",
                hint=f"icemelt.connect(…, packages=['{_AVRO_PACKAGE}'])",
            ) from error
        for file in files:
            core.jobs.raise_if_cancelled()
            with closing(open_source(core, file, unpacks=False)) as stream:
                start = stream.read(_MAGIC_BYTES)
            if not start.startswith(_MAGIC[file_format]):
                raise LoadFailed(
                    f"File {file.name!r} is no {file_format.title} file.",
                    hint="Name the format that it has: FILE_FORMAT = (TYPE = CSV) or JSON; or "
                    "leave it out with PATTERN.",
                ) from error
        raise


def with_zoneless_times(
    schema: t.StructType, paths: AbstractSet[ColumnPath], instants: AbstractSet[str] = frozenset()
) -> t.StructType:
    """Return a schema that reads INT96 columns as times without a time zone.

    Args:
        schema: the schema of the files.
        paths: the paths of the INT96 columns.
        instants: the folded names of the top-level columns that stay instants.

    >>> schema = t.StructType([t.StructField("a", t.TimestampType())])
    >>> with_zoneless_times(schema, {("a",)}).simpleString()
    'struct<a:timestamp_ntz>'
    """
    zoneless = {path for path in paths if fold(path[0]) not in instants}
    changed = _drop_time_zones(schema, zoneless)
    assert isinstance(changed, t.StructType)  # noqa: S101 - as the schema is
    return changed


def _drop_time_zones(kind: t.DataType, paths: AbstractSet[ColumnPath]) -> t.DataType:
    """Return a type whose times at the paths have no time zone; lists and maps take two steps."""
    if not paths:
        return kind
    match kind:
        case t.TimestampType():
            return t.TimestampNTZType()
        case t.StructType():
            return t.StructType(
                [
                    t.StructField(
                        field.name,
                        _drop_time_zones(field.dataType, _below(paths, field.name)),
                        field.nullable,
                    )
                    for field in kind.fields
                ]
            )
        case t.ArrayType():
            element = {path[2:] if len(path) > 1 else path[1:] for path in paths}
            return t.ArrayType(_drop_time_zones(kind.elementType, element), kind.containsNull)
        case t.MapType():
            keys, values = (
                {path[2:] for path in paths if len(path) > 1 and path[1] == part}
                for part in ("key", "value")
            )
            return t.MapType(
                _drop_time_zones(kind.keyType, keys),
                _drop_time_zones(kind.valueType, values),
                kind.valueContainsNull,
            )
        case _:
            return kind


def _below(paths: AbstractSet[ColumnPath], name: str) -> set[ColumnPath]:
    return {path[1:] for path in paths if path and fold(path[0]) == fold(name)}


def _has_times(kind: t.DataType) -> bool:
    match kind:
        case t.StructType():
            return any(_has_times(field.dataType) for field in kind.fields)
        case t.ArrayType():
            return _has_times(kind.elementType)
        case t.MapType():
            return _has_times(kind.keyType) or _has_times(kind.valueType)
        case _:
            return isinstance(kind, t.TimestampType)


def _int96_columns(core: Core, file: SourceFile) -> frozenset[ColumnPath]:
    named = core.iceberg.functions.java_class
    conf = hadoop_configuration(core.spark)
    path = named("org.apache.hadoop.fs.Path")(file.path)
    source = named("org.apache.parquet.hadoop.util.HadoopInputFile").fromPath(path, conf)
    reader = named("org.apache.parquet.hadoop.ParquetFileReader").open(source)
    try:
        columns = reader.getFileMetaData().getSchema().getColumns()
        return frozenset(
            tuple(column.getPath())
            for column in columns
            if column.getPrimitiveType().getPrimitiveTypeName().name() == "INT96"
        )
    finally:
        reader.close()


def stored_schema(frame: DataFrame) -> StructType:
    """Return the schema of files; a user-defined type is replaced by the type of the stored values.

    >>> stored_schema(session.spark.range(1)).simpleString()
    'struct<id:bigint>'
    """
    return schema_of_json(java_frame(frame).schema().json())


def schema_of_json(written: str) -> StructType:
    """Return the schema in Spark's JSON, with the type of the stored values for one of a user."""
    return StructType.fromJson(_plain(json.loads(written)))


def _plain(kind: Any) -> Any:
    match kind:
        case {"type": "udt", "sqlType": stored}:
            return _plain(stored)
        case {"type": "struct", "fields": fields}:
            return {**kind, "fields": [_plain_field(field) for field in fields]}
        case {"type": "array", "elementType": element}:
            return {**kind, "elementType": _plain(element)}
        case {"type": "map", "keyType": key, "valueType": value}:
            return {**kind, "keyType": _plain(key), "valueType": _plain(value)}
        case _:
            return kind


def _plain_field(field: dict[str, Any]) -> dict[str, Any]:
    return {**field, "type": _plain(field["type"]), "metadata": {}}
