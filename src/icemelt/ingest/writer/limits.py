"""The limits of channels, of waiting rows, and of the times of writing."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["WriterLimits"]


@dataclass(frozen=True, slots=True)
class WriterLimits:
    """The limits of waiting rows and open channels, and the times of writing and waiting.

    - `lag`: the seconds a row waits for other rows before the flush.
    - `flush_bytes`: the waiting bytes of a table that start a flush; a flush writes about as many.
    - `waiting_bytes`: the bytes of all tables that may wait; with `by_owner`, one owner may have
      half.
    - `grace`: the seconds to wait at the end for rows that cannot be written at once.
    - `idle`: the seconds without rows after which a writer checks for channels ended elsewhere, and
      after which a channel may be closed in favor of another channel of its owner.
    - `by_owner`: whether owners have shares; if not, everybody is one owner, who may have all.
    - `most_tables`, `most_channels`: with `by_owner`, the tables with open channels of one owner,
      and the open channels of one owner.
    """

    lag: float = 1.0
    flush_bytes: int = 64 << 20
    waiting_bytes: int = 512 << 20
    grace: float = 30.0
    idle: float = 300.0
    by_owner: bool = False
    most_tables: int = 1_000
    most_channels: int = 20_000
