"""Find the line of the record for which a file of an external table cannot be read."""

from __future__ import annotations

import functools

from pyspark.sql import DataFrame

from icemelt.engine.resources import StatementResources
from icemelt.errors import FileDamaged, FileRefused, IcemeltError, LoadFailed, ValueRefused
from icemelt.quoting import quote
from icemelt.session.files.external_files import RegisteredFile
from icemelt.session.files.failing_records import find_failing_record
from icemelt.session.files.record_scans import WantedRecords, scan_records
from icemelt.session.files.stage_rows import row_number_sql
from icemelt.session.files.virtual_rows import (
    ROW_NUMBER,
    VirtualRows,
    loaded_member,
    probe_rows,
    refused_member,
)
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.spark_errors import translated
from icemelt.session.runtime.spark_sql import run_sql, select
from icemelt.session.runtime.value_errors import EXTERNAL_FILE_HINT
from icemelt.spark_java import select_values
from icemelt.spark_sql.loading import PLACE_TYPES
from icemelt.spark_sql.own_columns import FILENAME

__all__ = ["locate_record"]


def locate_record(core: Core, wanted: VirtualRows, error: IcemeltError) -> None:
    """Add the line to the error of a record that is refused, and name a file as the list does.

    As for COPY INTO, a record counts as one line, and a blank line as none. The file is read again,
    and alone. An error about neither a record nor a file of the table is left as it is.

    Args:
        core: the session's parts.
        wanted: what the statement has read of the external table.
        error: the error of the statement.
    """
    if isinstance(error, FileDamaged | FileRefused | LoadFailed):
        _name_file(wanted, error)
        return
    for file in wanted.files:
        if error.message.startswith(f"File '{file.listed.path}' has a record that is refused: "):
            line = _find_line(core, wanted, file)
            if line is not None:
                _say(error, f"{error.message.removesuffix('.')}, in {_line(wanted, line)}.")
            return
    _locate_cast(core, wanted, error)


def _locate_cast(core: Core, wanted: VirtualRows, error: IcemeltError) -> None:
    """Name the file and the line of the record for which a cast in a column's expression failed."""
    if not isinstance(error, ValueRefused):
        return
    resources = StatementResources(core.iceberg)
    try:
        with translated(core.spark):
            query = probe_rows(core, wanted, resources)
            if query is None:
                return
            rows = run_sql(core, query)
            found = find_failing_record(rows, quote(FILENAME), quote(ROW_NUMBER), error)
    finally:
        resources.release()
    if found is not None:
        line = _line(wanted, found.number + wanted.options.header_lines)
        said = error.message.removesuffix(".")
        _say(error, f"File {found.file!r} has a record that is refused: {said}, in {line}.")
        error.hint = EXTERNAL_FILE_HINT


def _say(error: IcemeltError, message: str) -> None:
    error.message = message
    error.args = (message,)


def _line(wanted: VirtualRows, number: int) -> str:
    return f"{'record' if wanted.options.format.has_types else 'line'} {number}"


def _name_file(wanted: VirtualRows, error: FileDamaged | FileRefused | LoadFailed) -> None:
    """Name the file that cannot be read by its path in the stage, and say what to do about it."""
    for file in wanted.files:
        written = repr(file.source.path)
        if written in error.message:
            _say(error, error.message.replace(written, repr(file.listed.path)))
            if isinstance(error, FileDamaged):
                error.hint = EXTERNAL_FILE_HINT
            return


def _find_line(core: Core, wanted: VirtualRows, file: RegisteredFile) -> int | None:
    """Return the line of the first record that is refused, None where there is none any more."""
    members = wanted.members
    records = WantedRecords(
        str(wanted.table.name),
        wanted.options,
        [file.source],
        wanted.member_types,
        # a record of a CSV file may be too long for VALUE
        with_value="value" in wanted.names,
        with_places=True,
    )
    parts: list[DataFrame] = []
    with translated(core.spark):
        for scan in scan_records(core, records):
            loaded = select(
                core,
                scan.frame,
                ["*", *(loaded_member(each, scan, wanted.options) for each in members)],
            )
            refused = [scan.broken, *(refused_member(each, scan) for each in members)]
            said = ", ".join(each for each in refused if each != "NULL")
            is_refused = f"coalesce({said}) IS NOT NULL" if said else "false"
            parts.append(select_values(loaded, f"{is_refused} AS refused", *PLACE_TYPES))
        rows = functools.reduce(DataFrame.unionAll, parts)
        numbered = select_values(
            rows, "refused", f"{row_number_sql(wanted.options.format)} AS line"
        )
        (first,) = numbered.where("refused").selectExpr("min(line)").collect()[0]
    return None if first is None else int(first) + wanted.options.header_lines
