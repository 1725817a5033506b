"""Write the rows of a query as files, by Spark's executors, and count the rows of each file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame, Observation
from pyspark.sql import functions as F  # noqa: N812 - the name PySpark users know

from icemelt.engine.spark_types import type_of
from icemelt.errors import DefinitionRefused, FileDamaged, FileRefused, IcemeltError, ValueRefused
from icemelt.names import fold
from icemelt.quoting import quote
from icemelt.schema import DataType, Primitive, sql_type
from icemelt.session.copy.partition_paths import partition_columns
from icemelt.session.copy.unload_files import UnloadedFile, UnloadFolder
from icemelt.session.copy.unload_options import UnloadOptions
from icemelt.session.files.csv_records import read_csv
from icemelt.session.files.read_options import ReadOptions
from icemelt.session.files.source_files import SourceFile, spark_paths
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.spark_errors import translated
from icemelt.spark_sql.unloading import (
    REFUSED_MARKER,
    RefusedValue,
    csv_text,
    fail_on_ambiguous_text,
    is_lossy,
    json_options,
    json_value,
)
from icemelt.sql.statements import FileFormat

__all__ = ["UnloadColumn", "columns_to_unload", "write_files"]

_TEXTS = (Primitive("string"), Primitive("unknown"))
# no columns are made of the folders' names
_ALL_BELOW = {"recursiveFileLookup": "true"}
_CSV_WRITER = "icemelt.spark.CsvFiles"
_NO_SUCCESS_FILE = {"mapreduce.fileoutputcommitter.marksuccessfuljobs": "false"}


@dataclass(frozen=True, slots=True)
class UnloadColumn:
    """A column of the query; `type` is None where icemelt has no such type."""

    name: str
    type: DataType | None

    @property
    def type_name(self) -> str:
        """The name of the type in the manifest."""
        return "VARCHAR" if self.type is None else sql_type(self.type)


@dataclass(frozen=True, slots=True)
class _Files:
    files: tuple[UnloadedFile, ...]
    input_bytes: int


def columns_to_unload(rows: DataFrame, options: UnloadOptions) -> tuple[UnloadColumn, ...]:
    """Return the columns of the files: those of the query, without the text of PARTITION BY.

    Raises:
        DefinitionRefused: two columns have the same name, the file format cannot write a column
            so that reading gives the same values, or PARTITION BY gives no text.
    """
    columns = tuple(
        UnloadColumn(field.name, type_of(field.dataType)) for field in rows.schema.fields
    )
    if options.is_partitioned:
        *columns_of_files, partition = columns
        columns = tuple(columns_of_files)
        if partition.type not in _TEXTS:
            raise DefinitionRefused(
                f"PARTITION BY gives a {partition.type_name}, expected a VARCHAR.",
                hint="PARTITION BY TO_VARCHAR(…)",
            )
    names = [fold(column.name) for column in columns]
    for name in names:
        if names.count(name) > 1 and (options.header or options.format is not FileFormat.CSV):
            raise DefinitionRefused(
                f"Two columns of the files would be named {name!r}.",
                hint="Name them in the query: SELECT a.id AS a_id, b.id AS b_id …",
            )
    for column in columns:
        is_named = options.header and options.format is FileFormat.CSV
        if is_named and options.separators.loses_name(column.name):
            raise DefinitionRefused(
                f"The name {column.name!r} of a column would not be read back from the header: it "
                "is blank, holds a line break or a delimiter, or ends in a part of one.",
                hint="Name the column in the query: SELECT … AS name",
            )
        if options.format is not FileFormat.PARQUET and is_lossy(column.type):
            raise DefinitionRefused(
                f"Column {column.name!r} has bytes inside of other values, for which "
                f"{options.format.value} has no form.",
                hint="FILE_FORMAT = (TYPE = PARQUET)",
            )
    return columns


def write_files(
    core: Core, rows: DataFrame, folder: UnloadFolder, options: UnloadOptions
) -> tuple[tuple[UnloadedFile, ...], int]:
    """Write the rows into a folder; return the files, and the size of the rows before compression.

    With PARTITION BY each partition has a folder inside, whose files have paths in the place of
    names. Where a file is larger than MAX_FILE_SIZE, all rows are written again with fewer rows in
    a file.

    Args:
        core: the session's parts.
        rows: the rows of the query.
        folder: the folder to write.
        options: the options of COPY INTO.

    Raises:
        FileRefused: the folder cannot be written.
        ValueRefused: a value in the file would be read back as another value.
    """
    columns = columns_to_unload(rows, options)
    limit: int | None = None
    while True:
        written = _write_once(core, rows, columns, folder, options, limit)
        fitting = _rows_that_fit(written.files, options.max_file_size)
        if fitting is None:
            return written.files, written.input_bytes
        if options.single:
            raise FileRefused(
                f"A single file of {written.files[0].size} bytes is larger than MAX_FILE_SIZE.",
                hint="Raise MAX_FILE_SIZE, or SINGLE = FALSE writes several files.",
            )
        limit = fitting if limit is None else min(fitting, max(1, limit // 2))
        folder.rollback()


def _write_once(
    core: Core,
    rows: DataFrame,
    columns: Sequence[UnloadColumn],
    folder: UnloadFolder,
    options: UnloadOptions,
    limit: int | None,
) -> _Files:
    """Write all rows, at most `limit` rows to a file, and count the rows that are in the files.

    Raises:
        FileRefused: fewer or more rows are in the files than Spark has written.
    """
    observation = Observation()
    try:
        with translated(core.spark):
            shaped = _format_rows(rows, columns, options)
            names = shaped.columns
            partitions = names[-2:] if options.is_partitioned else []
            size = _line_bytes(names[: len(names) - len(partitions)], options)
            if partitions:
                # few files: a task has all rows of a partition, several tasks those of a large one
                shaped = shaped.hint("rebalance", *partitions)
            watched = shaped.observe(
                observation, F.count(F.lit(1)).alias("rows"), F.expr(f"sum({size})").alias("bytes")
            )
            if options.single:
                watched = watched.coalesce(1)
            writer = watched.write.options(**_writer_options(columns, options))
            writer = writer.partitionBy(*partitions)
            if limit is not None:
                writer = writer.option("maxRecordsPerFile", limit)
            writer.format(_spark_format(columns, options)).save(folder.path)
    except IcemeltError as error:
        raise _explain_error(error, folder) from error
    files = _count(core, folder, columns, options)
    counted, expected = sum(file.rows for file in files), observation.get["rows"]
    if counted != expected:
        raise FileRefused(
            f"{expected} rows were written to {folder.written_path!r}, and {counted} are there.",
            hint="Name a location that this machine and Spark's executors share.",
        )
    total = sum(file.size for file in files)
    is_plain = options.format is FileFormat.PARQUET or options.codec == "none"
    return _Files(files, total if is_plain else observation.get["bytes"] or 0)


def _format_rows(
    rows: DataFrame, columns: Sequence[UnloadColumn], options: UnloadOptions
) -> DataFrame:
    """Return the rows as the file format stores them."""
    numbered = rows.toDF(*(f"c{index}" for index in range(len(rows.columns))))
    sources = [(f"c{index}", column) for index, column in enumerate(columns)]
    partitions: dict[str, str] = {}
    if options.is_partitioned:
        taken = [*numbered.columns, *(column.name for column in columns), "value"]
        partitions = partition_columns(numbered.columns[-1], taken)
    folders = [f"{value} AS {quote(name)}" for name, value in partitions.items()]
    if _is_document(columns, options):
        return numbered.selectExpr("coalesce(to_json(c0), 'null') AS value", *folders)
    match options.format:
        case FileFormat.CSV:
            texts = [csv_text(sql, each.type, options.formats) for sql, each in sources]
            values = fail_on_ambiguous_text(texts, options.separators)
        case FileFormat.JSON:
            values = [json_value(sql, each.type, options.formats) for sql, each in sources]
        case FileFormat.PARQUET:
            unknown = (None, Primitive("unknown"))
            values = [
                f"CAST({sql} AS STRING)" if each.type in unknown else sql for sql, each in sources
            ]
    is_named = options.header or options.format is not FileFormat.CSV
    return numbered.selectExpr(
        *(
            f"{value} AS {quote(column.name) if is_named else sql}"
            for value, (sql, column) in zip(values, sources, strict=True)
        ),
        *folders,
    )


def _is_document(columns: Sequence[UnloadColumn], options: UnloadOptions) -> bool:
    """Tell whether a line is the row's only VARIANT value, and not an object around that value."""
    is_alone = len(columns) == 1 and columns[0].type == Primitive("variant")
    return is_alone and options.format is FileFormat.JSON


def _spark_format(columns: Sequence[UnloadColumn], options: UnloadOptions) -> str:
    if options.format is FileFormat.CSV:
        return _CSV_WRITER
    return "text" if _is_document(columns, options) else options.format.value.lower()


def _writer_options(columns: Sequence[UnloadColumn], options: UnloadOptions) -> dict[str, str]:
    common = {"compression": options.codec, **_NO_SUCCESS_FILE}
    if options.format is FileFormat.PARQUET or _is_document(columns, options):
        return common
    if options.format is FileFormat.JSON:
        return {**common, **json_options()}
    separators = options.separators
    return {
        **common,
        "extension": options.extension,
        "header": str(options.header).lower(),
        "sep": separators.delimiter,
        "lineSep": separators.record,
        "quote": separators.quote or "",
        # a quote inside of quotes has it before it, or else another quote
        "escape": (separators.quote and options.escape) or separators.quote or "",
        "plainEscape": separators.escape or "",
        "nullValue": separators.null,
    }


def _line_bytes(names: Sequence[str], options: UnloadOptions) -> str:
    """Return SQL for the size of a row as text, separators included; 0 for Parquet."""
    if options.format is FileFormat.PARQUET:
        return "0L"
    if options.format is FileFormat.JSON:
        given = ", ".join(quote(name) for name in names)
        return f"octet_length(to_json(struct({given}))) + 1L"
    null = len(options.separators.null)
    values = (f"coalesce(octet_length({quote(name)}), {null})" for name in names)
    return f"{' + '.join(values)} + {len(names)}L"


def _count(
    core: Core, folder: UnloadFolder, columns: Sequence[UnloadColumn], options: UnloadOptions
) -> tuple[UnloadedFile, ...]:
    """Read the written files, and count the rows of each file."""
    sizes = folder.files()
    if not sizes:
        return ()
    # thousands of paths take Spark longer than a folder with thousands of files
    names = [folder.path] if options.is_partitioned else [f"{folder.path}/{name}" for name in sizes]
    paths = spark_paths(SourceFile(name, 0, 0) for name in names)
    with translated(core.spark):
        match options.format:
            case FileFormat.PARQUET:
                lines = core.spark.read.options(**_ALL_BELOW).parquet(*paths)
            case FileFormat.JSON:
                lines = core.spark.read.options(**_ALL_BELOW).text(paths)
            case FileFormat.CSV:
                written = [SourceFile(f"{folder.path}/{name}", sizes[name], 0) for name in sizes]
                lines = read_csv(core, _as_loaded(options), written, len(columns))
        # the path of a file below the folder is plain ASCII, which Spark's URLs leave as it is
        depth = max(sizes).count("/") + 1
        name = F.expr(f"substring_index(_metadata.file_path, '/', {-depth})")
        groups = lines.groupBy(name).count().collect()
    rows = {row[0]: row[1] for row in groups}
    return tuple(UnloadedFile(name, rows.get(name, 0), sizes[name]) for name in sorted(sizes))


def _as_loaded(options: UnloadOptions) -> ReadOptions:
    separators = options.separators
    return ReadOptions(
        FileFormat.CSV,
        delimiter=separators.delimiter,
        record_delimiter=separators.record,
        quote=separators.quote,
        escape=options.escape,
        plain_escape=separators.escape,
        parse_header=options.header,
    )


def _rows_that_fit(files: Sequence[UnloadedFile], max_size: int | None) -> int | None:
    """Return how many rows a file may have, None where every file is small enough."""
    if max_size is None:
        return None
    large = [file for file in files if file.size > max_size and file.rows > 1]
    if not large:
        return None
    return max(1, min(file.rows * max_size // file.size * 9 // 10 for file in large))


def _explain_error(error: IcemeltError, folder: UnloadFolder) -> IcemeltError:
    if f"{REFUSED_MARKER}:" in error.message:
        return _refused_value(error.message.split(f"{REFUSED_MARKER}:", 1)[1])
    if isinstance(error, FileRefused | FileDamaged) or "not a directory" in error.message:
        return FileRefused(
            f"Location {folder.place.given!r} cannot be written: {error.message}", hint=error.hint
        )
    return error


def _refused_value(said: str) -> ValueRefused:
    """Return the error of a value, given its kind and the value."""
    kind, _, value = said.partition(":")
    quoted = "FILE_FORMAT = (TYPE = CSV FIELD_OPTIONALLY_ENCLOSED_BY = '\"')"
    match RefusedValue(kind):
        case RefusedValue.TEXT:
            return ValueRefused(
                f"The text {value!r} would not be read back as it is: it holds a delimiter or ends "
                "in a part of one, ends a line, is blank, or is a text that stands for NULL.",
                hint=f"{quoted}, with another NULL_IF where the text is NULL's."
                if value
                else f"{quoted}, or EMPTY_FIELD_AS_NULL = FALSE; NULL_IF without ''.",
            )
        case RefusedValue.NULL:
            return ValueRefused(
                "A NULL would not be read back: it is written as a text that loading takes for "
                "another value, or for a blank line.",
                hint="NULL_IF = ('\\\\N')",
            )
        case RefusedValue.TIME:
            return ValueRefused(
                f"The text {value!r} would be read back as another date or time.",
                hint="Leave DATE_FORMAT and TIMESTAMP_FORMAT out, or write texts: "
                "SELECT TO_VARCHAR(column, 'format') …",
            )
        case RefusedValue.BYTES:
            return ValueRefused(
                f"The bytes {value} are no UTF-8.", hint="BINARY_FORMAT = HEX, or BASE64"
            )
