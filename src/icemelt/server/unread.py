"""Large answers that their clients have not read: those of one key have a bound in bytes.

A page is a row at least, and a row may be as large as a result; ten thousand channels have as many
offset tokens.
"""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from icemelt.server.failures import Busy

__all__ = ["LargeResponse", "Reserved", "Unread"]

# an answer is handed on in pieces: a connection keeps one of them, and a bit
_PIECE = 256 << 10


@dataclass(slots=True)
class Unread:
    """What the answers of each key take that are made or sent: `most_bytes`, or one of any size.

    A page of rows takes `most_page_bytes` at most while it becomes JSON.

    >>> unread = Unread(100)
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
    # room is given back wherever Python finds that an answer is gone
    _lock: Any = field(default_factory=threading.RLock)

    def reserve(self, key_id: str, size: int) -> Reserved | None:
        """Return room for an answer of a key, None where there is none."""
        with self._lock:
            unread = self._bytes[key_id]
            if unread and unread + size > self.most_bytes:
                return None
            self._bytes[key_id] += size
        return Reserved(self, key_id, size)

    def require(self, key_id: str, size: int) -> Reserved:
        """Return room for an answer of a key.

        Raises:
            Busy: there is none.
        """
        reserved = self.reserve(key_id, size)
        if reserved is None:
            raise Busy(
                "Answers of this key that are not read yet have as many bytes as may be.",
                hint="Read those to their ends, then ask for this one again.",
            )
        return reserved

    def change(self, key_id: str, by: int) -> None:
        """Take note that the answers of a key take more, or less."""
        with self._lock:
            self._bytes[key_id] += by
            if not self._bytes[key_id]:
                del self._bytes[key_id]


@dataclass(slots=True)
class Reserved:
    """Room for one answer of a key; it is given back at the latest when nobody has it any more."""

    unread: Unread
    key_id: str
    size: int

    def resize(self, size: int) -> None:
        """Take note of the size that an answer has."""
        self.unread.change(self.key_id, size - self.size)
        self.size = size

    def release(self) -> None:
        """Give the room back."""
        self.resize(0)

    def __del__(self) -> None:
        """Give the room back of an answer that was never sent."""
        self.release()


class LargeResponse(Response):
    """An answer for which room is reserved until it is sent."""

    def __init__(self, content: str | bytes, status: int, kind: str, reserved: Reserved) -> None:
        """Take the room that the content needs."""
        super().__init__(content, status, media_type=kind)
        reserved.resize(len(self.body))
        self._reserved = reserved

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - ASGI's own
        """Send it piece by piece, each once its client has read those before."""
        start = {"status": self.status_code, "headers": self.raw_headers}
        try:
            await send({"type": "http.response.start", **start})
            for at in range(0, len(self.body), _PIECE):
                piece = bytes(self.body[at : at + _PIECE])
                await send({"type": "http.response.body", "body": piece, "more_body": True})
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            self._reserved.release()
