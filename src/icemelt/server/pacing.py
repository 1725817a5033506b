"""How fast connections are heard that say little in many words: chunks of a byte, empty headers.

Each part of what a client says costs as much as a call of Python, however small it is.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["PIECE", "Pace"]

# so many bytes are taken in one go
PIECE = 64 << 10
# a head has some twenty, and rows that are sent line by line have longer ones
_FREE_PARTS, _FREE_BYTES = 32, 32
# of all connections that say more, together: some tenths of the time that there is
_PARTS_A_SECOND = 100_000


@dataclass(slots=True)
class Pace:
    """When connections that said much in small parts are heard again, one after the other.

    >>> pace = Pace()
    >>> [pace.next(parts, size, now=8.0) for parts, size in ((20, 600), (1, 65_536))]
    [8.0, 8.0]
    >>> [pace.next(2_000, 12_000, now) for now in (8.0, 8.0, 9.0)]
    [8.02, 8.04, 9.02]
    """

    _free_at: float = 0.0

    def next(self, parts: int, size: int, now: float) -> float:
        """Return when a connection is heard again that said some parts in a size of bytes."""
        if parts <= _FREE_PARTS + size // _FREE_BYTES:
            return now
        self._free_at = max(self._free_at, now) + parts / _PARTS_A_SECOND
        return self._free_at
