"""A pool of a few threads for many jobs, whose owners take turns.

A job of a pool is a loop like a `Job`, and has no thread of its own. Between turns the job waits
for its time, or for a call of `wake`; then the job stands in line for a free thread. No two turns
of a job run at once.

Example: six threads, and a key with 800 due tables beside a key with one due table.

    free threads   next turn
    6              a table of the first key
    5              the table of the second key, before 799 others
    4              a table of the first key, and so on
"""

from __future__ import annotations

import heapq
import itertools
import math
import threading
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import Self

from icemelt.errors import NoThreads
from icemelt.jobs.attempts import Attempts
from icemelt.jobs.fair_line import FairLine
from icemelt.jobs.job import UNTIL_WOKEN, Job

__all__ = ["JobPool", "PooledJob"]

_NOBODY = ("",)
# the entries of the jobs' times that are kept beyond four of each job
_MOST_ENTRIES = 64
# the most seconds of a wait that the system takes
_LONGEST_WAIT = threading.TIMEOUT_MAX


@dataclass(slots=True, eq=False)
class JobPool:
    """A number of threads that take the turns of any number of jobs.

    Attributes:
        name: the beginning of the threads' names.
        size: the number of threads.
        spare: if at most so many threads are free, only an owner without a running job has a turn.

    >>> pool, turns = JobPool("example", size=2), []
    >>> jobs = [pool.add(f"job {n}", lambda n=n: turns.append(n), every=60) for n in range(3)]
    >>> while len(turns) < 3:
    ...     time.sleep(0.01)
    >>> sorted(turns), pool.stop(5)
    ([0, 1, 2], True)
    """

    name: str
    size: int
    spare: int = 0
    _lock: threading.RLock = field(default_factory=threading.RLock, init=False)
    _changed: threading.Condition = field(init=False)
    _ended: threading.Condition = field(init=False)
    _line: FairLine[PooledJob] = field(init=False)
    _jobs: set[PooledJob] = field(default_factory=set, init=False)
    # the jobs that wait for a time; an entry counts only with the job's present time
    _times: list[tuple[float, int, PooledJob]] = field(default_factory=list, init=False)
    _numbers: Iterator[int] = field(default_factory=itertools.count, init=False)
    _threads: list[Job] = field(default_factory=list, init=False)
    _is_over: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self._changed = threading.Condition(self._lock)
        self._ended = threading.Condition(self._lock)
        self._line = FairLine(self.size, self.spare)

    def start(self) -> Self:
        """Start the threads now, and not with the first job; fewer threads are enough.

        Raises:
            NoThreads: the process gets no thread at all.
        """
        with self._lock:
            while len(self._threads) < self.size and self._start_thread():
                pass
        return self

    def add(
        self,
        name: str,
        work: Callable[[], float | None],
        *,
        every: float = UNTIL_WOKEN,
        delay: float = 0.0,
        owners: Callable[[], Collection[str]] = lambda: _NOBODY,
        consequence: str = "it is tried again",
    ) -> PooledJob:
        """Return a new job of the pool, which waits for its first turn.

        Args:
            name: the name of the job in logs.
            work: one turn. Returns the seconds until the next turn, None for `every`.
            every: seconds between turns; `UNTIL_WOKEN` for a job that waits for `wake`.
            delay: seconds before the first turn.
            owners: returns the owners of the next turn. Called while the pool is locked: the
                function takes no lock and waits for nothing.
            consequence: what a failed turn means for users, as a clause for the log.

        Raises:
            NoThreads: the process gets no thread for the pool.
        """
        self.start()
        job = PooledJob(self, work, every, owners, Attempts(name, consequence))
        with self._lock:
            self._jobs.add(job)
            self._schedule(job, time.monotonic() + delay)
        return job

    def do_once(
        self,
        name: str,
        work: Callable[[], object],
        *,
        delay: float = 0.0,
        consequence: str = "it is not done",
    ) -> PooledJob:
        """Return a job of a single turn; a call of `end` before the turn prevents the turn.

        Args:
            name: the name of the job in logs.
            work: the work. A failure is not repeated.
            delay: seconds before the work.
            consequence: what a failure means for users, as a clause for the log.

        Raises:
            NoThreads: the process gets no thread for the pool.
        """

        def turn() -> None:
            job.end()
            work()

        # locked: the turn reads the job's name
        with self._lock:
            job = self.add(name, turn, delay=delay, consequence=consequence)
        return job

    def wake(self, job: PooledJob, seconds: float) -> None:
        """Have the next turn of a job come in `seconds` at the latest."""
        with self._lock:
            if job.is_ending:
                return
            job.is_noted, moment = True, time.monotonic() + seconds
            if job.thread_id is not None:
                job.again = min(job.again, moment)
            elif job in self._line:
                self._line.add(job, job.owners())
                # a further owner may have a thread free
                self._changed.notify()
            elif moment < job.due:
                self._schedule(job, moment)

    def end(self, job: PooledJob) -> None:
        """Have no further turn of a job."""
        with self._lock:
            job.is_ending = True
            if job.thread_id is None:
                self._forget(job)

    def join(self, job: PooledJob, seconds: float | None) -> bool:
        """Wait for a job's end; return False after `seconds`, and for the job's own turn."""
        with self._lock:
            if job.thread_id == threading.get_ident():
                return False
            return self._ended.wait_for(lambda: job not in self._jobs, seconds)

    def has(self, job: PooledJob) -> bool:
        """Return whether a job has not ended."""
        with self._lock:
            return job in self._jobs

    def stop(self, seconds: float | None = None) -> bool:
        """End all jobs and threads, and wait; return False for a turn that is still under way."""
        ends = None if seconds is None else time.monotonic() + seconds
        with self._lock:
            self._is_over = True
            for job in tuple(self._jobs):
                job.end()
            threads = tuple(self._threads)
            for thread in threads:
                thread.end()
            self._changed.notify_all()
        left = (None if ends is None else max(0.0, ends - time.monotonic()) for _ in threads)
        stopped = [thread.stop(wait) for thread, wait in zip(threads, left, strict=True)]
        return all(stopped)

    def _start_thread(self) -> bool:
        """Start one more thread; return False where the threads that run have to be enough."""
        name = f"{self.name}-{len(self._threads) + 1}"
        thread = Job(name, self._step, consequence="its next turn comes later")
        try:
            thread.start()
        except NoThreads:
            if not self._threads:
                raise
            return False
        self._threads.append(thread)
        return True

    def _step(self) -> float:
        """Take one turn of one job, as soon as there is a turn to take."""
        turn = self._next()
        if turn is not None:
            owner, job = turn
            seconds = job.attempts.take_turn(job.work, job.every)
            self._put_back(owner, job, seconds)
        return 0

    def _next(self) -> tuple[str, PooledJob] | None:
        """Wait for a turn that may begin, and begin the turn; return None at the pool's end."""
        with self._lock:
            while not self._is_over:
                now = time.monotonic()
                self._line_up_due(now)
                turn = self._line.begin()
                if turn is not None:
                    _begin_turn(turn[1])
                    # the others look for further turns, and at the clock in place of this thread
                    self._changed.notify()
                    return turn
                seconds = self._times[0][0] - now if self._times else math.inf
                self._changed.wait(None if seconds == math.inf else min(seconds, _LONGEST_WAIT))
            return None

    def _put_back(self, owner: str, job: PooledJob, seconds: float) -> None:
        """Let a job wait for its next turn, or end the job."""
        with self._lock:
            self._line.end(owner)
            job.thread_id = None
            if job.is_ending:
                self._forget(job)
            else:
                self._schedule(job, min(time.monotonic() + seconds, job.again))

    def _schedule(self, job: PooledJob, moment: float) -> None:
        """Have the next turn of a job come at a moment; the pool is locked."""
        job.due = moment
        if moment <= time.monotonic():
            self._line.add(job, job.owners() or _NOBODY)
        elif moment != math.inf:
            heapq.heappush(self._times, (moment, next(self._numbers), job))
            if len(self._times) > _MOST_ENTRIES + 4 * len(self._jobs):
                self._times = [entry for entry in self._times if _is_valid(entry)]
                heapq.heapify(self._times)
        self._changed.notify()

    def _line_up_due(self, now: float) -> None:
        """Have the jobs whose time has come stand in line."""
        while self._times and self._times[0][0] <= now:
            entry = heapq.heappop(self._times)
            if _is_valid(entry):
                self._line.add(entry[2], entry[2].owners() or _NOBODY)

    def _forget(self, job: PooledJob) -> None:
        self._line.remove(job)
        self._jobs.discard(job)
        job.due = math.inf
        self._ended.notify_all()


@dataclass(slots=True, eq=False)
class PooledJob:
    """A loop that calls `work`, in any thread of a pool, until the owner ends the loop.

    The pool alone writes the attributes below `attempts`.

    Attributes:
        pool: the pool of threads.
        work: one turn. Returns the seconds until the next turn, None for `every`.
        every: seconds between turns.
        owners: returns the owners of the next turn.
        attempts: takes the turns, and counts failures.
        is_woken: whether `wake` was called in the last wait, or in the turn before.
        is_noted: whether `wake` was called since the beginning of the last turn.
        is_ending: whether the present turn is the last one.
        due: the monotonic time of the next turn; never, in a turn.
        again: the monotonic time of the turn that `wake` asked for in the present turn.
        thread_id: the identity of the thread of the present turn, None between turns.
    """

    pool: JobPool
    work: Callable[[], float | None]
    every: float
    owners: Callable[[], Collection[str]]
    attempts: Attempts
    is_woken: bool = field(default=False, init=False)
    is_noted: bool = field(default=False, init=False)
    is_ending: bool = field(default=False, init=False)
    due: float = field(default=math.inf, init=False)
    again: float = field(default=math.inf, init=False)
    thread_id: int | None = field(default=None, init=False)

    def wake(self, seconds: float = 0.0) -> None:
        """Have the next turn come in `seconds` at the latest; during a turn, have another turn."""
        self.pool.wake(self, seconds)

    def end(self) -> None:
        """Have no further turn; do not wait for the end of the present turn."""
        self.pool.end(self)

    def stop(self, seconds: float | None = None) -> bool:
        """End the job and wait; return False if a turn is under way after `seconds`."""
        self.end()
        return self.join(seconds)

    def join(self, seconds: float | None = None) -> bool:
        """Wait for the job's end; return False after `seconds`, and for the job's own turn."""
        return self.pool.join(self, seconds)

    def is_alive(self) -> bool:
        """Return whether the job has not ended."""
        return self.pool.has(self)


def _begin_turn(job: PooledJob) -> None:
    """Note the beginning of a turn."""
    job.thread_id, job.due, job.again = threading.get_ident(), math.inf, math.inf
    job.is_woken, job.is_noted = job.is_noted, False


def _is_valid(entry: tuple[float, int, PooledJob]) -> bool:
    """Tell whether a job still waits for an entry's time, and was neither woken nor ended."""
    moment, _, job = entry
    return moment == job.due and not job.is_ending
