"""Scan files: CSV by positions or by a header's names, JSON, and files whose columns have types."""

from __future__ import annotations

import functools
from collections.abc import Hashable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame

from icemelt.errors import LoadFailed, Never, NotYet
from icemelt.names import fold
from icemelt.quoting import quote, text_literal
from icemelt.schema import Primitive
from icemelt.session.files.csv_records import (
    FIELDS,
    OPEN,
    RECORD,
    group_by_header,
    read_csv,
    read_header,
    refuse_open,
)
from icemelt.session.files.invalid_texts import (
    badly_decoded,
    invalid_values,
    refuse_invalid,
    with_valid_texts,
)
from icemelt.session.files.json_scans import scan_json
from icemelt.session.files.known_files import read_known
from icemelt.session.files.parquet import (
    group_by_int96_columns,
    schema_of_json,
    stored_schema,
    typed_expected,
    with_zoneless_times,
)
from icemelt.session.files.raw_rows import (
    FilledColumns,
    Scan,
    add_place,
    add_row_index,
    first_refusal,
    row_refusal,
)
from icemelt.session.files.read_options import ColumnMatching, ReadOptions
from icemelt.session.files.source_files import SourceFile, spark_paths
from icemelt.session.files.stored_types import (
    Meanings,
    StoredSchema,
    as_meant,
    is_refused_type,
    read_avro_meanings,
    read_stored_schemas,
)
from icemelt.session.runtime.core import Core
from icemelt.spark_java import java_class, java_session
from icemelt.spark_sql.loading import (
    FileValue,
    SourceKind,
    cleaned_value,
    record_value,
)
from icemelt.sql.statements import FileFormat
from icemelt.tables.lru_cache import WeightedLRUCache

__all__ = ["read_typed", "require_distinct", "scan_files"]

_INVALID = "icemelt_invalid"
_ORC_TYPES = "icemelt.spark.OrcTypes"
# before the type of an ORC file that is not read
_REFUSED = "refused: "
# the files that can be read together, by what tells that they were not written since
_SCHEMAS = WeightedLRUCache[Hashable, list[tuple[StoredSchema, list[SourceFile]]]](room=100_000)


def scan_files(
    core: Core,
    target: FilledColumns,
    options: ReadOptions,
    files: Sequence[SourceFile],
) -> list[Scan]:
    """Return the raw rows of files; Parquet files of several schemas make several scans.

    Args:
        core: the session's parts.
        target: the columns that the files fill.
        options: the options of the file format.
        files: the files to read.

    Raises:
        DefinitionRefused: files of this form cannot fill the columns.
        LoadFailed: the files and the columns have no name in common.
    """
    match options.format:
        case FileFormat.CSV:
            return _scan_csv_files(core, target, options, files)
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
    core: Core, target: FilledColumns, options: ReadOptions, files: Sequence[SourceFile]
) -> list[Scan]:
    """Scan CSV files together, or header by header where columns are matched by name.

    Raises:
        LoadFailed: the files and the columns have no name in common, or a name stands twice in a
            header.
    """
    if options.matching is ColumnMatching.NONE:
        count = len(target.columns)
        sources = tuple(FileValue(f"`c{index}`", SourceKind.TEXT) for index in range(count))
        columns = _CsvColumns(count, sources, target.with_places)
        return [_scan_csv(core, options, columns, files)]
    scans = []
    for same in group_by_header(core, options, files):
        names = read_header(core, options, same)
        exact = options.matching is ColumnMatching.CASE_SENSITIVE
        require_distinct(names, same[0], exact=exact)
        matched = _by_name(target, options, names, SourceKind.TEXT)
        columns = _CsvColumns(len(names), matched, target.with_places)
        scans.append(_scan_csv(core, options, columns, same))
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
    core: Core, options: ReadOptions, columns: _CsvColumns, files: Sequence[SourceFile]
) -> Scan:
    """Return the raw rows of CSV files.

    With ERROR_ON_COLUMN_COUNT_MISMATCH a line with another number of columns is refused as a whole.
    """
    names = [quote(f"c{index}") for index in range(columns.count)]
    raw = read_csv(core, options, files, columns.count)
    frame = add_place(raw, [*names, RECORD, FIELDS, OPEN], with_places=columns.with_places)
    refusals = [refuse_open(), refuse_invalid(options, badly_decoded(names))]
    if options.strict_columns:
        said = text_literal(f"the line has another number of columns than {columns.count}: ")
        text = f"concat({said}, left({RECORD}, 100))"
        refusals.append(row_refusal(f"{RECORD} IS NOT NULL", text))
    return Scan(frame, columns.sources, first_refusal(refusals))


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
    frames = read_typed(core, options, files, instants, is_exact=_may_be_document(target, options))
    return [_scan_typed(target, options, raw) for raw in frames]


def read_typed(
    core: Core,
    options: ReadOptions,
    files: Sequence[SourceFile],
    instants: AbstractSet[str] = frozenset(),
    *,
    is_exact: bool = False,
) -> list[DataFrame]:
    """Return the rows of files whose columns have types, together where schemas can be merged.

    Args:
        core: the session's parts.
        options: the options of the file format: PARQUET, ORC or AVRO.
        files: the files.
        instants: the folded names of the columns whose INT96 times are instants.
        is_exact: whether files are read together only where they have the same columns.

    Raises:
        LoadFailed: a file is none of the format.
        Never: a guest reads ORC or Avro.
        NotYet: Spark has no reader of Avro.
    """
    frames, file_format = [], options.format
    for stored, group in _group_by_schema(core, file_format, files, is_exact=is_exact):
        if file_format is not FileFormat.PARQUET:
            frame = read_known(core, file_format.value, stored.schema, group)
            frames.append(as_meant(frame, stored))
            continue
        for paths, part in group_by_int96_columns(core, stored.schema, group):
            typed = with_zoneless_times(stored.schema, paths, instants)
            frames.append(as_meant(read_known(core, file_format.value, typed, part), stored))
    return [with_valid_texts(frame) for frame in frames] if options.replace_invalid else frames


def _require_reader(core: Core, file_format: FileFormat) -> None:
    """Refuse ORC and Avro to a guest.

    Raises:
        Never: a guest reads them.
    """
    if core.is_guest:
        raise Never(
            f"A server reads no files of the type {file_format.value}: their readers make arrays "
            "as large as a file says.",
            hint="Write them as PARQUET, or read them in a session of your own.",
        )


def _group_by_schema(
    core: Core, file_format: FileFormat, files: Sequence[SourceFile], *, is_exact: bool
) -> list[tuple[StoredSchema, list[SourceFile]]]:
    """Return the files that can be read together, with their merged schema, or exactly theirs.

    The schemas of files that were not written since are known.
    """
    keys = [file.content_key for file in files]
    key = None if None in keys else (file_format, is_exact, *keys)
    known = None if key is None else _SCHEMAS.get(key)
    if known is None:
        known = _find_schemas(core, file_format, files, is_exact=is_exact)
        if key is not None:
            _SCHEMAS.keep(key, known, weight=len(files))
    return known


def _find_schemas(
    core: Core, file_format: FileFormat, files: Sequence[SourceFile], *, is_exact: bool
) -> list[tuple[StoredSchema, list[SourceFile]]]:
    match file_format:
        case FileFormat.PARQUET if is_exact and len(files) > 1:
            alike = _group_by_said(core, "icemelt.spark.ParquetSchemas", file_format, files)
            return [
                (stored, group)
                for group in alike.values()
                for stored, _ in _find_parquet_schemas(core, group[:1])
            ]
        case FileFormat.PARQUET:
            return _find_parquet_schemas(core, files)
        case FileFormat.ORC:
            return _find_orc_schemas(core, files, is_exact=is_exact)
        case _:
            return _find_avro_schemas(core, files)


def _find_parquet_schemas(
    core: Core, files: Sequence[SourceFile]
) -> list[tuple[StoredSchema, list[SourceFile]]]:
    parquet = FileFormat.PARQUET
    merging = core.spark.read.format("parquet").option("mergeSchema", len(files) > 1)
    try:
        with typed_expected(core, parquet, files):
            schema = stored_schema(merging.load(spark_paths(files)))
            return [(StoredSchema(schema), list(files))]
    except (Py4JJavaError, PySparkException) as error:
        if is_refused_type(error):
            return read_stored_schemas(core, files)
        if "CANNOT_MERGE_SCHEMAS" not in str(error):
            raise
    return _read_schemas_apart(core, parquet, files)


def _find_orc_schemas(
    core: Core, files: Sequence[SourceFile], *, is_exact: bool
) -> list[tuple[StoredSchema, list[SourceFile]]]:
    """Return ORC files by their schemas, or all with a merged one where it can be.

    Raises:
        Never: a guest reads them.
        NotYet: Spark does not read a type of a file.
    """
    _require_reader(core, FileFormat.ORC)
    groups = _group_by_said(core, _ORC_TYPES, FileFormat.ORC, files)
    for said, group in groups.items():
        if said.startswith(_REFUSED):
            raise NotYet(
                f"File {group[0].name!r} has a column of the type {said[len(_REFUSED) :]}, which "
                "Spark's reader of ORC files has not.",
                hint="Write it as a TIMESTAMP in UTC or a text, or write the file as PARQUET.",
            )
    if len(groups) > 1 and not is_exact:
        merged = java_class(core.spark, _ORC_TYPES).merge(list(groups))
        groups = groups if merged is None else {str(merged): list(files)}
    return [(StoredSchema(schema_of_json(said)), group) for said, group in groups.items()]


def _group_by_said(
    core: Core, reader: str, file_format: FileFormat, files: Sequence[SourceFile]
) -> dict[str, list[SourceFile]]:
    """Return files by what a class of Java says of each."""
    with typed_expected(core, file_format, files):
        schemas: Any = java_class(core.spark, reader)
        paths = [file.path for file in files]
        listed = [str(said) for said in schemas.read(java_session(core.spark), paths)]
    groups: dict[str, list[SourceFile]] = {}
    for said, file in zip(listed, files, strict=True):
        groups.setdefault(said, []).append(file)
    return groups


def _find_avro_schemas(
    core: Core, files: Sequence[SourceFile]
) -> list[tuple[StoredSchema, list[SourceFile]]]:
    """Return Avro files by their schemas: Spark takes that of one file for all.

    Raises:
        Never: a guest reads them.
    """
    _require_reader(core, FileFormat.AVRO)
    groups = []
    by_schema = _read_schemas_apart(core, FileFormat.AVRO, files)
    meanings = read_avro_meanings(core, files)
    meant = {file.path: each for file, each in zip(files, meanings, strict=True)}
    for stored, group in by_schema:
        by_meanings: dict[Meanings, list[SourceFile]] = {}
        for file in group:
            by_meanings.setdefault(meant[file.path], []).append(file)
        groups += [(StoredSchema(stored.schema, each), part) for each, part in by_meanings.items()]
    return groups


def _read_schemas_apart(
    core: Core, file_format: FileFormat, files: Sequence[SourceFile]
) -> list[tuple[StoredSchema, list[SourceFile]]]:
    """Return the files by their schemas, each read by itself."""
    reader = core.spark.read.format(file_format.value.lower())
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
    whole = _may_be_document(target, options) and _is_document(target, names)
    if whole:
        listed = {quote(field.name): field.dataType for field in raw.schema.fields}
        invalid = refuse_invalid(options, invalid_values(listed))
        values = {field.name: quote(field.name) for field in raw.schema.fields}
        document = f"{record_value(values)} AS `c0`"
        frame = add_index(raw, document, f"{invalid} AS {_INVALID}")
        source = FileValue("`c0`", SourceKind.TYPED, "variant")
        return Scan(frame, (source,), "NULL" if invalid == "NULL" else _INVALID)
    numbered = [f"{quote(name)} AS `c{index}`" for index, name in enumerate(names)]
    frame = add_index(raw, *numbered)
    matched = _by_name(target, options, names, SourceKind.TYPED, types)
    read = {source.expression for source in matched if source is not None}
    cleaned = tuple(
        source and cleaned_value(source, options.null_if, trims=options.trim) for source in matched
    )
    kinds = {f"`c{index}`": field.dataType for index, field in enumerate(raw.schema.fields)}
    checked = invalid_values({value: kinds[value] for value in kinds if value in read})
    return Scan(frame, cleaned, refuse_invalid(options, checked))


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


def _may_be_document(target: FilledColumns, options: ReadOptions) -> bool:
    """Tell whether a whole row of a file fills the one column, if that is none of the file's."""
    is_alone = len(target.columns) == 1 and target.columns[0].type == Primitive("variant")
    return is_alone and options.matching is ColumnMatching.NONE


def _is_document(target: FilledColumns, names: Sequence[str]) -> bool:
    """Tell whether a whole row of the file becomes one VARIANT value."""
    return fold(target.columns[0].name) not in {fold(name) for name in names}
