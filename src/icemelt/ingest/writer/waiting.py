"""The rows waiting to be committed, in numbers."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["WaitingRows"]


@dataclass(frozen=True, slots=True)
class WaitingRows:
    """The number of open channels, tables and waiting bytes; the `seconds` of the longest wait."""

    channels: int
    tables: int
    bytes: int
    seconds: float
