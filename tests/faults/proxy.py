"""A proxy before PostgreSQL that loses what it is told to: COMMIT, or the reply to it.

It reads the messages of the client (PostgreSQL's protocol, *Message Formats*), so that it knows
which COMMIT publishes a transaction of a lake, and loses the connection at that point.
"""

from __future__ import annotations

import contextlib
import enum
import socket
import struct
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import sqlalchemy as sa

__all__ = ["Loss", "Proxy"]

# how late a message is that arrives late
LATE_SECONDS = 1.5
_PUBLISHES = b"INSERT INTO icemelt_transactions"
_ENCRYPTION_REQUESTS = frozenset({80877103, 80877104})
_CHUNK = 65536


class Loss(enum.Enum):
    """What is lost with the connection."""

    COMMIT = "COMMIT never arrives"
    REPLY = "COMMIT arrives, its reply does not"
    LATE = "COMMIT arrives when the client has asked already whether it did"


@dataclass
class _Messages:
    """Takes a client's bytes apart; `sql` of each message is what it runs, where it says so."""

    rest: bytes = b""
    started: bool = False
    prepared: dict[bytes, bytes] = field(default_factory=dict)

    def of(self, received: bytes) -> list[tuple[bytes, bytes]]:
        """Return the whole messages, each as its SQL and its bytes."""
        self.rest += received
        found = []
        while (size := self._size()) is not None and len(self.rest) >= size:
            message, self.rest = self.rest[:size], self.rest[size:]
            found.append((self._sql(message), message))
        return found

    def _size(self) -> int | None:
        head = 1 if self.started else 0
        if len(self.rest) < head + 4:
            return None
        return head + int(struct.unpack_from("!I", self.rest, head)[0])

    def _sql(self, message: bytes) -> bytes:
        if not self.started:
            self.started = struct.unpack_from("!I", message, 4)[0] not in _ENCRYPTION_REQUESTS
            return b""
        parts = message[5:].split(b"\0")
        match message[:1]:
            case b"Q":
                return parts[0]
            case b"P":
                self.prepared[parts[0]] = parts[1]
                return parts[1]
            case b"B":
                return self.prepared.get(parts[1], b"")
        return b""


class Proxy:
    """Listens on a port of this machine, and forwards to a server's socket."""

    def __init__(self, server_url: str) -> None:
        url = sa.make_url(server_url)
        self._target = str(Path(str(url.query["host"])) / f".s.PGSQL.{url.port or 5432}")
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: set[socket.socket] = set()
        self._order: Loss | None = None
        self._away = 0.0
        self._away_until = 0.0
        self.lost: list[Loss] = []
        threading.Thread(target=self._listen, daemon=True).start()

    def url(self, server_url: str) -> str:
        """Return the URL of a database of the server, through the proxy."""
        port = self._listener.getsockname()[1]
        url = sa.make_url(server_url).set(host="127.0.0.1", port=port, query={})
        return url.render_as_string(hide_password=False)

    def lose(self, loss: Loss, *, away: float = 0.5) -> None:
        """Lose something at the next COMMIT of a publication, and all connections for a time."""
        self._order, self._away = loss, away

    def leave(self, seconds: float) -> None:
        """Close every connection, and be away for a time."""
        self._away_until = time.monotonic() + seconds
        for each in tuple(self._open):
            _shut(each)

    def close(self) -> None:
        """Close the port and all connections."""
        self.leave(0)
        _shut(self._listener)
        self._listener.close()

    def _listen(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            if time.monotonic() < self._away_until:
                client.close()
            else:
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        server = socket.socket(socket.AF_UNIX)
        replies = _Replies(server, client)
        self._open.add(client)
        with client, server, contextlib.suppress(OSError):
            server.connect(self._target)
            thread = threading.Thread(target=replies.forward, daemon=True)
            thread.start()
            self._forward(client, server, replies)
            _shut(server)
            thread.join()
        self._open.discard(client)

    def _forward(self, client: socket.socket, server: socket.socket, replies: _Replies) -> None:
        messages, publishes = _Messages(), False
        while received := client.recv(_CHUNK):
            for sql, message in messages.of(received):
                publishes = publishes or sql.startswith(_PUBLISHES)
                if publishes and sql == b"COMMIT" and self._order is not None:
                    self._lose(self._order, message, server, replies)
                    return
                publishes = publishes and sql not in {b"COMMIT", b"ROLLBACK"}
                server.sendall(message)

    def _lose(self, loss: Loss, commit: bytes, server: socket.socket, replies: _Replies) -> None:
        self._order = None
        self.lost.append(loss)
        replies.muted = True
        if loss is Loss.REPLY:
            server.sendall(commit)
            assert replies.lost.wait(10)
        self.leave(self._away)
        if loss is Loss.LATE:
            time.sleep(LATE_SECONDS)
            server.sendall(commit)
            assert replies.lost.wait(10)


@dataclass
class _Replies:
    """Forwards what the server says, until it is muted."""

    server: socket.socket
    client: socket.socket
    muted: bool = False
    lost: threading.Event = field(default_factory=threading.Event)

    def forward(self) -> None:
        with contextlib.suppress(OSError):
            while received := self.server.recv(_CHUNK):
                if self.muted:
                    self.lost.set()
                else:
                    self.client.sendall(received)
        _shut(self.client)


def _shut(connection: socket.socket) -> None:
    """Close a connection in the middle of whatever it does."""
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
