"""The rows of a query result in a file, fetched page by page."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from icemelt.server.failures import Gone
from icemelt.server.page_json import to_json

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
    `json_values` is, for each page, the number of values, with the values in arrays and objects.
    `memory` is the size in memory of all pages.
    """

    path: str
    columns: tuple[ResultColumn, ...]
    rows: int
    count: int
    size: int
    largest: int = 0
    memory: int = 0
    json_bytes: tuple[int, ...] = ()
    json_values: tuple[int, ...] = ()
    _is_given_up: bool = False

    def arrow(self, page: int) -> bytes:
        """Return a page as an Arrow stream."""
        with self._reader() as reader:
            sink = pa.BufferOutputStream()
            # the types in Spark are for RESULT_SCAN alone
            schema = reader.schema.remove_metadata()
            with pa.ipc.new_stream(sink, schema) as writer:
                if page < self.count:
                    batch = reader.get_batch(page)
                    writer.write_batch(batch.replace_schema_metadata(None))
            return bytes(sink.getvalue())

    def all_rows(self) -> pa.Table:
        """Return all pages as one table, with the metadata that the rows were written with.

        Raises:
            Gone: the file was deleted.
        """
        with self._reader() as reader:
            return reader.read_all()

    def json(self, page: int) -> bytes:
        """Return a page as a JSON array of rows; a row is an array of values."""
        if page >= self.count:
            return b"[]"
        with self._reader() as reader:
            batch = reader.get_batch(page)
        return to_json(batch)

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
    sizes = _write(path, rows, size)
    pages = Pages(path, columns, rows.num_rows, len(sizes), Path(path).stat().st_size)
    pages.largest = max((size for size, _ in sizes), default=0)
    pages.memory = sum(size for size, _ in sizes)
    pages.json_values = tuple(values for _, values in sizes)
    pages.json_bytes = tuple(size + _VALUE_BYTES * values for size, values in sizes)
    return pages


def _write(path: str, rows: pa.Table, size: int) -> list[tuple[int, int]]:
    """Write rows in pages of `size` rows; return the bytes and the number of values of each."""
    options = pa.ipc.IpcWriteOptions(compression="lz4")
    starts, sizes = range(0, rows.num_rows, size), []
    with pa.OSFile(path, "wb") as file, pa.ipc.new_file(file, rows.schema, options=options) as out:
        for start in starts:
            # page by page: no second copy of a large result in memory
            [batch] = rows.slice(start, size).combine_chunks().to_batches()
            out.write_batch(batch)
            sizes.append((batch.nbytes, sum(map(_count_values, batch.columns))))
    return sizes


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
