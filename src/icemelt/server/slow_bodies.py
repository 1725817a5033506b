"""JSON with nested values is read by Python: body after body, and no body that takes long."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

from icemelt.ingest.errors import TooLarge
from icemelt.jobs.fair_line import FairLine

__all__ = ["SlowBodies"]

# a short body does not wait; as Python's objects values take up to 40 times their bytes, and
# seconds, so a long body has few
_SHORT_BYTES, _MOST_VALUES = 64 << 10, 1_000_000
# each value is behind one of them
_BEFORE_VALUES = (b",", b"[", b"{")


@dataclass(slots=True)
class SlowBodies:
    """The bodies that Arrow's reader cannot read: Python reads one of the long ones at a time.

    Keys take turns: a body waits for one body of each other key, however many the others send.
    """

    _line: FairLine[object] = field(default_factory=lambda: FairLine(at_once=1))
    # whose turn it is; a body is known by an object of its own
    _reading: object = None
    _turn_changed: threading.Condition = field(default_factory=threading.Condition)

    @contextlib.contextmanager
    def reading(self, body: bytes, key_id: str = "") -> Iterator[None]:
        """Read a body in the block, a body that is not short when its turn comes.

        Args:
            body: the body.
            key_id: the key of the request.

        Raises:
            TooLarge: the body has too many values for Python's reader.
        """
        if len(body) <= _SHORT_BYTES:
            yield
            return
        if (values := sum(map(body.count, _BEFORE_VALUES))) > _MOST_VALUES:
            raise TooLarge(
                f"JSON rows with nested values have at most {_MOST_VALUES:,} values and commas in "
                f"one append; these have {values:,}.",
                hint="Append fewer rows at once, or send an Arrow stream.",
            )
        this_body = object()
        with self._turn_changed:
            self._line.add(this_body, [key_id])
            self._begin_next()
            self._turn_changed.wait_for(lambda: self._reading is this_body)
        try:
            yield
        finally:
            with self._turn_changed:
                self._line.end(key_id)
                self._begin_next()

    def _begin_next(self) -> None:
        """Give the turn to the next body, if no body has it."""
        begun = self._line.begin()
        if begun is not None:
            _, self._reading = begun
            self._turn_changed.notify_all()
