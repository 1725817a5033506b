"""A line on the terminal during long work, removed at the end."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from icemelt.errors import IcemeltError
from icemelt.jobs import Job
from icemelt.observe.emitting import tolerate

if TYPE_CHECKING:
    from rich.console import Console

    from icemelt.session import Session

__all__ = ["SparkProgress", "spark_work", "watching"]

_PATIENCE_SECONDS = 0.5
_REFRESH_SECONDS = 0.2
_BAR_WIDTH = 24


@dataclass(frozen=True, slots=True)
class SparkProgress:
    """How far Spark's running jobs are: tasks and stages, done and in all."""

    tasks_done: int
    tasks: int
    stages_done: int
    stages: int


def spark_work(session: Session) -> SparkProgress | None:
    """Return how far the session's running jobs are, None without a running job."""
    from icemelt.session.runtime.spark_errors import translated  # noqa: PLC0415 - loads Spark

    tolerating = tolerate(IcemeltError, to="show how far Spark is", is_usual=True)
    with tolerating, translated(session.spark):
        tracker = session.spark.sparkContext.statusTracker()
        jobs = [tracker.getJobInfo(job) for job in session.running_jobs()]
        ids = [stage for job in jobs if job is not None for stage in job.stageIds]
        stages = [stage for stage in map(tracker.getStageInfo, ids) if stage is not None]
        if stages:
            return SparkProgress(
                sum(stage.numCompletedTasks for stage in stages),
                sum(stage.numTasks for stage in stages),
                sum(stage.numCompletedTasks >= stage.numTasks for stage in stages),
                len(ids),
            )
    return None


@contextlib.contextmanager
def watching(
    console: Console, label: str, work: Callable[[], SparkProgress | None] = lambda: None
) -> Iterator[None]:
    """Show label, time and finished work while the block runs, after half a second.

    Nothing is shown on a console without a terminal.

    Args:
        console: the terminal.
        label: the text before the time.
        work: returns how far the work is, None where unknown.

    >>> import io
    >>> from rich.console import Console
    >>> with watching(Console(file=io.StringIO()), "Running"):
    ...     pass
    """
    if not console.is_terminal or console.is_dumb_terminal:
        yield
        return
    line = _ProgressLine(console, label, work)
    job = Job(
        "icemelt-progress",
        line.show,
        every=_REFRESH_SECONDS,
        delay=_PATIENCE_SECONDS,
        consequence="the progress of the work is not shown",
        at_end=line.remove,
    ).start()
    try:
        yield
    finally:
        job.stop()


@dataclass(slots=True)
class _ProgressLine:
    """The line; `progress` and its parts are made when the line is first shown."""

    console: Console
    label: str
    work: Callable[[], SparkProgress | None]
    began: float = field(default_factory=time.monotonic)
    progress: Any = None
    columns: tuple[Any, ...] = ()
    bar: Any = None
    task: Any = None

    def show(self) -> None:
        """Draw the line's present state."""
        if self.progress is None:
            self._begin()
        now = self.work()
        words = _describe(now, time.monotonic() - self.began)
        total = None if now is None else now.tasks
        completed = 0 if now is None else now.tasks_done
        if now is not None and len(self.progress.columns) == len(self.columns):
            *text, words_column = self.columns
            self.progress.columns = (*text, self.bar, words_column)
        self.progress.update(self.task, total=total, completed=completed, words=words)
        self.progress.refresh()

    def remove(self) -> None:
        """Remove the line, if shown."""
        if self.progress is not None:
            self.progress.stop()

    def _begin(self) -> None:
        from rich.progress import (  # noqa: PLC0415 - long work only
            BarColumn,
            Progress,
            SpinnerColumn,
            TextColumn,
        )

        text = (SpinnerColumn(), TextColumn("{task.description}", markup=False))
        self.columns = (*text, TextColumn("[dim]{task.fields[words]}"))
        self.bar = BarColumn(bar_width=_BAR_WIDTH)
        self.progress = Progress(
            *self.columns, console=self.console, transient=True, auto_refresh=False
        )
        self.progress.start()
        self.task = self.progress.add_task(self.label, total=None, words="")


def _describe(work: SparkProgress | None, seconds: float) -> str:
    """Return the work in words.

    >>> _describe(SparkProgress(12, 200, 1, 3), 4.26)
    '12 of 200 tasks · stage 2 of 3 · 4.3 s'
    """
    if work is None:
        return f"{seconds:.1f} s"
    stage = min(work.stages_done + 1, work.stages)
    tasks = f"{work.tasks_done:,} of {work.tasks:,} tasks"
    return f"{tasks} · stage {stage} of {work.stages} · {seconds:.1f} s"
