"""Appends on their way to a server: checked, kept in memory, and sent together by a job.

An append without an answer is sent again; a server takes every append once, by the number.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from icemelt.errors import IcemeltError
from icemelt.ingest.client.segments import Segment
from icemelt.ingest.errors import ChannelInvalid, IngestBusy, invalid, may_pass
from icemelt.jobs import UNTIL_WOKEN, Job

__all__ = ["ChannelQueue", "Outcome", "Sender"]

_LOGGER = logging.getLogger("icemelt.ingest")
_LINGER_SECONDS = 0.05
_MOST_BYTES, _MOST_SEGMENTS = 8 << 20, 4_000
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 5.0

Outcome = IcemeltError | None


@dataclass(slots=True)
class ChannelQueue:
    """The appends of one channel's opening on their way to the server.

    `name` is the channel's name. `table` identifies the table and its columns: appends of equal
    tables may share a request. `queued` is the number of the last queued append, `sent` the number
    of the last append taken by the server, `rows` the count of rows between. `void` is the reason
    for sending no more appends, None while appends are sent.
    """

    name: str
    table: object
    queued: int
    sent: int
    rows: int = 0
    void: ChannelInvalid | None = None


@dataclass(slots=True)
class Sender:
    """Keeps appends of many channels until `send` has returned the outcome of every append.

    At most `most_bytes` of appends wait. If the server is away or busy, the sender repeats the
    request after a growing pause, and not before the seconds in the answer (`asked_pause`). A
    caller waiting for the server gets the error after `patience` seconds.
    """

    send: Callable[[Sequence[Segment]], list[Outcome]]
    patience: float
    most_bytes: int
    asked_pause: Callable[[IcemeltError], float] = lambda _: 0.0
    _queue: list[tuple[ChannelQueue, Segment]] = field(default_factory=list)
    _changed: threading.Condition = field(default_factory=threading.Condition)
    _bytes: int = 0
    _hurry: bool = False
    _lingers_until: float = 0.0
    _pause: float = 0.0
    _paused_until: float = 0.0
    _failing_since: float = 0.0
    _failure: IcemeltError | None = None
    _job: Job = field(init=False)

    def __post_init__(self) -> None:
        consequence = "rows wait in this process, and are sent again"
        self._job = Job("icemelt-sender", self._run, consequence=consequence)

    def enqueue(self, sending: ChannelQueue, segment: Segment) -> None:
        """Queue an append; if too many bytes wait, wait for room.

        Raises:
            ChannelInvalid: the channel takes no rows any more.
            ServerAway: the server has been away for longer than the patience.
            IngestBusy: too many bytes have waited for longer than the patience.
        """
        with self._changed:
            ends = time.monotonic() + self.patience
            while self._bytes >= self.most_bytes and sending.void is None:
                self._have_sent()
                self._require_server()
                if not self._changed.wait(max(0.0, ends - time.monotonic())):
                    raise self._too_late()
            self._require_server()
            _require_valid(sending)
            self._queue.append((sending, segment))
            self._bytes += segment.append.size
            sending.queued = segment.append.number
            sending.rows += segment.append.rows.num_rows
            self._job.start().wake()

    def drain(self, sending: ChannelQueue, timeout: float | None) -> bool:
        """Wait until the server has taken a channel's appends; False after `timeout` seconds.

        Raises:
            ChannelInvalid: the server never will take some of the appends.
            ServerAway: the server has been away for longer than the patience.
        """
        ends = None if timeout is None else time.monotonic() + timeout
        with self._changed:
            last = sending.queued
            while sending.sent < last and sending.void is None:
                self._have_sent()
                self._require_server()
                remaining = self.patience if ends is None else ends - time.monotonic()
                if remaining <= 0:
                    return False
                self._changed.wait(min(remaining, 1.0))
            _require_valid(sending)
            return True

    def discard(self, sending: ChannelQueue, reason: ChannelInvalid) -> None:
        """Send no more appends of a channel."""
        with self._changed:
            sending.void = sending.void or reason
            self._drop(sending)

    def close(self) -> None:
        """End the sender; unsent appends are discarded."""
        self._job.stop()

    def _run(self) -> float:
        """Send a batch if a batch is due; return the seconds until the next batch."""
        with self._changed:
            wait = self._seconds_until_batch()
            if wait > 0:
                return wait
            self._lingers_until = 0.0
            batch = self._batch()
        if self._send_batch(batch):
            self._pause = 0.0
            return 0
        self._pause = min(max(2 * self._pause, _FIRST_PAUSE), _LONGEST_PAUSE)
        with self._changed:
            asked = self.asked_pause(self._failure) if self._failure else 0.0
        self._paused_until = time.monotonic() + max(self._pause, asked)
        return 0

    def _seconds_until_batch(self) -> float:
        """Return the seconds until a batch is due: further appends may join the first append."""
        now = time.monotonic()
        if not self._queue:
            self._lingers_until = 0.0
            return UNTIL_WOKEN
        if now < self._paused_until:
            return self._paused_until - now
        if self._hurry or self._bytes >= _MOST_BYTES:
            return 0
        self._lingers_until = self._lingers_until or now + _LINGER_SECONDS
        return self._lingers_until - now

    def _have_sent(self) -> None:
        """Have the waiting appends sent without waiting for more; the lock is held."""
        self._hurry = True
        self._job.wake()

    def _batch(self) -> list[tuple[ChannelQueue, Segment]]:
        """Return the first appends, all of one table; the appends stay in the queue."""
        batch: list[tuple[ChannelQueue, Segment]] = []
        size = 0
        for sending, segment in self._queue:
            if batch and sending.table != batch[0][0].table:
                continue
            size += segment.append.request_size
            if batch and (size > _MOST_BYTES or len(batch) == _MOST_SEGMENTS):
                break
            batch.append((sending, segment))
        return batch

    def _send_batch(self, batch: list[tuple[ChannelQueue, Segment]]) -> bool:
        """Send appends and settle the outcomes; return False if appends have to be sent again."""
        try:
            outcomes = self.send([segment for _, segment in batch])
        except IcemeltError as error:
            if not may_pass(error) and len(batch) > 1:
                return all(self._send_batch([item]) for item in batch)
            outcomes = [error]
        except Exception as error:  # noqa: BLE001 - the thread has nobody above it
            outcomes = [IngestBusy(f"{error}.", hint="Is the server of this version of icemelt?")]
        with self._changed:
            failed = next((outcome for outcome in outcomes if outcome and may_pass(outcome)), None)
            self._note(failed)
            settled = self._settle(batch, outcomes)
            self._queue = [item for item in self._queue if id(item[1]) not in settled]
            self._hurry = self._hurry and bool(self._queue)
            self._changed.notify_all()
        return failed is None

    def _settle(
        self, batch: list[tuple[ChannelQueue, Segment]], outcomes: Sequence[Outcome]
    ) -> set[int]:
        """Return the ids of settled appends; an append behind an append to repeat stays queued."""
        settled: set[int] = set()
        stuck: set[int] = set()
        for (sending, segment), outcome in zip(batch, outcomes, strict=False):
            if id(sending) in stuck or sending.void is not None:
                continue
            if outcome is None:
                settled.add(id(segment))
                sending.sent = segment.append.number
                sending.rows -= segment.append.rows.num_rows
                self._bytes -= segment.append.size
            elif may_pass(outcome):
                stuck.add(id(sending))
            else:
                sending.void = _void(sending, outcome)
                self._drop(sending)
        return settled

    def _drop(self, sending: ChannelQueue) -> None:
        dropped = [segment for owner, segment in self._queue if owner is sending]
        self._bytes -= sum(segment.append.size for segment in dropped)
        sending.rows = 0
        self._queue = [item for item in self._queue if item[0] is not sending]
        if not self._queue:
            self._note(None)
        self._changed.notify_all()

    def _note(self, failed: IcemeltError | None) -> None:
        if failed is not None and self._failure is None:
            _LOGGER.warning("Rows are kept until the server takes them: %s", failed.message)
            self._failing_since = time.monotonic()
        self._failure = failed

    def _require_server(self) -> None:
        if self._failure is not None and time.monotonic() - self._failing_since >= self.patience:
            raise self._failure

    def _too_late(self) -> IcemeltError:
        return self._failure or IngestBusy(
            f"{self._bytes >> 20} MiB of rows wait to be sent, as much as may.",
            hint="Send the append again a little later.",
        )


def _require_valid(sending: ChannelQueue) -> None:
    if sending.void is not None:
        # a new error each time: a traceback belongs to one raise
        raise type(sending.void)(sending.void.message, hint=sending.void.hint)


def _void(sending: ChannelQueue, outcome: IcemeltError) -> ChannelInvalid:
    if isinstance(outcome, ChannelInvalid):
        return outcome
    return invalid(sending.name, f"its rows are not taken ({outcome.message.rstrip('.')})")
