"""Deletion vectors: which rows of one data file are gone (Iceberg spec, *Deletion Vectors*).

A vector is a 64-bit Roaring bitmap of row positions inside a Puffin blob: length, magic, bitmap,
checksum. The *complement* of some positions hides all others, so that a scan returns only those.
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
    """Where a vector is; `files` is a Java list that has Iceberg's `DeleteFile` at `index`."""

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
    """Return the positions of a blob.

    Raises:
        FileDamaged: it is no vector, or its checksum is wrong.
    """
    if len(blob) < _HEADER or blob[4:8] != _MAGIC:
        raise FileDamaged("A deletion vector has no valid header.", hint="Restore the file.")
    length = struct.unpack(">i", blob[:4])[0]
    body = blob[4 : 4 + length]
    if zlib.crc32(body) != struct.unpack(">I", blob[4 + length : 8 + length])[0]:
        raise FileDamaged("A deletion vector has a wrong checksum.", hint="Restore the file.")
    return BitMap64.deserialize(body[4:])


def complement(shown: BitMap64, rows: int) -> BitMap64:
    """Return the vector that hides every row of a file but those shown.

    >>> complement(BitMap64([1]), 4)
    BitMap64([0, 2, 3])
    """
    hidden = BitMap64()
    hidden.add_range(0, rows)
    hidden -= shown
    hidden.run_optimize()
    return hidden
