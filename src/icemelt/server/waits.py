"""The waits of requests for an event, in no thread; all waits end when the server ends."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["Waits"]

_FIRST_PAUSE, _LONGEST_PAUSE = 0.02, 0.25


@dataclass(slots=True)
class Waits:
    """Lets requests wait for events until `end` is called.

    >>> waits = Waits()
    >>> waits.end()
    >>> asyncio.run(waits.wait_until(lambda: False, seconds=60.0))
    False
    """

    _have_ended: bool = False

    def end(self) -> None:
        """End all waits, and every later wait at its first look: the server ends."""
        self._have_ended = True

    async def wait_until(self, event: Callable[[], bool], seconds: float) -> bool:
        """Wait for an event up to `seconds`, without a thread; return whether the event came.

        The pauses between checks grow with the time waited: thousands may wait at once.
        """
        began = time.monotonic()
        while not event():
            waited = time.monotonic() - began
            if waited >= seconds or self._have_ended:
                return False
            await asyncio.sleep(min(_FIRST_PAUSE + waited / 10, _LONGEST_PAUSE, seconds))
        return True
