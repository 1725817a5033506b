"""Write the rows of files into a table's workspace, and count the rows in the same Spark job."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name PySpark users know

from icemelt.errors import IcemeltError
from icemelt.quoting import quote
from icemelt.schema import spark_type
from icemelt.session.copy.load_counts import (
    ACCEPTED,
    FileCount,
    count_rows,
    read_counts,
    watch_rows,
)
from icemelt.session.copy.load_rows import REFUSAL, value_name
from icemelt.session.dml.writing import WriteTarget, append, within_bounds
from icemelt.session.files.source_files import SourceFile
from icemelt.session.runtime.core import Core
from icemelt.spark_java import select_values
from icemelt.tables.writes.partition_bounds import find_partition_bounds

__all__ = ["LoadRows", "RowRefused", "write_accepted", "write_all", "write_and_count_accepted"]

_REFUSAL_ERROR = "icemelt-load-refused"


class RowRefused(Exception):
    """A row of the files is refused, and the job has ended without a row written."""


@dataclass(frozen=True, slots=True)
class LoadRows:
    """The rows of the files to load, the files, and how many lines come before the first record."""

    frame: DataFrame
    files: Sequence[SourceFile]
    header_lines: int


def write_all(core: Core, rows: LoadRows, target: WriteTarget) -> dict[str, FileCount]:
    """Write and count all rows in one Spark job; the first refused row ends the job.

    Args:
        core: the session's parts.
        rows: the rows of the files.
        target: the table in the workspace.

    Raises:
        RowRefused: a row is refused; nothing was written.
    """
    watched, counter = watch_rows(rows.frame)
    stop = f"raise_error('{_REFUSAL_ERROR}')"
    first = f"CASE WHEN {ACCEPTED} THEN {value_name(0)} ELSE {stop} END"
    try:
        append(core, _rename_values(watched, target, first), target)
    except IcemeltError as error:
        if _REFUSAL_ERROR in error.message:
            raise RowRefused from None
        raise
    return read_counts(counter, rows.files)


def write_accepted(core: Core, rows: LoadRows, target: WriteTarget) -> None:
    """Write the rows without a refusal.

    Args:
        core: the session's parts.
        rows: the rows of the files.
        target: the table in the workspace.
    """
    good = rows.frame.where(F.col(REFUSAL).isNull())
    append(core, _rename_values(good, target, value_name(0)), target)


def write_and_count_accepted(
    core: Core, rows: LoadRows, target: WriteTarget
) -> dict[str, FileCount]:
    """Write the accepted rows, and count accepted and refused rows, in one Spark job.

    A second Spark job runs only where rows are refused, to find the first refused row of every
    file.

    Args:
        core: the session's parts.
        rows: the rows of the files.
        target: the table in the workspace.
    """
    watched, counter = watch_rows(rows.frame)
    good = watched.where(ACCEPTED)
    append(core, _rename_values(good, target, value_name(0)), target)
    counts = read_counts(counter, rows.files)
    if any(count.errors for count in counts.values()):
        return count_rows(core, rows.frame, rows.files, rows.header_lines)
    return counts


def _rename_values(frame: DataFrame, target: WriteTarget, first: str) -> DataFrame:
    """Return the values under the table's column names; `first` is the SQL of the first column."""
    values = [first, *(value_name(i) for i in range(1, len(target.base.columns)))]
    bounds = find_partition_bounds(target.base)
    stored = [
        within_bounds(bounds, column, f"CAST({value} AS {spark_type(column.type)})")
        for value, column in zip(values, target.base.columns, strict=True)
    ]
    return select_values(
        frame,
        *(
            f"{value} AS {quote(column.name)}"
            for value, column in zip(stored, target.base.columns, strict=True)
        ),
    )
