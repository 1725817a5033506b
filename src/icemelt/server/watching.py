"""The server's running statements in the registry, and cancels requested in the registry."""

from __future__ import annotations

import logging
import math
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field

from icemelt.catalog.database import Database
from icemelt.catalog.running import RunningStatement, find_cancellations, report_running
from icemelt.errors import CatalogError
from icemelt.jobs import UNTIL_WOKEN, Job
from icemelt.server.submissions import SubmissionRun

__all__ = ["StatementWatch"]

_SECONDS = 1.0
# repeat the list in time: the registry believes a server's list for a minute
_REPEAT_SECONDS = 20.0
_LONGEST_TEXT = 1_000
_LOGGER = logging.getLogger("icemelt.server")


@dataclass(slots=True)
class StatementWatch:
    """Visits the registry once a second while statements run or wait, and not at other times.

    `under_way` returns the waiting and running submissions; `cancel` cancels a submission for a
    reason. A statement of less than a second is not listed, and costs the registry nothing.
    """

    database: Database
    under_way: Callable[[], list[SubmissionRun]]
    cancel: Callable[[SubmissionRun, str], None]
    _server_id: str = field(default_factory=lambda: str(uuid.uuid4()))
    _reported: tuple[RunningStatement, ...] = ()
    _reported_at: float = 0.0
    _next_visit: float = math.inf
    _job: Job = field(init=False)

    def __post_init__(self) -> None:
        self._job = Job(
            "icemelt-watch",
            self._run,
            delay=UNTIL_WOKEN,
            consequence="what runs is not listed, and a cancel from elsewhere is heard later",
            longest_pause=_SECONDS,
            at_end=self._remove_report,
        ).start()

    def wake(self) -> None:
        """Start to visit the registry: a submission is new."""
        self._job.wake()

    def close(self) -> None:
        """Remove this server's statements from the registry's list."""
        self._job.stop()

    def _run(self) -> float:
        """Visit the registry a second after the last visit, or after the first submission."""
        now = time.monotonic()
        if self._next_visit == math.inf:
            self._next_visit = now + _SECONDS
        if now < self._next_visit:
            return self._next_visit - now
        under_way = self.under_way()
        self._next_visit = now + _SECONDS
        self._visit(under_way)
        if under_way or self._reported:
            return _SECONDS
        self._next_visit = math.inf
        return UNTIL_WOKEN

    def _remove_report(self) -> None:
        if self._reported:
            self._report(())

    def _visit(self, under_way: list[SubmissionRun]) -> None:
        try:
            if under_way:
                self._cancel_requested(under_way)
        except CatalogError as error:
            _LOGGER.info("The registry cannot be asked what to cancel: %s", error.message)
        now = time.time()
        records = tuple(
            _record(submitted) for submitted in under_way if now - submitted.began > _SECONDS
        )
        if records != self._reported or (records and now - self._reported_at > _REPEAT_SECONDS):
            self._report(records)

    def _cancel_requested(self, under_way: list[SubmissionRun]) -> None:
        key_ids = {submitted.owner.key_id for submitted in under_way}
        with self.database.read() as connection:
            cancellations = find_cancellations(connection, self._server_id, key_ids)
        for submitted in under_way:
            if submitted.owner.key_id in cancellations.revoked:
                submitted.is_revoked = True
                self.cancel(submitted, "its key was revoked")
            elif submitted.submission.statement_id in cancellations.statement_ids:
                self.cancel(submitted, "who runs the server asked for it")

    def _report(self, records: tuple[RunningStatement, ...]) -> None:
        try:
            report_running(self.database, self._server_id, records)
        except CatalogError as error:
            _LOGGER.info("The registry cannot be told what runs: %s", error.message)
        else:
            self._reported, self._reported_at = records, time.time()


def _record(submitted: SubmissionRun) -> RunningStatement:
    return RunningStatement(
        statement_id=submitted.submission.statement_id,
        key_id=submitted.owner.key_id,
        user=submitted.owner.name,
        text=submitted.submission.text[:_LONGEST_TEXT],
        submitted_at=int(submitted.began * 1000),
        started_at=None if submitted.started is None else int(submitted.started * 1000),
        is_cancelled=submitted.is_cancelled,
    )
