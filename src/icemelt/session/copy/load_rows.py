"""Read files as rows: convert the values to the columns' types, and tell why a row is refused."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from py4j.protocol import Py4JJavaError
from pyspark.sql import DataFrame, DataFrameReader, Window
from pyspark.sql import functions as F  # noqa: N812 - the name PySpark users know
from pyspark.sql.types import StructType

from icemelt.errors import DefinitionRefused, LoadFailed
from icemelt.names import fold
from icemelt.quoting import quote, text_literal
from icemelt.schema import Column, Primitive, contains
from icemelt.session.copy.load_files import SourceFile, spark_name, spark_paths
from icemelt.session.copy.load_options import ColumnMatching, LoadOptions
from icemelt.session.copy.load_starts import FileStart, copy_without_start, group_by_start
from icemelt.session.copy.parquet import group_by_int96_columns, stored_schema, with_zoneless_times
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.spark_errors import translated
from icemelt.session.runtime.spark_sql import select
from icemelt.spark_sql.loading import (
    FileValue,
    SourceKind,
    find_member,
    json_values,
    loaded_value,
    object_members,
    outer_array,
    refusal,
    text_or_null,
)
from icemelt.spark_sql.writing import stored_value
from icemelt.sql.statements import FileFormat

__all__ = [
    "BLOCK",
    "FILE",
    "PLACE",
    "REFUSAL",
    "LoadTarget",
    "csv_reader",
    "read_rows",
    "value_name",
]

# The place of a row, and its refusal: a column with a text, or NULL.
FILE, BLOCK, PLACE, REFUSAL = "icemelt_file", "icemelt_block", "icemelt_place", "icemelt_refusal"
_RECORD = "icemelt_record"
_DOCUMENT, _MEMBERS = "icemelt_document", "icemelt_members"
# Spark gives the path as a URL; url_decode would turn a plus into a space.
_FILE_PATH = "url_decode(replace(_metadata.file_path, '+', '%2B'))"
_NO_NULL_MARK = "\x01icemelt-empty"
_WIDE_ENCODING = re.compile(r"^UTF-?(16|32)")


@dataclass(frozen=True, slots=True)
class LoadTarget:
    """The table to load: name, all columns in order, and the columns that files fill (`given`)."""

    name: str
    columns: tuple[Column, ...]
    given: tuple[Column, ...]


@dataclass(frozen=True, slots=True)
class _Scan:
    """The raw rows of files.

    Attributes:
        frame: the raw rows.
        sources: the raw columns that fill the given columns, None for a column missing in the
            files.
        broken: SQL for the refusal of a whole raw row; NULL for a good row.
    """

    frame: DataFrame
    sources: tuple[FileValue | None, ...]
    broken: str = "NULL"


def read_rows(
    core: Core, target: LoadTarget, options: LoadOptions, files: Sequence[SourceFile]
) -> DataFrame:
    """Return the rows of files: place, refusal, and a value for every column of the table.

    A CSV file `1,a` / `x,b`, loaded into `t (id INT, name VARCHAR)`, becomes:

        icemelt_place | icemelt_refusal       | v0   | v1
        0             | NULL                  | 1    | a
        1             | {column: id, text: …} | NULL | b

    Args:
        core: the session's parts.
        target: the table to load.
        options: the options of COPY INTO.
        files: the files to read.

    Raises:
        DefinitionRefused: files of this form cannot fill the table's columns.
        LoadFailed: the files and the table have no column in common.
    """
    with translated(core.spark):
        match options.format:
            case FileFormat.CSV:
                scan = _scan_csv(core, target, options, files)
            case FileFormat.JSON:
                scan = _scan_json(core, target, options, files)
            case FileFormat.PARQUET:
                return _parquet_rows(core, target, options, files)
        return _convert_columns(core, target, options, scan)


def value_name(position: int) -> str:
    """Return the name of the converted value of the table column at a position."""
    return f"v{position}"


def _convert_columns(
    core: Core, target: LoadTarget, options: LoadOptions, scan: _Scan
) -> DataFrame:
    """Return the rows with a converted value for every column of the table, and with their refusal.

    A column that the files do not fill gets its default.
    """
    by_name = {
        column.name: source for column, source in zip(target.given, scan.sources, strict=True)
    }
    values, refusals = [], [scan.broken]
    for position, column in enumerate(target.columns):
        source = by_name.get(column.name)
        name = value_name(position)
        if source is not None:
            value = loaded_value(column, source, options.formats)
        elif column.name in by_name:
            value = stored_value(column, "NULL")
        else:
            value = stored_value(column, column.default or "NULL")
        values.append(f"{value} AS {name}")
        refusals.append(refusal(column, source, name))
    places = [FILE, BLOCK, PLACE]
    first = select(core, scan.frame, ["*", *values])
    said = ", ".join(expression for expression in refusals if expression != "NULL")
    refused = f"coalesce({said})" if said else "CAST(NULL AS STRUCT<column: STRING, text: STRING>)"
    names = [value_name(position) for position in range(len(target.columns))]
    return first.selectExpr(*places, f"{refused} AS {REFUSAL}", *names)


def _add_place(frame: DataFrame, *columns: str, path: str = _FILE_PATH) -> DataFrame:
    """Add the file, the block and the place of every row; in a block the place rises by one."""
    return frame.selectExpr(
        *columns,
        f"{path} AS {FILE}",
        f"_metadata.file_block_start AS {BLOCK}",
        f"monotonically_increasing_id() AS {PLACE}",
    )


def _scan_csv(
    core: Core, target: LoadTarget, options: LoadOptions, files: Sequence[SourceFile]
) -> _Scan:
    """Return the raw rows of CSV files.

    With ERROR_ON_COLUMN_COUNT_MISMATCH a line with another number of columns is refused as a whole.
    """
    names: list[str] | None = None
    if options.matching is not ColumnMatching.NONE:
        names = _header(core, options, files)
        sources = _by_name(target, options, names, SourceKind.TEXT)
        count = len(names)
    else:
        count = len(target.given)
        sources = tuple(FileValue(f"`c{index}`", SourceKind.TEXT) for index in range(count))
    columns = [f"c{index}" for index in range(count)] if names is None else names
    frames = [
        _csv_frame(core, options, columns, start, group)
        for start, group in group_by_start(core, options, files)
    ]
    frame = functools.reduce(DataFrame.unionAll, frames)
    broken = "NULL"
    if options.strict_columns:
        said = text_literal(f"the line has another number of columns than {count}: ")
        shown = f"concat({said}, left({_RECORD}, 100))"
        broken = _row_refusal(f"{_RECORD} IS NOT NULL", shown)
    return _Scan(frame, sources, broken)


def _csv_frame(
    core: Core,
    options: LoadOptions,
    columns: Sequence[str],
    start: FileStart,
    files: Sequence[SourceFile],
) -> DataFrame:
    """Return the raw rows of CSV files with one kind of start, without the lines to skip."""
    path, records = _FILE_PATH, start.records
    if records is None:
        (file,) = files
        path, records = text_literal(spark_name(file)), 0
        files = [copy_without_start(core, options, file, start)]
    fields = ", ".join(f"{quote(name)} STRING" for name in (*columns, _RECORD))
    header = options.parse_header or records == 1
    reader = csv_reader(core, options, header=header, ending=start.ending)
    reader = reader.option("enforceSchema", options.matching is ColumnMatching.NONE).schema(fields)
    frame = _add_place(
        reader.load(spark_paths(files)),
        *(f"{_read_text(quote(name), options)} AS `c{i}`" for i, name in enumerate(columns)),
        _RECORD,
        path=path,
    )
    if records <= 1:
        return frame
    first = F.min(PLACE).over(Window.partitionBy(FILE, BLOCK))
    later = (F.col(BLOCK) > 0) | (F.col(PLACE) - first >= records)
    return frame.withColumn("icemelt_kept", later).where("icemelt_kept").drop("icemelt_kept")


def csv_reader(
    core: Core, options: LoadOptions, *, header: bool, ending: str | None = None
) -> DataFrameReader:
    """Return Spark's reader for CSV files.

    Args:
        core: the session's parts.
        options: the options of COPY INTO.
        header: whether the first record has the names of the columns.
        ending: the text that ends a record, None for any line break.
    """
    quotes = options.quote or ""
    reader = (
        core.spark.read.format("csv")
        .option("sep", options.delimiter)
        .option("header", header)
        .option("quote", quotes)
        .option("escape", options.escape or quotes)
        .option("nullValue", _NO_NULL_MARK)
        .option("emptyValue", "")
        .option("encoding", options.encoding)
        # a line break inside quotes: Spark cannot split the file into blocks
        .option(
            "multiLine", options.in_quotes or _WIDE_ENCODING.match(options.encoding) is not None
        )
        .option("ignoreLeadingWhiteSpace", options.trim)
        .option("ignoreTrailingWhiteSpace", options.trim)
        .option("maxCharsPerColumn", -1)
        .option("mode", "PERMISSIVE")
        .option("columnNameOfCorruptRecord", _RECORD)
    )
    if options.record_delimiter not in {None, "\n", "\r\n"}:
        ending = options.record_delimiter
    elif not options.in_quotes:
        ending = None
    return reader if ending is None else reader.option("lineSep", ending)


def _read_text(expression: str, options: LoadOptions) -> str:
    value = expression if options.empty_as_null else f"coalesce({expression}, '')"
    return text_or_null(value, options.null_if)


def _header(core: Core, options: LoadOptions, files: Sequence[SourceFile]) -> list[str]:
    """Return the column names of the first file with bytes.

    Spark refuses files with other names.
    """
    full = [file for file in files if file.size] or files
    ((start, first),) = group_by_start(core, options, full[:1])
    reader = csv_reader(core, options, header=True, ending=start.ending)
    names = reader.load(spark_paths(first)).columns
    return [name for name in names if name != _RECORD]


def _scan_json(
    core: Core, target: LoadTarget, options: LoadOptions, files: Sequence[SourceFile]
) -> _Scan:
    """Return the raw rows of JSON files: whole documents, or the members named as the columns."""
    reader = core.spark.read.format("text").option("wholetext", options.strip_outer_array)
    raw = reader.load(spark_paths(files))
    if options.strip_outer_array:
        element = f"explode({outer_array('value')}) AS {_DOCUMENT}"
        with_file = raw.selectExpr(f"{_FILE_PATH} AS f", "value").where("trim(value) <> ''")
        frame = with_file.selectExpr("f", element).selectExpr(
            _DOCUMENT,
            f"f AS {FILE}",
            f"0L AS {BLOCK}",
            f"monotonically_increasing_id() AS {PLACE}",
        )
    else:
        lines = _add_place(raw, "value").where("trim(value) <> ''")
        frame = lines.selectExpr(f"{json_values('value')} AS {_DOCUMENT}", FILE, BLOCK, PLACE)
    broken = _row_refusal(f"{_DOCUMENT} IS NULL", text_literal("this is no JSON value of its own"))
    if options.matching is ColumnMatching.NONE:
        _require_one_variant(target, "JSON")
        return _Scan(frame, (FileValue(f"`{_DOCUMENT}`", SourceKind.VARIANT),), broken)
    any_case = options.matching is ColumnMatching.CASE_INSENSITIVE
    split = frame.selectExpr("*", f"{object_members(_DOCUMENT)} AS {_MEMBERS}")
    values = (find_member(_MEMBERS, column.name, any_case=any_case) for column in target.given)
    named = split.selectExpr("*", *(f"{value} AS `c{index}`" for index, value in enumerate(values)))
    sources = tuple(FileValue(f"`c{i}`", SourceKind.VARIANT) for i in range(len(target.given)))
    broken = _row_refusal(f"{_MEMBERS} IS NULL", text_literal("this is no JSON object of its own"))
    return _Scan(named, sources, broken)


def _parquet_rows(
    core: Core, target: LoadTarget, options: LoadOptions, files: Sequence[SourceFile]
) -> DataFrame:
    """Read Parquet files together where their schemas can be merged, else schema by schema."""
    reader = core.spark.read.format("parquet").option("mergeSchema", len(files) > 1)
    try:
        groups = [(stored_schema(reader.load(spark_paths(files))), list(files))]
    except Py4JJavaError as error:
        if "CANNOT_MERGE_SCHEMAS" not in str(error.java_exception.toString()):
            raise
        by_schema: dict[str, tuple[StructType, list[SourceFile]]] = {}
        for file in files:
            schema = stored_schema(reader.load(spark_paths([file])))
            by_schema.setdefault(schema.json(), (schema, []))[1].append(file)
        groups = list(by_schema.values())
    instants = {
        fold(column.name) for column in target.given if column.type == Primitive("timestamptz")
    }
    parts = []
    for schema, group in groups:
        for paths, part in group_by_int96_columns(core, schema, group):
            typed = reader.schema(with_zoneless_times(schema, paths, instants))
            raw = typed.load(spark_paths(part))
            parts.append(
                _convert_columns(core, target, options, _scan_parquet(target, options, raw))
            )
    return functools.reduce(DataFrame.unionAll, parts)


def _scan_parquet(target: LoadTarget, options: LoadOptions, raw: DataFrame) -> _Scan:
    names = raw.columns
    types = [field.dataType.simpleString() for field in raw.schema.fields]
    whole = options.matching is ColumnMatching.NONE and _is_document(target, names)
    if whole:
        listed = ", ".join(quote(name) for name in names)
        frame = _add_place(raw, f"to_variant_object(struct({listed})) AS `c0`")
        return _Scan(frame, (FileValue("`c0`", SourceKind.TYPED, "variant"),))
    numbered = [f"{quote(name)} AS `c{index}`" for index, name in enumerate(names)]
    frame = _add_place(raw, *numbered)
    matched = _by_name(target, options, names, SourceKind.TYPED, types)
    return _Scan(frame, matched)


def _by_name(
    target: LoadTarget,
    options: LoadOptions,
    names: Sequence[str],
    kind: SourceKind,
    types: Sequence[str] = (),
) -> tuple[FileValue | None, ...]:
    """Return for the given columns the file columns of the same names, None where there is none."""
    exact = options.matching is ColumnMatching.CASE_SENSITIVE
    places = {(name if exact else fold(name)): index for index, name in enumerate(names)}
    sources: list[FileValue | None] = []
    for column in target.given:
        index = places.get(column.name if exact else fold(column.name))
        source = None
        if index is not None:
            source = FileValue(f"`c{index}`", kind, types[index] if types else "")
        sources.append(source)
    if not any(sources):
        raise LoadFailed(
            f"No column of the files is one of table {target.name!r}: they have "
            f"{', '.join(names)}.",
            hint="MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE, or name the table's columns alike.",
        )
    return tuple(sources)


def _require_one_variant(target: LoadTarget, what: str) -> None:
    if len(target.given) != 1 or not contains(target.given[0].type, "variant"):
        raise DefinitionRefused(
            f"A {what} file fills one VARIANT column, and table {target.name!r} takes others.",
            hint="MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE",
        )


def _is_document(target: LoadTarget, names: Sequence[str]) -> bool:
    """Tell whether a whole row of the file becomes one VARIANT value."""
    if len(target.given) != 1 or target.given[0].type != Primitive("variant"):
        return False
    return fold(target.given[0].name) not in {fold(name) for name in names}


def _row_refusal(condition: str, said: str) -> str:
    row = f"named_struct('column', CAST(NULL AS STRING), 'text', {said})"
    return f"CASE WHEN {condition} THEN {row} END"
