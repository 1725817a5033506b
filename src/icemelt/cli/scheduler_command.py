"""`icemelt scheduler`: run the tasks of a lake, until Ctrl-C or SIGTERM."""

from __future__ import annotations

import contextlib
import datetime
import signal
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from icemelt.cli.background_session import error_console
from icemelt.cli.batch import FAILED, SUCCEEDED
from icemelt.cli.failure import show_error
from icemelt.cli.progress import watching
from icemelt.cli.terminal import Colour, complain, paint, say
from icemelt.errors import IcemeltError
from icemelt.observe.emitting import subscribe
from icemelt.observe.events import Event, TaskRunEnded, TaskRunSkipped
from icemelt.values import as_json, visible

if TYPE_CHECKING:
    from icemelt.cli.event_reporting import EventReporting
    from icemelt.cli.lake import Lake

__all__ = ["SchedulerSettings", "describe_run", "run_scheduler"]

_ENDING = (signal.SIGINT, signal.SIGTERM)
_COLOURS = {"SUCCEEDED": Colour.GREEN, "SKIPPED": Colour.DIM}


@dataclass(frozen=True, slots=True)
class SchedulerSettings:
    """How `icemelt scheduler` runs tasks.

    Attributes:
        parallel: how many runs are executed at once.
        lease: how many seconds after the last sign of life others take its runs over.
        locations: the folders and locations within which tasks and pipes of a server's clients read
            and write; None for where they might when they were written.
    """

    parallel: int
    lease: float
    locations: tuple[str, ...] | None = None


def run_scheduler(lake: Lake, settings: SchedulerSettings, telling: EventReporting) -> int:
    """Run the tasks of a lake until a signal; return the exit code.

    At the first Ctrl-C or SIGTERM no further run begins, and those under way go on for a while; at
    the second one they are stopped.

    Args:
        lake: the lake.
        settings: how tasks are run.
        telling: the log and the OpenTelemetry export.
    """
    try:
        lake.require_existing()
        with telling.report():
            _run(lake, settings)
    except IcemeltError as error:
        show_error(error)
        return FAILED
    return SUCCEEDED


def describe_run(event: TaskRunEnded | TaskRunSkipped, now: datetime.datetime) -> str:
    r"""Return a run of a task in a line for people: time, task, state, duration.

    Args:
        event: the end of the run.
        now: the time of the line.

    >>> now = datetime.datetime(2026, 1, 2, 3, 4, 5)
    >>> describe_run(TaskRunEnded("main.public.t", "SUCCEEDED", 1.25, 0.1), now)
    '03:04:05 main.public.t SUCCEEDED 1.25 s'
    >>> describe_run(TaskRunSkipped("main.public.t", "condition-false"), now)
    '03:04:05 main.public.t SKIPPED condition-false'
    >>> describe_run(TaskRunSkipped("main.public.\u202ead", "condition-false"), now)
    '03:04:05 main.public.\\u202ead SKIPPED condition-false'
    """
    if isinstance(event, TaskRunSkipped):
        state, rest = "SKIPPED", event.reason
    else:
        state, rest = event.state, f"{event.seconds:.2f} s"
        if event.error_code is not None:
            rest += f" {event.error_code}"
    shown = paint(state, _COLOURS.get(state, Colour.RED), sys.stdout)
    return f"{now:%H:%M:%S} {visible(event.task)} {shown} {rest}"


def _run(lake: Lake, settings: SchedulerSettings) -> None:
    """Start Spark and a scheduler, and run tasks until a signal."""
    from icemelt.engine.start.configuration import LaunchOptions  # noqa: PLC0415 - not for --help
    from icemelt.session.hosting import limit_to_locations  # noqa: PLC0415 - loads Spark

    # a Java out of memory is replaced, since nobody can rely on its further work
    launching = LaunchOptions(ends_without_memory=True)
    with _hearing_signals() as asked:
        with watching(error_console(), "Starting Spark"):
            session = lake.open(maintain_every=3600, launching=launching)
        if settings.locations is not None:
            limit_to_locations(session, settings.locations)
        running = session.scheduler(parallel=settings.parallel, lease=settings.lease)
        with session, _telling_of_runs(), running as scheduler:
            complain(f"Running the tasks of {lake.label}; Ctrl-C ends it.")
            asked.acquire()
            if scheduler.running:
                complain(f"Waiting for {scheduler.running} under way; Ctrl-C stops what runs.")
            with contextlib.suppress(KeyboardInterrupt), _interrupted_by_signals():
                scheduler.stop()


@contextlib.contextmanager
def _hearing_signals() -> Iterator[threading.Lock]:
    """Yield a lock that Ctrl-C or SIGTERM releases: a handler must wait for no other lock."""
    asked = threading.Lock()
    asked.acquire()

    def release(_number: int, _frame: object) -> None:
        # released already: it is the second signal
        with contextlib.suppress(RuntimeError):
            asked.release()

    before = {number: signal.signal(number, release) for number in _ENDING}
    try:
        yield asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def _interrupted_by_signals() -> Iterator[None]:
    """Have Ctrl-C and SIGTERM raise KeyboardInterrupt within a block."""
    before = {number: signal.signal(number, signal.default_int_handler) for number in _ENDING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def _telling_of_runs() -> Iterator[None]:
    """Write a line for each run that ends: for people on a terminal, JSON in a pipe."""

    def tell(event: Event) -> None:
        if not isinstance(event, TaskRunEnded | TaskRunSkipped):
            return
        now = datetime.datetime.now(tz=datetime.UTC)
        if sys.stdout.isatty():
            say(describe_run(event, now.astimezone()))
            return
        state = {"state": "SKIPPED"} if isinstance(event, TaskRunSkipped) else {}
        say(as_json({"at": now, **event.details, **state}))

    unsubscribe = subscribe(tell, TaskRunEnded, TaskRunSkipped)
    try:
        yield
    finally:
        unsubscribe()
