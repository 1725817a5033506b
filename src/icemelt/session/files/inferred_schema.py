"""INFER_SCHEMA: the columns of files of a stage, with types that COPY INTO reads without a loss.

| files | names | types |
|---|---|---|
| CSV | of the first line with PARSE_HEADER, else c1, c2, … | the narrowest type of all values |
| JSON | the members of all objects | of the members; VARIANT for objects and arrays |
| Parquet | the files' own | the files' own |
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F  # noqa: N812 - the name PySpark users know

from icemelt.engine.resources import StatementResources
from icemelt.engine.spark_types import type_of
from icemelt.errors import LoadFailed
from icemelt.names import fold, identifier
from icemelt.quoting import quote, text_literal
from icemelt.schema import Column, DataType, DecimalType, Primitive, sql_type
from icemelt.session.files.csv_records import FIELDS, group_by_header, read_header
from icemelt.session.files.file_places import find_place
from icemelt.session.files.raw_rows import FilledColumns, Scan
from icemelt.session.files.read_obstacles import find_obstacles
from icemelt.session.files.read_options import ReadOptions
from icemelt.session.files.scans import read_typed, scan_files
from icemelt.session.files.source_files import (
    SourceFile,
    find_files,
    require_readable,
    spark_name,
    validate_unchanged,
)
from icemelt.session.files.stage_rows import find_stage_options, relative_paths
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.local_relation import frame_of_rows
from icemelt.spark_sql.loading import FILE, FileValue, Formats, SourceKind, loaded_value
from icemelt.sql.statements import FileFormat, FileSchema, TableReference

__all__ = ["schema_relation"]

_COLUMNS = (
    "column_name STRING, type STRING, nullable BOOLEAN, expression STRING, filenames STRING, "
    "order_id BIGINT"
)
_STRING, _VARIANT, _DOUBLE = Primitive("string"), Primitive("variant"), Primitive("double")
_FLOATS = (Primitive("float"), _DOUBLE)
_MOST_DIGITS = 38
_COUNTED_RECORDS = 1_000
# numbers that lose nothing as numbers: no leading zeros, no plus, no blanks, no minus of a zero
_NUMBER = r"^(?!-0*[.]?0*\z)-?(0|[1-9][0-9]*)"
_WHOLE = r"^(0|-?[1-9][0-9]{0,17})\z"
_FIXED = rf"{_NUMBER}([.][0-9]+)?\z"
# a DOUBLE keeps 15 digits
_FLOATING = rf"{_NUMBER}([.][0-9]+)?([eE][+-]?[0-2]?[0-9]{{1,2}})?\z"
_DOUBLE_DIGITS = 15
# digits alone are read as seconds since 1970
_DIGITS_ALONE = r"^\s*[+-]?[0-9]*\s*\z"
# up to microseconds, and a time zone of hours and minutes
_ZONE = r"( ?(Z|[+-][0-9]{2}(:?[0-9]{2})?))"
_CLOCK = r"^[^:]*[0-9]:[0-9]{2}(:[0-9]{2}([.][0-9]{1,6})?)?"
_DECIMAL_KIND = re.compile(r"DECIMAL\((\d+),(\d+)\)")


@dataclass(frozen=True, slots=True)
class _FileColumn:
    """A column of some files.

    Attributes:
        name: the name.
        type: the type.
        files: the paths of the files with the column, below the stage.
    """

    name: str
    type: DataType
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Sample:
    """What is read of files.

    Attributes:
        files: the files.
        paths: the paths below the stage, by the files' paths.
        most: how many records of each file are read at most, None for all.
    """

    files: Sequence[SourceFile]
    paths: Mapping[str, str]
    most: int | None = None

    def read(self, core: Core, filled: FilledColumns, options: ReadOptions) -> Scan:
        """Return the raw records of the files."""
        if self.most is None:
            (scan,) = scan_files(core, filled, options, self.files)
            return scan
        scans = [scan_files(core, filled, options, [file])[0] for file in self.files]
        frames = [scan.frame.limit(self.most) for scan in scans]
        return replace(scans[0], frame=functools.reduce(DataFrame.unionAll, frames))


def schema_relation(core: Core, reference: TableReference, resources: StatementResources) -> str:
    """Return the relation of INFER_SCHEMA: a row for each column of the files.

    Columns of one name in several files are one row, with a type for the values of all files.

    Args:
        core: the session's parts.
        reference: the place in the query.
        resources: get the relation's view.

    Raises:
        ObjectNotFound: there is no such stage or file format.
        LoadFailed: there are no files, or they cannot be listed.
    """
    wanted = reference.files
    assert isinstance(wanted, FileSchema)  # noqa: S101 - the caller's condition
    options = find_stage_options(core, wanted.files)
    where = find_place(core, wanted.files.place)
    check = core.jobs.raise_if_cancelled
    found = find_files(core.iceberg, where, wanted.names, raise_if_cancelled=check)
    files = require_readable(found[: wanted.max_files])
    if not files:
        raise LoadFailed(
            f"There are no files at {str(wanted.files.place)!r}.",
            hint=f"LIST @{wanted.files.place.stage} shows what is there.",
        )
    files = require_readable(find_obstacles(core, options, files))
    sample = _Sample(files, relative_paths(core, wanted.files.place, files), wanted.max_records)
    try:
        match options.format:
            case FileFormat.JSON:
                columns = _json_columns(core, options, sample)
            case FileFormat.CSV:
                columns = _csv_columns(core, options, sample)
            case _:
                columns = _stated_columns(core, options.format, sample)
    finally:
        # also after an error: its text may have names of another file at the same path
        validate_unchanged(files)
    if wanted.ignore_case:
        columns = _merge(replace(column, name=fold(column.name)) for column in columns)
    by_position = options.format is FileFormat.CSV
    rows = [
        _row(position, column, by_position=by_position) for position, column in enumerate(columns)
    ]
    return quote(resources.create_view(frame_of_rows(core.spark, _COLUMNS, rows)))


def _row(position: int, column: _FileColumn, *, by_position: bool) -> tuple[Any, ...]:
    kind = sql_type(column.type)
    source = f"${position + 1}" if by_position else f"$1:{identifier(column.name)}"
    value = source if column.type == _VARIANT else f"{source}::{kind}"
    return column.name, kind, True, value, ", ".join(column.files), position


def _merge(columns: Iterable[_FileColumn]) -> list[_FileColumn]:
    """Return one column for each name, in the order of the first ones."""
    merged: dict[str, _FileColumn] = {}
    for column in columns:
        other = merged.get(column.name)
        if other is not None:
            kind = _common_type((other.type, column.type))
            files = tuple(dict.fromkeys((*other.files, *column.files)))
            column = _FileColumn(column.name, kind, files)  # noqa: PLW2901 - the two become one
        merged[column.name] = column
    return list(merged.values())


def _common_type(types: Iterable[DataType]) -> DataType:
    """Return a type for the values of all types.

    >>> _common_type([Primitive("long"), DecimalType(10, 2)])
    DecimalType(precision=21, scale=2)
    >>> _common_type([Primitive("long"), Primitive("string")])
    Primitive(name='string', length=None)
    """
    return functools.reduce(_common_type_of_two, types)


def _common_type_of_two(one: DataType, other: DataType) -> DataType:
    if one == other:
        return one
    if not all(isinstance(kind, Primitive | DecimalType) for kind in (one, other)):
        return _VARIANT
    if _VARIANT in (one, other):
        return _VARIANT
    digits = [_digits(one), _digits(other)]
    if None not in digits:
        whole, scale = (max(pair) for pair in zip(*digits, strict=True))
        if whole + scale > _MOST_DIGITS:
            return _STRING
        whole_types = {Primitive("int"), Primitive("long")}
        return (
            Primitive("long") if {one, other} <= whole_types else DecimalType(whole + scale, scale)
        )
    if all(kind in _FLOATS or _few_digits(kind) for kind in (one, other)):
        return _DOUBLE
    if {one, other} == {Primitive("date"), Primitive("timestamp")}:
        return Primitive("timestamp")
    return _STRING


def _few_digits(kind: DataType) -> bool:
    """Tell whether a DOUBLE keeps all digits of a type's numbers."""
    digits = _digits(kind)
    return digits is not None and sum(digits) <= _DOUBLE_DIGITS


def _digits(kind: DataType) -> tuple[int, int] | None:
    """Return the digits before and after the point of a type's numbers; None of other types."""
    match kind:
        case Primitive("int"):
            return 10, 0
        case Primitive("long"):
            return 19, 0
        case DecimalType(precision, scale):
            return precision - scale, scale
        case _:
            return None


def _stated_columns(core: Core, file_format: FileFormat, sample: _Sample) -> list[_FileColumn]:
    """Return the columns of files that say them, without reading a row."""
    options, columns = ReadOptions(file_format), []
    for file in sample.files:
        core.jobs.raise_if_cancelled()
        (frame,) = read_typed(core, options, [file])
        for field in frame.schema.fields:
            kind = type_of(field.dataType)
            columns.append(_FileColumn(field.name, kind or _VARIANT, (sample.paths[file.path],)))
    return _merge(columns)


def _json_columns(core: Core, options: ReadOptions, sample: _Sample) -> list[_FileColumn]:
    """Return the members of the objects in JSON files, ordered by name; one Spark job."""
    filled = FilledColumns("files", (Column("$1", _VARIANT),), with_places=False)
    scan = sample.read(core, filled, options)
    (source,) = scan.sources
    assert source is not None  # noqa: S101 - a whole record
    members = f"explode(map_entries(try_cast({source.expression} AS MAP<STRING, VARIANT>)))"
    rows = (
        scan.frame.selectExpr(f"{members} AS m", FILE)
        .selectExpr("m.key AS name", "schema_of_variant(m.value) AS kind", FILE)
        .distinct()
        .collect()
    )
    names = {spark_name(file): sample.paths[file.path] for file in sample.files}
    columns = [
        _FileColumn(row["name"], kind, (names[row[FILE]],))
        for row in sorted(rows, key=lambda row: (row["name"], names[row[FILE]]))
        if (kind := _type_in_variant(row["kind"])) is not None
    ]
    # a member that is null everywhere may be anything
    known = {column.name for column in columns}
    columns += [
        _FileColumn(row["name"], _VARIANT, (names[row[FILE]],))
        for row in rows
        if row["kind"] == "VOID" and row["name"] not in known
    ]
    return sorted(_merge(columns), key=lambda column: column.name)


def _type_in_variant(kind: str) -> DataType | None:
    """Return the type of a member, given Spark's `schema_of_variant`; None of a JSON null.

    >>> _type_in_variant("DECIMAL(3,1)"), _type_in_variant("OBJECT<a: BIGINT>").name
    (DecimalType(precision=3, scale=1), 'variant')
    """
    decimal = _DECIMAL_KIND.fullmatch(kind)
    if decimal is not None:
        return DecimalType(int(decimal[1]), int(decimal[2]))
    names = {"BIGINT": "long", "DOUBLE": "double", "STRING": "string", "BOOLEAN": "boolean"}
    return None if kind == "VOID" else Primitive(names.get(kind, "variant"))


def _csv_columns(core: Core, options: ReadOptions, sample: _Sample) -> list[_FileColumn]:
    """Return the columns of CSV files, by all values: a Spark job for files of the same columns."""
    if not options.parse_header:
        count = _count_columns(core, options, sample)
        names = [f"c{number}" for number in range(1, count + 1)]
        return _typed_columns(core, options, sample, names)
    by_header: dict[tuple[str, ...], list[SourceFile]] = {}
    full = [file for file in sample.files if file.size]
    for same in group_by_header(core, options, full) if full else ():
        core.jobs.raise_if_cancelled()
        header = tuple(read_header(core, options, same))
        if header:
            by_header.setdefault(header, []).extend(same)
    columns = []
    for header, files in by_header.items():
        group = replace(sample, files=files)
        columns += _typed_columns(core, options, group, header)
    return _merge(columns)


def _typed_columns(
    core: Core,
    options: ReadOptions,
    sample: _Sample,
    names: Sequence[str],
) -> list[_FileColumn]:
    """Return the columns of CSV files that all have the columns of some names."""
    columns = tuple(Column(name, _STRING) for name in names)
    plain = replace(options, strict_columns=False)
    filled = FilledColumns("files", columns, with_places=False)
    scan = sample.read(core, filled, plain)
    values = ", ".join(source.expression if source else "NULL" for source in scan.sources)
    # a row for each value: Spark plans the tests once, however many columns there are
    cells = scan.frame.selectExpr(f"posexplode(array({values})) AS (position, value)")
    tests = [F.expr(test).alias(name) for name, test in _csv_tests("value", options).items()]
    found = {row["position"]: row for row in cells.groupBy("position").agg(*tests).collect()}
    where = tuple(sample.paths[file.path] for file in sample.files)
    return [
        _FileColumn(column.name, _csv_type(found.get(position), options.formats), where)
        for position, column in enumerate(columns)
    ]


def _count_columns(core: Core, options: ReadOptions, sample: _Sample) -> int:
    """Return how many columns the first thousand records of files have at most."""
    strict = replace(options, strict_columns=True)
    filled = FilledColumns("files", (Column("c1", _STRING),), with_places=False)
    scan = sample.read(core, filled, strict)
    records = scan.frame.select(FIELDS).take(_COUNTED_RECORDS)
    return max((row[0] for row in records), default=1)


def _csv_tests(value: str, options: ReadOptions) -> dict[str, str]:
    """Return SQL over all values of a column: whether each has a type, and how many digits."""

    def all_match(pattern: str) -> str:
        return f"coalesce(bool_and({value} RLIKE {text_literal(pattern)}), false)"

    def any_match(pattern: str) -> str:
        return f"coalesce(bool_or({value} RLIKE {text_literal(pattern)}), false)"

    def all_load(kind: str) -> str:
        column = Column("c", Primitive(kind))
        loaded = loaded_value(column, FileValue(value, SourceKind.TEXT), options.formats)
        return f"bool_and({value} IS NULL OR {loaded} IS NOT NULL) AND count({value}) > 0"

    fraction = f"length(regexp_substr({value}, '[.][0-9]+'))"
    return {
        "whole": all_match(_WHOLE),
        "fixed": all_match(_FIXED),
        "floating": all_match(_FLOATING),
        "digits": f"max(length(regexp_substr({value}, '^-?[0-9]+')))",
        "scale": f"max(coalesce({fraction} - 1, 0))",
        "mantissa": f"max(length(regexp_replace({value}, '[eE].*|[^0-9]', '')))",
        "date": all_load("date"),
        "timestamp": all_load("timestamp"),
        "digits_alone": any_match(_DIGITS_ALONE),
        # a date would drop a time of day
        "clock": any_match(":"),
        "zoned": all_match(rf"{_CLOCK}{_ZONE}\z"),
        "zoneless": all_match(rf"({_CLOCK}|^[^:]*)\z"),
        "boolean": all_match(r"^(?i)(true|false)\z"),
    }


def _csv_type(found: Row | None, formats: Formats) -> DataType:
    """Return the narrowest type of a column.

    Args:
        found: the results of `_csv_tests`, None for no values.
        formats: how texts are read as dates and times.
    """
    if found is None:
        return _STRING
    has = found.__getitem__
    is_moment = not has("digits_alone")
    if has("date") and (formats.date is not None or (is_moment and not has("clock"))):
        return Primitive("date")
    if has("timestamp") and formats.timestamp is not None:
        return Primitive("timestamp")
    if has("timestamp") and is_moment and has("clock"):
        # some with a zone and some without: neither type keeps both
        zones = {"timestamptz": has("zoned"), "timestamp": has("zoneless")}
        return next((Primitive(kind) for kind, fits in zones.items() if fits), _STRING)
    if has("whole"):
        return Primitive("long")
    if has("fixed"):
        whole, scale = int(has("digits")), int(has("scale"))
        # a DOUBLE would lose digits
        return DecimalType(whole + scale, scale) if whole + scale <= _MOST_DIGITS else _STRING
    if has("floating") and has("mantissa") <= _DOUBLE_DIGITS:
        return _DOUBLE
    return Primitive("boolean") if has("boolean") else _STRING
