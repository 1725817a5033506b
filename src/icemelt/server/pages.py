"""The rows of a query result in a file, fetched page by page."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from icemelt.server.failures import Gone
from icemelt.values import as_json

__all__ = ["Pages", "ResultColumn", "write_pages"]

_MOST_ROWS, _MOST_BYTES, _MOST_VALUES = 10_000, 1 << 20, 1_000_000
# the bytes of a value as a Python object, and the values that an object (a dict) counts for
_VALUE_BYTES, _OBJECT_VALUES = 24, 8


@dataclass(frozen=True, slots=True)
class ResultColumn:
    """A column of a result; `type` is the type's name in DESCRIBE TABLE."""

    name: str
    type: str


@dataclass(slots=True)
class Pages:
    """A result: an Arrow file of `size` bytes, with a record batch for each page.

    `largest` is the size in memory of the largest page. `json_bytes` is, for each page, the memory
    needed to make JSON of the page: a boolean is a bit in Arrow, and an object in Python.
    """

    path: str
    columns: tuple[ResultColumn, ...]
    rows: int
    count: int
    size: int
    largest: int = 0
    json_bytes: tuple[int, ...] = ()
    _is_given_up: bool = False

    def arrow(self, page: int) -> bytes:
        """Return a page as an Arrow stream."""
        with self._reader() as reader:
            sink = pa.BufferOutputStream()
            with pa.ipc.new_stream(sink, reader.schema) as writer:
                if page < self.count:
                    writer.write_batch(reader.get_batch(page))
            return bytes(sink.getvalue())

    def json(self, page: int) -> str:
        """Return a page as a JSON array of rows; a row is an array of values."""
        if page >= self.count:
            return "[]"
        with self._reader() as reader:
            batch = reader.get_batch(page)
        columns = map(_json_values, batch.columns)
        return f"[{','.join(as_json(row) for row in zip(*columns, strict=True))}]"

    @contextlib.contextmanager
    def _reader(self) -> Iterator[pa.ipc.RecordBatchFileReader]:
        try:
            with pa.memory_map(self.path) as file, pa.ipc.open_file(file) as reader:
                yield reader
        except OSError as error:
            reason = "given up for those of later statements" if self._is_given_up else "given back"
            raise Gone(
                f"The rows were {reason}.", hint="Submit the statement under another id."
            ) from error

    def give_up(self) -> None:
        """Delete the file early, since other results need the room."""
        self._is_given_up = True
        self.remove()

    def remove(self) -> None:
        """Delete the file."""
        with contextlib.suppress(OSError):
            Path(self.path).unlink()


def _json_values(column: pa.Array) -> list[Any]:
    """Return the values of a column for JSON; a date unknown to Python becomes its text.

    >>> far = pa.array([0, 4_000_000], pa.int32()).cast(pa.date32())
    >>> _json_values(far)
    ['1970-01-01', '12921-08-18']
    >>> _json_values(pa.ListArray.from_arrays([0, 2, None, 2], far))
    [['1970-01-01', '12921-08-18'], [], None]
    """
    try:
        values: list[Any] = column.to_pylist()
    except (OverflowError, ValueError):
        return _far_values(column)
    return values


def _far_values(column: pa.Array) -> list[Any]:
    """Return the values of a column with a date unknown to Python, perhaps in an array or object.

    A map becomes a list of pairs, as Arrow makes of it.
    """
    kind, values = column.type, []
    if pa.types.is_struct(kind):
        fields = zip(*map(_json_values, column.flatten()), strict=True)
        names = [kind.field(place).name for place in range(kind.num_fields)]
        values = [dict(zip(names, row, strict=True)) for row in fields]
    elif pa.types.is_map(kind):
        keys, items = (_json_values(_held(column, part)) for part in (column.keys, column.items))
        values = _cut(list(zip(keys, items, strict=True)), column)
    elif pa.types.is_list(kind) or pa.types.is_large_list(kind):
        values = _cut(_json_values(_held(column, column.values)), column)
    else:
        texts = column.cast(pa.string()).to_pylist()
        return [None if text is None else text.replace(" ", "T") for text in texts]
    present = column.is_valid().to_pylist()
    return [value if there else None for value, there in zip(values, present, strict=True)]


def _held(column: pa.Array, inner: pa.Array) -> pa.Array:
    """Return the part of the inner values that the arrays or maps of a column hold."""
    start, end = column.offsets[0].as_py(), column.offsets[-1].as_py()
    return inner.slice(start, end - start)


def _cut(values: list[Any], column: pa.Array) -> list[Any]:
    """Cut the held values into a list for each array or map of a column."""
    places = column.offsets.to_pylist()
    first = places[0]
    return [values[start - first : end - first] for start, end in itertools.pairwise(places)]


def write_pages(path: str, rows: pa.Table, types: tuple[str, ...]) -> Pages:
    """Write rows into a file; a page has at most a mebibyte, 10,000 rows or a million values.

    Args:
        path: the new file.
        rows: the rows of the result.
        types: the type of each column, as DESCRIBE TABLE shows types.

    Raises:
        OSError: the file cannot be written; a part of the file may be left.
    """
    columns = tuple(map(ResultColumn, rows.column_names, types))
    count = max(1, rows.num_rows)
    values = sum(_count_values(chunk) for column in rows.columns for chunk in column.chunks)
    by_bytes, by_values = (
        most * count // max(1, size_of_rows)
        for most, size_of_rows in ((_MOST_BYTES, rows.nbytes), (_MOST_VALUES, values))
    )
    size = max(1, min(_MOST_ROWS, by_bytes, by_values))
    largest, json_bytes = _write(path, rows, size)
    written = Path(path).stat().st_size
    return Pages(path, columns, rows.num_rows, len(json_bytes), written, largest, json_bytes)


def _write(path: str, rows: pa.Table, size: int) -> tuple[int, tuple[int, ...]]:
    """Write rows in pages of `size` rows; return the bytes of the largest, and of each as JSON."""
    options = pa.ipc.IpcWriteOptions(compression="lz4")
    starts, largest = range(0, rows.num_rows, size), 0
    json_bytes: list[int] = []
    with pa.OSFile(path, "wb") as file, pa.ipc.new_file(file, rows.schema, options=options) as out:
        for start in starts:
            # page by page: no second copy of a large result in memory
            [batch] = rows.slice(start, size).combine_chunks().to_batches()
            out.write_batch(batch)
            largest = max(largest, batch.nbytes)
            values = sum(map(_count_values, batch.columns))
            json_bytes.append(batch.nbytes + _VALUE_BYTES * values)
    return largest, tuple(json_bytes)


def _count_values(column: pa.Array) -> int:
    """Return the number of values of a column, with the values in its arrays and objects."""
    kind, count = column.type, len(column)
    if pa.types.is_struct(kind):
        return _OBJECT_VALUES * count + sum(map(_count_values, column.flatten()))
    if pa.types.is_map(kind):
        return _OBJECT_VALUES * count + sum(map(_count_values, (column.keys, column.items)))
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return count + _count_values(column.flatten())
    return count
