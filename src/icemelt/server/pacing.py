"""The pace of connections that send many tiny parts: chunks of one byte, empty headers.

Every part of a request costs a Python call, even a part of one byte.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["PIECE", "Pace"]

# the bytes parsed at once
PIECE = 64 << 10
# parts without a pause: a head has some twenty parts, and rows sent line by line are long parts
_FREE_PARTS, _FREE_BYTES = 32, 32
# the parts of all paced connections together: some tenths of the process's time
_PARTS_A_SECOND = 100_000


@dataclass(slots=True)
class Pace:
    """The times at which connections with many small parts are read again, one after the other.

    >>> pace = Pace()
    >>> [pace.next(parts, size, now=8.0) for parts, size in ((20, 600), (1, 65_536))]
    [8.0, 8.0]
    >>> [pace.next(2_000, 12_000, now) for now in (8.0, 8.0, 9.0)]
    [8.02, 8.04, 9.02]
    """

    _free_at: float = 0.0

    def next(self, parts: int, size: int, now: float) -> float:
        """Return the time at which a connection is read again.

        Args:
            parts: the number of parts in the last piece.
            size: the bytes of the last piece.
            now: the current time of a monotonic clock, in seconds.
        """
        if parts <= _FREE_PARTS + size // _FREE_BYTES:
            return now
        self._free_at = max(self._free_at, now) + parts / _PARTS_A_SECOND
        return self._free_at
