"""The Spark jobs of a session, and their end: by Ctrl-C, or from another thread."""

from __future__ import annotations

import contextlib
import signal
import threading
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from py4j.protocol import Py4JError
from pyspark.sql import SparkSession

from icemelt.errors import IcemeltError, SparkDied, StatementCancelled
from icemelt.session.spark_errors import translated

__all__ = ["Jobs"]

_PYSPARK = "pyspark.core.context"


@dataclass(slots=True)
class _Block:
    """What runs now; its jobs are in a group of their own, since a cancelled group stays so."""

    group: str = field(default_factory=lambda: str(uuid.uuid4()))
    cancelled: threading.Event = field(default_factory=threading.Event)
    interrupted: threading.Event = field(default_factory=threading.Event)


@dataclass(frozen=True, slots=True)
class Jobs:
    """The jobs of one session.

    Those that a user starts from its data frames are in the job group named by its id.
    """

    spark: SparkSession
    session_id: str
    _blocks: list[_Block] = field(default_factory=list)

    @contextlib.contextmanager
    def of(self, statement_id: str) -> Iterator[None]:
        """Run a block's jobs for a statement; Spark's errors are raised as icemelt's.

        Raises:
            StatementCancelled: `cancel` was called meanwhile.
            KeyboardInterrupt: Ctrl-C was pressed; the jobs are cancelled.
        """
        block = _Block()
        self._blocks.append(block)
        try:
            with self._interruptible(block), translated(self.spark):
                self._name(block.group, statement_id)
                yield
        except (IcemeltError, Py4JError, OSError) as error:
            _refuse_interrupted(block, error)
            if block.cancelled.is_set() and not isinstance(error, SparkDied | StatementCancelled):
                raise StatementCancelled(
                    "The statement was cancelled.", hint="Nothing of it was kept."
                ) from error
            raise
        finally:
            self._blocks.remove(block)
            with contextlib.suppress(Py4JError, OSError):
                self._name(self.session_id, "")
        _refuse_interrupted(block)

    def cancel(self) -> None:
        """Cancel what runs now, and the jobs that it has not started yet."""
        with translated(self.spark):
            for block in tuple(self._blocks):
                self._cancel(block)
            self.spark.sparkContext.cancelJobGroup(self.session_id)

    def running(self) -> list[int]:
        """Return the ids of the jobs that run now."""
        with translated(self.spark):
            tracker = self.spark.sparkContext.statusTracker()
            groups = [self.session_id, *(block.group for block in tuple(self._blocks))]
            mine = {job for group in groups for job in tracker.getJobIdsForGroup(group)}
            return sorted(mine.intersection(tracker.getActiveJobsIds()))

    def _name(self, group: str, description: str) -> None:
        self.spark.sparkContext.setJobGroup(group, description, interruptOnCancel=True)

    def _cancel(self, block: _Block) -> None:
        """Cancel a block's jobs, also the next ones: what is being planned has none yet."""
        block.cancelled.set()
        self.spark.sparkContext._jsc.sc().cancelJobGroupAndFutureJobs(block.group)

    @contextlib.contextmanager
    def _interruptible(self, block: _Block) -> Iterator[None]:
        """Have Ctrl-C cancel the block's jobs, unless the application handles it in its own way.

        Java is told by another thread, for this one's connection waits for an answer; and told at
        once, for PySpark waits for the end of a job that it collects before it goes on.
        """
        before = signal.getsignal(signal.SIGINT)
        in_main_thread = threading.current_thread() is threading.main_thread()
        if not in_main_thread or not _is_usual(before):
            yield
            return

        def cancel() -> None:
            with contextlib.suppress(Py4JError, OSError):
                self._cancel(block)

        def interrupt(_number: int, _frame: Any) -> None:
            block.interrupted.set()
            threading.Thread(target=cancel, name="icemelt-cancel", daemon=True).start()
            raise KeyboardInterrupt

        signal.signal(signal.SIGINT, interrupt)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)


def _is_usual(handler: Any) -> bool:
    """Tell whether a handler of Ctrl-C is Python's, or the one that PySpark sets in its place."""
    return handler is signal.default_int_handler or getattr(handler, "__module__", None) == _PYSPARK


def _refuse_interrupted(block: _Block, error: Exception | None = None) -> None:
    """Raise the interrupt where another error has taken its place on the way out."""
    if block.interrupted.is_set():
        raise KeyboardInterrupt from error
