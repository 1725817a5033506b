"""A client's rows as an Arrow table: from Python mappings, Arrow, data frames or JSON."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import pyarrow as pa

from icemelt.ingest.conversion.arrays import EXTENSIONS
from icemelt.ingest.conversion.python_values import array_of
from icemelt.ingest.errors import MalformedRows
from icemelt.ingest.left_out import mark_left_out
from icemelt.ingest.rows.arrow_stream import MOST_COLUMNS, most_bytes, read_stream
from icemelt.ingest.rows.json_keys import MOST_NULLS
from icemelt.ingest.rows.json_rows import fast_table, slow_rows
from icemelt.ingest.rows.memory_size import decoded_size, viewed_size
from icemelt.names import fold

__all__ = ["read_arrow", "read_json", "to_arrow", "validate_table"]

# the most digits of decimal256
_MOST_DIGITS = 76
_EXTENSION = b"ARROW:extension:name"


def to_arrow(rows: Any, defaulted: Collection[str] = ()) -> Any:
    """Return rows as an Arrow table; the columns are the keys in order of their first appearance.

    A column has one type if all values share the type; else the column is a union. A later change
    of `rows` changes nothing.

    Args:
        rows: an iterable of mappings, a RecordBatch, a Table or a pandas DataFrame; a named index
            of the DataFrame is a column, too. A key missing from a row is NULL.
        defaulted: the folded names of columns with a default; keys that rows leave out of these
            columns are marked (`left_out.py`).

    Raises:
        MalformedRows: A row is no mapping, a key is no text, no column takes a value, or the rows
            have too many keys, or too few in common.

    >>> table = to_arrow([{"id": 1, "name": "a"}, {"id": 2}])
    >>> table.to_pylist()
    [{'id': 1, 'name': 'a'}, {'id': 2, 'name': None}]
    """
    if isinstance(rows, pa.RecordBatch):
        rows = pa.Table.from_batches([rows])
    if isinstance(rows, pa.Table):
        return _copy_table(validate_table(rows))
    if type(rows).__module__.partition(".")[0] == "pandas" and hasattr(rows, "columns"):
        return _copy_table(_of_frame(rows))
    if isinstance(rows, Mapping) or not isinstance(rows, Iterable):
        message = f"Rows are an iterable of mappings, found {type(rows).__name__}."
        raise MalformedRows(message, hint="Put the row into a list, also if there is only one.")
    return _of_mappings([_mapping(row, index) for index, row in enumerate(rows)], defaulted)


def read_json(
    body: bytes,
    reading_slowly: Callable[[bytes], AbstractContextManager[None]] = lambda _body: nullcontext(),
    defaulted: Collection[str] = (),
) -> Any:
    """Return rows of JSON as an Arrow table: an object on each line, or one array of objects.

    Text stays text, even if the text looks like a time, and no number loses digits.

    Args:
        body: the JSON.
        reading_slowly: takes a body that Arrow's reader cannot read, as one with nested values;
            Python reads the body in the block. May refuse the body, or wait.
        defaulted: the folded names of columns with a default, as in `to_arrow`.

    Raises:
        MalformedRows: The body is not JSON of this form; the message names the line or the row.

    >>> read_json(b'{"id": 1, "day": "2024-01-01"}').to_pylist()
    [{'id': 1, 'day': '2024-01-01'}]
    """
    table = fast_table(body, defaulted)
    if table is not None:
        return table
    with reading_slowly(body):
        return _of_mappings(slow_rows(body), defaulted)


def read_arrow(body: bytes, reserve: Callable[[int], None] = lambda _size: None) -> Any:
    """Return the rows of an Arrow stream, unchanged; `reserve` is the callback of `read_stream`.

    Raises:
        MalformedRows: The body is no stream, is damaged, or stands for far more than its own bytes.
    """
    table = read_stream(body, reserve)
    most = most_bytes(body)
    # the cheap check first: validation reads a text again for every view of the text
    _validate_size(most, _sum(viewed_size, _validate_buffers(table, whole=False)))
    _validate_size(most, _sum(decoded_size, validate_table(table)))
    return table


def _mapping(row: Any, index: int) -> Mapping[Any, Any]:
    if isinstance(row, dict):
        return row
    if isinstance(row, Mapping):
        return dict(row)
    message = f"Row {index} is no mapping, found {type(row).__name__}."
    raise MalformedRows(message, hint="A row maps the names of columns to values.")


def _of_mappings(rows: Sequence[Mapping[Any, Any]], defaulted: Collection[str]) -> Any:
    names = list(dict.fromkeys(itertools.chain.from_iterable(rows)))
    missing_values = _validate_keys(rows, len(names))
    if not names:
        # a selection of no columns keeps the number of rows
        return pa.table({"": pa.nulls(len(rows))}).select([])
    bad_name = next((name for name in names if not isinstance(name, str)), None)
    if bad_name is not None:
        message = f"A row's keys are names of columns, found {bad_name!r}."
        raise MalformedRows(message, hint="Make each key a str.")
    table = _table({name: array_of([row.get(name) for row in rows]) for name in names})
    if not (defaulted and missing_values):
        return table
    partial = [name for name in names if fold(name) in defaulted]
    masks = {name: pa.array([name not in row for row in rows], pa.bool_()) for name in partial}
    return mark_left_out(table, masks)


def _validate_keys(rows: Sequence[Mapping[Any, Any]], keys: int) -> int:
    """Return how many values the rows leave out; refuse rows that leave nearly all values out.

    The columns of such rows would be a square of NULLs.
    """
    if keys > MOST_COLUMNS:
        message = f"The rows have {keys:,} keys, more than a table has columns."
        raise MalformedRows(message, hint=f"Send at most {MOST_COLUMNS:,}, the table's columns.")
    missing_values = len(rows) * keys - sum(map(len, rows))
    if missing_values > MOST_NULLS:
        message = f"{len(rows):,} rows of {keys:,} keys lack too many of them for one append."
        raise MalformedRows(message, hint=f"Append at most {MOST_NULLS // keys:,} rows.")
    return missing_values


def _table(columns: Mapping[str, Any]) -> Any:
    try:
        return pa.table(list(columns.values()), names=list(columns))
    except UnicodeEncodeError:
        message = "A column's name has half of a surrogate pair, which is no character."
        raise MalformedRows(message, hint="Send names of whole characters.") from None


def validate_table(table: Any) -> Any:
    """Return an Arrow table from outside after checking the table for damage and unknown types.

    Raises:
        MalformedRows: The table is damaged, or has a type no column takes.

    >>> validate_table(pa.table({"id": [1]})).num_rows
    1
    """
    _validate_buffers(table, whole=True)
    for field in table.schema:
        _validate_type(field)
    return table


def _validate_buffers(table: Any, *, whole: bool) -> Any:
    """Return a table with text names and valid buffers; `whole` checks the values, too."""
    try:
        table.validate(full=whole)
        # Arrow reads invalid names without an error, and fails on access
        list(table.schema.names)
    except (pa.ArrowInvalid, UnicodeDecodeError) as error:
        message = f"The Arrow data is damaged: {error}."
        raise MalformedRows(message, hint="Write the data again.") from error
    return table


def _sum(count: Callable[[Any], int], table: Any) -> int:
    return sum(count(chunk) for column in table.columns for chunk in column.chunks)


def _validate_size(most: int, size: int) -> None:
    if size > most:
        message = f"The Arrow stream names values so often that they take {size >> 20:,} MiB."
        hint = f"Append its rows in several calls, each of {most >> 20} MiB."
        raise MalformedRows(message, hint=hint)


def _validate_type(field: Any) -> None:
    """Refuse a type with values unknown to Arrow, or with a scale outside of Arrow's arithmetic."""
    kind = field.type
    extension = _extension(field)
    if extension is not None and extension not in EXTENSIONS:
        message = f"Column or part {field.name!r} has values of type {extension}."
        raise MalformedRows(message, hint="Send text, numbers, dates or timestamps instead.")
    if isinstance(kind, pa.BaseExtensionType):
        kind = kind.storage_type
    if pa.types.is_decimal(kind) and not -_MOST_DIGITS // 2 <= kind.scale <= _MOST_DIGITS:
        message = f"Arrow data of type {kind} has a scale that no table has."
        raise MalformedRows(
            message, hint="Cast it: pyarrow.compute.cast(array, decimal128(38, 9))."
        )
    if pa.types.is_dictionary(kind):
        _validate_type(pa.field(field.name, kind.value_type))
    for at in range(kind.num_fields):
        _validate_type(kind.field(at))


def _extension(field: Any) -> str | None:
    """Return the name of a field's extension type, registered in this process or not."""
    if isinstance(field.type, pa.BaseExtensionType):
        return str(field.type.extension_name)
    name = (field.metadata or {}).get(_EXTENSION)
    return None if name is None else name.decode(errors="replace")


def _copy_table(table: Any) -> Any:
    """Return a copy of a table in memory of its own: NumPy and pandas may change shared memory."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    with pa.ipc.open_stream(sink.getvalue()) as reader:
        return reader.read_all()


def _of_frame(frame: Any) -> Any:
    """Read a data frame; a missing value is NULL, whatever stands for the missing value."""
    if any(name is not None and name not in frame.columns for name in frame.index.names):
        frame = frame.reset_index()
    columns = {}
    for index, name in enumerate(frame.columns):
        series = frame.iloc[:, index]
        if str(series.dtype) == "object":
            missing = series.isna()
            values = [
                None if is_missing else value
                for value, is_missing in zip(series.tolist(), missing.tolist(), strict=True)
            ]
            columns[str(name)] = array_of(values)
        else:
            columns[str(name)] = pa.Array.from_pandas(series)
    if len(columns) < len(frame.columns):
        message = "Two columns of the data frame have one name."
        raise MalformedRows(message, hint="Rename one of them.")
    if not columns:
        return pa.table({"": pa.nulls(len(frame))}).select([])
    return validate_table(_table(columns))
