"""What a session gives of a scheduler of tasks; `icemelt.session.tasks.scheduler` has the work."""

from __future__ import annotations

from types import TracebackType
from typing import Protocol, Self

__all__ = ["TaskScheduler"]


class TaskScheduler(Protocol):
    """Runs tasks in threads of this process, from the begin of a `with` block to its end."""

    @property
    def running(self) -> int:
        """How many runs it executes now."""
        ...

    def stop(self, drain_seconds: float | None = None) -> bool:
        """Begin no further run, wait for those under way, and stop them where they take too long.

        Args:
            drain_seconds: how long they may take, None for 30 seconds.

        Returns:
            whether all threads have ended.
        """
        ...

    def __enter__(self) -> Self:
        """Start the threads."""
        ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Stop."""
        ...
