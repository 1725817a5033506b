"""`icemelt serve`: channels and SQL over HTTP, until Ctrl-C or SIGTERM."""

from __future__ import annotations

import gc
import sys
from typing import TYPE_CHECKING

from icemelt.catalog.keys import create_key, list_keys
from icemelt.cli.background_session import error_console
from icemelt.cli.batch import FAILED, SUCCEEDED
from icemelt.cli.failure import show_error
from icemelt.cli.progress import watching
from icemelt.cli.terminal import say
from icemelt.engine.slots import RESERVED_SLOTS
from icemelt.engine.start.configuration import LaunchOptions
from icemelt.errors import IcemeltError
from icemelt.server.connections import allow_connections
from icemelt.server.run import ServerSettings, open_server

if TYPE_CHECKING:
    from icemelt.cli.event_reporting import EventReporting
    from icemelt.cli.lake import Lake
    from icemelt.session import Session

__all__ = ["run_server"]

# how long a thread computes while others wait: to parse a statement of a thousand lines takes
# seconds, and an answer to another client needs dozens of turns
_SWITCH_SECONDS = 0.0005
# a Java out of memory is replaced, since nobody can rely on its further work
_LAUNCHING = LaunchOptions(
    ends_without_memory=True, has_accumulators=False, reserved=RESERVED_SLOTS
)


def run_server(lake: Lake, settings: ServerSettings, telling: EventReporting) -> int:
    """Serve a lake; return the exit code. The first start makes and shows a key.

    Args:
        lake: the lake.
        settings: the server's settings.
        telling: the log and the OpenTelemetry export.
    """
    allow_connections()
    sys.setswitchinterval(_SWITCH_SECONDS)
    try:
        with telling.report():
            _serve(lake, settings)
    except IcemeltError as error:
        show_error(error)
        return FAILED
    return SUCCEEDED


def _serve(lake: Lake, settings: ServerSettings) -> None:
    """Start Spark and the server, and serve until Ctrl-C or SIGTERM."""
    with watching(error_console(), "Starting Spark"):
        session = lake.open(maintain_every=3600, launching=_LAUNCHING)
    with session, open_server(session, settings, _LAUNCHING) as server:
        if settings.keys:
            _say_first_key(session)
        # today's objects stay to the end: collections skip them, come sooner, and so let Java free
        # objects that Python's garbage has kept
        gc.collect()
        gc.freeze()
        server.run(lambda url: say(f"Serving {lake.label} at {url}"))


def _say_first_key(session: Session) -> None:
    """Make and show a key, if the lake has no key yet."""
    from icemelt.session.hosting import catalog_of  # noqa: PLC0415 - with the session

    database = catalog_of(session)
    with database.read() as connection:
        if list_keys(connection):
            return
    _, text = create_key(database, "first")
    say(f"The first key, shown this once: {text}")
