"""Limits for request bodies: bytes of a body, of a key and of all keys; and the slowest speed."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from starlette.exceptions import HTTPException
from starlette.types import Message, Receive

from icemelt.ingest.errors import IngestBusy

__all__ = ["Body", "BodyLimits"]

# the bytes of all large bodies together
_MOST_BYTES = 512 << 20
# a body up to this size takes no room of large bodies
_SMALL_BYTES = 1 << 20
# a body has to end within the seconds, or go on at the speed of a modem
_SECONDS, _BYTES_A_SECOND = 30.0, 4_096
# parsing long JSON stops all other requests: a key's JSON is limited in bytes a second
_SHORT_JSON_BYTES, _JSON_BYTES_A_SECOND, _JSON_AT_ONCE_SECONDS = 64 << 10, 1 << 20, 4.0


@dataclass(slots=True)
class BodyLimits:
    """The bytes of all request bodies under way, by key.

    The large bodies of a key may take half of the room for large bodies, or all of the room without
    `by_key`. If the room is full, a key with no more than an equal share still has its bodies read.
    So no key keeps another key out. Small bodies have as much room again, and wait for no large
    body.
    """

    by_key: bool = True
    _large: Counter[str] = field(default_factory=Counter)
    _small: Counter[str] = field(default_factory=Counter)
    _json_from: dict[str, float] = field(default_factory=dict)
    # bodies are decompressed in threads
    lock: Any = field(default_factory=threading.RLock)

    def add(self, key_id: str, before: int, size: int) -> None:
        """Note a body's new size, after a body has grown or gone.

        Args:
            key_id: the key of the request.
            before: the body's size before, in bytes.
            size: the body's size now, in bytes.
        """
        with self.lock:
            for sizes, was, now in (
                (self._small, _small(before), _small(size)),
                (self._large, before - _small(before), size - _small(size)),
            ):
                sizes[key_id] += now - was
                if not sizes[key_id]:
                    del sizes[key_id]

    def has_room(self, key_id: str, size: int, most: int) -> bool:
        """Tell whether the server may read on in a body of a key.

        Args:
            key_id: the key of the request.
            size: the body's size by now, in bytes.
            most: a body of up to `most` bytes may always be read if the key has no other body.
        """
        of_key = _MOST_BYTES // 2 if self.by_key else _MOST_BYTES
        if size <= _SMALL_BYTES:
            return self._small[key_id] <= of_key
        with self.lock:
            taken, total = self._large[key_id], self._large.total()
            share = _MOST_BYTES // max(1, len(self._large))
        is_full = total > max(_MOST_BYTES, most)
        return taken <= max(of_key, most) and not (is_full and taken > share)

    def next_json(self, key_id: str, size: int) -> float:
        """Return the seconds to wait before JSON of `size` bytes from a key is parsed."""
        if size <= _SHORT_JSON_BYTES:
            return 0.0
        now = time.monotonic()
        begin = max(self._json_from.get(key_id, now), now)
        self._json_from[key_id] = begin + size / _JSON_BYTES_A_SECOND
        return max(0.0, begin - _JSON_AT_ONCE_SECONDS - now)


def _small(size: int) -> int:
    """Return the room that a body takes of the room for small bodies."""
    return size if size <= _SMALL_BYTES else 0


@dataclass(slots=True)
class Body:
    """The body of one request: limited in bytes and in time, and read only while there is room.

    FastAPI passes the errors of `receive` on, even where FastAPI reads the body by itself.
    """

    receiving: Receive
    key_id: str
    most: int
    bodies: BodyLimits
    is_rows: bool = True
    size: int = 0
    is_whole: bool = False
    is_released: bool = False
    # the bytes received since `_since`
    _recent: int = 0
    _since: float = field(default_factory=time.monotonic)

    async def receive(self) -> Message:
        """Return the next part of the body; the last part of long JSON waits for its turn.

        Raises:
            HTTPException: the body is too large or too slow, or there is no room for the body.
        """
        message = await (self.receiving() if self.is_whole else self._receive_in_time())
        self.is_whole = not message.get("more_body", False)
        self._grow(len(message.get("body", b"")))
        if self.size > self.most:
            raise HTTPException(413, f"A request has at most {self.most >> 20} MiB")
        if not self.bodies.has_room(self.key_id, self.size, self.most):
            headers = {"Retry-After": "1"}
            raise HTTPException(429, "As many requests are being read as may", headers)
        if self.is_whole and not self.is_rows:
            await asyncio.sleep(self.bodies.next_json(self.key_id, self.size))
        return message

    def unpack(self, size: int) -> None:
        """Reserve room for `size` bytes more, for a compressed body about to be decompressed.

        Raises:
            IngestBusy: there is no room.
        """
        if not size:
            return
        with self.bodies.lock:
            if self.is_released:
                # the client is gone, while the thread of its request goes on
                return
            self.bodies.add(self.key_id, self.size, self.size + size)
            self.size += size
            if self.bodies.has_room(self.key_id, self.size, max(self.most, self.size)):
                return
        raise IngestBusy(
            "As much is being read as may.", hint="Send the append again a little later."
        )

    def release(self) -> None:
        """Release the room of the body."""
        with self.bodies.lock:
            self.bodies.add(self.key_id, self.size, 0)
            self.size, self.is_released = 0, True

    def _grow(self, size: int) -> None:
        self.bodies.add(self.key_id, self.size, self.size + size)
        self.size += size
        self._recent += size
        if self._recent >= _SECONDS * _BYTES_A_SECOND:
            self._recent, self._since = 0, time.monotonic()

    async def _receive_in_time(self) -> Message:
        try:
            async with asyncio.timeout(self._since + _SECONDS - time.monotonic()):
                return await self.receiving()
        except TimeoutError:
            message = "The request did not come to its end in time"
            raise HTTPException(408, message) from None
