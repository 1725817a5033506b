"""Scan files: CSV by positions or by a header's names, JSON, and files whose columns have types."""

from __future__ import annotations

import functools
import re
from collections.abc import Hashable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import NamedTuple

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, DataFrameReader, Window
from pyspark.sql import functions as F  # noqa: N812 - the name PySpark users know

from icemelt.engine.resources import StatementResources, StatementScratch
from icemelt.errors import LoadFailed, Never
from icemelt.names import fold
from icemelt.quoting import quote, text_literal
from icemelt.schema import Primitive
from icemelt.session.files.csv_starts import (
    FileStart,
    copy_without_start,
    group_by_header,
    group_by_start,
)
from icemelt.session.files.csv_streams import can_stream, unlike_line
from icemelt.session.files.invalid_texts import (
    badly_decoded,
    invalid_values,
    refuse_invalid,
    with_valid_texts,
)
from icemelt.session.files.json_scans import scan_json
from icemelt.session.files.known_files import read_known, text_columns
from icemelt.session.files.parquet import (
    group_by_int96_columns,
    stored_schema,
    typed_expected,
    with_zoneless_times,
)
from icemelt.session.files.parquet_types import (
    StoredSchema,
    as_meant,
    is_refused_type,
    read_stored_schemas,
)
from icemelt.session.files.raw_rows import (
    FILE_NAME,
    FilledColumns,
    Scan,
    add_place,
    add_row_index,
    first_refusal,
    row_refusal,
)
from icemelt.session.files.read_options import ColumnMatching, ReadOptions
from icemelt.session.files.source_files import SourceFile, spark_name, spark_paths
from icemelt.session.runtime.core import Core
from icemelt.spark_sql.loading import (
    BLOCK,
    FILE,
    PLACE,
    FileValue,
    SourceKind,
    read_beside,
    text_or_null,
)
from icemelt.sql.statements import FileFormat
from icemelt.tables.lru_cache import WeightedLRUCache

__all__ = [
    "RECORD",
    "csv_settings",
    "quoting_settings",
    "read_header",
    "read_typed",
    "require_distinct",
    "scan_files",
]

# the text of a CSV record with another number of columns
RECORD = "icemelt_record"
_INVALID = "icemelt_invalid"
_NO_NULL_MARK = "\x01icemelt-empty"
# the files that can be read together, by what tells that they were not written since
_SCHEMAS = WeightedLRUCache[Hashable, list[tuple[StoredSchema, list[SourceFile]]]](room=100_000)
_WIDE_ENCODING = re.compile(r"^UTF-?(16|32)")


def scan_files(
    core: Core,
    target: FilledColumns,
    options: ReadOptions,
    files: Sequence[SourceFile],
    resources: StatementResources,
) -> list[Scan]:
    """Return the raw rows of files; Parquet files of several schemas make several scans.

    Args:
        core: the session's parts.
        target: the columns that the files fill.
        options: the options of the file format.
        files: the files to read.
        resources: get the scratch files.

    Raises:
        DefinitionRefused: files of this form cannot fill the columns.
        LoadFailed: the files and the columns have no name in common.
    """
    match options.format:
        case FileFormat.CSV:
            return _scan_csv_files(core, target, options, files, resources)
        case FileFormat.JSON:
            return [scan_json(core, target, options, files)]
        case _:
            return _scan_typed_files(core, target, options, files)


@dataclass(frozen=True, slots=True)
class _CsvColumns:
    """The columns of CSV files: how many the files have, and those that fill the table's.

    `with_places` is as in `FilledColumns`.
    """

    count: int
    sources: tuple[FileValue | None, ...]
    with_places: bool


def _scan_csv_files(
    core: Core,
    target: FilledColumns,
    options: ReadOptions,
    files: Sequence[SourceFile],
    resources: StatementResources,
) -> list[Scan]:
    """Scan CSV files together, or header by header where columns are matched by name.

    Raises:
        LoadFailed: the files and the columns have no name in common, or a name stands twice in a
            header.
    """
    scratch = StatementScratch(core.relations.scratch, resources)
    if options.matching is ColumnMatching.NONE:
        count = len(target.columns)
        sources = tuple(FileValue(f"`c{index}`", SourceKind.TEXT) for index in range(count))
        columns = _CsvColumns(count, sources, target.with_places)
        return [_scan_csv(core, options, columns, files, scratch)]
    scans = []
    for same in group_by_header(core, options, files):
        names = read_header(core, options, same)
        exact = options.matching is ColumnMatching.CASE_SENSITIVE
        require_distinct(names, same[0], exact=exact)
        matched = _by_name(target, options, names, SourceKind.TEXT)
        columns = _CsvColumns(len(names), matched, target.with_places)
        scans.append(_scan_csv(core, options, columns, same, scratch))
    return scans


def require_distinct(names: Sequence[str], file: SourceFile, *, exact: bool) -> None:
    """Refuse a header that has a name twice.

    Args:
        names: the names in the header.
        file: the file.
        exact: whether names that differ by case alone are different names.

    Raises:
        LoadFailed: the name, and the file.
    """
    seen: dict[str, str] = {}
    for name in names:
        first = seen.setdefault(name if exact else fold(name), name)
        if first is not name:
            both = f"{name!r} twice" if first == name else f"both {first!r} and {name!r}"
            raise LoadFailed(
                f"The header of file {file.name!r} has {both}, and columns are matched by name.",
                hint="Rename a column in the file, or read by position: SKIP_HEADER = 1 without "
                "PARSE_HEADER and MATCH_BY_COLUMN_NAME.",
            )


def _scan_csv(
    core: Core,
    options: ReadOptions,
    columns: _CsvColumns,
    files: Sequence[SourceFile],
    scratch: StatementScratch,
) -> Scan:
    """Return the raw rows of CSV files.

    With ERROR_ON_COLUMN_COUNT_MISMATCH a line with another number of columns is refused as a whole,
    and in a stream a row that may not be what the line is.
    """
    groups = [_Group(*group) for group in group_by_start(core, options, files)]
    in_stream = options.in_stream and can_stream(options, groups)
    options = replace(options, in_stream=in_stream)
    frames = [_csv_frame(core, options, columns, group, scratch) for group in groups]
    frame = functools.reduce(DataFrame.unionAll, frames)
    broken = [f"{RECORD} IS NOT NULL"] if options.strict_columns else []
    if in_stream:
        broken.append(unlike_line(_names(columns)))
    texts = [] if in_stream else [quote(name) for name in _names(columns)]
    refusals = [refuse_invalid(options, badly_decoded(texts))]
    if broken:
        said = text_literal(f"the line has another number of columns than {columns.count}: ")
        refusals.append(row_refusal(" OR ".join(broken), f"concat({said}, left({RECORD}, 100))"))
    return Scan(frame, columns.sources, first_refusal(refusals))


def _names(columns: _CsvColumns) -> list[str]:
    return [f"c{index}" for index in range(columns.count)]


class _Group(NamedTuple):
    """CSV files with one kind of start."""

    start: FileStart
    files: Sequence[SourceFile]


def _csv_frame(
    core: Core,
    options: ReadOptions,
    columns: _CsvColumns,
    group: _Group,
    scratch: StatementScratch,
) -> DataFrame:
    """Return the raw rows of CSV files with one kind of start, without the lines to skip.

    The columns are `c0`, `c1`, …, in the order of the files.
    """
    start, files = group.start, group.files
    path, records = FILE_NAME, start.records
    if records is None:
        (file,) = files
        path, records = text_literal(spark_name(file)), 0
        files = [copy_without_start(core, options, file, start, scratch)]
    names = _names(columns)
    header = options.parse_header or records == 1
    settings = csv_settings(options, header=header, ending=start.ending)
    values = [f"{_read_text(quote(name), options)} AS {quote(name)}" for name in names]
    raw = read_known(core, "csv", text_columns(*names, RECORD), files, settings)
    is_late = records > 1
    frame = add_place(
        raw,
        [*values, f"{read_beside(RECORD, quote(names[0]))} AS {RECORD}"],
        with_places=columns.with_places or is_late,
        path=path,
    )
    if not is_late:
        return frame
    first = F.min(PLACE).over(Window.partitionBy(FILE, BLOCK))
    later = (F.col(BLOCK) > 0) | (F.col(PLACE) - first >= records)
    return frame.withColumn("icemelt_kept", later).where("icemelt_kept").drop("icemelt_kept")


def csv_settings(
    options: ReadOptions, *, header: bool, ending: str | None = None
) -> dict[str, str]:
    """Return the options of Spark's reader for CSV files.

    Args:
        options: the options of COPY INTO.
        header: whether the first record has the names of the columns.
        ending: the text that ends a record, None for any line break.
    """
    # a line break inside quotes: Spark cannot split the file into blocks
    is_whole = (
        options.in_quotes or options.in_stream or _WIDE_ENCODING.match(options.encoding) is not None
    )
    settings = {
        "sep": options.delimiter,
        "header": _flag(header),
        **quoting_settings(options.quote, options.escape),
        "nullValue": _NO_NULL_MARK,
        "emptyValue": "",
        "encoding": options.encoding,
        "multiLine": _flag(is_whole),
        "ignoreLeadingWhiteSpace": _flag(options.trim),
        "ignoreTrailingWhiteSpace": _flag(options.trim),
        "maxCharsPerColumn": "-1",
        "mode": "PERMISSIVE",
        "columnNameOfCorruptRecord": RECORD,
    }
    if not options.ends_at_newlines:
        ending = options.record_delimiter
    elif not options.in_quotes:
        ending = None
    return settings if ending is None else {**settings, "lineSep": ending}


def quoting_settings(quote: str | None, escape: str | None) -> dict[str, str]:
    """Return the options of Spark's reader and writer for quotes in CSV files.

    Args:
        quote: the character around values, None where there is none.
        escape: the character before a quote inside of quotes, None for a second quote.

    >>> quoting_settings("'", None)
    {'quote': "'", 'escape': "'", 'charToEscapeQuoteEscaping': "'"}
    """
    before = escape or quote or ""
    settings = {"quote": quote or "", "escape": before}
    # Spark's own character is NUL where a quote escapes a quote: a NUL in a text would be lost
    return {**settings, "charToEscapeQuoteEscaping": before} if before else settings


def _flag(value: object) -> str:
    """Return a flag as Spark's readers take one."""
    return "true" if value else "false"


def _read_text(expression: str, options: ReadOptions) -> str:
    value = expression if options.empty_as_null else f"coalesce({expression}, '')"
    return text_or_null(value, options.null_if)


def read_header(core: Core, options: ReadOptions, files: Sequence[SourceFile]) -> list[str]:
    """Return the column names of the first file with bytes, as the file has them.

    Args:
        core: the session's parts.
        options: the options of the file format.
        files: files with the same header.
    """
    full = [file for file in files if file.size] or files
    ((start, first),) = group_by_start(core, options, full[:1])
    settings = csv_settings(options, header=False, ending=start.ending)
    # the names and the number of columns are the first record's
    reader = core.spark.read.format("csv").options(**settings)
    record = reader.load(spark_paths(first)).first()
    return [name or f"_c{index}" for index, name in enumerate(record or ())]


def _scan_typed_files(
    core: Core, target: FilledColumns, options: ReadOptions, files: Sequence[SourceFile]
) -> list[Scan]:
    """Scan files whose columns have types: together where their schemas can be merged.

    Raises:
        LoadFailed: a file is no Parquet file.
    """
    instants = {
        fold(column.name) for column in target.columns if column.type == Primitive("timestamptz")
    }
    frames = read_typed(core, options, files, instants)
    return [_scan_typed(target, options, raw) for raw in frames]


def read_typed(
    core: Core,
    options: ReadOptions,
    files: Sequence[SourceFile],
    instants: AbstractSet[str] = frozenset(),
) -> list[DataFrame]:
    """Return the rows of files whose columns have types, together where schemas can be merged.

    Args:
        core: the session's parts.
        options: the options of the file format: PARQUET, ORC or AVRO.
        files: the files.
        instants: the folded names of the columns whose INT96 times are instants.

    Raises:
        LoadFailed: a file is none of the format.
        Never: a guest reads ORC or Avro.
        NotYet: Spark has no reader of Avro.
    """
    frames, file_format = [], options.format
    for stored, group in _group_by_schema(core, file_format, files):
        if file_format is not FileFormat.PARQUET:
            frames.append(read_known(core, file_format.value, stored.schema, group))
            continue
        for paths, part in group_by_int96_columns(core, stored.schema, group):
            typed = with_zoneless_times(stored.schema, paths, instants)
            frames.append(as_meant(read_known(core, file_format.value, typed, part), stored))
    return [with_valid_texts(frame) for frame in frames] if options.replace_invalid else frames


def _typed_reader(core: Core, file_format: FileFormat) -> DataFrameReader:
    """Return Spark's reader of files whose columns have types.

    Raises:
        Never: a guest reads ORC or Avro.
    """
    if file_format is not FileFormat.PARQUET and core.is_guest:
        raise Never(
            f"A server reads no files of the type {file_format.value}: their readers make arrays "
            "as large as a file says.",
            hint="Write them as PARQUET, or read them in a session of your own.",
        )
    return core.spark.read.format(file_format.value.lower())


def _group_by_schema(
    core: Core, file_format: FileFormat, files: Sequence[SourceFile]
) -> list[tuple[StoredSchema, list[SourceFile]]]:
    """Return the files that can be read together, with their merged schema.

    The schemas of files that were not written since are known.
    """
    keys = [file.content_key for file in files]
    key = None if None in keys else (file_format, *keys)
    known = None if key is None else _SCHEMAS.get(key)
    if known is None:
        known = _find_schemas(core, file_format, files)
        if key is not None:
            _SCHEMAS.keep(key, known, weight=len(files))
    return known


def _find_schemas(
    core: Core, file_format: FileFormat, files: Sequence[SourceFile]
) -> list[tuple[StoredSchema, list[SourceFile]]]:
    reader = _typed_reader(core, file_format)
    if file_format is not FileFormat.AVRO:
        merging = _typed_reader(core, file_format).option("mergeSchema", len(files) > 1)
        try:
            with typed_expected(core, file_format, files):
                schema = stored_schema(merging.load(spark_paths(files)))
                return [(StoredSchema(schema), list(files))]
        except (Py4JJavaError, PySparkException) as error:
            if is_refused_type(error):
                return read_stored_schemas(core, files)
            if "CANNOT_MERGE_SCHEMAS" not in str(error):
                raise
    # Spark takes the schema of one Avro file for all
    by_schema: dict[str, tuple[StoredSchema, list[SourceFile]]] = {}
    for file in files:
        core.jobs.raise_if_cancelled()
        with typed_expected(core, file_format, [file]):
            schema = stored_schema(reader.load(spark_paths([file])))
        by_schema.setdefault(schema.json(), (StoredSchema(schema), []))[1].append(file)
    return list(by_schema.values())


def _scan_typed(target: FilledColumns, options: ReadOptions, raw: DataFrame) -> Scan:
    add_index = functools.partial(add_row_index, options.format, with_places=target.with_places)
    names = raw.columns
    types = [field.dataType.simpleString() for field in raw.schema.fields]
    whole = options.matching is ColumnMatching.NONE and _is_document(target, names)
    if whole:
        listed = {quote(field.name): field.dataType for field in raw.schema.fields}
        invalid = refuse_invalid(options, invalid_values(listed))
        document = f"to_variant_object(struct({', '.join(listed)})) AS `c0`"
        frame = add_index(raw, document, f"{invalid} AS {_INVALID}")
        source = FileValue("`c0`", SourceKind.TYPED, "variant")
        return Scan(frame, (source,), "NULL" if invalid == "NULL" else _INVALID)
    numbered = [f"{quote(name)} AS `c{index}`" for index, name in enumerate(names)]
    frame = add_index(raw, *numbered)
    matched = _by_name(target, options, names, SourceKind.TYPED, types)
    read = {source.expression for source in matched if source is not None}
    kinds = {f"`c{index}`": field.dataType for index, field in enumerate(raw.schema.fields)}
    checked = invalid_values({value: kinds[value] for value in kinds if value in read})
    return Scan(frame, matched, refuse_invalid(options, checked))


def _by_name(
    target: FilledColumns,
    options: ReadOptions,
    names: Sequence[str],
    kind: SourceKind,
    types: Sequence[str] = (),
) -> tuple[FileValue | None, ...]:
    """Return for the given columns the file columns of the same names, None where there is none."""
    exact = options.matching is ColumnMatching.CASE_SENSITIVE
    places = {(name if exact else fold(name)): index for index, name in enumerate(names)}
    sources: list[FileValue | None] = []
    for column in target.columns:
        index = places.get(column.name if exact else fold(column.name))
        source = None
        if index is not None:
            source = FileValue(f"`c{index}`", kind, types[index] if types else "")
        sources.append(source)
    if not any(sources):
        raise LoadFailed(
            f"No column of the files is one of table {target.owner!r}: they have "
            f"{', '.join(names)}.",
            hint="MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE, or name the table's columns alike.",
        )
    return tuple(sources)


def _is_document(target: FilledColumns, names: Sequence[str]) -> bool:
    """Tell whether a whole row of the file becomes one VARIANT value."""
    if len(target.columns) != 1 or target.columns[0].type != Primitive("variant"):
        return False
    return fold(target.columns[0].name) not in {fold(name) for name in names}
