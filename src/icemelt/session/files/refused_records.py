"""Find the line of the record for which a file of an external table cannot be read."""

from __future__ import annotations

import functools

from pyspark.sql import DataFrame

from icemelt.engine.resources import StatementResources
from icemelt.errors import FileDamaged, FileRefused, IcemeltError, LoadFailed
from icemelt.session.files.external_files import RegisteredFile
from icemelt.session.files.record_scans import WantedRecords, scan_records
from icemelt.session.files.stage_rows import row_number_sql
from icemelt.session.files.virtual_rows import VirtualRows, loaded_member, refused_member
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.spark_errors import translated
from icemelt.session.runtime.spark_sql import select
from icemelt.session.runtime.value_errors import EXTERNAL_FILE_HINT
from icemelt.spark_java import select_values
from icemelt.spark_sql.loading import PLACE_TYPES
from icemelt.sql.statements import FileFormat

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
                what = "record" if wanted.options.format.has_types else "line"
                error.message = f"{error.message.removesuffix('.')}, in {what} {line}."
                error.args = (error.message,)
            return


def _name_file(wanted: VirtualRows, error: FileDamaged | FileRefused | LoadFailed) -> None:
    """Name the file that cannot be read by its path in the stage, and say what to do about it."""
    for file in wanted.files:
        written = repr(file.source.path)
        if written in error.message:
            error.message = error.message.replace(written, repr(file.listed.path))
            error.args = (error.message,)
            if isinstance(error, FileDamaged):
                error.hint = EXTERNAL_FILE_HINT
            return


def _find_line(core: Core, wanted: VirtualRows, file: RegisteredFile) -> int | None:
    """Return the line of the first record that is refused, None where there is none any more."""
    resources = StatementResources(core.iceberg)
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
    try:
        with translated(core.spark):
            for scan in scan_records(core, records, resources):
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
    finally:
        resources.release()
    if first is None:
        return None
    is_csv = wanted.options.format is FileFormat.CSV
    return int(first) + (wanted.options.header_lines if is_csv else 0)
