"""Files of a stage as rows of a query: `SELECT $1, METADATA$FILENAME FROM @stage/path`.

The files are found when the statement is planned, and read when its rows are asked for.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from pyspark.sql import DataFrame

from icemelt.engine.resources import StatementResources
from icemelt.quoting import quote, text_literal
from icemelt.schema import Column, spark_type
from icemelt.session.files.file_places import find_place
from icemelt.session.files.named_formats import find_format
from icemelt.session.files.raw_rows import REFUSAL_TYPE, FilledColumns, Scan
from icemelt.session.files.read_obstacles import find_obstacles
from icemelt.session.files.read_options import ReadOptions, read_options
from icemelt.session.files.scans import scan_files
from icemelt.session.files.source_files import (
    SourceFile,
    find_files,
    path_below,
    require_readable,
    spark_name,
    validate_unchanged,
)
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.local_relation import frame_of_nothing
from icemelt.session.runtime.lookup import StatementOutdated
from icemelt.spark_java import select_values
from icemelt.spark_sql.loading import (
    BLOCK,
    BROKEN,
    FILE,
    FILE_VALUE_ERROR,
    MODIFIED,
    PLACE,
    PLACE_TYPES,
)
from icemelt.spark_sql.moments import wall_clock
from icemelt.sql.analysis.stage_places import first_column_type
from icemelt.sql.statements import FileFormat, StageFiles, StagePath, TableReference

__all__ = [
    "filename_sql",
    "find_stage_options",
    "relative_paths",
    "row_number_sql",
    "stage_relation",
    "stage_rows",
]

_FILENAME, _ROW_NUMBER = "metadata$filename", "metadata$file_row_number"
_LAST_MODIFIED = "metadata$file_last_modified"


def stage_relation(
    core: Core,
    reference: TableReference,
    resources: StatementResources,
    *,
    has_rows: bool = True,
) -> str:
    """Return the relation of the files that a query reads.

    Its columns are those that the query names: `$1`, `$2`, … as texts of CSV files, `$1` as a
    VARIANT of others, and Snowflake's columns of metadata.

    Args:
        core: the session's parts.
        reference: the place in the query.
        resources: get the relation's view.
        has_rows: whether the rows are asked for; a query that is only analysed lists no files.

    Raises:
        ObjectNotFound: there is no such stage or file format.
        LoadFailed: the place cannot be listed, a Parquet file is damaged, or a guest's file changed
            while it was read; that of another session is looked at again once its rows are read.
        StatementOutdated: the file format has another type than when the text was analysed.
    """
    files = reference.files
    assert isinstance(files, StageFiles)  # noqa: S101 - the caller's condition
    # a column that a line lacks is NULL, and columns that the query does not name are no error
    options = replace(find_stage_options(core, files), strict_columns=False)
    found = _find_files(core, files) if has_rows else []
    names = reference.columns or frozenset()
    require_readable(find_obstacles(core, options, found))
    if not any(file.mark for file in found):
        resources.checks.append(partial(validate_unchanged, found))
        rows = stage_rows(core, files.place, options, found, names)
        return quote(resources.create_view(rows))
    try:
        rows = stage_rows(core, files.place, options, found, names)
        if resources.collects:
            # a guest's rows are read before anybody sees them: another file may take a checked path
            rows = rows.localCheckpoint()
    finally:
        # also after an error: its text may have values of another file at the same path
        validate_unchanged(found)
    return quote(resources.create_view(rows))


def _find_files(core: Core, files: StageFiles) -> list[SourceFile]:
    where, cancel = find_place(core, files.place), core.jobs.raise_if_cancelled
    found = find_files(core.iceberg, where, pattern=files.pattern, raise_if_cancelled=cancel)
    return list(found)


def find_stage_options(core: Core, files: StageFiles) -> ReadOptions:
    """Return the options of the file format of files in FROM.

    Raises:
        ObjectNotFound: there is no such stage or file format.
        StatementOutdated: the file format has another type than when the text was analysed.
    """
    found = find_format(core, files.place, files.format_name)
    assert found is not None  # noqa: S101 - a stage has a file format
    if core.scope.lookup.file_types.get(files, found.file_type) != found.file_type:
        raise StatementOutdated(core.full(files.format_name or files.place.stage))
    return read_options(FileFormat[found.file_type], found.options)


def stage_rows(
    core: Core,
    place: StagePath,
    options: ReadOptions,
    files: Sequence[SourceFile],
    names: frozenset[str],
) -> DataFrame:
    """Return the rows of files of a stage in the columns that a query names, at least in `$1`.

    For `SELECT $2, METADATA$FILENAME FROM @s` the rows of `a.csv` with the line `1,x` are:

        $1  | $2 | metadata$filename
        '1' | x  | a.csv

    Args:
        core: the session's parts.
        place: the place of the files.
        options: the options of the file format.
        files: the files, none for no rows.
        names: the folded names of the columns: `$1`, columns of metadata, columns of `PLACE_TYPES`,
            and `BROKEN`, without which a broken record is an error.
    """
    positions = [int(name[1:]) for name in names if name.startswith("$")]
    kind = first_column_type(options.format.value)
    columns = tuple(Column(f"${n}", kind) for n in range(1, max(positions, default=1) + 1))
    metadata = _metadata(core, place, options, files, names)
    kept = [name for name in (*PLACE_TYPES, BROKEN) if name in names]
    if files:
        wanted = _Wanted(place, columns, names)
        frame = _scan(core, wanted, options, files)
    else:
        nothing = {**{column.name: spark_type(kind) for column in columns}, **PLACE_TYPES}
        nothing[BROKEN] = REFUSAL_TYPE
        frame = frame_of_nothing(core.spark, nothing)
    return select_values(frame, *(quote(column.name) for column in columns), *metadata, *kept)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What a query reads of files: the place, `$1` up to the last column, and all names."""

    place: StagePath
    columns: tuple[Column, ...]
    names: frozenset[str]


def _scan(
    core: Core,
    wanted: _Wanted,
    options: ReadOptions,
    files: Sequence[SourceFile],
) -> DataFrame:
    """Return the values of files, and the place of each row."""
    below = relative_paths(core, wanted.place, files)
    file, raises = filename_sql(files, below), BROKEN not in wanted.names
    with_places = not wanted.names.isdisjoint((_ROW_NUMBER, PLACE))
    filled = FilledColumns(str(wanted.place), wanted.columns, with_places)
    scans = scan_files(core, filled, options, files)
    parts = [_values(scan, wanted.columns, file if raises else None) for scan in scans]
    return functools.reduce(DataFrame.unionAll, parts)


def _values(scan: Scan, columns: Sequence[Column], file: str | None) -> DataFrame:
    """Return the values of a scan under the columns' names.

    Args:
        scan: the scan.
        columns: the columns.
        file: the SQL of the file's name in the error of a broken record, None for no error.
    """
    frame, values = scan.frame, []
    if scan.broken != "NULL" and file is not None:
        # in a filter, for a query that reads no value of the record
        said = f"concat('{FILE_VALUE_ERROR}', ({scan.broken}).text, ':', {file})"
        frame = frame.where(
            f"CASE WHEN ({scan.broken}) IS NULL THEN true ELSE raise_error({said}) END"
        )
    for source, column in zip(scan.sources, columns, strict=True):
        value = "NULL" if source is None else source.expression
        values.append(f"CAST({value} AS {spark_type(column.type)}) AS {quote(column.name)}")
    broken = f"CAST({scan.broken} AS {REFUSAL_TYPE}) AS {BROKEN}"
    return select_values(frame, *values, *PLACE_TYPES, broken)


def _metadata(
    core: Core,
    place: StagePath,
    options: ReadOptions,
    files: Sequence[SourceFile],
    names: frozenset[str],
) -> list[str]:
    """Return the columns of metadata that a query names."""
    values = {}
    if _FILENAME in names:
        values[_FILENAME] = filename_sql(files, relative_paths(core, place, files))
    if _ROW_NUMBER in names:
        values[_ROW_NUMBER] = row_number_sql(options.format)
    if _LAST_MODIFIED in names:
        values[_LAST_MODIFIED] = wall_clock(MODIFIED)
    return [f"{value} AS {quote(name)}" for name, value in values.items()]


def relative_paths(core: Core, place: StagePath, files: Sequence[SourceFile]) -> dict[str, str]:
    """Return the paths of files below their stage, by the files' paths."""
    root = find_place(core, StagePath(place.stage)).resolve(core.iceberg)
    return {
        file.path: path_below(file.name, root.given if file.shown else root.path) for file in files
    }


def row_number_sql(file_format: FileFormat) -> str:
    """Return the SQL for the number of a row in its file, from 1."""
    in_file = f"row_number() OVER (PARTITION BY {FILE} ORDER BY {BLOCK}, {PLACE})"
    is_numbered = file_format is FileFormat.PARQUET
    return f"CAST({f'{PLACE} + 1' if is_numbered else in_file} AS BIGINT)"


def filename_sql(files: Sequence[SourceFile], below: Mapping[str, str]) -> str:
    """Return the SQL for the path of a row's file below the stage.

    Args:
        files: the files.
        below: the paths below the stage, by the files' paths.
    """
    if not files:
        return "CAST(NULL AS STRING)"
    paths = {spark_name(file): below[file.path] for file in files}
    first = next(iter(paths))
    before = first[: len(first) - len(paths[first])]
    relative = f"substr({FILE}, {len(before) + 1})"
    # a guest's files are opened by paths without links, so they may be anywhere
    others = {name: path for name, path in paths.items() if name != f"{before}{path}"}
    if not others:
        return relative
    cases = " ".join(
        f"WHEN {text_literal(name)} THEN {text_literal(path)}" for name, path in others.items()
    )
    return f"CASE {FILE} {cases} ELSE {relative} END"
