"""Pages of many values become JSON one after the other: seconds of Python's time for each."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

from icemelt.server.at_once import AtOnce
from icemelt.server.failures import Busy

__all__ = ["LargePages"]

# the values of a large page: several times those of a page of a mebibyte of numbers
_LARGE = 500_000


@dataclass(slots=True)
class LargePages:
    """The large pages that become JSON: one of each key waits or is made, and one is made."""

    _of_keys: AtOnce = field(default_factory=lambda: AtOnce(1))
    _turn: threading.Lock = field(default_factory=threading.Lock)

    @contextlib.contextmanager
    def making(self, values: int, key_id: str) -> Iterator[None]:
        """Make JSON of a page in the block, a large page when its turn comes.

        Args:
            values: the number of values in the page.
            key_id: the key of the request.

        Raises:
            Busy: the page is large, and another large page of the key is being made.

        >>> pages = LargePages()
        >>> with pages.making(1_000_000, "ann"), pages.making(100, "ann"):
        ...     with pages.making(1_000_000, "ann"):
        ...         pass
        Traceback (most recent call last):
            ...
        icemelt.server.failures.Busy: Another large page of this key becomes JSON already.
        Hint: Ask for the page again a little later, or for Arrow.
        """
        if values <= _LARGE:
            yield
            return
        refusal = Busy(
            "Another large page of this key becomes JSON already.",
            hint="Ask for the page again a little later, or for Arrow.",
        )
        with self._of_keys.working(key_id, refusal), self._turn:
            yield
