"""Deletion vectors: the deleted rows of one data file (Iceberg spec, *Deletion Vectors*).

A vector is a 64-bit Roaring bitmap of row positions inside a Puffin blob: length, magic, bitmap,
checksum. The *complement* of some positions hides all other rows: a scan returns only these rows.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass, field
from typing import Any

from pyroaring import BitMap64

from icemelt.errors import FileDamaged

__all__ = ["DeletionVector", "complement", "decode", "encode"]

_MAGIC = bytes([0xD1, 0xD3, 0x39, 0x64])
_HEADER = 8


@dataclass(frozen=True, slots=True)
class DeletionVector:
    """A deletion vector's place in a file.

    Args:
        path: the Puffin file.
        offset: the start of the blob, in bytes.
        size: the length of the blob, in bytes.
        data_file: the location of the data file.
        rows: the number of deleted rows.
        files: a Java list with Iceberg's `DeleteFile` at `index`.
        index: the position in `files`.
    """

    path: str
    offset: int
    size: int
    data_file: str
    rows: int
    files: Any = field(default=None, compare=False)
    index: int = field(default=0, compare=False)

    @property
    def java(self) -> Any:
        """Iceberg's `DeleteFile`."""
        return self.files.get(self.index)


def encode(positions: BitMap64) -> bytes:
    """Return the blob of a vector.

    >>> decode(encode(BitMap64([1, 5, 1 << 40])))
    BitMap64([1, 5, 1099511627776])
    """
    body = _MAGIC + positions.serialize()
    return struct.pack(">i", len(body)) + body + struct.pack(">I", zlib.crc32(body))


def decode(blob: bytes) -> BitMap64:
    """Return the positions in a vector's blob.

    Raises:
        FileDamaged: the blob is no vector, or its checksum is wrong.
    """
    if len(blob) < _HEADER or blob[4:8] != _MAGIC:
        raise FileDamaged("A deletion vector has no valid header.", hint="Restore the file.")
    length = struct.unpack(">i", blob[:4])[0]
    body = blob[4 : 4 + length]
    if zlib.crc32(body) != struct.unpack(">I", blob[4 + length : 8 + length])[0]:
        raise FileDamaged("A deletion vector has a wrong checksum.", hint="Restore the file.")
    return BitMap64.deserialize(body[4:])


def complement(shown: BitMap64, rows: int) -> BitMap64:
    """Return the vector that hides all rows of a file but the positions in `shown`.

    `rows` is the number of rows of the file.

    >>> complement(BitMap64([1]), 4)
    BitMap64([0, 2, 3])
    """
    hidden = BitMap64()
    hidden.add_range(0, rows)
    hidden -= shown
    hidden.run_optimize()
    return hidden
