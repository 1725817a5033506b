"""What comes before the lake of a server, without Spark: connections, keys, bodies, threads."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
from fastapi import FastAPI, Request

from conftest import sqlite_url
from icemelt.catalog.database import open_database
from icemelt.catalog.keys import create_key, list_keys
from icemelt.server.bodies import BodyLimits
from icemelt.server.failures import answer_failures
from icemelt.server.guard import Guard
from icemelt.server.run import Server
from icemelt.server.state import Access
from icemelt.server.threads import Threads

__all__ = ["MOST_BYTES", "Front", "front"]

SECONDS = 20.0
MOST_BYTES = 64 << 20


class Front:
    """A server that keeps its guests' bodies for a moment, and says how large they are."""

    def __init__(self, folder: Path) -> None:
        self.database = open_database(sqlite_url(folder), str(folder / "warehouse"))
        self.access, self.threads, self.bodies = Access(self.database), Threads(), BodyLimits()
        self.app = FastAPI()
        guarded = {"access": self.access, "bodies": self.bodies, "threads": self.threads}
        self.app.add_middleware(Guard, most_bytes=MOST_BYTES, **guarded)
        answer_failures(self.app)

        @self.app.get("/health")
        async def health() -> str:
            return await self.threads.look_after_health(self._look)

        @self.app.post("/v1/rows")
        @self.app.post("/v1/statements")
        async def keep(request: Request) -> int:
            return len(await request.body())

    def _look(self) -> str:
        with self.database.read() as connection:
            return f"ok: {len(list_keys(connection))} keys"

    def key(self, name: str) -> str:
        return create_key(self.database, name)[1]

    def client(self, name: str) -> httpx.Client:
        headers = {"Authorization": f"Bearer {self.key(name)}"}
        return httpx.Client(base_url=self.url, headers=headers, timeout=SECONDS)

    def connect(self) -> socket.socket:
        return socket.create_connection((self.url.host, self.url.port or 80), timeout=SECONDS)

    def begin(self, key: str, path: str = "/v1/rows", *more: str) -> socket.socket:
        """Return a connection on which a request of a key has begun."""
        connection = self.connect()
        head = (f"POST {path} HTTP/1.1", "Host: x", f"Authorization: Bearer {key}", *more, "", "")
        connection.sendall("\r\n".join(head).encode())
        return connection

    def longest_wait(self, seconds: float) -> float:
        """Return how long the slowest of the answers took that a stranger got in some seconds."""
        ends, longest = time.monotonic() + seconds, 0.0
        with httpx.Client(base_url=self.url, timeout=4 * SECONDS) as stranger:
            while (began := time.monotonic()) < ends:
                assert stranger.get("/health").status_code == 200
                longest = max(longest, time.monotonic() - began)
                time.sleep(0.05)
        return longest


@contextlib.contextmanager
def front(folder: Path) -> Iterator[Front]:
    made, ready = Front(folder), threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = Server(made.app, listener)

        def tell(url: str) -> None:
            made.url = httpx.URL(url)
            ready.set()

        thread = threading.Thread(target=server.run, args=(tell,), daemon=True)
        thread.start()
        assert ready.wait(SECONDS)
        yield made
        server.end()
        thread.join(SECONDS)
        made.threads.close()
        made.database.close()
