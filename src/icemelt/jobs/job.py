"""A job is a named loop in a thread of its own. No other module of icemelt makes threads.

Many jobs with little to do share the threads of a pool: `icemelt.jobs.pool`.

A turn of the loop is one call of the job's work. Between turns the job waits for its period, or for
a call of `wake`. A failed turn is logged with its consequence, and the next turn comes after a
pause. The pause doubles with every failure. A failure never ends a job: only `end` does.

Threads of jobs are daemons: a process whose main thread ends does not wait for a turn. An owner in
need of the end of a turn, or of a last action, stops the job before.
"""

from __future__ import annotations

import contextlib
import logging
import math
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Self

from icemelt.errors import NoThreads
from icemelt.jobs.attempts import LONGEST_PAUSE, Attempts

__all__ = ["UNTIL_WOKEN", "Job", "do_once", "no_threads"]

UNTIL_WOKEN = math.inf
_LOGGER = logging.getLogger("icemelt.jobs")


@dataclass(slots=True, eq=False)
class Job:
    """A loop that calls `work` until the owner ends the loop.

    Attributes:
        name: the name of the thread, and of the job in logs.
        work: one turn. Returns the seconds until the next turn, None for `every`.
        every: seconds between turns; `UNTIL_WOKEN` for a job that waits for `wake`.
        delay: seconds before the first turn.
        consequence: what a failed turn means for users, as a clause for the log.
        longest_pause: the most seconds between a failed turn and the next.
        at_end: what is done after the last turn, in the job's thread.
        until: an event of the owner that ends the job as well. A job with an event is not woken.
        is_daemon: whether the process may end in the midst of a turn.
        is_woken: whether the last wait was ended by `wake`, and not by time.

    >>> turns = []
    >>> job = Job("example", lambda: turns.append(len(turns)), every=0.01).start()
    >>> while len(turns) < 3:
    ...     job.join(0.01)
    >>> job.stop(5), job.is_alive()
    (True, False)
    """

    name: str
    work: Callable[[], float | None]
    every: float = UNTIL_WOKEN
    delay: float = 0.0
    consequence: str = "it is tried again"
    longest_pause: float = LONGEST_PAUSE
    at_end: Callable[[], object] | None = None
    until: threading.Event | None = None
    is_daemon: bool = True
    is_woken: bool = field(default=False, init=False)
    _attempts: Attempts = field(init=False)
    # Released when the job has to look. Unlike the release of an event, this release needs no other
    # lock: a signal handler or the garbage collector may wake a job, whatever was interrupted.
    _signal: threading.Lock = field(default_factory=threading.Lock, init=False)
    _is_ending: bool = field(default=False, init=False)
    _thread: threading.Thread | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self._signal.acquire()
        self._attempts = Attempts(self.name, self.consequence, self.longest_pause)

    def start(self) -> Self:
        """Start the job, unless started already.

        Raises:
            NoThreads: the machine gives the process no more threads, or the interpreter ends.
        """
        if self._thread is None:
            thread = threading.Thread(target=self._run, name=self.name, daemon=self.is_daemon)
            try:
                thread.start()
            except RuntimeError as error:
                raise no_threads(error) from error
            self._thread = thread
        return self

    def try_start(self) -> bool:
        """Start the job; return False where no thread can start, as at the interpreter's end."""
        try:
            self.start()
        except NoThreads as error:
            told = self.name, self.consequence, error.message
            _LOGGER.info("Job %s does not begin; %s: %s", *told)
            return False
        return True

    def wake(self) -> None:
        """Have the next turn come at once."""
        # released already: the job has not looked since
        with contextlib.suppress(RuntimeError):
            self._signal.release()

    def end(self) -> None:
        """Have no further turn; do not wait for the end of the present turn."""
        self._is_ending = True
        if self.until is not None:
            self.until.set()
        self.wake()

    def stop(self, seconds: float | None = None) -> bool:
        """End the job and wait; return False if the job is still alive after `seconds`."""
        self.end()
        self.join(seconds)
        if self.is_alive() and not self.is_own_thread:
            _LOGGER.warning("Job %s goes on %s s after it was to end.", self.name, seconds)
        return not self.is_alive()

    def join(self, seconds: float | None = None) -> None:
        """Wait for the job's end, at most for `seconds`."""
        if self._thread is not None and not self.is_own_thread:
            self._thread.join(seconds)

    def is_alive(self) -> bool:
        """Return whether the job has started and not ended."""
        return self._thread is not None and self._thread.is_alive()

    @property
    def failures(self) -> int:
        """The failed turns since the last turn without a failure."""
        return self._attempts.failures

    @property
    def is_ending(self) -> bool:
        """Whether the present turn is the last one."""
        return self._is_ending

    @property
    def is_own_thread(self) -> bool:
        """Whether the caller runs in the job's own thread."""
        return self._thread is threading.current_thread()

    @property
    def thread_id(self) -> int | None:
        """The identity of the job's thread, None before the start."""
        return None if self._thread is None else self._thread.ident

    def _run(self) -> None:
        # whoever starts the job goes on before this thread does, or after
        """Take turns until the job ends; the thread's main function."""
        self._thread = threading.current_thread()
        seconds = self.delay
        while self._wait(seconds):
            seconds = self._attempts.take_turn(self.work, self.every)
        if self.at_end is not None:
            self._attempts.run(self.at_end)

    def _wait(self, seconds: float) -> bool:
        """Wait for the next turn; return False where no turn comes."""
        if self.until is not None:
            return not self.until.wait(None if seconds == math.inf else seconds)
        timeout = -1 if seconds == math.inf else min(max(seconds, 0.0), threading.TIMEOUT_MAX)
        self.is_woken = not self._is_ending and self._signal.acquire(timeout=timeout)
        return not self._is_ending


def no_threads(error: RuntimeError) -> NoThreads:
    """Return icemelt's error for Python's error of a thread that cannot start.

    >>> no_threads(RuntimeError("can't start new thread")).message
    "The machine gives this process no more threads: can't start new thread."
    """
    return NoThreads(
        f"The machine gives this process no more threads: {error}.",
        hint="Try again a little later. Raise the limit where it stays so: ulimit -u, TasksMax of "
        "a service, the pids limit of a container.",
    )


def do_once(
    name: str,
    work: Callable[[], object],
    *,
    delay: float = 0.0,
    consequence: str = "it is not done",
    is_daemon: bool = True,
) -> Job:
    """Return a job of a single turn, not started.

    Args:
        name: the name of the thread.
        work: the work. A failure is not repeated.
        delay: seconds before the work; a call of `end` before prevents the work.
        consequence: what a failure means for users, as a clause for the log.
        is_daemon: whether the process may end before the work is done.

    >>> done = []
    >>> do_once("example", lambda: done.append("once")).start().join()
    >>> done
    ['once']
    """

    def turn() -> None:
        job.end()
        work()

    job = Job(name, turn, delay=delay, consequence=consequence, is_daemon=is_daemon)
    return job
