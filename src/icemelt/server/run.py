"""Running the server until SIGTERM or Ctrl-C, and then until the rows taken are committed."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import uvicorn
from fastapi import FastAPI

from icemelt.catalog.activity_records import KeyRecord
from icemelt.catalog.database import Database
from icemelt.engine.scratch import open_scratch
from icemelt.engine.slots import TaskSlots
from icemelt.engine.start.configuration import LaunchOptions
from icemelt.engine.vitals import Ending
from icemelt.errors import SetupError
from icemelt.ingest.writer.failures import require_all_committed
from icemelt.ingest.writer.flush_pool import open_flush_pools
from icemelt.ingest.writer.ingestor import Ingestor
from icemelt.server.app import make_app
from icemelt.server.blame import connect_strikes
from icemelt.server.connections import ClientConnection
from icemelt.server.event_counters import EventCounters, count_events
from icemelt.server.origins import LOOPBACK, Hosts
from icemelt.server.pacing import Pace
from icemelt.server.revocations import Revocations
from icemelt.server.running import Statements
from icemelt.server.state import Access, ServerState
from icemelt.server.statement_limits import StatementLimits
from icemelt.server.supervision import Supervisor
from icemelt.server.thread_watch import ThreadWatch
from icemelt.server.threads import Threads
from icemelt.server.unread import UnreadAnswers
from icemelt.session import Session
from icemelt.session.hosting import (
    catalog_of,
    limit_to_locations,
    open_host_ingestor,
    validate_locations,
    warm_up_appends,
)
from icemelt.session.runtime.collecting import find_byte_limit
from icemelt.session.runtime.maintenance_runs import RUNS
from icemelt.session.runtime.spark_errors import telling_failed_start
from icemelt.session.tasks.hosts import PooledHost
from icemelt.session.tasks.scheduler import Scheduler, SchedulerOptions

__all__ = ["Server", "ServerSettings", "open_server"]

# of the seconds for requests under way at the end of the server: when statements are cancelled,
# when all other waits end, and when the requests left are ended
_CANCEL_SECONDS, _WAITS_END_SECONDS, _GRACE_SECONDS = 6.0, 8.5, 10
# runs of tasks under way at the end of the server may take so long
_DRAIN_SECONDS = 10.0
# the connections to the catalog for health checks alone, one for each of their threads
_HEALTH_CONNECTIONS = 2
_BACKLOG = 2048
# client libraries close an idle connection after five or ten seconds: the client closes first
_KEEP_ALIVE_SECONDS = 20
_TICKS = 10
# the room for kept results, in results of the largest size
_KEPT_RESULTS = 16
# the room for a key's unread answers, in results of the largest size
_UNREAD_RESULTS = 2


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """The address of the server, and the limits for clients.

    - `max_client_lag`: the seconds rows wait for other rows before the commit.
    - `keys`: whether requests need a key. Without keys everybody who reaches the address may do
      everything, under the names of the server and `allowed_hosts` alone: requests from pages of
      other servers are refused then.
    - `most_bytes`: the largest size of a request with rows.
    - `locations`: the only folders for COPY INTO in clients' statements, reading and writing.
    - `statement_timeout`: the longest run of a statement in seconds; 0 is without end.
    - `most_tables`: the tables with open channels of one key.
    - `most_channels`: the open channels of one key.
    - `runs_tasks`: whether the server runs the tasks of the lake.
    - `most_result_bytes`: the largest size of a result, None for 256 MiB; an eighth of Java's
      memory is a further limit.
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
    most_tables: int = 1_000
    most_channels: int = 20_000
    runs_tasks: bool = True

    @property
    def hosts(self) -> Hosts:
        """The host names allowed in requests if no key is needed."""
        names = (host.strip("[]").lower() for host in (self.host, *self.allowed_hosts))
        return Hosts(LOOPBACK | set(names))


class Server:
    """A server that already listens, and answers once `run` is called; made by `open_server`."""

    def __init__(
        self, app: FastAPI, listener: socket.socket, ending: Sequence[_EndingStep] = ()
    ) -> None:
        """Make a server; the steps of `ending` are taken once the server was asked to end."""
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            server_header=False,
            http=partial(ClientConnection, pace=Pace()),  # type: ignore[arg-type]
            ws="none",
            backlog=_BACKLOG,
            timeout_keep_alive=_KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=_GRACE_SECONDS,
        )
        self._server = _Server(config)
        self._server.ending = ending
        self._listener = listener

    def run(self, ready: Callable[[str], None]) -> None:
        """Answer until SIGTERM, Ctrl-C or `end`; call `ready` with the URL at the beginning."""
        host, port = self._listener.getsockname()[:2]
        shown_host = f"[{host}]" if ":" in host else host
        self._server.ready = lambda: ready(f"http://{shown_host}:{port}")
        self._server.run([self._listener])

    def end(self) -> None:
        """Answer the requests under way, and no more."""
        self._server.should_exit = True


@contextlib.contextmanager
def open_server(
    session: Session, settings: ServerSettings, options: LaunchOptions | None = None
) -> Iterator[Server]:
    """Yield a server of a session's lake; the rows taken are committed at the end of the block.

    Args:
        session: a session of the lake; the server runs on the session's Spark at first.
        settings: the address and the limits.
        options: the options to start Spark with, after Spark has died. Without options, or if Spark
            does not start any more, the server ends.

    Raises:
        AddressTaken: another program listens there, or the address is none of this machine's.
        FileRefused: a location has the lake's own files in it.
        ChannelInvalid: the server ended, and some rows taken could not be committed.
        SetupError: Spark died, at the start or later, and did not start again.
    """
    validate_locations(session, settings.locations)
    limit_to_locations(session, settings.locations)
    with _listening(settings) as listener:
        ingestor = open_host_ingestor(session, settings.max_client_lag)
        supervisor = Supervisor(session, ingestor, options)
        try:
            warm_up_appends(session)
            with count_events() as counters, _open_state(supervisor, settings, counters) as state:
                server = Server(make_app(state), listener, _ending_of(state))
                supervisor.start(server.end)
                yield server
        finally:
            given_up = ingestor.close()
            supervisor.close()
        supervisor.require_started()
        require_all_committed(given_up)


def _ending_of(state: ServerState) -> Sequence[_EndingStep]:
    """Return the steps by which all that wait get an answer before their requests are ended."""
    scheduler = state.scheduler
    return (
        *(() if scheduler is None else (_EndingStep(0, scheduler.drain),)),
        _EndingStep(_CANCEL_SECONDS, state.statements.cancel_all),
        _EndingStep(_WAITS_END_SECONDS, state.waits.end),
    )


@contextlib.contextmanager
def _open_state(
    supervisor: Supervisor, settings: ServerSettings, counters: EventCounters
) -> Iterator[ServerState]:
    """Yield the server's state; at the end cancel running statements and delete results."""
    host = supervisor.host
    database = catalog_of(host)
    slots, most_bytes = _ask_spark(host, settings)
    limits = StatementLimits(
        timeout=settings.statement_timeout,
        most_bytes=most_bytes,
        most_kept_bytes=_KEPT_RESULTS * most_bytes,
        by_key=settings.keys,
    )

    def open_for(key: KeyRecord, pool: str) -> Session:
        return supervisor.open_guest(key, settings.locations, pool)

    pages = open_scratch()
    statements = Statements(
        open_for, database, pages.location, slots, limits, supervisor.has_lost_spark
    )

    ingestor = supervisor.ingestor
    _prepare_channels(ingestor, settings, slots)
    connect_strikes(statements, ingestor, host)
    slots.on_stuck = partial(_end_stuck, statements, supervisor)
    supervisor.on_replaced = partial(_go_on, statements)
    access = Access(database, is_open=not settings.keys, hosts=settings.hosts)
    threads = Threads(by_key=settings.keys)
    unread = UnreadAnswers(_UNREAD_RESULTS * most_bytes, most_bytes)
    parts = (database, ingestor, statements, supervisor, access, threads)
    more = (settings.most_bytes, unread, settings.locations, counters)
    try:
        with (
            _open_watches(database, ingestor) as (watch, health),
            _running_tasks(supervisor, statements, settings) as scheduler,
        ):
            yield ServerState(*parts, watch, health, *more, scheduler=scheduler)
    finally:
        statements.close()
        threads.close()
        pages.close()


@contextlib.contextmanager
def _running_tasks(
    supervisor: Supervisor, statements: Statements, settings: ServerSettings
) -> Iterator[Scheduler | None]:
    """Run the tasks of the lake within a block; at the end wait for runs under way, for a while."""
    if not settings.runs_tasks:
        yield None
        return
    turns = statements.host_turns
    host = PooledHost(supervisor.host, supervisor.find_host, turns)
    scheduler = Scheduler(host, SchedulerOptions(drain_seconds=_DRAIN_SECONDS))
    turns.on_turn = scheduler.wake
    with scheduler:
        yield scheduler


def _ask_spark(host: Session, settings: ServerSettings) -> tuple[TaskSlots, int]:
    """Return Spark's task slots, and the largest size of a result."""
    with telling_failed_start(host.spark):
        return TaskSlots(host.spark), find_byte_limit(host.spark, settings.most_result_bytes)


def _prepare_channels(ingestor: Ingestor, settings: ServerSettings, slots: TaskSlots) -> None:
    """Set the limits of the channels of a key, and give flushes their threads and task slots.

    Raises:
        NoThreads: the machine gives the process no thread.
    """
    ingestor.limits = replace(
        ingestor.limits,
        by_owner=settings.keys,
        most_tables=settings.most_tables,
        most_channels=settings.most_channels,
    )
    ingestor.pools = open_flush_pools(by_owner=settings.keys).start()
    ingestor.slot = slots.reserve_for_flush


@contextlib.contextmanager
def _open_watches(database: Database, ingestor: Ingestor) -> Iterator[tuple[ThreadWatch, Database]]:
    """End channels of revoked keys; yield the watch of threads, and the catalog for health."""
    watch, health = ThreadWatch(), database.with_own_pool(_HEALTH_CONNECTIONS)
    revocations = Revocations(database, ingestor)
    try:
        yield watch, health
    finally:
        revocations.close()
        watch.close()
        health.close()


def _go_on(statements: Statements, host: Session, ending: Ending) -> None:
    """Judge the end of a Spark, and run statements in the next one."""
    in_maintenance = RUNS.judge_death(host.spark.sparkContext.applicationId)
    statements.judge(ending, in_maintenance=in_maintenance)
    statements.slots.restart(host.spark)


def _end_stuck(statements: Statements, supervisor: Supervisor) -> None:
    statements.note_stuck()
    supervisor.replace_stuck()


@dataclass(frozen=True, slots=True)
class _EndingStep:
    """A step of the end: `take` is called `seconds` after the server was asked to end."""

    seconds: float
    take: Callable[[], object]


class _Server(uvicorn.Server):
    """Calls `ready` when the server answers, and waits for no client for ever."""

    ready: Callable[[], None]
    ending: Sequence[_EndingStep] = ()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle the signals that end the server.

        Uvicorn's own handling sends the signals once more at the end; rows are committed after
        that.
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

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Answer the requests under way; take the steps of the end that come before the last."""
        loop = asyncio.get_running_loop()
        timers = [loop.call_later(step.seconds, step.take) for step in self.ending]
        try:
            await super().shutdown(sockets)
        finally:
            for timer in timers:
                timer.cancel()

    async def on_tick(self, counter: int) -> bool:
        """Once a second, close the connections of idle clients."""
        if counter % _TICKS == 0:
            now = time.monotonic()
            for connection in list(self.server_state.connections):
                if isinstance(connection, ClientConnection):
                    connection.enforce_timeouts(now)
        return await super().on_tick(counter)


def _listening(settings: ServerSettings) -> socket.socket:
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
