"""Maintenance that runs by itself beside a session that lives long."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from icemelt.errors import IcemeltError
from icemelt.session.runtime.spark_errors import translated
from icemelt.session.session import Session

__all__ = ["HOUR", "maintain_regularly"]

HOUR = 3600.0
_log = logging.getLogger("icemelt.maintenance")


def maintain_regularly(
    open_session: Callable[[], Session], ended: threading.Event, seconds: float
) -> threading.Thread:
    """Maintain a lake every so many seconds in a thread of its own, until `ended` is set.

    Each run has a session of its own, which is closed after it. One that fails is made good by the
    next; why it failed, and which tables were skipped, is logged.
    """

    def run() -> None:
        while not ended.wait(seconds):
            try:
                _maintain(open_session)
            except IcemeltError as error:
                _log.info("Maintenance failed, and is tried again later: %s", error.message)
            except Exception:  # noqa: BLE001 - else the thread ends, and no run follows
                _log.exception("Maintenance failed, and is tried again later.")

    thread = threading.Thread(target=run, name="icemelt-maintenance", daemon=True)
    thread.start()
    return thread


def _maintain(open_session: Callable[[], Session]) -> None:
    with open_session() as session, translated(session.spark):
        for each in session.maintain().skipped:
            _log.info("Table %r is left for the next time: %s", each.table, each.reason)
