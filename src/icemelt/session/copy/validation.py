"""VALIDATION_MODE of COPY INTO a table: tell what a load would do, and load nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from pyspark.sql import functions as F  # noqa: N812 - the name PySpark users know

from icemelt.quoting import quote
from icemelt.session.copy.file_loads import (
    NO_FILES,
    LoadOptions,
    find_load_records,
    find_named_files,
    has_loaded,
    load_target,
    read_load_options,
    refusal_error,
)
from icemelt.session.copy.load_counts import count_rows, refusal_text
from icemelt.session.copy.load_rows import REFUSAL, LoadTarget, read_rows, value_name
from icemelt.session.files.format_values import option_error
from icemelt.session.files.read_obstacles import find_obstacles
from icemelt.session.files.source_files import (
    SourceFile,
    require_readable,
    spark_name,
    validate_unchanged,
)
from icemelt.session.files.stage_rows import row_number_sql
from icemelt.session.runtime.collecting import collect, show_in_zone
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.python_rows import to_python_rows
from icemelt.session.runtime.result import LocalRows
from icemelt.session.runtime.spark_errors import translated
from icemelt.spark_sql.loading import FILE
from icemelt.sql.statements import CopyInto

__all__ = ["validate_copy"]

_ERRORS, _ALL_ERRORS = "RETURN_ERRORS", "RETURN_ALL_ERRORS"
_ROWS = re.compile(r"RETURN_([1-9]\d{0,3})_ROWS")
_COLUMNS = (
    "error",
    "file",
    "line",
    "character",
    "byte_offset",
    "category",
    "code",
    "sql_state",
    "column_name",
    "row_number",
    "row_start_line",
    "rejected_record",
)
_LINE = "icemelt_line"
# errors are in memory, and nobody reads more of them
_MOST_ERRORS = 10_000
_NOTICE = "VALIDATION_MODE"


def validate_copy(core: Core, statement: CopyInto) -> LocalRows:
    """Return what a COPY INTO with VALIDATION_MODE finds in the files; nothing is loaded.

    Args:
        core: the session's parts.
        statement: the statement: RETURN_ERRORS, RETURN_ALL_ERRORS, which looks into files that were
            loaded, too, or RETURN_<n>_ROWS.

    Returns:
        the errors in Snowflake's columns, of which those are NULL that are not known here; or the
        first rows as they would be in the table.

    Raises:
        ObjectNotFound: there is no table, file format or stage with the name.
        DefinitionRefused: the option has no such value.
        LoadFailed: the path names no file, or a file cannot be read; or one of the first rows is
            refused.

    Source: COPY INTO <table>, "validationMode" (Snowflake's reference).
    """
    mode = (statement.validation_mode or "").upper()
    wanted = _ROWS.fullmatch(mode)
    if wanted is None and mode not in {_ERRORS, _ALL_ERRORS}:
        expected = "RETURN_ERRORS, RETURN_ALL_ERRORS or RETURN_10_ROWS"
        raise option_error("VALIDATION_MODE", mode, expected)
    options = read_load_options(core, statement)
    files = _find(core, statement, loaded_too=mode == _ALL_ERRORS)
    require_readable(find_obstacles(core, options.read, files))
    if not files:
        return NO_FILES
    try:
        if wanted is None:
            return _errors(core, statement, options, files)
        return _first_rows(core, statement, options, files, int(wanted[1]))
    finally:
        validate_unchanged(files)


def _find(core: Core, statement: CopyInto, *, loaded_too: bool) -> list[SourceFile]:
    files = find_named_files(core, statement)
    if statement.force or loaded_too:
        return files
    records = find_load_records(core, core.table(statement.target), files)
    return [file for file in files if not has_loaded(file, records.get(file.key))]


def _errors(
    core: Core, statement: CopyInto, options: LoadOptions, files: Sequence[SourceFile]
) -> LocalRows:
    """Return the refused rows of the files, in the order of files and lines."""
    target = _target(core, statement)
    with translated(core.spark):
        rows = read_rows(core, target, options.read, files)
        numbered = rows.withColumn(_LINE, F.expr(row_number_sql(options.read.format)))
        refused = numbered.where(F.col(REFUSAL).isNotNull()).orderBy(FILE, _LINE)
        found = refused.select(FILE, _LINE, REFUSAL).limit(_MOST_ERRORS + 1).collect()
    if len(found) > _MOST_ERRORS:
        core.scope.notices[_NOTICE] = f"These are the first {_MOST_ERRORS:,} errors of more."
    names = {spark_name(file): file.name for file in files}
    before = options.read.header_lines
    errors = (
        _error_row(names[row[FILE]], row[_LINE], row[_LINE] + before, row[REFUSAL])
        for row in found[:_MOST_ERRORS]
    )
    return LocalRows(_COLUMNS, tuple(errors))


def _error_row(file: str, number: int, line: int, refusal: Any) -> tuple[Any, ...]:
    column, said = refusal
    category = "parsing" if column is None else "conversion"
    error = refusal_text(column, said)
    return (error, file, line, None, None, category, None, None, column, number, line, None)


def _first_rows(
    core: Core,
    statement: CopyInto,
    options: LoadOptions,
    files: Sequence[SourceFile],
    count: int,
) -> LocalRows:
    """Return the first rows of the files, by name, as the table would have them.

    Raises:
        LoadFailed: one of them is refused.
    """
    target, found = _target(core, statement), list[tuple[Any, ...]]()
    values = [f"{value_name(at)} AS {quote(each.name)}" for at, each in enumerate(target.columns)]
    for file in sorted(files, key=lambda file: file.name):
        if len(found) == count:
            break
        with translated(core.spark):
            rows = read_rows(core, target, options.read, [file])
            first = rows.selectExpr(*values, f"{REFUSAL} IS NOT NULL").limit(count - len(found))
            read = to_python_rows(show_in_zone(collect(first), core.settings.timezone))
        if any(is_refused for *_, is_refused in read):
            raise refusal_error([file], count_rows(core, rows, [file], options.read.header_lines))
        found += [row[:-1] for row in read]
    return LocalRows(tuple(column.name for column in target.columns), tuple(found))


def _target(core: Core, statement: CopyInto) -> LoadTarget:
    table = core.table(statement.target)
    return load_target(core, table, core.iceberg.metadata(table.known_location).columns, statement)
