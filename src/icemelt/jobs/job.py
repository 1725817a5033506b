"""A job is a named loop in a thread of its own. No other module of icemelt makes threads.

A turn of the loop is one call of the job's work. Between turns the job waits for its period, or
until somebody wakes it. A turn that fails is logged with its consequence, and the next turn comes
after a pause that doubles with each failure: a job ends only when it is told to.

Threads of jobs are daemons: a process whose main thread ends does not wait for a turn. Whoever
needs the end of a turn, or a last deed, stops the job before.
"""

from __future__ import annotations

import contextlib
import logging
import math
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Self

from icemelt.errors import IcemeltError

__all__ = ["UNTIL_WOKEN", "Job", "do_once"]

UNTIL_WOKEN = math.inf
_FIRST_PAUSE = 0.1
_LONGEST_PAUSE = 30.0
# 2 to the power of more is longer than any pause
_MOST_DOUBLINGS = 16
_LOGGER = logging.getLogger("icemelt.jobs")


@dataclass(slots=True, eq=False)
class Job:
    """A loop that calls `work` until it is ended.

    Attributes:
        name: the name of the thread, and of the job in logs.
        work: one turn. It returns the seconds until the next turn, None for `every`.
        every: seconds between turns; `UNTIL_WOKEN` for a job that waits for `wake`.
        delay: seconds before the first turn.
        consequence: what a failed turn means for users, as a clause for the log.
        longest_pause: the most seconds between a failed turn and the next.
        at_end: what is done after the last turn, in the job's thread.
        until: an event of the owner that ends the job as well. A job with one is not woken.
        is_daemon: whether the process may end in the midst of a turn.
        is_woken: whether the last wait was ended by `wake`, and not by time.
        failures: turns that failed since the last one that did not.

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
    longest_pause: float = _LONGEST_PAUSE
    at_end: Callable[[], object] | None = None
    until: threading.Event | None = None
    is_daemon: bool = True
    is_woken: bool = field(default=False, init=False)
    failures: int = field(default=0, init=False)
    # A lock that is free while the job is to look: unlike an event's, its release needs no other
    # lock, so a signal handler and the garbage collector may wake a job, whatever they interrupt.
    _signal: threading.Lock = field(default_factory=threading.Lock, init=False)
    _is_ending: bool = field(default=False, init=False)
    _thread: threading.Thread | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self._signal.acquire()

    def start(self) -> Self:
        """Begin, unless the job has begun.

        Raises:
            RuntimeError: the machine gives the process no more threads, or the interpreter ends.
        """
        if self._thread is None:
            thread = threading.Thread(target=self._run, name=self.name, daemon=self.is_daemon)
            thread.start()
            self._thread = thread
        return self

    def try_start(self) -> bool:
        """Begin; False where no thread can be started, as at the interpreter's end."""
        try:
            self.start()
        except RuntimeError as error:
            _LOGGER.info("Job %s does not begin (%s); %s.", self.name, error, self.consequence)
            return False
        return True

    def wake(self) -> None:
        """Have the next turn come at once."""
        # released already: the job has not looked since
        with contextlib.suppress(RuntimeError):
            self._signal.release()

    def end(self) -> None:
        """Have no turn come after the present one, and do not wait for its end."""
        self._is_ending = True
        if self.until is not None:
            self.until.set()
        self.wake()

    def stop(self, seconds: float | None = None) -> bool:
        """End the job and wait for its end; False where it goes on after so many seconds."""
        self.end()
        self.join(seconds)
        if self.is_alive() and not self.is_own_thread:
            _LOGGER.warning("Job %s goes on %s s after it was to end.", self.name, seconds)
        return not self.is_alive()

    def join(self, seconds: float | None = None) -> None:
        """Wait for the job's end, at most for so many seconds."""
        if self._thread is not None and not self.is_own_thread:
            self._thread.join(seconds)

    def is_alive(self) -> bool:
        """Tell whether the job has begun and not ended."""
        return self._thread is not None and self._thread.is_alive()

    @property
    def is_ending(self) -> bool:
        """Whether the present turn is the last one."""
        return self._is_ending

    @property
    def is_own_thread(self) -> bool:
        """Whether the job itself asks."""
        return self._thread is threading.current_thread()

    @property
    def thread_id(self) -> int | None:
        """The identity of the job's thread, None before the job has begun."""
        return None if self._thread is None else self._thread.ident

    def _run(self) -> None:
        # whoever starts the job goes on before this thread does, or after
        self._thread = threading.current_thread()
        seconds = self.delay
        while self._wait(seconds):
            seconds = self._turn()
        if self.at_end is not None:
            self._try(self.at_end)

    def _wait(self, seconds: float) -> bool:
        """Wait for the next turn; False where there is none."""
        if self.until is not None:
            return not self.until.wait(None if seconds == math.inf else seconds)
        timeout = -1 if seconds == math.inf else min(max(seconds, 0.0), threading.TIMEOUT_MAX)
        self.is_woken = not self._is_ending and self._signal.acquire(timeout=timeout)
        return not self._is_ending

    def _turn(self) -> float:
        done, seconds = self._try(self.work)
        if not done:
            pause = _FIRST_PAUSE * float(1 << min(self.failures - 1, _MOST_DOUBLINGS))
            return min(pause, self.longest_pause)
        self.failures = 0
        return self.every if seconds is None else seconds

    def _try(self, work: Callable[[], object]) -> tuple[bool, float | None]:
        """Do something and log where it fails; return whether it was done, and what it gave."""
        try:
            given = work()
        except IcemeltError as error:
            self.failures += 1
            _LOGGER.info("Job %s failed; %s: %s", self.name, self.consequence, error.message)
        except Exception:
            # the thread has nobody above it, and what it is there for would not be done any more
            self.failures += 1
            _LOGGER.exception("Job %s failed; %s.", self.name, self.consequence)
        else:
            return True, given if isinstance(given, int | float) else None
        return False, None


def do_once(
    name: str,
    work: Callable[[], object],
    *,
    delay: float = 0.0,
    consequence: str = "it is not done",
    is_daemon: bool = True,
) -> Job:
    """Return a job, not begun, of a single turn: something that is done in the background, once.

    Args:
        name: the name of the thread.
        work: what is done. Where it fails it is not done again.
        delay: seconds before it is done; until then `end` has it not done at all.
        consequence: what a failure means for users, as a clause for the log.
        is_daemon: whether the process may end before it is done.

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
