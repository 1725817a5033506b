"""How fast connections are heard that say little in many words: chunks of a byte, empty headers.

Each part of what a client says costs as much as a call of Python, however small it is.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["PIECE", "Pace"]

# so many bytes are taken in one go, and so many parts of them cost next to nothing
PIECE, _FREE = 16 << 10, 256
# of all connections that say more, together: some tenths of the time that there is
_PARTS_A_SECOND = 100_000


@dataclass(slots=True)
class Pace:
    """When connections that said much in small parts are heard again, one after the other.

    >>> pace = Pace()
    >>> pace.next(20, now=8.0), pace.next(2_000, now=8.0), pace.next(2_000, now=8.0)
    (8.0, 8.02, 8.04)
    >>> pace.next(20, now=8.0), pace.next(2_000, now=9.0)
    (8.0, 9.02)
    """

    _free_at: float = 0.0

    def next(self, parts: int, now: float) -> float:
        """Return when a connection is heard again that has said a piece of some parts."""
        if parts <= _FREE:
            return now
        self._free_at = max(self._free_at, now) + parts / _PARTS_A_SECOND
        return self._free_at
