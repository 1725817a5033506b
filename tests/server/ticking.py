"""A thread that ticks: how long does it wait, at the longest, for work in another thread?"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable

__all__ = ["lets_others_go_on"]

_TICK_SECONDS, _TRIES, _MOST = 0.005, 3, 0.2


def lets_others_go_on(work: Callable[[], object]) -> bool:
    """Tell whether no gap between two ticks takes a fifth of the time of the work.

    Time is that of this process's processors, which other processes of a busy machine do not take.
    The machine makes gaps of its own all the same: one of three tries has to do.
    """
    return any(_measure(work) < _MOST for _ in range(_TRIES))


def _measure(work: Callable[[], object]) -> float:
    """Return the longest time between two ticks, as a part of the time of the work."""
    ticks, is_done = [time.process_time()], threading.Event()

    def tick() -> None:
        while not is_done.wait(_TICK_SECONDS):
            ticks.append(time.process_time())

    thread = threading.Thread(target=tick)
    thread.start()
    began = time.process_time()
    # kept until the last tick
    result = work()
    ended = time.process_time()
    is_done.set()
    thread.join()
    del result
    moments = [*ticks, ended]
    return max(after - before for before, after in itertools.pairwise(moments)) / (ended - began)
