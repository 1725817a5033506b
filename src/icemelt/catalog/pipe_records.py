"""The registry's records of pipes besides the definition: queued files, and what was done last."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["PipeState", "QueuedFile"]


@dataclass(frozen=True, slots=True)
class QueuedFile:
    """A file that a pipe has found and not loaded yet, as it was when found.

    Args:
        path: the path in the load history.
        name: the path below the pipe's location.
        size: the size in bytes.
        modified_at: when the file was last modified, in milliseconds since 1970.
    """

    path: str
    name: str
    size: int
    modified_at: int


@dataclass(frozen=True, slots=True)
class PipeState:
    """The queue of a pipe, the last file that it loaded, and the error of its last run.

    Times are in milliseconds since 1970.

    Args:
        pending: how many files wait in the queue.
        oldest_name: the name of the file that waits longest, None for an empty queue.
        oldest_at: when that file was queued.
        ingested_name: the name of the last loaded file, None before the first.
        ingested_at: when that file was loaded.
        error: why the last run has left files, None where it has left none.
        error_at: when that was first noted.
    """

    pending: int = 0
    oldest_name: str | None = None
    oldest_at: int | None = None
    ingested_name: str | None = None
    ingested_at: int | None = None
    error: str | None = None
    error_at: int | None = None
