"""A proxy before a server that delays, cuts and repeats requests, as bad networks do."""

from __future__ import annotations

import contextlib
import http.client
import random
import socket
import threading
import time
from collections import Counter
from enum import Enum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

__all__ = ["Fault", "HttpProxy"]

_SECONDS = 60


class Fault(Enum):
    DELAY = "the request comes late"
    CUT_BEFORE = "the request never comes"
    CUT_AFTER = "its answer is lost"
    REPEAT = "it comes twice"
    REFUSE = "a 503 comes in its place"
    LIMIT = "a 429 comes in its place"


_REFUSALS = {Fault.REFUSE: 503, Fault.LIMIT: 429}


class HttpProxy(ThreadingHTTPServer):
    """Passes requests on; each meets a fault with some probability, by a seed."""

    daemon_threads = True

    def __init__(self, url: str, seed: int, probability: float, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.there = urlsplit(url)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.met: Counter[Fault] = Counter()
        self.connections: set[socket.socket] = set()
        self._choose = random.Random(seed)  # noqa: S311
        self._probability = probability
        self._deck: list[Fault] = []
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self.serve_forever, daemon=True)
        self._thread.start()

    def fault(self) -> Fault | None:
        with self._lock:
            if self._choose.random() >= self._probability:
                return None
            # each comes once before any comes again: few requests meet all of them
            self._deck = self._deck or self._choose.sample(list(Fault), len(Fault))
            fault = self._deck.pop()
            self.met[fault] += 1
            return fault

    def close(self) -> None:
        """Listen no more, and cut what is open."""
        self.shutdown()
        self.server_close()
        for connection in tuple(self.connections):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        self._thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: HttpProxy

    def setup(self) -> None:
        super().setup()
        self.server.connections.add(self.connection)

    def finish(self) -> None:
        self.server.connections.discard(self.connection)
        super().finish()

    def log_message(self, *_arguments: object) -> None:
        """Say nothing."""

    def relay(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        fault = self.server.fault()
        if fault is Fault.DELAY:
            time.sleep(0.05)
        if fault is Fault.CUT_BEFORE:
            self.cut()
            return
        if fault in _REFUSALS:
            self.answer(_REFUSALS[fault], b"Slower.", "text/plain")
            return
        for _ in range(2 if fault is Fault.REPEAT else 1):
            status, content, kind = self.forward(body)
        if fault is Fault.CUT_AFTER:
            self.cut()
            return
        self.answer(status, content, kind)

    do_GET = do_POST = do_DELETE = relay  # noqa: N815

    def forward(self, body: bytes) -> tuple[int, bytes, str]:
        there = self.server.there
        connection = http.client.HTTPConnection(there.hostname or "", there.port, timeout=_SECONDS)
        try:
            headers = {name: text for name, text in self.headers.items() if name.lower() != "host"}
            connection.request(self.command, self.path, body, headers)
            response = connection.getresponse()
            return response.status, response.read(), response.getheader("Content-Type", "")
        finally:
            connection.close()

    def answer(self, status: int, content: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def cut(self) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)
