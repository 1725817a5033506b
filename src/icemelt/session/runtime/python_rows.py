"""Convert an Arrow table to Python's values, whose dates have the years 1 to 9999."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from icemelt.errors import ValueRefused

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["to_pandas_frame", "to_python_rows"]


def to_python_rows(table: pa.Table) -> list[tuple[Any, ...]]:
    """Return the rows of a table as tuples.

    Raises:
        ValueRefused: a date or timestamp has a year that Python lacks, or a text is no UTF-8.

    >>> to_python_rows(pa.table({"id": [1, 2], "name": ["a", None]}))
    [(1, 'a'), (2, None)]
    """
    named = zip(table.column_names, table.columns, strict=True)
    columns = [_to_python_values(name, column) for name, column in named]
    return list(zip(*columns, strict=True)) if columns else [()] * table.num_rows


def _to_python_values(name: str, column: pa.Array | pa.ChunkedArray) -> list[Any]:
    """Return the values of a column, whose name is for the error.

    Raises:
        ValueRefused: a date or timestamp has a year that Python lacks.

    >>> far = pa.array([4_000_000], pa.int32()).cast(pa.date32())
    >>> _to_python_values("day", far)
    Traceback (most recent call last):
        ...
    icemelt.errors.ValueRefused: Column 'day' has a date beyond the years 1 to 9999 of Python.
    Hint: "day"::VARCHAR gives it as text, and Arrow has it as it is: to_arrow().
    """
    try:
        values: list[Any] = column.to_pylist()
    except UnicodeDecodeError as error:
        raise _no_text(name) from error
    except (OverflowError, ValueError) as error:
        raise _beyond_python(name) from error
    return values


def to_pandas_frame(table: pa.Table) -> pd.DataFrame:
    """Return a table as a pandas DataFrame with Python's dates.

    Raises:
        ValueRefused: a date has a year that Python lacks.

    >>> to_pandas_frame(pa.table({"id": [1, 2]}))["id"].sum()
    np.int64(3)
    """
    try:
        return table.to_pandas()
    except (OverflowError, ValueError):
        # raises an error that names the column
        to_python_rows(table)
        raise


def _no_text(name: str) -> ValueRefused:
    quoted = name.replace('"', '""')
    return ValueRefused(
        f"Column {name!r} has a text with bytes that are no UTF-8, as another engine has written.",
        hint=f'HEX_ENCODE("{quoted}") shows the bytes, and Arrow has them: to_arrow().',
    )


def _beyond_python(name: str) -> ValueRefused:
    quoted = name.replace('"', '""')
    return ValueRefused(
        f"Column {name!r} has a date beyond the years 1 to 9999 of Python.",
        hint=f'"{quoted}"::VARCHAR gives it as text, and Arrow has it as it is: to_arrow().',
    ).with_sqlstate("22008")
