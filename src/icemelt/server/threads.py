"""The threads that requests are worked on in: keys take turns, and none keeps the others out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

from icemelt.server.turns import Turns

__all__ = ["Threads"]

# of all requests, of one key's, and for keys that have none; more of one key's would not be done
# sooner, and leave the statements of others less of Python's time
_AT_ONCE, _OF_KEY, _SPARE = 32, 4, 8
_FOR_KEYS, _FOR_HEALTH = 4, 2

P = ParamSpec("P")
T = TypeVar("T")


class Threads:
    """Threads for requests, of which each key has some, and others that wait for no request.

    Where not `by_key`, everybody has the same key, which may have all of them. Those that check
    keys are apart: of keys that were in force before, and of what strangers send. So are those that
    tell of the server's health.
    """

    def __init__(self, *, by_key: bool = True) -> None:
        self._turns: Turns[tuple[str, asyncio.Future[None]]] = (
            Turns(_AT_ONCE, _OF_KEY, _SPARE) if by_key else Turns(_AT_ONCE, _AT_ONCE, 0)
        )
        self._requests = ThreadPoolExecutor(_AT_ONCE, "icemelt-request")
        self._keys = ThreadPoolExecutor(_FOR_KEYS, "icemelt-key")
        self._strangers = ThreadPoolExecutor(_FOR_KEYS, "icemelt-stranger")
        self._health = ThreadPoolExecutor(_FOR_HEALTH, "icemelt-health")

    async def run(self, key_id: str, work: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
        """Do work for the holder of a key, once it is that key's turn; return what comes of it."""
        turn = key_id, asyncio.get_running_loop().create_future()
        self._turns.add(key_id, turn)
        self._begin()
        try:
            await turn[1]
            return await _in_pool(self._requests, work, *args, **named)
        finally:
            self._leave(*turn)

    async def check_key(self, work: Callable[[str], T], text: str, *, is_known: bool) -> T:
        """Do the work of finding a key by its text."""
        return await _in_pool(self._keys if is_known else self._strangers, work, text)

    async def look_after_health(self, work: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
        """Do work that tells how the server is."""
        return await _in_pool(self._health, work, *args, **named)

    def close(self) -> None:
        """Give the threads back, each as soon as its work is done."""
        for pool in (self._requests, self._keys, self._strangers, self._health):
            pool.shutdown(wait=False)

    def _begin(self) -> None:
        while (turn := self._turns.begin()) is not None:
            key_id, begun = turn
            if begun.cancelled():
                self._turns.end(key_id)
            else:
                begun.set_result(None)

    def _leave(self, key_id: str, begun: asyncio.Future[None]) -> None:
        """Let others have the turn of who is done, or waits no longer."""
        if begun.cancelled():
            self._turns.remove(key_id, (key_id, begun))
        else:
            self._turns.end(key_id)
        self._begin()


async def _in_pool(
    pool: ThreadPoolExecutor, work: Callable[P, T], *args: P.args, **named: P.kwargs
) -> T:
    return await asyncio.get_running_loop().run_in_executor(pool, partial(work, *args, **named))
