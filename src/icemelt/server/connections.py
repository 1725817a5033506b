"""A client's connection: how long it is waited for, and how much is kept of what it says."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import resource
import time
from collections import deque
from typing import Any

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from icemelt.errors import IcemeltError
from icemelt.server.failures import Busy, ProtocolError
from icemelt.server.quiet import QuietLog

__all__ = ["Connection", "allow_connections"]

# the parser itself has no limit: h11's, and room for a page's address
_MOST_HEAD_BYTES = 64 << 10
_TOO_LONG = f"A request's head has at most {_MOST_HEAD_BYTES >> 10} KiB."
# between the name and the value, and at the end of the line
_HEADER_BYTES = 4
_MOST_QUEUED = 32
# browsers and libraries send a head in one piece
_HEAD_SECONDS = 30.0
# the largest page in this time is a slow telephone's
_UNREAD_SECONDS = 120.0
# for the catalog, files of tables and Spark
_KEPT_FILES = 256
_NO_REQUEST = "This is no request of HTTP/1.1."
_QUIET = QuietLog(logging.getLogger("icemelt.server"))
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
        # of the head that is being read: what came since the last event, and what was understood
        self._unread_bytes = self._head_bytes = 0
        self._is_understood = False
        self._refusal = _NO_REQUEST
        # the requests that are not answered yet, oldest first
        self._cycles: deque[RequestResponseCycle] = deque()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin, where there is room."""
        super().connection_made(transport)
        if len(self.connections) <= _most_connections():
            return
        self.connections.discard(self)
        # nothing is heard that comes now
        self.transport.pause_reading()
        self._refuse(503, Busy("As many connections are open as may.", hint="Come back later."))

    def connection_lost(self, exc: Exception | None) -> None:
        """Let nothing more be sent."""
        self._give_up()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take what the client sends."""
        if self.transport.is_closing():
            return
        self._unset_keepalive_if_required()
        self._is_understood = False
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            # nothing else is spoken here: the request is answered, and is the last one
            self.cycle.keep_alive = False
        except httptools.HttpParserError:
            self.send_400_response(self._refusal)
            return
        self._unread_bytes = 0 if self._is_understood else self._unread_bytes + len(data)
        if self._unread_bytes > _MOST_HEAD_BYTES:
            self.send_400_response(_TOO_LONG)

    def on_message_begin(self) -> None:
        """Begin to read a head."""
        self._head_bytes = 0
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        """Take a part of a request's address."""
        self._count_head(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header, or a trailer."""
        self._count_head(len(name) + len(value) + _HEADER_BYTES)
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Begin a request, or let it wait for those before it."""
        self._is_understood = True
        if len(self.pipeline) >= _MOST_QUEUED:
            self._refuse_to_parse(f"More than {_MOST_QUEUED} requests wait for their answers.")
        super().on_headers_complete()
        self._cycles.append(self.cycle)

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
        self._cycles.popleft()
        super().on_response_complete()

    def send_400_response(self, msg: str) -> None:
        """Answer what is no request, and hear no more."""
        if not self.transport.is_closing():
            _QUIET.note(self.client[0] if self.client else "A client", msg)
            self._refuse(400, ProtocolError(msg, hint="Send HTTP/1.1: see /openapi.json."))

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

    def _count_head(self, size: int) -> None:
        self._head_bytes += size
        if self._head_bytes > _MOST_HEAD_BYTES:
            self._refuse_to_parse(_TOO_LONG)

    def _refuse_to_parse(self, message: str) -> None:
        """Have the parser, which calls this, refuse all that follows."""
        self._refusal = message
        raise ConnectionError(message)

    def _give_up(self) -> None:
        """Send no answers any more: the requests that wait for theirs are not waited for."""
        self.pipeline.clear()
        for cycle in self._cycles:
            cycle.disconnected = True
            cycle.message_event.set()

    def _refuse(self, status: int, error: IcemeltError) -> None:
        self._give_up()
        told = json.dumps(error.told()).encode()
        length = f"content-length: {len(told)}\r\n".encode()
        head = b"content-type: application/json\r\nconnection: close\r\n"
        self.transport.write(b"".join((_LINES[status], head, length, b"\r\n", told)))
        self.transport.close()


def _most_connections() -> int:
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return max(files // 2, files - _KEPT_FILES)
