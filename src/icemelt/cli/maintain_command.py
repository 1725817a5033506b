"""`icemelt maintain`: maintain a lake once, or repeatedly until Ctrl-C or SIGTERM."""

from __future__ import annotations

import contextlib
import re
import signal
import time
from collections.abc import Iterator
from dataclasses import asdict, fields
from types import FrameType
from typing import TYPE_CHECKING

from icemelt.cli.background_session import BackgroundSession, Start, error_console
from icemelt.cli.batch import FAILED, SUCCEEDED, run_to_end
from icemelt.cli.failure import show_error
from icemelt.cli.formats import ReportFormat
from icemelt.cli.progress import spark_work, watching
from icemelt.cli.terminal import say
from icemelt.errors import IcemeltError, ParameterError
from icemelt.values import as_json, visible

if TYPE_CHECKING:
    from icemelt.cli.lake import Lake
    from icemelt.session import Maintained, Session

__all__ = ["parse_duration", "run_maintenance"]

_DURATION = re.compile(r"^(\d+)\s*([smhd])$", re.IGNORECASE)
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}


def parse_duration(text: str) -> int:
    """Return the seconds of a duration: a number of seconds, minutes, hours or days.

    Raises:
        ParameterError: the text is no duration.

    >>> parse_duration("90s"), parse_duration("1h")
    (90, 3600)
    """
    match = _DURATION.match(text.strip())
    if match is None or int(match.group(1)) == 0:
        raise ParameterError(
            f"A duration is a number with s, m, h or d, found {text!r}.", hint="--every 1h"
        )
    return int(match.group(1)) * _SECONDS[match.group(2).lower()]


def run_maintenance(lake: Lake, every: int | None, format_: ReportFormat) -> int:
    """Maintain a lake, and print a report; return the exit code.

    Args:
        lake: the lake.
        every: seconds from the end of a run to the next run; a failed run is reported and followed
            by the next. None for a single run.
        format_: how the report is printed.
    """
    try:
        lake.require_existing()
    except IcemeltError as error:
        show_error(error)
        return FAILED
    with _ended_as_by_control_c():
        connection = BackgroundSession(Start(lake, maintain_every=None))

        def work() -> int:
            session = connection.session()
            code = _run(session, format_)
            while every is not None:
                time.sleep(every)  # until the next run is due; Ctrl-C ends it
                code = _run(session, format_)
            return code

        return run_to_end(connection, work)


@contextlib.contextmanager
def _ended_as_by_control_c() -> Iterator[None]:
    """Handle SIGTERM like Ctrl-C: services and cron's jobs are ended by SIGTERM.

    The first process of a container ignores SIGTERM by default, and would be killed.
    """

    def interrupt(_number: int, frame: FrameType | None) -> None:
        handler = signal.getsignal(signal.SIGINT)
        if callable(handler):
            handler(signal.SIGINT, frame)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _run(session: Session, format_: ReportFormat) -> int:
    try:
        with watching(error_console(), "Maintaining the lake", lambda: spark_work(session)):
            done = session.maintain()
    except IcemeltError as error:
        show_error(error)
        return FAILED
    say(as_json([asdict(done)]) if format_ is ReportFormat.JSON else _describe(done))
    return SUCCEEDED


def _describe(done: Maintained) -> str:
    """Return the counts of a run in one line, and a line for every skipped table.

    >>> from icemelt.session import Maintained, Skipped
    >>> _describe(Maintained(versions_expired=2, files_removed=7))
    'versions expired: 2, files removed: 7.'
    >>> print(_describe(Maintained(skipped=(Skipped("main.public.t", "File 'f' is missing."),))))
    Nothing to do.
    Table 'main.public.t' is left for the next time: File 'f' is missing.
    """
    counts = [(field.name, getattr(done, field.name)) for field in fields(done)]
    words = [
        f"{name.replace('_', ' ')}: {count:,}"
        for name, count in counts
        if isinstance(count, int) and count
    ]
    line = ", ".join(words) + "." if words else "Nothing to do."
    skipped = [
        f"Table {table.table!r} is left for the next time: {visible(table.reason)}"
        for table in done.skipped
    ]
    return "\n".join((line, *skipped))
