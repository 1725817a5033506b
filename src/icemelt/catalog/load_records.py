"""The load history: what became of each file that COPY INTO or a pipe has read into a table."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["LOAD_FAILED", "LoadRecord"]

# the status of a file that was skipped, as rows of the file were refused or the file is damaged
LOAD_FAILED = "LOAD_FAILED"


@dataclass(frozen=True, slots=True)
class LoadRecord:
    """The last load of a file into a table by COPY INTO or a pipe.

    Args:
        path: the file's path.
        size: the file's size in bytes.
        modified_at: when the file was last modified.
        rows_loaded: the number of rows inserted.
        errors: the number of refused rows.
        status: `LOADED`, `PARTIALLY_LOADED` if some rows of the file were refused, or
            `LOAD_FAILED` if the file was skipped.
        rows_parsed: the number of rows in the file, None for the loads of an older icemelt.
        pipe_id: the object id of the pipe, None for COPY INTO.
        first_error: why the first refused row was refused, or why the file was not read; None for
            no error.
        first_line: the line of the first refused row, from 1.
        first_column: the column whose value was refused.
    """

    path: str
    size: int
    modified_at: int
    rows_loaded: int
    errors: int
    status: str
    rows_parsed: int | None = None
    pipe_id: str | None = None
    first_error: str | None = None
    first_line: int | None = None
    first_column: str | None = None

    @property
    def is_loaded(self) -> bool:
        """Whether rows of the file may be in the table."""
        return self.status != LOAD_FAILED

    def is_hidden_by(self, known: LoadRecord | None) -> bool:
        """Tell whether a failed load leaves an earlier one: rows of the file are in the table.

        Args:
            known: what is known of the same path, None for nothing.
        """
        if self.is_loaded or known is None:
            return False
        return known.is_loaded and known.is_of(self.size, self.modified_at)

    def is_of(self, size: int, modified_at: int) -> bool:
        """Tell whether the load was of the file as it is with a size and a time."""
        return (self.size, self.modified_at) == (size, modified_at)
