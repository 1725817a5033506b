"""A thread for calls of Spark: Ctrl-C reaches the main thread at once."""

from __future__ import annotations

import concurrent.futures
import contextlib
from collections.abc import Callable
from typing import TypeVar

__all__ = ["Abandoned", "Worker"]

_REPEAT_SECONDS = 0.3
_PRESSES_TO_LEAVE = 3

T = TypeVar("T")


class Abandoned(KeyboardInterrupt):
    """The user pressed Ctrl-C often enough to stop waiting."""


class Worker:
    """Runs tasks in turn, in one separate thread."""

    def __init__(self) -> None:
        """Prepare the thread; the first task starts the thread."""
        self._pool = concurrent.futures.ThreadPoolExecutor(1, thread_name_prefix="icemelt-worker")

    def start(self, task: Callable[[], T]) -> concurrent.futures.Future[T]:
        """Queue a task after all earlier tasks.

        >>> Worker().start(lambda: 1).result()
        1
        """
        return self._pool.submit(task)

    def wait(
        self, task: concurrent.futures.Future[T], cancel: Callable[[], None]
    ) -> T | BaseException:
        """Return a task's result, or the task's error; Ctrl-C calls `cancel`.

        After the first Ctrl-C `cancel` is called again and again until the task ends: a statement
        in planning has no job to cancel yet.

        Args:
            task: a task of `start`.
            cancel: cancels the running statement.

        Raises:
            Abandoned: Ctrl-C was pressed three times and the task has not ended.

        >>> worker = Worker()
        >>> worker.wait(worker.start(lambda: 1 / 0), lambda: None)
        ZeroDivisionError('division by zero')
        """
        presses = 0
        while not task.done():
            try:
                if presses:
                    cancel()
                concurrent.futures.wait([task], timeout=_REPEAT_SECONDS if presses else None)
            except KeyboardInterrupt:
                presses += 1
            if presses >= _PRESSES_TO_LEAVE:
                raise Abandoned
        return task.exception() or task.result()

    def close(self) -> None:
        """Start no further task."""
        with contextlib.suppress(RuntimeError):
            self._pool.shutdown(wait=False, cancel_futures=True)
