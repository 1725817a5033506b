"""One side of a change scan: the files that an interval added, or those that it removed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["ScanSide"]

_FEW_ROWS, _FEW_BYTES = 100_000, 4 << 20
# what one task reads sooner than Spark starts a second job
_FEW_FILES, _FEW_TO_READ = 8, 1 << 20


@dataclass(frozen=True, slots=True)
class ScanSide:
    """One side's files, their rows and how many bytes these are, and how scan tasks are made.

    `to_read` is the bytes of the files, rows that are hidden included. Files may hold older rows
    than those of the side: these have a sequence number that is higher than `newer_than`.
    """

    files: int = 0
    rows: int = 0
    size: int = 0
    to_read: int = 0
    make: Callable[[], Any] | None = None
    newer_than: int | None = None

    @property
    def tasks(self) -> Any:
        """The scan tasks, made anew: a Java list, or None for none."""
        return None if self.make is None else self.make()

    @property
    def is_small(self) -> bool:
        """Whether its rows, which are larger than their files, fit into memory anywhere."""
        return self.rows <= _FEW_ROWS and self.size <= _FEW_BYTES

    @property
    def is_read_at_once(self) -> bool:
        """Whether one task reads it as soon as many do."""
        return self.files <= _FEW_FILES and self.to_read <= _FEW_TO_READ
