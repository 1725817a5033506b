"""Large answers not read by their clients yet: the answers of one key are limited in bytes.

A page has at least one row, and a row may be as large as a result. An answer for ten thousand
channels has ten thousand offset tokens.
"""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from icemelt.server.failures import Busy

__all__ = ["LargeResponse", "Reservation", "UnreadAnswers"]

# an answer is sent in pieces: a connection buffers about one piece
_PIECE = 256 << 10


@dataclass(slots=True)
class UnreadAnswers:
    """The bytes of a key's answers being made or sent: at most `most_bytes`, or a larger answer.

    `most_page_bytes` is the limit for making JSON of a page of rows.

    >>> unread = UnreadAnswers(100)
    >>> first = unread.reserve("ann", 120)
    >>> unread.reserve("ann", 1) is None, unread.reserve("bob", 80) is None
    (True, False)
    >>> first.release()
    >>> unread.reserve("ann", 1) is None
    False
    """

    most_bytes: int = 512 << 20
    most_page_bytes: int = 256 << 20
    _bytes: Counter[str] = field(default_factory=Counter)
    # re-entrant: Python may delete an answer, and release its room, at any line
    _lock: Any = field(default_factory=threading.RLock)

    def reserve(self, key_id: str, size: int) -> Reservation | None:
        """Reserve room for an answer of a key; return None if there is no room."""
        with self._lock:
            unread = self._bytes[key_id]
            if unread and unread + size > self.most_bytes:
                return None
            self._bytes[key_id] += size
        return Reservation(self, key_id, size)

    def require(self, key_id: str, size: int) -> Reservation:
        """Reserve room for an answer of a key.

        Raises:
            Busy: there is no room.
        """
        reserved = self.reserve(key_id, size)
        if reserved is None:
            raise Busy(
                "Answers of this key that are not read yet have as many bytes as may be.",
                hint="Read those to their ends, then ask for this one again.",
            )
        return reserved

    def change(self, key_id: str, by: int) -> None:
        """Note a change in the bytes of a key's answers."""
        with self._lock:
            self._bytes[key_id] += by
            if not self._bytes[key_id]:
                del self._bytes[key_id]


@dataclass(slots=True)
class Reservation:
    """Room for one answer of a key; the room is released with the object at the latest."""

    unread: UnreadAnswers
    key_id: str
    size: int

    def resize(self, size: int) -> None:
        """Note the final size of the answer."""
        self.unread.change(self.key_id, size - self.size)
        self.size = size

    def release(self) -> None:
        """Release the room."""
        self.resize(0)

    def __del__(self) -> None:
        """Release the room of an answer that was never sent."""
        self.release()


class LargeResponse(Response):
    """An answer with room reserved until the answer is sent."""

    def __init__(self, content: str | bytes, status: int, kind: str, reserved: Reservation) -> None:
        """Resize the reserved room to the size of the content."""
        super().__init__(content, status, media_type=kind)
        reserved.resize(len(self.body))
        self._reserved = reserved

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - ASGI's own
        """Send the answer piece by piece, a piece after the client has read the piece before."""
        start = {"status": self.status_code, "headers": self.raw_headers}
        try:
            await send({"type": "http.response.start", **start})
            for at in range(0, len(self.body), _PIECE):
                piece = bytes(self.body[at : at + _PIECE])
                await send({"type": "http.response.body", "body": piece, "more_body": True})
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            self._reserved.release()
