"""The limits of statements that clients submit."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["StatementLimits"]


@dataclass(frozen=True, slots=True)
class StatementLimits:
    """The limits of statements.

    - `waiting`: the number of statements running or waiting; one key may have half of the number.
    - `timeout`: the longest run in seconds, 0 is without end; a key may have a timeout of its own.
    - `most_rows`, `most_bytes`: the limits of one result.
    - `most_kept_bytes`: the limit of all kept results; keys have equal shares where all is taken.
    - `most_waiting_bytes`: the limit of one key's texts and parameters that run or wait.
    - `most_done_bytes`: the limit of one key's kept outcomes, without rows.
    - `kept_seconds`: the time rows are kept after the last request for rows.
    - `by_key`: whether keys have shares; if not, everybody has the same key, which may run all.
    """

    waiting: int = 200
    timeout: float = 3600.0
    most_rows: int = 1_000_000
    most_bytes: int = 256 << 20
    most_kept_bytes: int = 4 << 30
    most_waiting_bytes: int = 64 << 20
    most_done_bytes: int = 8 << 20
    kept_seconds: float = 600.0
    by_key: bool = True
