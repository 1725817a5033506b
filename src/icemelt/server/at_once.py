"""How much of one kind of work a key has under way at once."""

from __future__ import annotations

import contextlib
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from icemelt.server.failures import Busy

__all__ = ["AtOnce"]


@dataclass(slots=True)
class AtOnce:
    """Lets each key have up to `most` pieces of the work under way."""

    most: int
    _counts: Counter[str] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @contextlib.contextmanager
    def working(self, key_id: str, refusal: Busy) -> Iterator[None]:
        """Work for a key in the block.

        Args:
            key_id: the key of the request.
            refusal: the error where the key has as many pieces under way as may be.

        Raises:
            Busy: the refusal.

        >>> works = AtOnce(1)
        >>> refusal = Busy("One is under way.", hint="Wait.")
        >>> with works.working("ann", refusal), works.working("bob", refusal):
        ...     with works.working("ann", refusal):
        ...         pass
        Traceback (most recent call last):
            ...
        icemelt.server.failures.Busy: One is under way.
        Hint: Wait.
        """
        with self._lock:
            if self._counts[key_id] >= self.most:
                raise refusal
            self._counts[key_id] += 1
        try:
            yield
        finally:
            with self._lock:
                self._counts[key_id] -= 1
                if not self._counts[key_id]:
                    del self._counts[key_id]
