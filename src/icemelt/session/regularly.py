"""Maintenance that runs by itself beside a session that lives long."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable

from icemelt.errors import IcemeltError
from icemelt.session.session import Session
from icemelt.session.spark_errors import translated

__all__ = ["HOUR", "maintain_regularly"]

HOUR = 3600.0


def maintain_regularly(
    open_session: Callable[[], Session], ended: threading.Event, seconds: float
) -> threading.Thread:
    """Maintain a lake every so many seconds in a thread of its own, until `ended` is set.

    Each run has a session of its own, which is closed after it. One that fails is made good by the
    next.
    """

    def run() -> None:
        while not ended.wait(seconds):
            with (
                contextlib.suppress(IcemeltError),
                open_session() as session,
                translated(session.spark),
            ):
                session.maintain()

    thread = threading.Thread(target=run, name="icemelt-maintenance", daemon=True)
    thread.start()
    return thread
