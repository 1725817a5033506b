"""JSON with nested values is read by Python: body after body, and no body that takes long."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

from icemelt.ingest.errors import TooLarge

__all__ = ["SlowBodies"]

# a short body does not wait; as Python's objects values take up to 40 times their bytes, and
# seconds, so a long body has few
_SHORT_BYTES, _LONG_BYTES, _MOST_VALUES = 64 << 10, 8 << 20, 1_000_000
# each value is behind one of them
_BEFORE_VALUES = (b",", b"[", b"{")


@dataclass(slots=True)
class SlowBodies:
    """The bodies that Arrow's reader cannot read: Python reads one of the long ones at a time."""

    _turn: threading.Lock = field(default_factory=threading.Lock)

    @contextlib.contextmanager
    def reading(self, body: bytes) -> Iterator[None]:
        """Read a body in the block, a body that is not short when its turn comes.

        Raises:
            TooLarge: the body has too many values for Python's reader.
        """
        if len(body) > _LONG_BYTES and sum(map(body.count, _BEFORE_VALUES)) > _MOST_VALUES:
            raise TooLarge(
                f"JSON rows with nested values have at most {_LONG_BYTES >> 20} MiB, or "
                f"{_MOST_VALUES:,} values and commas, in one append; these have "
                f"{len(body) / (1 << 20):.1f} MiB and more values.",
                hint="Append fewer rows at once, or send an Arrow stream.",
            )
        with contextlib.nullcontext() if len(body) <= _SHORT_BYTES else self._turn:
            yield
