"""What waits to be committed, in numbers."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Waiting"]


@dataclass(frozen=True, slots=True)
class Waiting:
    """What waits to be committed now; `seconds` is how long the oldest row has."""

    channels: int
    tables: int
    bytes: int
    seconds: float
