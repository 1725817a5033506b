"""The command line's session: opened in a thread, run with a progress line, cancelled by Ctrl-C."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING

from icemelt.cli.outcome import Outcome, run
from icemelt.cli.progress import spark_work, watching
from icemelt.cli.worker import Worker
from icemelt.errors import IcemeltError, SparkDied, StatementCancelled

if TYPE_CHECKING:
    from rich.console import Console

    from icemelt.cli.lake import Lake
    from icemelt.session import Session

__all__ = ["BackgroundSession", "Start", "error_console"]

_LABEL_LENGTH = 40
_NARROWEST = 20
_ROOM = 4


@dataclass(frozen=True, slots=True)
class Start:
    """How a session starts.

    Args:
        lake: the lake.
        database: the current database, None for the default.
        schema: the current schema, None for the default.
        maintain_every: seconds between runs of maintenance, None for none.
    """

    lake: Lake
    database: str | None = None
    schema: str | None = None
    maintain_every: float | None = 3600

    def open(self) -> Session:
        """Open the session."""
        return self.lake.open(self.database, self.schema, maintain_every=self.maintain_every)


class BackgroundSession:
    """An open session, or a session being opened."""

    def __init__(self, start: Start) -> None:
        """Begin to open the session in the background."""
        self._start = start
        self._worker = Worker()
        self.opening: Future[Session] = self._worker.start(start.open)
        self._task: Future[Outcome] | None = None

    @property
    def is_open(self) -> bool:
        """Whether the session is ready for use."""
        return self.opening.done() and self.opening.exception() is None

    @property
    def has_failed(self) -> bool:
        """Whether the session could not be opened."""
        return self.opening.done() and self.opening.exception() is not None

    def session(self) -> Session:
        """Return the session; show a progress line while Spark starts.

        Raises:
            IcemeltError: the session could not be opened.
            KeyboardInterrupt: Ctrl-C was pressed; the opening goes on.
        """
        if not self.opening.done():
            with watching(error_console(), "Starting Spark"):
                return self.opening.result()
        return self.opening.result()

    def run(self, text: str, limit: int | None = None) -> Outcome | BaseException:
        """Return a statement's outcome, or the statement's error; Ctrl-C cancels the statement.

        Raises:
            IcemeltError: the session could not be opened.
        """
        session = self.session()
        task = self._worker.start(lambda: run(session, text, limit))
        self._task = task
        was_cancelled = threading.Event()

        def cancel() -> None:
            was_cancelled.set()
            session.cancel()

        with watching(error_console(), _label(text), lambda: spark_work(session)):
            outcome = self._worker.wait(task, cancel)
        if was_cancelled.is_set() and isinstance(outcome, IcemeltError):
            return _make_cancelled_error(outcome)
        return _make_died_error(outcome, session) if isinstance(outcome, BaseException) else outcome

    def reopen(self) -> None:
        """Begin to open a new session in place of a session whose Spark died."""
        self.opening = self._worker.start(self._start.open)

    def close(self) -> None:
        """Close the session, if open."""
        if self.is_open:
            task = self._worker.start(self.opening.result().close)
            with contextlib.suppress(KeyboardInterrupt):
                task.result()
        self._worker.close()

    def leave(self, code: int) -> int:
        """Close everything, and return an exit code.

        While Spark starts, or a statement does not end, the process exits at once. Java ends with
        the process.
        """
        if not self.opening.done() or (self._task is not None and not self._task.done()):
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
        self.close()
        return code


def error_console() -> Console:
    """Return a console on the current standard error.

    The console leaves room at the end of the line for `^C`. Without room the terminal would begin a
    new line at Ctrl-C.
    """
    from rich.console import Console  # noqa: PLC0415 - not needed for --help

    console = Console(file=sys.stderr)
    console.width = max(_NARROWEST, console.width - _ROOM)
    return console


def _make_cancelled_error(error: IcemeltError) -> IcemeltError:
    """Return a short error for a cancelled statement, in place of Spark's long message."""
    if isinstance(error, SparkDied | StatementCancelled):
        return error
    return StatementCancelled("The statement was cancelled.", hint="Nothing of it was kept.")


def _make_died_error(error: BaseException, session: Session) -> BaseException:
    """Return the error of a dead Spark if Spark's death is the reason for an error."""
    from icemelt.engine.start.launch import is_alive  # noqa: PLC0415 - loaded with the session

    if isinstance(error, IcemeltError) or is_alive(session.spark):
        return error
    return SparkDied(
        "The Java process of Spark is gone, and this session with it.",
        hint="Run the statement again; nothing uncommitted was kept.",
    )


def _label(text: str) -> str:
    r"""Return the beginning of a statement on one line.

    >>> _label("SELECT *\n  FROM orders")
    'SELECT * FROM orders'
    """
    line = " ".join(text[: 10 * _LABEL_LENGTH].split())
    return line if len(line) <= _LABEL_LENGTH else line[: _LABEL_LENGTH - 1] + "…"
