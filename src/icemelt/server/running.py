"""The statements that clients have submitted: they wait, run, and keep their rows for a while."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from icemelt.catalog.database import Database
from icemelt.catalog.reading import statement
from icemelt.catalog.records import KeyRecord, StatementRecord
from icemelt.errors import (
    CatalogError,
    IcemeltError,
    NotYet,
    ObjectExists,
    SparkDied,
    StatementCancelled,
)
from icemelt.server.failures import Busy, Gone
from icemelt.server.pages import Pages, write_pages
from icemelt.session import Result, Session
from icemelt.session.current import stand_on
from icemelt.session.hiding import hiding_places
from icemelt.session.jobs import cancelled
from icemelt.session.spark_errors import died
from icemelt.sql.parse import split

__all__ = ["Part", "Statements", "Submission", "Submitted"]

_LOGGER = logging.getLogger("icemelt.server")
_DONE = frozenset({"succeeded", "failed", "cancelled"})


@dataclass(frozen=True, slots=True)
class Submission:
    """What a client wants to have run: one statement, or a script, in a session of its own.

    `statement_id` is the first one's; the same one is never run twice.
    """

    statement_id: str
    text: str
    parameters: list[Any] | dict[str, Any] | None = None
    database: str | None = None
    schema: str | None = None
    timezone: str | None = None
    timeout: float | None = None


@dataclass(slots=True)
class Part:
    """One statement of a submission, and what came of it."""

    statement_id: str
    text: str
    status: str = "waiting"
    rowcount: int | None = None
    notice: str | None = None


@dataclass(slots=True)
class Submitted:
    """A submission under way, or done; `pages` has the rows of its last statement."""

    submission: Submission
    owner: KeyRecord
    parts: list[Part]
    status: str = "waiting"
    error: IcemeltError | None = None
    pages: Pages | None = None
    is_cancelled: bool = False
    is_forgotten: bool = False
    ended_at: float = 0.0
    session: Session | None = None

    @property
    def is_done(self) -> bool:
        """Whether nothing of it will change any more."""
        return self.status in _DONE

    def end(self, status: str, error: IcemeltError | None = None) -> None:
        """Take note of the end."""
        for part in self.parts:
            part.status = {"running": status, "waiting": "not run"}.get(part.status, part.status)
        self.session, self.error, self.ended_at = None, error, time.monotonic()
        self.status = status


@dataclass(slots=True)
class Statements:
    """Runs statements in threads of its own, so that none of them keeps a channel waiting.

    `open_session` opens a session for a client by its name, `died_under` tells whether the Spark of
    one is gone. Rows are kept for `kept_seconds` after the last one was asked for, in files below
    `folder`.
    """

    open_session: Callable[[str], Session]
    database: Database
    folder: str
    at_once: int = 8
    waiting: int = 200
    most_rows: int = 1_000_000
    kept_seconds: float = 600.0
    died_under: Callable[[Session | None], bool] = lambda _session: False
    _known: dict[str, Submitted] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _threads: ThreadPoolExecutor = field(init=False)

    def __post_init__(self) -> None:
        self._threads = ThreadPoolExecutor(self.at_once, thread_name_prefix="icemelt-statement")

    def submit(self, submission: Submission, owner: KeyRecord) -> Submitted:
        """Have a submission run; one that is known is not run again, but answered as it is.

        Raises:
            SqlSyntaxError: there is no statement in it, or it cannot be told where one ends.
            Busy: too many wait.
            ObjectExists: somebody else's has that id.
        """
        parts = _parts(submission)
        with self._lock:
            self._forget_old()
            known = self._known.get(submission.statement_id)
            if known is not None:
                return _of(known, owner)
            if sum(not each.is_done for each in self._known.values()) >= self.waiting:
                raise Busy(
                    f"{self.waiting} statements run or wait, as many as may.",
                    hint="Submit it again a little later.",
                )
            submitted = Submitted(submission, owner, parts)
            self._known[submission.statement_id] = submitted
        # the catalog may be slow: others are not to wait for it, too
        try:
            was_run = self._was_run(submitted)
        except IcemeltError as error:
            with self._lock:
                # who asked may have forgotten it meanwhile
                self._known.pop(submission.statement_id, None)
                submitted.end("failed", error)
            raise
        if not was_run:
            self._threads.submit(self._run, submitted)
        return submitted

    def find(self, statement_id: str, owner: KeyRecord) -> Submitted | None:
        """Return a submission of this key, None where there is none any more."""
        with self._lock:
            self._forget_old()
            found = self._known.get(statement_id)
            if found is None or found.owner != owner:
                return None
            if found.is_done:
                found.ended_at = time.monotonic()
            return found

    def cancel(self, submitted: Submitted) -> None:
        """Cancel what runs of a submission, and what has not begun."""
        with self._lock:
            if submitted.is_done or submitted.is_cancelled:
                return
            submitted.is_cancelled = True
            if submitted.status == "waiting":
                submitted.end("cancelled", cancelled())
                return
            session = submitted.session
        if session is not None:
            # what died runs nothing
            with contextlib.suppress(SparkDied):
                session._core.jobs.cancel(for_good=True)

    def forget(self, submitted: Submitted) -> None:
        """Give back the rows of a submission, or those of one that runs as soon as it ends."""
        with self._lock:
            self._known.pop(submitted.submission.statement_id, None)
            submitted.is_forgotten = True
        _give_back(submitted)

    def close(self) -> None:
        """Cancel what runs, and wait for its end."""
        with self._lock:
            running = list(self._known.values())
        for each in running:
            self.cancel(each)
        self._threads.shutdown(cancel_futures=True)
        for each in running:
            self.forget(each)

    def counts(self) -> dict[str, int]:
        """Return how many submissions there are of each status."""
        with self._lock:
            found = [each.status for each in self._known.values()]
        return {status: found.count(status) for status in ("waiting", "running", *sorted(_DONE))}

    def _run(self, submitted: Submitted) -> None:
        with self._lock:
            if submitted.is_done:
                return
            submitted.status = "running"
        self._run_to_its_end(submitted)
        if submitted.is_forgotten:
            _give_back(submitted)

    def _run_to_its_end(self, submitted: Submitted) -> None:
        try:
            with self._timed(submitted), self.open_session(submitted.owner.name) as session:
                self._run_parts(submitted, session)
        except StatementCancelled as error:
            self._failed(submitted, "cancelled", error)
        except IcemeltError as error:
            self._failed(submitted, "failed", error)
        except Exception:
            if self.died_under(submitted.session):
                self._failed(submitted, "failed", died())
                return
            _LOGGER.exception("Statement %s failed", submitted.submission.statement_id)
            message = "An internal error; the server's log has it."
            told = IcemeltError(message, hint="Tell who runs the server.")
            self._failed(submitted, "failed", told)
        else:
            with self._lock:
                submitted.end("succeeded")

    @contextlib.contextmanager
    def _timed(self, submitted: Submitted) -> Iterator[None]:
        """Cancel a submission that takes longer than it may."""
        seconds = submitted.submission.timeout
        if seconds is None:
            yield
            return
        timer = threading.Timer(seconds, self.cancel, [submitted])
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _run_parts(self, submitted: Submitted, session: Session) -> None:
        with self._lock:
            submitted.session = session
        wanted = submitted.submission
        stand_on(session._core, wanted.database, wanted.schema, wanted.timezone)
        for part in submitted.parts:
            if submitted.is_cancelled:
                raise cancelled()
            part.status = "running"
            result = session._run(part.text, wanted.parameters, part.statement_id)
            if part is submitted.parts[-1]:
                with hiding_places(session._core):
                    submitted.pages = self._pages(result)
            result.close()
            part.status, part.rowcount, part.notice = "succeeded", result.rowcount, result.notice
        if session.in_transaction:
            raise NotYet(
                "The transaction that was begun is not committed: it was rolled back.",
                hint="Send BEGIN, what belongs to it and COMMIT in one request.",
            )

    def _pages(self, result: Result) -> Pages:
        found = result.to_arrow(self.most_rows + 1)
        if found.num_rows > self.most_rows:
            raise NotYet(
                f"The query gives more than {self.most_rows:,} rows, as many as a result may have.",
                hint="Add a LIMIT, or write them as files: COPY INTO '/folder' FROM (…).",
            )
        return write_pages(self.folder, found, result.types)

    def _failed(self, submitted: Submitted, status: str, error: IcemeltError) -> None:
        """Take note of an end that was not wanted.

        The history knows more: what was rolled back with its transaction, and what was published
        before its answer was lost.
        """
        was_running = next((each for each in submitted.parts if each.status == "running"), None)
        with contextlib.suppress(CatalogError):
            for part, found in self._look_up(submitted):
                # a query is in the history before its rows are there
                if found.wrote or part is not was_running:
                    part.status, part.rowcount = found.status, found.rowcount
        with self._lock:
            if was_running is submitted.parts[-1] and was_running.status == "succeeded":
                submitted.end("succeeded")
            else:
                submitted.end(status, error)

    def _was_run(self, submitted: Submitted) -> bool:
        """Tell whether the history has the submission: it came to a server before this one."""
        known = self._look_up(submitted)
        if not known:
            return False
        for part, found in known:
            part.status, part.rowcount = found.status, found.rowcount
        if submitted.parts[-1].status == "succeeded":
            submitted.end("succeeded")
            return True
        messages = [found.error_message for _, found in known if found.error_message]
        message = messages[-1] if messages else "It was not run to its end."
        submitted.end("failed", Gone(message, hint="Submit what is left under another id."))
        return True

    def _look_up(self, submitted: Submitted) -> list[tuple[Part, StatementRecord]]:
        """Return those statements that the history has."""
        known = []
        with self.database.read() as connection:
            for part in submitted.parts:
                found = statement(connection, part.statement_id)
                if found is not None:
                    known.append((part, found))
        if any(found.user != submitted.owner.name for _, found in known):
            raise _taken(submitted.submission.statement_id)
        return known

    def _forget_old(self) -> None:
        """Give back the rows that nobody has asked for since long; the lock is held."""
        ends = time.monotonic() - self.kept_seconds
        old = [name for name, each in self._known.items() if each.is_done and each.ended_at < ends]
        for name in old:
            _give_back(self._known.pop(name))


def _give_back(submitted: Submitted) -> None:
    if submitted.pages is not None:
        submitted.pages.remove()


def _parts(submission: Submission) -> list[Part]:
    """Return the statements with their ids: the first has the submission's own."""
    texts = split(submission.text) or [submission.text]
    if len(texts) > 1 and submission.parameters is not None:
        raise NotYet(
            "Parameters go with one statement, and the request has several.",
            hint="Send each in a request of its own, or write the values.",
        )
    space = uuid.UUID(submission.statement_id)
    ids = [submission.statement_id, *(str(uuid.uuid5(space, str(n))) for n in range(1, len(texts)))]
    return [Part(statement_id, text) for statement_id, text in zip(ids, texts, strict=True)]


def _of(known: Submitted, owner: KeyRecord) -> Submitted:
    if known.owner != owner:
        raise _taken(known.submission.statement_id)
    return known


def _taken(statement_id: str) -> ObjectExists:
    return ObjectExists(
        f"Statement id {statement_id!r} is taken.", hint="Choose another one: uuid.uuid4()."
    )
