"""Supervision of Spark: a dead Spark is announced at once, and replaced by a new Spark.

While Spark is away, channels take no rows and statements are refused. Rows taken before wait, and
are committed with the next Spark, so no client has to open a channel again.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from icemelt.catalog.activity_records import KeyRecord
from icemelt.engine.start.configuration import LaunchOptions
from icemelt.engine.vitals import Ending, Vitals
from icemelt.errors import IcemeltError, SparkDied, SparkNotStarted
from icemelt.ingest.errors import ServerAway
from icemelt.ingest.writer.ingestor import Ingestor
from icemelt.jobs import UNTIL_WOKEN, Job
from icemelt.observe.emitting import emit, tolerate
from icemelt.observe.events import SparkReplaced
from icemelt.session import Session
from icemelt.session.hosting import open_guest, reopen, resume_ingestor, warm_up_appends
from icemelt.session.runtime.spark_errors import telling_death

__all__ = ["Supervisor"]

_LOGGER = logging.getLogger("icemelt.server")
# the seconds of one wait for the end of Java; an end in the wait is noticed at once
_LOOK_SECONDS = 0.5
# a Spark without an answer for so long is silent: perhaps only stopped by a signal
_SILENT_SECONDS = 10.0
# a Spark without an answer for a minute is replaced: its memory is full, or it is stopped
_DEAF_SECONDS = 60.0
# the pauses between failing starts; after the last try the server ends
_PAUSES = (0.5, 1.0, 2.0, 4.0, 8.0)


@dataclass(slots=True)
class Supervisor:
    """Keeps a Spark running under a server; `host` is the session on the Spark, and opens guests.

    Without `options` Spark was started elsewhere, and cannot be started anew. `on_replaced` is
    called with the session on a new Spark, and with the way the last Java ended.
    """

    host: Session
    ingestor: Ingestor
    options: LaunchOptions | None
    pauses: Sequence[float] = _PAUSES
    on_replaced: Callable[[Session, Ending], None] = lambda _host, _ending: None
    _failure: IcemeltError | None = None
    _first: Session = field(init=False)
    _vitals: Vitals = field(init=False)
    _is_away: threading.Event = field(default_factory=threading.Event)
    _ended: threading.Event = field(default_factory=threading.Event)
    _watch: Job | None = None

    def __post_init__(self) -> None:
        self._first = self.host
        self.ingestor.when_away = ServerAway(
            "Spark is gone, and being started anew; rows are not taken meanwhile.",
            hint="Send the append again in some seconds; its channel stays open.",
        )
        self._vitals = Vitals.of(self.host.spark)

    def start(self, give_up: Callable[[], None]) -> None:
        """Begin to watch; `give_up` is called, from a thread, if Spark does not start again."""

        def watch() -> float:
            if self._vitals.is_over(_LOOK_SECONDS) and not self._replace():
                give_up()
                return UNTIL_WOKEN
            return 0

        self._watch = Job(
            "icemelt-supervisor",
            watch,
            consequence="Spark is not watched until the next look",
            longest_pause=_SILENT_SECONDS,
            until=self._ended,
        ).start()
        # a job of its own: the first job blocks if Java answers nothing
        Job(
            "icemelt-silence",
            self._end_deaf,
            every=_LOOK_SECONDS,
            delay=_LOOK_SECONDS,
            consequence="a Spark that answers nothing is ended later",
            until=self._ended,
        ).start()

    def close(self) -> None:
        """Stop watching; a host session opened here is closed, the first host session is not."""
        self._ended.set()
        if self._watch is not None:
            self._watch.join()
        if self.host is not self._first:
            self.host.close()

    def require_started(self) -> None:
        """Raise an error if Spark failed to start.

        Raises:
            SetupError: Spark failed in every try to start.
        """
        if self._failure is not None:
            raise self._failure

    @property
    def is_away(self) -> bool:
        """Whether Spark is gone, and the next Spark not there yet."""
        # the watching thread may be late on a busy machine
        return self._is_away.is_set() or self._vitals.java_has_ended

    @property
    def is_silent(self) -> bool:
        """Whether Spark has answered nothing for long: the Java process may be stopped."""
        return time.monotonic() - self._vitals.answered_at > _SILENT_SECONDS

    def require_spark(self) -> None:
        """Raise an error while Spark is away.

        Raises:
            SparkDied: Spark is gone, and will be started anew.
        """
        if self.is_away:
            raise _died()

    def find_host(self) -> Session:
        """Return the session on the present Spark.

        Raises:
            SparkDied: Spark is gone, and will be started anew.
        """
        self.require_spark()
        return self.host

    def open_guest(self, key: KeyRecord, locations: Sequence[str], pool: str) -> Session:
        """Return a session for the statements of a key, as `session.opening.open_guest`.

        Args:
            key: the key.
            locations: the only folders for COPY INTO.
            pool: the pool of task slots to run in.

        Raises:
            SparkDied: Spark is gone, and will be started anew.
        """
        host = self.find_host()
        with telling_death(host.spark):
            return open_guest(host, key.name, locations, key_id=key.key_id, pool=pool)

    def has_lost_spark(self, guest: Session | None) -> bool:
        """Tell whether the Spark of a guest's session is gone."""
        if self.is_away:
            return True
        return guest is not None and guest.spark.sparkContext is not self.host.spark.sparkContext

    def _end_deaf(self) -> float | None:
        vitals = self._vitals
        is_deaf = time.monotonic() - vitals.answered_at > _DEAF_SECONDS
        if not is_deaf or self.options is None or self.is_away:
            return None
        _LOGGER.error("Spark is ended, to be started anew: it answers nothing.")
        vitals.kill()
        return _SILENT_SECONDS

    def replace_stuck(self) -> None:
        """End a Spark with unwanted tasks that hear no cancel, and have Spark started anew."""
        vitals = self._vitals
        if self.options is not None and not self.is_away:
            _LOGGER.error("Spark is ended, to be started anew: what was cancelled in it goes on.")
            vitals.kill()

    def _replace(self) -> bool:
        """Start another Spark in place of a dead Spark; return False if Spark does not start."""
        if self._ended.is_set():
            return True
        self._tell_of_death()
        try:
            self._start_anew()
        except IcemeltError as error:
            _LOGGER.error("The server ends, as there is no Spark: %s", error.message)  # noqa: TRY400
            self._failure = error
            return False
        except Exception:
            # after any error, the server ends rather than run without a Spark
            _LOGGER.exception("The server ends, as there is no Spark")
            hint = "The server's log has the reason."
            self._failure = SparkNotStarted("Spark did not start again.", hint=hint)
            return False
        return True

    def _tell_of_death(self) -> None:
        self._is_away.set()
        self.ingestor.pause(_died())
        _LOGGER.error("Spark is gone: %s.", self._vitals.cause())

    def _start_anew(self) -> None:
        """Start Spark, again and again with pauses between.

        Raises:
            SetupError: Spark did not start in any try, or is not ours to start.
        """
        if self.options is None:
            raise SparkDied("Spark is gone, and was not started here.", hint="Start both anew.")
        # a context may have stopped alone, and left a Java process behind
        ending = self._vitals.ending
        self._vitals.kill()
        for pause in (*self.pauses, None):
            try:
                self._go_on(reopen(self.host, self.options), ending)
            except Exception as error:
                # Java may die again at any point of its start
                if pause is None or self._ended.wait(pause):
                    raise
                _LOGGER.warning("Spark did not start, and is tried again: %s", error)
            else:
                return

    def _go_on(self, host: Session, ending: Ending) -> None:
        try:
            warm_up_appends(host)
        except BaseException:
            host.close()
            raise
        before, self.host = self.host, host
        self._vitals = Vitals.of(host.spark)
        # first the strikes: waiting rows of a key that has to pause are not written any more
        self.on_replaced(host, ending)
        resume_ingestor(self.ingestor, host)
        self._is_away.clear()
        emit(SparkReplaced())
        if before is not self._first:
            tolerating = tolerate(
                IcemeltError, to="close a session whose Spark is gone", is_usual=True
            )
            with tolerating:
                before.close()


def _died() -> SparkDied:
    return SparkDied(
        "Spark is gone, and being started anew.", hint="Submit the statement again in some seconds."
    )
