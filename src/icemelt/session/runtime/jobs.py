"""The Spark jobs of a session: named by statement, cancelled by Ctrl-C or from another thread."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from py4j.protocol import Py4JError
from pyspark.sql import SparkSession

from icemelt.engine.local_rows import cancel_driver_runs
from icemelt.errors import IcemeltError, SparkDied, StatementCancelled
from icemelt.jobs import Job
from icemelt.session.runtime.job_events import JobWork, emit_jobs, measure_jobs
from icemelt.session.runtime.spark_errors import translated
from icemelt.spark_java import java_context
from icemelt.sql.effort import check_cancellation_with

__all__ = ["Jobs", "cancelled_error"]

# Spark does not say when an interrupted query starts its last job: cancel for five seconds
_CANCEL_EVERY_SECONDS, _CANCELS_AFTER_END = 0.2, 25
_PYSPARK_MODULE = "pyspark.core.context"


@dataclass(slots=True)
class _Block:
    """A running block with a job group of its own: a cancelled group stays cancelled."""

    statement_id: str
    group: str = field(default_factory=lambda: str(uuid.uuid4()))
    cancelled: threading.Event = field(default_factory=threading.Event)
    interrupted: threading.Event = field(default_factory=threading.Event)
    ended: threading.Event = field(default_factory=threading.Event)


@dataclass(frozen=True, slots=True)
class Jobs:
    """The Spark jobs of one session.

    Jobs that a user starts from the session's data frames have the session's id as their job group.

    Attributes:
        spark: the Spark session.
        session_id: the session's id.
        pool: the pool of Spark's fair scheduler, empty for the application's default.
    """

    spark: SparkSession
    session_id: str
    pool: str = ""
    _blocks: list[_Block] = field(default_factory=list)
    _refused: threading.Event = field(default_factory=threading.Event)
    _publishing: threading.Event = field(default_factory=threading.Event)
    _turn: threading.Lock = field(default_factory=threading.Lock)

    @contextlib.contextmanager
    def of(self, statement_id: str) -> Iterator[None]:
        """Run a block whose Spark jobs belong to a statement; raise Spark's errors as icemelt's.

        Raises:
            StatementCancelled: `cancel` was called during the block.
            KeyboardInterrupt: Ctrl-C was pressed; the jobs are cancelled.
        """
        block = _Block(statement_id)
        self._blocks.append(block)
        try:
            if self._refused.is_set():
                raise cancelled_error()
            if len(self._blocks) == 1:
                self._publishing.clear()
            with (
                self._interruptible(block),
                translated(self.spark),
                check_cancellation_with(self.raise_if_cancelled),
            ):
                self._name(block.group, statement_id)
                yield
        except (IcemeltError, Py4JError, OSError) as error:
            _raise_if_interrupted(block, error)
            if block.cancelled.is_set() and not isinstance(error, SparkDied | StatementCancelled):
                raise cancelled_error() from error
            raise
        finally:
            self._blocks.remove(block)
            block.ended.set()
            emit_jobs(self.spark, block.group, statement_id)
            # AttributeError: a context that was stopped has no `_jsc`
            with contextlib.suppress(Py4JError, OSError, AttributeError):
                self._name_after()
        _raise_if_interrupted(block)

    def cancel(self, *, for_good: bool = False) -> None:
        """Cancel the running blocks, with all jobs still to start there.

        With `for_good`, later blocks are refused as cancelled.
        """
        if for_good:
            with self._turn:
                self._refused.set()
        for block in tuple(self._blocks):
            block.cancelled.set()
            self._end(block)
        if for_good:
            # a Spark that died runs nothing, so its error is ignored
            self._cancel_group(self.session_id)
            return
        with translated(self.spark):
            self.spark.sparkContext.cancelJobGroup(self.session_id)

    def work(self) -> JobWork:
        """Return what the jobs of the running block have done so far."""
        return measure_jobs(self.spark, self._blocks[-1].group)

    def begin_publishing(self) -> None:
        """Mark a statement as about to be published, after which a cancel for good comes too late.

        Raises:
            StatementCancelled: the session was cancelled for good before.
        """
        with self._turn:
            if self._refused.is_set() and not self._publishing.is_set():
                raise cancelled_error()
            self._publishing.set()

    def raise_if_cancelled(self) -> None:
        """Raise if the running statement was cancelled.

        Long work in Python calls this again and again.

        Raises:
            StatementCancelled: the statement was cancelled.
        """
        if self._refused.is_set() or any(block.cancelled.is_set() for block in self._blocks):
            raise cancelled_error()

    @property
    def publishes_nothing(self) -> bool:
        """Whether the session was cancelled for good before the statement began to publish."""
        with self._turn:
            return self._refused.is_set() and not self._publishing.is_set()

    def running(self) -> list[int]:
        """Return the ids of the running Spark jobs."""
        with translated(self.spark):
            tracker = self.spark.sparkContext.statusTracker()
            groups = [self.session_id, *(block.group for block in tuple(self._blocks))]
            mine = {job for group in groups for job in tracker.getJobIdsForGroup(group)}
            return sorted(mine.intersection(tracker.getActiveJobsIds()))

    def _name_after(self) -> None:
        """Give later jobs to the block around the one that ended, or to the session."""
        if self._blocks:
            self._name(self._blocks[-1].group, self._blocks[-1].statement_id)
        else:
            self._name(self.session_id, "")

    def _name(self, group: str, description: str) -> None:
        self.spark.sparkContext.setJobGroup(group, description, interruptOnCancel=True)
        if self.pool:
            self.spark.sparkContext.setLocalProperty("spark.scheduler.pool", self.pool)

    def _end(self, block: _Block) -> None:
        """Cancel a block's jobs repeatedly, in a thread: this thread may be inside a Java call.

        One cancel is not enough. Spark refuses later jobs of a cancelled group, but not later
        stages of a query whose plan adapts. After Ctrl-C Java may still plan the query when Python
        has gone on.
        """

        def cancel() -> None:
            self._cancel_group(block.group)

        def cancel_afterwards() -> None:
            for _ in range(_CANCELS_AFTER_END if block.interrupted.is_set() else 0):
                self._cancel_group(block.group)
                time.sleep(_CANCEL_EVERY_SECONDS)

        Job(
            "icemelt-cancel",
            cancel,
            every=_CANCEL_EVERY_SECONDS,
            consequence="Spark goes on with a statement that was cancelled, and is asked again",
            at_end=cancel_afterwards,
            until=block.ended,
        ).start()

    def _cancel_group(self, group: str) -> None:
        # AttributeError: a context that was stopped has no `_jsc`
        with contextlib.suppress(Py4JError, OSError, AttributeError):
            java_context(self.spark).cancelJobGroupAndFutureJobs(group)
            cancel_driver_runs(self.spark, group)

    @contextlib.contextmanager
    def _interruptible(self, block: _Block) -> Iterator[None]:
        """Let Ctrl-C cancel the block's jobs at once, unless the application handles Ctrl-C.

        PySpark would wait for the end of a job whose rows are being collected.
        """
        before = signal.getsignal(signal.SIGINT)
        in_main_thread = threading.current_thread() is threading.main_thread()
        if not in_main_thread or not _is_default_handler(before):
            yield
            return

        def interrupt(_number: int, _frame: Any) -> None:
            block.interrupted.set()
            self._end(block)
            raise KeyboardInterrupt

        signal.signal(signal.SIGINT, interrupt)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)


def _is_default_handler(handler: Any) -> bool:
    """Tell whether a SIGINT handler is Python's default, or the handler of PySpark."""
    return (
        handler is signal.default_int_handler
        or getattr(handler, "__module__", None) == _PYSPARK_MODULE
    )


def cancelled_error() -> StatementCancelled:
    """Return the error of a cancelled statement."""
    return StatementCancelled("The statement was cancelled.", hint="Nothing of it was kept.")


def _raise_if_interrupted(block: _Block, error: Exception | None = None) -> None:
    """Raise KeyboardInterrupt if Ctrl-C was pressed but a different error was raised."""
    if block.interrupted.is_set():
        raise KeyboardInterrupt from error
