"""Both ways to reach an ingestor: in the session's process, and over HTTP."""

from __future__ import annotations

import contextlib
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

from icemelt.catalog.keys import create_key
from icemelt.ingest.client.client import StreamingIngestClient
from icemelt.server.run import ServerSettings, open_server
from icemelt.session.session import Session

Reach = Callable[..., AbstractContextManager[StreamingIngestClient]]


@contextlib.contextmanager
def embedded(session: Session, lag: float = 1.0) -> Iterator[StreamingIngestClient]:
    with session.ingest_client(max_client_lag=lag) as client:
        yield client


@contextlib.contextmanager
def over_http(session: Session, lag: float = 1.0) -> Iterator[StreamingIngestClient]:
    # names of keys are unique, and a test may come twice
    _, key = create_key(session._core.database, f"{session._core.user} {uuid.uuid4()}")
    with served(session, lag) as url, StreamingIngestClient(url, key) as client:
        yield client


@contextlib.contextmanager
def served(
    session: Session,
    lag: float = 1.0,
    most_bytes: int = 64 << 20,
    locations: tuple[str, ...] = (),
    **more: Any,
) -> Iterator[str]:
    """Serve a session's lake in a thread, with more of the server's settings; yield the URL."""
    ready, found = threading.Event(), []
    settings = ServerSettings(
        port=0, max_client_lag=lag, most_bytes=most_bytes, locations=locations, **more
    )
    with open_server(session, settings) as server:

        def tell(url: str) -> None:
            found.append(url)
            ready.set()

        thread = threading.Thread(target=server.run, args=(tell,), daemon=True)
        thread.start()
        assert ready.wait(30)
        yield found[0]
        server.end()
        thread.join(30)


WAYS = {"embedded": embedded, "http": over_http}
