"""The rows of a result in a file, to be fetched page by page."""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from icemelt.errors import ValueRefused
from icemelt.server.failures import Gone
from icemelt.session.runtime.python_rows import python_values
from icemelt.values import as_json

__all__ = ["Column", "Pages", "write_pages"]

_MOST_ROWS, _MOST_BYTES = 10_000, 1 << 20


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a result; `type` is as DESCRIBE TABLE shows it."""

    name: str
    type: str


@dataclass(slots=True)
class Pages:
    """A result: an Arrow file of a `size` in bytes, with a record batch for each page.

    `largest` is how many bytes the largest page has in memory.
    """

    path: str
    columns: tuple[Column, ...]
    rows: int
    count: int
    size: int
    largest: int = 0
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
        """Return a page as an array of rows; each is an array of its values.

        Raises:
            ValueRefused: a date in an array or an object is of a year that Python does not have.
        """
        if page >= self.count:
            return "[]"
        with self._reader() as reader:
            batch = reader.get_batch(page)
        named = zip(batch.schema.names, batch.columns, strict=True)
        columns = [_json_values(name, column) for name, column in named]
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
        """Give the file back before its time, since others need the room."""
        self._is_given_up = True
        self.remove()

    def remove(self) -> None:
        """Give the file back."""
        with contextlib.suppress(OSError):
            Path(self.path).unlink()


def _json_values(name: str, column: pa.Array) -> list[Any]:
    """Return the values of a column, and dates that Python does not have as the text they become.

    Raises:
        ValueRefused: such a date is within an array or an object.
    """
    try:
        return python_values(name, column)
    except ValueRefused:
        if pa.types.is_nested(column.type):
            raise
        texts: list[str | None] = column.cast(pa.string()).to_pylist()
        return [None if text is None else text.replace(" ", "T") for text in texts]


def write_pages(folder: str, rows: pa.Table, types: tuple[str, ...]) -> Pages:
    """Write rows into a file of the folder; a page is a mebibyte, or 10,000 rows.

    Raises:
        OSError: the file cannot be written; nothing of it is left.
    """
    path = f"{folder}/{uuid.uuid4()}.arrow"
    columns = tuple(map(Column, rows.column_names, types))
    count = max(1, rows.num_rows)
    size = max(1, min(_MOST_ROWS, _MOST_BYTES * count // max(1, rows.nbytes)))
    try:
        pages, largest = _write(path, rows, size)
        written = Path(path).stat().st_size
    except OSError:
        with contextlib.suppress(OSError):
            Path(path).unlink()
        raise
    return Pages(path, columns, rows.num_rows, pages, written, largest)


def _write(path: str, rows: pa.Table, size: int) -> tuple[int, int]:
    """Write rows in pages of a size; return how many there are, and the bytes of the largest."""
    options = pa.ipc.IpcWriteOptions(compression="lz4")
    starts, largest = range(0, rows.num_rows, size), 0
    with pa.OSFile(path, "wb") as file, pa.ipc.new_file(file, rows.schema, options=options) as out:
        for start in starts:
            # page by page: nothing of a large result is there twice
            [batch] = rows.slice(start, size).combine_chunks().to_batches()
            out.write_batch(batch)
            largest = max(largest, batch.nbytes)
    return len(starts), largest
