"""One side of a change scan: the files with added rows, or the files with removed rows."""

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
    """The files of one side of a change scan.

    Args:
        files: the number of files.
        rows: the number of rows of the side.
        size: the size of these rows in the files, in bytes.
        to_read: the size of the files in bytes, hidden rows included.
        make: makes the scan tasks, a Java list.
        newer_than: if the files also have older rows, rows of the side have a higher sequence
            number.
    """

    files: int = 0
    rows: int = 0
    size: int = 0
    to_read: int = 0
    make: Callable[[], Any] | None = None
    newer_than: int | None = None

    @property
    def tasks(self) -> Any:
        """New scan tasks, a Java list; None for none."""
        return None if self.make is None else self.make()

    @property
    def is_small(self) -> bool:
        """Whether the rows, which are larger in memory than in files, fit into memory anywhere."""
        return self.rows <= _FEW_ROWS and self.size <= _FEW_BYTES

    @property
    def is_read_at_once(self) -> bool:
        """Whether one task reads the side as fast as many tasks."""
        return self.files <= _FEW_FILES and self.to_read <= _FEW_TO_READ
