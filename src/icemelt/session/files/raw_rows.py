"""The raw rows of files: where each row is, the values as the files have them, and broken rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame

from icemelt.schema import Column
from icemelt.spark_java import select_values
from icemelt.spark_sql.loading import BLOCK, FILE, MODIFIED, PLACE, PLACE_TYPES, FileValue
from icemelt.sql.statements import FileFormat

__all__ = [
    "FILE_NAME",
    "REFUSAL_TYPE",
    "FilledColumns",
    "Scan",
    "add_place",
    "add_row_index",
    "computed_once",
    "first_refusal",
    "row_number",
    "row_refusal",
]

# why a row is refused: the column, NULL for the whole row, and the reason
REFUSAL_TYPE = "STRUCT<column: STRING, text: STRING>"
# Spark gives the path as a URL
FILE_NAME = "icemelt_file_name(_metadata.file_path)"


@dataclass(frozen=True, slots=True)
class FilledColumns:
    """The columns that files fill, in the files' order.

    Attributes:
        owner: what has the columns, for errors: a table, or a place in a query.
        columns: the columns.
        with_places: whether the number of each row in its file is wanted. Spark refuses the number
            in subqueries of DELETE, UPDATE and MERGE.
    """

    owner: str
    columns: tuple[Column, ...]
    with_places: bool = True


@dataclass(frozen=True, slots=True)
class Scan:
    """The raw rows of files.

    Attributes:
        frame: the raw rows.
        sources: the raw columns that fill the columns, None for a column missing in the files.
        broken: SQL for the refusal of a whole raw row; NULL for a good row.
    """

    frame: DataFrame
    sources: tuple[FileValue | None, ...]
    broken: str = "NULL"


def add_place(
    frame: DataFrame, columns: Sequence[str], *, with_places: bool, path: str = FILE_NAME
) -> DataFrame:
    """Add the file, the block and the place of every row; in a block the place rises by one."""
    return select_values(
        frame,
        *columns,
        f"{path} AS {FILE}",
        f"_metadata.file_block_start AS {BLOCK}",
        f"{row_number(with_places=with_places)} AS {PLACE}",
        f"_metadata.file_modification_time AS {MODIFIED}",
    )


def row_number(*, with_places: bool) -> str:
    """Return the SQL of what rises from row to row of a block; 0 where it is not wanted."""
    return "monotonically_increasing_id()" if with_places else "0L"


def add_row_index(
    file_format: FileFormat,
    frame: DataFrame,
    *columns: str,
    with_places: bool = True,
    with_files: bool = True,
) -> DataFrame:
    """Add the file and the place of every row of files whose columns have types.

    Of Parquet files the place is the row's number in the file, from 0. Without files and places all
    of it is NULL: Spark would compute it for each row, even where nothing asks for it.
    """
    if not (with_files or with_places):
        nothing = (f"CAST(NULL AS {kind}) AS {name}" for name, kind in PLACE_TYPES.items())
        return select_values(frame, *columns, *nothing)
    if file_format is not FileFormat.PARQUET:
        return add_place(frame, columns, with_places=with_places)
    return select_values(
        frame,
        *columns,
        f"{FILE_NAME} AS {FILE}",
        f"0L AS {BLOCK}",
        f"_metadata.row_index AS {PLACE}",
        f"_metadata.file_modification_time AS {MODIFIED}",
    )


def computed_once(frame: DataFrame) -> DataFrame:
    """Return all rows, below which Spark moves no filter: it would parse for the filter once more.

    A sample of all rows is such a place; other barriers are refused in subqueries of DELETE.
    """
    # of one seed always, or Spark would compile the query anew each time
    return frame.sample(withReplacement=False, fraction=1.0, seed=1)


def row_refusal(condition: str, said: str) -> str:
    """Return the SQL of the refusal of a whole raw row, NULL where a condition is not met."""
    row = f"named_struct('column', CAST(NULL AS STRING), 'text', {said})"
    return f"CASE WHEN {condition} THEN {row} END"


def first_refusal(refusals: Sequence[str]) -> str:
    """Return the SQL of the first refusal of several that is not NULL.

    >>> first_refusal(["NULL", "a", "b"])
    'coalesce(a, b)'
    """
    said = [refusal for refusal in refusals if refusal != "NULL"]
    if len(said) < 2:  # noqa: PLR2004
        return said[0] if said else "NULL"
    return f"coalesce({', '.join(said)})"
