"""How many rows of each file were read and refused, and the first refusal of each."""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pyspark.sql import DataFrame, Observation
from pyspark.sql import functions as F  # noqa: N812 - the name PySpark users know

from icemelt.session.copy.load_files import SourceFile, spark_name
from icemelt.session.copy.load_rows import BLOCK, FILE, PLACE, REFUSAL
from icemelt.session.runtime.core import Core
from icemelt.session.runtime.spark_errors import translated

__all__ = ["FileCount", "count_rows", "observed", "observed_counts"]


@dataclass(frozen=True, slots=True)
class FileCount:
    """A file's rows, those refused, and the first of them: its line and what was wrong."""

    parsed: int = 0
    errors: int = 0
    first_error: str | None = None
    first_line: int | None = None
    first_column: str | None = None


def count_rows(
    core: Core, rows: DataFrame, files: Sequence[SourceFile], header_lines: int
) -> dict[str, FileCount]:
    """Count in one Spark job; a record counts as one line, blank lines as none."""
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


def observed(rows: DataFrame, files: Sequence[SourceFile]) -> tuple[DataFrame, Observation]:
    """Return the rows with an observer that counts by file while a job passes over them.

    An observer aggregates without groups; a histogram with a bin for every file is exact, and its
    bins are checksums of the files' names, salted until no two are the same.
    """
    observation = Observation()
    key = f"crc32(concat('{_salt(files)}', {FILE}))"
    bins = len(files) + 1
    refused = f"CASE WHEN {REFUSAL} IS NOT NULL THEN {key} END"
    watched = rows.observe(
        observation,
        F.expr(f"histogram_numeric({key}, {bins})").alias("parsed"),
        F.expr(f"histogram_numeric({refused}, {bins})").alias("errors"),
    )
    return watched, observation


def observed_counts(observation: Observation, files: Sequence[SourceFile]) -> dict[str, FileCount]:
    """Return what an observer has counted, once its job has ended."""
    salt = _salt(files)
    parsed, errors = (_bins(observation.get[name]) for name in ("parsed", "errors"))
    counts = {}
    for file in files:
        key = _checksum(salt, file)
        counts[file.path] = FileCount(parsed.get(key, 0), errors.get(key, 0))
    return counts


def _count(groups: Sequence[Any], header_lines: int) -> FileCount:
    """Add up the blocks of a file; a block's first row has the lowest place of all."""
    parsed = errors = 0
    found = FileCount()
    for group in groups:
        first = group["first"]
        if first is not None and found.first_error is None:
            column, said = first[REFUSAL]
            line = header_lines + parsed + first[PLACE] - group["start"] + 1
            message = said if column is None else f"Column {column!r} {said}"
            found = FileCount(0, 0, message, line, column)
        parsed += group["parsed"]
        errors += group["errors"]
    return replace(found, parsed=parsed, errors=errors)


def _bins(histogram: Iterable[Any] | None) -> dict[int, int]:
    """Return a histogram's bins; tasks of one file may have given it several."""
    bins: dict[int, int] = {}
    for each in histogram or ():
        bins[int(each["x"])] = bins.get(int(each["x"]), 0) + int(each["y"])
    return bins


def _salt(files: Sequence[SourceFile]) -> int:
    """Return the first salt that gives every file another checksum."""
    return next(
        salt
        for salt in itertools.count()
        if len({_checksum(salt, file) for file in files}) == len(files)
    )


def _checksum(salt: int, file: SourceFile) -> int:
    return zlib.crc32(f"{salt}{spark_name(file)}".encode())
