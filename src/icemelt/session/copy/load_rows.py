"""Convert the rows of files to a table's columns, and tell why a row is refused."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name PySpark users know

from icemelt.engine.resources import StatementResources
from icemelt.errors import DefinitionRefused, IcemeltError, ValueRefused
from icemelt.quoting import quote
from icemelt.schema import Column, Primitive, sql_type
from icemelt.session.files.failing_records import find_failing_record
from icemelt.session.files.raw_rows import REFUSAL_TYPE, FilledColumns, Scan, first_refusal
from icemelt.session.files.read_options import ReadOptions
from icemelt.session.files.scans import scan_files
from icemelt.session.files.source_files import SourceFile, spark_name
from icemelt.session.files.stage_rows import row_number_sql, stage_rows
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.spark_errors import translated
from icemelt.session.runtime.spark_sql import run_sql, select
from icemelt.spark_java import select_values
from icemelt.spark_sql.loading import (
    BLOCK,
    BROKEN,
    FILE,
    PLACE,
    PLACE_TYPES,
    FileValue,
    Formats,
    SourceKind,
    loaded_value,
    refusal,
)
from icemelt.spark_sql.writing import stored_value
from icemelt.sql.statements import Query, StagePath

__all__ = [
    "REFUSAL",
    "CopyQuery",
    "LoadTarget",
    "locate_record",
    "read_query_rows",
    "read_rows",
    "value_name",
]

# the refusal of a row: a column with a text, or NULL
REFUSAL = "icemelt_refusal"
# other values of a query have Spark's types
_KINDS = {"string": SourceKind.TEXT, "variant": SourceKind.VARIANT}


@dataclass(frozen=True, slots=True)
class LoadTarget:
    """The table to load: name, all columns in order, and the columns that files fill (`given`).

    `truncates` tells whether texts are cut to the lengths of their columns.
    """

    name: str
    columns: tuple[Column, ...]
    given: tuple[Column, ...]
    truncates: bool = False


@dataclass(frozen=True, slots=True)
class CopyQuery:
    """The query of a COPY INTO, its probe, the place of its files, and what keeps its view."""

    query: Query
    probe: Query | None
    place: StagePath
    resources: StatementResources


def read_rows(
    core: Core,
    target: LoadTarget,
    options: ReadOptions,
    files: Sequence[SourceFile],
) -> DataFrame:
    """Return the rows of files: place, refusal, and a value for every column of the table.

    A CSV file `1,a` / `x,b`, loaded into `t (id INT, name VARCHAR)`, becomes:

        icemelt_place | icemelt_refusal       | v0   | v1
        0             | NULL                  | 1    | a
        1             | {column: id, text: …} | NULL | b

    Args:
        core: the session's parts.
        target: the table to load.
        options: the options of the file format.
        files: the files to read.

    Raises:
        DefinitionRefused: files of this form cannot fill the table's columns.
        LoadFailed: the files and the table have no column in common.
    """
    filled = FilledColumns(target.name, target.given)
    with translated(core.spark):
        scans = scan_files(core, filled, options, files)
        return _convert_rows(core, target, options.formats, scans)


def read_query_rows(
    core: Core,
    target: LoadTarget,
    options: ReadOptions,
    files: Sequence[SourceFile],
    read: CopyQuery,
) -> DataFrame:
    """Return the rows of files, each as the query of COPY INTO computes it: as `read_rows`.

    An error inside the query ends the statement: only values that do not fit their columns make a
    row refused.

    Args:
        core: the session's parts.
        target: the table to load.
        options: the options of the file format.
        files: the files to read.
        read: the query.

    Raises:
        DefinitionRefused: the query has more or fewer columns than the statement fills.
    """
    with translated(core.spark):
        frame = _run_query(core, read, read.query, options, files)
    hidden = (*PLACE_TYPES, BROKEN)
    values = frame.schema.fields[: -len(hidden)]
    if len(values) != len(target.given):
        raise DefinitionRefused(
            f"The query has {len(values)} columns, {len(target.given)} of {target.name!r} are to "
            "be filled.",
            hint="Write as many, or name the columns: COPY INTO t (a, b) FROM (SELECT …).",
        )
    names = [f"c{position}" for position in range(len(values))]
    sources = tuple(
        FileValue(quote(name), _KINDS.get(kind, SourceKind.TYPED), kind)
        for name, kind in zip(
            names, (field.dataType.simpleString() for field in values), strict=True
        )
    )
    scan = Scan(frame.toDF(*names, *hidden), sources, BROKEN)
    return _convert_rows(core, target, options.formats, [scan])


def locate_record(
    core: Core,
    options: ReadOptions,
    files: Sequence[SourceFile],
    read: CopyQuery,
    error: IcemeltError,
) -> None:
    """Name the file and the line in the error of a cast in the query of a COPY INTO.

    Args:
        core: the session's parts.
        options: the options of the file format.
        files: the files that the query has read.
        read: the query.
        error: the error of the statement.
    """
    is_located = error.message.startswith("File ")
    if read.probe is None or is_located or not isinstance(error, ValueRefused):
        return
    resources = StatementResources(core.iceberg)
    try:
        with translated(core.spark):
            again = replace(read, resources=resources)
            rows = _run_query(core, again, read.probe, options, files)
            numbered = rows.withColumn("icemelt_number", F.expr(row_number_sql(options.format)))
            found = find_failing_record(numbered, FILE, "icemelt_number", error)
    finally:
        resources.release()
    name = next((each.name for each in files if found and spark_name(each) == found.file), None)
    if found is not None and name is not None:
        line = found.number + options.header_lines
        what = "record" if options.format.has_types else "line"
        error.message = f"File {name!r}, {what} {line}: {error.message}"
        error.args = (error.message,)


def _run_query(
    core: Core,
    read: CopyQuery,
    query: Query,
    options: ReadOptions,
    files: Sequence[SourceFile],
) -> DataFrame:
    """Return the rows of a query over files."""
    (reference,) = query.references
    names = (reference.columns or frozenset()).union((*PLACE_TYPES, BROKEN))
    rows = stage_rows(core, read.place, options, files, names)
    relation = quote(read.resources.create_view(rows))
    return run_sql(core, query.bind({reference.slot: relation}))


def value_name(position: int) -> str:
    """Return the name of the converted value of the table column at a position."""
    return f"v{position}"


def _convert_rows(
    core: Core, target: LoadTarget, formats: Formats, scans: Sequence[Scan]
) -> DataFrame:
    """Return the rows with a converted value for every column of the table, and with their refusal.

    A column that the files do not fill gets its default.

    Args:
        core: the session's parts.
        target: the table to load.
        formats: how texts are read as dates and times.
        scans: the raw rows, whose sources fill the given columns.
    """
    parts = [_convert_columns(core, target, formats, scan) for scan in scans]
    return functools.reduce(DataFrame.unionAll, parts)


def _convert_columns(core: Core, target: LoadTarget, formats: Formats, scan: Scan) -> DataFrame:
    by_name = {
        column.name: source for column, source in zip(target.given, scan.sources, strict=True)
    }
    values, refusals = [], [scan.broken]
    for position, column in enumerate(target.columns):
        source = by_name.get(column.name)
        name = value_name(position)
        if source is not None:
            value = loaded_value(column, source, formats)
            value = _truncated(column, value) if target.truncates else value
        elif column.name in by_name:
            value = stored_value(column, "NULL")
        else:
            value = stored_value(column, column.default or "NULL")
        values.append(f"{value} AS {name}")
        refusals.append(refusal(column, source, name))
    places = [FILE, BLOCK, PLACE]
    try:
        first = select(core, scan.frame, ["*", *values])
    except AnalysisException:
        _check_types(core, target, formats, scan)
        raise
    refused = f"CAST({first_refusal(refusals)} AS {REFUSAL_TYPE})"
    names = [value_name(position) for position in range(len(target.columns))]
    return select_values(first, *places, f"{refused} AS {REFUSAL}", *names)


def _truncated(column: Column, value: str) -> str:
    """Return the SQL of a value that is cut to the length of its column, if that is a VARCHAR."""
    match column.type:
        case Primitive("string", length=int(length)):
            return f"left({value}, {length})"
        case _:
            return value


def _check_types(core: Core, target: LoadTarget, formats: Formats, scan: Scan) -> None:
    """Name the column whose type takes no values of the type that the files give.

    Raises:
        DefinitionRefused: there is such a column.
    """
    for column, source in zip(target.given, scan.sources, strict=True):
        if source is None:
            continue
        try:
            select(core, scan.frame, [loaded_value(column, source, formats)])
        except AnalysisException as error:
            raise DefinitionRefused(
                f"Column {column.name!r} of {target.name!r} is {sql_type(column.type)}, "
                f"and takes no {source.type.upper()}.",
                hint="Convert the values: COPY INTO t FROM (SELECT $1::VARCHAR, … FROM @stage).",
            ) from error
