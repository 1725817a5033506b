"""An Arrow stream as a table; a compressed stream is only read if the decompressed size is allowed.

A compressed stream of a few KiB may hold gigabytes, and Arrow's reader has no limit. But every
compressed buffer states its decompressed size, and Arrow enforces the stated size. So the size of
the rows is known before reading.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

import pyarrow as pa

from icemelt.ingest.errors import MalformedRows
from icemelt.ingest.left_out import is_mark

__all__ = ["MOST_COLUMNS", "most_bytes", "read_stream"]

# a column takes a KiB, even without values
MOST_COLUMNS = 10_000
_MOST_BYTES, _MOST_TIMES = 256 << 20, 4
# fields of Arrow's Message.fbs: of a Message, of a DictionaryBatch, and of a RecordBatch
_HEADER, _DATA, _BUFFERS, _COMPRESSION = 2, 1, 2, 3
# the mark of compression in Arrow 0.17
_OLD_COMPRESSION = b"ARROW:experimental_compression"
_HINT = "Write it with pyarrow.ipc.new_stream, without a compression in its options."


def most_bytes(body: bytes) -> int:
    """Return the largest allowed size in memory, in bytes, for the rows of a stream."""
    return max(_MOST_BYTES, _MOST_TIMES * len(body))


def read_stream(body: bytes, reserve: Callable[[int], None] = lambda _size: None) -> pa.Table:
    """Return the rows of an Arrow stream.

    Args:
        body: the stream.
        reserve: is called with the decompressed size in bytes, before decompression.

    Raises:
        MalformedRows: The body is no Arrow stream, too large once decompressed, or has too many
            columns.

    >>> sink = pa.BufferOutputStream()
    >>> with pa.ipc.new_stream(sink, pa.schema([("id", pa.int64())])) as writer:
    ...     writer.write_table(pa.table({"id": [1, 2]}))
    >>> read_stream(sink.getvalue().to_pybytes()).to_pylist()
    [{'id': 1}, {'id': 2}]
    """
    most, unpacked = most_bytes(body), 0
    try:
        for message in pa.ipc.MessageReader.open_stream(body):
            unpacked += _decompressed_size(message)
            if unpacked > most:
                raise _too_large(most)
        reserve(unpacked)
        with pa.ipc.open_stream(body) as reader:
            _validate_columns(reader.schema)
            return reader.read_all()
    except (pa.ArrowException, OSError, ValueError, struct.error) as error:
        raise MalformedRows(f"The body is no Arrow stream: {error}.", hint=_HINT) from error


def _too_large(most: int) -> MalformedRows:
    return MalformedRows(
        f"The Arrow stream is compressed, and has more than {most >> 20} MiB without.",
        hint="Append its rows in several calls, or send it uncompressed.",
    )


def _validate_columns(schema: pa.Schema) -> None:
    """Refuse a stream with more columns than a table has; each may have a mark beside it."""
    marks = sum(map(is_mark, schema)) if len(schema) > MOST_COLUMNS else 0
    columns = max(marks, len(schema) - marks)
    if columns > MOST_COLUMNS:
        raise MalformedRows(
            f"The Arrow stream has {columns:,} columns.",
            hint=f"Send at most {MOST_COLUMNS:,}: those that the table has.",
        )


def _decompressed_size(message: pa.ipc.Message) -> int:
    """Return the decompressed size of a message's buffers in bytes, 0 for uncompressed buffers.

    Arrow has verified the metadata as a flatbuffer of Message.fbs.
    """
    if message.type not in {"record batch", "dictionary"}:
        return 0
    metadata = message.metadata.to_pybytes()
    if _OLD_COMPRESSION in metadata:
        raise ValueError("it is compressed as by Arrow 0.17")
    batch = _table(metadata, _field(metadata, _number("<I", metadata, 0), _HEADER))
    if message.type == "dictionary":
        batch = _table(metadata, _field(metadata, batch, _DATA))
    if not _field(metadata, batch, _COMPRESSION):
        return 0
    buffers = _table(metadata, _field(metadata, batch, _BUFFERS))
    count = _number("<I", metadata, buffers)
    places = struct.iter_unpack("<qq", metadata[buffers + 4 : buffers + 4 + 16 * count])
    body = memoryview(message.body)
    # a buffer begins with its decompressed size, or with -1 if uncompressed
    return sum(max(_number("<q", body, start), 0) for start, size in places if size)


def _table(metadata: bytes, position: int) -> int:
    """Return the start of the table that a field of a flatbuffer points to."""
    return position + _number("<I", metadata, position or -1)


def _field(metadata: bytes, table: int, index: int) -> int:
    """Return the position of a field in a flatbuffer's table, 0 if the table lacks the field."""
    vtable, position = table - _number("<i", metadata, table), 4 + 2 * index
    offset = (
        _number("<H", metadata, vtable + position)
        if position < _number("<H", metadata, vtable)
        else 0
    )
    return table + offset if offset else 0


def _number(form: str, metadata: bytes | memoryview, position: int) -> int:
    if position < 0:
        # for a negative position, struct would count from the end
        raise ValueError("its metadata is damaged")
    (number,) = struct.unpack_from(form, metadata, position)
    return int(number)
