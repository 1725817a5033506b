"""Maintenance that runs by itself beside a session that lives long."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from icemelt.errors import IcemeltError
from icemelt.jobs import Job
from icemelt.session.runtime.spark_errors import translated
from icemelt.session.session import Session

__all__ = ["HOUR", "maintain_regularly"]

HOUR = 3600.0
_log = logging.getLogger("icemelt.maintenance")


def maintain_regularly(
    open_session: Callable[[], Session], ended: threading.Event, seconds: float
) -> Job:
    """Maintain a lake every so many seconds in a job, until `ended` is set.

    Each run has a session of its own, which is closed after it. One that fails is made good by the
    next; why it failed, and which tables were skipped, is logged.
    """

    def run() -> None:
        # the next run is a period away: to try again at once would meet the same failure
        try:
            _maintain(open_session)
        except IcemeltError as error:
            _log.info("Maintenance failed, and is tried again later: %s", error.message)
        except Exception:  # noqa: BLE001 - as above
            _log.exception("Maintenance failed, and is tried again later.")

    return Job("icemelt-maintenance", run, every=seconds, delay=seconds, until=ended).start()


def _maintain(open_session: Callable[[], Session]) -> None:
    with open_session() as session, translated(session.spark):
        for each in session.maintain().skipped:
            _log.info("Table %r is left for the next time: %s", each.table, each.reason)
