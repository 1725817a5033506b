"""A receiver of webhooks: a real HTTP server that answers as a test says."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import hmac
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

__all__ = ["Received", "Receiver", "is_signed", "receiving"]


@dataclass(frozen=True)
class Received:
    """A request, with the headers by their lower-case names."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    @property
    def document(self) -> dict[str, Any]:
        return dict(json.loads(self.body))


@dataclass
class Receiver:
    """What has arrived; `answers` are the statuses of the next answers, then it is 204.

    The status 0 is no answer: the request waits for the end of the receiver. The status -1 is an
    answer whose header never ends.
    """

    url: str = ""
    answers: list[int] = field(default_factory=list)
    received: list[Received] = field(default_factory=list)
    location: str = ""
    over: threading.Event = field(default_factory=threading.Event)

    @property
    def ids(self) -> list[str]:
        return [received.id for received in self.received]

    @property
    def told(self) -> list[tuple[str, str]]:
        """The type and the task of each message."""
        documents = [received.document for received in self.received]
        return [(document["messageType"], document["taskName"]) for document in documents]


@contextlib.contextmanager
def receiving() -> Iterator[Receiver]:
    """Receive webhooks at `Receiver.url` within a block."""
    receiver = Receiver()
    with ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(receiver)) as server:
        server.daemon_threads = True
        receiver.url = f"http://127.0.0.1:{server.server_port}/hooks?of=tests"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield receiver
        finally:
            receiver.over.set()
            server.shutdown()
            thread.join()


def _handler_of(receiver: Receiver) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            status = receiver.answers.pop(0) if receiver.answers else 204
            receiver.received.append(Received(self.path, headers, body))
            with contextlib.suppress(OSError):
                self._answer(status)

        def _answer(self, status: int) -> None:
            if status == 0:
                receiver.over.wait(60)
                self.close_connection = True
                return
            if status == -1:
                self.wfile.write(b"HTTP/1.1 200 OK\r\n")
                while not receiver.over.wait(0.1):
                    self.wfile.write(b"x-more: 1\r\n")
                return
            self.send_response(status)
            if receiver.location:
                self.send_header("Location", receiver.location)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    return Handler


def is_signed(received: Received, secret: str) -> bool:
    """Tell whether a request has a signature of a secret, by the specification's few lines."""
    headers = received.headers
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + received.body
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    return f"v1,{digest}" in headers.get("webhook-signature", "").split()
