"""Running the server: until SIGTERM or Ctrl-C, and then until what it took is committed."""

from __future__ import annotations

import contextlib
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

import uvicorn
from fastapi import FastAPI

from icemelt.catalog.keys import find_key
from icemelt.catalog.records import KeyRecord
from icemelt.engine.scratch import open_scratch
from icemelt.engine.slots import Slots
from icemelt.engine.start.configuration import LaunchOptions
from icemelt.engine.vitals import Ending
from icemelt.errors import CatalogError, SetupError
from icemelt.ingest.writer.beside import Beside
from icemelt.ingest.writer.ingestor import Ingestor, refuse_given_up
from icemelt.observe.emitting import tolerate
from icemelt.server.app import make_app
from icemelt.server.connections import Connection
from icemelt.server.event_counters import EventCounters, count_events
from icemelt.server.origins import LOOPBACK, Hosts
from icemelt.server.pacing import Pace
from icemelt.server.running import Limits, Statements
from icemelt.server.served import Access, Served
from icemelt.server.supervision import Supervisor
from icemelt.server.threads import Threads
from icemelt.server.unread import Unread
from icemelt.session import Session
from icemelt.session.hosting import (
    blame_files_alone,
    catalog_of,
    open_host_ingestor,
    refuse_own_files,
    warm_up_appends,
)
from icemelt.session.runtime.collecting import most_bytes_of

__all__ = ["Server", "Serving", "serving"]

_GRACE_SECONDS = 10
_BACKLOG = 2048
# clients' libraries give an idle connection up after five or ten: they do so first
_KEEP_ALIVE_SECONDS = 20
_TICKS = 10
# as many of the largest results as are kept at once
_KEPT_RESULTS = 16
# as many of them are in the memory for each key, as answers that nobody has read
_UNREAD_RESULTS = 2


@dataclass(frozen=True, slots=True)
class Serving:
    """Where the server listens, and what it lets clients do.

    Rows are committed when they have waited `max_client_lag` seconds. Without `keys` everybody who
    reaches the address may do everything, under its own names and those of `allowed_hosts`: pages
    of other servers are refused then. COPY INTO of clients' statements reads and writes below
    `locations` alone. Statements run for `statement_timeout` seconds at most, 0 is for ever, and a
    result has at most `most_result_bytes` (None is 256 MiB), and an eighth of Java's memory.
    """

    host: str = "127.0.0.1"
    port: int = 8787
    max_client_lag: float = 1.0
    keys: bool = True
    most_bytes: int = 64 << 20
    locations: tuple[str, ...] = ()
    allowed_hosts: tuple[str, ...] = ()
    statement_timeout: float = 3600.0
    most_result_bytes: int | None = None

    @property
    def hosts(self) -> Hosts:
        """The hosts that requests may name where no key is needed."""
        given = (each.strip("[]").lower() for each in (self.host, *self.allowed_hosts))
        return Hosts(LOOPBACK | set(given))


class Server:
    """A server that listens, and answers once it runs; `serving` makes one."""

    def __init__(self, app: FastAPI, listener: socket.socket) -> None:
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            server_header=False,
            http=partial(Connection, pace=Pace()),  # type: ignore[arg-type]
            ws="none",
            backlog=_BACKLOG,
            timeout_keep_alive=_KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=_GRACE_SECONDS,
        )
        self._server = _Server(config)
        self._listener = listener

    def run(self, ready: Callable[[str], None]) -> None:
        """Answer until SIGTERM, Ctrl-C or `end`; `ready` is told the URL once it does."""
        host, port = self._listener.getsockname()[:2]
        shown = f"[{host}]" if ":" in host else host
        self._server.ready = lambda: ready(f"http://{shown}:{port}")
        self._server.run([self._listener])

    def end(self) -> None:
        """Have it answer what is under way, and no more."""
        self._server.should_exit = True


@contextlib.contextmanager
def serving(
    session: Session, settings: Serving, options: LaunchOptions | None = None
) -> Iterator[Server]:
    """Give a server of a session's lake; what it took is committed at the end of the block.

    Spark is started anew with `options` where it dies; without them, or where it does not start any
    more, the server ends.

    Raises:
        AddressTaken: another program listens there, or the address is none of this machine's.
        FileRefused: a location has the lake's own files in it.
        ChannelInvalid: it ended, and rows that it took could not be committed.
        SetupError: Spark died, and did not start again.
    """
    refuse_own_files(session, settings.locations)
    with _listening(settings) as listener:
        ingestor = open_host_ingestor(session, settings.max_client_lag)
        supervisor = Supervisor(session, ingestor, options)
        try:
            warm_up_appends(session)
            with count_events() as counters, _served(supervisor, settings, counters) as served:
                server = Server(make_app(served), listener)
                supervisor.start(server.end)
                yield server
        finally:
            given_up = ingestor.close()
            supervisor.close()
        supervisor.refuse_failed()
        refuse_given_up(given_up)


@contextlib.contextmanager
def _served(supervisor: Supervisor, settings: Serving, counters: EventCounters) -> Iterator[Served]:
    """Give what is served; what runs is cancelled at the end, and rows of results are removed."""
    host = supervisor.host
    database = catalog_of(host)
    most_bytes = most_bytes_of(host.spark, settings.most_result_bytes)
    limits = Limits(
        timeout=settings.statement_timeout,
        most_bytes=most_bytes,
        most_kept_bytes=_KEPT_RESULTS * most_bytes,
        by_key=settings.keys,
    )

    def open_for(key: KeyRecord, pool: str) -> Session:
        return supervisor.open_guest(key, settings.locations, pool)

    slots = Slots(host.spark)
    pages = open_scratch()
    statements = Statements(
        open_for, database, pages.location, slots, limits, supervisor.died_under
    )

    def go_on(host: Session, ending: Ending) -> None:
        statements.judge(ending)
        slots.restart(host.spark)

    ingestor = supervisor.ingestor
    ingestor.limits = replace(ingestor.limits, by_owner=settings.keys)
    _introduce(statements, ingestor, host)
    slots.on_stuck = partial(_end_stuck, statements, supervisor)
    supervisor.on_replaced = go_on
    access = Access(database, is_open=not settings.keys, hosts=settings.hosts)
    threads = Threads(by_key=settings.keys)
    unread = Unread(_UNREAD_RESULTS * most_bytes, most_bytes)
    most = settings.most_bytes
    parts = (database, ingestor, statements, supervisor, access, threads)
    try:
        yield Served(*parts, most, unread, settings.locations, counters)
    finally:
        statements.close()
        threads.close()
        pages.close()


def _introduce(statements: Statements, ingestor: Ingestor, host: Session) -> None:
    """Have statements and appends know of each other: what ends a Spark that both run in."""
    strikes, database = statements.strikes, statements.database

    def blame(owner: str) -> None:
        # of a channel that the lake's own session opened nobody is told
        told = "find whose rows ended Spark"
        with tolerate(CatalogError, to=told), database.read() as connection:
            key = find_key(connection, owner)
            if key is not None:
                strikes.note_rows(key)

    def ran_alone() -> bool:
        return not (statements.ran_at_death(beside=1) or ingestor.flushed_at_death())

    ingestor.beside = Beside(statements.ran_at_death, statements.hold, blame, strikes.refuse)
    blame_files_alone(host, ran_alone)


def _end_stuck(statements: Statements, supervisor: Supervisor) -> None:
    statements.note_stuck()
    supervisor.replace_stuck()


class _Server(uvicorn.Server):
    """Says when it is ready, and waits for no client for ever."""

    ready: Callable[[], None]

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Hear the signals that end it.

        Uvicorn's own would send them once more at the end; what waits is committed after that.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        heard = (signal.SIGINT, signal.SIGTERM)
        before = {number: signal.signal(number, self.handle_exit) for number in heard}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer."""
        await super().startup(sockets)
        self.ready()

    async def on_tick(self, counter: int) -> bool:
        """Look once a second for clients that keep a connection, and do nothing."""
        if counter % _TICKS == 0:
            now = time.monotonic()
            for each in list(self.server_state.connections):
                if isinstance(each, Connection):
                    each.hurry(now)
        return await super().on_tick(counter)


def _listening(settings: Serving) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        return socket.create_server((settings.host, settings.port), family=family, backlog=_BACKLOG)
    except OSError as error:
        raise AddressTaken(
            f"The server cannot listen on {settings.host}:{settings.port}: {error.strerror}.",
            hint="Choose another one: icemelt serve --port 8788",
        ) from error


class AddressTaken(SetupError):
    """The server's address is taken, or none of this machine's."""

    code = "address-taken"
    errno = 1006
    sqlstate = "58000"
