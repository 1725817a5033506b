"""Long statements are read one after the other: reading takes seconds, and other requests wait."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field

from icemelt.server.at_once import AtOnce
from icemelt.server.failures import Busy
from icemelt.sql.parse import LONG_TEXT

__all__ = ["LongTexts"]

# the most long texts of a key read at once: the key's other requests need threads, too
_MOST_AT_ONCE = 2


@dataclass(slots=True)
class LongTexts:
    """The long texts that are being read, by the ids of keys."""

    _read: AtOnce = field(default_factory=lambda: AtOnce(_MOST_AT_ONCE))

    @contextlib.contextmanager
    def reading(self, text: str, key_id: str) -> Iterator[None]:
        """Read a text of a key in the block.

        Raises:
            Busy: the text is long, and as many long texts of the key are being read as may be.
        """
        if len(text) <= LONG_TEXT:
            yield
            return
        refusal = Busy(
            f"{_MOST_AT_ONCE} long statements of this key are being read already.",
            hint="Submit it again a little later; many rows go through a channel.",
        )
        with self._read.working(key_id, refusal):
            yield
