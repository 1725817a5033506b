"""A client's connection: how long it is waited for, and how much is kept of what it says."""

from __future__ import annotations

import asyncio
import contextlib
import json
import resource
import time
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

__all__ = ["Connection", "allow_connections"]

# the parser itself has no limit: h11's, and room for a page's address
_MOST_HEAD_BYTES = 64 << 10
_MOST_QUEUED = 32
# browsers and libraries send a head in one piece
_HEAD_SECONDS = 30.0
# the largest page in this time is a slow telephone's
_UNREAD_SECONDS = 120.0
# for the catalog, files of tables and Spark
_KEPT_FILES = 256
_LINES = {
    400: b"HTTP/1.1 400 Bad Request\r\n",
    503: b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\n",
}


def allow_connections() -> None:
    """Let this process have as many connections open as the machine lets it."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    # macOS has a lower limit than it tells of
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


class Connection(HttpToolsProtocol):
    """A connection that is closed where its client sends no request, or reads no answer.

    How long a request's body may take is the guard's business. There are no more of them than
    leave files for the server itself: who comes then is told so, and sent away.
    """

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._idle_since = self._unread_since = time.monotonic()
        self._head_bytes = 0
        self._is_understood = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin, where there is room."""
        super().connection_made(transport)
        if len(self.connections) <= _most_connections():
            return
        self.connections.discard(self)
        # nothing is heard that comes now
        self.transport.pause_reading()
        self._refuse(503, "busy", "As many connections are open as may.", "Come back later.")

    def data_received(self, data: bytes) -> None:
        """Take what the client sends."""
        self._is_understood = False
        super().data_received(data)
        self._head_bytes = 0 if self._is_understood else self._head_bytes + len(data)
        if self._head_bytes > _MOST_HEAD_BYTES and not self.transport.is_closing():
            self.send_400_response(f"A request's head has at most {_MOST_HEAD_BYTES >> 10} KiB.")

    def on_headers_complete(self) -> None:
        """Begin a request, or let it wait for those before it."""
        self._is_understood = True
        if len(self.pipeline) >= _MOST_QUEUED:
            message = "the parser refuses what follows"
            raise ConnectionError(message)
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Take a part of a request's body."""
        self._is_understood = True
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Take note of a request's end."""
        self._is_understood = True
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Wait from now on for the next request, and for the rest of the answer to be read."""
        self._idle_since = self._unread_since = time.monotonic()
        super().on_response_complete()

    def send_400_response(self, msg: str) -> None:
        """Answer what is no request, and hear no more."""
        self._refuse(400, "http", msg, "Send HTTP/1.1: see /openapi.json.")

    def hurry(self, now: float) -> None:
        """Close it where its client has been waited for too long; asked once a second."""
        if not self.transport.get_write_buffer_size():
            self._unread_since = now
        cycle: RequestResponseCycle | None = getattr(self, "cycle", None)
        if cycle is not None and not cycle.response_complete:
            self._idle_since = now
        if now - self._unread_since > _UNREAD_SECONDS:
            # closing alone would wait until it is read
            self.transport.abort()
        elif now - self._idle_since > _HEAD_SECONDS:
            self.transport.close()

    def _refuse(self, status: int, code: str, message: str, hint: str) -> None:
        told = json.dumps({"code": code, "message": message, "hint": hint}).encode()
        length = f"content-length: {len(told)}\r\n".encode()
        head = b"content-type: application/json\r\nconnection: close\r\n"
        self.transport.write(b"".join((_LINES[status], head, length, b"\r\n", told)))
        self.transport.close()


def _most_connections() -> int:
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return max(files // 2, files - _KEPT_FILES)
