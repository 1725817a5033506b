"""The statements submitted by clients: waiting, running, and with rows kept for a while."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

from icemelt.catalog.activity_records import KeyRecord, StatementRecord
from icemelt.catalog.database import Database
from icemelt.catalog.publishing import taken_id_error
from icemelt.catalog.queries.reading import find_statements
from icemelt.engine.slots import STATEMENTS, TaskSlots
from icemelt.engine.vitals import Ending, waits_for_java
from icemelt.errors import (
    CatalogError,
    IcemeltError,
    NoThreads,
    NotYet,
    SparkDied,
    StatementCancelled,
)
from icemelt.jobs import JobPool, PooledJob, do_once
from icemelt.observe.emitting import tolerate
from icemelt.server.failures import Gone, internal
from icemelt.server.host_turns import HostTurn, HostTurns
from icemelt.server.long_texts import LongTexts
from icemelt.server.pages import Pages
from icemelt.server.result_rows import find_pages, read_result_rows
from icemelt.server.result_store import ResultStore
from icemelt.server.statement_limits import StatementLimits, require_capacity
from icemelt.server.strikes import Strikes
from icemelt.server.submissions import (
    DONE,
    Submission,
    SubmissionRun,
    SubmittedStatement,
    parts_of,
    size_of,
)
from icemelt.server.turns import Turns
from icemelt.server.watching import StatementWatch
from icemelt.session import Result, Session
from icemelt.session.hosting import share_results
from icemelt.session.runtime.jobs import cancelled_error
from icemelt.session.runtime.kept_results import ResultRows, with_spark_schema
from icemelt.session.runtime.spark_errors import spark_died_error

__all__ = ["Statements"]

_LOGGER = logging.getLogger("icemelt.server")
# a statement that hears no cancel is answered as cancelled after so long
_PATIENCE_SECONDS = 2.0
# suspect rows wait so long for running statements, to be written alone
_HOLD_SECONDS = 5.0
# suspect rows keep statements waiting for no longer
_LONGEST_HOLD_SECONDS = 10.0
# a suspect's statement runs so long while other suspects wait, and is looked at so often
_SUSPECT_SECONDS, _LOOK_SECONDS = 10.0, 1.0
# statements wait so long for a thread of the machine before the next tries to begin
_NO_THREADS_SECONDS = 1.0
# what is done at a time is done in so many threads: one may wait for Java
_TIMERS = 2


@dataclass(slots=True)
class Statements:
    """Runs statements in threads of its own, so that no statement keeps a channel waiting.

    `open_session` opens a session for a key, in a pool of `slots`. `has_lost_spark` tells whether
    the Spark of a session is gone. Rows are kept in files below `folder`, for a while after the
    last request.
    """

    open_session: Callable[[KeyRecord, str], Session]
    database: Database
    folder: str
    slots: TaskSlots
    limits: StatementLimits = field(default_factory=StatementLimits)
    has_lost_spark: Callable[[Session | None], bool] = lambda _session: False
    strikes: Strikes = field(init=False)
    host_turns: HostTurns = field(init=False)
    _known: dict[str, SubmissionRun] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _turns: Turns[SubmissionRun | HostTurn] = field(init=False)
    _kept: ResultStore = field(init=False)
    _running: set[SubmissionRun] = field(default_factory=set)
    _changed: threading.Condition = field(init=False)
    _is_closed: bool = False
    _holds: set[object] = field(default_factory=set)
    _long_texts: LongTexts = field(default_factory=LongTexts)
    _watch: StatementWatch = field(init=False)
    _timers: JobPool = field(init=False)
    _owners: dict[str, KeyRecord] = field(default_factory=dict)

    def __post_init__(self) -> None:
        at_once, self.strikes = len(STATEMENTS), Strikes(self.limits.by_key)
        self._turns = Turns(at_once) if self.limits.by_key else Turns(at_once, at_once, 0)
        self._turns.suspected = self.strikes.is_suspect
        self._changed = threading.Condition(self._lock)
        shared = (self._turns, self.slots, self.strikes, self.database, self._changed)
        self.host_turns = HostTurns(*shared, self._begin)
        self._kept = ResultStore(self.folder, self.limits.most_kept_bytes)
        self._timers = JobPool("icemelt-timer", _TIMERS).start()
        self._watch = StatementWatch(self.database, self._under_way, self.cancel)
        self.slots.on_free = self._begin

    def submit(self, submission: Submission, owner: KeyRecord) -> SubmissionRun:
        """Run a submission; a submission with a known id is not run again, but answered as before.

        Raises:
            SqlSyntaxError: the text has no statement, or the end of a statement is unclear.
            TooLarge: the text has too many statements.
            Busy: too many wait, or Spark has ended again and again while this key's statements ran.
            ObjectExists: another key's submission has the id.
            NoThreads: the machine has no thread to run it; it can be submitted again under its id.
        """
        size = size_of(submission)
        with self._long_texts.reading(submission.text, owner.key_id):
            parts = parts_of(submission)
        with self._lock:
            self._forget_old()
            earlier = self._known.get(submission.statement_id)
            if earlier is not None:
                return earlier.require_owner(owner)
            self.strikes.require_allowed(owner.key_id)
            require_capacity(self.limits, self._known.values(), owner, size)
            self._forget_many(owner)
            submitted = SubmissionRun(
                submission, owner, parts, self._timeout(submission, owner), size
            )
            self._known[submission.statement_id] = submitted
        # without the lock: the catalog may be slow
        try:
            was_run = self._was_run(submitted)
        except BaseException as error:
            with self._lock:
                # the client may have sent a DELETE meanwhile
                self._known.pop(submission.statement_id, None)
                submitted.end("failed", error if isinstance(error, IcemeltError) else internal())
            raise
        if not was_run:
            with self._lock:
                if not submitted.is_done:
                    self._turns.add(owner.key_id, submitted)
            self._watch.wake()
            self._require_thread(submitted, self._begin())
        return submitted

    def find(self, statement_id: str, owner: KeyRecord) -> SubmissionRun | None:
        """Return a submission of a key, None if the submission is not kept any more."""
        with self._lock:
            self._forget_old()
            submitted = self._known.get(statement_id)
            if submitted is None or submitted.owner.key_id != owner.key_id:
                return None
            if submitted.is_done:
                submitted.ended_at = time.monotonic()
            return submitted

    def cancel(self, submitted: SubmissionRun, reason: str = "") -> None:
        """Cancel the running statement of a submission, and all statements after.

        A statement may not hear the cancel, as Spark's planner does not. The submission is answered
        as cancelled all the same, if the statement can publish nothing any more; thread and slot
        are free when the statement ends.
        """
        with self._lock:
            if submitted.is_done or submitted.is_cancelled:
                return
            submitted.is_cancelled, submitted.reason = True, reason
            if submitted.status == "waiting":
                self._turns.remove(submitted.owner.key_id, submitted)
                submitted.end("cancelled", cancelled_error())
                return
            session = submitted.session
        self._later(_PATIENCE_SECONDS, self._give_up, submitted)
        if session is not None:
            # in a job: a Java with full memory may not answer for a minute
            cancel = partial(session.cancel, for_good=True)
            do_once("icemelt-cancel", cancel, consequence="it ends by itself").try_start()

    def forget(self, submitted: SubmissionRun) -> None:
        """Delete the rows of a submission; those of a running submission are deleted at its end."""
        with self._lock:
            self._known.pop(submitted.submission.statement_id, None)
            submitted.is_forgotten = True
        self._kept.remove(submitted)

    def cancel_all(self) -> list[SubmissionRun]:
        """Begin no further statement, and cancel all; return the submissions that are known."""
        with self._lock:
            self._is_closed = True
            submissions = list(self._known.values())
        for submitted in submissions:
            self.cancel(submitted, "the server ends")
        return submissions

    def close(self) -> None:
        """Cancel the running statements, and wait for their end, for as long as a cancel may take.

        A statement still running after the wait ends with the process; the statement can publish
        nothing.
        """
        submissions = self.cancel_all()
        with self._changed:
            self._changed.wait_for(lambda: not self._running, self.slots.grace)
            for submitted in self._running:
                _LOGGER.error(
                    "Statement %s goes on after it was cancelled; the server ends without it.",
                    submitted.submission.statement_id,
                )
        self._watch.close()
        self._timers.stop(self.slots.grace)
        self.slots.close()
        for submitted in submissions:
            self.forget(submitted)

    def note_stuck(self) -> None:
        """Note the owners of stuck tasks, before Spark is ended and the owners are unknown."""
        for pool in self.slots.stuck_pools:
            if pool in self._owners:
                self.strikes.note_culprit(self._owners[pool])

    def had_statements_at_death(self, *, beside: int = 0) -> bool:
        """Tell whether more than `beside` statements ran in the Spark that died just now."""
        with self._lock:
            number = self.strikes.number
            running = len(self._owners_in(number))
        return running > beside or self.strikes.has_lost

    @contextlib.contextmanager
    def hold(self) -> Iterator[None]:
        """Begin no statement within a block; wait a little for the end of running statements.

        A block that takes long holds statements no more; then it is not alone.
        """
        hold = object()
        with self._changed:
            self._holds.add(hold)
            self._changed.wait_for(lambda: not (self._running or self.host_turns), _HOLD_SECONDS)
        release, late = partial(self._release, hold), "statements wait for rows"
        seconds = _LONGEST_HOLD_SECONDS
        job = self._timers.do_once("icemelt-hold", release, delay=seconds, consequence=late)
        try:
            yield
        finally:
            job.end()
            release()

    @contextlib.contextmanager
    def hold_suspects(self) -> Iterator[None]:
        """Run no statement of a suspect within a block; cancel a running one after a while."""
        with self._changed:
            self._turns.holds += 1
            seconds = _SUSPECT_SECONDS + self.slots.grace
            self._changed.wait_for(lambda: not self._turns.runs_suspect, seconds)
        try:
            yield
        finally:
            with self._changed:
                self._turns.holds -= 1
            self._begin()

    def _release(self, hold: object) -> None:
        with self._changed:
            self._holds.discard(hold)
        self._begin()

    def judge(self, ending: Ending, *, in_maintenance: bool = False) -> None:
        """Give strikes to the keys whose statements ended a Spark, as `Strikes.judge`."""
        with self._lock:
            number = self.strikes.number
            running = self._owners_in(number)
        self.strikes.judge(running, ending, in_maintenance=in_maintenance)

    def _owners_in(self, spark: int) -> list[KeyRecord]:
        """Return the key of each statement, and run of a task, in a Spark; the lock is held."""
        own = [submitted.owner for submitted in self._running if submitted.spark == spark]
        return [*own, *self.host_turns.owners_in(spark)]

    def counts(self) -> dict[str, int]:
        """Return the number of submissions by status; submissions in a thread count as running."""
        with self._lock:
            statuses = [
                submitted.status
                for submitted in self._known.values()
                if submitted not in self._running
            ]
            statuses += ["running"] * len(self._running)
        return {status: statuses.count(status) for status in ("waiting", "running", *sorted(DONE))}

    def _under_way(self) -> list[SubmissionRun]:
        """Return the waiting and running submissions, also cancelled ones still in a thread."""
        with self._lock:
            waiting = [
                submitted for submitted in self._known.values() if submitted.status == "waiting"
            ]
            return [*waiting, *self._running]

    def _timeout(self, submission: Submission, owner: KeyRecord) -> float | None:
        """Return the longest run of a submission in seconds; a client may only shorten the time."""
        of_key = owner.statement_timeout
        most = self.limits.timeout if of_key is None else of_key
        limits = [seconds for seconds in (most or None, submission.timeout) if seconds is not None]
        return min(limits, default=None)

    def _require_thread(self, submitted: SubmissionRun, error: NoThreads | None) -> None:
        """Forget a new submission that waits because the machine has no thread.

        Raises:
            NoThreads: the submission is forgotten.
        """
        with self._lock:
            if error is None or submitted.status != "waiting":
                return
            self._turns.remove(submitted.owner.key_id, submitted)
            submitted.end("failed", error)
        self.forget(submitted)
        raise error

    def _begin(self) -> NoThreads | None:
        """Start the submissions that may run now; return the error if the machine has no thread."""
        while True:
            with self._lock:
                pool = None if self._is_closed or self._holds else self.slots.take()
                if pool is None:
                    return None
                submitted = self._turns.begin()
                if submitted is None:
                    self.slots.put_back(pool)
                    return None
                if isinstance(submitted, HostTurn):
                    self._owners[pool] = submitted.owner
                    self.host_turns.grant(submitted, pool)
                    continue
                submitted.status, submitted.started = "running", time.time()
                self._owners[pool] = submitted.owner
                submitted.job = do_once("icemelt-statement", partial(self._run, submitted, pool))
                self._running.add(submitted)
                is_suspect = self.strikes.is_suspect(submitted.owner.key_id)
            try:
                submitted.job.start()
            except NoThreads as error:
                self._put_back(submitted, pool, error)
                self._later(_NO_THREADS_SECONDS, lambda _waiting: self._begin(), submitted)
                return error
            if is_suspect:
                self._later(_SUSPECT_SECONDS, self._end_turn, submitted)

    def _put_back(self, submitted: SubmissionRun, pool: str, error: NoThreads) -> None:
        """Let a submission wait again for which the machine has no thread."""
        _LOGGER.error("Statement %s waits: %s", submitted.submission.statement_id, error.message)
        with self._changed:
            self._running.discard(submitted)
            submitted.job, submitted.started = None, None
            key_id = submitted.owner.key_id
            if submitted.is_cancelled:
                self._turns.end(key_id)
                submitted.end("cancelled", cancelled_error())
            else:
                submitted.status = "waiting"
                self._turns.put_back(key_id, submitted)
            self._changed.notify_all()
        self.slots.put_back(pool)

    def _run(self, submitted: SubmissionRun, pool: str) -> None:
        try:
            self._run_to_its_end(submitted, pool)
        finally:
            self.slots.give_back(pool)
            self._leave(submitted)
            self._begin()

    def _leave(self, submitted: SubmissionRun) -> None:
        """End the turn of a submission, and the submission if no end was noted."""
        with self._changed:
            self._turns.end(submitted.owner.key_id)
            self._running.discard(submitted)
            self._changed.notify_all()
            submitted.job = None
            # every submission ends, even after a failure while noting the end
            submitted.end("failed", internal())
            # rows that came after the end was noted
            is_lost = submitted.is_forgotten or submitted.status == "cancelled"
        if is_lost:
            self._kept.remove(submitted)

    def _run_to_its_end(self, submitted: SubmissionRun, pool: str) -> None:
        try:
            # again, since the submission may have waited for long
            self.strikes.require_allowed(submitted.owner.key_id)
            with self._limit_time(submitted), self.open_session(submitted.owner, pool) as session:
                self._run_parts(submitted, session)
        except StatementCancelled as error:
            self._note_failure(submitted, "cancelled", error)
        except IcemeltError as error:
            self._note_failure(submitted, "failed", error)
        except Exception:
            # nobody else handles the error, and the client waits for an end
            if self.has_lost_spark(submitted.session):
                self._note_failure(submitted, "failed", spark_died_error())
                return
            _LOGGER.exception("Statement %s failed", submitted.submission.statement_id)
            self._note_failure(submitted, "failed", internal())
        else:
            with self._lock:
                submitted.end("succeeded")

    def _end_turn(self, submitted: SubmissionRun) -> None:
        """Cancel a suspect's statement as soon as other suspects wait for its end."""
        with self._lock:
            if submitted not in self._running or submitted.is_cancelled:
                return
            must_end = self._turns.keeps_suspects_waiting(submitted.owner.key_id)
        if must_end:
            self.cancel(
                submitted,
                f"it had {_SUSPECT_SECONDS:g} s, as Spark has ended twice in ten minutes for this "
                "key's statements or rows, and another such key waits; run it some minutes later",
            )
        else:
            self._later(_LOOK_SECONDS, self._end_turn, submitted)

    @contextlib.contextmanager
    def _limit_time(self, submitted: SubmissionRun) -> Iterator[None]:
        """Cancel a submission that runs longer than allowed."""
        seconds = submitted.timeout
        if seconds is None:
            yield
            return
        reason = f"it ran for {seconds:,g} s, as long as it may"
        cancel = self._later(seconds, partial(self.cancel, reason=reason), submitted)
        try:
            yield
        finally:
            cancel.end()

    def _run_parts(self, submitted: SubmissionRun, session: Session) -> None:
        with self._lock:
            submitted.session, submitted.spark = session, self.strikes.number
        submission = submitted.submission
        session.use(submission.database, submission.schema, submission.timezone)
        share_results(session, partial(self._find_rows, submitted.owner))
        for part in submitted.parts:
            if submitted.is_cancelled:
                raise cancelled_error()
            part.status = "running"
            result = session.run(part.text, submission.parameters, statement_id=part.statement_id)
            with session.hiding_places():
                pages = self._pages(result, submitted)
            if part is submitted.parts[-1]:
                submitted.pages = pages
            else:
                # run to its last row, as the last statement is
                self._kept.remove_pages(pages)
            result.close()
            part.status, part.rowcount, part.notice = "succeeded", result.rowcount, result.notice
        if session.in_transaction:
            raise NotYet(
                "The transaction that was begun is not committed: it was rolled back.",
                hint="Send BEGIN, what belongs to it and COMMIT in one request.",
            )

    def _pages(self, result: Result, submitted: SubmissionRun) -> Pages:
        most = self.limits.most_rows
        try:
            rows = result.to_arrow(most + 1, self.limits.most_bytes)
            if rows.num_rows > most:
                raise NotYet(
                    f"The query gives more than {most:,} rows, as many as a result may have.",
                    hint="Add a LIMIT, or write them as files: COPY INTO '/folder' FROM (…).",
                )
            if submitted.is_done:
                # the end was noted already
                raise cancelled_error()
            rows = with_spark_schema(rows, result.spark_schema)
            return self._kept.write(submitted.owner.key_id, rows, result.types)
        except IcemeltError as error:
            result.refuse(error)
            raise

    def _find_rows(self, owner: KeyRecord, statement_id: str) -> ResultRows | None:
        """Return the rows of a key's earlier statement, None where none are kept."""
        with self._lock:
            self._forget_old()
            pages = find_pages(self._known.values(), owner, statement_id)
        return None if pages is None else read_result_rows(pages)

    def _give_up(self, submitted: SubmissionRun) -> None:
        """End a submission that has not heard its cancel, if the submission can publish nothing."""
        session = submitted.session
        if session is not None and not session.publishes_nothing:
            return
        with self._lock:
            submitted.end("cancelled", cancelled_error())
        self._later(self.slots.grace, self._end_stuck_planning, submitted)

    def _end_stuck_planning(self, submitted: SubmissionRun) -> None:
        """Have Spark started anew if a thread of a cancelled statement still waits for Java."""
        job, statement_id = submitted.job, submitted.submission.statement_id
        if job is None or self._is_closed:
            return
        if waits_for_java(job.thread_id):
            # without a strike: another statement may have taken the memory, or the cores
            _LOGGER.error("Statement %s was cancelled, and is still planned.", statement_id)
            self.slots.on_stuck()
            return
        # a new Spark would not help: Python still parses a long text, and hears the cancel later
        _LOGGER.warning("Statement %s was cancelled, and is still read.", statement_id)
        self._later(self.slots.grace, self._end_stuck_planning, submitted)

    def _note_failure(self, submitted: SubmissionRun, status: str, error: IcemeltError) -> None:
        """Note the failure of a submission.

        The history may know more: statements rolled back with their transaction, and statements
        published before the answer was lost.
        """
        if isinstance(error, SparkDied) and submitted.spark is not None:
            self.strikes.note_lost(submitted.owner, submitted.spark)
        if submitted.is_done:
            return
        was_running = next((part for part in submitted.parts if part.status == "running"), None)
        with tolerate(CatalogError, to="ask the history how a statement ended"):
            for part, record in self._look_up(submitted):
                if record.wrote or part is not was_running:
                    part.status, part.rowcount = record.status, record.rowcount
        with self._lock:
            if was_running is submitted.parts[-1] and was_running.status == "succeeded":
                submitted.end("succeeded")
            else:
                submitted.end(status, error)

    def _was_run(self, submitted: SubmissionRun) -> bool:
        """Tell whether the history has the submission, as it has if an earlier server ran it."""
        records = self._look_up(submitted)
        if not records:
            return False
        for part, record in records:
            part.status, part.rowcount = record.status, record.rowcount
        if submitted.parts[-1].status == "succeeded":
            submitted.end("succeeded")
            return True
        messages = [record.error_message for _, record in records if record.error_message]
        message = messages[-1] if messages else "It was not run to its end."
        submitted.end("failed", Gone(message, hint="Submit what is left under another id."))
        return True

    def _look_up(
        self, submitted: SubmissionRun
    ) -> list[tuple[SubmittedStatement, StatementRecord]]:
        """Return the submission's statements that are in the history."""
        ids = [part.statement_id for part in submitted.parts]
        with self.database.read() as connection:
            records = find_statements(connection, ids)
        if any(record.key_id != submitted.owner.key_id for record in records.values()):
            raise taken_id_error(submitted.submission.statement_id)
        return [
            (part, records[part.statement_id])
            for part in submitted.parts
            if part.statement_id in records
        ]

    def _later(
        self, seconds: float, call: Callable[[SubmissionRun], object], submitted: SubmissionRun
    ) -> PooledJob:
        """Call a function with a submission in some seconds, unless the job is ended before."""
        what = f"statement {submitted.submission.statement_id} goes on"
        work = partial(call, submitted)
        return self._timers.do_once("icemelt-timeout", work, delay=seconds, consequence=what)

    def _forget_old(self) -> None:
        """Delete the rows without a request for long; the lock is held."""
        ends = time.monotonic() - self.limits.kept_seconds
        old = [
            name
            for name, submitted in self._known.items()
            if submitted.is_done and submitted.ended_at < ends
        ]
        for name in old:
            self._kept.remove(self._known.pop(name))

    def _forget_many(self, owner: KeyRecord) -> None:
        """Forget the oldest outcomes of a key with too many outcomes; the lock is held."""
        outcomes = [
            (submitted.ended_at, name, submitted.size)
            for name, submitted in self._known.items()
            if submitted.is_done and submitted.owner.key_id == owner.key_id
        ]
        size = sum(size for _, _, size in outcomes)
        for _, name, freed in sorted(outcomes):
            if size <= self.limits.most_done_bytes:
                return
            self._kept.remove(self._known.pop(name))
            size -= freed
