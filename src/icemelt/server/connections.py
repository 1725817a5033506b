"""A client's connection: the times to wait for a client, and the bytes kept of a request."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import resource
import time
from collections import deque
from dataclasses import dataclass
from typing import Any

import httptools
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from icemelt.errors import IcemeltError
from icemelt.server.failures import Busy, ProtocolError
from icemelt.server.pacing import PIECE, Pace
from icemelt.server.quiet import QuietLog

__all__ = ["REQUEST", "ClientConnection", "allow_connections"]

# the key of uvicorn's request object in the scope's extensions
REQUEST = "icemelt.request"

# the parser itself has no limit: the limit of h11, and room for a page's address
_MOST_HEAD_BYTES = 64 << 10
_TOO_LONG = f"A request's head has at most {_MOST_HEAD_BYTES >> 10} KiB."
# the separator of name and value, and the end of the line
_HEADER_BYTES = 4
# browsers and proxies send some twenty headers
_MOST_HEADERS = 100
_TOO_MANY = f"A request has at most {_MOST_HEADERS} headers."
_MOST_QUEUED = 32
# the seconds for a request's head: browsers and libraries send a head in one piece
_HEAD_SECONDS = 30.0
# the seconds for reading an answer: a slow telephone reads the largest page in this time
_UNREAD_SECONDS = 120.0
# a client still sending its body after the answer can read the answer, and gets no reset
_DEAF_SECONDS = 5.0
# the files kept for the catalog, tables and Spark
_KEPT_FILES = 256
_NO_REQUEST = "This is no request of HTTP/1.1."
_QUIET = QuietLog(logging.getLogger("icemelt.server"))
_LINES = {
    400: b"HTTP/1.1 400 Bad Request\r\n",
    503: b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\n",
}


def allow_connections() -> None:
    """Raise this process's limit of open connections to the machine's limit."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    # macOS reports a higher limit than it allows
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


class ClientConnection(HttpToolsProtocol):
    """A connection that is closed if its client sends no request, or reads no answer.

    The guard limits the time of a request's body. The number of connections is limited, to leave
    files for the server itself: a further client gets an error, and the connection is closed.
    Connections with many small parts wait for each other, by one `pace` for all connections. A
    request answered before the request's end is the last request of its connection.
    """

    flow: _Flow

    def __init__(self, *given: Any, pace: Pace, **named: Any) -> None:
        super().__init__(*given, **named)
        self._idle_since = self._unread_since = time.monotonic()
        # the unread bytes of the answer at the last check
        self._unread_size = 0
        # bytes since the parser's last event; bytes and headers of the head being read
        self._unread_bytes = self._head_bytes = self._headers = 0
        self._is_understood = False
        self._refusal = _NO_REQUEST
        # the requests without an answer yet, oldest first
        self._cycles: deque[RequestResponseCycle] = deque()
        self._pace = pace
        # the bytes not parsed yet, and the number of parts in the last piece
        self._waiting = memoryview(b"")
        self._parts = 0
        # the time of an answer's end, if the body of its request goes on
        self._deaf_since: float | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin a connection if there is room for one more."""
        super().connection_made(transport)
        self.flow = _Flow(transport)
        if len(self.connections) <= _most_connections():
            return
        self.connections.discard(self)
        # no byte is read from now on
        self.transport.pause_reading()
        self._refuse(503, Busy("As many connections are open as may.", hint="Come back later."))

    def connection_lost(self, exc: Exception | None) -> None:
        """Send no more answers."""
        self._drop_requests()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take bytes from the client."""
        if self._deaf_since is not None or self.transport.is_closing():
            return
        self._unset_keepalive_if_required()
        self._waiting = memoryview(bytes(self._waiting) + data if self._waiting else data)
        if not self.flow.is_held:
            self._parse_waiting()

    def on_message_begin(self) -> None:
        """Begin to read a request's head."""
        self._head_bytes = self._headers = 0
        self._parts += 1
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        """Take a part of a request's address."""
        self._parts += 1
        self._count_head(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header, or a trailer."""
        self._parts += 1
        self._headers += 1
        if self._headers > _MOST_HEADERS:
            self._refuse_to_parse(_TOO_MANY)
        self._count_head(len(name) + len(value) + _HEADER_BYTES)
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Begin a request, or let the request wait for earlier requests."""
        self._is_understood = True
        if len(self.pipeline) >= _MOST_QUEUED:
            self._refuse_to_parse(f"More than {_MOST_QUEUED} requests wait for their answers.")
        super().on_headers_complete()
        # the guard announces the end of a connection whose body is not wanted
        self.scope["extensions"] = {REQUEST: self.cycle}  # type: ignore[dict-item]
        self.cycle.transport = _AnswerTransport(self.transport, self)  # type: ignore[assignment]
        self._cycles.append(self.cycle)

    def on_body(self, body: bytes) -> None:
        """Take a part of a request's body."""
        self._parts += 1
        self._is_understood = True
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Note the end of a request."""
        self._is_understood = True
        # uvicorn does not do so for a request already answered
        self.cycle.more_body = False
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Wait from now on for the next request, and for the client to read the answer."""
        self._idle_since = self._unread_since = time.monotonic()
        cycle = self._cycles.popleft()
        if cycle.more_body:
            self.stop_reading()
        super().on_response_complete()

    def send_400_response(self, msg: str) -> None:
        """Answer bytes that are no HTTP request, and read no more."""
        if not self.transport.is_closing():
            _QUIET.note(self.client[0] if self.client else "A client", msg)
            self._refuse(400, ProtocolError(msg, hint="Send HTTP/1.1: see /openapi.json."))

    def stop_reading(self) -> None:
        """End the answers, and ignore the rest of the client's request for a while."""
        if self._deaf_since is None and not self.transport.is_closing():
            self._deaf_since = time.monotonic()
            self._waiting = memoryview(b"")
            # for a client that is gone, an error without uvloop
            with contextlib.suppress(OSError):
                self.transport.write_eof()

    def end_answer(self) -> None:
        """Close the connection after an answer; a client still sending can read the answer."""
        if self._cycles and self._cycles[0].more_body:
            self.stop_reading()
        else:
            self.transport.close()

    def enforce_timeouts(self, now: float) -> None:
        """Close the connection if the client took too much time; called once a second."""
        unread = self.transport.get_write_buffer_size()
        # progress on a slow line: a part was read, and the next piece takes its place
        if not unread or self.flow.is_read_on or unread < self._unread_size:
            self._unread_since = now
        self._unread_size, self.flow.is_read_on = unread, False
        cycle: RequestResponseCycle | None = getattr(self, "cycle", None)
        if cycle is not None and not cycle.response_complete:
            self._idle_since = now
        if now - self._unread_since > _UNREAD_SECONDS:
            # `close` would wait until the client has read the answer
            self.transport.abort()
        elif now - self._idle_since > _HEAD_SECONDS or self._is_over(now):
            self.transport.close()

    def _is_over(self, now: float) -> bool:
        return self._deaf_since is not None and now - self._deaf_since > _DEAF_SECONDS

    def _parse_waiting(self) -> None:
        """Parse the waiting bytes, piece by piece; after a piece with many parts, pause."""
        while self._waiting and self._deaf_since is None and not self.transport.is_closing():
            piece, self._waiting = self._waiting[:PIECE], self._waiting[PIECE:]
            self._parts = 0
            self._parse(piece)
            now = time.monotonic()
            again = self._pace.next(self._parts, len(piece), now)
            if again > now:
                self.flow.hold()
                self.loop.call_later(again - now, self._resume_parsing)
                return

    def _resume_parsing(self) -> None:
        """Parse on after a pause."""
        self.flow.is_held = False
        self._parse_waiting()
        if not self._waiting:
            self.flow.go_on()

    def _parse(self, data: memoryview) -> None:
        """Parse a piece of bytes."""
        self._is_understood = False
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            # no other protocol: the request is answered as the last request
            self.cycle.keep_alive = False
        except httptools.HttpParserError:
            self.send_400_response(self._refusal)
            return
        self._unread_bytes = 0 if self._is_understood else self._unread_bytes + len(data)
        if self._unread_bytes > _MOST_HEAD_BYTES:
            self.send_400_response(_TOO_LONG)

    def _count_head(self, size: int) -> None:
        self._head_bytes += size
        if self._head_bytes > _MOST_HEAD_BYTES:
            self._refuse_to_parse(_TOO_LONG)

    def _refuse_to_parse(self, message: str) -> None:
        """Make the parser, which calls this method, refuse all further bytes."""
        self._refusal = message
        raise ConnectionError(message)

    def _drop_requests(self) -> None:
        """Send no more answers: nobody waits for the requests without an answer."""
        self.pipeline.clear()
        for cycle in self._cycles:
            cycle.disconnected = True
            cycle.message_event.set()

    def _refuse(self, status: int, error: IcemeltError) -> None:
        self._drop_requests()
        body = json.dumps(error.told()).encode()
        length = f"content-length: {len(body)}\r\n".encode()
        head = b"content-type: application/json\r\nconnection: close\r\n"
        self.transport.write(b"".join((_LINES[status], head, length, b"\r\n", body)))
        self.transport.close()


@dataclass(frozen=True, slots=True)
class _AnswerTransport:
    """The transport of an answer: closing goes through the connection."""

    transport: asyncio.Transport
    connection: ClientConnection

    def write(self, data: bytes) -> None:
        self.transport.write(data)

    def is_closing(self) -> bool:
        return self.transport.is_closing()

    def close(self) -> None:
        self.connection.end_answer()


class _Flow(FlowControl):
    """Resumes reading only if neither the connection nor the application has stopped the reading.

    `is_held` says that the connection has stopped reading, `is_full` that the application has.
    `is_read_on` says that since the last check the client has read enough for the next piece of the
    answer.
    """

    is_held = is_full = is_read_on = False

    def hold(self) -> None:
        """Stop reading until `is_held` is reset."""
        self.is_held = True
        super().pause_reading()

    def go_on(self) -> None:
        """Resume reading, unless the connection or the application has a reason against reading."""
        if not (self.is_held or self.is_full):
            super().resume_reading()

    def resume_writing(self) -> None:
        """Write on, after the client has read."""
        self.is_read_on = True
        super().resume_writing()

    def pause_reading(self) -> None:
        """Stop reading until the application has taken the waiting bytes."""
        self.is_full = True
        super().pause_reading()

    def resume_reading(self) -> None:
        """Resume reading for the application."""
        self.is_full = False
        self.go_on()


def _most_connections() -> int:
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return max(files // 2, files - _KEPT_FILES)
