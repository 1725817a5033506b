"""The threads of requests: keys take turns, and no key keeps another key out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from icemelt.jobs import ThreadPool
from icemelt.server.turns import Turns

__all__ = ["Threads"]

# the threads of all requests, of one key, and spare threads for keys without one; more threads of
# one key would not be faster, and leave other keys' statements less of Python's time
_AT_ONCE, _OF_KEY, _SPARE = 32, 4, 8
_FOR_KEYS, _FOR_HEALTH = 4, 2

P = ParamSpec("P")
T = TypeVar("T")


class Threads:
    """Threads for requests, shared fairly by keys, and more threads for checks of keys and health.

    Without `by_key` everybody has the same key, and the key may use all threads. Keys are checked
    in separate threads: keys known to be in force in one pool, texts of strangers in another pool.
    Health checks have a pool of their own. All threads start at once: when the machine has no more
    threads, requests still have the threads that are there.
    """

    def __init__(self, *, by_key: bool = True) -> None:
        """Start the threads.

        Raises:
            NoThreads: the machine gives the process too few threads.
        """
        self._turns: Turns[tuple[str, asyncio.Future[None]]] = (
            Turns(_AT_ONCE, _OF_KEY, _SPARE) if by_key else Turns(_AT_ONCE, _AT_ONCE, 0)
        )
        self._requests = ThreadPool(_AT_ONCE, "icemelt-request")
        self._keys = ThreadPool(_FOR_KEYS, "icemelt-key")
        self._strangers = ThreadPool(_FOR_KEYS, "icemelt-stranger")
        self._health = ThreadPool(_FOR_HEALTH, "icemelt-health")

    async def run(self, key_id: str, work: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
        """Run a function in a thread when the key's turn comes; return the function's result.

        Args:
            key_id: the key of the request.
            work: the function.
            args: the function's arguments.
            named: the function's named arguments.
        """
        turn = key_id, asyncio.get_running_loop().create_future()
        self._turns.add(key_id, turn)
        self._begin()
        try:
            await turn[1]
            return await _in_pool(self._requests, work, *args, **named)
        finally:
            self._leave(*turn)

    async def check_key(self, work: Callable[[str], T], text: str, *, is_known: bool) -> T:
        """Run the look-up of a key in a thread.

        Args:
            work: the function to look a key up by its text.
            text: the key's text.
            is_known: whether the text was a key in force before.
        """
        return await _in_pool(self._keys if is_known else self._strangers, work, text)

    async def look_after_health(self, work: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
        """Run a health check in a thread."""
        return await _in_pool(self._health, work, *args, **named)

    def close(self) -> None:
        """End the threads, each as soon as its work is done."""
        for pool in (self._requests, self._keys, self._strangers, self._health):
            pool.end()

    def _begin(self) -> None:
        while (turn := self._turns.begin()) is not None:
            key_id, begun = turn
            if begun.cancelled():
                self._turns.end(key_id)
            else:
                begun.set_result(None)

    def _leave(self, key_id: str, begun: asyncio.Future[None]) -> None:
        """End the turn of a request that is done, or waits no longer."""
        if begun.cancelled():
            self._turns.remove(key_id, (key_id, begun))
        else:
            self._turns.end(key_id)
        self._begin()


async def _in_pool(pool: ThreadPool, work: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
    return await asyncio.wrap_future(pool.submit(work, *args, **named))
