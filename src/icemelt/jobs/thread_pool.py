"""Threads for functions whose callers wait: the thread that was busy last works first.

Python's `ThreadPoolExecutor` gives work to the thread that has waited longest: four requests at a
time go round all 32 threads of a server, each with its own memory and none of it in the processor's
caches. With the last busy thread first, four threads do all the work of four requests at a time.

    work                 threads that wait, the last busy one at the right
                         a b c
    first begins in c    a b
    first ends           a b c
    second begins in c   a b
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from typing import ParamSpec, TypeVar

from icemelt.jobs.job import Job

__all__ = ["ThreadPool"]

P = ParamSpec("P")
T = TypeVar("T")


class ThreadPool:
    """A fixed number of threads for functions; all threads start at once.

    Calls beyond the number of threads wait, first in, first out.

    >>> pool = ThreadPool(2, "example")
    >>> pool.submit(max, 3, 4).result(), pool.submit(int, "7").result()
    (4, 7)
    >>> pool.stop(5)
    True
    """

    def __init__(self, count: int, name: str) -> None:
        """Start the threads.

        Args:
            count: the number of threads.
            name: the beginning of the threads' names.

        Raises:
            NoThreads: the machine gives the process fewer threads.
        """
        self._lock = threading.Lock()
        self._idle: list[_Thread] = []
        self._waiting: deque[Callable[[], None]] = deque()
        self._is_over = False
        self._jobs: list[Job] = []
        try:
            for number in range(1, count + 1):
                self._jobs.append(self._start_thread(f"{name}-{number}"))
        except BaseException:
            self.end()
            raise

    def submit(self, work: Callable[P, T], *args: P.args, **named: P.kwargs) -> Future[T]:
        """Have a function called by the thread that was busy last; return its result to come.

        Args:
            work: the function.
            args: the function's arguments.
            named: the function's named arguments.

        Raises:
            RuntimeError: the pool has ended.
        """
        result: Future[T] = Future()
        call = partial(_call, result, partial(work, *args, **named))
        with self._lock:
            if self._is_over:
                raise RuntimeError("The threads have ended.")
            if not self._idle:
                self._waiting.append(call)
                return result
            thread = self._idle.pop()
            thread.call = call
        thread.wake()
        return result

    def end(self) -> None:
        """Take no further calls, and end each thread as soon as no call waits for a thread."""
        with self._lock:
            self._is_over = True
        for job in self._jobs:
            job.end()

    def stop(self, seconds: float | None = None) -> bool:
        """End the threads and wait; return False if a thread is at work after `seconds`."""
        self.end()
        stopped = [job.stop(seconds) for job in self._jobs]
        return all(stopped)

    def _start_thread(self, name: str) -> Job:
        thread = _Thread()
        turn = partial(self._take_turn, thread)
        # a call given to a thread that ends is the work of the thread's end
        job = Job(name, turn, consequence="its caller is not told", at_end=turn)
        thread.wake = job.wake
        return job.start()

    def _take_turn(self, thread: _Thread) -> None:
        """Do the call given to a thread, then the calls that wait; put the thread back."""
        call, thread.call = thread.call, None
        while True:
            if call is not None:
                call()
            with self._lock:
                if not self._waiting:
                    self._idle.append(thread)
                    return
                call = self._waiting.popleft()


@dataclass(slots=True, eq=False)
class _Thread:
    """A thread of a pool.

    Attributes:
        wake: has the thread look for its call.
        call: the call given to the thread.
    """

    wake: Callable[[], None] = field(init=False)
    call: Callable[[], None] | None = field(default=None, init=False)


def _call(result: Future[T], work: Callable[[], T]) -> None:
    """Call a function, unless its caller no longer waits; hand over the result or the error."""
    if not result.set_running_or_notify_cancel():
        return
    try:
        value = work()
    except BaseException as error:  # noqa: BLE001 - the caller gets each error
        result.set_exception(error)
    else:
        result.set_result(value)
