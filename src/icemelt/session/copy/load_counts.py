"""Count the rows and the refused rows of each file, and find the first refused row."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - the name PySpark users know

from icemelt.session.copy.load_rows import REFUSAL
from icemelt.session.files.source_files import SourceFile, spark_name
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.spark_errors import translated
from icemelt.spark_java import java_class, java_frame, python_frame
from icemelt.spark_sql.loading import BLOCK, FILE, PLACE

__all__ = ["ACCEPTED", "FileCount", "count_rows", "read_counts", "refusal_text", "watch_rows"]

# whether a row is accepted, in rows that are watched
ACCEPTED = "icemelt_accepted"
_COUNTER = "icemelt.spark.FileCounter"


@dataclass(frozen=True, slots=True)
class FileCount:
    """The row counts of one file, and its first refused row.

    Attributes:
        parsed: how many rows the file has.
        errors: how many of the rows are refused.
        first_error: why the first refused row is refused, None where no row is.
        first_line: the line of the first refused row, from 1.
        first_column: the column whose value is refused, None where the whole row is.
    """

    parsed: int = 0
    errors: int = 0
    first_error: str | None = None
    first_line: int | None = None
    first_column: str | None = None


def count_rows(
    core: Core, rows: DataFrame, files: Sequence[SourceFile], header_lines: int
) -> dict[str, FileCount]:
    """Count the rows of each file in one Spark job.

    Args:
        core: the session's parts.
        rows: the rows of the files, as `read_rows` returns them.
        files: the files.
        header_lines: the lines before the first record. A record counts as one line, a blank line
            as none.
    """
    refused = F.col(REFUSAL).isNotNull()
    first = F.min_by(F.struct(REFUSAL, PLACE), F.when(refused, F.col(PLACE)))
    query = rows.groupBy(FILE, BLOCK).agg(
        F.count("*").alias("parsed"),
        F.count_if(refused).alias("errors"),
        F.min(PLACE).alias("start"),
        first.alias("first"),
    )
    with translated(core.spark):
        groups = query.collect()
    by_file: dict[str, list[Any]] = {}
    for group in sorted(groups, key=lambda group: group[BLOCK]):
        by_file.setdefault(group[FILE], []).append(group)
    return {file.path: _count(by_file.get(spark_name(file), ()), header_lines) for file in files}


def watch_rows(rows: DataFrame) -> tuple[DataFrame, Any]:
    """Return the rows with `icemelt_accepted BOOLEAN`, and the counter that it adds each row to.

    `rows` have the columns `icemelt_file STRING` and `icemelt_refusal`, as `read_rows` returns
    them. A row counts when another Spark job asks for its `icemelt_accepted`.
    """
    counter = java_class(rows.sparkSession, _COUNTER).of(java_frame(rows))
    watched = counter.watch(java_frame(rows), FILE, f"{REFUSAL} IS NOT NULL", ACCEPTED)
    return python_frame(rows.sparkSession, watched), counter


def read_counts(counter: Any, files: Sequence[SourceFile]) -> dict[str, FileCount]:
    """Return the counts of a counter, by path; the job that read the rows has ended."""
    counts = {name: FileCount(*counted) for name, counted in json.loads(counter.value()).items()}
    return {file.path: counts.get(spark_name(file), FileCount()) for file in files}


def refusal_text(column: str | None, said: str) -> str:
    """Return why a row is refused, with the column whose value is refused.

    >>> refusal_text("id", "is NOT NULL, found NULL")
    "Column 'id' is NOT NULL, found NULL"
    """
    return said if column is None else f"Column {column!r} {said}"


def _count(groups: Sequence[Any], header_lines: int) -> FileCount:
    """Add up the counts of a file's blocks; the first row of a block has the lowest place."""
    parsed = errors = 0
    count = FileCount()
    for group in groups:
        first = group["first"]
        if first is not None and count.first_error is None:
            column, said = first[REFUSAL]
            line = header_lines + parsed + first[PLACE] - group["start"] + 1
            count = FileCount(0, 0, refusal_text(column, said), line, column)
        parsed += group["parsed"]
        errors += group["errors"]
    return replace(count, parsed=parsed, errors=errors)
